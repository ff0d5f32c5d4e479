// Package orders compares the classes of loops with what executing their iterations in other orders
// gives: random loops, in an interpreter.
package orders

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"krdlab/experiments/goprogram"
	"krdlab/hw"
	"krdlab/hw/hwtest/long"
	"krdlab/krd/analysis"
	"krdlab/krd/analysis/dependences"
	"krdlab/loi"
	"krdlab/loi/front"
	"krdlab/loi/front/build"
	"krdlab/loi/front/corpus"
	"krdlab/loi/front/corpus/built"
)

func TestMain(m *testing.M) {
	if err := corpus.Linking(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// A class is the entry of a loop in the document.
type class struct {
	Name       string
	Iterations int
	Class      *string
	Removed    []removal
}

// traced builds and traces a program of the loops, compares what it prints with what the
// interpreter computes, and returns the trace and the lines of the loops.
func traced(t *testing.T, loops []*loop) (path string, lines []int) {
	t.Helper()
	source, lines := program(loops)
	dir := corpus.Lay(t, "orders", map[string][]byte{"go.mod": []byte("module orders\n\ngo 1.26\n"),
		"main.go": []byte(source)})
	topology, err := hw.Host()
	if err != nil {
		t.Fatal(err)
	}
	b := build.Request{Dir: dir, Path: ".", Options: front.Options{Values: true}}
	var out bytes.Buffer
	r := &goprogram.Request{Build: b, Built: built.Of(t, dir, b), Unit: goprogram.Data,
		Trace: filepath.Join(t.TempDir(), "p.loi"), Stdout: &out, Stderr: &out}
	if _, err := goprogram.Run(t.Context(), r, []string{"krdlab"}, topology); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	printed := strings.Split(out.String(), "\n")
	for i, l := range loops {
		want, _ := l.run(l.orders[0], nil)
		if got := strings.Fields(printed[min(i, len(printed)-1)]); fmt.Sprint(got) != fmt.Sprint(want) {
			source, _ := l.source(fmt.Sprintf("l%d", i))
			t.Fatalf("the program prints\n%v\nthe interpreter computes\n%v\n%s", got, want, source)
		}
	}
	return r.Trace, lines
}

// classes returns the classes of the loops of such a program.
func classes(t *testing.T, loops []*loop) (list []class) {
	t.Helper()
	path, lines := traced(t, loops)
	trace, err := loi.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer trace.Close()
	asked := []analysis.Asked{{Analysis: dependences.Analysis}}
	results, err := analysis.Run(t.Context(), trace, asked, analysis.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var d struct{ Loops []class }
	text, err := json.Marshal(results[0].Document())
	if err == nil {
		err = json.Unmarshal(text, &d)
	}
	if err != nil {
		t.Fatal(err)
	}
	for i := range loops {
		name := fmt.Sprintf("main.l%d:%d", i, lines[i])
		at := slices.IndexFunc(d.Loops, func(c class) bool { return c.Name == name })
		if at < 0 {
			t.Fatalf("%s is not in the document", name)
		}
		list = append(list, d.Loops[at])
	}
	return list
}

// waysOf returns what a class names of a loop's variables, and what of that makes no sense.
func (l *loop) waysOf(removed []removal) (ways []way, odd string) {
	ways = make([]way, len(l.vars))
	for _, r := range removed {
		v := l.variable(r.Name)
		if v == nil && r.Name != "i" {
			return nil, fmt.Sprintf("%q is no variable that lives longer than an iteration", r.Name)
		} else if v == nil {
			continue
		}
		w := &ways[v.whole().id]
		switch r.By {
		case "private":
			w.own = true
		case "last value":
			w.own, w.last = true, true
		case "copy":
			w.copied = true
		case "induction":
			w.ahead = true
		case "reduction":
			if w.reduce = strings.Replace(r.Operator, "-", "+", 1); w.reduce == "" {
				w.reduce = "none"
			}
			if _, ok := operators[w.reduce]; !ok || (v.kind == list) != (w.reduce == "append") {
				return nil, fmt.Sprintf("operator %q of %s", r.Operator, r.Name)
			}
		default:
			return nil, fmt.Sprintf("removed by %q", r.By)
		}
		if own, reduced := w.own || w.copied, w.reduce != ""; own && w.ahead || reduced && w.ahead ||
			own && reduced && !v.whole().slots() {
			return nil, r.Name + " is removed in ways that exclude each other"
		}
	}
	for _, g := range l.leasts() { // what is set beside goes with it, named or not
		for _, v := range g.with {
			if w := ways[g.of.id]; (w.reduce == "min" || w.reduce == "max") && ways[v.id] == (way{}) {
				ways[v.id] = w
			}
		}
	}
	if l.head == "before" { // by the head
		ways[l.index.id] = way{ahead: true}
	}
	return ways, ""
}

// parallel reports whether iterations of a class may be executed in any order.
func (c *class) parallel() bool {
	return c.Class != nil && (*c.Class == "doall" || *c.Class == "reduction")
}

// wrong returns what is wrong with a class; "": nothing.
func (l *loop) wrong(c *class) string {
	if !c.parallel() {
		return ""
	}
	ways, odd := l.waysOf(c.Removed)
	if odd == "" && l.changes(ways) {
		odd = "the result is another in another order"
	}
	return odd
}

// loopsOf makes so many of 1 500 loops, the rows in turn.
func loopsOf(n int) (loops []*loop) {
	for row := range rows {
		for k := range (rows[row].of1500*n + 1499) / 1500 {
			loops = append(loops, made(row, uint64(row*1000+k)))
		}
	}
	return loops
}

// TestOrders classifies random loops, and executes them in 20 other orders with what their classes
// name carried out. A wrong class is one of a loop whose result is another then.
func TestOrders(t *testing.T) {
	const build = 300
	type count struct{ loops, parallel, wrong, same, called int }
	counts := map[string]*count{}
	var all count
	type bad struct{ what, source string }
	var bads, missed []bad
	loops := loopsOf(long.Or(150, 1500))
	for part := range slices.Chunk(loops, build) {
		for i, c := range classes(t, part) {
			l := part[i]
			n := counts[l.row]
			if n == nil {
				n = &count{}
				counts[l.row] = n
			}
			source, _ := l.source(fmt.Sprintf("l%d", i))
			what := "no class"
			if c.Class != nil {
				what = *c.Class
			}
			what = fmt.Sprintf("%s, %s %v", l.row, what, c.Removed)
			wrong := l.wrong(&c)
			if wrong != "" {
				bads = append(bads, bad{what + ": " + wrong, source})
			} else if l.same && !c.parallel() {
				missed = append(missed, bad{what, source})
			}
			for _, n := range []*count{n, &all} {
				n.loops++
				n.parallel += one(c.parallel())
				n.wrong += one(wrong != "")
				n.same += one(l.same)
				n.called += one(l.same && c.parallel())
			}
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%-11s%10s%10s%10s%10s%10s\n", "row", "loops", "parallel", "wrong", "same",
		"of these")
	line := func(name string, n *count) {
		fmt.Fprintf(&b, "%-11s%10d%10d%10d%10d%10d\n", name, n.loops, n.parallel, n.wrong, n.same,
			n.called)
	}
	for _, r := range rows {
		line(r.name, counts[r.name])
	}
	line("all", &all)
	t.Logf("parallel: called doall or reduction; wrong: of these, of another result in another "+
		"order; same: loops whose result is the same in all orders\n%s", &b)
	shortest := func(list []bad) string {
		slices.SortStableFunc(list, func(a, b bad) int { return len(a.source) - len(b.source) })
		var s strings.Builder
		for _, x := range list[:min(len(list), *show)] {
			fmt.Fprintf(&s, "%s\n%s\n", x.what, x.source)
		}
		return s.String()
	}
	if all.wrong > 0 {
		t.Errorf("%d classes are wrong, the shortest:\n%s", all.wrong, shortest(bads))
	}
	for _, r := range rows {
		// few loops of a row are too few for a share
		n := counts[r.name]
		if name := r.name; n.same >= 100 && n.called*10 < n.same*9 {
			t.Errorf("%s: %d of %d loops whose result is the same in all orders are called so", name,
				n.called, n.same)
		}
	}
	if all.called*10 < all.same*9 {
		t.Errorf("%d of %d loops whose result is the same in all orders are called doall or "+
			"reduction, expected 90 %%; the shortest others:\n%s", all.called, all.same, shortest(missed))
	}
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}

var show = flag.Int("show", 3, "print so many loops whose class is wrong")

// named is a class that names ways: what found returns, or what is planted.
func (l *loop) named(ways []way) *class {
	name := "doall"
	c := &class{Class: &name}
	add := func(is bool, by string, v *variable, op string) {
		if is {
			c.Removed = append(c.Removed, removal{by, v.name, op})
		}
	}
	for id, w := range ways {
		v := l.vars[id]
		add(w.own && !w.last, "private", v, "")
		add(w.last, "last value", v, "")
		add(w.copied, "copy", v, "")
		add(w.ahead, "induction", v, "")
		add(w.reduce != "", "reduction", v, w.reduce)
	}
	return c
}

// TestChecker plants classes that are wrong, and takes those that are right.
func TestChecker(t *testing.T) {
	right, fewer := 0, 0
	for _, l := range loopsOf(150) {
		ways := l.found()
		if nothing := l.wrong(l.named(make([]way, len(l.vars)))); ways == nil {
			if nothing == "" {
				source, _ := l.source("l")
				t.Errorf("%s: doall is taken of\n%s", l.row, source)
			}
			continue
		} else if nothing != "" {
			fewer++
		}
		right++
		if wrong := l.wrong(l.named(ways)); wrong != "" {
			source, _ := l.source("l")
			t.Errorf("%s: %+v: %s\n%s", l.row, ways, wrong, source)
		}
	}
	if right < 100 || fewer < 50 {
		t.Errorf("%d loops are right with what is named, %d not without", right, fewer)
	}

	i := &variable{name: "i", kind: local, id: 2, init: []int{0}}
	a := &variable{name: "a", kind: elements, init: []int{3, 1, 4, 1, 5, 9, 2, 6, 5}, read: true}
	x := &variable{name: "x", id: 1, init: []int{7}, read: true}
	before, element := at(a, bin(of(i), "-", lit(1))), at(a, of(i))
	flow, anti := set(element, "=", before), set(before, "=", element)
	output, sum := set(of(x), "=", element), set(of(x), "+=", element)
	product, count := set(of(x), "*=", element), set(of(x), "+=", lit(2))
	used, least := set(element, "=", of(x)), set(of(x), "=", bin(of(x), "min", element))
	own, last := way{own: true}, way{own: true, last: true}
	both, copied := way{own: true, copied: true}, way{copied: true}
	ahead, add, multiply := way{ahead: true}, way{reduce: "+"}, way{reduce: "*"}
	for name, c := range map[string]struct {
		body   []*stmt
		a, x   way
		unread bool // x after the loop
		ok     bool
	}{
		"flow":             {body: []*stmt{flow}},
		"flow, copied":     {body: []*stmt{flow}, a: copied},
		"anti":             {body: []*stmt{anti}},
		"anti, copied":     {body: []*stmt{anti}, a: copied, ok: true},
		"output":           {body: []*stmt{output}},
		"output, private":  {body: []*stmt{output}, x: own},
		"output, not read": {body: []*stmt{output}, x: own, unread: true, ok: true},
		"output, last":     {body: []*stmt{output}, x: last, ok: true},
		"exposed, private": {body: []*stmt{used, count}, x: own, unread: true},
		"exposed, both":    {body: []*stmt{used, count}, x: both, unread: true},
		"product":          {body: []*stmt{product}, x: multiply, ok: true},
		"product, +":       {body: []*stmt{product}, x: add},
		"sum, *":           {body: []*stmt{sum}, x: multiply},
		"sum, -":           {body: []*stmt{sum}, x: way{reduce: "-"}, ok: true},
		"sum, induction":   {body: []*stmt{sum}, x: ahead},
		"count, read, +":   {body: []*stmt{count, used}, x: add},
		"count, induction": {body: []*stmt{count, used}, x: ahead, ok: true},
		"minimum, max":     {body: []*stmt{least}, x: way{reduce: "max"}},
		"excluded":         {body: []*stmt{count}, x: way{ahead: true, reduce: "+"}},
		"no such operator": {body: []*stmt{count}, x: way{reduce: "/"}},
	} {
		x.read = !c.unread
		l := &loop{n: 7, head: "from one", index: i, vars: []*variable{a, x}, temps: []*variable{i},
			body: c.body, orders: shuffled(7, rand.New(rand.NewPCG(1, 1)).Shuffle)}
		l.steps = l.stepsOf()
		if wrong := l.wrong(l.named([]way{c.a, c.x})); (wrong == "") != c.ok {
			t.Errorf("%s: %q, expected that it is right: %t", name, wrong, c.ok)
		}
	}
}
