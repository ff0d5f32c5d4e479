package build_test

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"krdlab/loi"
	"krdlab/loi/collect"
	"krdlab/loi/front"
	"krdlab/loi/front/corpus"
	"krdlab/loi/front/corpus/built"
)

// accesses lists what the case loops accesses: the line and the words of each site, and the place
// from that of the site's first access.
type accesses struct {
	sites  []front.Site
	reader *collect.Reader
	first  map[int]uint64
	list   []string
	in     []string // of each, in which function or loop; "": it is not known
	inside
}

// inside keeps in which function or loop a goroutine is.
type inside struct {
	open map[uint64][]begunRegion
	runs map[string]int // how often each of them began
}

type begunRegion struct {
	number uint32
	name   string // of the innermost function or loop
}

func newInside() inside {
	return inside{map[uint64][]begunRegion{}, map[string]int{}}
}

// until takes the acts before an access of a batch, which it returns without them.
func (in *inside) until(r *collect.Reader, acts []collect.Act, access int) []collect.Act {
	for ; len(acts) > 0 && acts[0].After <= access; acts = acts[1:] {
		a := &acts[0]
		open := in.open[a.Goroutine]
		switch a.Kind {
		case loi.EventRegion:
			x := begunRegion{a.Number, in.of(a.Goroutine)}
			if s := &r.Regions[a.Region-1]; s.Kind != loi.Iteration {
				x.name = fmt.Sprintf("%s:%d %v", s.Function, s.Line, s.Kind)
				in.runs[x.name]++
			}
			in.open[a.Goroutine] = append(open, x)
		case loi.EventRegionEnd:
			if n := len(open) - 1; n < 0 || open[n].number != a.Number {
				panic("a region ends that is not the innermost")
			}
			in.open[a.Goroutine] = open[:len(open)-1]
		}
	}
	return acts
}

// of is the name of the innermost function or loop.
func (in *inside) of(goroutine uint64) string {
	if open := in.open[goroutine]; len(open) > 0 {
		return open[len(open)-1].name
	}
	return ""
}

// turnOf is the turn that access i of a batch is of.
func turnOf(b *collect.Batch, i int) *collect.Turn {
	n, _ := slices.BinarySearchFunc(b.Turns, i+1, func(t collect.Turn, i int) int { return t.End - i })
	return &b.Turns[n]
}

// unrolled makes a sink take the iterations of loops one by one.
type unrolled struct {
	collect.Sink
	loops int
}

func (u *unrolled) Loop(l *collect.Loop) error {
	u.loops++
	b := &collect.Batch{}
	for i := range l.Times {
		for _, a := range l.Accesses {
			b.Places = append(b.Places, a.Place+i*uint64(a.Step))
			b.Bytes, b.Groups = append(b.Bytes, a.Bytes), append(b.Groups, a.Group)
		}
	}
	b.Turns = []collect.Turn{{End: len(b.Places), Goroutine: l.Goroutine}}
	return u.Batch(b)
}

func (a *accesses) Batch(b *collect.Batch) error {
	acts := b.Acts
	defer func() { a.until(a.reader, acts, len(b.Places)) }()
	for i, p := range b.Places {
		acts = a.until(a.reader, acts, i)
		n := a.reader.Groups[b.Groups[i]].Site
		s := &a.sites[n-1]
		if filepath.Base(filepath.Dir(s.File)) != "loops" {
			continue
		}
		if _, ok := a.first[n]; !ok {
			a.first[n] = p
		}
		a.list = append(a.list, fmt.Sprintf("%s:%d %s of %d at %d", filepath.Base(s.File), s.Line,
			s.What(), b.Bytes[i], int64(p-a.first[n])))
		a.in = append(a.in, a.of(turnOf(b, i).Goroutine))
	}
	return nil
}

