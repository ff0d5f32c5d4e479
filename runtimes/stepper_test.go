package runtimes

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"testing"

	"krdlab/hw/hwtest"
	"krdlab/hw/hwtest/long"
)

func stepConfig(p Policy, nodes, each int, seed uint64) StepConfig {
	c := StepConfig{Policy: p, Seed: seed, Kernels: testKernels, MaxSteps: 1 << 24}
	for i := range nodes * each {
		c.Nodes = append(c.Nodes, i/each)
	}
	return c
}

func withKernel(prog *treeProg) *treeProg {
	prog.kernel = func(w *Worker, place uint64) { w.End(0, w.Begin(0)) }
	return prog
}

func TestStepTree(t *testing.T) {
	hwtest.SkipRace(t)
	for _, p := range Schedulers {
		for _, s := range shapesOf(p) {
			t.Run(fmt.Sprintf("%s/%dx%d", p.Name, s[0], s[1]), func(t *testing.T) {
				for seed := range treeSeeds() {
					prog := withKernel(newTree(seed, 5))
					r, err := Step(stepConfig(p, s[0], s[1], seed), prog)
					if p.Rules().Spawn == SpawnGo {
						if !errors.Is(err, ErrNoVirtual) {
							t.Fatalf("error %v, want ErrNoVirtual", err)
						}
						return
					}
					if err != nil {
						t.Fatal(err)
					}
					checkTree(t, prog)
					count, _ := prog.serial()
					if r.Kernels[0].Count != count || r.WorkNS != int64(100*count) {
						t.Errorf("%d kernels, work %d; want %d of 100", r.Kernels[0].Count,
							r.WorkNS, count)
					}
					for i, w := range r.Workers {
						if w.SchedNS < 0 || w.IdleNS < 0 || w.WorkNS+w.SchedNS+
							w.IdleNS != r.TimeNS {
							t.Errorf("worker %d: work %d + scheduling %d + idle %d, time %d", i,
								w.WorkNS, w.SchedNS, w.IdleNS, r.TimeNS)
						}
					}
				}
			})
		}
	}
}

// The price beside a kernel is paid once for each, by a serial run and by others, and is no work.
func TestStepCall(t *testing.T) {
	const call = 1_000_000 // more than all else of the run
	for _, p := range Schedulers {
		if p.Rules().Spawn == SpawnGo {
			continue
		}
		var r [2]*Result
		for i, price := range []uint64{0, call} {
			c := stepConfig(p, 1, 1, 1)
			c.Costs.Call = price
			var err error
			if r[i], err = Step(c, withKernel(newTree(1, 6))); err != nil {
				t.Fatal(err)
			}
		}
		want := int64(r[0].Kernels[0].Count) * call
		if got := r[1].TimeNS - r[0].TimeNS; got != want || r[1].WorkNS != r[0].WorkNS ||
			r[1].Workers[0].SchedNS-r[0].Workers[0].SchedNS != want {
			t.Errorf("%s: %d longer, want %d; work %d and %d", p.Name, got, want, r[0].WorkNS,
				r[1].WorkNS)
		}
	}
}

// The same arguments give the same run, to the last count; another seed gives another if the
// scheduler is random by the table.
func TestStepIsDeterministic(t *testing.T) {
	hwtest.SkipRace(t)
	for _, p := range Schedulers {
		if p.Rules().Spawn == SpawnGo || p.Rules().Spawn == SpawnCall {
			continue
		}
		t.Run(p.Name, func(t *testing.T) {
			run := func(seed uint64) *Result {
				r, err := Step(stepConfig(p, 4, 6, seed), withKernel(newTree(5, long.Or(6, 7))))
				if err != nil {
					t.Fatal(err)
				}
				return r
			}
			if a, b := run(1), run(1); !reflect.DeepEqual(a, b) {
				t.Errorf("two runs with seed 1 differ:\n%+v\n%+v", a, b)
			}
			if a, b := run(1), run(2); reflect.DeepEqual(a, b) == p.Random {
				t.Errorf("seeds 1 and 2 gave the same run: %v, and the table says that it is "+
					"random: %v", !p.Random, p.Random)
			}
		})
	}
}

// More workers finish sooner in virtual time, or a policy does not spread the work at all.
func TestStepSpreadsWork(t *testing.T) {
	hwtest.SkipRace(t)
	for _, p := range Schedulers {
		if p.Rules().Spawn == SpawnGo || p.Rules().Spawn == SpawnCall {
			continue
		}
		t.Run(p.Name, func(t *testing.T) {
			one, err := Step(stepConfig(p, 1, 1, 1), withKernel(bigTree(8, 5000)))
			if err != nil {
				t.Fatal(err)
			}
			for _, shape := range [][2]int{{1, 6}, {4, 6}} {
				many, err := Step(stepConfig(p, shape[0], shape[1], 1),
					withKernel(bigTree(8, 5000)))
				if err != nil {
					t.Fatal(err)
				}
				speedup := float64(one.TimeNS) / float64(many.TimeNS)
				t.Logf("%dx%d: speed-up %.2f of %d kernels", shape[0], shape[1], speedup,
					many.Kernels[0].Count)
				n := float64(shape[0] * shape[1])
				if speedup < n*cmp.Or(p.Speedup, 0.25) {
					t.Errorf("speed-up %.2f on %v workers", speedup, n)
				}
			}
		})
	}
}
