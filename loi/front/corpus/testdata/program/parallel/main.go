package parallel

import (
	"flag"
	"iter"
	"sync"
	"sync/atomic"
)

var _, _, _ any = iter.Pull[int], (*sync.Mutex)(nil), (*atomic.Bool)(nil)

//go:noinline
func heap() *int { return new(int) }

//go:noinline
func work(p *int, n int) {
	for range n {
		*p++
	}
}

func producerAndConsumer() {
	c, done := make(chan int, 0), make(chan bool)
	go func() {
		own := heap()
		for range c {
			work(own, 5)
		}
		done <- true
	}()
	own := heap()
	for i := range 10 {
		work(own, 3)
		c <- i
	}
	close(c)
	<-done
}

func producerAndConsumerWithRoom() {
	c, done := make(chan int, 10), make(chan bool)
	go func() {
		own := heap()
		for range c {
			work(own, 2)
		}
		done <- true
	}()
	own := heap()
	for i := range 10 {
		work(own, 3)
		c <- i
	}
	close(c)
	<-done
}

func pipeline() {
	first := make(chan int)
	from := first
	for _, n := range [...]int{2, 3, 2, 1} {
		to := make(chan int)
		go func(in, out chan int) {
			own := heap()
			for x := range in {
				work(own, n)
				out <- x
			}
			close(out)
		}(from, to)
		from = to
	}
	go func() {
		own := heap()
		for i := range 20 {
			work(own, 1)
			first <- i
		}
		close(first)
	}()
	for range from {
	}
}

func forkAndJoin() {
	own, all := heap(), new(sync.WaitGroup)
	work(own, 10)
	for i := range 8 {
		all.Go(func() { work(heap(), 7*(i+1)) })
	}
	work(own, 5)
	all.Wait()
	work(own, 10)
}

func convoy() {
	shared, lock, all := heap(), new(sync.Mutex), new(sync.WaitGroup)
	for range 4 {
		all.Go(func() {
			work(heap(), 6)
			for range 10 {
				lock.Lock()
				work(shared, 3)
				lock.Unlock()
			}
		})
	}
	all.Wait()
}

type box struct {
	name string
	atomic.Int64
}

func made(p *int) int64 { work(p, 20); return 1 }

func atomicStoreOfWhatACallMakes() {
	var b box
	own, done := heap(), make(chan bool)
	go func() {
		for b.Int64.Load() == 0 {
		}
		work(heap(), 30)
		done <- true
	}()
	b.Store(made(own))
	<-done
}

func readersAndAWriter() {
	lock, all := new(sync.RWMutex), new(sync.WaitGroup)
	begun := make(chan bool)
	for range 4 {
		all.Go(func() {
			lock.RLock()
			begun <- true
			work(heap(), 5)
			lock.RUnlock()
		})
	}
	for range 4 {
		<-begun
	}
	lock.Lock()
	work(heap(), 7)
	lock.Unlock()
	all.Wait()
}

func ready() {
	ready := new(atomic.Bool)
	go func() {
		work(heap(), 20)
		ready.Store(true)
		work(heap(), 1)
	}()
	own := heap()
	work(own, 4)
	for !ready.Load() {
	}
	work(own, 30)
}

func coroutine() {
	next, stop := iter.Pull(func(yield func(int) bool) {
		own := heap()
		for {
			work(own, 2)
			if !yield(1) {
				return
			}
		}
	})
	own := heap()
	for range 6 {
		next()
		work(own, 3)
	}
	stop()
}

func Main() {
	switch flag.Arg(1) {
	case "producer and consumer":
		producerAndConsumer()
	case "producer and consumer with room":
		producerAndConsumerWithRoom()
	case "pipeline":
		pipeline()
	case "fork and join":
		forkAndJoin()
	case "convoy":
		convoy()
	case "atomic store of what a call makes":
		atomicStoreOfWhatACallMakes()
	case "readers and a writer":
		readersAndAWriter()
	case "flag":
		ready()
	case "coroutine":
		coroutine()
	}
}
