package fmm

import (
	"krdlab/loi"
	"krdlab/runtimes"
)

// product is the task of the cells i with the cells j, where there is too much for one task.
//
// Mutual, a pair writes to both sides. The ranges are halved, and two phases follow each other,
//
//	(first i, first j) beside (last i, last j), then (first i, last j) beside (last i, first j),
//
// and in each no two children have a cell in common; where i and j are the same the second phase
// has its first half only, and where one of them is a single cell each phase has one child.
// One-sided, a pair writes to i: the halves of i are beside each other, and only a single i meets
// the halves of j in turn.
//
// So whatever writes to a cell or body does it in one order, that of the program, under every
// scheduler: results are equal to the last bit.
//
// With exaFMM's rule for tasks both ranges have several cells, all four pairs of halves are
// children whether mutual or not, and the second phase of a range with itself has a spawn of its
// own: its last child is empty.
type product struct {
	runtimes.Frame
	in     *instance
	i, j   span
	second bool
}

// children returns how many children the first phase has, and the second.
func (in *instance) children(i, j span) (first, second int) {
	switch {
	case in.exafmm:
		return 2, 2
	case i.single() || j.single() && in.mutual:
		return 1, 1
	case !in.mutual:
		return 2, 0
	case i == j:
		return 2, 1
	}
	return 2, 2
}

// child returns the ranges of child n.
func (in *instance) child(i, j span, second bool, n int) (span, span) {
	switch {
	case in.exafmm:
	case i.single():
		return i, half(j, second)
	case !in.mutual:
		return half(i, n == 1), j
	case j.single():
		return half(i, second), j
	}
	return half(i, n == 1), half(j, (n == 1) != second)
}

func half(s span, last bool) span {
	if last {
		return s.last()
	}
	return s.first()
}

func (in *instance) Root(w *runtimes.Worker) *runtimes.Frame {
	if len(in.bodies) == 0 {
		return nil
	}
	return in.run(w, one(0), one(0))
}

// run treats the cells i with the cells j in place if that is one task, and makes a frame of more.
func (in *instance) run(w *runtimes.Worker, i, j span) *runtimes.Frame {
	if in.exafmm {
		return in.runPairs(w, i, j)
	}
	i, j, whole := in.narrow(i, j)
	if whole {
		in.touch(w, i, j)
		start := w.BeginTask()
		t := walk{in: in, w: w, live: w.Computes()}
		t.product(i, j)
		w.EndTask(start)
		return nil
	}
	return in.fork(w, i, j)
}

// The frame types.
const (
	kindProduct runtimes.Kind = iota
	kindSeries
)

func (in *instance) fork(w *runtimes.Worker, i, j span) *runtimes.Frame {
	t := runtimes.New[product](w, kindProduct)
	t.in, t.i, t.j, t.second = in, i, j, false
	n, _ := in.children(i, j)
	return t.Fork(n)
}

func (t *product) Run(w *runtimes.Worker, n int) *runtimes.Frame {
	if t.in.done(t.i, t.j, t.second, n) {
		return nil
	}
	i, j := t.in.child(t.i, t.j, t.second, n)
	return t.in.run(w, i, j)
}

// done reports whether child n has nothing to do: that of a range with itself whose pair the child
// beside it treats for both sides.
func (in *instance) done(i, j span, second bool, n int) bool {
	return in.mutual && i == j && second && n == 1
}

// Region implements [runtimes.Regioned].
func (t *product) Region(phase int) loi.RegionID { return regionFirst + loi.RegionID(phase) }

// The regions of the traversal: pairs of halves, in two phases.
const (
	regionProduct loi.RegionID = iota
	regionFirst
	regionSecond
	regionPairs // exaFMM's rule only
)

var regions = []loi.Region{
	regionProduct: {Name: "product", Kind: loi.Function, Parent: loi.NoRegion},
	regionFirst:   {Name: "first pairs", Kind: loi.Loop, Parent: regionProduct},
	regionSecond:  {Name: "second pairs", Kind: loi.Loop, Parent: regionProduct},
	regionPairs:   {Name: "pairs", Kind: loi.Loop, Parent: regionProduct},
}

