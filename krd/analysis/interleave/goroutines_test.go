package interleave

import (
	"bytes"
	"context"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"krdlab/krd/analysis"
	"krdlab/krd/doc"
	"krdlab/loi"
)

// Main, which is worker 0, starts worker 1. Both write block 1 of A under a lock, and block 2 of each
// lies between; main reads block 1 once more.
const twoGoroutines = `loi-text 4
substrate native
clock tsc 1e9
nodes 1
l2 64
llc 64
grain kernel
program "go two"
worker 0 cpu -1 node 0 offset 0
worker 1 cpu -1 node 0 offset 0
object A keyed
object main.mu keyed
kernel f
0 100 event start(1)
0 110 event spawn(2,0,0)
0 120 event sync(5,1,0,7,0,115,0,120,0,0,0)
0 121 121 f{A[0x1:64]:inout}
0 130 event sync(6,1,0,7,0,130,0,130,0,0,0)
0 160 160 f{A[0x2:64]:in}
0 170 event sync(5,1,0,7,0,165,0,170,0,0,0)
0 171 171 f{A[0x1:64]:in}
0 180 event sync(6,1,0,7,0,180,0,180,0,0,0)
0 200 event end(1,0,0)
1 112 event start(2)
1 140 event sync(5,1,0,7,0,113,0,140,0,0,0)
1 141 141 f{A[0x1:64]:inout}
1 150 event sync(6,1,0,7,0,150,0,150,0,0,0)
1 190 event end(2,0,0)
`

func goroutinesOf(t *testing.T, o *Options) (analysis.Result, error) {
	t.Helper()
	return goroutinesIn(t, twoGoroutines, o)
}

