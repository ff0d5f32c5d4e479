package contended

import (
	"os"
	"runtime"
	"sync"
)

type near struct{ a, b int }

type far struct {
	a int
	_ [56]byte
	b int
}

// Data of their own are on one line, or are not; or all have the same datum, one at a time or not.
func Main() {
	runtime.GOMAXPROCS(4)
	const n = 200_000
	switch os.Args[2] {
	case "fields":
		x := new(near)
		both(func() { x.countA(n) }, func() { x.countB(n) })
	case "fieldsapart":
		x := new(far)
		both(func() { count(&x.a, n) }, func() { count(&x.b, n) })
	case "elements":
		v := make([]int, 8)
		both(func() { fill(v, 0, n) }, func() { fill(v, 1, n) })
	case "elementsapart":
		v := make([]int, 32)
		both(func() { fill(v, 0, n) }, func() { fill(v, 16, n) })
	case "same":
		x := new(near)
		both(func() { locked(x, n/4) }, func() { locked(x, n/4) })
	case "handed":
		x, to, back := new(near), make(chan *near), make(chan *near)
		both(func() {
			for range 50 {
				count(&x.a, 1000)
				to <- x
				x = <-back
			}
		}, func() {
			for range 50 {
				y := <-to
				count(&y.b, 1000)
				back <- y
			}
		})
	case "read":
		v := make([]int, 8)
		fill(v, 0, n)
		both(func() { sum(v, n) }, func() { sum(v, n) })
	case "once":
		v := make([]int, 8)
		for i := range v {
			both(func() { fill(v, i, n/8) }, func() {})
		}
	}
}

func both(f, g func()) {
	var all, begun sync.WaitGroup
	begun.Add(2)
	for _, f := range []func(){f, g} {
		all.Go(func() {
			begun.Done()
			begun.Wait()
			f()
		})
	}
	all.Wait()
}

func count(p *int, n int) {
	for i := range n {
		*p += i
	}
}

// Calls have each access come by itself; a loop without any comes as one.
func fill(v []int, at, n int) {
	for i := range n {
		add(v, at, i)
	}
}

//go:noinline
func add(v []int, at, i int) { v[at] += i }

func (x *near) countA(n int) {
	for i := range n {
		x.addA(i)
	}
}

//go:noinline
func (x *near) addA(i int) { x.a += i }

func (x *near) countB(n int) {
	for i := range n {
		x.addB(i)
	}
}

//go:noinline
func (x *near) addB(i int) { x.b += i }

var mutex sync.Mutex

func locked(x *near, n int) {
	for i := range n {
		mutex.Lock()
		x.a += i
		mutex.Unlock()
	}
}

func sum(v []int, n int) (s int) {
	for i := range n {
		s += v[i%8]
	}
	return s
}