func (t *product) Next(*runtimes.Worker, int) int {
	if t.second {
		return 0
	}
	t.second = true
	_, n := t.in.children(t.i, t.j)
	return n
}

// narrow opens a single pair of cells until there are several or it is one task, and reports
// whether it is: if there are fewer bodies than the cutoff in all, or if no pair must be opened
// further.
func (in *instance) narrow(i, j span) (span, span, bool) {
	for {
		n := in.bodiesOf(i)
		if i != j {
			n += in.bodiesOf(j)
		}
		if n < in.cutoff || in.settled(i, j) {
			return i, j, true
		}
		if !i.single() || !j.single() {
			return i, j, false
		}
		a, b := &in.cells[i.lo], &in.cells[j.lo]
		if i == j {
			i, j = a.span(), a.span()
			continue
		}
		v := in.judge(a, b)
		if v != openSecond {
			i = a.span()
		}
		if v != openFirst {
			j = b.span()
		}
	}
}

// settled reports whether i and j hold no pair that must be opened.
func (in *instance) settled(i, j span) bool {
	for a := i.lo; a < i.hi; a++ {
		for b := j.lo; b < j.hi; b++ {
			if a == b {
				if in.cells[a].children > 0 {
					return false
				}
			} else if in.judge(&in.cells[a], &in.cells[b]) > near {
				return false
			}
		}
	}
	return true
}

// touch notes down who works on the cells i, and on j if both are targets.
func (in *instance) touch(w *runtimes.Worker, i, j span) {
	if in.last == nil {
		return
	}
	in.last[i.lo].Store(int32(w.ID()))
	if in.mutual {
		in.last[j.lo].Store(int32(w.ID()))
	}
}

// Hint returns that child n is near to the worker that last ran a task on the first cells of its
// targets; to none before the first.
func (t *product) Hint(_ *runtimes.Worker, n int) runtimes.Hint {
	in := t.in
	if in.last == nil {
		return runtimes.Hint{}
	}
	i, _ := in.child(t.i, t.j, t.second, n)
	for k := i.lo; ; k = in.cells[k].child {
		if w := in.last[k].Load(); w >= 0 || in.cells[k].children == 0 {
			return runtimes.Hint{Near: 1 + int(w)}
		}
	}
}

// Counts returns the number of pieces of work that stamp themselves at task grain and of kernel
// executions in a run, by a traversal without kernels. Cost: about 15 ns an execution, the first
// time.
func (in *instance) Counts() (tasks, executions uint64) {
	c := in.count()
	return c.tasks, c.m2l + c.p2p + c.self
}

// counts are the operations of a run.
type counts struct {
	m2l, p2p, self uint64 // kernel executions; mutual, one serves both sides
	pairs          uint64 // distances, counted once for each body that feels them
	tasks          uint64 // pieces of work that run kernels
	forks          uint64 // pairs of ranges that are halved
	spawns         uint64 // children that are spawned, where the last of a phase is called
}

// traceCounts traverses without running a kernel.
func (in *instance) traceCounts() counts {
	t := walk{in: in}
	if len(in.bodies) > 0 {
		t.counted(one(0), one(0))
	}
	return t.n
}

// counted counts the work of run and the frames below it, without workers.
func (t *walk) counted(i, j span) {
	if t.in.exafmm {
		t.countedPairs(i, j)
		return
	}
	i, j, whole := t.in.narrow(i, j)
	if whole {
		t.n.tasks++
		t.product(i, j)
		return
	}
	t.forked(i, j)
}

// forked counts a frame of i and j.
func (t *walk) forked(i, j span) {
	in := t.in
	t.n.forks++
	first, second := in.children(i, j)
	t.n.spawns += uint64(first - 1 + max(second-1, 0))
	for n := range first {
		t.counted(in.child(i, j, false, n))
	}
	for n := range second {
		if !in.done(i, j, true, n) {
			t.counted(in.child(i, j, true, n))
		}
	}
}
