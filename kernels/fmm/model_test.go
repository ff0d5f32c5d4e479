package fmm

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"testing"
	"unsafe"

	"krdlab/hw/hwtest/long"
	"krdlab/hw/ops"
	"krdlab/kernels/kernel"
	"krdlab/loi"
	"krdlab/runtimes"
)

// Blocks have the bytes of the registry, at addresses that belong to them alone; a dry run executes
// what a real one does, and its work is that of all M2L and all pairs.
func TestPlacesAndWork(t *testing.T) {
	for _, p := range []kernel.Params{
		// objects of more than 2 MiB each
		{"bodies": 1}, {"bodies": 17, "ncrit": 3}, {"bodies": long.Or(50_000, 140_000)},
		{"bodies": 2000, "mutual": "false", "order": 3, "cutoff": 0},
		{"bodies": long.Or(20_000, 70_000), "layout": together}, {"bodies": 3000, "layout": together, "order": 2},
		{"bodies": 3000, "tasks": exafmm},
	} {
		t.Run(fmt.Sprint(p), func(t *testing.T) {
			made, err := Kernel.New(Kernel.With(p), kernel.Env{Seed: 3, Dry: true})
			if err != nil {
				t.Fatal(err)
			}
			defer made.Close()
			in := made.(*instance)
			type row struct{ from, to uint64 }
			var rows []row
			r := in.Registry()
			for o := range r.Objects {
				block := uint32(0)
				for _, run := range r.Objects[o].Blocks {
					for range run.Count {
						x := in.Place(loi.ObjectID(o), block)
						if x.Bytes*uint64(x.Rows) != run.Bytes {
							t.Fatalf("object %d, block %d: %+v, want %d bytes", o, block, x,
								run.Bytes)
						}
						for i := range uint64(x.Rows) {
							from := x.Base + i*x.Stride
							rows = append(rows, row{from, from + x.Bytes})
						}
						block++
					}
				}
				if first := in.Place(loi.ObjectID(o), 0); first.Base%(2<<20) != 0 &&
					!(in.packed && loi.ObjectID(o) < objBodies) {
					t.Errorf("object %d begins at %d", o, first.Base)
				}
			}
			slices.SortFunc(rows, func(a, b row) int { return cmp.Compare(a.from, b.from) })
			for i := 1; i < len(rows); i++ {
				if rows[i].from < rows[i-1].to {
					t.Fatalf("two blocks at %+v and %+v", rows[i-1], rows[i])
				}
			}
			var work ops.Count
			var executions uint64
			in.Reset(false)
			_, err = runtimes.Step(runtimes.StepConfig{
				Policy: runtimes.Serial{}, Nodes: []int{0}, Kernels: r.Kernels, Dry: true,
				Costs: runtimes.Costs{Kernel: func(_ int, _ uint64, k loi.KernelID,
					blocks []uint32) uint64 {
					for kind, n := range in.Work(k, blocks) {
						work[kind] += n
					}
					executions++
					return 1
				}},
			}, in)
			n := in.count()
			want := ops.Count{ops.Single: 30*n.pairs + n.m2l*(13*in.ops.Flops(in.mutual)/4),
				ops.Integer: 100 * (n.p2p + n.self)}
			if err != nil || work != want || executions != n.m2l+n.p2p+n.self {
				t.Errorf("%v in %d executions (%v), want %v in %+v", work, executions,
					err, want, n)
			}
			if wet := of(t, p, generate(plummer, in.n, 1, 10, 3)); wet.count() != n {
				t.Errorf("dry %+v, computed %+v", n, wet.count())
			}
		})
	}
}

// A dry run has no results, which are not written.
func TestDryHasNoOutput(t *testing.T) {
	_, err := Kernel.New(Kernel.With(kernel.Params{"bodies": 5, "output": t.TempDir() + "/o.csv"}),
		kernel.Env{Dry: true})
	var p *kernel.ParamError
	if !errors.As(err, &p) || p.Name != "output" {
		t.Errorf("%v", err)
	}
}

// Expansions lie on a simulated machine as they do here.
func TestPlacesAreMemory(t *testing.T) {
	for _, layout := range []string{arrays, together} {
		in := of(t, kernel.Params{"layout": layout}, generate(plummer, 2000, 1, 10, 1))
		m, l := &in.exp.M[0], &in.exp.L[0]
		for i := range in.cells {
			to := func(o loi.ObjectID, from, at *float32) {
				want := uintptr(unsafe.Pointer(at)) - uintptr(unsafe.Pointer(from))
				got := in.Place(o, uint32(i)).Base - in.Place(o&^1, 0).Base
				if layout == arrays {
					got = in.Place(o, uint32(i)).Base - in.Place(o, 0).Base
				}
				if got != uint64(want) {
					t.Fatalf("%s, cell %d, object %d: %d bytes from the first, in memory %d", layout,
						i, o, got, want)
				}
			}
			to(objMultipoles, m, &in.exp.M[i*in.ops.MultipoleStride])
			if layout == together { // locals from the first multipoles
				l = m
			}
			to(objLocals, l, &in.exp.L[i*in.ops.LocalStride])
		}
	}
}
