package spmv

import (
	"errors"
	"testing"

	"krdlab/kernels/kernel"
	"krdlab/runtimes"
)

func newTest(t *testing.T, p kernel.Params) *instance {
	t.Helper()
	in, err := newInstance(Kernel.With(p), kernel.Env{Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close() })
	return in.(*instance)
}

// Rows have different columns, all in the three blocks of x that the record names, and in all
// degree times as many entries as rows.
func TestStructure(t *testing.T) {
	for _, small := range Kernel.Small {
		in := newTest(t, small)
		p := Kernel.With(small)
		if n := in.n * p.Int("degree"); in.entries() != n || int(in.ends.Data[in.n-1]) != n {
			t.Errorf("%v: %d entries, the last row ends at %d, want %d", small, in.entries(),
				in.ends.Data[in.n-1], n)
		}
		for b := range in.Blocks {
			own, before, behind := in.around(in.rows[b])
			if own == before || own == behind || before == behind {
				t.Errorf("%v: block %d reads blocks %d, %d, %d of x", small, b, before, own, behind)
			}
			for r := in.rows[b]; r < in.rows[b+1]; r++ {
				if r/in.width != own {
					t.Errorf("%v: row %d is not in block %d of x", small, r, own)
				}
				seen := map[int]bool{}
				in.row(3, r, func(col int, _ int64) {
					if j := col / in.width; seen[col] || col >= in.n || j != own && j != before &&
						j != behind {
						t.Errorf("%v: row %d, column %d: twice, or in another block", small, r, col)
					}
					seen[col] = true
				})
				if len(seen) != in.length(r) || len(seen) == 0 {
					t.Errorf("%v: row %d has %d entries, want %d", small, r, len(seen), in.length(r))
				}
			}
		}
	}
}

// An entry of the matrix that is in another column fails the check.
func TestAnotherColumnIsSeen(t *testing.T) {
	in := newTest(t, Kernel.Small[1])
	run := func() kernel.Check {
		in.Reset(false)
		if _, err := runtimes.Step(runtimes.StepConfig{Policy: runtimes.Serial{}, Nodes: []int{0},
			Kernels: in.Registry().Kernels}, in); err != nil {
			t.Fatal(err)
		}
		return in.Check()
	}
	if c := run(); !c.Passed {
		t.Errorf("%+v", c)
	}
	in.columns.Data[17] = (in.columns.Data[17] + 1) % uint32(in.n)
	if c := run(); c.Passed || c.Error != 1 {
		t.Errorf("another column: %+v", c)
	}
}

func TestBadSizesAreNamed(t *testing.T) {
	for want, p := range map[string]kernel.Params{"degree": {"n": 30, "degree": 12},
		"n": {"n": 1 << 26, "degree": 40}} {
		var pe *kernel.ParamError
		if _, err := plan(Kernel.With(p)); !errors.As(err, &pe) || pe.Name != want {
			t.Errorf("%v: %v does not name %s", p, err, want)
		}
	}
}
