// Package spmv multiplies a sparse matrix by a vector, y = A x in double precision, again and
// again, as SciMark's SparseCompRow does (R. Pozo and B. Miller, "SciMark 2.0", NIST, 2000): rows
// one after the other, each the values and columns of its entries (CSR).
//
// The matrix is block tridiagonal, closed to a ring, and random within the blocks: x is cut into
// blocks of `band` columns, and the rows that belong to one have their entries in it and in the two
// beside it. So every execution reads three blocks of x and its record has a fixed signature.
// SciMark's columns are a fixed stride apart; these are drawn. An execution is a block of rows, cut
// by entries; a sweep halves the range of blocks until one is left.
//
// x is used again by neighbouring rows, the matrix and y from sweep to sweep only.
package spmv

import (
	"math/rand/v2"

	"krdlab/hw/ops"
	"krdlab/kernels/blocked"
	"krdlab/kernels/kernel"
	"krdlab/loi"
	"krdlab/runtimes"
)

// Kernel is the line of the table.
var Kernel = kernel.Kernel{
	Name:    "spmv",
	Summary: "sparse matrix by vector, y = A x in double precision (CSR), in repeated sweeps",
	Work:    true,
	Placed:  true,
	Size:    "n",
	Params: []kernel.Param{
		kernel.Int("n", 200_000, 3, 1<<26, "rows and columns of the matrix"),
		kernel.Int("degree", 20, 1, 1<<16,
			"entries of a row on average; a row has 1 to 2 x degree - 1"),
		kernel.Int("band", 8192, 1, 1<<24, "columns of a block of x; a row has entries in its own "+
			"block and the two beside it; at most a third of n counts"),
		kernel.Int("block", 8192, 1, 1<<24,
			"entries of a block of rows, which is one kernel execution, or few more"),
		kernel.Int("sweeps", 10, 1, 1<<20, "how often the product is computed"),
	},
	Plan: plan,
	New:  newInstance,
	Small: []kernel.Params{
		{"n": 3, "degree": 2, "sweeps": 2},
		{"n": 1001, "degree": 5, "band": 90, "block": 64, "sweeps": 2},
		{"n": 7000, "degree": 8, "band": 1000, "block": 1000, "sweeps": 2},
	},
	Classes: []kernel.Class{
		{Name: "small", Params: kernel.Params{"n": 50_000}},
		{Name: "large", Params: kernel.Params{"n": 2_000_000}},
		{Name: "bots", Params: kernel.Params{"n": 100_000, "degree": 10}}, // SciMark, large
	},
}

func plan(p kernel.Params) (kernel.Plan, error) {
	s, err := shape(p)
	if err != nil {
		return kernel.Plan{}, err
	}
	blocks := uint64(len(s.rows) - 1)
	return kernel.Plan{Resolved: p, Bytes: 12*uint64(s.entries()) + 20*uint64(s.n),
		Blocks:     4*blocks + uint64(s.ring().Blocks()),
		Executions: blocks * uint64(p.Int("sweeps")), Args: 4}, nil
}

type instance struct {
	blocked.Space
	blocked.Sweeps
	*structure
	ends         blocked.Array[uint32] // by row, the number of the entry behind its last
	columns      blocked.Array[uint32]
	values, x, y blocked.Array[float64]
}

