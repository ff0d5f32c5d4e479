package planned

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
)

// Split executes each iteration once, also where there are less than goroutines, and all ranges at
// the same time: each of them waits for the others.
func TestSplit(t *testing.T) {
	for n := range 10 {
		times := make([]int, n)
		var begun sync.WaitGroup
		begun.Add(Cores)
		Split(3, 3+n, func(from, to int) {
			begun.Done()
			begun.Wait()
			for i := from; i < to; i++ {
				times[i-3]++
			}
		})
		for i, k := range times {
			if k != 1 {
				t.Errorf("%d iterations: number %d was executed %d times", n, i, k)
			}
		}
	}
}

// BenchmarkSplit is a loop whose iterations are a multiplication: what it takes in parallel beyond
// 1/Cores of what it takes serially is for the spawns and the wait.
func BenchmarkSplit(b *testing.B) {
	for _, n := range []int{0, 1 << 12, 1 << 17} {
		for name, loop := range map[string]Loop{"split": Split,
			"serial": func(from, to int, do func(from, to int)) { do(from, to) }} {
			b.Run(fmt.Sprintf("n=%d/%s", n, name), func(b *testing.B) {
				var sum atomic.Uint64 // keeps what do computes
				for b.Loop() {
					loop(0, n, func(from, to int) {
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
