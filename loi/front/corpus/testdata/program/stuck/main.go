// Package stuck has programs that end with goroutines that wait.
package stuck

import (
	"flag"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"
)

func twice() {
	var l sync.Mutex
	l.Lock()
	l.Lock()
}

func own() {
	var l sync.RWMutex
	l.Lock()
	l.RLock()
}

// ring has n goroutines that each hold a lock and want that of the next.
func ring(n int) {
	locks := make([]sync.Mutex, n)
	ready, on := make(chan bool, n), make(chan bool)
	for i := range n {
		go func() {
			locks[i].Lock()
			ready <- true
			<-on
			locks[(i+1)%n].Lock()
		}()
	}
	for range n {
		<-ready
	}
	close(on)
	select {}
}

// reader reads again while a writer waits that waits for it.
func reader() {
	var l sync.RWMutex
	l.RLock()
	go l.Lock()
	for l.TryRLock() {
		l.RUnlock()
		runtime.Gosched()
	}
	l.RLock()
}

// held sends while it holds the lock that the receiver wants first.
func held() {
	var l sync.Mutex
	c, locked := make(chan int), make(chan bool)
	go func() {
		l.Lock()
		close(locked)
		c <- 1
	}()
	<-locked
	l.Lock()
	<-c
}

// missed has a goroutine that returns without its Done.
func missed() {
	var g sync.WaitGroup
	g.Add(2)
	for i := range 2 {
		go func() {
			if i == 0 {
				g.Done()
			}
		}()
	}
	g.Wait()
}

// results waits for those that wait until it takes their results.
func results() {
	var g sync.WaitGroup
	c := make(chan int)
	for i := range 3 {
		g.Go(func() { c <- i })
	}
	g.Wait()
	for range 3 {
		<-c
	}
}

// signal waits for what was signalled before.
func signal() {
	var l sync.Mutex
	c := sync.NewCond(&l)
	c.Signal()
	l.Lock()
	c.Wait()
}

// unclosed ranges over a channel that nobody closes.
func unclosed() {
	var g sync.WaitGroup
	c := make(chan int)
	g.Go(func() {
		for range c {
		}
	})
	c <- 1
	g.Wait()
}

// both have given something, and now each waits for more from the other.
func both() {
	a, b := make(chan int), make(chan int)
	go func() {
		b <- <-a
		select {
		case <-a:
		case b <- 2:
		}
	}()
	a <- 1
	<-b
	<-a
}

func none() {
	var c chan int
	c <- 1
}

func again() {
	var o sync.Once
	o.Do(func() { o.Do(func() {}) })
}

// busy ends while one goroutine runs and holds what another wants, and others sleep and wait for a
// timer.
func busy() {
	var l sync.Mutex
	locked := make(chan bool)
	go func() {
		l.Lock()
		close(locked)
		for {
		}
	}()
	<-locked
	go l.Lock()
	go time.Sleep(time.Hour)
	go func() { <-time.After(time.Hour) }()
	time.Sleep(20 * time.Millisecond)
	os.Exit(3)
}

// panics ends, with the exit code of a deadlock, by a goroutine that does nothing else, once main waits.
func panics() {
	go func() {
		for all := make([]byte, 1<<16); !strings.Contains(string(all), "[select (no cases)]"); {
			runtime.Stack(all, true)
		}
		panic("on purpose")
	}()
	select {}
}

func ends() {
	c := make(chan bool)
	go func() { c <- true }()
	for <-c; runtime.NumGoroutine() > 1; {
		runtime.Gosched()
	}
}

func Main() {
	f, ok := map[string]func(){"twice": twice, "own": own, "crossed": func() { ring(2) },
		"ring": func() { ring(3) }, "reader": reader, "held": held, "missed": missed,
		"results": results, "signal": signal, "unclosed": unclosed, "both": both, "none": none,
		"again": again, "busy": busy, "panics": panics, "ends": ends}[flag.Arg(1)]
	if !ok {
		panic(flag.Arg(1))
	}
	f()
}
