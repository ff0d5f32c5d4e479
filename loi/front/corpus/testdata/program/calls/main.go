package calls

import (
	"os"
	"sort"
	"strings"
)

func two() func(string) string { return strings.ToUpper }

var upper = two()

func id(x int) int { return x }

// less is called back. Were it taken for what x was passed to, it would depend on x.
var seen int

func sorted(a []int) (x int) {
	for i := 0; i < 4; i++ {
		x += i
		sort.Slice(a, func(i, j int) bool { seen = i; return a[i] < a[j] })
	}
	return x
}

var runes int

func mapped(s string) (n int) {
	for i := 0; i < 4; i++ {
		s = strings.Map(func(r rune) rune { runes++; return r + 1 }, s)
	}
	return len(s)
}

type adder interface{ add(x, y int) int }

type plain struct{}

func (plain) add(x, y int) int { return y }

type other struct{}

func (*other) add(x, y int) int { return x }

// iface passes x as the first argument, of which nothing is made, or as the second.
func iface(a adder) (x int) {
	for i := 0; i < 4; i++ {
		x = a.add(x, i)
	}
	return x
}

func value(f func(int) int) (x int) {
	for i := 0; i < 4; i++ {
		x = f(x)
	}
	return x
}

// text has a value that is not rewritten, and calls nobody.
func text(f func(string) string) (s string) {
	for i := 0; i < 4; i++ {
		s = f(s)
	}
	return s
}

func note(k int) int { return k }

// twice has strings.Map as a value, which calls what has another number of parameters.
func twice(f func(func(rune) rune, string) string, s string) string {
	for i := 0; i < 4; i++ {
		s = f(func(r rune) rune { return r }, s)
	}
	return s
}

// callback passes a to what is not rewritten and calls a function of two parameters.
func callback(f func([]int, func(i, j int) bool), a []int) (x int) {
	for i := 0; i < 4; i++ {
		f(a, func(i, j int) bool { return j > i })
		x = note(x)
	}
	return x
}

// held passes to a deferred call, which is made behind another of the same function.
func held(x int) (y int) {
	defer func(k int) { y = k }(x)
	note(7)
	return 1
}

func deferred() (x int) {
	for i := 0; i < 4; i++ {
		x = held(x)
	}
	return x
}

var last int

func keep(k int) { last = k + last }

// between has keep called by itself with a constant, which is not what was deferred.
func between(x int) {
	defer keep(x)
	keep(3)
}

func effect() (x int) {
	for i := 0; i < 4; i++ {
		x += 2
		between(x)
	}
	return x
}

func inner(x int) int {
	defer id(3)
	return x
}

// results are those of inner, not of what it defers.
func results() (x int) {
	for i := 0; i < 4; i++ {
		x = inner(x)
	}
	return x
}

func pick(x int, more ...int) int {
	var y int
	return y + len(more)
}

// variadic passes x as the third of several; y is not among the parameters.
func variadic() (x int) {
	for i := 0; i < 4; i++ {
		x = pick(1, 2, x)
	}
	return x
}

func seq(yield func(int) bool) {
	for i := 0; i < 3; i++ {
		if !yield(i) {
			return
		}
	}
}

func plus(x, y int) int { return x + y }

// over has a body that seq calls, and that calls plus.
func over() (x int) {
	for i := range seq {
		x = plus(x, i)
	}
	return x
}

// panics has keep deferred where something else panics.
func panics(a []int) {
	defer keep(a[0])
	defer func() { recover() }()
	id(a[len(a)])
}

func nested() (x, y int) {
	for i := 0; i < 4; i++ {
		x = id(id(x) + id(y))
	}
	return x, y
}

func Main() {
	x := sorted([]int{3, 1, 2}) + mapped("abc") + iface(plain{}) + iface(new(other)) + value(id) +
		callback(func(a []int, f func(i, j int) bool) { sort.Slice(a, f) }, []int{3, 1}) +
		deferred() + effect() + results() + variadic() + len(text(upper)) +
		len(twice(strings.Map, "ab"))
	callback(sortSlice(), []int{3, 1})
	nested()
	over()
	panics([]int{1})
	if x == 0 {
		os.Exit(1)
	}
}

func sortSlice() func([]int, func(i, j int) bool) {
	return func(a []int, f func(i, j int) bool) { sort.Slice(a, f) }
}
