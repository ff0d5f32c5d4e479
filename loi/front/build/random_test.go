package build_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"krdlab/hw/hwtest/long"
	"krdlab/loi"
	"krdlab/loi/collect"
	"krdlab/loi/front"
	"krdlab/loi/front/build"
	"krdlab/loi/front/corpus"
	"krdlab/loi/front/corpus/built"
)

// grammar has for each symbol what it may become; <s> in that is the symbol s. The state that it
// names is in testdata/random/prelude.go and in head. An int is never a constant, a num may be one;
// s is a slice of them, z a string, x an any, l an array. A symbol that ends in = can be assigned
// to. A text that begins with ! may grow without end in a loop, and is not used there.
var grammar = map[string][]string{
	"num": {"0", "1", "2", "3", "<int>", "<int>", "<int>"},
	"ix":  {"0", "1", "2", "3", "<int> & 3", "<int>"},
	"int": {"i", "j", "gi", "gv.e", "ticks", "v.e", "(*gpi)", "gl[i&3]", "l[i&3]", "s[j]", "gs[i]",
		"int(gt[uint8(<int>)])", "gl[uint32(<int>)>>30]", "<T>.a[uint(<int>)%4]", "<l>[3&<int>]",
		"int(gt[uint8(i+<num>)])", "int(int64(<int>))",
		"p.v", "q.v", "gp.v", "f(1)", "change(2)", "<T>.v", "<T>.v", "<T>.in.x", "<T>.in.y",
		"<T>.a[<ix>]", "<T>.s[<ix>]", "<T>.s[<ix>]", "<T>.e", "<T>.q", "<T>.b[<ix>]",
		"<T>.u[<ix>]", "<T>.qs[<ix>]", "<T>.qv.e", "<s>[<ix>]", "<s>[<ix>]", "<l>[<ix>]",
		"<map>[<z>]", "<V>.e", "<V>.b[<ix>]", "<V>.u[<ix>]", "<G>.k", "<G>.ks[<ix>]",
		"<G>.ka[<ix>]", "(*<pi>)", "len(<s>)", "cap(<s>)", "len(<map>)", "len(<zv>)",
		"int(<zv>[<ix>])", "<x>.(int)", "(<-<c>)", "f(<num>)", "f(<num>)", "boom(<num>)",
		"change(<num>)", "change(<num>)", "h(<x>, <num>)", "hi(<s>...)", "hi(<num>, <num>)",
		"h(two(<num>))", "id(<int>)", "pick(<int>, <num>)", "<T>.inc(<num>)", "<T>.get(<num>)",
		"<T>.Call(<num>)", "<caller>.Call(<num>)", "<T>.f(<num>)", "<T>.val(<num>)",
		"<T>.ref(<num>)", "<T>.pq(<num>)", "<T>.vq(<num>)", "<V>.val(<num>)", "gv.ref(<num>)",
		"<G>.value(<num>)", "min(<int>, <num>)", "max(<num>, <int>)",
		"func() int { return <int> }()",
		"(*<T>).v", "(<T>.get)(<num>)", "T.get(*<T>, <num>)", "(*T).inc(<T>, <num>)",
		"<T>.vs[<ix>].e", "([]int{<num>, <num>})[<ix>]", "(*fi(<num>))", "copy(<s>, <s>)",
		"(<int> + <num>)", "(<num> - <int>)", "(<int> * <num>)", "(<int> / <int>)",
		"(<num> % <int>)", "(<int> << <int>)", "(<int> &^ <num>)", "(-<int>)", "(^<int>)",
		"int(int8(<int>))", "(<int>)", "*new(int)", "(<T>.v + <T>.inc(<num>))",
		"(<s>[<ix>] + f(<num>))"},
	"T": {"p", "q", "gp", "(*gpp)", "ga[i&3]", "p.p", "gv.r", "<T>.p", "<T>.p", "<T>.r",
		"<T>.ps[<ix>]", "<V>.r", "ga[<ix>]", "fp(<num>)", "fp(<num>)", "<T>.next(<num>)",
		"gn[<x>]", "(*<pp>)", "id(<T>)", "pick(<T>, <T>)", "(&T{v: <num>, s: <s>, p: <T>})",
		"(&T{V: V{e: <num>, u: <s>}, Q: &Q{q: <num>}})", "<x>.(*T)", "(*T)(nil)",
		"swapped(<T>.ps, 0, 1)[<ix>]", "new(T)"},
	"s": {"s", "r", "gs", "(*gps)", "p.s", "v.u", "gl[:]", "<T>.s", "<T>.s", "<T>.u", "<T>.qs",
		"<V>.u", "<G>.ks", "fs(<num>)", "<s>[<ix>:]", "<s>[:<int>]", "<s>[<int>:<int>]",
		"<T>.a[:]", "<T>.a[<int>:]", "append(<s>, <num>)", "!append(<s>, <s>...)",
		"([]int{<num>, <num>})", "([]int{2: <num>, 0: <num>})", "make([]int, <int>&3)",
		"swapped(<s>, 0, 1)", "append([]int(nil), <num>, <num>)", "fs(<num>)[<ix>:]"},
	"l": {"l", "gl", "p.a", "(*gpl)", "<T>.a", "<T>.b", "<V>.b", "fl(<num>)", "<G>.ka",
		"([4]int{<num>, <num>})", "([4]int{3: <num>})"},
	"map": {"m", "gm", "p.m", "<T>.m", "fm(<num>)", `(map[string]int{"a": <num>})`,
		"map[string]int(nil)"},
	"z":  {"<zv>", "<zv>", `"a"`, `"b"`, "!(<z> + <z>)"},
	"zv": {"z", "gz", "p.z", "<T>.z", "fz(<num>)", "<z>[<int>:]", "<x>.(string)"},
	"x": {"x", "gx", "p.i", "any(i)", "<T>.i", "any(<num>)", "any(<T>)", "any(<z>)", "any(<s>)",
		"any(<V>)", "fx(<num>)", "any(nil)"},
	"V": {"v", "gv", "(*gpv)", "p.V", "<T>.V", "<T>.qv", "<T>.vs[<ix>]", "fv(<num>)", "(*<pv>)",
		"(V{e: <num>, r: <T>, u: <s>})", "(V{<num>, <T>, <l>, <s>})"},
	"G": {"g", "gg", "g.next", "<G>.next", "<G>.set(<num>)", "(&G[int]{k: <num>, next: <G>})",
		"id(<G>)"},
	"ok": {"ok", "gok", "i > 1", "gi < j", "<int> == <num>", "<T> == <T>", "<x> == <x>",
		"(<ok> && <ok>)", "(<ok> || <ok>)", "(!(<ok>))", "(<T> != nil && <T>.v > <num>)",
		"fb(<num>)",
		"<z> < <z>", "<l> == <l>", "<int> <= <num>", "<s> == nil", "(<ok> && fb(<num>))"},
	"pi":     {"pi", "gpi", "&gi", "&p.v", "&<T>.v", "&<s>[<ix>]", "&<T>.qs[<ix>]", "fi(<num>)"},
	"pp":     {"gpp", "&gp", "&p.p", "&<T>.p", "&<T>.ps[<ix>]"},
	"pv":     {"gpv", "&gv", "&p.V", "&<T>.V", "&<T>.vs[<ix>]"},
	"c":      {"full", "fc(<num>)"},
	"caller": {"gc", "caller(<T>)"},

	"int=": {"i", "j", "gi", "*gpi", "gv.e", "v.e", "l[i&3]", "s[j&1]", "p.v", "<T>.v", "<T>.v",
		"<T>.in.x", "<T>.a[<ix>]", "<T>.s[<ix>]", "<T>.e", "<T>.q", "<T>.b[<ix>]", "<T>.u[<ix>]",
		"<T>.qs[<ix>]", "<T>.qv.e", "<s>[<ix>]", "<s>[<ix>]", "l[<ix>]", "gl[<ix>]", "v.b[<ix>]",
		"<map>[<z>]", "<G>.k", "<G>.ks[<ix>]", "<G>.ka[<ix>]", "*<pi>", "<T>.vs[<ix>].e",
		"(*<T>).v", "(<T>.v)", "ga[<ix>].v", "gn[<x>].v", "v.u[<ix>]"},
	"T=": {"p", "q", "gp", "*gpp", "gv.r", "v.r", "p.p", "<T>.p", "<T>.r", "ga[<ix>]",
		"<T>.ps[<ix>]", "*<pp>", "gn[<x>]", "<T>.vs[<ix>].r", "<T>.p.p"},
	"s=":   {"s", "r", "gs", "*gps", "gv.u", "v.u", "p.s", "<T>.s", "<T>.u", "<T>.qs", "<G>.ks"},
	"l=":   {"l", "gl", "*gpl", "<T>.a", "v.b", "<T>.b", "<G>.ka"},
	"map=": {"m", "gm", "p.m", "<T>.m"},
	"z=":   {"z", "gz", "p.z", "<T>.z"},
	"x=":   {"x", "gx", "p.i", "<T>.i"},
	"V=":   {"v", "gv", "*gpv", "p.V", "<T>.V", "<T>.qv", "<T>.vs[<ix>]", "*<pv>"},
	"G=":   {"g", "gg", "g.next", "<G>.next"},
	"ok=":  {"ok", "gok"},

	"statement": {"<assign>", "<assign>", "<assign>", "<tuple>", "<tuple>", "<update>", "<call>",
		"<define>", "<loop>", "<branch>", "<defer>"},
	"assign": {"<int=> = <num>", "<int=> = <num>", "<int=> = <int>", "<T=> = <T>", "<s=> = <s>",
		"<l=> = <l>", "<map=> = <map>", "<z=> = <z>", "<x=> = <x>", "<V=> = <V>", "<G=> = <G>",
		"<ok=> = <ok>", "gc = <caller>", "*<T> = *<T>", "*<T> = T{v: <num>, s: <s>}",
		"<s=> = append(<s>, <num>, <num>)", "!<s=> = append(<s>, <s>...)",
		"!<s=> = append(<s>[:<int>], <s>[<int>:]...)",
		"!<s=> = append(<s>, make([]int, <int>&3)...)",
		"p.s = append(p.s, <num>)", "<s=> = append(<s>[:<int>], <num>)",
		"<int=> = copy(<s>[<ix>:], fs(<num>))", "p.s = append(p.s, <num>, 1, <num>)",
		"gs = append(gv.r.s, <num>, i)",
		"gp.p.ps = append(gp.p.ps, <T>)", "*gps = append(gv.r.qs, 1, <num>)", "q.vs = append(gp.vs, <V>)",
		"ga[1].p.s = append(ga[2].u, (<int>))", "!gs = append(*gps, <s>...)",
		"<s=> = func() []int { return append(gp.s, <num>) }()",
		"<T>.ps = append(<T>.ps, <T>)", "<T>.ps = []*T{<T>, {v: <num>}}",
		"<T>.vs = append(<T>.vs, <V>)", "<T>.f = f", "gn[<x>] = <T>", "<int=> = f(<num>)",
		"<T>.Q = &Q{q: <num>, qs: <s>}", "<T>.Q = nil", "_ = <int>", "_ = <T>.V",
		"<s>[<s>[<ix>]&3] = <s>[<ix>] - i", "<T>.s[<T>.s[<ix>]+gi] = <s>[<ix>]",
		"<s>[<s>[<s>[<ix>]&1]] = <s>[<ix>]", "<T>.a[<s>[<ix>]*2] = <T>.s[<ix>] + <s>[<ix>]",
		"p.p = p; p.p.p = <T>", "gg.next = gg; gg.next.next = <G>"},
	"tuple": {"<int=>, <int=> = <num>, <num>", "<int=>, <T=> = <num>, <T>",
		"<T=>, <int=> = <T>, <num>",
		"<s=>, <int=> = <s>, <num>", "<int=>, <s=> = <num>, <s>", "<T=>, <T=> = <T>, <T>",
		"<V=>, <int=> = <V>, <num>", "<int=>, <map=> = <num>, <map>", "<z=>, <x=> = <z>, <x>",
		"<l=>, <int=> = <l>, <num>", "<G=>, <int=> = <G>, <num>",
		"<int=>, <int=>, <int=> = <num>, <num>, <num>", "<T=>, <s=>, <int=> = <T>, <s>, <num>",
		"<int=>, <int=> = two(<num>)", "<T=>, <int=> = twop(<num>)", "<s=>, <T=> = twos(<num>)",
		"<int=>, <ok=> = <map>[<z>]", "<T=>, <ok=> = gn[<x>]", "<T=>, _ = <x>.(*T)",
		"<int=>, <ok=> = <x>.(int)", "<int=>, <ok=> = <-<c>", "_, <int=> = <num>, <num>",
		"<int=>, _ = two(<num>)", "s[<ix>], s[<ix>] = s[<ix>], s[<ix>]",
		"p.v, q.v = q.v, p.v", "p.p, q.p, gp = q, gp, p.p",
		"p, p.v = <T>, <num>", "gp, gp.p = <T>, <T>", "i, s[i] = <num>, <num>",
		"gi, gs[gi&1] = <num>, <num>", "s, s[1] = <s>, <num>", "p.s, p.s[1] = <s>, <num>",
		"p.p, p.p.v = <T>, <num>", "g, g.k = <G>, <num>", "*gpp, gp.v = <T>, <num>",
		"<int=>, <T=> = func() (a int, b *T) { " +
			"defer func() { ended(recover()); a += <num> }(); a, b = <num>, <T>; " +
			"return <num>, <T> }()"},
	"update": {"<int=> += <num>", "<int=> -= <num>", "<int=> *= <num>", "<int=> /= <int>",
		"<int=> %= <int>", "<int=> <<= <int>", "<int=>++", "<int=>--", "!<z=> += <z>",
		"<int=> |= <num>", "<s>[<s>[<ix>]] += <s>[<ix>]", "<s>[<s>[<ix>]&1] *= <s>[<ix>] + gi",
		"<T>.s[<T>.s[<ix>]] -= <T>.v", "<T>.a[<s>[<ix>]+1]++", "gl[gs[<ix>]] += <s>[<ix>]"},
	"call": {"f(<num>)", "<T>.inc(<num>)", "h(<x>, <int>, <T>)", "<T>.next(<num>).inc(<num>)",
		"copy(<s>, <s>)", "clear(<s>)", "clear(<map>)", "delete(<map>, <z>)", "delete(gn, <x>)",
		"sent <- <num>", "<G>.set(<num>)", `show("s", <int>, <T>, <int>)`, "<T>.ref(<num>)",
		`show("t", <s>, <V>, <l>)`, "gv.ref(<num>)", "panic(<z>)", "swapped(<s>, <ix>, <ix>)"},
	"define": {`{ d, e := <num>, <T>; d += <num>; show("d", d, e) }`,
		`{ d := <int>; gpi = &d; d = <num>; *gpi += <num>; show("d", d) }`,
		`{ d := <s>; gps = &d; d = append(d, <num>); d[<ix>] = <num>; show("d", d) }`,
		`{ d := append(gp.s, <num>); gps = &d; show("d", d) }`,
		`{ d, e := two(<num>); gpi = &e; e, d = <num>, <num>; show("d", d, e) }`,
		`{ var d, e = <num>, <s>; gpi = &d; e, d = <s>, <num>; show("d", d, e) }`,
		`{ d := <T>; gpp = &d; d, d.v = <T>, <num>; show("d", d) }`,
		`{ d := <T>.inc; d(<num>) }`, `{ d := <T>.get; <int=> = d(<num>) + <num> }`,
		`{ d := <V>; gpv = &d; d.e, d.b[<ix>] = <num>, <num>; show("d", d) }`},
	"loop": {"for <int=>, <int=> = range (<s>) { lap(); <statement> }",
		"for <int=> = range (<l>) { lap(); <statement> }",
		"for _, <int=> = range (<l>) { lap(); <statement> }",
		"for k, e := range (<s>) { lap(); <int=> = k + e; <statement> }",
		"for k, e := range <T>.a { lap(); <int=> = k + e; <statement> }",
		"for _, e := range &<T>.a { lap(); <int=> = e; <statement> }",
		"for k, e := range <zv> { lap(); <int=> = k + int(e); <statement> }",
		"for k := range <int> & 3 { lap(); <int=> = k }",
		"for _, t := range <T>.ps { lap(); t.v++; <statement> }",
		"for <int=> = range <int> & 3 { lap(); <statement> }",
		`for <z=>, <int=> = range (map[string]int{"a": <num>}) { lap(); <statement> }`,
		"for i = 0; <ok>; <int=>++ { lap(); <statement> }",
		"for <int=> = <num>; j < 4; j, <int=> = j + 1, <num> { lap(); <statement> }"},
	"branch": {"if (<ok>) { <statement> } else { <statement> }",
		"if <int=> = <num>; (<ok>) { <statement> }", "if <int=>++; (<ok>) { <statement> }",
		"switch (<int>) { case <int>: <statement>; case <int>, <int>: <statement>; " +
			"default: <statement> }",
		`switch y := <x>.(type) { case int: show("y", y); <statement>; case *T: y.v++; ` +
			`default: <statement> }`,
		"select { case <int=> = <-<c>: <statement>; default: <statement> }",
		"select { case <int=>, <ok=> = <-<c>: <statement>; default: <statement> }",
		"select { case sent <- <num>: default: }"},
	"defer": {"defer f(<num>)", "defer h(<x>, <int>)", "defer <T>.inc(<num>)",
		"defer func() { ended(recover()); <statement> }()",
		"func() { defer func() { ended(recover()) }(); <statement>; <statement> }()",
		"defer <T>.get(<num>)", "defer delete(<map>, <z>)"},
}

