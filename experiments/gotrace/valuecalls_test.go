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

func main() {
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
`, []string{"induction"})
	checkLoops(t, d, map[string][]string{
		"sorted": {"3 x x data reduction (1)"},
		"mapped": {"3 runes runes data none (1)", "3 s s data none (1)"},
		"iface":  {"6 x a.add data none (1)"}, "value": {"3 x f data none (1)"},
		"text": {"3 s f data none (1)"}, "twice": {"3 s f data none (1)"},
		"callback": {"6 x note data none (1)"}, "deferred": {"3 x held data none (1)"},
		"effect": {"3 last last data none (1)"}, "results": {"3 x inner data none (1)"},
		"variadic": {"3 x pick data none (1)"}, "over": {"2 x plus data none (1)"}, "seq": {"2 if for control none (1)"},
		"nested": {"3 x id data none (1)"},
	})
	// how often each function with parameters began, and with arguments that are known
	want := map[string][2]uint64{
		"main.id":           {4 + 3*4 + 4, 4 + 3*4}, // inner defers it with a constant
		"main.sorted.func1": {3 + 3*2, 0},           // comparisons of an insertion sort
		"main.mapped.func1": {4 * 3, 0}, "main.twice.func1": {4 * 2, 0},
		"(main.plain).add": {4, 4}, "(*main.other).add": {4, 4},
		"main.note": {2*4 + 4, 2 * 4}, // held passes it a constant
		"main.held": {4, 4}, "main.held.func1": {4, 4},
		"main.keep":    {4 + 4 + 1, 4}, // and in what panicked
		"main.between": {4, 4}, "main.inner": {4, 4},
		"main.pick": {4, 4}, "main.main.func1": {4, 4}, "main.sortSlice.func1": {4, 4},
		"main.callback.func1": {2 * 4, 0}, // called by package sort
		"main.sorted":         {1, 1}, "main.mapped": {1, 0}, "main.iface": {2, 2},
		"main.seq": {1, 0}, "main.plus": {3, 3}, "main.panics": {1, 1},
		"main.value": {1, 1}, "main.text": {1, 1}, "main.twice": {1, 1}, "main.callback": {2, 2},
	}
	for _, f := range d.Functions {
		if n, ok := want[f.Name]; !ok || n != [2]uint64{f.Begun, f.Known} {
			t.Errorf("%s began %d times, %d with what it was passed, expected %d", f.Name, f.Begun,
				f.Known, n)
		}
		delete(want, f.Name)
	}
	if len(want) > 0 {
		t.Errorf("not called: %v", want)
	}
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

// TestValueChannels counts what goes between the goroutines of a pipeline: without --sync, nothing
// through channels.
func TestValueChannels(t *testing.T) {
	started := []string{
		// double reads out, in and by in each iteration; the head has in for its key and for whether
		// there is an iteration, the key in the first alone
		"4 main.double:7 out on main.main:23 double through by by start data",
		"4 main.double:7 out on main.main:23 double through c by start data",
		"4 main.double:7 out on main.main:23 double through []int{…} by start data",
		"5 main.double:6 for on main.main:23 double through []int{…} by start data",
		"4 main.double:7 out on main.main:23 double through []int, made at main.go:23 by memory data",
		"8 main.sum:14 for on main.main:24 sum through c by start data",
		"1 main.sum:17 result on main.main:24 sum through result by start data",
	}
	through := []string{
		"4 main.sum:14 for on main.double:7 out through chan int, made at main.go:21 by channel data",
		"1 main.main:25 if on main.sum:17 result through chan int, made at main.go:21 by channel data",
	}
	for _, sync := range []bool{true, false} {
		d := dependencesOfSync(t, pipeline, nil, sync)
		want := slices.Clone(started)
		if sync {
			want = append(want, through...)
		}
		slices.Sort(want)
		if got := crossings(d); !slices.Equal(got, want) {
			t.Errorf("sync %v:\n%s\nexpected\n%s", sync, strings.Join(got, "\n"),
				strings.Join(want, "\n"))
		}
	}
}

// TestValueReceives counts receives in expressions, arguments, selects and definitions with ok,
// of which some are of nobody's; who receives is not who sends.
func TestValueReceives(t *testing.T) {
	d := dependencesOfSync(t, `package main

import (
	"os"
	"time"
)

var a, b, c, d = make(chan int), make(chan int), make(chan int, 1), make(chan int, 3)

func id(x int) int { return x }

func second(x, y int) int { return y }

type worker struct{ n int }

func (w *worker) run(k int) {
	n := k
	for range 3 {
		a <- n
		b <- n + 1
	}
	select {
	case a <- id(n):
	case <-time.After(time.Hour):
	}
	a <- 7
	close(a)
}

func main() {
	w := &worker{1}
	k := w.n
	go w.run(k)
	x := <-a - <-b
	y := id(<-a) + second(<-b, 3)
	<-a
	z, ok := <-b
	select {
	case z = <-a:
	}
	c <- z // the same goroutine has it back
	c := <-c
	select {
	case v, ok := <-a:
		z = v
		_ = ok
	}
	after, open := <-a
	<-time.After(time.Nanosecond)
	stamp := <-time.After(time.Nanosecond)
	for i := range 4 {
		d <- i + z // of 2, the third is received first
		if i > 1 {
			z = <-d
		}
	}
	if x+y+z+c+after == 0 && ok && !open && stamp.IsZero() {
		os.Exit(1)
	}
}
`, nil, true)
	const not = " through channel, made where nothing was rewritten by channel data"
	want := []string{
		"1 (*main.worker).run:17 n on main.main:33 w.run through k by start data",
		"1 main.main:34 x on (*main.worker).run:19 a" + not,
		"1 main.main:34 x on (*main.worker).run:20 b" + not,
		"1 main.main:35 id on (*main.worker).run:19 a" + not,
		"1 main.main:35 second on (*main.worker).run:20 b" + not,
		"1 main.main:39 z on (*main.worker).run:23 a" + not,
		"2 main.main:37 z on (*main.worker).run:20 b" + not, // z and ok
		"2 main.main:44 v on (*main.worker).run:26 a" + not,
	}
	if got := crossings(d); !slices.Equal(got, want) {
		t.Errorf("%s\nexpected\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	checkLoops(t, d, map[string][]string{"(*main.worker).run": {
		"2 for for control induction (1)"}, "main": {
		"3 for for data induction (1)", "3 for for control induction (1)",
		// the third iteration receives what the first sent, and the fourth what the second did; it
		// sends what the third received
		"2 d z data none (2)", "1 z d data none (1)"}})
}
