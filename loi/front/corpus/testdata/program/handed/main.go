package handed

import (
	"fmt"
	"strings"
	"sync"
)

type node struct {
	v    int
	next *node
}

var text string

func Main() {
	ch := make(chan *node, 4)
	var wg sync.WaitGroup
	sum := 0
	wg.Go(func() {
		for l := range ch {
			for ; l != nil; l = l.next {
				sum += l.v
			}
		}
	})
	for i := range 20000 {
		var l *node
		for range 10 {
			l = &node{1, l}
		}
		text = strings.Repeat("x", i%50)
		ch <- l
	}
	close(ch)
	wg.Wait()
	fmt.Println(sum)
}
