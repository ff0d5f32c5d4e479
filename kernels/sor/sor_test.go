package sor

import (
	"testing"

	"krdlab/kernels/kernel"
	"krdlab/runtimes"
)

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
