// Command live works on a slice in one goroutine or, as its argument asks, in several. It fails for
// the argument 0.
package main

import (
	"os"
	"strconv"
	"sync"
)

func work(v []int) {
	for range 5 {
		for i := range v {
			v[i]++
		}
	}
}

var all = make([]int, 300)

func main() {
	n, _ := strconv.Atoi(os.Args[1])
	switch n {
	case 0:
		work(make([]int, 300)) // on the stack
	case 1:
		work(all)
	}
	var group sync.WaitGroup
	for i := range n {
		v := make([]int, 100+i)
		group.Go(func() { work(v) })
	}
	if n == 3 { // whoever is the first at a channel without room waits for the other
		met := make(chan bool)
		group.Go(func() { met <- true })
		<-met
	}
	group.Wait()
	if n == 0 {
		os.Exit(3)
	}
}
