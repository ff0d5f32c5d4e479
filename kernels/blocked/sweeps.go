package blocked

import (
	"fmt"

	"krdlab/kernels/kernel"
	"krdlab/loi"
	"krdlab/runtimes"
)

// Sweeps is a program that visits blocks again and again: sweeps one after the other, the blocks of
// one in any order, by halving their range until one is left. An instance that embeds one has
// [kernel.Instance]'s Root. Its frames are of the last two of [runtimes.Kinds].
type Sweeps struct {
	Count  int // sweeps, at least 1
	Blocks int // of a sweep, at least 1
	Of     Swept

	last Touched
	ran  []int32 // by block, how often; written by who runs the block
}

// Swept is what is done with a block.
type Swept interface {
	// Visit executes the kernel of a block.
	Visit(w *runtimes.Worker, sweep, block int)
	// Cost is the work, in any unit, and the bytes of blocks from to to-1.
	Cost(from, to int) (work, bytes uint64)
}

// The regions of Sweeps, for [loi.Registry].
var Regions = []loi.Region{
	regionSweeps: {Name: "sweeps", Kind: loi.Loop, Parent: loi.NoRegion},
	regionBlocks: {Name: "blocks", Kind: loi.Loop, Parent: regionSweeps},
}

const (
	regionSweeps loi.RegionID = iota
	regionBlocks
)

// Begin forgets earlier runs, see [kernel.Instance.Reset].
func (s *Sweeps) Begin(hints bool) {
	s.last.Reset(hints, s.Blocks)
	s.ran = make([]int32, s.Blocks)
}

// Once says where a block was not visited once in each sweep, "" if all were. A result that later
// sweeps overwrite does not show it.
func (s *Sweeps) Once() string {
	for b, n := range s.ran {
		if int(n) != s.Count {
			return fmt.Sprintf("block %d was visited %d times in %d sweeps", b, n, s.Count)
		}
	}
	return ""
}

// Verdict is the check of a result that must be exact: at compares element i of n with what it must
// be.
func (s *Sweeps) Verdict(method string, n int, at func(i int) (got, want float64)) kernel.Check {
	c := Exact(method, n, at)
	if d := s.Once(); d != "" && c.Passed {
		c.Passed, c.Error, c.Detail = false, 1, d
	}
	return c
}

// Exact is the check of a result of n elements in which each must be what at wants; Error is how
// many are not.
func Exact(method string, n int, at func(i int) (got, want float64)) kernel.Check {
	c := kernel.Check{Passed: true, Method: method + ", elements that differ, exact"}
	for i := range n {
		if got, want := at(i); got != want {
			if c.Passed {
				c.Passed, c.Detail = false, fmt.Sprintf("element %d is %g, want %g", i, got, want)
			}
			c.Error++
		}
	}
	return c
}

// sweep is the task of all sweeps.
type sweep struct {
	runtimes.Frame
	of *Sweeps
	n  int
}

// Root implements [runtimes.Program].
func (s *Sweeps) Root(w *runtimes.Worker) *runtimes.Frame {
	t := runtimes.New[sweep](w, runtimes.Kinds-1)
	t.of, t.n = s, 0
	return t.Fork(1)
}

func (t *sweep) Run(w *runtimes.Worker, _ int) *runtimes.Frame {
	return t.of.part(w, t.n, 0, t.of.Blocks)
}

func (t *sweep) Next(*runtimes.Worker, int) int {
	if t.n++; t.n < t.of.Count {
		return 1
	}
	return 0
}

// Region implements [runtimes.Regioned].
func (*sweep) Region(int) loi.RegionID { return regionSweeps }

// half is the task of blocks from to to-1 in a sweep, at least two.
type half struct {
	runtimes.Frame
	of       *Sweeps
	n        int
	from, to int
}

// part visits one block in place, and makes a task of more.
func (s *Sweeps) part(w *runtimes.Worker, n, from, to int) *runtimes.Frame {
	if to-from == 1 {
		if s.last.Noting() {
			s.last.By(w.ID(), uint32(from))
		}
		if w.Computes() {
			s.ran[from]++
		}
		s.Of.Visit(w, n, from)
		return nil
	}
	t := runtimes.New[half](w, runtimes.Kinds-2)
	t.of, t.n, t.from, t.to = s, n, from, to
	return t.Fork(2)
}

// child returns the blocks of child i.
func (t *half) child(i int) (from, to int) {
	mid := (t.from + t.to) / 2
	if i == 0 {
		return t.from, mid
	}
	return mid, t.to
}

func (t *half) Run(w *runtimes.Worker, i int) *runtimes.Frame {
	from, to := t.child(i)
	return t.of.part(w, t.n, from, to)
}

func (*half) Next(*runtimes.Worker, int) int { return 0 }

// Region implements [runtimes.Regioned].
func (*half) Region(int) loi.RegionID { return regionBlocks }

// Hint says that a child is near to who visited the first of its blocks in the sweep before, and
// what it costs.
func (t *half) Hint(_ *runtimes.Worker, i int) runtimes.Hint {
	s := t.of
	if !s.last.Noting() {
		return runtimes.Hint{}
	}
	from, to := t.child(i)
	work, bytes := s.Of.Cost(from, to)
	return runtimes.Hint{Work: work, Bytes: bytes, Near: s.last.Near(uint32(from))}
}
