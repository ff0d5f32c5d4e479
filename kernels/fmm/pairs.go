package fmm

import (
	"krdlab/loi"
	"krdlab/runtimes"
)

// series is a single cell with the cells of a range, or with itself, under exaFMM's rule for
// tasks: its pairs are treated in order, and one whose cells are both opened is a call of the
// product of their children. It has a phase of one child for each of those.
//
// The rule is that of exaFMM from May to October 2013: ranges are halved and spawned down to
// single cells, whatever bodies they hold; both cells of a pair are opened, and their children are
// such ranges, if the pair has cutoff bodies in all or is a cell with itself. Source: repository
// exafmm/exafmm-alpha, include/traversal.h of commit d59ec92b (12 September 2013), traverse and
// splitCell. Departures: leaves with few pairs of bodies meet directly (judge), and a cell meets
// itself by ranges in one-sided traversals too.
type series struct {
	runtimes.Frame
	in   *instance
	i, j span
	at   int32 // the pair that comes next
}

// pairsOf returns how many pairs i and j have, where one is single.
func pairsOf(i, j span) int32 { return (i.hi - i.lo) * (j.hi - j.lo) }

// pairAt returns pair number at of i and j.
func pairAt(i, j span, at int32) (a, b int32) {
	n := j.hi - j.lo
	return i.lo + at/n, j.lo + at%n
}

// opened reports whether both cells of a pair are opened: not those of leaves or of pairs with
// fewer bodies than the cutoff, below which there are none that are.
func (in *instance) opened(a, b int32) bool {
	c, d := &in.cells[a], &in.cells[b]
	if a == b {
		return c.children > 0
	}
	return c.children > 0 && d.children > 0 && c.bodies()+d.bodies() >= in.split && !accept(c, d)
}

// runPairs works like run, with exaFMM's rule.
func (in *instance) runPairs(w *runtimes.Worker, i, j span) *runtimes.Frame {
	if !i.single() && !j.single() {
		return in.fork(w, i, j)
	}
	at := in.untilOpened(w, i, j, 0)
	switch pairsOf(i, j) - at {
	case 0:
		return nil
	case 1:
		return in.forkPair(w, i, j, at)
	}
	t := runtimes.New[series](w, kindSeries)
	t.in, t.i, t.j, t.at = in, i, j, at
	return t.Fork(1)
}

// untilOpened treats pairs from number at on, up to the first whose cells are both opened, and
// returns its number.
func (in *instance) untilOpened(w *runtimes.Worker, i, j span, at int32) int32 {
	end := at
	for ; end < pairsOf(i, j); end++ {
		if in.opened(pairAt(i, j, end)) {
			break
		}
	}
	if at == end {
		return end
	}
	in.touch(w, i, j)
	start := w.BeginTask()
	t := walk{in: in, w: w, live: w.Computes()}
	t.pairs(i, j, at, end)
	w.EndTask(start)
	return end
}

// pairs treats the pairs at to end-1.
func (t *walk) pairs(i, j span, at, end int32) {
	for ; at < end; at++ {
		if a, b := pairAt(i, j, at); a == b {
			t.self(a)
		} else {
			t.pair(a, b)
		}
	}
}

// forkPair makes a frame of the children of pair number at.
func (in *instance) forkPair(w *runtimes.Worker, i, j span, at int32) *runtimes.Frame {
	a, b := pairAt(i, j, at)
	return in.fork(w, in.cells[a].span(), in.cells[b].span())
}

func (t *series) Run(w *runtimes.Worker, _ int) *runtimes.Frame {
	at := t.in.untilOpened(w, t.i, t.j, t.at)
	t.at = at + 1
	if at == pairsOf(t.i, t.j) {
		return nil
	}
	return t.in.forkPair(w, t.i, t.j, at)
}

func (t *series) Next(*runtimes.Worker, int) int {
	if t.at < pairsOf(t.i, t.j) {
		return 1
	}
	return 0
}

// Region implements [runtimes.Regioned].
func (t *series) Region(int) loi.RegionID { return regionPairs }

// countedPairs works like counted, with exaFMM's rule.
func (t *walk) countedPairs(i, j span) {
	if !i.single() && !j.single() {
		t.forked(i, j)
		return
	}
	inTask := false
	for at := range pairsOf(i, j) {
		a, b := pairAt(i, j, at)
		if t.in.opened(a, b) {
			inTask = false
			t.forked(t.in.cells[a].span(), t.in.cells[b].span())
			continue
		}
		if !inTask {
			inTask = true
			t.n.tasks++
		}
		t.pairs(i, j, at, at+1)
	}
}
