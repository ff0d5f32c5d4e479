package main

import "sync"

// gossip starts a worker that the stopper does not wait for (of the shape of cockroach#4407, misuse of a wait
// group).
func gossip() {
	var mu sync.Mutex
	var workers sync.WaitGroup
	stopped, table := false, &[1]int{}
	start := func() {
		mu.Lock()
		defer mu.Unlock()
		if mended && stopped {
			return
		}
		workers.Add(1)
		go func() {
			defer workers.Done()
			mu.Lock()
			table[0]++
			mu.Unlock()
		}()
	}
	stop := func() {
		mu.Lock()
		stopped = true
		mu.Unlock()
		workers.Wait()
		mu.Lock()
		table = nil
		mu.Unlock()
	}
	together(start, stop)
	workers.Wait()
}

// doneTwice looks and takes in two critical sections, so that an item is done twice (of the shape of
// kubernetes#13058, misuse of a wait group).
func doneTwice() {
	var mu sync.Mutex
	var deleted sync.WaitGroup
	deleted.Add(1)
	items := 1
	process := func() {
		mu.Lock()
		defer mu.Unlock()
		if items == 0 {
			return
		}
		if !mended {
			mu.Unlock()
			mu.Lock()
		}
		items = 0
		deleted.Done()
	}
	together(process, process, deleted.Wait)
}

// lateChannel sends to a channel before it is made (of the shape of etcd#3077, misuse of a channel).
func lateChannel() {
	var mu sync.Mutex
	var stop chan int
	done := make(chan int)
	if mended {
		stop = make(chan int)
	}
	channel := func() chan int { mu.Lock(); defer mu.Unlock(); return stop }
	run := func() {
		mu.Lock()
		if stop == nil {
			stop = make(chan int)
		}
		mu.Unlock()
		<-channel()
		close(done)
	}
	together(run, func() { channel() <- 1; <-done })
}

// written sends to a channel that the other writer has closed (of the shape of grpc#1687, misuse of a channel).
func written() {
	writes, closed := make(chan int), make(chan int)
	send := func() {
		select {
		case writes <- 1:
		case <-closed:
		}
	}
	read := func() {
		for {
			select {
			case _, ok := <-writes:
				if !ok {
					return
				}
			case <-closed:
				return
			}
		}
	}
	together(read, send, func() {
		if send(); mended {
			close(closed)
		} else {
			close(writes)
		}
	})
}

// wrapper uses what has been taken away (of the shape of grpc#2371, which GoKer sorts under misuse of a
// channel; nil pointer).
func wrapper() {
	var mu sync.Mutex
	type wrapped struct{ updates chan int }
	b := &wrapped{make(chan int, 1)}
	resolve := func() {
		mu.Lock()
		defer mu.Unlock()
		if mended && b == nil {
			return
		}
		b.updates <- 1
	}
	together(resolve, func() { mu.Lock(); b = nil; mu.Unlock() })
}

// source receives from a channel that has been set to nil (of the shape of istio#8967, misuse of a channel).
func source() {
	var mu sync.Mutex
	done := make(chan int)
	channel := func() chan int { mu.Lock(); defer mu.Unlock(); return done }
	stop := func() {
		mu.Lock()
		close(done)
		if !mended {
			done = nil
		}
		mu.Unlock()
	}
	together(func() { <-channel() }, stop)
}

// pool closes the channel of work that is still sent to (of the shape of serving#3068, misuse of a channel).
func pool() {
	var mu sync.Mutex
	work, closed := make(chan int, 2), false
	add := func() {
		for range 2 {
			mu.Lock()
			if mended && closed {
				mu.Unlock()
				return
			}
			work <- 1
			mu.Unlock()
		}
	}
	wait := func() { mu.Lock(); closed = true; close(work); mu.Unlock() }
	together(add, wait, func() {
		for range work {
		}
	})
}

// finished reads a result that is not there where the time was up first (of the shape of moby#18412, order
// violation).
func finished() {
	var mu sync.Mutex
	var result *int
	done, limit := make(chan int), make(chan int)
	command := func() { mu.Lock(); result = new(int); mu.Unlock(); close(done) }
	wait := func() {
		select {
		case <-done:
		case <-limit:
			if mended {
				<-done
			}
		}
		mu.Lock()
		*result++
		mu.Unlock()
	}
	together(command, wait, func() { close(limit) })
}

// evicted counts calls without a lock (of the shape of istio#8144, data race).
func evicted() {
	var mu sync.Mutex
	calls := 0
	count := func() {
		if mended {
			mu.Lock()
			defer mu.Unlock()
		}
		calls++
	}
	if together(count, count); calls != 2 {
		panic("a call is lost")
	}
}

// lazily makes its provider where it has none, without a lock (of the shape of kubernetes#82550, data race).
func lazily() {
	var mu sync.Mutex
	var provider *int
	made := make(chan int, 2)
	provide := func() {
		if mended {
			mu.Lock()
			defer mu.Unlock()
		}
		if provider == nil {
			provider = new(int)
			made <- 1
		}
	}
	if together(provide, provide); len(made) != 1 {
		panic("two providers")
	}
}
