// Package strassen multiplies matrices, C = A B in single precision, by seven products of halves in
// place of eight (V. Strassen, "Gaussian elimination is not optimal", Numerische Mathematik 13,
// 1969).
//
// A product above the cut-off has three phases: the ten sums of quadrants, tile by tile; the seven
// products, in temporaries of their own; the four quadrants of the result, tile by tile. At or
// below the cut-off it is the ordinary product of tiles: each tile of the result is a task, which
// runs over the inner dimension. Every addition of tiles is a kernel execution, as is every
// product.
//
// BOTS's strassen (github.com/bsc-pm/bots, omp-tasks/strassen, commit 2607a69) has Winograd's
// variant, of 15 additions. Here it is Strassen's own, of 18. All matrices are one object, each
// from a tile of its own on: A, B, C, then temporaries.
package strassen

import (
	"math/bits"

	"krdlab/hw/ops"
	"krdlab/kernels/blocked"
	"krdlab/kernels/kernel"
	"krdlab/kernels/matmul/dense"
	"krdlab/kernels/tiles"
	"krdlab/loi"
	"krdlab/runtimes"
)

// Kernel is the line of the table.
var Kernel = kernel.Kernel{
	Name:    "strassen",
	Summary: "dense matrix multiply by Strassen's seven products, single precision",
	Work:    true,
	Size:    "n",
	Params: append(tiles.Params(kernel.Int("n", 2048, 1, 1<<14,
		"rows and columns: block times a power of two"), 128, "rows and columns of a tile"),
		kernel.Int("cutoff", 512, 1, 1<<14,
			"products of at most so many rows are ordinary ones")),
	Plan: plan,
	New:  newInstance,
	Small: []kernel.Params{{"n": 16, "block": 16}, {"n": 64, "block": 16, "cutoff": 32},
		{"n": 44, "block": 11, "cutoff": 11}},
	Classes: []kernel.Class{{Name: "small", Params: kernel.Params{"n": 1024, "block": 64,
		"cutoff": 256}}, {Name: "large", Params: kernel.Params{"n": 4096}}},
}

// The kernels of the registry.
const (
	first   loi.KernelID = iota // C = A B
	gemm                        // C += A B
	add                         // C = A + B, or C = A - B
	combine                     // C = A + B + C' + D, with signs
)

// shape returns the sizes in tiles: tiles in a row, and in a row of the largest ordinary product.
func shape(p kernel.Params) (across, cut int, err error) {
	n, b := p.Int("n"), p.Int("block")
	across = n / b
	if n%b != 0 || bits.OnesCount(uint(across)) != 1 {
		return 0, 0, p.Errorf("n", "it must be block (%d) times a power of two", b)
	}
	return across, max(1, p.Int("cutoff")/b), nil
}

// temporaries returns how many tiles a product of q x q tiles needs, those below it included.
func temporaries(q, cut int) int {
	if q <= cut {
		return 0
	}
	h := q / 2
	return 17*h*h + 7*temporaries(h, cut)
}

func executions(q, cut int) uint64 {
	if q <= cut {
		return uint64(q * q * q)
	}
	h := q / 2
	return uint64(14*h*h) + 7*executions(h, cut)
}

func plan(p kernel.Params) (kernel.Plan, error) {
	out, err := tiles.Plan(p, p.Int("n"), 3)
	if err != nil {
		return out, err
	}
	q, cut, err := shape(p)
	if err != nil {
		return out, err
	}
	total := uint64(3*q*q + temporaries(q, cut))
	out.Bytes = out.Bytes / out.Blocks * total
	out.Blocks, out.Executions, out.Args = total, executions(q, cut), 5
	return out, nil
}

type instance struct {
	blocked.Space
	tiles.Ops
	all  *dense.Matrix // one column of tiles
	n, q int
	cut  int
	x, y tiles.Vectors // y = A B x
}

func newInstance(p kernel.Params, env kernel.Env) (kernel.Instance, error) {
	out, err := plan(p)
	if err != nil {
		return nil, err
	}
	in := &instance{Space: blocked.Space{Env: env}, n: p.Int("n")}
	in.q, in.cut, _ = shape(p)
	if in.Ops, err = tiles.NewOps(p); err != nil {
		return nil, err
	}
	b := p.Int("block")
	if in.all, err = dense.New(b*int(out.Blocks), b, b, b, dense.Tiled); err != nil {
		return nil, err
	}
	in.Add("matrices", in.all)
	if q := in.q; !env.Dry {
		in.all.FillBlocks(0, 2*q*q, env.Seed, dense.Integers)
		in.x, in.y = tiles.Signs(in.n, env.Seed), tiles.NewVectors(in.n)
		bx := tiles.NewVectors(in.n)
		in.times(quad{q * q, q, q}, bx, in.x)
		in.times(quad{0, q, q}, in.y, bx)
	}
	in.Reset(false)
	return in, nil
}