var symbol = regexp.MustCompile(`<[A-Za-z]+=?>`)

// A maker makes a function.
type maker struct {
	*rand.Rand
	of    map[string][]string // a grammar
	loops int
}

// text expands a symbol. Below depth 0 it takes only what has no symbols, if there is such.
func (m *maker) text(name string, depth int) string {
	var list []string
	for _, s := range m.of[name] {
		if !(m.loops > 0 && growing(s)) && (depth > 0 || !symbol.MatchString(s)) {
			list = append(list, s)
		}
	}
	if len(list) == 0 {
		list = slices.DeleteFunc(slices.Clone(m.of[name]), growing)
	}
	s := list[m.IntN(len(list))]
	if growing(s) {
		s = s[1:]
	}
	if name == "loop" {
		m.loops++
		defer func() { m.loops-- }()
	}
	return symbol.ReplaceAllStringFunc(s, func(s string) string {
		return m.text(s[1:len(s)-1], depth-1)
	})
}

func growing(s string) bool { return s[0] == '!' }

// A function is the source of a generated one.
type function struct {
	seed             uint64
	head, statements []string
}

// makeFunction makes the function of a seed.
func makeFunction(seed uint64) function {
	m := &maker{Rand: rand.New(rand.NewPCG(seed, 1)), of: grammar}
	f := function{seed: seed, head: m.head()}
	for range 1 + m.IntN(4) {
		f.statements = append(f.statements, m.text("statement", 2+m.IntN(4)))
	}
	return f
}

