package main

import "sync"

// quiesced waits for tasks with the lock held that they need to end (of the shape of cockroach#1055, channel
// and wait group).
func quiesced() {
	var mu sync.Mutex
	var tasks sync.WaitGroup
	stop, running := make(chan int), 0
	draining := false
	task := func() {
		mu.Lock()
		if draining {
			mu.Unlock()
			return
		}
		tasks.Add(1)
		running++
		mu.Unlock()
		mu.Lock()
		running--
		tasks.Done()
		mu.Unlock()
		<-stop
	}
	together(task, func() {
		mu.Lock()
		draining = true
		if mended {
			mu.Unlock()
		}
		tasks.Wait()
		close(stop)
		if !mended {
			mu.Unlock()
		}
	})
}

// broadcasts waits for a loop with the lock held that the loop takes (of the shape of etcd#6873, channel and
// lock).
func broadcasts() {
	var mu sync.Mutex
	updates, done := make(chan int, 1), make(chan int)
	coalesce := func() {
		defer close(done)
		for range updates {
			mu.Lock()
			mu.Unlock()
		}
	}
	stop := func() {
		mu.Lock()
		close(updates)
		if mended {
			mu.Unlock()
		}
		<-done
		if !mended {
			mu.Unlock()
		}
	}
	together(coalesce, func() { updates <- 1; stop() })
}

// rounds waits for the leader with the lock held that the leader needs (of the shape of etcd#7902, channel and
// lock).
func rounds() {
	var mu sync.Mutex
	next := make(chan int)
	leader := func() { mu.Lock(); close(next); mu.Unlock() }
	follower := func() {
		if mended {
			<-next
		}
		mu.Lock()
		<-next
		mu.Unlock()
	}
	together(leader, follower, follower)
}

// balancer sends with the lock held that the receiver takes (of the shape of grpc#1353, channel and lock).
func balancer() {
	var mu sync.Mutex
	addresses := make(chan int)
	watch := func() {
		for range addresses {
			mu.Lock() // to tear the old ones down
			mu.Unlock()
		}
	}
	update := func() {
		for range 2 {
			mu.Lock()
			if mended {
				mu.Unlock()
			}
			addresses <- 1
			if !mended {
				mu.Unlock()
			}
		}
		close(addresses)
	}
	together(watch, update)
}

// health stops a monitor with the lock held that its probe takes (of the shape of moby#28462, channel and
// lock).
func health() {
	var mu sync.Mutex
	stop := make(chan int)
	monitor := func() {
		for range 2 {
			select {
			case <-stop:
				return
			default:
				mu.Lock()
				mu.Unlock()
			}
		}
		<-stop
	}
	change := func() {
		mu.Lock()
		if mended {
			mu.Unlock()
		}
		stop <- 1
		if !mended {
			mu.Unlock()
		}
	}
	together(monitor, change)
}

// breaker lets requests go on in an order that need not be that of their turns (of the shape of serving#2137,
// channel and lock).
func breaker() {
	var held [2]sync.Mutex
	active, accepted := make(chan int, 1), [2]chan int{make(chan int, 1), make(chan int, 1)}
	for i := range held {
		held[i].Lock()
		go func() {
			active <- i
			held[i].Lock()
			held[i].Unlock()
			<-active
			accepted[i] <- 1
		}()
	}
	if mended {
		held[1].Unlock()
	}
	held[0].Unlock()
	<-accepted[0]
	if !mended {
		held[1].Unlock()
	}
	<-accepted[1]
}

// eachWaited waits within the loop that starts what it waits for (of the shape of moby#25384, misuse of a wait
// group).
func eachWaited() {
	var mu sync.Mutex
	var plugins []int
	register := func() { mu.Lock(); plugins = append(plugins, 1); mu.Unlock() }
	start := func() {
		mu.Lock()
		list := plugins
		mu.Unlock()
		var group sync.WaitGroup
		group.Add(len(list))
		for range list {
			go group.Done()
			if !mended {
				group.Wait()
			}
		}
		group.Wait()
	}
	together(register, register, start)
}
