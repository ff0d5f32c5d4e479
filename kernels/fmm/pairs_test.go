package fmm

import (
	"errors"
	"fmt"
	"testing"

	"krdlab/hw/hwtest"
	"krdlab/kernels/kernel"
	"krdlab/runtimes"
)

// literal counts the spawns and interactions of exaFMM's traversal as it is written there: a
// recursion with spawn and sync.
type literal struct {
	in     *instance
	spawns uint64
	pairs  map[[2]int32]int // that interact, in order
}

func (l *literal) ranges(i, j span) {
	if i.single() || j.single() {
		for a := i.lo; a < i.hi; a++ {
			for b := j.lo; b < j.hi; b++ {
				l.pair(a, b)
			}
		}
		return
	}
	l.spawns++
	l.ranges(i.first(), j.first())
	l.ranges(i.last(), j.last())
	l.spawns++
	l.ranges(i.first(), j.last())
	if !l.in.mutual || i != j {
		l.ranges(i.last(), j.first())
	}
}

func (l *literal) pair(a, b int32) {
	c, d := &l.in.cells[a], &l.in.cells[b]
	switch {
	case a != b && accept(c, d), c.children == 0 && d.children == 0:
		l.pairs[[2]int32{a, b}] = len(l.pairs)
	case d.children > 0 && c.children > 0 && (c.bodies()+d.bodies() >= l.in.cutoff || a == b):
		l.ranges(c.span(), d.span())
	case d.children == 0 || c.children > 0 && c.reach >= d.reach:
		for k := c.child; k < c.child+c.children; k++ {
			l.pair(k, b)
		}
	default:
		for k := d.child; k < d.child+d.children; k++ {
			l.pair(a, k)
		}
	}
}

// Tasks of exaFMM's rule spawn what its source does, and do the same work in the same order.
func TestExaFMM(t *testing.T) {
	hwtest.SkipRace(t)
	for _, p := range []kernel.Params{
		{"cutoff": 300}, {"cutoff": 0, "ncrit": 5}, {"cutoff": 1000, "mutual": "false"},
		{"cutoff": 1 << 30},
	} {
		t.Run(fmt.Sprint(p), func(t *testing.T) {
			p["tasks"] = exafmm
			in := of(t, p, generate(plummer, 2000, 1, 10, 4))
			want := literal{in: in, pairs: map[[2]int32]int{}}
			want.pair(0, 0)
			calls := run(t, in)
			if len(calls) != len(want.pairs) || len(calls) < 100 {
				t.Fatalf("%d executions, want %d", len(calls), len(want.pairs))
			}
			for n, c := range calls {
				i, j := int32(c.args[0]), int32(c.args[1])
				if c.kernel != kernM2L {
					i = in.leaves[i]
					if j = in.leaves[j]; c.kernel == kernSelf {
						j = i
					}
				}
				if at, ok := want.pairs[[2]int32{i, j}]; !ok || at != n {
					t.Fatalf("execution %d is of cells %d and %d, want it as number %d (%v)", n, i, j,
						at, ok)
				}
			}
			if got := in.count(); got.spawns != want.spawns || got.spawns < 2 {
				t.Errorf("%d spawns, want %d", got.spawns, want.spawns)
			}
			for _, s := range runtimes.Schedulers {
				r := s.Rules()
				if r.Spawn == runtimes.SpawnCall || r.Spawn == runtimes.SpawnGo ||
					r.Last != runtimes.LastCall {
					continue
				}
				in.Reset(r.Hints)
				stats, err := runtimes.Step(runtimes.StepConfig{Policy: s, Nodes: []int{0, 0, 1, 1},
					Kernels: in.Registry().Kernels, Dry: true}, in)
				if err != nil {
					t.Fatal(err)
				}
				var spawns uint64
				for i := range stats.Workers {
					spawns += stats.Workers[i].Spawns
				}
				if spawns != want.spawns {
					t.Errorf("%s: %d spawns, want %d", s.Name, spawns, want.spawns)
				}
			}
		})
	}
}

// One number governs opening and spawning: another for the split is refused.
func TestExaFMMHasOneNumber(t *testing.T) {
	if s := settle(t, kernel.Params{"tasks": exafmm, "cutoff": 70}); s.split != 70 {
		t.Errorf("split %d, want the cutoff", s.split)
	}
	_, err := read(Kernel.With(kernel.Params{"tasks": exafmm, "cutoff": 70, "split": 71}))
	var bad *kernel.ParamError
	if !errors.As(err, &bad) || bad.Name != "split" {
		t.Errorf("%v", err)
	}
	plan, err := plan(Kernel.With(kernel.Params{"tasks": exafmm, "cutoff": 70}))
	if err != nil || plan.Resolved["split"] != 70 {
		t.Errorf("resolved %v, %v", plan.Resolved, err)
	}
}

// Both rules let the same cells and leaves meet if they open by the same number.
func TestRulesMeetTheSame(t *testing.T) {
	bodies := generate(plummer, 20000, 1, 10, 1)
	for _, n := range []int{0, 300, 5000} {
		a := of(t, kernel.Params{"split": n}, bodies).count()
		b := of(t, kernel.Params{"cutoff": n, "tasks": exafmm}, bodies).count()
		if a.m2l != b.m2l || a.p2p != b.p2p || a.self != b.self || a.pairs != b.pairs {
			t.Errorf("split %d: %+v, exafmm %+v", n, a, b)
		}
	}
}
