package dag_test

import (
	"krdlab/loi"
	"krdlab/loi/dag"
	"krdlab/loi/front/corpus"
	"testing"
)

// parallel has the work and span in accesses, by hand, of the programs of goroutines of the case
// parallel.
var parallel = map[string]struct{ work, span uint64 }{
	// 10 items of 3 accesses each, and 5 more by the consumer: it has the first after 3, and then
	// the producer waits for it.
	"producer and consumer": {10 * (3 + 5), 3 + 10*5},
	// With room for all and 2 by the consumer, which waits for each.
	"producer and consumer with room": {10 * (3 + 2), 10*3 + 2},
	// 20 items through stages of 1, 2, 3, 2 and 1 accesses: the first takes 9, then one comes out
	// each 3.
	"pipeline": {20 * 9, 9 + 19*3},
	// 10 before, then 7, 14, ... 56 beside 5, then 10.
	"fork and join": {10 + 7*36 + 5 + 10, 10 + 56 + 10},
	// Each of 4 makes 6, then 10 times 3 behind a lock, which one has at a time.
	"convoy": {4 * (6 + 10*3), 6 + 4*10*3},
	// The value takes 20 before the store, and a goroutine that sees it takes 30 then; an embedded
	// variable is the same by its name.
	"atomic store of what a call makes": {20 + 30, 20 + 30},
	// Readers at once, then a writer; then a condition that the writer waits for is signaled.
	"readers and a writer": {4*5 + 7, 5 + 7},
	// Atomic variables: main reads what the goroutine has stored, and goes on.
	"flag": {20 + 1 + 4 + 30, 20 + 30},
	// A coroutine is a goroutine that never runs beside its caller.
	"coroutine": {6 * (2 + 3), 6 * (2 + 3)},
}

// TestParallelism checks the work and span of recorded programs of goroutines.
func TestParallelism(t *testing.T) {
	for name, c := range parallel {
		t.Run(name, func(t *testing.T) {
			tr := corpus.Open(t, corpus.Recording{Case: "parallel", Arg: name, Sync: true})
			b := dag.NewGoroutines(&tr.Header)
			for e, err := range tr.Ordered(loi.Order{Events: true}) {
				if err == nil {
					err = b.Event(e)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			l := b.End().Longest(func(o *dag.Op) uint64 { return o.Kernels })
			if l.Work != c.work || l.Span != c.span {
				t.Errorf("work %d and span %d, expected %d and %d", l.Work, l.Span, c.work, c.span)
			}
		})
	}
}
