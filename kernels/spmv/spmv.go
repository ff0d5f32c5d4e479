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
		{Name: "n", Kind: kernel.IntParam, Default: 200_000, Min: 3, Max: 1 << 26,
			Help: "rows and columns of the matrix"},
		{Name: "degree", Kind: kernel.IntParam, Default: 20, Min: 1, Max: 1 << 16,
			Help: "entries of a row on average; a row has 1 to 2 x degree - 1"},
		{Name: "band", Kind: kernel.IntParam, Default: 8192, Min: 1, Max: 1 << 24,
			Help: "columns of a block of x; a row has entries in its own block and the two " +
				"beside it; at most a third of n counts"},
		{Name: "block", Kind: kernel.IntParam, Default: 8192, Min: 1, Max: 1 << 24,
			Help: "entries of a block of rows, which is one kernel execution, or few more"},
		{Name: "sweeps", Kind: kernel.IntParam, Default: 10, Min: 1, Max: 1 << 20,
			Help: "how often the product is computed"},
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
		Blocks:     4*blocks + uint64((s.n+s.width-1)/s.width),
		Executions: blocks * uint64(p.Int("sweeps")), Args: 4}, nil
}

type instance struct {
	blocked.Space
	blocked.Memory
	blocked.Sweeps
	*structure
	ends    []uint32 // by row, the number of the entry behind its last
	columns []uint32
	values  []float64
	x, y    []float64
	seed    uint64
}

// The objects and the kernel of the registry.
const (
	objEnds loi.ObjectID = iota
	objColumns
	objValues
	objX
	objY
)

const multiply loi.KernelID = 0

func newInstance(p kernel.Params, env kernel.Env) (_ kernel.Instance, err error) {
	s, err := shape(p)
	if err != nil {
		return nil, err
	}
	in := &instance{structure: s, seed: env.Seed}
	in.Sweeps = blocked.Sweeps{Count: p.Int("sweeps"), Blocks: len(s.rows) - 1, Of: in}
	in.Add("rows", blocked.Cut{At: s.rows, Elem: 4})
	in.Add("columns", blocked.Cut{At: s.first, Elem: 4})
	in.Add("values", blocked.Cut{At: s.first, Elem: 8})
	in.Add("x", blocked.Vector{N: s.n, Block: s.width, Elem: 8})
	in.Add("y", blocked.Cut{At: s.rows, Elem: 8})
	if err := in.alloc(env); err != nil {
		in.Close()
		return nil, err
	}
	if !env.Dry {
		in.fill()
	}
	in.Reset(false)
	return in, nil
}

func (in *instance) alloc(env kernel.Env) (err error) {
	for _, v := range []struct {
		to *[]uint32
		n  int
	}{{&in.ends, in.n}, {&in.columns, in.entries()}} {
		if *v.to, err = blocked.Alloc[uint32](&in.Memory, env, v.n); err != nil {
			return err
		}
	}
	for _, v := range []struct {
		to *[]float64
		n  int
	}{{&in.values, in.entries()}, {&in.x, in.n}, {&in.y, in.n}} {
		if *v.to, err = blocked.Alloc[float64](&in.Memory, env, v.n); err != nil {
			return err
		}
	}
	return nil
}

func (in *instance) fill() {
	at := 0
	for b := range in.Blocks {
		for r := in.rows[b]; r < in.rows[b+1]; r++ {
			in.row(in.seed, b, r, func(col int, value int64) {
				in.columns[at], in.values[at] = uint32(col), float64(value)
				at++
			})
			in.ends[r] = uint32(at)
		}
	}
	for i, v := range in.vector() {
		in.x[i] = float64(v)
	}
}

// vector returns x: whole numbers below 2^16.
func (in *instance) vector() []int64 {
	x, draw := make([]int64, in.n), rand.NewPCG(in.seed, 1<<63)
	for i := range x {
		x[i] = int64(draw.Uint64() >> 48)
	}
	return x
}

func (in *instance) Registry() loi.Registry {
	return loi.Registry{
		Objects: in.Objects(),
		Kernels: []loi.Kernel{{Name: "spmv", Params: []loi.Param{{Object: objEnds, Mode: loi.In},
			{Object: objColumns, Mode: loi.In}, {Object: objValues, Mode: loi.In},
			{Object: objX, Mode: loi.In}, {Object: objX, Mode: loi.In},
			{Object: objX, Mode: loi.In}, {Object: objY, Mode: loi.Out}},
			Of: []uint8{0, 0, 0, 1, 2, 3, 0}}},
		Regions: blocked.Regions,
	}
}

// Work implements [kernel.Modelled]: a multiplication and an addition for each entry.
func (in *instance) Work(_ loi.KernelID, blocks []uint32) uint64 {
	b := blocks[0]
	return 2 * uint64(in.first[b+1]-in.first[b])
}

func (in *instance) Reset(hints bool) {
	for i := range in.y {
		in.y[i] = -1 << 60 // no product is
	}
	in.Begin(hints)
}

// Check draws the matrix again and multiplies in integers; all sums are exact in either.
func (in *instance) Check() kernel.Check {
	x, block := in.vector(), 0
	return in.Verdict("integers, entries drawn again", in.n, func(r int) (got, want float64) {
		for r >= in.rows[block+1] {
			block++
		}
		sum := int64(0)
		in.row(in.seed, block, r, func(col int, value int64) { sum += value * x[col] })
		return in.y[r], float64(sum)
	})
}

// Visit implements [blocked.Swept].
func (in *instance) Visit(w *runtimes.Worker, _, block int) {
	own, before, behind := in.around(block)
	start := w.Begin(multiply)
	if w.Computes() {
		from, to := in.rows[block], in.rows[block+1]
		product(in.y[from:to], in.ends[from:to], uint32(in.first[block]), in.columns, in.values,
			in.x)
	}
	w.End(multiply, start, uint32(block), uint32(before), uint32(own), uint32(behind))
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

// Cost implements [blocked.Swept].
func (in *instance) Cost(from, to int) (work, bytes uint64) {
	entries, rows := in.first[to]-in.first[from], in.rows[to]-in.rows[from]
	// and the blocks of x, two of them beside those of the rows
	return uint64(entries), uint64(12*entries + 20*rows + 8*2*in.width)
}
