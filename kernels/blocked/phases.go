package blocked

import (
	"krdlab/loi"
	"krdlab/runtimes"
)

// Phases is a program of phases one after the other. Each executes its blocks in any order: their
// range is halved until one is left.
type Phases interface {
	// Size is how many blocks a phase has; 0 ends the program.
	Size(phase int) int
	// Execute executes a block.
	Execute(w *runtimes.Worker, phase, block int)
	// Regions are those that a phase and its halves stand in.
	Regions(phase int) (whole, half loi.RegionID)
	// Hint is of blocks from to to-1 of a phase.
	Hint(phase, from, to int) runtimes.Hint
}

// Run returns the root of a program of phases, see [runtimes.Program]. Its frames are of the last
// two of [runtimes.Kinds].
func Run(w *runtimes.Worker, of Phases) *runtimes.Frame {
	t := runtimes.New[phases](w, runtimes.Kinds-1)
	t.of = of
	return t.Fork(1)
}

// phases is the task of all phases.
type phases struct {
	runtimes.Frame
	of Phases
	n  int
}

func (t *phases) Run(w *runtimes.Worker, _ int) *runtimes.Frame {
	return part(w, t.of, t.n, 0, t.of.Size(t.n))
}

func (t *phases) Next(*runtimes.Worker, int) int {
	t.n++
	return min(1, t.of.Size(t.n))
}

// Region implements [runtimes.Regioned].
func (t *phases) Region(phase int) loi.RegionID {
	whole, _ := t.of.Regions(phase)
	return whole
}

// half is the task of blocks from to to-1 in phase n, at least two.
type half struct {
	runtimes.Frame
	of       Phases
	n        int
	from, to int
}

// part executes one block in place, and makes a task of more.
func part(w *runtimes.Worker, of Phases, n, from, to int) *runtimes.Frame {
	if to-from == 1 {
		of.Execute(w, n, from)
		return nil
	}
	t := runtimes.New[half](w, runtimes.Kinds-2)
	t.of, t.n, t.from, t.to = of, n, from, to
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
	return part(w, t.of, t.n, from, to)
}

func (*half) Next(*runtimes.Worker, int) int { return 0 }

// Region implements [runtimes.Regioned].
func (t *half) Region(int) loi.RegionID {
	_, half := t.of.Regions(t.n)
	return half
}

// Hint implements [runtimes.Hinted].
func (t *half) Hint(_ *runtimes.Worker, i int) runtimes.Hint {
	from, to := t.child(i)
	return t.of.Hint(t.n, from, to)
}
