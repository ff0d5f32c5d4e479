package build_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"krdlab/hw/hwtest/long"
	"krdlab/loi/collect"
	"krdlab/loi/front"
	"krdlab/loi/front/build"
	"krdlab/loi/front/corpus/built"
)

// counted is a grammar, as grammar is, of functions with loops that may be steady. Their names are
// declared in testdata/randomloops/main.go and in loopHead.
var counted = map[string][]string{
	"num": {"0", "1", "2", "3"},
	"limit": {"0", "1", "2", "3", "n", "n", "20", "40", "g.n", "len(<s>)", "n+<num>", "len(a)-<num>",
		"ints[<num>]", "w", "min(n, len(<s>))"},
	"int": {"int(i)", "int(i)", "int(i)", "j", "k", "m", "n", "<num>", "(int(i) + <int>)",
		"(<int> * <int>)", "(<int> - <num>)", "len(<s>)", "int(sm[<ix>])", "col[<ix>]", "g.n",
		"(int(i) << <num>)", "(int(i) & 7)", "(-(<int>))", "int(uint8(<int>))", "max(<int>, <num>)"},
	"ix": {"i", "i", "i", "i", "i", "i+<num>", "i-1", "2*i", "len(<s>)-1-int(i)", "j", "k", "m",
		"j+int(i)", "int(i)*w", "<num>", "i+1", "col[i]", "col[i]", "col[col[i]]", "sm[i]",
		"ints[int(i)+<num>]", "<int>", "3*i+<num>"},
	"jx": {"<num>", "<num>", "<num>", "i", "i&3", "col[i]&3", "<int>&3"},
	"f=": {"a[<ix>]", "a[<ix>]", "b[<ix>]", "b[<ix>]", "c[<ix>]", "data[<ix>]", "p[<ix>].x",
		"p[<ix>].y", "p[<ix>].in[<jx>]", "q.x", "q.in[<jx>]", "pairs[<ix>].in[<jx>]", "pairs[<ix>].y",
		"g.sum", "g.rows[<jx>][<ix>]", "g.row.in[<jx>]", "g.row.x", "*pf", "la[<ix>]", "sl[<ix>]",
		"(*pa)[<ix>]", "pa[<ix>]", "e.x", "e.in[<jx>]"},
	"f": {"<f=>", "<f=>", "<f=>", "t", "x", "1.5", "(<f> * <f>)", "(<f> + <f>)", "(<f> / <f>)",
		"float64(<int>)", "math.Abs(<f>)", "-(<f>)", "float64(text[<ix>])", "max(<f>, <f>)"},
	"s": {"a", "b", "c", "data[<num>:20]", "g.rows[<num>]", "sl", "a[:n]", "la[:]"},
	"statement": {"<f=> = <f>", "<f=> = <f>", "<f=> += <f>", "<f=>++", "t += <f>", "t += <f>",
		"j += <num>", "j++", "k--", "k -= w", "m = <int>", "m = int(i*i)", "w = w%3 + 1", "{ y := <f>; <f=> = y }",
		"{ o := <int>; <f=> = data[o] }", "{ o := int(i) + <num>; <f=> = a[o] * b[o] }",
		"<f=>, <f=> = <f>, <f>", "col[<ix>] = <int> % 45", "sm[<ix>] = int32(<int>) & 31", "ints[<ix>] = <int> & 31",
		"if t > <num> { t = <num> }", "if <f> > t { t = <f> }", "if i == 3 { j = 2 }",
		"if <f> < -1e300 { break }", "if <int> == 7 { continue }", "g.n = <num>", "x = <f>",
		"t += <f> + <f>", "<f=> = <f> + <f>", "if i > 5 && <f> > 3 { t++ }", "a = b", "q = &p[<ix>]",
		"_ = <f=>", "<f=> = q.x * a[i]"},
	"body": {"{ <used>; <statement> }", "{ <statement>; <used> }", "{ <used>; <statement>; <statement> }",
		"{ <statement>; <statement>; <statement>; <used> }", "{ <used>; <statement>; <loop> }"},
	"flat": {"{ <statement> }", "{ <statement>; <statement> }"},
	"used": {"t += float64(i)", "_ = i"},
	"loop": {"for i := 0; i < <limit>; i++ <body>", "for i := 0; i < <limit>; i++ <body>",
		"for i := <num>; i <= <limit>; i += 2 <body>", "for i := <num>; i < <limit>; i += w <body>",
		"for i := <limit>; i >= 0; i-- <body>", "for i := <limit> - 1; i >= <num>; i -= 3 <body>",
		"for i := n; i > <num>; i-- <body>", "for i := 0; i != n; i++ <body>",
		"for i := n; i != 0; i-- <body>", "for i := uint(n); i != 0; i-- <body>",
		"for i := int32(<num>); i < int32(<limit>); i++ <body>",
		"for i := uint8(0); i < uint8(n); i++ <body>", "for i := uint8(250); i != 5; i++ <body>",
		"for i := int8(120); i > 0; i++ <body>", "for i := sm[1]; i < sm[<num>]; i++ <body>",
		"for i, u := 0, <num>; i < <limit>; i++ { t += float64(u); <statement>; u += 2 }",
		"for i := range <s> <body>", "for i := range <s> <body>", "for i := range <limit> <body>",
		"for i := range int32(n) <body>", "for i, x := range <s> { t += x; <used>; <statement> }",
		"for _, x := range <s> { t += x; <statement> }", "for range <s> <flat>",
		"for i, v := range col { <used>; a[v] += <f>; <statement> }", "for range <limit> <flat>",
		"for i, z := range p { t += z.y; <used>; <statement> }", "{ i := 3; for i = 0; i < <limit>; i++ <body> }",
		"for i := 0; i < <limit> && <f> < 1e300; i++ <body>", "for i := 0; i < <limit>; i++ <body>",
		"for i := 0; <limit> > i; i++ { <used>; <statement>; if i > 50 { break } }",
		"for i := range pairs { <used>; <statement> }", "for i := range text { <used>; <statement> }"},
}

