package goprogram

import (
	"cmp"
	"context"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"krdlab/hw/hwtest/long"
	"krdlab/krd"
	"krdlab/krd/analysis/interleave/engine"
	"krdlab/krd/analysis/interleave/goroutines"
	"krdlab/krd/stack"
	"krdlab/loi"
	"krdlab/loi/front/build"
	"krdlab/loi/front/corpus"
	"krdlab/loi/front/corpus/built"
)

// of are measures of an object.
type of [goroutines.BeyondLLC + 1]uint64

// asItRan returns what a trace has in the order of its stamps, on one stack, by object and of all ("").
func asItRan(t *testing.T, tr *loi.Trace, l2, llc uint64) (found map[string]*of, reuses map[string]uint64) {
	t.Helper()
	numbers := must(krd.NewUnits(tr))(t)
	var list []uint32
	var objects []string
	for e, err := range tr.Ordered(loi.Order{}) {
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range e.Accesses() {
			for _, u := range must(numbers.Of(&a))(t) {
				list = append(list, u)
				objects = append(objects, tr.Header.Registry.Objects[a.Object].Name)
			}
		}
	}
	sizes := make([]uint64, slices.Max(list)+1)
	for _, u := range list {
		sizes[u] = numbers.Bytes(u)
	}
	distances := make([]uint64, len(list))
	stack.NewDense(sizes).Distances(list, distances)
	found, reuses = map[string]*of{}, map[string]uint64{}
	for i, d := range distances {
		for _, name := range []string{objects[i], ""} {
			x := found[name]
			if x == nil {
				x = &of{}
				found[name] = x
			}
			if d == stack.Cold {
				continue
			}
			reuses[name]++
			x[goroutines.Distance] += d
			if far := d + sizes[list[i]]; far > l2 {
				x[goroutines.BeyondL2]++
				if far > llc {
					x[goroutines.BeyondLLC]++
				}
			}
		}
	}
	return found, reuses
}

// repeated checks that the order in which a trace has its accesses is a schedule, and returns its measures,
// which have to be those of the recorded one.
func repeated(t *testing.T, tr *loi.Trace, l2, llc uint64) (p *goroutines.Program, out []goroutines.Outcome) {
	t.Helper()
	p = must(goroutines.Read(context.Background(), tr, engine.NewAccount(0)))(t)
	p.L2Bytes, p.LLCBytes = cmp.Or(l2, p.Bytes()/16), cmp.Or(llc, p.Bytes()/4)
	out = must(p.Repeat())(t)
	x := must(goroutines.Explore(context.Background(), p, goroutines.Options{}))(t)
	g := x.Groups[0]
	rows := slices.Concat(g.Objects, g.Types, g.Functions, []goroutines.Found{*g.Total})
	for i, f := range rows {
		for m, v := range out[i].Values {
			if v != f.Ranges[m].Minimum || v != f.Ranges[m].Maximum {
				t.Errorf("row %d, measure %d: %d, recorded are %d", i, m, v, f.Ranges[m].Minimum)
			}
		}
	}
	return p, out
}

// TestOwnOrder checks that the order of accesses in traces of programs is a schedule.
func TestOwnOrder(t *testing.T) {
	for _, c := range [][]string{{"conflicts", "racing"}, {"conflicts", "mended"}, {"workers"}, {"receives"}, {"sharing"},
		{"service"},
		{"pipeline"}} {
		t.Run(strings.Join(c, " "), func(t *testing.T) {
			p, _ := repeated(t, openTrace(t, c[0], c[1:]...), 0, 0)
			if p.Goroutines < 2 {
				t.Errorf("%d goroutines", p.Goroutines)
			}
			t.Logf("%d goroutines, %d accesses, %d operations, %+v", p.Goroutines, p.Accesses(), p.Operations(), p.Kept)
		})
	}
}

// TestKeptWithLocks checks that schedules end in which the order of an atomic variable, that is kept as recorded,
// decides on that of the critical sections of a lock around it.
func TestKeptWithLocks(t *testing.T) {
	p := must(goroutines.Read(context.Background(), openTrace(t, "service"), engine.NewAccount(0)))(t)
	x := must(goroutines.Explore(context.Background(), p, goroutines.Options{Samplers: goroutines.Samplers, Runs: 50,
		Search: 50, Seed: 1}))(t)
	for _, g := range x.Groups {
		if g.Runs == 0 || g.Stuck+g.Deadlocks > 0 {
			t.Errorf("%s: %d schedules ended, %d did not, %d are deadlocks", g.Name, g.Runs, g.Stuck, g.Deadlocks)
		}
	}
	if k := x.Kept.Atomics; k != 1 {
		t.Errorf("%d atomic variables, expected 1", k)
	}
}

// concurrent are programs, how many recordings have their range, and how many of 50 other runs may be outside.
var concurrent = []struct {
	program, size string
	recordings    int
}{{"sparse", "2000", 5}, {"pool", "200", 50}, {"maps", "500", 5}, {"store", "300", 50}}

// layConcurrent lays down examples/concurrent.
func layConcurrent(t *testing.T) string {
	t.Helper()
	return corpus.Lay(t, "concurrent", map[string][]byte{"go.mod": []byte("module concurrent\n\ngo 1.26\n"),
		"main.go": must(os.ReadFile("../../examples/concurrent/main.go"))(t)})
}