func goroutinesIn(t *testing.T, text string, o *Options) (analysis.Result, error) {
	t.Helper()
	tr, err := loi.ParseText(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return o.Trace(context.Background(), tr, &analysis.Input{Header: &tr.Header})
}

// The other goroutine's critical section comes before, between or behind the pieces of main: four orders.
// Block 1 is at distance 64 once in each, and main finds it written where the other one is between.
func TestExploreGoroutines(t *testing.T) {
	r, err := goroutinesOf(t, defaults())
	if err != nil {
		t.Fatal(err)
	}
	d := r.Document().(*GoroutinesDocument)
	if !d.Complete || d.Goroutines != 2 || d.Pieces != 4 || d.Longest != 1 || d.Accesses != 4 ||
		d.Reuses != 2 || len(d.Groups) != 2 {
		t.Fatalf("%+v", d)
	}
	g, recorded := d.Groups[0], d.Groups[1]
	same := func(r MeasureRange, least, mean, most float64) bool {
		return r.Minimum.Float() == least && r.Mean.Float() == mean && r.Maximum.Float() == most
	}
	if g.Runs != 4 || g.Stuck != 0 || !same(g.Total.Distance, 32, 32, 32) || !same(g.Total.BeyondLLC, 0.25, 0.25, 0.25) ||
		!same(g.Total.Invalidated, 0, 0.125, 0.25) {
		t.Errorf("%+v", g)
	}
	if recorded.Runs != 1 || !same(recorded.Total.Invalidated, 0.25, 0.25, 0.25) || recorded.Name != "recorded" {
		t.Errorf("%+v", recorded)
	}
	var text bytes.Buffer
	if err := r.View().Text(doc.NewPage(&text, 120)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"2 goroutines; 4 pieces with 4 accesses", "has 25 %",
		"whole pieces were gone through, 4:", "between 11 operations", "written by another"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
	rows := r.(analysis.Data).Tables()[0].Rows
	if len(rows) != 2*3*5 || !slices.ContainsFunc(rows, func(row []any) bool { return row[0] == "object" && row[1] == "A" }) {
		t.Errorf("%v", rows)
	}
	if err := r.(analysis.Drawn).Draw(&text, "svg"); err != nil {
		t.Error(err)
	}
}

// TestRecordings checks that the ranges of several recordings are those of all their schedules: in the second
// one the other goroutine reads what main writes, and an object more.
func TestRecordings(t *testing.T) {
	other := strings.ReplaceAll(twoGoroutines, "1 141 141 f{A[0x1:64]:inout}", "1 141 141 g{B[0x1:64]:in}\n"+
		"1 142 142 g{B[0x1:64]:in}\n1 143 143 g{A[0x1:64]:in}")
	other = strings.ReplaceAll(other, "kernel f\n", "object B keyed\nkernel g\nkernel f\n")
	one, two := must(goroutinesIn(t, twoGoroutines, defaults())), must(goroutinesIn(t, other, defaults()))
	a, b := one.Document().(*GoroutinesDocument), two.Document().(*GoroutinesDocument)
	var list []*loi.Trace
	for _, text := range []string{twoGoroutines, other} {
		list = append(list, must(loi.ParseText(strings.NewReader(text))))
	}
	both := must(defaults().All(context.Background(), list, &analysis.Input{Header: &list[0].Header}))
	d := both.Document().(*GoroutinesDocument)
	if d.Recordings != 2 || d.Accesses != 4 || !d.Complete || len(d.Groups) != 2 || *d.Outside != 2 ||
		a.Outside != nil || d.Unordered.ByLocks != a.Unordered.ByLocks+b.Unordered.ByLocks {
		t.Fatalf("%+v", d)
	}
	for i, g := range d.Groups {
		x, y := &a.Groups[i], &b.Groups[i]
		r, p, q := g.Total.Invalidated, x.Total.Invalidated, y.Total.Invalidated
		if g.Runs != x.Runs+y.Runs || r.Minimum.Float() != min(p.Minimum.Float(), q.Minimum.Float()) ||
			r.Maximum.Float() != max(p.Maximum.Float(), q.Maximum.Float()) ||
			math.Abs(r.Mean.Float()-(p.Mean.Float()*float64(x.Runs)+q.Mean.Float()*float64(y.Runs))/float64(g.Runs)) > 1e-9 {
			t.Errorf("%s: %d runs, %+v, of %d with %+v and %d with %+v", g.Name, g.Runs, r, x.Runs, p, y.Runs, q)
		}
		if len(g.Objects) != 2 || g.Objects[1].Name != "B" || g.Objects[1].Distance != y.Objects[1].Distance ||
			len(g.Functions) != 2 || g.Functions[1].Accesses != 3 {
			t.Errorf("%s: %+v", g.Name, g)
		}
	}
	var page bytes.Buffer
	if err := both.View().Text(doc.NewPage(&page, 120)); err != nil ||
		!strings.Contains(page.String(), "Of 2 recordings, the first with 2 goroutines") {
		t.Errorf("%v\n%s", err, page.String())
	}
	same := must(defaults().All(context.Background(), []*loi.Trace{list[0], must(loi.ParseText(strings.NewReader(twoGoroutines)))},
		&analysis.Input{})).Document().(*GoroutinesDocument)
	if *same.Outside != 0 || same.Groups[0].Total.Invalidated != a.Groups[0].Total.Invalidated {
		t.Errorf("%d recordings are outside of others that are the same, %+v", *same.Outside, same.Groups[0])
	}
	list[1].Header.Kernel = "go three"
	if _, err := defaults().All(context.Background(), list, &analysis.Input{}); err == nil ||
		!strings.Contains(err.Error(), "look at one of them at a time") {
		t.Error(err)
	}
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

func TestExploreGoroutinesMistakes(t *testing.T) {
	for want, change := range map[string]func(*Options){
		"for goroutines there are walk and pct": func(o *Options) { o.Samplers = []string{"uniform"} },
		"the trace has goroutines":              func(o *Options) { o.SaveSchedule = "a" },
		"at most 4 steps":                       func(o *Options) { o.Depth = 6 },
		"--memory":                              func(o *Options) { o.Memory = "1K" },
	} {
		o := defaults()
		change(o)
		if _, err := goroutinesOf(t, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, expected %q", err, want)
		}
	}
	o := defaults()
	o.Samplers = []string{"pct", "walk"}
	if _, err := goroutinesOf(t, o); err != nil {
		t.Error(err)
	}
}

// TestUnordered checks that conflicts are told apart by what
// orders them: locks, nothing, or an operation.
func TestUnordered(t *testing.T) {
	without := strings.ReplaceAll(regexp.MustCompile(`(?m)^1 .* sync\(.*\n`).ReplaceAllString(twoGoroutines, ""),
		"0 121 121 f{A[0x1:64]:inout}", "0 121 121 f{A[0x1:64]:in}") // worker 1 has the only write
	sent := strings.ReplaceAll(strings.ReplaceAll(without, "0 170 event sync(5,", "0 170 event sync(2,"),
		"0 180 event sync(6,", "0 180 event sync(18,") + "1 145 event sync(1,1,1,7,0,145,0,145,0,0,0)\n"
	functions := []Conflict{{Object: "A", Does: "write, read", First: "f", Then: "f"}}
	for _, c := range []struct {
		name, text string
		want       Unordered
		words      string
	}{
		{"locks", twoGoroutines, Unordered{ByLocks: 2, Pairs: functions}, "ordered by locks alone"},
		{"nothing", without, Unordered{Conflicts: 2, Pairs: functions}, "another schedule may read another"},
		{"lines", strings.ReplaceAll(without, "kernel f\n", "kernel f\nkernel \"f, a.go:3\"\nkernel \"f, a.go:4\"\n") +
			"0 210 event lines(131073,4294901762)\n1 210 event lines(4294901761)\n",
			Unordered{Conflicts: 2, Pairs: []Conflict{{Object: "A", Does: "write, read", First: "f, a.go:3", Then: "f, a.go:3"},
				{Object: "A", Does: "write, read", First: "f, a.go:3", Then: "f, a.go:4"}}}, "f, a.go:3"},
		{"a send", sent, Unordered{Conflicts: 1, Pairs: functions}, "first, as recorded"},
	} {
		r, err := goroutinesIn(t, c.text, defaults())
		if err != nil {
			t.Fatal(err)
		}
		d := r.Document().(*GoroutinesDocument)
		pairs := slices.Clone(d.Unordered.Pairs)
		for i := range pairs {
			pairs[i].Unordered, pairs[i].ByLocks = 0, 0
		}
		if d.Unordered.Conflicts != c.want.Conflicts || d.Unordered.ByLocks != c.want.ByLocks || !slices.Equal(pairs, c.want.Pairs) {
			t.Errorf("%s: %+v, expected %+v", c.name, d.Unordered, c.want)
		}
		var text bytes.Buffer
		if err := r.View().Text(doc.NewPage(&text, 120)); err != nil || !strings.Contains(text.String(), c.words) {
			t.Errorf("%s: %v, no %q in\n%s", c.name, err, c.words, text.String())
		}
	}
}

// TestCutRaces checks that accesses behind a conflict that no operation orders are left out and counted.
func TestCutRaces(t *testing.T) {
	without := strings.ReplaceAll(regexp.MustCompile(`(?m)^1 .* sync\(.*\n`).ReplaceAllString(twoGoroutines, ""),
		"0 121 121 f{A[0x1:64]:inout}", "0 121 121 f{A[0x1:64]:in}")
	o := defaults()
	o.CutRaces = true
	for text, want := range map[string]int{twoGoroutines: 0, without: 2} {
		r, err := goroutinesIn(t, text, o)
		if err != nil {
			t.Fatal(err)
		}
		d := r.Document().(*GoroutinesDocument)
		if d.LeftOut != want || d.Accesses != 4-want {
			t.Errorf("%d accesses, %d are left out, expected %d of 4", d.Accesses, d.LeftOut, want)
		}
		var page bytes.Buffer
		if err := r.View().Text(doc.NewPage(&page, 120)); err != nil ||
			strings.Contains(page.String(), "left out") != (want > 0) {
			t.Errorf("%v\n%s", err, page.String())
		}
	}
}
