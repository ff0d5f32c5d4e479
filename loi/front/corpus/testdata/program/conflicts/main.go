// Package conflicts has the shapes of data races in public Go programs, as collections of them sort them
// (GoKer and GoBench, Yuan and others, CGO 2021; Chabbi and Ramanathan, PLDI 2022), each written anew.
//
// Each case has conflicts, or is mended and has none. The lines whose accesses are in a conflict end in
// "// races"; "of go test -race" and "of explore" where the other does not see them, "by locks" where the
// order in which a lock is acquired hides them from go test -race. Cases run one after the other. What a
// gate orders in time no operation orders.
package conflicts

import (
	"flag"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

// A gate lets one goroutine wait for another by system calls, which order nothing for Go.
type gate [2]int

func newGate() (g gate) {
	if err := syscall.Pipe(g[:]); err != nil {
		panic(err)
	}
	return g
}

func (g gate) open() {
	b := [1]byte{}
	syscall.Syscall(syscall.SYS_WRITE, uintptr(g[1]), uintptr(unsafe.Pointer(&b)), 1)
}

func (g gate) pass() {
	b := [1]byte{}
	syscall.Syscall(syscall.SYS_READ, uintptr(g[0]), uintptr(unsafe.Pointer(&b)), 1)
}

// both runs functions as goroutines until all have ended.
func both(f ...func()) {
	var wg sync.WaitGroup
	for _, f := range f {
		wg.Go(f)
	}
	wg.Wait()
}

// either locks if that is asked for, and returns what unlocks.
func either(m bool, l sync.Locker) func() {
	if !m {
		return func() {}
	}
	l.Lock()
	return l.Unlock
}

type cell struct{ n, other int }

var sink atomic.Int64

func use(n int) { sink.Add(int64(n)) }

var cases = []struct {
	name string
	run  func(mended bool)
}{
	{"loop variable", loopVariable}, {"counter", counter}, {"map, one key", oneKey}, {"map, two keys", twoKeys},
	{"double-checked locking", doubleChecked}, {"no wait", noWait}, {"Add inside the goroutine", addInside},
	{"send beside close", sendClose}, {"write under a read lock", readLock}, {"two Onces", twoOnces},
	{"append", appending}, {"atomic and plain", mixed}, {"error variable", errorVariable},
	{"named result", namedResult}, {"two locks", twoLocks}, {"buffered signal", buffered},
	{"semaphore the wrong way", semaphore}, {"flag", flagged}, {"published pointer", published},
	{"singleton", singleton}, {"timer", timer}, {"start by a timer", timerStart}, {"state beside close", stateClose}, {"append beside range", ranging},
	{"read without the lock", partly}, {"unlocked too early", early}, {"condition outside its lock", condition},
	{"given back too early", pooled}, {"changed after it was sent", sent}, {"hidden by a lock", hidden},
	{"same index", sameIndex}, {"Done too early", doneEarly}, {"copy of a lock", copied},
}

// Main runs the cases with conflicts, or the mended ones.
func Main() {
	for _, c := range cases {
		c.run(flag.Arg(1) == "mended")
	}
}

func loopVariable(m bool) {
	var wg sync.WaitGroup
	var i int
	for i = 0; i < 2; i++ { // races
		j := &i
		if m {
			j = &[]int{i}[0]
		}
		wg.Go(func() {
			use(*j) // races
		})
	}
	wg.Wait()
}

func counter(m bool) {
	c, mu := new(cell), new(sync.Mutex)
	add := func() {
		defer either(m, mu)()
		c.n++ // races
	}
	both(add, add)
}

func oneKey(m bool) {
	all, mu, g := map[string]int{}, new(sync.Mutex), newGate()
	set := func(n int) {
		defer either(m, mu)()
		all["a"] = n // races
	}
	both(func() { set(1); g.open() }, func() { g.pass(); set(2) })
}

func twoKeys(m bool) {
	all, mu, g := map[string]int{"a": 1, "b": 2}, new(sync.Mutex), newGate()
	set := func(key string) {
		defer either(m, mu)()
		all[key] = 3 // races
	}
	both(func() { set("a"); g.open() }, func() { g.pass(); set("b") })
}

func doubleChecked(m bool) {
	var made *cell
	mu, g := new(sync.Mutex), newGate()
	get := func() *cell {
		if !m && made != nil { // races
			return made // races of explore
		}
		mu.Lock()
		defer mu.Unlock()
		if made == nil {
			made = &cell{n: 1} // races
		}
		return made
	}
	both(func() { get(); g.open() }, func() { g.pass(); use(get().n) }) // races
}

func noWait(m bool) {
	c, done, g := new(cell), make(chan bool, 1), newGate()
	go func() {
		c.n = 1 // races
		g.open()
		done <- true
	}()
	if m {
		<-done
	}
	g.pass()
	use(c.n) // races
}

func addInside(m bool) {
	c, waited, ended := new(cell), newGate(), newGate()
	var wg sync.WaitGroup
	if m {
		wg.Add(1)
	}
	go func() {
		if !m {
			waited.pass()
			wg.Add(1)
		}
		c.n = 1 // races
		wg.Done()
		ended.open()
	}()
	wg.Wait()
	use(c.n) // races
	waited.open()
	ended.pass()
}

func sendClose(m bool) {
	c, g := make(chan int, 1), newGate()
	both(func() {
		c <- 1 // races of go test -race
		g.open()
	}, func() {
		if m {
			<-c
		}
		g.pass()
		close(c) // races of go test -race
	})
}

func readLock(m bool) {
	c, mu := new(cell), new(sync.RWMutex)
	add := func() {
		if m {
			mu.Lock()
			defer mu.Unlock()
		} else {
			mu.RLock()
			defer mu.RUnlock()
		}
		c.n++ // races
	}
	both(add, add)
}

func twoOnces(m bool) {
	var one, other sync.Once
	second := &other
	if m {
		second = &one
	}
	c := new(cell)
	set := func() {
		c.n++ // races
	}
	both(func() { one.Do(set) }, func() { second.Do(set) })
}

func appending(m bool) {
	mu, g := new(sync.Mutex), newGate()
	list := make([]int, 0, 4)
	add := func(n int) {
		defer either(m, mu)()
		list = append(list, n) // races
	}
	both(func() { add(1); g.open() }, func() { g.pass(); add(2) })
}

func mixed(m bool) {
	n := new(int64)
	both(func() {
		atomic.StoreInt64(n, 1) // go test -race prints no line of it
	}, func() {
		if m {
			use(int(atomic.LoadInt64(n)))
		} else {
			use(int(*n)) // races of go test -race
		}
	})
}

func errorVariable(m bool) {
	var err, own error
	both(func() {
		err = syscall.EIO // races
	}, func() {
		if m {
			own = syscall.EPERM
		} else {
			err = syscall.EPERM // races
		}
	})
	if err == nil && own == nil {
		panic("neither failed")
	}
}

func namedResult(m bool) {
	g := newGate()
	f := func() (n int) {
		done := make(chan bool, 1)
		go func() {
			n = 1 // races of go test -race
			g.open()
			done <- true
		}()
		if m {
			<-done
		}
		return 2 // races of go test -race
	}
	use(f())
	g.pass()
}

func twoLocks(m bool) {
	c, one, other := new(cell), new(sync.Mutex), new(sync.Mutex)
	if m {
		other = one
	}
	add := func(mu *sync.Mutex) {
		mu.Lock()
		c.n++ // races
		mu.Unlock()
	}
	both(func() { add(one) }, func() { add(other) })
}

func buffered(m bool) {
	c, done, g := new(cell), make(chan bool, 1), newGate()
	both(func() {
		if m {
			c.n = 1
		}
		done <- true
		if !m {
			c.n = 1 // races
		}
		g.open()
	}, func() {
		<-done
		g.pass()
		use(c.n) // races
	})
}

func semaphore(m bool) {
	c, tokens, g := new(cell), make(chan bool, 2), newGate()
	if m {
		tokens <- true
	}
	add := func() {
		tokens <- true // there is room for both, unless it is mended
		c.n++          // races
		<-tokens
	}
	both(func() { add(); g.open() }, func() { g.pass(); add() })
}

func flagged(m bool) {
	c, ready, g := new(cell), new(atomic.Bool), newGate()
	both(func() {
		c.other = 1 // races
		if m {
			ready.Store(true)
		} else {
			c.n = 1 // races
		}
		g.open()
	}, func() {
		g.pass()
		if m && ready.Load() || !m && c.n == 1 { // races
			use(c.other) // races
		}
	})
}

func published(m bool) {
	var plain *cell
	var safe atomic.Pointer[cell]
	g := newGate()
	both(func() {
		x := &cell{n: 1} // races
		if m {
			safe.Store(x)
		} else {
			plain = x // races
		}
		g.open()
	}, func() {
		g.pass()
		x := safe.Load()
		if !m {
			x = plain // races
		}
		use(x.n) // races
	})
}

func singleton(m bool) {
	var made *cell
	var once sync.Once
	get := func() {
		if made == nil { // races
			made = new(cell) // races
		}
	}
	safe := func() {
		if m {
			once.Do(get)
		} else {
			get()
		}
	}
	both(safe, safe)
}

func timer(m bool) {
	c, mu, g := new(cell), new(sync.Mutex), newGate()
	time.AfterFunc(0, func() {
		u := either(m, mu)
		c.n = 1 // races
		u()
		g.open()
	})
	g.pass()
	defer either(m, mu)()
	use(c.n) // races
}

func timerStart(bool) {
	c, fired := &cell{n: 1}, make(chan bool)
	t := time.AfterFunc(0, func() {
		use(c.n)
		fired <- true
	})
	<-fired
	c.n = 2
	t.Reset(0)
	<-fired
}

func stateClose(m bool) {
	c, closed, g := new(cell), make(chan bool), newGate()
	both(func() {
		if m {
			c.n = 1
		}
		close(closed)
		if !m {
			c.n = 1 // races
		}
		g.open()
	}, func() {
		<-closed
		g.pass()
		use(c.n) // races
	})
}

func ranging(m bool) {
	mu, g := new(sync.Mutex), newGate()
	list := make([]int, 1, 4)
	both(func() {
		defer g.open()
		defer either(m, mu)()
		list = append(list, 2) // races
	}, func() {
		g.pass()
		defer either(m, mu)()
		for _, n := range list { // races
			use(n)
		}
	})
}

func partly(m bool) {
	c, mu := new(cell), new(sync.Mutex)
	both(func() {
		mu.Lock()
		c.n++ // races
		mu.Unlock()
	}, func() {
		defer either(m, mu)()
		use(c.n) // races
	})
}

func early(m bool) {
	c, mu := new(cell), new(sync.Mutex)
	add := func() {
		mu.Lock()
		if m {
			c.n++
		}
		mu.Unlock()
		if !m {
			c.n++ // races
		}
	}
	g := newGate()
	both(func() { g.pass(); add() }, func() { add(); g.open() })
}

func condition(m bool) {
	c, mu := new(cell), new(sync.Mutex)
	cond := sync.NewCond(mu)
	both(func() {
		u := either(m, mu)
		c.n = 1 // races
		u()
		cond.Broadcast()
	}, func() {
		mu.Lock()
		defer mu.Unlock()
		use(c.n) // races
	})
}

func pooled(m bool) {
	free, g := make(chan *cell, 1), newGate()
	free <- new(cell)
	both(func() {
		x := <-free
		if m {
			x.n = 1
		}
		free <- x
		if !m {
			x.n = 1 // races
		}
		g.open()
	}, func() {
		g.pass()
		use((<-free).n) // races
	})
}

func sent(m bool) {
	c, g := make(chan *cell, 1), newGate()
	both(func() {
		x := &cell{n: 1}
		c <- x
		if m {
			x = new(cell)
		}
		x.n = 2 // races
		g.open()
	}, func() {
		g.pass()
		use((<-c).n) // races
	})
}

func hidden(m bool) {
	c, mu, g := new(cell), new(sync.Mutex), newGate()
	both(func() {
		if !m {
			c.n++ // races by locks
		}
		mu.Lock()
		c.other++ // races by locks
		if m {
			c.n++
		}
		mu.Unlock()
		g.open()
	}, func() {
		g.pass()
		mu.Lock()
		c.other++ // races by locks
		c.n++     // races by locks
		mu.Unlock()
	})
}

func sameIndex(m bool) {
	results := make([]int, 2)
	work := func(i int) func() {
		if !m {
			i = 0
		}
		return func() {
			results[i] = 1 // races
		}
	}
	both(work(0), work(1))
}

func doneEarly(m bool) {
	c, g := new(cell), newGate()
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		if m {
			c.n = 1
		}
		wg.Done()
		if !m {
			c.n = 1 // races
		}
		g.open()
	}()
	wg.Wait()
	g.pass()
	use(c.n) // races
}

type locked struct {
	sync.Mutex
	n *int
}

func copied(m bool) {
	one := &locked{n: new(int)}
	other := &locked{n: one.n}
	if m {
		other = one
	}
	add := func(l *locked) {
		l.Lock()
		*l.n++ // races
		l.Unlock()
	}
	both(func() { add(one) }, func() { add(other) })
}
