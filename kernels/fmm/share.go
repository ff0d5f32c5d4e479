package fmm

import (
	"sync"
	"sync/atomic"
)

// share calls f for ranges of up to chunk numbers that make up 0 to n-1, from so many goroutines.
func share(n, chunk, workers int, f func(lo, hi int)) {
	if workers <= 1 || n <= chunk {
		if n > 0 {
			f(0, n)
		}
		return
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for {
				hi := int(next.Add(int64(chunk)))
				if hi-chunk >= n {
					return
				}
				f(hi-chunk, min(hi, n))
			}
		})
	}
	wg.Wait()
}
