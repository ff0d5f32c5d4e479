// Package regions leaves loops and functions in every way that there is. How often each begins, and
// in what, is in regions_test.go, counted by hand.
package regions

import (
	"flag"
	"runtime"
	"sync"
)

var cases = map[string]func(){"goto": gotoOut, "panic": throughThree, "recursion": recursion,
	"goroutines": hundred, "labels": labels, "goexit": goexit, "iterators": iterators,
	"returns": returns, "defers": defers, "back": gotoBack,
	"landed": landed}

func Main() {
	cases[flag.Arg(1)]()
}

func gotoOut() {
	for i := range 3 {
		for j := range 5 {
			if i == 1 && j == 2 {
				goto out
			}
		}
	}
out:
	leaf()
}

func leaf() {}

func throughThree() {
	for range 2 {
		fourth()
	}
}

func fourth() {
	defer func() {
		recover()
		leaf()
	}()
	third()
	leaf() // never
}

func third() { second() }

func second() {
	for i := range 9 {
		first(i)
	}
}

func first(i int) {
	for {
		if i == 4 {
			panic(i)
		}
		return
	}
}

func recursion() { deeper(1000) }

func deeper(n int) int {
	if n == 1 {
		return 1
	}
	return deeper(n-1) + 1
}

func hundred() {
	var all sync.WaitGroup
	for range 100 {
		all.Add(1)
		go func() {
			defer all.Done()
			for range 3 {
				leaf()
			}
		}()
	}
	all.Wait()
}

func labels() {
	c := make(chan int, 100)
outer:
	for i := 0; i < 4; i++ {
		for j := 0; j < 10; j++ {
			switch {
			case j == 2 && i < 2:
				continue outer
			case i == 2 && j == 1:
				select {
				case c <- 1:
					break outer
				}
			}
			leaf()
		}
	}
	leaf()
}

func goexit() {
	done := make(chan bool)
	go func() {
		defer close(done)
		for range 7 {
			exits()
		}
	}()
	<-done
}

func exits() {
	defer leaf()
	for {
		func() {
			runtime.Goexit()
		}()
	}
}

func upTo(n int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for i := range n {
			if !yield(i) {
				leaf()
				return
			}
		}
	}
}

func iterators() {
	for i := range upTo(4) {
		if i == 1 {
			continue
		}
		leaf()
	}
	for i := range upTo(9) {
		if i == 2 {
			break
		}
	}
	inIterator()
rows:
	for range upTo(2) {
		for j := range upTo(9) {
			if j == 1 {
				continue rows
			}
		}
	}
}

func inIterator() int {
	for i := range upTo(9) {
		if i == 3 {
			return i
		}
	}
	return -1
}

type pair struct{ a, b int }

func returns() {
	for i := range 3 {
		inLoop(i)
	}
	p := &pair{1, 2}
	a, b := both(p)
	c, err := named(p)
	_, _, _, _ = a, b, c, err
	closure := returned(p)
	closure()
}

func inLoop(n int) bool {
	for i := range 5 {
		for i == n {
			return i > 0
		}
	}
	return false
}

func both(p *pair) (int, int) { return value(p), p.b }

func value(p *pair) int { return p.a }

func named(p *pair) (n int, err error) {
	n, _ = both(p)
	return
}

func returned(p *pair) func() int {
	return func() int { return p.b + value(p) }
}

func defers() {
	for range 5 {
		failing()
	}
	leaf()
}

func failing() (err any) {
	defer func() { err = recover() }()
	defer func() {
		for range 2 {
			leaf()
		}
	}()
	defer second()
	var p *pair
	p.a = value(p)
	return nil
}

func gotoBack() {
	n := 0
again:
	for range n {
		leaf()
	}
	if n++; n < 4 {
		goto again
	}
	times := 0
loop:
	for range 3 {
		if times++; times == 2 {
			goto loop
		}
	}
	for range 0 {
		leaf()
	}
}

func landed() {
outer:
	for i := range 3 {
		leaf()
		for range 4 {
			for range 2 {
				if i < 2 {
					continue outer
				}
			}
		}
	}
	leaf()
rows:
	for i := range 3 {
		leaf()
		for range 2 {
			for range upTo(4) {
				if i < 2 {
					continue rows
				}
			}
		}
	}
choice:
	switch {
	default:
		for range 5 {
			break choice
		}
	}
	leaf()
	n := 0
again:
	for n < 3 {
		leaf()
		for range 2 {
			if n++; n == 1 {
				goto again
			}
		}
	}
}
