package goprogram

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
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

// TestNativeInRange records one run of each of four programs, computes the range over its schedules, and
// checks that 50 other runs lie in it: mean distances, and reuses beyond the L2 and the LLC, of each object
// and of all. A range of drawn schedules is at least as wide as it is found: 2 % may lie further outside than
// 0.5 % of the number. Of each the reason is logged: another order of what is kept as recorded, if the
// range over the schedules of its own trace has it (that trace's own schedule apart), or none.
func TestNativeInRange(t *testing.T) {
	long.Only(t, "it runs four programs 51 times each")
	const runs = 50
	dir := corpus.Lay(t, "concurrent", map[string][]byte{"go.mod": []byte("module concurrent\n\ngo 1.26\n"),
		"main.go": must(os.ReadFile("../../examples/concurrent/main.go"))(t)})
	for _, c := range []struct {
		program string
		size    int
	}{{"sparse", 2000}, {"pool", 200}, {"maps", 500}, {"store", 300}} {
		t.Run(c.program, func(t *testing.T) {
			record := func() *loi.Trace {
				file := filepath.Join(t.TempDir(), "p.loi")
				if _, _, err := asked(t, Lines, func(r *Request) {
					r.Build = build.Request{Dir: dir, Path: "."}
					r.Build.Sync = true
					r.Built = built.Of(t, dir, r.Build)
					r.Trace, r.Args = file, []string{c.program, strconv.Itoa(c.size)}
				}); err != nil {
					t.Fatal(err)
				}
				tr := must(loi.Open(file))(t)
				t.Cleanup(func() { tr.Close() })
				return tr
			}
			first := record()
			want := rangeOf(t, first, 0, 0, true)
			l2, llc := want.program.L2Bytes, want.program.LLCBytes
			_, ofFirst := asItRan(t, first, l2, llc)
			numbers, outside, far, unexplained, others := 0, 0, 0, 0, 0
			for run := range runs {
				tr := record()
				found, reuses := asItRan(t, tr, l2, llc)
				var own *ranges
				for _, name := range slices.Sorted(maps.Keys(found)) {
					if reuses[name] != ofFirst[name] {
						others++
					}
					for m, v := range found[name] {
						if numbers++; want.has(name, m, v) {
							continue
						}
						outside++
						if float64(v) < 0.995*float64(want.low[name][m]) || float64(v) > 1.005*float64(want.high[name][m]) {
							far++
						}
						if own == nil {
							own = rangeOf(t, tr, l2, llc, false)
						}
						k := own.program.Kept
						why := fmt.Sprintf("channels with several senders or receivers %d, selects %d, atomics %d, Once %d, "+
							"signals %d", k.Channels, k.Selects, k.Atomics, k.Onces, k.Signals)
						if !own.has(name, m, v) || k == (goroutines.Kept{}) {
							unexplained++
							why = "not in the range of its own trace"
						}
						t.Logf("run %d: %q, measure %d: %d is not in %d to %d: %s", run, name, m, v, want.low[name][m],
							want.high[name][m], why)
					}
				}
			}
			t.Logf("%d accesses, %d pieces, exact %t: %d numbers, %d outside, %d of them far and %d unexplained; %d objects "+
				"of runs have other reuses", want.program.Accesses(), want.program.Pieces(), want.complete, numbers, outside, far,
				unexplained, others)
			if limit := numbers / 50; far > limit || want.complete && outside > 0 {
				t.Errorf("%d of %d numbers are far outside, expected at most %d", far, numbers, limit)
			}
		})
	}
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

// rangeOf explores the schedules of a trace, with or without the one that it has.
func rangeOf(t *testing.T, tr *loi.Trace, l2, llc uint64, recorded bool) *ranges {
	t.Helper()
	p := must(goroutines.Read(context.Background(), tr, engine.NewAccount(0)))(t)
	p.L2Bytes, p.LLCBytes = cmp.Or(l2, p.Bytes()/16), cmp.Or(llc, p.Bytes()/4)
	x := must(goroutines.Explore(context.Background(), p, goroutines.Options{Samplers: goroutines.Samplers,
		Runs: 100, Search: 400, Enumerate: 100_000, Seed: 1}))(t)
	r := &ranges{program: p, complete: x.Complete, low: map[string]of{}, high: map[string]of{}}
	for _, g := range x.Groups {
		if g.Name == goroutines.Recorded && !recorded {
			continue
		}
		for i := range len(p.Objects) + 1 {
			name, f := "", &g.Total
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
