package gotrace

import "testing"

// Local variables that the compiler moves to the heap are data; so is what a library's pointer in a
// variable of a package leads to.
func TestVariablesThatEscape(t *testing.T) {
	const text = `package main

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

func main() {
	flag.Parse()
	addressed()
	i := 1
	fmt.Println(captured(), *structured(), *parameter(3), len(array()), flags(), stays(&i))
}
`
	d, out, err := trace(t, Data, text, nil)
	if err != nil || out != "100 {190 190} 3072 100 300 11\n" {
		t.Fatalf("%v, output %q", err, out)
	}
	for name, want := range map[string]uint64{
		"main.captured.x":  101, // in the goroutine, and here
		"main.addressed.y": 50,
		"main.stored":      51,
		"main.pair.b":      20,
		"main.parameter.p": 21,
		"main.n":           30,
	} {
		if n := part(t, d.Objects, name).Accesses; n != want {
			t.Errorf("%s: %d accesses, expected %d", name, n, want)
		}
	}
	for name, want := range map[string][2]uint64{ // accesses, cold
		"main.captured.func1": {100, 1}, "main.captured": {1, 0}, "main.addressed": {150, 1},
		"main.structured": {60, 2}, "main.parameter": {21, 1}, "main.array": {100, 100},
		"main.flags": {60, 2},
	} {
		if f := part(t, d.Functions, name); f.Accesses != want[0] || f.Cold != want[1] {
			t.Errorf("%s: %d accesses, %d cold, expected %v", name, f.Accesses, f.Cold, want)
		}
	}
	if d.Accounts.Unknown != 0 || d.OddEvents != 0 {
		t.Errorf("%d unknown, %d odd", d.Accounts.Unknown, d.OddEvents)
	}
}

// What a literal says is stored; zeros that nobody wrote are not.
func TestInitialValues(t *testing.T) {
	const text = `package main

type pair struct {
	a int64
	p struct{ x, y int16 }
	b *int
}

var sink any

func fields() *pair   { return &pair{a: 1, p: struct{ x, y int16 }{2, 3}} } // 3 stores
func places() *pair   { return &pair{1, struct{ x, y int16 }{}, nil} }      // 4
func zeros() *pair    { return &pair{} }
func slice() []int32  { return []int32{1, 2, 3} } // 3
func keyed() []int32  { return []int32{7: 1} }    // left alone, and counted
//go:noinline
func array() *[5]int8 { return &[5]int8{1, 2} }   // 2
func value() *int     { return new(5) }           // 1
func zero() *int      { return new(int) }
func made() []int     { return make([]int, 100) }
func variables() *int {
	x, y := 1, 2
	var z, no = 3, 4
	_ = no // it is on the stack
	sink = [2]*int{&x, &z}
	return &y // 3, and that of sink
}

func main() {
	sink = fields()
	sink = places()
	sink = zeros()
	sink = slice()
	sink = keyed()
	sink = array()
	sink = value()
	sink = zero()
	sink = made()
	sink = variables()
}
`
	d, _, err := trace(t, Data, text, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]uint64{"main.fields": 3, "main.places": 4, "main.zeros": 0,
		"main.slice": 3, "main.keyed": 0, "main.array": 2, "main.value": 1, "main.zero": 0,
		"main.made": 0, "main.variables": 4} {
		n, cold := uint64(0), uint64(0)
		for _, p := range d.Functions {
			if p.Name == name {
				n, cold = p.Accesses, p.Cold
			}
		}
		if n != want || name != "main.variables" && cold != n {
			t.Errorf("%s: %d accesses, %d of them cold, expected %d", name, n, cold, want)
		}
	}
	if d.Accounts.Left != 1 || len(d.places(leftAccount)) != 1 || d.Accounts.Unknown != 0 ||
		d.OddEvents != 0 {
		t.Errorf("%d unknown, %d odd, left %+v", d.Accounts.Unknown, d.OddEvents, d.Places)
	}
}
