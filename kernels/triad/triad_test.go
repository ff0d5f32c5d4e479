package triad

import (
	"testing"

	"krdlab/kernels/kernel"
	"krdlab/runtimes"
)

// A block that is missing, or was visited twice, fails the check, and so does one wrong element.
func TestCheckSees(t *testing.T) {
	x, err := newInstance(Kernel.With(kernel.Params{"n": 100, "block": 7, "sweeps": 2}),
		kernel.Env{Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	in := x.(*instance)
	run := func() {
		in.Reset(false)
		if _, err := runtimes.Step(runtimes.StepConfig{Policy: runtimes.Serial{}, Nodes: []int{0},
			Kernels: in.Registry().Kernels}, in); err != nil {
			t.Fatal(err)
		}
	}
	if in.Check().Passed {
		t.Error("passes before it ran")
	}
	run()
	if c := in.Check(); !c.Passed {
		t.Errorf("%+v", c)
	}
	in.a.Data[99]++
	if c := in.Check(); c.Passed || c.Error != 1 || c.Detail == "" {
		t.Errorf("a wrong element: %+v", c)
	}
	run()
	in.Count++
	if c := in.Check(); c.Passed || c.Detail == "" {
		t.Errorf("a sweep that was left out: %+v", c)
	}
}