// locals are the variables of a function, their initial values, a function's changes of them, and
// the global pointer that one that escapes is kept in.
var locals = []struct{ name, value, change, pointer string }{
	{"i", "1", "i++", "gpi"}, {"j", "2", "j--", ""},
	{"p", "pool[0]", "p = pool[n&3]", "gpp"}, {"q", "pool[1]", "q = q.p", ""},
	{"s", "[]int{1, 2, 0}", "s = append([]int{n}, s...)", "gps"},
	{"r", "make([]int, 2, 3)", "r = r[1:]", ""},
	{"l", "[4]int{1, 2, 3, 0}", "l[n&3]++", "gpl"},
	{"v", "V{e: 1, r: pool[2], u: []int{2, 1}}", "v.e++", "gpv"},
	{"m", `map[string]int{"a": 1}`, `m = map[string]int{"b": n}`, ""},
	{"z", `"loc"`, "z = z[1:]", ""}, {"x", "any(1)", "x = z", ""},
	{"g", "&G[int]{k: 1, ks: []int{1, 0}}", "g = gg", ""}, {"ok", "true", "ok = !ok", ""},
}

// head declares the locals: some escape, some are changed by the closure change and shown even
// after a panic, the others are only the function's.
func (m *maker) head() (lines []string) {
	shown, changes, pi := []string{}, []string{}, "gpi"
	for _, l := range locals {
		lines = append(lines, l.name+" := "+l.value)
		switch m.IntN(4) {
		case 0:
			if l.pointer != "" {
				lines = append(lines, l.pointer+" = &"+l.name)
			}
		case 1:
			shown = append(shown, l.name)
			changes = append(changes, l.change)
		case 2:
			if l.name == "i" {
				pi = "&i"
			}
		}
	}
	return append(lines, "pi := "+pi,
		`change := func(n int) int { note("change", n); `+strings.Join(changes, "; ")+
			"; return n }",
		"defer func() { "+show("captured", shown)+" }()", "_, _ = pi, change")
}