// loopHead declares what a function of loops has: t is its result.
const loopHead = `a, b, c := data[%d:%[1]d+40], data[%[2]d:%[2]d+40], data[300:340]
	n, j, k, m, w, i, x := %[3]d, %[4]d, 30, 1, %[5]d, 1, 2.0
	col, sm, p, q := ints[:40], small[%[4]d:40], pairs[5:45], &pairs[7]
	var la [40]float64
	sl, pa, e, t := la[3:], (*[40]float64)(data[200:]), pairs[3], 0.0
	defer func() { *result = t }()
	_, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _ = a, b, c, n, j, k, m, w, i, x, col, sm, p, q, sl, pa
	_ = e`

// loops is the source of a function of loops.
func loops(seed uint64) string {
	m := &maker{Rand: rand.New(rand.NewPCG(seed, 2)), of: counted}
	lines := []string{fmt.Sprintf(loopHead, m.IntN(60), m.IntN(60), []int{0, 1, 2, 3, 7, 20, 33,
		40}[m.IntN(8)], m.IntN(4), 1+m.IntN(3))}
	for range 1 + m.IntN(3) {
		lines = append(lines, m.text("loop", 3+m.IntN(3)))
	}
	return "\t" + strings.Join(lines, "\n\t") + "\n"
}

// An event is an access, as accesses lists it.
type event struct {
	line  int
	what  string
	bytes uint32
	at    int64
	in    string // the innermost function or loop; "": it is not known
}

// events lists the accesses of functions by the lines that these begin in.
type events struct {
	accesses
	lines []int
	of    [][]event
	words []string // by site
}

func (a *events) Batch(b *collect.Batch) error {
	acts := b.Acts
	defer func() { a.until(a.reader, acts, len(b.Places)) }()
	for i, p := range b.Places {
		acts = a.until(a.reader, acts, i)
		n := a.reader.Groups[b.Groups[i]].Site
		s := &a.sites[n-1]
		if filepath.Base(s.File) != "functions.go" {
			continue
		}
		if _, ok := a.first[n]; !ok {
			a.first[n], a.words[n] = p, s.What()
		}
		f := len(a.lines) - 1
		for f > 0 && a.lines[f] > s.Line {
			f--
		}
		a.of[f] = append(a.of[f], event{s.Line, a.words[n], b.Bytes[i], int64(p - a.first[n]),
			a.inside.of(turnOf(b, i).Goroutine)})
	}
	return nil
}

