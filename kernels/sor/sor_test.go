package sor

import (
	"testing"

	"krdlab/kernels/kernel"
	"krdlab/runtimes"
)

// One element that differs in its last bit, and a sweep that was left out, fail the check.
func TestCheckSees(t *testing.T) {
	for _, small := range Kernel.Small {
		x, err := newInstance(Kernel.With(small), kernel.Env{Seed: 3})
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		in := x.(*instance)
		run := func() {
			in.Reset(false)
			if _, err := runtimes.Step(runtimes.StepConfig{Policy: runtimes.Serial{},
				Nodes: []int{0}, Kernels: in.Registry().Kernels}, in); err != nil {
				t.Fatal(err)
			}
		}
		if in.Check().Passed {
			t.Errorf("%v: passes before it ran", small)
		}
		run()
		if c := in.Check(); !c.Passed {
			t.Errorf("%v: %+v", small, c)
		}
		last := in.grid.Rows*in.grid.Stride() + in.grid.Cols
		in.x.Data[last] *= 1 + 1.0/(1<<52)
		if c := in.Check(); c.Passed || c.Error != 1 || c.Detail == "" {
			t.Errorf("%v: an element that differs: %+v", small, c)
		}
		in.Count -= 2
		run()
		if c := in.Check(); c.Passed || c.Error < 1 {
			t.Errorf("%v: a sweep that was left out: %+v", small, c)
		}
	}
}

// With omega = 1.25 the border's values spread: after many sweeps each element is the mean of its
// neighbours, as Laplace's equation has it, in either order.
func TestConverges(t *testing.T) {
	for _, order := range []string{redblack, sequential} {
		x, err := newInstance(Kernel.With(kernel.Params{"n": 12, "sweeps": 300, "rows": 4, "cols": 4,
			"order": order}), kernel.Env{Seed: 3})
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		in := x.(*instance)
		if _, err := runtimes.Step(runtimes.StepConfig{Policy: runtimes.Serial{}, Nodes: []int{0},
			Kernels: in.Registry().Kernels}, in); err != nil {
			t.Fatal(err)
		}
		for r := 1; r <= 10; r++ {
			for c := 1; c <= 10; c++ {
				at := r*12 + c
				mean := (in.x.Data[at-12] + in.x.Data[at+12] + in.x.Data[at-1] + in.x.Data[at+1]) / 4
				if d := in.x.Data[at] - mean; d > 1e-12 || d < -1e-12 {
					t.Errorf("%s: element (%d, %d) is %g, the mean of its neighbours %g", order, r,
						c, in.x.Data[at], mean)
				}
			}
		}
	}
}