func show(name string, list []string) string {
	return "show(" + strings.Join(append([]string{`"` + name + `"`}, list...), ", ") + ")"
}

func (f function) String() string {
	var all []string
	for _, l := range locals {
		all = append(all, l.name)
	}
	return "\t" + strings.Join(slices.Concat(f.head, f.statements,
		[]string{show("locals", all)}), "\n\t") + "\n"
}

// source is the file of a program that consists of functions.
func source(list []function) string {
	var b strings.Builder
	b.WriteString("package main\n\nvar functions = []struct {\n\tname string\n\tcall func()\n}{\n")
	for i := range list {
		fmt.Fprintf(&b, "\t{\"%d\", f%d},\n", i, i)
	}
	b.WriteString("}\n")
	for i, f := range list {
		fmt.Fprintf(&b, "\nfunc f%d() {\n%s}\n", i, f)
	}
	return b.String()
}

// nesting forgets accesses, and checks that regions nest.
type nesting struct {
	open  map[uint64][]uint32 // by goroutine
	begun int
	wrong []collect.Act
}

func (n *nesting) Batch(b *collect.Batch) error {
	for _, a := range b.Acts {
		open := n.open[a.Goroutine]
		switch {
		case a.Kind == loi.EventRegion:
			n.begun++
			n.open[a.Goroutine] = append(open, a.Number)
		case a.Kind != loi.EventRegionEnd:
		case len(open) == 0 || open[len(open)-1] != a.Number:
			n.wrong = append(n.wrong, a)
		default:
			n.open[a.Goroutine] = open[:len(open)-1]
		}
	}
	return nil
}

