package dependences

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A loop that calls g in each iteration, by an operation that names it, has its result in slot 5,
// and reads that slot in the next iteration; h has a parameter too, v two.
const callHead = `loi-text 4
substrate native
clock tsc 1e9
nodes 1
grain kernel
worker 0 cpu -1 node 0 offset 0
worker 1 cpu -1 node 0 offset 0
object C keyed
kernel f
region f function
region "f:1" loop in 0
region "f:1, iteration" iteration in 1
region g function
region h function
region v function
operation use compute kernel 0 region 0 line 1 work 0 to slot 9 from slot 5 cost 0
operation g call kernel 0 region 0 callee 3 line 2 work 0 to passed 0 to slot 5
operation value call kernel 0 region 0 line 3 work 0 to passed 0 to slot 5
operation "return g" return kernel 0 region 3 line 4 work 0 to passed 0
operation "return h" return kernel 0 region 4 line 5 work 0 to passed 0
operation g entry kernel 0 region 3 line 4 work 0 to slot 0
operation h entry kernel 0 region 4 line 5 work 0 to slot 0
operation v entry kernel 0 region 5 line 6 work 0 to slot 0 to slot 1
operation later defer kernel 0 region 0 callee 3 line 7 work 0 to passed 0
operation return return kernel 0 region 0 line 8 work 0
operation go spawn kernel 0 region 0 callee 3 line 9 work 0 to passed 0
operation "in g" compute kernel 0 region 3 line 10 work 0 to slot 2 from slot 0 cost 0
operation send compute kernel 0 region 0 line 11 work 0 to channel 0
operation receive compute kernel 0 region 0 line 12 work 0 to slot 3 from channel 0 cost 0
operation both compute kernel 0 region 0 line 13 work 0 to slot 3 from channel 0 cost 0 from channel 1 cost 0
operation returned compute kernel 0 region 0 line 14 work 0 to slot 9 from returned 0 cost 0
`

// events writes lines for a worker: o7 is operation 7, (3 begins region 3, ) ends it, others stand
// as they are.
func events(worker int, number *int, words string) string {
	var b strings.Builder
	var open []int
	for _, w := range strings.Fields(words) {
		switch w[0] {
		case 'o':
			fmt.Fprintf(&b, "%d 1 event operation(%s)\n", worker, w[1:])
		case '(':
			*number++
			open = append(open, *number)
			fmt.Fprintf(&b, "%d 1 event region(%s,%d,0)\n", worker, w[1:], *number)
		case ')':
			fmt.Fprintf(&b, "%d 1 event region-end(%d)\n", worker, open[len(open)-1])
			open = open[:len(open)-1]
		default:
			fmt.Fprintf(&b, "%d 1 event %s\n", worker, w)
		}
	}
	return b.String()
}

// A call's result is used in the next iteration. The dependence names the operation that computed
// it: g's return, or the call where none is known.
func TestCalls(t *testing.T) {
	for name, c := range map[string]struct {
		between string // the call of an iteration
		from    string // what the use in the next depends on
		g, h    Function
	}{
		"callee":                  {"o1 (3 o3 )", "return g", Function{"g", 2, 2}, Function{}},
		"another, not the callee": {"o1 (4 o4 )", "g", Function{}, Function{"h", 2, 0}},
		"another first": {"o1 (4 o4 ) (3 o3 )", "g", Function{"g", 2, 0},
			Function{"h", 2, 0}},
		"callee, then another": {"o1 (3 o3 ) (4 o4 )", "return g", Function{"g", 2, 2},
			Function{"h", 2, 0}},
		"value": {"o2 (4 o4 )", "return h", Function{}, Function{"h", 2, 2}},
		"value, wrong number": {"o2 (5 ) (4 o4 )", "value", Function{"h", 2, 0},
			Function{"v", 2, 0}},
		"callee within an argument": {"o2 o1 (3 o3 ) (4 o4 )", "return h", Function{"g", 2, 2},
			Function{"h", 2, 2}},
		"called within": {"o1 (3 (4 o4 ) o3 )", "return g", Function{"g", 2, 2},
			Function{"h", 2, 0}},
		"entry that was done": {"o1 o5 (3 o3 )", "return g", Function{"g", 2, 2}, Function{}},
		"another operation":   {"o1 o9 (3 o3 )", "g", Function{"g", 2, 0}, Function{}},
		"deferred, not yet":   {"o8 o1 (3 o3 ) (3 o3 )", "return g", Function{"g", 4, 2}, Function{}},
		"deferred, but h ends": {"o1 (3 o3 ) o8 o9 (4 o4 )", "return g", Function{"g", 2, 2},
			Function{"h", 2, 0}},
		"deferred": {"o1 (3 o3 ) o8 o9 (3 o3 )", "return g", Function{"g", 4, 4}, Function{}},
	} {
		n := 0
		d := document(t, callHead+events(0, &n, "(0 (1 (2 o0 "+c.between+" ) (2 o0 "+c.between+
			" ) ) )"))
		var got, functions, want []string
		for _, x := range d.Loops[0].Carried {
			got = append(got, fmt.Sprint(x.From.Name, " ", x.To.Name, " ", x.Times))
		}
		if list := []string{c.from + " use 1"}; !slices.Equal(got, list) {
			t.Errorf("%s: %q, expected %q", name, got, list)
		}
		for _, f := range []Function{c.g, c.h} {
			if f.Name != "" {
				want = append(want, fmt.Sprint(f))
			}
		}
		for _, f := range d.Functions {
			functions = append(functions, fmt.Sprint(f))
		}
		if !slices.Equal(functions, want) {
			t.Errorf("%s: functions %v, expected %v", name, functions, want)
		}
	}
}

