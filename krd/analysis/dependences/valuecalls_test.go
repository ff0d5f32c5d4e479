package dependences

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestValueCalls counts by hand what goes through calls of functions that are not rewritten and
// call back, of methods of interfaces, of values, and with deferred calls between. Each loop is the
// only one of its function; dependences of its induction variable are left out.
func TestValueCalls(t *testing.T) {
	d := dependencesOf(t, "calls", []string{"induction"})
	checkLoops(t, d, map[string][]string{
		"sorted": {"3 x x data reduction (1)"},
		"mapped": {"3 runes runes data reduction (1)", "3 s s data none (1)"},
		"iface":  {"6 x a.add data none (1)"}, "value": {"3 x f data none (1)"},
		"text": {"3 s f data none (1)"}, "twice": {"3 s f data none (1)"},
		"callback": {"6 x note data none (1)"}, "deferred": {"3 x held data none (1)"},
		"effect": {"3 last last data reduction (1)"}, "results": {"3 x inner data none (1)"},
		"variadic": {"3 x pick data none (1)"}, "over": {"2 x plus data none (1)", "2 for for control none (1)"}, "seq": {"2 if for control none (1)"},
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
func checkLoops(t *testing.T, d *Document, want map[string][]string) {
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
func crossings(d *Document) (all []string) {
	for _, x := range d.Between {
		all = append(all, fmt.Sprintf("%d %s on %s through %s by %s %s", x.Times, x.To, x.From,
			x.Through, x.By, x.Kind))
	}
	slices.Sort(all)
	return all
}

// TestValueChannels counts what goes between the two goroutines of the case pipeline: without --sync, nothing
// through channels.
func TestValueChannels(t *testing.T) {
	started := []string{
		// double reads out, in and by in each iteration; the head has in for its key and for whether
		// there is an iteration, the key in the first alone
		"4 main.double:7 out on main.main:23 double through by by start data",
		"4 main.double:7 out on main.main:23 double through c by start data",
		"4 main.double:7 out on main.main:23 double through []int{…} by start data",
		"5 main.double:6 for on main.main:23 double through []int{…} by start data",
		// which the literal wrote, and no operation of its own
		"4 main.double:7 out on main.main (no operation) through []int, made at main.go:23 by memory data",
		"8 main.sum:14 for on main.main:24 sum through c by start data",
		"1 main.sum:17 result on main.main:24 sum through result by start data",
	}
	through := []string{
		"4 main.sum:14 for on main.double:7 out through chan int, made at main.go:21 by channel data",
		"1 main.main:25 if on main.sum:17 result through chan int, made at main.go:21 by channel data",
	}
	for _, sync := range []bool{true, false} {
		d := dependencesOfSync(t, "pipeline", nil, sync)
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
// some without a known sender. The receiver is not the sender.
func TestValueReceives(t *testing.T) {
	d := dependencesOfSync(t, "receives", nil, true)
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
