package compare

import (
	"errors"
	"math"
	"path/filepath"
	"testing"

	"krdlab/loi"
)

// planted writes a trace of one task with four leaves on two workers. Each leaf is a block and a worker; it
// takes 10 ticks of 1 ns from the tick 20 times its place.
func planted(t *testing.T, on, kernel string, leaves [4][2]int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "t.loi")
	r := loi.Registry{Objects: []loi.Object{{Name: "A", Blocks: []loi.SizeRun{{Count: 4, Bytes: 64}}}}}
	r.Kernels = []loi.Kernel{{Name: kernel, Params: []loi.Param{{Mode: loi.In}}}}
	w, err := loi.Create(path, loi.Header{Registry: r, Workers: []loi.Worker{{CPU: -1}, {CPU: -1}},
		Clock: loi.Clock{Hz: 1e9}, Substrate: on, Grain: "kernel"}, loi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	task := w.Recorder(0).BeginTask(0, 0, 0, 0, 4)
	for i, l := range leaves {
		at := uint64(20 * i)
		w.Recorder(l[1]).Kernel(0, at, at+10, uint32(l[0]))
		w.Recorder(l[1]).EndChild(at+10, task, 0, uint32(i))
	}
	w.Recorder(1).EndPhase(80, task, 0, 0)
	if _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestTracesPlanted(t *testing.T) {
	a := planted(t, loi.Simulated, "k", [4][2]int{{0, 0}, {1, 0}, {2, 0}, {0, 0}})
	for name, c := range map[string]struct {
		leaves [4][2]int
		first  int // -1: none
		moved  float64
		inRow  float64
		bin    *TraceBin
	}{
		"equal":   {[4][2]int{{0, 0}, {1, 0}, {2, 0}, {0, 0}}, -1, 0, 1, nil},
		"moved":   {[4][2]int{{0, 0}, {1, 1}, {2, 0}, {0, 1}}, -1, 0.5, 0, nil},
		"swapped": {[4][2]int{{0, 0}, {2, 0}, {1, 0}, {0, 0}}, 1, 0, 1, nil},
		"last":    {[4][2]int{{0, 0}, {1, 0}, {2, 0}, {2, 1}}, 3, 0.25, 2. / 3, &TraceBin{FromBytes: 0, B: 0.25}},
	} {
		t.Run(name, func(t *testing.T) {
			b := planted(t, loi.Simulated, "k", c.leaves)
			r, err := OfTraces(a, b)
			if err != nil {
				t.Fatal(err)
			}
			first := -1
			if r.First != nil {
				first = int(*r.First)
			}
			if first != c.first || r.A.Leaves != 4 || r.B.Leaves != 4 || *r.B.Moved != c.moved || *r.B.Joins != 1 ||
				*r.A.InRow != 1 || *r.B.InRow != c.inRow {
				t.Errorf("first difference %d, expected %d; %+v", first, c.first, r.B)
			}
			if (r.Bin == nil) != (c.bin == nil) || c.bin != nil && *r.Bin != *c.bin {
				t.Errorf("bin %+v, expected %+v", r.Bin, c.bin)
			}
			if *r.WTI != 1 || *r.Overhead != 1 || r.B.WorkNS != 40 || math.Abs(r.B.TimeNS-80) > 1e-6 {
				t.Errorf("WTI %g, overhead %g; %+v", *r.WTI, *r.Overhead, r.B)
			}
		})
	}
	if r, err := OfTraces(a, planted(t, loi.Simulated, "k", [4][2]int{{0, 0}, {2, 0}, {1, 0}, {0, 0}})); err != nil ||
		r.LeafA != "k A[1]" || r.LeafB != "k A[2]" || r.Same != 0.5 {
		t.Errorf("%+v: %v", r, err)
	}
	if r, err := OfTraces(a, planted(t, loi.Native, "k", [4][2]int{{0, 0}, {1, 0}, {2, 0}, {0, 0}})); err != nil ||
		r.First != nil || r.Bin != nil || r.WTI != nil || r.Overhead != nil {
		t.Errorf("a measured trace beside a simulated one: %+v, %v", r, err)
	}
	if _, err := OfTraces(a, planted(t, loi.Simulated, "other", [4][2]int{})); !errors.Is(err, ErrTraces) {
		t.Errorf("traces of two programs: %v", err)
	}
}