// TestReturned checks the results of a call without an operation, which one with an operation
// behind it does not replace.
func TestReturned(t *testing.T) {
	n := 0
	d := document(t, callHead+events(0, &n, "(0 (1 (2 (4 o4 ) o1 (3 o3 ) ) (2 o15 ) ) )"))
	if l := d.Loops[0].Carried; len(l) != 1 || l[0].From.Name != "return h" {
		t.Errorf("%+v", l)
	}
}

// TestGoroutines starts g, which reads what it was passed, with events of that and without; odd are
// events as in a trace that lacks a part.
func TestGoroutines(t *testing.T) {
	begins := "(3 o11 )"
	for name, c := range map[string]struct {
		first, second string
		times         uint64
	}{
		"without":             {"(0 o10 )", begins, 1},
		"another function":    {"(0 o10 )", "(4 o4 )", 0},
		"told":                {"(0 o10 spawn(2,0,0) )", "start(2) " + begins, 1},
		"another goroutine":   {"(0 o10 spawn(2,0,0) )", "start(3) " + begins, 0},
		"an operation before": {"(0 o10 o0 spawn(2,0,0) )", "start(2) " + begins, 0},
		"second of the worker": {"(0 o10 spawn(2,0,0) )", "start(2) (4 o4 ) " + begins,
			0},
		"second, without":     {"(0 o10 )", "(4 o4 ) " + begins, 0},
		"entry that was done": {"(0 o10 )", "(3 o5 o11 )", 1},
		"odd":                 {"(0 o10 spawn(2) )", "start() " + begins, 1},
	} {
		n := 0
		d := document(t, callHead+events(0, &n, c.first)+events(1, &n, c.second))
		var got uint64
		for _, x := range d.Between {
			if x.By != "start" || x.From.Name != "go" || x.To.Name != "in g" || x.Kind != "data" {
				t.Errorf("%s: %+v", name, x)
			}
			got += x.Times
		}
		if got != c.times {
			t.Errorf("%s: %d times, expected %d", name, got, c.times)
		}
	}
}

// sync is an event of a channel: its operation (1 send, 2 receive, 3 from a closed one), which
// channel, and when it took effect.
func sync(op, place, at int) string {
	return fmt.Sprintf("sync(%d,0,0,%d,0,0,0,%d,0,0,0)", op, place, at)
}

// TestChannels matches by the order of effect, not that of the events.
func TestChannels(t *testing.T) {
	for name, c := range map[string]struct {
		first, second string
		times         uint64
	}{
		"one":              {sync(1, 7, 5) + " o12", sync(2, 7, 6) + " o13", 1},
		"without events":   {"o12", "o13", 0},
		"another channel":  {sync(1, 7, 5) + " o12", sync(2, 8, 6) + " o13", 0},
		"before the send":  {sync(1, 7, 9) + " o12", sync(2, 7, 6) + " o13", 1},
		"closed":           {sync(1, 7, 5) + " o12", sync(3, 7, 6) + " o13", 0},
		"a timer's":        {sync(1, 7, 5) + " o12", sync(2+512, 7, 6) + " o13", 0},
		"sent by nobody":   {sync(1, 7, 5), sync(2, 7, 6) + " o13", 0},
		"received twice":   {sync(1, 7, 5) + " o12", sync(2, 7, 6) + " o13 " + sync(2, 7, 7) + " o13", 1},
		"second of two":    {sync(1, 7, 5) + " o12", sync(2, 7, 7) + " o13 " + sync(2, 7, 6), 0},
		"statement before": {sync(1, 7, 5) + " o12", sync(2, 8, 6) + " " + sync(2, 7, 7) + " o13", 1},
		"both":             {sync(1, 7, 5) + " o12", sync(2, 8, 6) + " " + sync(2, 7, 7) + " o14", 1},
		"one of both":      {sync(1, 7, 5) + " o12", sync(2, 7, 7) + " o14", 0},
		"a call between":   {sync(1, 7, 5) + " o12", sync(2, 7, 7) + " o1 o13", 1},
		"short":            {"sync(1,0) o12", "sync() o13", 0},
	} {
		n := 0
		d := document(t, callHead+events(0, &n, "(0 "+c.first+" )")+
			events(1, &n, "(0 "+c.second+" )"))
		var got uint64
		for _, x := range d.Between {
			if x.By != "channel" || x.From.Name != "send" || x.Through != "C" {
				t.Errorf("%s: %+v", name, x)
			}
			got += x.Times
		}
		if got != c.times {
			t.Errorf("%s: %d times, expected %d", name, got, c.times)
		}
	}
	n := 0
	d := document(t, callHead+events(0, &n, "(0 "+sync(1, 7, 5)+" o12 )")+events(1, &n, "(0 "+
		sync(2, 7, 6)+" o13 )"))
	if v := d.View(); len(v.Parts) != 3 {
		t.Errorf("%d parts of the view", len(v.Parts))
	}
}
