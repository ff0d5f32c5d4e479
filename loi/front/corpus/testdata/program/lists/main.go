package lists

import "sync"

type node struct {
	v    int
	next *node
}

func Main() {
	var all sync.WaitGroup
	for k := 0; k < 200; k++ {
		for g := 0; g < 20; g++ {
			all.Go(func() {
				var list *node
				for i := 0; i < 50+g; i++ {
					list = &node{i, list}
				}
				s := make([]int, 300)
				for n := list; n != nil; n = n.next {
					for i := 0; i < n.v; i++ {
						s[i] += n.v
					}
				}
			})
		}
		all.Wait()
	}
}
