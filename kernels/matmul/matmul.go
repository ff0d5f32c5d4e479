// Package matmul multiplies matrices, C += A B in single precision, by divide and conquer: the
// regular kernel of the KRD paper (II-A).
//
// Among the dimensions above their leaf size the largest is halved, at a multiple of the leaf
// (ties: rows of C, columns of C, the inner dimension). Halves of rows or columns of C are
// independent and are spawned; halves of the inner dimension add to the same C and run one after
// the other, as calls. One leaf is one kernel execution, which reads a block of A and one of B and
// updates one of C; those blocks are its virtual identities.
//
// The arithmetic is in package dense.
package matmul

import (
	"errors"
	"fmt"

	"krdlab/kernels/blocked"
	"krdlab/kernels/kernel"
	"krdlab/kernels/matmul/dense"
	"krdlab/loi"
	"krdlab/runtimes"
)

// The objects and the kernel of the registry.
const (
	objA loi.ObjectID = iota
	objB
	objC
)

const gemm loi.KernelID = 0

// instance is C += A B with its data.
type instance struct {
	a, b, c *dense.Matrix
	mul     *dense.Multiplier
	check   *dense.Checker
	shape   dense.Shape
	n       int
	work    uint64 // the operations of each leaf, if all are equal

	blocked.Space
	last blocked.Touched // blocks of C
}

func (in *instance) Registry() loi.Registry {
	return loi.Registry{
		Objects: in.Objects(),
		Kernels: []loi.Kernel{{Name: "gemm", Params: []loi.Param{
			{Object: objA, Mode: loi.In}, {Object: objB, Mode: loi.In},
			{Object: objC, Mode: loi.InOut},
		}}},
		Regions: []loi.Region{
			none:  {Name: "product", Kind: loi.Function, Parent: loi.NoRegion},
			rows:  {Name: "rows", Kind: loi.Loop, Parent: loi.RegionID(none)},
			cols:  {Name: "cols", Kind: loi.Loop, Parent: loi.RegionID(none)},
			inner: {Name: "inner", Kind: loi.Loop, Parent: loi.RegionID(none)},
		},
	}
}

func (in *instance) Reset(hints bool) {
	if !in.Env.Dry {
		in.c.Zero()
	}
	in.last.Reset(hints, in.c.Blocks())
}

func (in *instance) Check() kernel.Check {
	r := in.check.Check()
	c := kernel.Check{Passed: r.Passed, Error: r.Error, Tolerance: r.Tolerance, Method: r.Method}
	if r.Exact {
		c.Method += ", exact"
	} else {
		c.Method += ", in standard deviations of the expected rounding error (statistical)"
	}
	if !r.Passed {
		c.Detail = fmt.Sprintf("worst in row %d of C", r.Row)
	}
	return c
}

func (in *instance) Close() error {
	return errors.Join(in.a.Free(), in.b.Free(), in.c.Free())
}

// span is a range of blocks in one dimension.
type span struct{ lo, hi int32 }

func (s span) blocks() int32 { return s.hi - s.lo }

// half returns the first or second half of s, the first the longer one.
func (s span) half(second bool) span {
	mid := s.lo + (s.blocks()+1)/2
	if second {
		return span{mid, s.hi}
	}
	return span{s.lo, mid}
}

// dim is a dimension of the product.
type dim uint8

const (
	none dim = iota // a leaf
	rows
	cols
	inner
)

// product is the task of a part of the product that is larger than a leaf.
type product struct {
	runtimes.Frame
	in      *instance
	i, j, k span
	split   dim
	second  bool // split is inner: the second half is under way
}

// widest returns the dimension to halve.
func (in *instance) widest(i, j, k span) dim {
	best, size := none, int32(0)
	consider := func(d dim, s span, leaf int) {
		if s.blocks() <= 1 {
			return
		}
		if n := min(s.hi*int32(leaf), int32(in.n)) - s.lo*int32(leaf); n > size {
			best, size = d, n
		}
	}
	consider(rows, i, in.shape.M)
	consider(cols, j, in.shape.N)
	consider(inner, k, in.shape.K)
	return best
}

func (in *instance) Root(w *runtimes.Worker) *runtimes.Frame {
	return in.part(w, span{0, int32(in.c.Down())}, span{0, int32(in.c.Across())},
		span{0, int32(in.a.Across())})
}

// part runs a leaf in place, and makes a task of anything larger.
func (in *instance) part(w *runtimes.Worker, i, j, k span) *runtimes.Frame {
	split := in.widest(i, j, k)
	if split == none {
		in.leaf(w, int(i.lo), int(j.lo), int(k.lo))
		return nil
	}
	t := runtimes.New[product](w, 0)
	t.in, t.i, t.j, t.k, t.split, t.second = in, i, j, k, split, false
	if split == inner {
		return t.Fork(1)
	}
	return t.Fork(2)
}

func (in *instance) leaf(w *runtimes.Worker, i, j, k int) {
	a, b, c := in.a.BlockIndex(i, k), in.b.BlockIndex(k, j), in.c.BlockIndex(i, j)
	if in.last.Noting() { // goroutines have no numbers
		in.last.By(w.ID(), c)
	}
	start := w.Begin(gemm)
	if w.Computes() {
		in.mul.Leaf(i, j, k)
	}
	w.End(gemm, start, a, b, c)
}

// parts returns what child n of t computes.
func (t *product) parts(n int) (i, j, k span) {
	i, j, k = t.i, t.j, t.k
	switch t.split {
	case rows:
		i = i.half(n == 1)
	case cols:
		j = j.half(n == 1)
	case inner:
		k = k.half(t.second)
	}
	return i, j, k
}

func (t *product) Run(w *runtimes.Worker, n int) *runtimes.Frame {
	i, j, k := t.parts(n)
	return t.in.part(w, i, j, k)
}

func (t *product) Next(*runtimes.Worker, int) int {
	if t.split == inner && !t.second {
		t.second = true
		return 1
	}
	return 0
}

// Region implements [runtimes.Regioned]: the loop over the parts of the dimension that t halves.
func (t *product) Region(int) loi.RegionID { return loi.RegionID(t.split) }

// Hint returns that child n is near to the worker that ran the first leaf of its part of C in the
// preceding half of the inner dimension, to none before the first touch; and, in multiples of a
// leaf's, how much work it is and how many bytes it touches.
func (t *product) Hint(_ *runtimes.Worker, n int) runtimes.Hint {
	in := t.in
	if !in.last.Noting() {
		return runtimes.Hint{}
	}
	i, j, k := t.parts(n)
	di, dj, dk := uint64(i.blocks()), uint64(j.blocks()), uint64(k.blocks())
	return runtimes.Hint{
		Work: di * dj * dk,
		Bytes: di*dk*uint64(in.a.BlockBytes(0, 0)) + dk*dj*uint64(in.b.BlockBytes(0, 0)) +
			di*dj*uint64(in.c.BlockBytes(0, 0)),
		Near: in.last.Near(in.c.BlockIndex(int(i.lo), int(j.lo))),
	}
}
