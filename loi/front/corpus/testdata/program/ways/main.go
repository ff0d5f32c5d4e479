// Package ways allocates in all forms of expressions that do, in statements that evaluate them in
// different orders. Of what a line with a comment allocates on the heap something is accessed.
package ways

type (
	box struct {
		s, t []int
		n    int
	}
	outer struct {
		b box
		p *box
	}
	list []int
)

var (
	keep  []int
	runes []rune
	w     int
	text  = "a string of more than 32 bytes, which are on the stack"
)

func touch(x []int) {
	for i := range x {
		x[i]++
	}
}

func touch2(x []int, _ int) {
	keep = x
	touch(x)
}

func call(n int) int { return n }

func many(x ...int) []int { return x }

func ints(x []rune) []int {
	runes = x
	x[0]++
	return nil
}

func Main() {
	one := 1
	all(&one)
}

func all(n *int) {
	s, c, m, mm := make([]int, 4), make(chan []int, 1), map[int]int{}, map[int][]int{}

	// make
	keep = make([]int, *n+30) // made
	touch(keep)
	keep, w = make([]int, *n+30), m[*n] // made
	touch(keep)
	touch2(make([]int, *n+30), call(*n))                                    // made
	keep, w = func() ([]int, int) { return make([]int, *n+30), call(*n) }() // made
	touch(keep)
	mm[*n] = make([]int, *n+30) // made
	touch(mm[*n])
	c <- make([]int, *n+30) // made
	touch(<-c)

	// make with a capacity
	keep = make([]int, *n+30, *n+90) // made
	touch(keep)
	keep, w = make([]int, *n+30, *n+90), m[*n] // made
	touch(keep)
	touch2(make([]int, *n+30, *n+90), call(*n))                                    // made
	keep, w = func() ([]int, int) { return make([]int, *n+30, *n+90), call(*n) }() // made
	touch(keep)
	mm[*n] = make([]int, *n+30, *n+90) // made
	touch(mm[*n])
	c <- make([]int, *n+30, *n+90) // made
	touch(<-c)

	// literal of a slice
	keep = []int{*n, 2, 3} // made
	touch(keep)
	keep, w = []int{*n, 2, 3}, m[*n] // made
	touch(keep)
	touch2([]int{*n, 2, 3}, call(*n))                                    // made
	keep, w = func() ([]int, int) { return []int{*n, 2, 3}, call(*n) }() // made
	touch(keep)
	mm[*n] = []int{*n, 2, 3} // made
	touch(mm[*n])
	c <- []int{*n, 2, 3} // made
	touch(<-c)

	// append
	keep = append([]int(nil), *n, 2, 3) // made
	touch(keep)
	keep, w = append([]int(nil), *n, 2, 3), m[*n] // made
	touch(keep)
	touch2(append([]int(nil), *n, 2, 3), call(*n))                                    // made
	keep, w = func() ([]int, int) { return append([]int(nil), *n, 2, 3), call(*n) }() // made
	touch(keep)
	mm[*n] = append([]int(nil), *n, 2, 3) // made
	touch(mm[*n])
	c <- append([]int(nil), *n, 2, 3) // made
	touch(<-c)

	// append that grows
	keep = append(s[:1:1], *n, *n) // made
	touch(keep)
	keep, w = append(s[:1:1], *n, *n), m[*n] // made
	touch(keep)
	touch2(append(s[:1:1], *n, *n), call(*n))                                    // made
	keep, w = func() ([]int, int) { return append(s[:1:1], *n, *n), call(*n) }() // made
	touch(keep)
	mm[*n] = append(s[:1:1], *n, *n) // made
	touch(mm[*n])
	c <- append(s[:1:1], *n, *n) // made
	touch(<-c)

	// new
	keep = (*new([4]int))[:] // made
	touch(keep)
	keep, w = (*new([4]int))[:], m[*n] // made
	touch(keep)
	touch2((*new([4]int))[:], call(*n))                                    // made
	keep, w = func() ([]int, int) { return (*new([4]int))[:], call(*n) }() // made
	touch(keep)
	mm[*n] = (*new([4]int))[:] // made
	touch(mm[*n])
	c <- (*new([4]int))[:] // made
	touch(<-c)

	// pointer to a literal
	keep = (&[4]int{*n})[:] // made
	touch(keep)
	keep, w = (&[4]int{*n})[:], m[*n] // made
	touch(keep)
	touch2((&[4]int{*n})[:], call(*n))                                    // made
	keep, w = func() ([]int, int) { return (&[4]int{*n})[:], call(*n) }() // made
	touch(keep)
	mm[*n] = (&[4]int{*n})[:] // made
	touch(mm[*n])
	c <- (&[4]int{*n})[:] // made
	touch(<-c)

	// field of a literal
	keep = (&box{s: make([]int, *n+30), n: *n}).s // made
	touch(keep)
	keep, w = (&box{s: make([]int, *n+30), n: *n}).s, m[*n] // made
	touch(keep)
	touch2((&box{s: make([]int, *n+30), n: *n}).s, call(*n))                                    // made
	keep, w = func() ([]int, int) { return (&box{s: make([]int, *n+30), n: *n}).s, call(*n) }() // made
	touch(keep)
	mm[*n] = (&box{s: make([]int, *n+30), n: *n}).s // made
	touch(mm[*n])
	c <- (&box{s: make([]int, *n+30), n: *n}).s // made
	touch(<-c)

	// two fields of a literal
	keep = (&box{s: make([]int, *n+30), t: make([]int, *n+40)}).t // made
	touch(keep)
	keep, w = (&box{s: make([]int, *n+30), t: make([]int, *n+40)}).t, m[*n] // made
	touch(keep)
	touch2((&box{s: make([]int, *n+30), t: make([]int, *n+40)}).t, call(*n))                                    // made
	keep, w = func() ([]int, int) { return (&box{s: make([]int, *n+30), t: make([]int, *n+40)}).t, call(*n) }() // made
	touch(keep)
	mm[*n] = (&box{s: make([]int, *n+30), t: make([]int, *n+40)}).t // made
	touch(mm[*n])
	c <- (&box{s: make([]int, *n+30), t: make([]int, *n+40)}).t // made
	touch(<-c)

	// literal in a literal
	keep = (&outer{b: box{s: make([]int, *n+30)}, p: &box{t: make([]int, *n+30)}}).p.t // made
	touch(keep)
	keep, w = (&outer{b: box{s: make([]int, *n+30)}, p: &box{t: make([]int, *n+30)}}).p.t, m[*n] // made
	touch(keep)
	touch2((&outer{b: box{s: make([]int, *n+30)}, p: &box{t: make([]int, *n+30)}}).p.t, call(*n)) // made
	keep, w = func() ([]int, int) {
		return (&outer{b: box{s: make([]int, *n+30)}, p: &box{t: make([]int, *n+30)}}).p.t, call(*n) // made
	}()
	touch(keep)
	mm[*n] = (&outer{b: box{s: make([]int, *n+30)}, p: &box{t: make([]int, *n+30)}}).p.t // made
	touch(mm[*n])
	c <- (&outer{b: box{s: make([]int, *n+30)}, p: &box{t: make([]int, *n+30)}}).p.t // made
	touch(<-c)

	// literal that is no pointer
	keep = box{s: make([]int, *n+30), t: make([]int, *n+40)}.t // made
	touch(keep)
	keep, w = box{s: make([]int, *n+30), t: make([]int, *n+40)}.t, m[*n] // made
	touch(keep)
	touch2(box{s: make([]int, *n+30), t: make([]int, *n+40)}.t, call(*n))                                    // made
	keep, w = func() ([]int, int) { return box{s: make([]int, *n+30), t: make([]int, *n+40)}.t, call(*n) }() // made
	touch(keep)
	mm[*n] = box{s: make([]int, *n+30), t: make([]int, *n+40)}.t // made
	touch(mm[*n])
	c <- box{s: make([]int, *n+30), t: make([]int, *n+40)}.t // made
	touch(<-c)

	// elements of a literal
	keep = [][]int{make([]int, *n+30), make([]int, *n+40)}[0] // made
	touch(keep)
	keep, w = [][]int{make([]int, *n+30), make([]int, *n+40)}[0], m[*n] // made
	touch(keep)
	touch2([][]int{make([]int, *n+30), make([]int, *n+40)}[0], call(*n))                                    // made
	keep, w = func() ([]int, int) { return [][]int{make([]int, *n+30), make([]int, *n+40)}[0], call(*n) }() // made
	touch(keep)
	mm[*n] = [][]int{make([]int, *n+30), make([]int, *n+40)}[0] // made
	touch(mm[*n])
	c <- [][]int{make([]int, *n+30), make([]int, *n+40)}[0] // made
	touch(<-c)

	// entry of a literal
	keep = map[string][]int{"a": make([]int, *n+30)}["a"] // made
	touch(keep)
	keep, w = map[string][]int{"a": make([]int, *n+30)}["a"], m[*n] // made
	touch(keep)
	touch2(map[string][]int{"a": make([]int, *n+30)}["a"], call(*n))                                    // made
	keep, w = func() ([]int, int) { return map[string][]int{"a": make([]int, *n+30)}["a"], call(*n) }() // made
	touch(keep)
	mm[*n] = map[string][]int{"a": make([]int, *n+30)}["a"] // made
	touch(mm[*n])
	c <- map[string][]int{"a": make([]int, *n+30)}["a"] // made
	touch(<-c)

	// conversion
	keep = []int(list(make([]int, *n+30))) // made
	touch(keep)
	keep, w = []int(list(make([]int, *n+30))), m[*n] // made
	touch(keep)
	touch2([]int(list(make([]int, *n+30))), call(*n))                                    // made
	keep, w = func() ([]int, int) { return []int(list(make([]int, *n+30))), call(*n) }() // made
	touch(keep)
	mm[*n] = []int(list(make([]int, *n+30))) // made
	touch(mm[*n])
	c <- []int(list(make([]int, *n+30))) // made
	touch(<-c)

	// interface
	keep = any(make([]int, *n+30)).([]int) // made
	touch(keep)
	keep, w = any(make([]int, *n+30)).([]int), m[*n] // made
	touch(keep)
	touch2(any(make([]int, *n+30)).([]int), call(*n))                                    // made
	keep, w = func() ([]int, int) { return any(make([]int, *n+30)).([]int), call(*n) }() // made
	touch(keep)
	mm[*n] = any(make([]int, *n+30)).([]int) // made
	touch(mm[*n])
	c <- any(make([]int, *n+30)).([]int) // made
	touch(<-c)

	// variadic call
	keep = many(*n, 2, 3) // made
	touch(keep)
	keep, w = many(*n, 2, 3), m[*n] // made
	touch(keep)
	touch2(many(*n, 2, 3), call(*n))                                    // made
	keep, w = func() ([]int, int) { return many(*n, 2, 3), call(*n) }() // made
	touch(keep)
	mm[*n] = many(*n, 2, 3) // made
	touch(mm[*n])
	c <- many(*n, 2, 3) // made
	touch(<-c)

	// function literal
	keep = func() []int { return make([]int, *n+30) }() // made
	touch(keep)
	keep, w = func() []int { return make([]int, *n+30) }(), m[*n] // made
	touch(keep)
	touch2(func() []int { return make([]int, *n+30) }(), call(*n))                                    // made
	keep, w = func() ([]int, int) { return func() []int { return make([]int, *n+30) }(), call(*n) }() // made
	touch(keep)
	mm[*n] = func() []int { return make([]int, *n+30) }() // made
	touch(mm[*n])
	c <- func() []int { return make([]int, *n+30) }() // made
	touch(<-c)

	// conversion of a string
	keep = ints([]rune(text)) // made
	touch(keep)
	keep, w = ints([]rune(text)), m[*n] // made
	touch(keep)
	touch2(ints([]rune(text)), call(*n))                                    // made
	keep, w = func() ([]int, int) { return ints([]rune(text)), call(*n) }() // made
	touch(keep)
	mm[*n] = ints([]rune(text)) // made
	touch(mm[*n])
	c <- ints([]rune(text)) // made
	touch(<-c)
}
