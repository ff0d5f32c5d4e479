package escapes

import (
	"flag"
	"fmt"
	"sync"
)

var n = flag.Int("n", 10, "")

var stored *int

//go:noinline
func captured() int {
	var x, alone int
	var wg sync.WaitGroup
	wg.Go(func() {
		for range 100 {
			x++
		}
	})
	wg.Wait()
	alone += x
	return alone
}

//go:noinline
func keep(p *int) { stored = p }

func addressed() {
	var y int
	keep(&y)
	for range 50 {
		y += *stored
	}
}

type pair struct{ a, b int32 }

//go:noinline
func structured() *pair {
	var z pair
	for i := range int32(20) {
		z.a += i
		z.b = z.a
	}
	return &z
}

//go:noinline
func parameter(p int) *int {
	for range 10 {
		p += p
	}
	return &p
}

func stays(v *int) int { // inlined, its variable is not on the heap
	var here int
	for range 10 {
		here++
	}
	p := &here
	return *p + *v
}

//go:noinline
func array() []int {
	var v [100]int
	for i := range v {
		v[i] = i
	}
	return v[:]
}

//go:noinline
func flags() (s int) {
	for range 30 {
		s += *n
	}
	return s
}

func Main() {
	addressed()
	i := 1
	fmt.Println(captured(), *structured(), *parameter(3), len(array()), flags(), stays(&i))
}