func newInstance(p kernel.Params, env kernel.Env) (kernel.Instance, error) {
	s, err := shape(p)
	if err != nil {
		return nil, err
	}
	in := &instance{Space: blocked.Space{Env: env}, structure: s}
	in.Sweeps = blocked.Sweeps{Count: p.Int("sweeps"), Blocks: len(s.rows) - 1, Visit: in.visit,
		Cost: in.cost}
	in.ends = blocked.NewArray[uint32](&in.Space, "rows", blocked.Cut{At: s.rows, Elem: 4})
	in.columns = blocked.NewArray[uint32](&in.Space, "columns", blocked.Cut{At: s.first, Elem: 4})
	in.values = blocked.NewArray[float64](&in.Space, "values", blocked.Cut{At: s.first, Elem: 8})
	in.x = blocked.NewArray[float64](&in.Space, "x", s.ring())
	in.y = blocked.NewArray[float64](&in.Space, "y", blocked.Cut{At: s.rows, Elem: 8})
	if err := in.Err(); err != nil {
		return nil, err
	}
	at := 0
	for r := range in.ends.Data { // of a dry instance there are none
		in.row(env.Seed, r, func(col int, value int64) {
			in.columns.Data[at], in.values.Data[at] = uint32(col), float64(value)
			at++
		})
		in.ends.Data[r] = uint32(at)
	}
	for i := range in.x.Data {
		in.x.Data[i] = float64(in.element(i))
	}
	in.Reset(false)
	return in, nil
}

// element returns element i of x: a whole number below 2^16.
func (in *instance) element(i int) int64 {
	return int64(rand.NewPCG(in.Env.Seed, 1<<63|uint64(i)).Uint64() >> 48)
}

func (in *instance) Registry() loi.Registry {
	return loi.Registry{Objects: in.Objects(), Regions: blocked.Regions,
		Kernels: []loi.Kernel{{Name: "spmv", Of: []uint8{0, 0, 0, 1, 2, 3, 0},
			Params: []loi.Param{in.ends.In(), in.columns.In(), in.values.In(), in.x.In(),
				in.x.In(), in.x.In(), in.y.Out()}}}}
}

// Work implements [kernel.Modelled]: a multiplication for each entry, and an addition, which waits
// for that of the entry before.
func (in *instance) Work(_ loi.KernelID, blocks []uint32) ops.Count {
	entries := uint64(in.first[blocks[0]+1] - in.first[blocks[0]])
	return ops.Count{ops.Scalar: entries, ops.Chain: entries}
}

// Gathers implements [kernel.Gathering]: entries read x where their columns say.
func (in *instance) Gathers(_ loi.KernelID, param int) bool { return param >= 3 && param <= 5 }

func (in *instance) Reset(hints bool) {
	for i := range in.y.Data {
		in.y.Data[i] = -1 << 60 // no product is
	}
	in.Begin(hints)
}

// Check draws the matrix again and multiplies in integers; all sums are exact in either.
func (in *instance) Check() kernel.Check {
	return in.Verdict("integers, entries drawn again", in.n, func(r int) (got, want float64) {
		sum := int64(0)
		in.row(in.Env.Seed, r, func(col int, value int64) { sum += value * in.element(col) })
		return in.y.Data[r], float64(sum)
	})
}

func (in *instance) visit(w *runtimes.Worker, _, block int) {
	own, before, behind := in.around(in.rows[block])
	start := w.Begin(0)
	if w.Computes() {
		from, to := in.rows[block], in.rows[block+1]
		product(in.y.Data[from:to], in.ends.Data[from:to], uint32(in.first[block]),
			in.columns.Data, in.values.Data, in.x.Data)
	}
	w.End(0, start, uint32(block), uint32(before), uint32(own), uint32(behind))
}

// product computes rows whose entries begin with number at.
func product(y []float64, ends []uint32, at uint32, columns []uint32, values, x []float64) {
	ends = ends[:len(y)]
	for r := range y {
		end := ends[r]
		c, v := columns[at:end], values[at:end]
		v = v[:len(c)]
		sum := 0.0
		for k, col := range c {
			sum += v[k] * x[col]
		}
		y[r], at = sum, end
	}
}

func (in *instance) cost(from, to int) (work, bytes uint64) {
	entries, rows := in.first[to]-in.first[from], in.rows[to]-in.rows[from]
	// and the blocks of x, two of them beside those of the rows
	return uint64(entries), uint64(12*entries + 20*rows + 8*2*in.width)
}
