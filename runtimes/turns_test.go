package runtimes

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// The heap gives the turns in the order of (time, order), whatever steps take.
func TestTurns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 30).Draw(t, "workers")
		queue := newTurns(n)
		workers := make([]*stepWorker, n)
		var all []turn // what a sorted list would do
		for i := range workers {
			workers[i] = &stepWorker{Worker: &Worker{id: i}, order: uint64(i)}
			all = append(all, turn{0, uint64(i), i})
		}
		order := uint64(n)
		for range 100 {
			first := all[0]
			if queue.list[0] != first {
				t.Fatalf("the heap has %+v first, expected %+v", queue.list[0], first)
			}
			v := workers[first.worker]
			v.now += uint64(rapid.SampledFrom([]int{0, 1, 2, 5, 1000, 1 << 40}).Draw(t, "took"))
			order++
			v.order = order
			queue.down(v)
			all[0] = turn{v.now, v.order, v.id}
			slices.SortFunc(all, func(a, b turn) int {
				if a.before(&b) == 1 {
					return -1
				}
				return 1
			})
		}
	})
	if a, b := (&turn{1, 9, 0}), (&turn{2, 3, 1}); a.before(b) != 1 || b.before(a) != 0 || a.before(a) != 0 || never.before(b) != 0 {
		t.Error("earlier times do not come first")
	}
}
