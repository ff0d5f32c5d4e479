package gotrace

import (
	"path/filepath"
	"strings"
	"testing"

	"krdlab/loi"
	"krdlab/loi/dag"
	"krdlab/loi/gofront/corpus"
)

// parallel has the work and span in accesses, by hand, of the programs of goroutines of the case
// parallel.
var parallel = map[string]struct{ work, span uint64 }{
	// 10 items of 3 accesses each, of which the consumer makes 5 each: it has the first after 3, and
	// then is what the producer waits for.
	"producer and consumer": {10 * (3 + 5), 3 + 10*5},
	// With room for all and 2 by the consumer, who waits for each.
	"producer and consumer with room": {10 * (3 + 2), 10*3 + 2},
	// 20 items through stages of 1, 2, 3, 2 and 1 accesses: the first takes 9, then one comes out
	// each 3.
	"pipeline": {20 * 9, 9 + 19*3},
	// 10 before, then 7, 14, ... 56 beside 5, then 10.
	"fork and join": {10 + 7*36 + 5 + 10, 10 + 56 + 10},
	// Each of 4 makes 6, then 10 times 3 behind a lock, which one has at a time.
	"convoy": {4 * (6 + 10*3), 6 + 4*10*3},
	// What is stored is made before the store, 20, and who sees it makes 30 then; an embedded variable
	// is the same by its name.
	"atomic store of what a call makes": {20 + 30, 20 + 30},
	// Readers at once, then a writer; then a condition that the writer waits for is signaled.
	"readers and a writer": {4*5 + 7, 5 + 7},
	// Atomic variables: main reads what the goroutine has stored, and goes on.
	"flag": {20 + 1 + 4 + 30, 20 + 30},
	// A coroutine is a goroutine that never runs beside its caller.
	"coroutine": {6 * (2 + 3), 6 * (2 + 3)},
}

func TestParallelism(t *testing.T) {
	for name, c := range parallel {
		t.Run(name, func(t *testing.T) {
			tr := openTrace(t, "parallel", name)
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

// openTrace runs a program and opens its trace, with regions and what goroutines wait for.
func openTrace(t *testing.T, name string, args ...string) *loi.Trace {
	t.Helper()
	return openTraceOf(t, name, true, args...)
}

// openTraceOf is openTrace with regions, or those alone that the source names kernels.
func openTraceOf(t *testing.T, name string, regions bool, args ...string) *loi.Trace {
	t.Helper()
	file := filepath.Join(t.TempDir(), "p.loi")
	_, out, err := trace(t, Data, name, func(r *Request) {
		r.Trace, r.Args, r.Build.Sync = file, args, true
		r.Build.Regions, r.Build.Iterations = regions, regions
	})
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	tr, err := loi.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tr.Close() })
	corpus.AsMain(name, &tr.Header.Registry)
	return tr
}

// Kernels are what the source names, by comments or labels, with all that they call; otherwise
// functions.
func TestNamedKernels(t *testing.T) {
	tr := openTrace(t, "named")
	got := map[string]int{}
	for e, err := range tr.Ordered(loi.Order{}) {
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range e.Accesses() {
			if strings.HasPrefix(tr.Header.Registry.Objects[a.Object].Name, "int,") {
				got[tr.Header.Registry.Kernels[e.Kernel].Name]++
			}
		}
	}
	for name, n := range map[string]int{"main.leaf": 2, "by comment": 2, "a label": 2, "loop": 3} {
		if got[name] != n {
			t.Errorf("%s has %d accesses, expected %d", name, got[name], n)
		}
		delete(got, name)
	}
	if len(got) > 0 {
		t.Errorf("beside these: %v", got)
	}
}

// TestKernelsThatPanic has a kernel that panics end where that is recovered.
func TestKernelsThatPanic(t *testing.T) {
	for _, regions := range []bool{false, true} {
		tr := openTraceOf(t, "panicking", regions)
		got := map[string]int{}
		for e, err := range tr.Ordered(loi.Order{}) {
			if err != nil {
				t.Fatal(err)
			}
			for _, a := range e.Accesses() {
				if strings.HasPrefix(tr.Header.Registry.Objects[a.Object].Name, "int,") {
					got[tr.Header.Registry.Kernels[e.Kernel].Name]++
				}
			}
		}
		if got["broken"] != 5 || got["main.main"] != 5 {
			t.Errorf("accesses %v with regions %t, expected 5 and 5", got, regions)
		}
	}
}

// TestDeepRecursion has 200 000 regions open at once: what an event costs does not depend on that.
func TestDeepRecursion(t *testing.T) {
	tr := openTrace(t, "deep")
	begins, ends, own := 0, 0, 0
	for e, err := range tr.Ordered(loi.Order{Events: true}) {
		switch {
		case err != nil:
			t.Fatal(err)
		case e.Type == loi.EventRecord && e.Event == loi.EventRegion:
			begins++
			if strings.HasPrefix(tr.Header.Registry.Regions[e.Args[0]].Name, "main.") {
				own++
			}
		case e.Type == loi.EventRecord && e.Event == loi.EventRegionEnd:
			ends++
		}
	}
	if own != 200003 || ends != begins {
		t.Errorf("%d regions begin, %d of them the case's, and %d end, expected 200 003 with main.main of the program", begins,
			own, ends)
	}
}
