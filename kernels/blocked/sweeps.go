package blocked

import (
	"fmt"

	"krdlab/kernels/kernel"
	"krdlab/loi"
	"krdlab/runtimes"
)

// Sweeps is a program that visits blocks again and again: sweeps one after the other, see [Phases].
// An instance that embeds one has [kernel.Instance]'s Root.
type Sweeps struct {
	Count  int // sweeps, at least 1
	Blocks int // of a sweep, at least 1
	// Visit executes the kernel of a block.
	Visit func(w *runtimes.Worker, sweep, block int)
	// Bytes is the size of the data that a sweep touches, for hints, if all blocks are alike.
	// Otherwise Cost is not nil: the work, in any unit, and the bytes of blocks from to to-1.
	Bytes uint64
	Cost  func(from, to int) (work, bytes uint64)

	last Touched
	ran  []int32 // by block, how often; written by who runs the block
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

// Seen returns the check c of a result, made to fail if a block was not visited once in each sweep:
// a result that later sweeps overwrite does not show it.
func (s *Sweeps) Seen(c kernel.Check) kernel.Check {
	for b, n := range s.ran {
		if int(n) != s.Count && c.Passed {
			c.Passed, c.Error = false, 1
			c.Detail = fmt.Sprintf("block %d was visited %d times in %d sweeps", b, n, s.Count)
		}
	}
	return c
}

// Verdict returns the check of a result that must be exact: at compares element i of n with its
// right value.
func (s *Sweeps) Verdict(method string, n int, at func(i int) (got, want float64)) kernel.Check {
	return s.Seen(Exact(method, n, at))
}

// Exact returns the check of a result of n elements that must equal those of at; Error is the
// number of others.
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

// Root implements [runtimes.Program].
func (s *Sweeps) Root(w *runtimes.Worker) *runtimes.Frame { return Run(w, (*swept)(s)) }

// swept are Sweeps as Phases.
type swept Sweeps

func (s *swept) Size(sweep int) int {
	if sweep < s.Count {
		return s.Blocks
	}
	return 0
}

func (s *swept) Execute(w *runtimes.Worker, sweep, block int) {
	if s.last.Noting() {
		s.last.By(w.ID(), uint32(block))
	}
	if w.Computes() {
		s.ran[block]++
	}
	s.Visit(w, sweep, block)
}

func (*swept) Regions(int) (phase, half loi.RegionID) { return regionSweeps, regionBlocks }

// Hint returns that blocks are near to the worker that visited the first of them in the sweep
// before, and their cost.
func (s *swept) Hint(_, from, to int) runtimes.Hint {
	if !s.last.Noting() {
		return runtimes.Hint{}
	}
	n := uint64(to - from)
	work, bytes := n, n*s.Bytes/uint64(s.Blocks)
	if s.Cost != nil {
		work, bytes = s.Cost(from, to)
	}
	return runtimes.Hint{Work: work, Bytes: bytes, Near: s.last.Near(uint32(from))}
}