func (in *instance) times(m quad, y, x tiles.Vectors) {
	for i := range m.n {
		for j := range m.n {
			in.at(m.tile(i, j)).Apply(tiles.All, y, i*in.all.TileCols, x, j*in.all.TileCols)
		}
	}
}

func (in *instance) at(b uint32) tiles.Tile { return tiles.At(in.all, int(b), 0) }

func (in *instance) Registry() loi.Registry {
	a := tiles.Args
	return loi.Registry{Objects: in.Objects(), Regions: []loi.Region{
		{Name: "product", Kind: loi.Function, Parent: loi.NoRegion}}, Kernels: []loi.Kernel{
		first:   {Name: "first", Params: a(loi.In, loi.In, loi.Out)},
		gemm:    {Name: "gemm", Params: a(loi.In, loi.In, loi.InOut)},
		add:     {Name: "add", Params: a(loi.In, loi.In, loi.Out)},
		combine: {Name: "combine", Params: a(loi.In, loi.In, loi.In, loi.In, loi.Out)},
	}}
}

func (in *instance) Reset(bool) {
	if !in.Env.Dry {
		in.all.ZeroBlocks(2*in.q*in.q, 3*in.q*in.q)
	}
}

// Check allows the rounding that Strassen's sums add, and no more than a wrong product exceeds.
func (in *instance) Check() kernel.Check {
	got := tiles.NewVectors(in.n)
	in.times(quad{2 * in.q * in.q, in.q, in.q}, got, in.x)
	got.Square = in.y.Square
	return tiles.Compare(got, in.y, "A B")
}

// Close implements [kernel.Instance].
func (in *instance) Close() error { return in.all.Free() }

// Work implements [kernel.Modelled].
func (in *instance) Work(k loi.KernelID, _ []uint32) ops.Count {
	b := uint64(in.all.TileCols)
	switch k {
	case add:
		return ops.Count{ops.Scalar: b * b, ops.Integer: 3 * b * b}
	case combine:
		return ops.Count{ops.Scalar: 3 * b * b, ops.Integer: 6 * b * b}
	}
	return tiles.ProductOps(b, b, b)
}

// Uniform implements [kernel.Uniform].
func (in *instance) Uniform(loi.KernelID) bool { return true }

// A quad is a matrix of n x n tiles, rows of tiles stride apart, from tile at on.
type quad struct{ at, n, stride int }

func (m quad) tile(i, j int) uint32 { return uint32(m.at + i*m.stride + j) }

func (m quad) part(i, j int) quad {
	h := m.n / 2
	return quad{m.at + i*h*m.stride + j*h, h, m.stride}
}

// sums are the ten: the matrix (0: A, 1: B), the two quadrants, and whether to subtract.
var sums = [10]struct {
	of, a, b int
	minus    bool
}{{0, 0, 3, false}, {1, 0, 3, false}, {0, 2, 3, false}, {1, 1, 3, true}, {1, 2, 0, true},
	{0, 0, 1, false}, {0, 2, 0, true}, {1, 0, 1, false}, {0, 1, 3, true}, {1, 2, 3, false}}

// factors are those of the seven products: a sum from 0 on, or a quadrant of A or B as 10 + its
// number.
var factors = [7][2]int{{0, 1}, {2, 10}, {10, 3}, {13, 4}, {5, 13}, {6, 7}, {8, 9}}

// results are the quadrants of C: products, from 1 on, with their signs.
var results = [4][4]int{{1, 4, -5, 7}, {3, 5}, {2, 4}, {1, -2, 3, 6}}

// product is the task of c = a b.
type product struct {
	runtimes.Frame
	in      *instance
	a, b, c quad
	temp    int // its first temporary
	part    int
}

func (in *instance) Root(w *runtimes.Worker) *runtimes.Frame {
	q := in.q
	return in.product(w, quad{0, q, q}, quad{q * q, q, q}, quad{2 * q * q, q, q}, 3*q*q)
}