// check fails where a region had no end, or one that is not that of the innermost.
func (n *nesting) check(t *testing.T, some bool) {
	t.Helper()
	if some != (n.begun > 0) || len(n.wrong) > 0 {
		t.Errorf("%d regions began, and %d ends are wrong: %v", n.begun, len(n.wrong),
			n.wrong[:min(len(n.wrong), 3)])
	}
	for g, open := range n.open {
		if len(open) > 0 {
			t.Errorf("goroutine %d ended in the regions %v", g, open)
		}
	}
}

// outcome holds the output of each function of a program, as it is and rewritten.
type outcome struct{ plain, rewritten []string }

// differences lists the functions whose outcomes differ.
func (o *outcome) differences() (list []int) {
	for i := range o.plain {
		if i >= len(o.rewritten) || o.plain[i] != o.rewritten[i] {
			list = append(list, i)
		}
	}
	return list
}

// outcomes builds and runs a program of functions twice.
func outcomes(t *testing.T, list []function, how front.Options) *outcome {
	t.Helper()
	b := passing(t, laid(t, "random", source(list)), build.Request{Path: ".", Options: how})
	if len(b.Files) != 2 || len(b.Sites) < 5*len(list) {
		t.Fatalf("%d files and %d sites were rewritten", len(b.Files), len(b.Sites))
	}
	var out bytes.Buffer
	nested := &nesting{open: map[uint64][]uint32{}}
	rewritten, r := traced(t, b, nested)
	rewritten.Stdout = &out
	r.Stack = how.Stack
	run(t, rewritten, b, r, how.Sync)
	nested.check(t, how.Regions)
	as, err := exec.Command(built.Plain(b)).Output()
	if err != nil {
		t.Fatal(err)
	}
	return &outcome{strings.Split(string(as), "\n"), strings.Split(out.String(), "\n")}
}

