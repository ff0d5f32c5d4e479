package calibrate

import (
	"slices"

	"krdlab/runtimes"
)

// crowd is a program for two workers that share one queue: children that do nothing but note who
// ran them when. Each is taken from the queue under its lock, in the order of age, so that the
// numbers of the children are the order in which the lock was had.
type crowd struct {
	rules            runtimes.Rules
	children, rounds int
	seen             [][]taken // by round
}

// taken is the worker that took a child, and when it began to run it, ticks.
type taken struct {
	at     uint64
	worker int
}

type crowdTask struct {
	runtimes.Frame
	c     *crowd
	round int
}

func newCrowd(rules runtimes.Rules, children, rounds int) *crowd {
	c := &crowd{rules: rules, children: children, rounds: rounds, seen: make([][]taken, rounds)}
	for i := range c.seen {
		c.seen[i] = make([]taken, children)
	}
	return c
}

func (c *crowd) Root(*runtimes.Worker) *runtimes.Frame {
	t := &crowdTask{c: c}
	t.Bind(t, 0)
	return t.Fork(c.children)
}

func (t *crowdTask) Run(w *runtimes.Worker, i int) *runtimes.Frame {
	t.c.seen[t.round][i] = taken{stamp(), w.ID()}
	return nil
}

func (t *crowdTask) Next(*runtimes.Worker, int) int {
	if t.round++; t.round == t.c.rounds {
		return 0
	}
	return t.c.children
}

// handovers returns the ticks from each child to the next where the lock went to the other worker,
// which had waited for it for longer than one turn of the first: by the worker that gave it, since
// the clocks of two CPUs may differ.
func (c *crowd) handovers() (from [2][]uint64) {
	for _, seen := range c.seen {
		queued := slices.Clone(seen)
		if c.rules.Last == runtimes.LastCall { // the last child took no lock
			queued = queued[:c.children-1]
		}
		if c.rules.Take == runtimes.TakeNewest || c.rules.Take == runtimes.TakeHighest {
			slices.Reverse(queued)
		}
		for i := 2; i < len(queued); i++ {
			a, b, to := queued[i-2], queued[i-1], queued[i]
			if a.worker == b.worker && b.worker != to.worker && to.at > b.at {
				from[b.worker] = append(from[b.worker], to.at-b.at)
			}
		}
	}
	return from
}
