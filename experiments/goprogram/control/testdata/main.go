// Package main has small programs whose end depends on the schedule, or does not.
package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"
)

func main() {
	programs := map[string]func(){"locks": locks, "inOrder": inOrder, "meeting": meeting, "group": group,
		"script": script, "spins": spins, "late": late, "lost": lost, "sleeps": sleeps, "chooses": chooses, "closes": closes, "yields": yields, "ranges": ranges}
	programs[os.Args[1]]()
}

// locks takes two locks in two orders.
func locks() {
	var a, b sync.Mutex
	var wg sync.WaitGroup
	wg.Go(func() { a.Lock(); b.Lock(); b.Unlock(); a.Unlock() })
	wg.Go(func() { b.Lock(); a.Lock(); a.Unlock(); b.Unlock() })
	wg.Wait()
}

func inOrder() {
	var a, b sync.Mutex
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { a.Lock(); b.Lock(); b.Unlock(); a.Unlock() })
	}
	wg.Wait()
}

// meeting has two goroutines send before they receive, if a third one does not help.
func meeting() {
	a, b, done := make(chan int), make(chan int), make(chan int)
	go func() { a <- 1; <-b; done <- 1 }()
	go func() { b <- 1; <-a; done <- 1 }()
	go func() {
		select {
		case <-a:
			a <- 1
		case <-b:
			b <- 1
		}
	}()
	<-done
	<-done
}

// group adds to a group while main may wait already.
func group() {
	var wg sync.WaitGroup
	var mu sync.Mutex
	n, started := 0, make(chan int, 3)
	for range 3 {
		go func() {
			wg.Add(1)
			started <- 1
			mu.Lock()
			n++
			mu.Unlock()
			wg.Done()
		}()
	}
	<-started
	wg.Wait()
	mu.Lock()
	fmt.Println(n)
	mu.Unlock()
}

// lost signals before another one waits.
func lost() {
	var mu sync.Mutex
	c := sync.NewCond(&mu)
	go func() { c.Signal() }()
	mu.Lock()
	c.Wait()
	mu.Unlock()
}

func sleeps() {
	c := make(chan int, 2)
	go func() { time.Sleep(time.Hour); c <- 1 }()
	go func() { time.Sleep(time.Minute); c <- 2 }()
	fmt.Println(<-c, <-c)
}

func chooses() {
	a, b := make(chan int, 1), make(chan int, 1)
	a <- 1
	b <- 2
	select {
	case x := <-a:
		fmt.Println(x)
	case x := <-b:
		fmt.Println(x)
	}
}

// closes closes a channel that another goroutine may send to.
func closes() {
	c := make(chan int, 1)
	go func() { c <- 1 }()
	runtime.Gosched()
	close(c)
	time.Sleep(1)
}

// script has goroutines do what the second argument says, each a word of operations and their objects:
// L and U of locks, S and R of channels without room, D and W of a group. Main is the last one.
func script() {
	var locks [4]sync.Mutex
	var channels [4]chan int
	for i := range channels {
		channels[i] = make(chan int)
	}
	var group sync.WaitGroup
	code := strings.Fields(os.Args[2])
	group.Add(strings.Count(os.Args[2], "D"))
	do := func(g int) {
		for i := 0; i < len(code[g]); i += 2 {
			at := code[g][i+1] - '0'
			switch code[g][i] {
			case 'L':
				locks[at].Lock()
			case 'U':
				locks[at].Unlock()
			case 'S':
				channels[at] <- 1
			case 'R':
				<-channels[at]
			case 'D':
				group.Done()
			case 'W':
				group.Wait()
			}
			syscall.Write(2, []byte{'0' + byte(g)}) // package fmt takes a lock of a pool
		}
	}
	last := len(code) - 1
	for g := range last {
		go do(g)
	}
	do(last)
}

func yields() {
	var mu sync.Mutex
	ready := false
	go func() { mu.Lock(); ready = true; mu.Unlock() }()
	for {
		mu.Lock()
		ok := ready
		mu.Unlock()
		if ok {
			break
		}
		runtime.Gosched()
	}
}

// late has a goroutine that takes locks until the clock has another microsecond parity.
func late() {
	var mu sync.Mutex
	go func() { mu.Lock(); mu.Unlock() }()
	for time.Now().UnixMicro()%2 == 0 {
		mu.Lock()
		mu.Unlock()
	}
	for range time.Now().UnixMicro() % 7 {
		mu.Lock()
		mu.Unlock()
	}
}

func spins() {
	for {
		runtime.Gosched()
	}
}

func ranges() {
	m := map[string]int{}
	for i := range 50 {
		m[fmt.Sprint(i)] = i
	}
	for k := range m {
		fmt.Print(k, " ")
	}
	fmt.Println()
}
