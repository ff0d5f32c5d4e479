package gotrace

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"krdlab/krd/analysis/dependences"
)

// TestValueCalls counts by hand what goes through calls of functions that are not rewritten and
// call back, of methods of interfaces, of values, and with deferred calls between. Each loop is the
// only one of its function; what its induction variable carries is left out.
func TestValueCalls(t *testing.T) {
	d := dependencesOfText(t, `package main

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

func nested() (x, y int) {
	for i := 0; i < 4; i++ {
		x = id(id(x) + id(y))
	}
	return x, y
}

func main() {
	x := sorted([]int{3, 1, 2}) + mapped("abc") + iface(plain{}) + iface(new(other)) + value(id) +
		callback(func(a []int, f func(i, j int) bool) { sort.Slice(a, f) }, []int{3, 1}) +
		deferred() + effect() + results() + variadic() + len(text(upper))
	callback(sortSlice(), []int{3, 1})
	nested()
	if x == 0 {
		os.Exit(1)
	}
}

func sortSlice() func([]int, func(i, j int) bool) {
	return func(a []int, f func(i, j int) bool) { sort.Slice(a, f) }
}
`, []string{"induction"})
	checkLoops(t, d, map[string][]string{})
	for _, x := range d.Between {
		t.Errorf("between goroutines, of which there is one: %+v", x)
	}
}

// checkLoops compares what loops carry, by the function that they are the only ones of.
func checkLoops(t *testing.T, d *dependences.Document, want map[string][]string) {
	t.Helper()
	for _, l := range d.Loops {
		function, _, _ := strings.Cut(strings.TrimPrefix(l.Name, "main."), ":")
		got, list := lines(&l), want[function]
		if !slices.Equal(got, slices.Sorted(slices.Values(list))) {
			t.Errorf("%s carries\n%s\nexpected\n%s", l.Name, strings.Join(got, "\n"),
				strings.Join(list, "\n"))
		}
		delete(want, function)
	}
	for function := range want {
		t.Errorf("no loop of %s", function)
	}
}

// crossings are the dependences between goroutines.
func crossings(d *dependences.Document) (all []string) {
	for _, x := range d.Between {
		all = append(all, fmt.Sprintf("%d %s on %s through %s by %s %s", x.Times, x.To, x.From,
			x.Through, x.By, x.Kind))
	}
	slices.Sort(all)
	return all
}

// pipeline has two goroutines: of 4 numbers, the second sums what the first makes of them.
const pipeline = `package main

import "os"

func double(in []int, out chan<- int, by int) {
	for i := range in {
		out <- in[i] * by
	}
	close(out)
}

func sum(in <-chan int, result chan int) {
	s := 0
	for x := range in {
		s += x
	}
	result <- s
}

func main() {
	c, result := make(chan int, 2), make(chan int)
	by := 2
	go double([]int{1, 2, 3, 4}, c, by)
	go sum(c, result)
	if s := <-result; s != 20 {
		os.Exit(1)
	}
}
`

// TestValueChannels counts what goes between the goroutines of a pipeline.
func TestValueChannels(t *testing.T) {
	for _, sync := range []bool{true, false} {
		d := dependencesOfSync(t, pipeline, nil, sync)
		want := []string{}
		if got := crossings(d); !slices.Equal(got, want) {
			t.Errorf("sync %v:\n%s\nexpected\n%s", sync, strings.Join(got, "\n"),
				strings.Join(want, "\n"))
		}
	}
}