// TestNativeInRange records five runs of programs, or fifty where who receives what is kept, computes the range
// over their schedules as krdlab explore go does, and compares 50 other runs with it: mean distances, and reuses
// beyond the L2 and the LLC, of each object and of all.
func TestNativeInRange(t *testing.T) {
	long.Only(t, "it runs four programs up to 100 times each")
	dir := layConcurrent(t)
	for _, c := range concurrent {
		t.Run(c.program, func(t *testing.T) {
			record := func(int) *loi.Trace {
				b := build.Request{Dir: dir, Path: "."}
				b.Sync = true
				return recordRun(t, b, built.Of(t, dir, b), nil, c.program, c.size)
			}
			if _, outside := inRange(t, c.recordings, record); outside > 4 { // 1 is expected
				t.Errorf("%d runs are outside", outside)
			}
		})
	}
}

// recordRun records a run of a program.
func recordRun(t *testing.T, b build.Request, p *build.Program, env []string, args ...string) *loi.Trace {
	t.Helper()
	file := filepath.Join(t.TempDir(), "p.loi")
	if _, _, err := asked(t, Lines, func(r *Request) {
		r.Build, r.Built, r.Env, r.Trace, r.Args = b, p, env, file, args
	}); err != nil {
		t.Fatal(err)
	}
	tr := must(loi.Open(file))(t)
	t.Cleanup(func() { tr.Close() })
	return tr
}

// inRange compares runs with the range of so many recordings before them. Of each run the order of accesses has
// to be a schedule of its own trace: then a run that is outside says that a range of drawn schedules is wider than
// it is found, or that what is kept as recorded differs. An exact range has all runs in which that does not, and
// another one nearly all. The measures of all of each run are returned, and how many runs are outside.
func inRange(t *testing.T, recordings int, record func(n int) *loi.Trace) (totals []of, runsOutside int) {
	t.Helper()
	const runs = 50
	first := record(0)
	want := rangeOf(t, first, nil, recordings)
	for n := range recordings - 1 {
		rangeOf(t, record(1+n), want, recordings)
	}
	l2, llc := want.program.L2Bytes, want.program.LLCBytes
	_, ofFirst := asItRan(t, first, l2, llc)
	numbers, outside, kept, others := 0, 0, 0, 0
	for run := range runs {
		tr := record(recordings + run)
		found, reuses := asItRan(t, tr, l2, llc)
		totals = append(totals, *found[""])
		own, out := repeated(t, tr, l2, llc)
		is := false
		for _, name := range slices.Sorted(maps.Keys(found)) {
			if reuses[name] != ofFirst[name] {
				others++
			}
			of := &out[len(out)-1]
			if name != "" {
				of = &out[slices.Index(own.Objects, name)]
			}
			for m, v := range found[name] {
				if of.Values[m] != v {
					t.Errorf("run %d: %q, measure %d: the schedule has %d, the trace %d", run, name, m, of.Values[m], v)
				}
				if numbers++; want.has(name, m, v) {
					continue
				}
				outside++
				is = true
				t.Logf("run %d: %q, measure %d: %d is not in %d to %d; kept %+v", run, name, m, v, want.low[name][m],
					want.high[name][m], own.Kept)
			}
		}
		if is {
			runsOutside++
			if own.Kept != (goroutines.Kept{}) {
				kept++
			}
		}
	}
	t.Logf("%d accesses, %d pieces, exact %t: of %d runs %d outside, each a schedule of its own trace, in %d of "+
		"which something is kept as recorded; %d of %d numbers; %d objects of runs have other reuses",
		want.program.Accesses(), want.program.Pieces(), want.complete, runs, runsOutside, kept, outside, numbers, others)
	if most := map[bool]int{false: 4}[want.complete]; runsOutside-kept > most { // 1 is expected of drawn ones
		t.Errorf("%d runs are outside, exact %t, and nothing is kept as recorded", runsOutside-kept, want.complete)
	}
	return totals, runsOutside
}

// ranges are those of all schedules that an exploration found.
type ranges struct {
	program   *goroutines.Program
	complete  bool
	low, high map[string]of
}

func (r *ranges) has(name string, m int, v uint64) bool {
	_, is := r.low[name]
	return is && v >= r.low[name][m] && v <= r.high[name][m]
}

// rangeOf explores the schedules of one of several recordings, and widens a range if there is one.
func rangeOf(t *testing.T, tr *loi.Trace, r *ranges, recordings int) *ranges {
	t.Helper()
	p := must(goroutines.Read(context.Background(), tr, engine.NewAccount(0)))(t)
	if p.L2Bytes, p.LLCBytes = p.Bytes()/16, p.Bytes()/4; r != nil {
		p.L2Bytes, p.LLCBytes = r.program.L2Bytes, r.program.LLCBytes
	}
	x := must(goroutines.Explore(context.Background(), p, goroutines.Options{Samplers: goroutines.Samplers,
		Runs: 100, Search: max(200, min(4000, 40_000_000/p.Accesses()/recordings)), Enumerate: 100_000, Seed: 1}))(t)
	if r == nil {
		r = &ranges{program: p, complete: true, low: map[string]of{}, high: map[string]of{}}
	}
	r.complete = r.complete && x.Complete
	for _, g := range x.Groups {
		for i := range len(p.Objects) + 1 {
			name, f := "", g.Total
			if i < len(p.Objects) {
				name, f = p.Objects[i], &g.Objects[i]
			}
			l, is := r.low[name]
			h := r.high[name]
			for m := range l {
				if !is {
					l[m] = math.MaxUint64
				}
				l[m], h[m] = min(l[m], f.Ranges[m].Minimum), max(h[m], f.Ranges[m].Maximum)
			}
			r.low[name], r.high[name] = l, h
		}
	}
	return r
}
