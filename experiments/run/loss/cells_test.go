package loss

import (
	"krdlab/hw/ops"
	"krdlab/kernels/kernel"
	"krdlab/loi"
	"krdlab/runtimes"
)

// cells is a kernel for plantings: in each of its rounds, every column of cells of 8 bytes is updated by a
// task of its own. Cells of a row lie apart bytes from each other; the first task of a round takes long times
// the others.
var cells = kernel.Kernel{
	Name: "cells", Summary: "updates of cells", Work: true, Placed: true,
	Params: []kernel.Param{kernel.Int("cells", 24, 1, 1<<20, "cells"),
		kernel.Int("apart", 64, 8, 4096, "bytes"), kernel.Int("rounds", 100, 1, 1<<20, "rounds"),
		kernel.Int("long", 1, 1, 1<<20, "times")},
	Plan: func(p kernel.Params) (kernel.Plan, error) { return kernel.Plan{Resolved: p, Args: 1}, nil },
	New: func(p kernel.Params, _ kernel.Env) (kernel.Instance, error) {
		return &grown{n: p.Int("cells"), apart: uint64(p.Int("apart")), rounds: p.Int("rounds"),
			long: p.Int("long")}, nil
	},
}

// cellRows is how many rows of cells there are: a task updates one of each.
const cellRows = 100

type grown struct {
	n, rounds, long int
	apart           uint64
}

type round struct {
	runtimes.Frame
	of *grown
}

func (g *grown) Registry() loi.Registry {
	return loi.Registry{
		Objects: []loi.Object{{Name: "cells", Blocks: []loi.SizeRun{{Count: uint32(g.n), Bytes: 8 * cellRows}}}},
		Kernels: []loi.Kernel{{Name: "update", Params: []loi.Param{{Mode: loi.In | loi.Out}}}}}
}

func (g *grown) Work(_ loi.KernelID, blocks []uint32) ops.Count {
	n := uint64(2000)
	if blocks[0] == 0 {
		n *= uint64(g.long)
	}
	return ops.Count{ops.Scalar: n}
}

func (g *grown) Place(_ loi.ObjectID, block uint32) kernel.Extent {
	return kernel.Extent{Base: uint64(block) * g.apart, Bytes: 8, Stride: uint64(g.n) * g.apart, Rows: cellRows}
}

func (g *grown) Root(w *runtimes.Worker) *runtimes.Frame {
	r := runtimes.New[round](w, 0)
	r.of = g
	return r.Fork(g.n)
}

func (r *round) Run(w *runtimes.Worker, i int) *runtimes.Frame {
	w.End(0, w.Begin(0), uint32(i))
	return nil
}

func (r *round) Next(_ *runtimes.Worker, phase int) int {
	if phase+1 < r.of.rounds {
		return r.of.n
	}
	return 0
}

func (g *grown) Reset(bool)          {}
func (g *grown) Check() kernel.Check { return kernel.Check{Passed: true} }
func (g *grown) Close() error        { return nil }
