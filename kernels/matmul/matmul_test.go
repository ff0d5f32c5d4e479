package matmul

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"krdlab/kernels/kernel"
	"krdlab/loi"
	"krdlab/runtimes"
)

func newTest(t *testing.T, p kernel.Params) *instance {
	t.Helper()
	x, err := newInstance(Kernel.With(p), kernel.Env{Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	in := x.(*instance)
	t.Cleanup(func() {
		if err := in.Close(); err != nil {
			t.Error(err)
		}
	})
	return in
}

// A leaf that was not run, or run twice, fails the check, whichever it is.
func TestDroppedLeafIsSeen(t *testing.T) {
	for _, p := range []kernel.Params{{"n": 96}, {"n": 300}, {"n": 300, "inputs": "uniform"},
		{"n": 300, "layout": "row"}} {
		in := newTest(t, p)
		bi, bj, bk := in.c.Down(), in.c.Across(), in.a.Across()
		for _, fault := range []struct{ i, j, k, times int }{
			{0, 0, 0, 1}, // none
			{0, 0, 0, 0}, {bi - 1, bj - 1, bk - 1, 0}, {bi / 2, bj / 2, bk / 2, 0},
			{bi / 2, 0, bk / 2, 2},
		} {
			in.Reset(false)
			for i := range bi {
				for j := range bj {
					for k := range bk {
						times := 1
						if i == fault.i && j == fault.j && k == fault.k {
							times = fault.times
						}
						for range times {
							in.mul.Leaf(i, j, k)
						}
					}
				}
			}
			if c := in.Check(); c.Passed != (fault.times == 1) {
				t.Errorf("%v: leaf (%d, %d, %d) run %d times: %+v", p, fault.i, fault.j, fault.k,
					fault.times, c)
			}
		}
	}
}

// order is the sequence of leaves of the divide and conquer, from its description: halve the
// largest dimension above its leaf, ties rows, columns, inner; sizes in elements, cuts at multiples
// of the leaf.
func order(in *instance) (leaves [][3]uint32) {
	var part func(r, c, k, nr, nc, nk int)
	part = func(r, c, k, nr, nc, nk int) {
		lr, lc, lk := in.shape.M, in.shape.N, in.shape.K
		cut := func(n, leaf int) int { return ((n+leaf-1)/leaf + 1) / 2 * leaf }
		best := 0
		if nr > lr {
			best = nr
		}
		if nc > lc && nc > best {
			best = nc
		}
		if nk > lk && nk > best {
			best = nk
		}
		switch {
		case best == 0:
			leaves = append(leaves, [3]uint32{
				in.a.BlockIndex(r/lr, k/lk), in.b.BlockIndex(k/lk, c/lc),
				in.c.BlockIndex(r/lr, c/lc),
			})
		case nr == best && nr > lr:
			h := cut(nr, lr)
			part(r, c, k, h, nc, nk)
			part(r+h, c, k, nr-h, nc, nk)
		case nc == best && nc > lc:
			h := cut(nc, lc)
			part(r, c, k, nr, h, nk)
			part(r, c+h, k, nr, nc-h, nk)
		default:
			h := cut(nk, lk)
			part(r, c, k, nr, nc, h)
			part(r, c, k+h, nr, nc, nk-h)
		}
	}
	part(0, 0, 0, in.n, in.n, in.n)
	return leaves
}

func TestSerialOrder(t *testing.T) {
	for _, p := range []kernel.Params{{"n": 1}, {"n": 33}, {"n": 256}, {"n": 300},
		{"n": 250, "leaf": "48x32x128"}, {"n": 200, "leaf": "7x50x31"}} {
		t.Run(fmt.Sprint(p), func(t *testing.T) {
			in := newTest(t, p)
			path := filepath.Join(t.TempDir(), "t.loi")
			w, err := loi.Create(path, loi.Header{Registry: in.Registry(),
				Workers: []loi.Worker{{CPU: -1}}, Substrate: loi.Simulated, Grain: "kernel"},
				loi.Options{})
			if err != nil {
				t.Fatal(err)
			}
			_, err = runtimes.Step(runtimes.StepConfig{
				Policy: runtimes.Serial{}, Nodes: []int{0}, Kernels: in.Registry().Kernels,
				Recorders: []*loi.Recorder{w.Recorder(0)},
			}, in)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := w.Close(); err != nil {
				t.Fatal(err)
			}
			if c := in.Check(); !c.Passed {
				t.Errorf("check: %+v", c)
			}
			trace, err := loi.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer trace.Close()
			var got [][3]uint32
			for cur := trace.Cursor(0); cur.Next(); {
				got = append(got, [3]uint32(cur.Record().Args))
			}
			if want := order(in); !slices.Equal(got, want) {
				t.Errorf("%d leaves, want %d; or their order differs", len(got), len(want))
			}
		})
	}
}

func TestHint(t *testing.T) {
	in := newTest(t, kernel.Params{"n": 256})
	root := &product{in: in, i: span{0, 8}, j: span{0, 8}, k: span{0, 4}, split: rows}
	if a := root.Hint(nil, 1).Near; a != 0 {
		t.Errorf("without hints it is near to %d", a)
	}
	in.Reset(true)
	if a := root.Hint(nil, 1).Near; a != 0 {
		t.Errorf("before the first touch it is near to %d", a)
	}
	in.last.By(5, in.c.BlockIndex(4, 0))
	if h := root.Hint(nil, 0); h.Work != 4*8*4 || h.Bytes != uint64(4*4*in.a.BlockBytes(0, 0)+
		4*8*in.b.BlockBytes(0, 0)+4*8*in.c.BlockBytes(0, 0)) {
		t.Errorf("a half of the rows is hinted as %+v", h)
	}
	if a, b := root.Hint(nil, 0).Near, root.Hint(nil, 1).Near; a != 0 || b != 6 {
		t.Errorf("near to %d and %d, want none, 0, and 1 + 5", a, b)
	}
}

func TestBadParametersAreNamed(t *testing.T) {
	for name, value := range map[string]any{"leaf": "0x1x1", "layout": "diagonal", "isa": "mmx",
		"inputs": "primes"} {
		_, err := Kernel.New(Kernel.With(kernel.Params{"n": 8, name: value}), kernel.Env{})
		var pe *kernel.ParamError
		if !errors.As(err, &pe) || pe.Name != name {
			t.Errorf("%s=%v: error %v does not name the parameter", name, value, err)
		}
	}
}

// A matrix that cannot be had leaves an error, and no instance to close.
func TestNoInstance(t *testing.T) {
	in, err := newInstance(Kernel.With(kernel.Params{"n": 1 << 17, "leaf": "1x1x1"}),
		kernel.Env{Dry: true})
	if err == nil || in != nil {
		t.Errorf("instance %v and error %v, want no instance and an error", in, err)
	}
}