func (in *instance) product(w *runtimes.Worker, a, b, c quad, temp int) *runtimes.Frame {
	t := runtimes.New[product](w, 0)
	t.in, t.a, t.b, t.c, t.temp = in, a, b, c, temp
	if a.n <= in.cut {
		return t.Fork(a.n * a.n)
	}
	return t.Fork(10 * a.n * a.n / 4)
}

// temporary returns number i of the 10 sums and 7 products.
func (t *product) temporary(i int) quad {
	h := t.a.n / 2
	return quad{t.temp + i*h*h, h, h}
}

func (t *product) factor(m quad, f int) quad {
	if f < 10 {
		return t.temporary(f)
	}
	return m.part((f-10)/2, (f-10)%2)
}

func (t *product) Run(w *runtimes.Worker, n int) *runtimes.Frame {
	in, h := t.in, t.a.n/2
	switch {
	case t.a.n <= in.cut:
		in.ordinary(w, t.a, t.b, t.c, n/t.a.n, n%t.a.n)
	case t.part == 0:
		s, i, j := sums[n/(h*h)], n%(h*h)/h, n%h
		m := t.a
		if s.of == 1 {
			m = t.b
		}
		a, b := m.part(s.a/2, s.a%2).tile(i, j), m.part(s.b/2, s.b%2).tile(i, j)
		in.sum(w, add, t.temporary(n/(h*h)).tile(i, j), []uint32{a, b}, []bool{false, s.minus})
	case t.part == 1:
		f := factors[n]
		return in.product(w, t.factor(t.a, f[0]), t.factor(t.b, f[1]), t.temporary(10+n),
			t.temp+17*h*h+n*temporaries(h, in.cut))
	default:
		q, i, j := n/(h*h), n%(h*h)/h, n%h
		var from [4]uint32
		var minus [4]bool
		id, used := combine, 0
		for _, p := range results[q] {
			if p == 0 {
				id = add
				break
			}
			minus[used] = p < 0
			from[used] = t.temporary(9+max(p, -p)).tile(i, j)
			used++
		}
		in.sum(w, id, t.c.part(q/2, q%2).tile(i, j), from[:used], minus[:used])
	}
	return nil
}

func (t *product) Next(*runtimes.Worker, int) int {
	if t.part++; t.a.n <= t.in.cut {
		return 0
	}
	return [3]int{0, 7, t.a.n * t.a.n}[t.part%3]
}

// Region implements [runtimes.Regioned].
func (t *product) Region(int) loi.RegionID { return 0 }

// Hint gives the operations and bytes of a child, in tiles.
func (t *product) Hint(*runtimes.Worker, int) runtimes.Hint {
	n, bytes := uint64(t.a.n), uint64(t.in.all.BlockBytes(0, 0))
	switch {
	case t.a.n <= t.in.cut:
		return runtimes.Hint{Work: n, Bytes: (2*n + 1) * bytes}
	case t.part == 1:
		return runtimes.Hint{Work: n * n * n / 8, Bytes: 3 * n * n / 4 * bytes}
	}
	return runtimes.Hint{Work: 1, Bytes: 3 * bytes}
}

// ordinary sets a tile of c to the product of a row of a's tiles with a column of b's.
func (in *instance) ordinary(w *runtimes.Worker, a, b, c quad, i, j int) {
	to, id := c.tile(i, j), first
	for k := range a.n {
		x, y := a.tile(i, k), b.tile(k, j)
		start := w.Begin(id)
		if w.Computes() {
			t := in.at(to)
			if id == first {
				for r := range t.Rows {
					clear(t.Row(r))
				}
			}
			in.Plus(t, in.at(x), in.at(y))
		}
		w.End(id, start, x, y, to)
		id = gemm
	}
}

// sum sets a tile to the sum of others. Those with minus count negative; the first has none.
func (in *instance) sum(w *runtimes.Worker, id loi.KernelID, to uint32, from []uint32,
	minus []bool) {
	start := w.Begin(id)
	if w.Computes() {
		var of [4]tiles.Tile
		for k, b := range from {
			of[k] = in.at(b)
		}
		t := in.at(to)
		for r := range t.Rows {
			row := t.Row(r)
			copy(row, of[0].Row(r))
			for k := 1; k < len(from); k++ {
				other := of[k].Row(r)[:len(row)]
				if minus[k] {
					for c, v := range other {
						row[c] -= v
					}
				} else {
					for c, v := range other {
						row[c] += v
					}
				}
			}
		}
	}
	w.End(id, start, append(from, to)...)
}