// TestRandomLoops compares the accesses read from random loops, some of them steady, with those
// read where each access is an event, as it is beside iterations. So it does with the accesses
// beside regions without iterations, and their functions and loops. Their results and panics must
// be those of the plain program.
func TestRandomLoops(t *testing.T) {
	const build = 150
	accesses, panics, steady, all := 0, 0, 0, long.Or(build, 10*build)
	for first := 0; first < all; first += build {
		n := compareLoops(t, uint64(first), build)
		accesses, panics, steady = accesses+n[0], panics+n[1], steady+n[2]
		if t.Failed() {
			break
		}
	}
	t.Logf("%d accesses, %d panics, %d steady loops", accesses, panics, steady)
	if accesses < all*100 || panics < all/10 || panics > all*9/10 || steady < all/10 {
		t.Errorf("%d accesses, %d panics and %d steady loops of %d functions", accesses, panics,
			steady, all)
	}
}

// compareLoops compares so many functions, and counts the accesses, the panics and the loops that
// may be steady.
func compareLoops(t *testing.T, seed uint64, n int) (counts [3]int) {
	t.Helper()
	var b strings.Builder
	b.WriteString("package main\n\nimport \"math\"\n\nvar functions = []func(*float64){")
	for i := range n {
		fmt.Fprintf(&b, "f%d, ", i)
	}
	b.WriteString("}\n\nvar _ = math.Pi\n")
	var sources []string
	var lines []int
	for i := range n {
		lines = append(lines, strings.Count(b.String(), "\n")+1)
		sources = append(sources, loops(seed+uint64(i)))
		fmt.Fprintf(&b, "\nfunc f%d(result *float64) {\n%s}\n", i, sources[i])
	}
	dir := laid(t, "randomloops", b.String())
	var want []string
	for _, stack := range []bool{false, true} {
		var all [3]*events
		loops := &unrolled{}
		for i := range all {
			a := &events{lines: lines, of: make([][]event, n)}
			all[i] = a
			program := passing(t, dir, build.Request{Path: ".", Options: front.Options{
				Regions: i > 0, Iterations: i == 1, Stack: stack}})
			if len(program.Files) != 2 {
				t.Fatalf("%d files", len(program.Files))
			}
			if want == nil {
				want = strings.Split(asItIs(t, built.Plain(program)), "\n")
				counts[1] = strings.Count(strings.Join(want, "\n"), "panic: ")
			}
			for _, text := range program.Files {
				counts[2] += bytes.Count(text, []byte("A.WE("))
			}
			a.sites, a.first, a.inside = program.Sites, map[int]uint64{}, newInside()
			a.words = make([]string, len(program.Sites)+1)
			c, r := traced(t, program, a)
			if a.reader, r.Stack = r, stack; i == 2 {
				loops.Sink, r.Loops = a, loops
			}
			var out bytes.Buffer
			c.Stdout = &out
			run(t, c, program, r, false)
			for f, line := range strings.Split(out.String(), "\n") {
				if f >= len(want) || line != want[f] {
					t.Fatalf("seed %d, stack %v, program %d:\n%s\nas it is:\n%s\nrewritten:\n%s",
						seed+uint64(f), stack, i, sources[min(f, n-1)], want[min(f, n)], line)
				}
			}
		}
		for f := range n {
			name := fmt.Sprintf("seed %d, stack %v", seed+uint64(f), stack)
			sameEvents(t, all[2].of[f], all[1].of[f], name+", without iterations", b.String())
			for i := range all[1].of[f] {
				all[1].of[f][i].in = ""
			}
			sameEvents(t, all[0].of[f], all[1].of[f], name, b.String())
			counts[0] += len(all[0].of[f])
		}
		if !maps.Equal(all[1].runs, all[2].runs) || len(all[1].runs) < n {
			t.Errorf("seeds from %d on, stack %v: functions and loops began without iterations\n%v\n"+
				"expected\n%v", seed, stack, all[2].runs, all[1].runs)
		}
		if loops.loops == 0 {
			t.Error("no loop comes as one")
		}
	}
	return counts
}

// asItIs returns what a program prints, whose loops may not end.
func asItIs(t *testing.T, program string) string {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	out, err := exec.CommandContext(ctx, program).Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// sameEvents fails where two lists part.
func sameEvents(t *testing.T, got, want []event, name, source string) {
	t.Helper()
	for i := range max(len(got), len(want)) {
		if i < len(got) && i < len(want) && got[i] == want[i] {
			continue
		}
		from := max(0, i-4)
		part := func(list []event) []event { return list[min(from, len(list)):min(i+3, len(list))] }
		line := append(got[:len(got):len(got)], want...)[min(i, len(got)+len(want)-1)].line
		t.Errorf("%s: access %d of %d, expected %d:\n%v\nexpected\n%v\n%s", name, i, len(got), len(want),
			part(got), part(want), strings.Split(source, "\n")[line-1])
		return
	}
}
