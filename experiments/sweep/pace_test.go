package sweep

import (
	"testing"
	"time"

	"krdlab/experiments/dataset"
	"krdlab/experiments/request"
	"krdlab/kernels/kernel"
)

func paced(name string, n, cores int, schedulers ...string) dataset.PlannedCell {
	return dataset.PlannedCell{
		Kernel: name, Params: kernel.Params{"n": n}, Schedulers: schedulers, Cores: cores,
		Machine: "m", Settings: request.Settings{Reps: 10},
	}
}

func matmulCell(n, cores int) dataset.PlannedCell {
	c := paced("matmul", n, cores, "workfirst", "helpfirst")
	c.Params = kernel.Params{"n": n, "leaf": "32x32x64", "layout": "tiled", "isa": "auto",
		"inputs": "integers"}
	return c
}

// The rest is estimated from cells of the same kind, in proportion to kernel executions, and never
// from another kernel's.
func TestPaceOfKinds(t *testing.T) {
	native := matmulCell(256, 1)
	native.Machine = dataset.Native
	w := newWork(t.TempDir(), &Plan{Cells: []dataset.PlannedCell{
		paced("fib", 5, 1, "workfirst"), matmulCell(256, 1), matmulCell(512, 1), native,
		paced("fib", 5, 2, "workfirst"), paced("fib", 30, 1, "workfirst"),
	}})
	check := func(what string, got, want Left) {
		t.Helper()
		if got != want || got.Known() != (want.Untimed == 0) {
			t.Errorf("%s: %+v, want %+v", what, got, want)
		}
	}
	check("nothing done", w.left(-1, 0, 0, false), Left{6, 6, 0})
	w.learn(0, 10*time.Second)
	// fib of another size is of another kind
	check("one fib", w.left(-1, 0, 0, false), Left{5, 4, 10 * time.Second})
	w.learn(1, time.Second)
	// twice the size: eight times the executions
	check("one matmul", w.left(-1, 0, 0, false), Left{4, 2, 18 * time.Second})
	w.fail(4)
	w.learn(3, time.Second)
	w.learn(5, time.Second)
	check("one of each", w.left(-1, 0, 0, false), Left{1, 0, 8 * time.Second})
	// what is done of it is no better witness
	check("in the last", w.left(2, 0.75, time.Hour, true), Left{1, 0, 2 * time.Second})
}

// The first cell of a kind estimates itself and its like, once each scheduler has run.
func TestPaceOfFirstCell(t *testing.T) {
	w := newWork(t.TempDir(), &Plan{Cells: []dataset.PlannedCell{matmulCell(256, 1),
		matmulCell(512, 1), paced("fib", 5, 1, "workfirst")}})
	if got := w.left(0, 0.1, time.Second, false); got.Untimed != 3 {
		t.Errorf("before a round: %+v", got)
	}
	if got, want := w.left(0, 0.5, 10*time.Second, true),
		(Left{3, 1, 170 * time.Second}); got != want {
		t.Errorf("after a round: %+v, want %+v", got, want)
	}
}
