package main

import (
	"context"
	"sync"
	"time"
)

// loops has two loops that send to each other (of the shape of cockroach#2448, channel).
func loops() {
	events, callbacks := make(chan int), make(chan int, room(1))
	raft := func() {
		for range 2 {
			select {
			case <-callbacks:
			default:
				events <- 1
			}
		}
		close(events)
	}
	store := func() {
		<-events
		callbacks <- 1
		for range events {
		}
	}
	together(raft, store)
}

// status asks a node that has stopped (of the shape of etcd#6857, channel).
func status() {
	requests, stop, done := make(chan chan int), make(chan int), make(chan int)
	node := func() {
		for {
			select {
			case c := <-requests:
				c <- 1
			case <-stop:
				close(done)
				return
			}
		}
	}
	ask := func() {
		c := make(chan int)
		if !mended {
			requests <- c
			<-c
			return
		}
		select {
		case requests <- c:
			<-c
		case <-done:
		}
	}
	together(node, ask, func() { stop <- 1; <-done })
}

// suggested sends at the start into a channel whose place may be taken (of the shape of cockroach#24808,
// channel).
func suggested() {
	c := make(chan int, 1)
	suggest := func() {
		select {
		case c <- 1:
		default:
		}
	}
	start := func() {
		if mended {
			suggest()
		} else {
			c <- 1
		}
		<-c
	}
	together(suggest, start)
}

// leftSending stops and leaves a call that sends (of the shape of grpc#660, channel).
func leftSending() {
	stop := make(chan int)
	var calls sync.WaitGroup
	client := func() {
		for range 2 {
			done := make(chan int, room(1))
			calls.Go(func() { done <- 1 })
			select {
			case <-stop:
				return
			case <-done:
			}
		}
	}
	together(client, func() { close(stop) })
	calls.Wait()
}

// progress is written to whoever waits for the writer's end (of the shape of moby#21233, channel).
func progress() {
	out, release, running := make(chan int), make(chan int), make(chan int)
	watch := func() {
		defer close(running)
		for range 2 {
			if mended {
				select {
				case out <- 1:
				case <-release:
				}
			} else {
				out <- 1
			}
			select {
			case <-release:
				return
			default:
			}
		}
	}
	together(watch, func() { <-out; close(release); <-running })
}

// epochs has a loop that ends when nothing is active, and something starts behind (of the shape of
// istio#17860, channel).
func epochs() {
	var mu sync.Mutex
	active, ended := 1, make(chan int, room(2))
	agent := func() {
		for n := 1; n > 0; {
			<-ended
			mu.Lock()
			active--
			n = active
			mu.Unlock()
		}
	}
	restart := func() {
		mu.Lock()
		active++
		mu.Unlock()
		ended <- 2
	}
	together(agent, restart, func() { ended <- 1 })
}

// closedByHandler closes from a handler, and waits for the loop that runs it (of the shape of syncthing#5795,
// channel).
func closedByHandler() {
	inbox, closed, stopped := make(chan int, 1), make(chan int), make(chan int)
	var once sync.Once
	end := func() { once.Do(func() { close(closed); <-stopped }) }
	dispatch := func() {
		defer close(stopped)
		select {
		case <-inbox:
			if mended {
				go end()
			} else {
				end()
			}
		case <-closed:
		}
	}
	together(dispatch, end, func() { inbox <- 1 })
}

// drained receives from all channels though their sender has given up (of the shape of cockroach#10790,
// channel and context).
func drained() {
	channels := []chan int{make(chan int), make(chan int)}
	ctx, cancel := context.WithCancel(context.Background())
	send := func() {
		for _, c := range channels {
			select {
			case c <- 1:
			case <-ctx.Done():
				return
			}
		}
	}
	begin := func() {
		for _, c := range channels {
			select {
			case <-c:
			case <-ctx.Done():
				for i := 0; i < len(channels) && !mended; i++ {
					<-channels[i]
				}
				return
			}
		}
	}
	together(send, begin, cancel)
}

// deactivated waits for what was taken back, and nobody gives it again (of the shape of moby#29733, condition).
func deactivated() {
	var mu sync.Mutex
	changed, active := sync.NewCond(&mu), true
	use := func() {
		mu.Lock()
		for !active {
			changed.Wait()
		}
		mu.Unlock()
	}
	set := func(to bool) { mu.Lock(); active = to; changed.Broadcast(); mu.Unlock() }
	together(use, func() {
		if set(false); mended {
			set(true)
		}
	})
}

// lostSignal signals before the other one waits (of the shape of kubernetes#11298, channel and condition).
func lostSignal() {
	var mu sync.Mutex
	changed, aborted := sync.NewCond(&mu), false
	abort, waited := make(chan int), make(chan int)
	wait := func() {
		defer close(waited)
		mu.Lock()
		defer mu.Unlock()
		if !mended || !aborted {
			changed.Wait()
		}
	}
	serve := func() {
		<-abort
		mu.Lock()
		aborted = true
		changed.Signal()
		mu.Unlock()
		<-waited
	}
	together(wait, serve, func() { close(abort) })
}

// request gives up after a time, and leaves what works for it sending (of the shape of kubernetes#5316,
// channel).
func request() {
	done := make(chan int, room(1))
	work := func() { time.Sleep(time.Minute); done <- 1 }
	together(work, func() {
		select {
		case <-done:
		case <-time.After(time.Minute):
		}
	})
}

// probe is stopped while what it asked for is about to answer (of the shape of moby#33781, channel and context).
func probe() {
	stop, results := make(chan int), make(chan int, room(1))
	monitor := func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		select {
		case <-stop:
		case <-results:
		case <-ctx.Done():
			<-results
		}
	}
	together(monitor, func() { results <- 1 }, func() { close(stop) })
}

// debounce receives from a timer that it has received from before (of the shape of istio#18454, which GoKer
// sorts under channel and context).
func debounce() {
	timer := time.NewTimer(time.Minute)
	changes := make(chan int)
	loop := func() {
		for {
			select {
			case <-timer.C:
			case _, ok := <-changes:
				if !ok {
					return
				}
				if !timer.Stop() && !mended {
					<-timer.C
				}
				timer.Reset(time.Minute)
			}
		}
	}
	together(loop, func() { time.Sleep(time.Second); changes <- 1; close(changes) })
}

// aborted is a timer's function that returns with the lock held where it came too late (of the shape of
// grpc#3017, double locking).
func aborted() {
	var mu sync.Mutex
	abort, fired := false, make(chan int, 1)
	mu.Lock()
	timer := time.AfterFunc(time.Minute, func() {
		defer func() { fired <- 1 }()
		mu.Lock()
		if abort && !mended {
			return
		}
		mu.Unlock()
	})
	mu.Unlock()
	time.Sleep(time.Minute)
	mu.Lock()
	abort = !timer.Stop()
	mu.Unlock()
	if abort {
		<-fired
	}
	mu.Lock()
	mu.Unlock()
}
