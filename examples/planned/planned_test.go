package planned

import (
	"sync"
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
