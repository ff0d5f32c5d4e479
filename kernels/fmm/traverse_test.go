package fmm

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"krdlab/hw"
	"krdlab/hw/hwtest"
	"krdlab/hw/hwtest/long"
	"krdlab/kernels/kernel"
	"krdlab/runtimes"
)

// Each ordered pair of bodies meets exactly once, in a P2P or in an M2L of cells that hold them;
// the counts say how often what is done; and the sums by which a run notices that are right.
func TestCoverage(t *testing.T) {
	hwtest.SkipRace(t)
	for name, bodies := range scattered() {
		for _, p := range []kernel.Params{
			{}, {"mutual": "false"}, {"ncrit": 3, "cutoff": 0, "split": 0},
			{"ncrit": 3, "cutoff": 50, "split": 100, "mutual": "false", "theta": "0.8"},
			{"ncrit": 8, "cutoff": 100, "split": 300, "theta": "0.9"},
			{"ncrit": 3, "cutoff": 30, "tasks": exafmm, "layout": together},
			{"ncrit": 3, "cutoff": 30, "tasks": exafmm, "mutual": "false"},
		} {
			t.Run(fmt.Sprintf("%s/%v", name, p), func(t *testing.T) {
				in := of(t, p, bodies)
				calls := run(t, in)
				n := len(bodies)
				met := make([]uint8, n*n)
				add := func(a, b *cell) {
					for i := a.lo; i < a.hi; i++ {
						for j := b.lo; j < b.hi; j++ {
							met[int(i)*n+int(j)]++
						}
					}
				}
				var want counts
				for _, c := range calls {
					i, j := c.args[0], c.args[1]
					if c.kernel != kernM2L {
						i, j = uint32(in.leaves[i]), uint32(in.leaves[j])
					}
					a, b := &in.cells[i], &in.cells[j]
					switch c.kernel {
					case kernM2L:
						want.m2l++
						if r := length(a.x-b.x, a.y-b.y, a.z-b.z); r <= a.radius+b.radius {
							t.Fatalf("cells %d and %d meet at %g, radii %g and %g", i, j, r,
								a.radius, b.radius)
						}
					case kernP2P:
						want.p2p++
					case kernSelf:
						want.self++
						add(a, a)
						continue
					}
					add(a, b)
					if in.mutual {
						add(b, a)
					}
				}
				for k, times := range met {
					if times != 1 {
						t.Fatalf("bodies %d and %d meet %d times", k/n, k%n, times)
					}
				}
				if got := in.count(); got.m2l != want.m2l || got.p2p != want.p2p ||
					got.self != want.self {
					t.Errorf("counts %+v, the trace has %+v", got, want)
				}
				in.downward()
				if leaf, found := in.unmet(); found {
					t.Errorf("leaf %d has not met all", leaf)
				}
			})
		}
	}
}

// fields returns all results.
func fields(in *instance) [][]float32 {
	in.downward()
	var out [][]float32
	for _, f := range [][]float32{in.soa.P, in.soa.AX, in.soa.AY, in.soa.AZ} {
		out = append(out, slices.Clone(f))
	}
	return out
}

// Whatever writes to a target is ordered by the task structure: results are equal to the last bit
// under every scheduler, and in both layouts.
func TestSameBits(t *testing.T) {
	clock := hw.CalibrateClock()
	bodies := generate(plummer, long.Or(1000, 2000), 1, 10, 9)
	for _, p := range []kernel.Params{{"cutoff": 50, "split": 300}, {"cutoff": 50, "ncrit": 10,
		"mutual": "false"}, {"cutoff": 50, "tasks": exafmm}, {"cutoff": 50, "tasks": exafmm,
		"mutual": "false"}} {
		in := of(t, p, bodies)
		run(t, in)
		want := fields(in)
		p["layout"] = together
		in = of(t, p, bodies)
		if slices.Max(want[0]) <= 0 {
			t.Fatal("no potential")
		}
		for _, s := range runtimes.Schedulers {
			nodes := []int{0, 0, 0, 1, 1, 1}
			if s.Rules().Spawn == runtimes.SpawnCall {
				nodes = nodes[:1]
			}
			cpus := slices.Repeat([]int{-1}, len(nodes))
			for seed := range long.Or[uint64](1, 4) {
				for _, virtual := range []bool{false, true} {
					in.Reset(s.Rules().Hints)
					var err error
					if virtual && s.Rules().Spawn != runtimes.SpawnGo {
						_, err = runtimes.Step(runtimes.StepConfig{Policy: s, Nodes: nodes,
							Seed: seed, Kernels: in.Registry().Kernels}, in)
					} else {
						_, err = runtimes.Run(context.Background(), runtimes.Config{
							Policy: s, CPUs: cpus, Nodes: nodes, Seed: seed, Clock: clock,
							Tracing: runtimes.TraceProfile,
							Kernels: in.Registry().Kernels, TaskGrain: true,
						}, in)
					}
					if err != nil {
						t.Fatal(err)
					}
					for k, f := range fields(in) {
						for i := range f {
							if math.Float32bits(f[i]) != math.Float32bits(want[k][i]) {
								t.Fatalf("%s, %v, seed %d, virtual %v: body %d, result %d: %g, "+
									"serially %g", s.Name, p, seed, virtual, i, k, f[i], want[k][i])
							}
						}
					}
				}
			}
		}
	}
}

// The split rule and the cutoff do what they say, apart from each other.
func TestSplitAndCutoff(t *testing.T) {
	bodies := generate(plummer, 20000, 1, 10, 1)
	at := func(p kernel.Params) counts { return of(t, p, bodies).count() }
	both, larger := at(kernel.Params{"split": 0}), at(kernel.Params{"split": math.MaxInt32})
	if both.m2l <= larger.m2l || both.p2p < larger.p2p {
		t.Errorf("opening both: %+v, opening the larger: %+v", both, larger)
	}
	fine, coarse := at(kernel.Params{"cutoff": 50}), at(kernel.Params{"cutoff": 5000})
	if fine.m2l != coarse.m2l || fine.p2p != coarse.p2p || fine.tasks < 4*coarse.tasks {
		t.Errorf("cutoff 50: %+v, cutoff 5000: %+v", fine, coarse)
	}
	one := at(kernel.Params{"cutoff": math.MaxInt32})
	if one.tasks != 1 || one.forks != 0 {
		t.Errorf("one task: %+v", one)
	}
}

func TestHint(t *testing.T) {
	in := of(t, kernel.Params{"cutoff": 50}, generate(plummer, 3000, 1, 10, 9))
	root := &product{in: in, i: in.cells[0].span(), j: in.cells[0].span()}
	if a := root.Hint(nil, 0).Near; a != 0 {
		t.Errorf("without hints it is near to %d", a)
	}
	in.Reset(true)
	if a := root.Hint(nil, 1).Near; a != 0 {
		t.Errorf("before the first touch it is near to %d", a)
	}
	in.last[root.i.last().lo].Store(5)
	if a, b := root.Hint(nil, 0).Near, root.Hint(nil, 1).Near; a != 0 || b != 6 {
		t.Errorf("near to %d and %d, want none, 0, and 1 + 5", a, b)
	}
	in.Reset(true)
	run(t, in)
	touched := 0
	for i := range in.last {
		if in.last[i].Load() == 0 {
			touched++
		}
	}
	if touched < 100 {
		t.Errorf("the run noted down %d of %d cells", touched, len(in.cells))
	}
}
