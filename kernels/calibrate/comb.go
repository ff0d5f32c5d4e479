package calibrate

import "krdlab/runtimes"

const (
	combDepth = 16
	// combBase levels are above the comb while it runs, so that the entries that a deque keeps open
	// to thieves, whose pop needs a fence, are not the comb's: in a deep tree such pops are rare.
	combBase = 8
	manyWide = 10

	treeDepth = 10
	treeTasks = 1<<treeDepth - 1
	all       = -1
)

// comb is a program for one worker: rounds combs one after the other, each stamped at its
// beginning, at the bottom and at its end. Or whole trees, both of whose children lead down; there
// only the sum of both ways means anything.
type comb struct {
	width, rounds int
	depth         int
	nested        int // which child leads down: the one that is called at once; all in a tree
	down, up      []uint64
	bottom        uint64
	leaves        int
	early         int // leaves that ran on the way down, of all rounds
	before        int // leaves when the round began
}

// combs makes combs of that width whose first child leads down, or with nested 1 the last.
func combs(nested, width int) func(rounds int) *comb {
	return func(rounds int) *comb {
		return &comb{width: width, rounds: rounds, depth: combDepth, nested: nested * (width - 1),
			down: make([]uint64, 0, rounds), up: make([]uint64, 0, rounds)}
	}
}

// newTree makes trees of 2^treeDepth - 1 tasks.
func newTree(rounds int) *comb {
	return &comb{width: 2, rounds: rounds, depth: treeDepth, nested: all, down: make([]uint64, 0,
		rounds), up: make([]uint64, 0, rounds)}
}

// combTask is a task of a comb with a leaf for each child but one.
type combTask struct {
	runtimes.Frame
	c     *comb
	level int // above combDepth: the base
}

func (c *comb) Root(w *runtimes.Worker) *runtimes.Frame { return c.task(w, c.depth+combBase) }

func (c *comb) task(w *runtimes.Worker, level int) *runtimes.Frame {
	t := runtimes.New[combTask](w, 0)
	t.c, t.level = c, level
	return t.Fork(c.width)
}

func (t *combTask) Run(w *runtimes.Worker, i int) *runtimes.Frame {
	c := t.c
	switch {
	case i != c.nested && (c.nested != all || t.level > c.depth && i > 0):
		c.leaves++
		return nil
	case t.level == 1:
		if c.nested != all {
			c.bottom = stamp()
			c.early += c.leaves - c.before
		}
		return nil
	case t.level == c.depth+1:
		r := &combRounds{c: c}
		r.Bind(r, 1)
		return r.Fork(1)
	}
	return c.task(w, t.level-1)
}

func (t *combTask) Next(*runtimes.Worker, int) int { return 0 }

// Hint returns an empty hint: a policy's time to ask for it is part of its spawn.
func (t *combTask) Hint(*runtimes.Worker, int) runtimes.Hint { return runtimes.Hint{} }

// combRounds runs combs as phases of one child each, which no policy queues.
type combRounds struct {
	runtimes.Frame
	c     *comb
	start uint64
}

func (r *combRounds) Run(w *runtimes.Worker, _ int) *runtimes.Frame {
	r.start = stamp()
	r.c.bottom, r.c.before = r.start, r.c.leaves
	return r.c.task(w, r.c.depth)
}

func (r *combRounds) Next(*runtimes.Worker, int) int {
	c, end := r.c, stamp()
	c.down = append(c.down, c.bottom-r.start)
	c.up = append(c.up, end-c.bottom)
	if len(c.up) == c.rounds {
		return 0
	}
	return 1
}
