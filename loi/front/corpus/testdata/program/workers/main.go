package workers

import "sync"

func work(v []int, n int) {
	for range n {
		for i := range v {
			v[i] += n
		}
	}
}

func Main() {
	var all sync.WaitGroup
	for n := range 9 {
		v := make([]int, 200+n)
		all.Go(func() { work(v, n) })
	}
	all.Wait()
}
