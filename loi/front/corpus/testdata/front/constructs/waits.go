package constructs

import (
	"context"
	"fmt"
	"iter"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

type gauge struct {
	atomic.Int64
	plain  int32
	value  atomic.Value
	typed  atomic.Pointer[node]
	nested struct{ flag atomic.Bool }
	many   [3]atomic.Uint32
	mu     sync.Mutex
	sync.RWMutex
}

func (g *gauge) self() *gauge { fmt.Print("self "); return g }

var (
	gauges  = map[string]*gauge{"a": {}}
	shared1 gauge
	raw     unsafe.Pointer
)

type truth bool

func atomics() {
	g := &gauge{}
	g.Store(3)
	g.Add(int64(side("add")))
	fmt.Println(g.Load(), g.CompareAndSwap(6, 8), g.Swap(9), g.And(13), g.Or(2))
	fmt.Println(atomic.AddInt32(&g.plain, 4), atomic.LoadInt32(&g.plain), atomic.SwapInt32(&g.plain, 1))
	fmt.Println(atomic.CompareAndSwapInt32(&g.self().plain, int32(side("old")), 5))
	atomic.StoreInt32(&gauges["a"].self().plain, int32(side("stored")))
	g.value.Store("text")
	fmt.Println(g.value.Load().(string)[1:], g.value.CompareAndSwap("text", "other"), g.value.Swap("x"))
	g.typed.Store(&node{value: 7})
	g.typed.Load().value++
	fmt.Println(g.typed.Load().value, g.typed.
		Load().next == nil)
	g.nested.flag.Store(true)
	for i := range g.many {
		g.many[(i+1)%3].Add(uint32(i))
	}
	fmt.Println(g.nested.flag.Load(), g.many[0].Load()+g.many[1].Load()*g.many[2].Load())
	atomic.StorePointer(&raw, unsafe.Pointer(g))
	fmt.Println((*gauge)(atomic.LoadPointer(&raw)) == g)
	if g.Load() > 1 && !g.nested.flag.CompareAndSwap(false, true) {
		fmt.Println("both")
	}
	add := g.Add
	fmt.Println(add(1), (*atomic.Int64).Add(&g.Int64, 1))
	defer fmt.Println("deferred", g.Load())
	defer g.Store(1)
	local := atomic.Int32{}
	local.Store(2)
	fmt.Println(local.Add(2), onlyLoads(g))
	var none *gauge
	fmt.Println(none.Load())
}

// onlyLoads has nothing else to record.
func onlyLoads(g *gauge) int64 {
	for g.Load() < 1 {
	}
	return g.Load()
}

func waits() {
	c, closed := make(chan int, 2), make(chan string)
	var nothing chan int
	go func() {
		defer close(closed)
		for i := range 5 {
			c <- i
		}
		close(c)
	}()
	sum := 0
	for x := range c {
		sum += x
	}
	x, ok := <-c
	s, more := <-closed
	fmt.Println(sum, x, ok, s, more, len(c), cap(c))
	select {
	case nothing <- 1:
	case <-nothing:
	default:
		fmt.Println("default")
	}
	select {
	case y, ok := <-c:
		fmt.Println(y, ok)
	case <-time.After(time.Minute):
	}
	timer := time.NewTimer(time.Hour)
	timer.Reset(time.Millisecond)
	<-timer.C
	fired := make(chan bool)
	time.AfterFunc(time.Microsecond, func() { fired <- true })
	fmt.Println(<-fired)
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	<-ctx.Done()
	cancel()
	fmt.Println(ctx.Err(), shared1.mu.TryLock(), shared1.mu.TryLock())
	shared1.mu.Unlock()
	shared1.RLock()
	fmt.Println(shared1.TryRLock(), shared1.TryLock())
	shared1.RUnlock()
	shared1.RUnlock()
	fmt.Println(shared1.TryLock())
	shared1.Unlock()
	var all sync.WaitGroup
	var once sync.Once
	total := make([]int, 4)
	cond, turn := sync.NewCond(&shared1.mu), 0
	for i := range 4 {
		all.Go(func() {
			once.Do(func() { fmt.Println("once") })
			shared1.mu.Lock()
			for turn != i {
				cond.Wait()
			}
			turn++
			fmt.Print(i, " ")
			cond.Broadcast()
			cond.Signal()
			shared1.mu.Unlock()
			shared1.RLock()
			total[i] = i
			shared1.RUnlock()
			runtime.Gosched()
		})
	}
	all.Wait()
	func() {
		defer func() { fmt.Println(recover()) }()
		var failing sync.Once
		defer failing.Do(func() { fmt.Println("never") })
		failing.Do(func() { panic("in once") })
	}()
	next, stop := iter.Pull(func(yield func(int) bool) {
		defer fmt.Println("stopped")
		for i := 0; yield(i); i++ {
		}
	})
	a, _ := next()
	b, _ := next()
	stop()
	_, ok = next()
	fmt.Println(total, a, b, ok)
	defer func() { fmt.Println(recover()) }()
	close(c)
}

// left returns in every place, from loops of every kind.
func left(n int) (a int, b string, c truth) {
	defer func() {
		if n%5 == 4 {
			recover()
			a = -a
		}
	}()
	for i := range 3 {
		for range upwards(4) {
			switch {
			case n == 1 && i == 1:
				return i, "switch", n > 0
			case n == 2:
				goto out
			case n == 4:
				a = 4
				panic("left")
			}
			select {
			case <-make(chan int):
			default:
				if n == 3 && i == 2 {
					return givenBack(n)
				}
			}
		}
	}
	return n,
		"end", n<<1 > 0
out:
	if n > 1 {
		return a + 1<<n, "out", !c
	}
	return
}

func givenBack(n int) (int, string, truth) { return n, fmt.Sprint(n), n > 2 }

func upwards(n int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for i := range n {
			if !yield(i) {
				fmt.Print("left ")
				return
			}
		}
	}
}

func (g *gauge) bits(n uint) uint64      { return 1<<n | uint64(g.plain) }
func (g *gauge) less(n int32) truth      { return g.plain < n }
func (g *gauge) self2() (*gauge, error)  { return g.self(), nil }
func (g *gauge) function() func() *gauge { return g.self }
func either[T any](ok bool, a, b T) T {
	if ok {
		return a
	}
	return b
}

func leaving() {
	for n := range 6 {
		fmt.Println(left(n))
	}
	g := &gauge{plain: 2}
	_, err := g.self2()
	fmt.Println(g.bits(3), g.less(3), err, g.function()() == g, either(g.less(1) == true, 1.5, 2), either[any](true, g.bits, nil) != nil)
	for i := range upwards(3) {
		defer fmt.Println("deferred in a loop", i)
		for j := range upwards(3) {
			if j == 1 {
				break
			}
		}
	}
}