// laid returns the folder of a program of testdata with its file functions.go.
func laid(t *testing.T, name, functions string) string {
	t.Helper()
	files := map[string][]byte{"functions.go": []byte(functions)}
	paths, err := filepath.Glob(filepath.Join("testdata", name, "*"))
	if err != nil || len(paths) != 2 {
		t.Fatal(paths, err)
	}
	for _, path := range paths {
		if files[filepath.Base(path)], err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	return corpus.Lay(t, name, files)
}

// TestRandom compares what functions of random statements do, as they are and rewritten: the calls
// that they make, in order, how they panic, and what their state is then.
func TestRandom(t *testing.T) {
	for name, how := range some("accesses", "all", "no-iterations") {
		t.Run(name, func(t *testing.T) { random(t, how) })
	}
}

func random(t *testing.T, how front.Options) {
	build := long.Or(200, 400)
	panics := 0
	functions := long.Or(200, 3200)
	for first := 0; first < functions; first += build {
		var list []function
		for i := range build {
			list = append(list, makeFunction(uint64(first+i)))
		}
		o := outcomes(t, list, how)
		if len(o.plain) != build+1 {
			t.Fatalf("%d lines of %d functions", len(o.plain), build)
		}
		for _, line := range o.plain {
			if strings.Contains(line, " panic:") {
				panics++
			}
		}
		for _, i := range o.differences() {
			report(t, list[i], how)
		}
	}
	if panics < functions/10 || panics > functions*9/10 {
		t.Errorf("%d of %d functions panic", panics, functions)
	}
}

// report fails with the fewest statements of a function that do something else when rewritten.
func report(t *testing.T, f function, how front.Options) {
	t.Helper()
	var list []function
	for set := 1; set < 1<<len(f.statements); set++ {
		some := function{seed: f.seed, head: f.head}
		for i, s := range f.statements {
			if set>>i&1 != 0 {
				some.statements = append(some.statements, s)
			}
		}
		list = append(list, some)
	}
	slices.SortStableFunc(list, func(a, b function) int {
		return len(a.statements) - len(b.statements)
	})
	o := outcomes(t, list, how)
	for _, i := range o.differences() {
		a, b := parting(o.plain[i], o.rewritten[i])
		t.Errorf("seed %d:\n%s\nas it is:\n%s\nrewritten:\n%s", f.seed, list[i], a, b)
		return
	}
	t.Errorf("seed %d differs only beside other functions", f.seed)
}

// parting cuts two texts off some words after they part, and the common text long before.
func parting(a, b string) (string, string) {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	cut := func(s string) string { return s[max(0, n-300):min(len(s), n+100)] }
	return cut(a), cut(b)
}
