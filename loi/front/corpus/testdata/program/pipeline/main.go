package pipeline

import "os"

func double(in []int, out chan<- int, by int) {
	for i := range in {
		out <- in[i] * by
	}
	close(out)
}

func sum(in <-chan int, result chan int) {
	s := 0
	for x := range in {
		s += x
	}
	result <- s
}

func Main() {
	c, result := make(chan int, 2), make(chan int)
	by := 2
	go double([]int{1, 2, 3, 4}, c, by)
	go sum(c, result)
	if s := <-result; s != 20 {
		os.Exit(1)
	}
}
