// Package triad adds a multiple of a vector to another, a = b + s c in double precision, again and
// again: the triad of STREAM (J. D. McCalpin, "Memory bandwidth and machine balance in current high
// performance computers", IEEE Technical Committee on Computer Architecture Newsletter, 1995),
// whose time is that of memory. One block of the three vectors is one kernel execution; a sweep
// halves the range of blocks until one is left.
//
// Within a sweep nothing is used twice. From sweep to sweep a block is used again by whoever runs
// it, which pays off where the vectors fit into the caches of all nodes.
package triad

import (
	"math/rand/v2"

	"krdlab/hw/ops"
	"krdlab/kernels/blocked"
	"krdlab/kernels/kernel"
	"krdlab/loi"
	"krdlab/runtimes"
)

// Kernel is the line of the table. The vectors of the default size have 128 MiB each, 384 MiB
// together: STREAM's rule, four times the last-level caches for each, holds up to 32 MiB, and three
// times for all together up to 128 MiB. The class large is four times as large, and small is as
// large as four last-level caches of 24 MiB.
var Kernel = kernel.Kernel{
	Name:    "triad",
	Summary: "STREAM's triad, a = b + s c in double precision, in repeated sweeps",
	Work:    true,
	Placed:  true,
	Size:    "n",
	Params: []kernel.Param{
		kernel.Int("n", 1<<24, 1, 1<<32, "elements of each of the three vectors"),
		kernel.Int("block", 4096, 1, 1<<24, "elements of a block, which is one kernel execution"),
		kernel.Int("sweeps", 10, 1, 1<<20, "how often the vector is computed"),
	},
	Plan: plan,
	New:  newInstance,
	Small: []kernel.Params{
		{"n": 1, "sweeps": 2}, {"n": 1000, "block": 7, "sweeps": 2}, {"n": 65536, "sweeps": 3},
	},
	Classes: []kernel.Class{
		{Name: "small", Params: kernel.Params{"n": 1 << 22}},
		{Name: "large", Params: kernel.Params{"n": 1 << 26}},
	},
}

// scalar is STREAM's s. With it results are whole numbers, and exact.
const scalar = 3.0

func shape(p kernel.Params) blocked.Vector {
	return blocked.Vector{N: p.Int("n"), Block: p.Int("block"), Elem: 8}
}

func plan(p kernel.Params) (kernel.Plan, error) {
	v := shape(p)
	return kernel.Plan{Resolved: p, Bytes: 3 * v.Bytes(), Blocks: 3 * uint64(v.Blocks()),
		Executions: uint64(v.Blocks()) * uint64(p.Int("sweeps")), Args: 1}, nil
}

type instance struct {
	blocked.Space
	blocked.Sweeps
	blocked.Vector
	a, b, c blocked.Array[float64]
}

func newInstance(p kernel.Params, env kernel.Env) (kernel.Instance, error) {
	in := &instance{Space: blocked.Space{Env: env}, Vector: shape(p)}
	n := in.Vector.Blocks()
	in.Sweeps = blocked.Sweeps{Count: p.Int("sweeps"), Blocks: n, Visit: in.visit,
		Bytes: 3 * 8 * uint64(n) * uint64(in.Block)}
	in.a = blocked.NewArray[float64](&in.Space, "a", in.Vector)
	in.b = blocked.NewArray[float64](&in.Space, "b", in.Vector)
	in.c = blocked.NewArray[float64](&in.Space, "c", in.Vector)
	if err := in.Err(); err != nil {
		return nil, err
	}
	r := in.draw()
	for i := range in.b.Data {
		in.b.Data[i], in.c.Data[i] = r()
	}
	in.Reset(false)
	return in, nil
}

// draw returns what yields the elements of b and c in their order: whole numbers below 2^20.
func (in *instance) draw() func() (b, c float64) {
	r := rand.NewPCG(in.Env.Seed, 0)
	return func() (b, c float64) {
		x := r.Uint64()
		return float64(x >> 44), float64(x & (1<<20 - 1))
	}
}

func (in *instance) Registry() loi.Registry {
	return loi.Registry{Objects: in.Objects(), Regions: blocked.Regions,
		Kernels: []loi.Kernel{{Name: "triad", Of: []uint8{0, 0, 0},
			Params: []loi.Param{in.b.In(), in.c.In(), in.a.Out()}}}}
}

// Work implements [kernel.Modelled]: a multiplication and an addition for each element.
func (in *instance) Work(_ loi.KernelID, blocks []uint32) ops.Count {
	from, to := in.Span(int(blocks[0]))
	return ops.Count{ops.Scalar: 2 * uint64(to-from)}
}

func (in *instance) Reset(hints bool) {
	clear(in.a.Data)
	in.Begin(hints)
}

func (in *instance) Check() kernel.Check {
	r := in.draw()
	return in.Verdict("elements drawn again", len(in.a.Data), func(i int) (got, want float64) {
		b, c := r()
		return in.a.Data[i], b + scalar*c
	})
}

func (in *instance) visit(w *runtimes.Worker, _, block int) {
	start := w.Begin(0)
	if w.Computes() {
		from, to := in.Span(block)
		triad(in.a.Data[from:to], in.b.Data[from:to], in.c.Data[from:to])
	}
	w.End(0, start, uint32(block))
}

// triad computes a = b + s c, four elements at a time.
func triad(a, b, c []float64) {
	for len(a) >= 4 && len(b) >= 4 && len(c) >= 4 {
		a[0] = b[0] + scalar*c[0]
		a[1] = b[1] + scalar*c[1]
		a[2] = b[2] + scalar*c[2]
		a[3] = b[3] + scalar*c[3]
		a, b, c = a[4:], b[4:], c[4:]
	}
	for i := range a {
		a[i] = b[i] + scalar*c[i]
	}
}
