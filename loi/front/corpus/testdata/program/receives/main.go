package receives

import (
	"os"
	"time"
)

var a, b, c, d = make(chan int), make(chan int), make(chan int, 1), make(chan int, 3)

func id(x int) int { return x }

func second(x, y int) int { return y }

type worker struct{ n int }

func (w *worker) run(k int) {
	n := k
	for range 3 {
		a <- n
		b <- n + 1
	}
	select {
	case a <- id(n):
	case <-time.After(time.Hour):
	}
	a <- 7
	close(a)
}

func Main() {
	w := &worker{1}
	k := w.n
	go w.run(k)
	x := <-a - <-b
	y := id(<-a) + second(<-b, 3)
	<-a
	z, ok := <-b
	select {
	case z = <-a:
	}
	c <- z // the same goroutine has it back
	c := <-c
	select {
	case v, ok := <-a:
		z = v
		_ = ok
	}
	after, open := <-a
	<-time.After(time.Nanosecond)
	stamp := <-time.After(time.Nanosecond)
	for i := range 4 {
		d <- i + z // of 2, the third is received first
		if i > 1 {
			z = <-d
		}
	}
	if x+y+z+c+after == 0 && ok && !open && stamp.IsZero() {
		os.Exit(1)
	}
}
