package scene

import (
	"path/filepath"
	"slices"
	"testing"

	"krdlab/experiments/request"
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
		w.Recorder(l.worker).Accesses(0, 0, l.at, l.at+5, l.accesses)
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
		line{0, 10, of(0, 0, loi.Out)}, line{0, 20, of(0, 1, loi.InOut)}, line{0, 40, of(0, 1, loi.In)},
		line{0, 50, keyed}, line{1, 5, of(0, 0, loi.Out)}, line{1, 30, of(0, 1, loi.Out)},
		line{1, 31, of(1, 1, loi.In)})
	list, err := Owners(trace)
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != 1 || list[0].Name != "x" || list[0].Bytes != 192 || list[0].Across != 0 ||
		!slices.Equal(list[0].Writers, []int{0, 1, Nobody}) {
		t.Errorf("%+v", list)
	}
	if got := list[0].Describe(); got != "x, 3 blocks in rows of 2" {
		t.Error(got)
	}
}

// A matrix of a kernel's lies as it is: C of 3 x 2 tiles, and the tiles of LU's one matrix; a vector
// is a strip, and so is what another program wrote.
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
		write := line{1, 1, []loi.Access{{Object: x.object, Block: 1, Mode: loi.Out}}}
		for _, program := range []string{x.kernel, "other"} {
			list, err := Owners(written(t, loi.Header{Registry: r, Kernel: program,
				Params: request.ParamList(k, params)}, write))
			if err != nil {
				t.Fatal(err)
			}
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

// Strips are about as high as wide, and every block has a cell of its own in the picture.
func TestCells(t *testing.T) {
	for _, o := range []Object{{Across: 3, Writers: make([]int, 6)}, {Writers: make([]int, 1)},
		{Writers: make([]int, 10)}, {Across: 5, Writers: make([]int, 5)}} {
		seen := map[[2]int]bool{}
		for b := range o.Writers {
			row, column := o.Cell(b)
			if row < 0 || row >= o.Height() || column < 0 || column >= o.Width() {
				t.Errorf("%+v: block %d in row %d, column %d of %d x %d", o, b, row, column, o.Height(),
					o.Width())
			}
			seen[[2]int{row, column}] = true
		}
		if len(seen) != len(o.Writers) || o.Across > 0 && o.Width() != o.Across ||
			o.Across == 0 && o.Width()-o.Height() > 1 {
			t.Errorf("%+v: %d cells, %d x %d", o, len(seen), o.Height(), o.Width())
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