// TestLoops compares the accesses read from a program whose steady loops are events of their own
// with those read where each access is one, as it is beside iterations, and both with those read
// beside regions without iterations; and its output with that of the plain program.
func TestLoops(t *testing.T) {
	lists, want := map[string]*accesses{}, ""
	for name, how := range variants {
		b := whole(t, corpus.Front(t), how)
		if want == "" {
			as, err := exec.Command(built.Plain(b), "loops").Output()
			if err != nil {
				t.Fatal(err)
			}
			want = string(as)
		}
		a := &accesses{sites: b.Sites, first: map[int]uint64{}, inside: newInside()}
		compared := !how.Stack && !how.Sync && !how.Values
		var sink collect.Sink = &nesting{open: map[uint64][]uint32{}}
		if compared {
			sink, lists[name] = a, a
		}
		program, r := traced(t, b, sink)
		r.Stack, a.reader = how.Stack, r
		each := &unrolled{Sink: a}
		if name == "no-iterations" {
			r.Loops = each
		}
		var out bytes.Buffer
		program.Stdout, program.Args = &out, append(program.Args, "loops")
		if run(t, program, b, r, how.Sync); out.String() != want {
			t.Errorf("%s prints\n%s\nexpected\n%s", name, out.String(), want)
		}
		if r.Loops != nil && each.loops < 20 {
			t.Errorf("%d loops come as one", each.loops)
		}
	}
	if len(lists) != 3 {
		t.Fatalf("%d programs are compared", len(lists))
	}
	each, begun := lists["regions"], 0 // access by access
	for name := range each.runs {
		begun += count(strings.HasPrefix(name, corpus.Module+"/loops."))
	}
	if len(each.list) < 10_000 || begun < 50 {
		t.Errorf("%d accesses in %d functions and loops", len(each.list), begun)
	}
	for name, got := range lists {
		for i := range min(len(got.list), len(each.list)) {
			if got.list[i] != each.list[i] || name == "no-iterations" && got.in[i] != each.in[i] {
				from := max(0, i-5)
				t.Fatalf("%s, access %d:\n%s\nin %s, expected\n%s\nin %s", name, i,
					strings.Join(got.list[from:i+1], "\n"), got.in[i],
					strings.Join(each.list[from:i+1], "\n"), each.in[i])
			}
		}
		if len(got.list) != len(each.list) {
			t.Errorf("%s: %d accesses, expected %d", name, len(got.list), len(each.list))
		}
	}
	if runs := lists["no-iterations"].runs; !maps.Equal(runs, each.runs) {
		t.Errorf("without iterations functions and loops began\n%v\nexpected\n%v", runs, each.runs)
	}
}

// TestTrips compares the agent's count of iterations with loops of 8 bits, for all beginnings, ends
// and some steps.
func TestTrips(t *testing.T) {
	src, err := os.ReadFile("_agent/agent.go")
	if err != nil {
		t.Fatal(err)
	}
	text := string(src)
	part := func(from, to string) string {
		i := strings.Index(text, from)
		j := strings.Index(text[i:], to)
		return text[i : i+j+len(to)]
	}
	out := printed(t, "trips", "package main\n"+part("type integer interface", "\n}\n")+
		part("func T[I integer]", "\n}\n")+part("const (\n\ttripLess", "\n)\n")+trips)
	if out != "1572864 loops\n" {
		t.Error(out)
	}
}

// trips runs each loop for as long as its index does not wrap around: then, and where it does not
// begin, T is 0.
const trips = `
func naive[I integer](i, e, step I, op int) (n uint64) {
	for ; n < 300; n++ {
		goes := false
		switch op {
		case tripLess:
			goes = i < e
		case tripLessOrEqual:
			goes = i <= e
		case tripNotEqual, tripNotEqualDown:
			goes = i != e
		case tripMore:
			goes = i > e
		case tripMoreOrEqual:
			goes = i >= e
		}
		if !goes {
			return n
		}
		next := i + step
		if op >= tripMore {
			next = i - step
		}
		if op < tripMore && next < i || op >= tripMore && next > i {
			return 0
		}
		i = next
	}
	return 0
}

func all[I integer](low I) (n int) {
	for _, step := range []I{1, 3} {
		for op := tripLess; op <= tripNotEqualDown; op++ {
			step := step
			if op == tripNotEqual || op == tripNotEqualDown {
				step = 1
			}
			for i := range 256 {
				for e := range 256 {
					from, to := low+I(i), low+I(e)
					if got, want := T(from, to, step, op), naive(from, to, step, op); got != want {
						println("from", from, "to", to, "step", step, "op", op, ":", got, "expected", want)
						panic("")
					}
					n++
				}
			}
		}
	}
	return n
}

func main() {
	n := all[int8](-128)
	println(n+all[uint8](0), "loops")
}
`
