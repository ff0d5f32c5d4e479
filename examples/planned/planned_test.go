package planned

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
)

// First executes each iteration once, also where there are less than goroutines, and all ranges at
// the same time: each of them waits for the others. A loop after the first is one range.
func TestFirst(t *testing.T) {
	for n := range 10 {
		times := make([]int, n)
		var begun sync.WaitGroup
		begun.Add(Cores)
		First(2)(1, 3, 3+n, func(from, to int) {
			begun.Done()
			begun.Wait()
			for i := from; i < to; i++ {
				times[i-3]++
			}
		})
		ranges := 0
		First(2)(2, 3, 3+n, func(int, int) { ranges++ })
		if ranges != 1 {
			t.Errorf("%d iterations of a serial loop: %d ranges", n, ranges)
		}
		for i, k := range times {
			if k != 1 {
				t.Errorf("%d iterations: number %d was executed %d times", n, i, k)
			}
		}
	}
}

// The interval of a median has 95 % or more of the probability from six values on, and is the
// narrowest of order statistics that has.
func TestBelow(t *testing.T) {
	for n, want := range map[int]int{1: 0, 5: 0, 6: 0, 8: 0, 9: 1, 11: 1, 12: 2, 15: 3, 20: 5} {
		if got := below(n); got != want {
			t.Errorf("%d values: %d lie below, expected %d", n, got, want)
		}
	}
}

// BenchmarkSplit is a loop whose iterations are a multiplication: what it takes in parallel beyond
// 1/Cores of what it takes serially is for the spawns and the wait.
func BenchmarkSplit(b *testing.B) {
	for _, n := range []int{0, 1 << 12, 1 << 17} {
		for name, loop := range map[string]Loop{"split": First(1), "serial": First(0)} {
			b.Run(fmt.Sprintf("n=%d/%s", n, name), func(b *testing.B) {
				var sum atomic.Uint64 // keeps what do computes
				for b.Loop() {
					loop(0, 0, n, func(from, to int) {
						x := uint64(from)
						for range to - from {
							x = x*6364136223846793005 + 1
						}
						sum.Add(x)
					})
				}
			})
		}
	}
}
