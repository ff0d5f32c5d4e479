package fib

import (
	"testing"

	"krdlab/kernels/kernel"
	"krdlab/runtimes"
)

func TestForksAreCounted(t *testing.T) {
	for _, n := range []int{2, 3, 10, 20} {
		in, err := Kernel.New(kernel.Params{"n": n}, kernel.Env{})
		if err != nil {
			t.Fatal(err)
		}
		in.Reset(false)
		r, err := runtimes.Step(runtimes.StepConfig{Policy: runtimes.WorkFirst{}, Nodes: []int{0}},
			in)
		if err != nil {
			t.Fatal(err)
		}
		if want := uint64(forks(n)); r.Spawns != want || r.Tasks != 2*want+1 {
			t.Errorf("fib(%d): %d spawns and %d tasks, want %d and %d", n, r.Spawns, r.Tasks, want,
				2*want+1)
		}
		if c := in.Check(); !c.Passed {
			t.Error(c.Detail)
		}
	}
}

func TestWrongResultIsSeen(t *testing.T) {
	in := &instance{n: 10}
	for _, out := range []int{-1, 0, 54, 56} {
		in.out = out
		if c := in.Check(); c.Passed || c.Detail == "" {
			t.Errorf("fib(10) = %d passes: %+v", out, c)
		}
	}
}

// forks returns the number of calls of fib(n) that fork: fib(n+1) - 1.
func forks(n int) int { return number(n+1) - 1 }
