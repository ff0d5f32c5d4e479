// Package main has small programs whose end depends on the schedule, or does not.
package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

func main() {
	programs := map[string]func(){"locks": locks, "inOrder": inOrder, "meeting": meeting, "group": group,
		"script": script, "spins": spins, "bubble": bubble, "late": late, "timed": timed, "prompt": prompt, "clock": clock,
		"serves": serves, "counts": counts, "empties": empties, "makes": makes, "signals": signals, "processes": processes,
		"lost": lost, "sleeps": sleeps, "chooses": chooses, "closes": closes, "yields": yields,
		"ranges": ranges}
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

// late takes a lock as often as the number of its process has it.
func late() {
	var mu sync.Mutex
	go func() { mu.Lock(); mu.Unlock() }()
	for range 1 + os.Getpid()%7 {
		mu.Lock()
		mu.Unlock()
	}
}

// timed has a timer that ends while the goroutine it waits for sleeps.
func timed() {
	done := make(chan string, 1)
	go func() {
		time.Sleep(time.Minute)
		done <- "done"
	}()
	select {
	case <-time.After(time.Second):
		fmt.Println("too late")
	case x := <-done:
		fmt.Println(x)
	}
}

// prompt has a timer that ends only if no goroutine gets on for an hour.
func prompt() {
	done := make(chan string, 1)
	go func() {
		runtime.Gosched()
		done <- "done"
	}()
	select {
	case <-time.After(time.Hour):
		fmt.Println("too late")
	case x := <-done:
		fmt.Println(x)
	}
}

// clock prints what time it is.
func clock() {
	begin, ticks, n := time.Now(), time.NewTicker(time.Second), 0
	ctx, cancel := context.WithTimeout(context.Background(), 3500*time.Millisecond)
	defer cancel()
	woken := make(chan bool)
	time.AfterFunc(time.Hour, func() { woken <- true })
	for ctx.Err() == nil {
		select {
		case <-ticks.C:
			n++
		case <-ctx.Done():
		}
	}
	ticks.Stop()
	for time.Since(begin) < 4*time.Second {
	}
	<-woken
	fmt.Println(begin.UTC().Year(), n, time.Since(begin).Round(time.Second))
}

// signals waits for a signal that it sends itself.
func signals() {
	c, done := make(chan os.Signal, 1), make(chan bool)
	signal.Notify(c, syscall.SIGUSR1)
	go func() { <-c; done <- true }()
	syscall.Kill(os.Getpid(), syscall.SIGUSR1)
	<-done
	fmt.Println("signaled")
}

// counts has two goroutines add to a counter by a load and a store.
func counts() {
	var n atomic.Int64
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { v := n.Load(); n.Store(v + 1) })
	}
	wg.Wait()
	fmt.Println(n.Load())
}

type box struct{ n int }

var full *box

// empties has a goroutine look whether there is something, and another take it away.
func empties() {
	full = &box{1}
	var wg sync.WaitGroup
	wg.Go(func() {
		if full != nil {
			full.n++
		}
	})
	wg.Go(func() { full = nil })
	wg.Wait()
}

var made *box

// makes has two goroutines make what they find missing.
func makes() {
	made = nil
	var wg sync.WaitGroup
	var n atomic.Int64
	for range 2 {
		wg.Go(func() {
			if made == nil {
				made = new(box)
				n.Add(1)
			}
		})
	}
	wg.Wait()
	fmt.Println(n.Load())
}

// serves has a server and a client, which wait for a connection, and a deadline.
func serves() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	go func() {
		c, err := l.Accept()
		if err != nil {
			panic(err)
		}
		time.Sleep(time.Second)
		io.WriteString(c, "served")
		c.Close()
	}()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		panic(err)
	}
	c.SetReadDeadline(time.Now().Add(time.Hour))
	text, err := io.ReadAll(c)
	fmt.Println(string(text), err)
}

// processes has a child whose input and output other goroutines copy, and a deadline far behind its end.
func processes() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	c := exec.CommandContext(ctx, "cat")
	in, out := io.Pipe()
	c.Stdin = in
	go func() {
		for range 3 {
			io.WriteString(out, "a line\n")
		}
		out.Close()
	}()
	text, err := c.Output()
	fmt.Println(len(text), err)
}

func bubble() {
	testing.Main(func(_, _ string) (bool, error) { return true, nil }, []testing.InternalTest{{Name: "TestBubble",
		F: func(t *testing.T) { synctest.Test(t, func(*testing.T) { time.Sleep(time.Second) }) }}}, nil, nil)
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
