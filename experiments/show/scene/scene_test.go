package scene

import (
	"path/filepath"
	"slices"
	"testing"

	"krdlab/experiments/run/request"
	"krdlab/kernels"
	"krdlab/kernels/kernel"
	"krdlab/loi"
)

// written opens a trace of two workers on two nodes. Each line is a kernel execution: its worker, the
// time at which it begins, and what it accesses.
func written(t *testing.T, h loi.Header, list ...line) *loi.Trace {
	t.Helper()
	h.Clock, h.Substrate, h.Grain = loi.Clock{Source: "tsc", Hz: 1e9}, loi.Native, "kernel"
	h.Workers = []loi.Worker{{CPU: 0}, {CPU: 1, Node: 1}}
	path := filepath.Join(t.TempDir(), "t.loi")
	w, err := loi.Create(path, h, loi.Options{NoBackground: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range list {
		if l.told == nil {
			w.Recorder(l.worker).Accesses(0, 0, l.at, l.at+5, l.accesses)
		}
		for i, kind := range l.told {
			w.Recorder(l.worker).Event(kind, l.at+uint64(i), l.args...)
		}
	}
	if _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	trace, err := loi.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { trace.Close() })
	return trace
}

type line struct {
	worker   int
	at       uint64
	accesses []loi.Access
	told     []loi.EventKind // instead, one tick after the other
	args     []uint32
}

// Who began to write last has a block, whatever order the workers' records are in; who reads has
// none. Objects without blocks, and those that are only read, are left out.
func TestOwners(t *testing.T) {
	of := func(object loi.ObjectID, block uint64, mode loi.Mode) []loi.Access {
		return []loi.Access{{Object: object, Block: block, Mode: mode}}
	}
	keyed := []loi.Access{{Object: 2, Block: 1 << 40, Bytes: 8, Mode: loi.Out}}
	trace := written(t, loi.Header{Registry: loi.Registry{
		Objects: []loi.Object{{Name: "x", Blocks: []loi.SizeRun{{Count: 3, Bytes: 64}}},
			{Name: "y", Blocks: []loi.SizeRun{{Count: 2, Bytes: 1 << 20}}}, {Name: "z", Kind: loi.Keyed}},
		Kernels: []loi.Kernel{{Name: "k"}}}},
		line{worker: 0, at: 10, accesses: of(0, 0, loi.Out)}, line{worker: 0, at: 20, accesses: of(0, 1, loi.InOut)}, line{worker: 0, at: 40, accesses: of(0, 1, loi.In)},
		line{worker: 0, at: 50, accesses: keyed}, line{worker: 1, at: 5, accesses: of(0, 0, loi.Out)}, line{worker: 1, at: 30, accesses: of(0, 1, loi.Out)},
		line{worker: 1, at: 31, accesses: of(1, 1, loi.In)})
	run, err := Read(trace, false)
	if err != nil {
		t.Fatal(err)
	}
	list := run.Owners()
	if len(list) != 1 || list[0].Name != "x" || list[0].Bytes != 192 || list[0].Across != 0 ||
		!slices.Equal(list[0].Writers, []int{0, 1, Nobody}) {
		t.Errorf("%+v", list)
	}
	if got := list[0].Describe(); got != "x, 3 blocks in rows of 2" {
		t.Error(got)
	}
}

// A matrix of a kernel's lies as it is: C of 3 x 2 tiles, and the tiles of LU's one matrix; a vector
// is a strip, and so is an object of another program.
func TestLayouts(t *testing.T) {
	for _, x := range []struct {
		kernel string
		params kernel.Params
		object loi.ObjectID
		across int
	}{
		{"matmul", kernel.Params{"n": 96, "leaf": "32x48x96"}, 2, 2},
		{"lu", kernel.Params{"n": 128, "block": 32}, 0, 4},
		{"triad", kernel.Params{"n": 1 << 20}, 0, 0},
	} {
		k, _ := kernels.ByName(x.kernel)
		params := k.With(x.params)
		in, err := k.New(params, kernel.Env{Dry: true})
		if err != nil {
			t.Fatal(err)
		}
		r := in.Registry()
		in.Close()
		r.Kernels, r.Regions = []loi.Kernel{{Name: "k"}}, nil
		write := line{worker: 1, at: 1, accesses: []loi.Access{{Object: x.object, Block: 1,
			Mode: loi.Out}}}
		for _, program := range []string{x.kernel, "other"} {
			run, err := Read(written(t, loi.Header{Registry: r, Kernel: program,
				Params: request.ParamList(k, params)}, write), false)
			if err != nil {
				t.Fatal(err)
			}
			list := run.Owners()
			want := x.across
			if program == "other" {
				want = 0
			}
			if len(list) != 1 || list[0].Across != want || list[0].Writers[1] != 1 {
				t.Errorf("%s of %s: %+v, expected %d across", x.kernel, program, list, want)
			}
		}
	}
}

// Strips are about as high as wide, a curve keeps neighbours together, and every unit has a cell of
// its own in the picture.
func TestCells(t *testing.T) {
	for _, c := range []struct {
		Layout
		n int
	}{{Layout{Across: 3}, 6}, {Layout{}, 1}, {Layout{}, 10}, {Layout{Across: 5}, 5},
		{Layout{Curve: true}, 1}, {Layout{Curve: true}, 5}, {Layout{Curve: true}, 64}} {
		rows, columns := c.Size(c.n)
		seen := map[[2]int]bool{}
		for u := range c.n {
			row, column := c.Cell(u, c.n)
			if row < 0 || row >= rows || column < 0 || column >= columns {
				t.Errorf("%+v: unit %d in row %d, column %d of %d x %d", c, u, row, column, rows, columns)
			}
			if c.Curve && u%4 == 0 && (row%2 != 0 || column%2 != 0) {
				t.Errorf("%+v: unit %d in row %d, column %d: expected a corner of a square", c, u, row,
					column)
			}
			seen[[2]int{row, column}] = true
		}
		if len(seen) != c.n || c.Across > 0 && columns != c.Across || c.Across == 0 &&
			columns-rows > 1 && !c.Curve {
			t.Errorf("%+v: %d cells, %d x %d", c, len(seen), rows, columns)
		}
	}
	if Largest(nil) != nil {
		t.Error("the largest of none")
	}
	some := []Object{{Name: "a", Bytes: 1, Writers: []int{0}}, {Name: "b", Bytes: 9, Writers: []int{0}},
		{Name: "c", Bytes: 99}}
	if o := Largest(some); o == nil || o.Name != "b" {
		t.Errorf("the largest: %+v", o)
	}
}
