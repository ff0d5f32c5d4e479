package runtimes

import (
	"fmt"
	"sync/atomic"
)

// shapeProg is a tree given by functions: how many children a phase of a node has (0 ends it), and what a leaf does. Each leaf is
// counted by number.
type shapeProg struct {
	phases func(depth int) []int // children in each phase of a node at depth
	leafAt func(depth, phase, i int) bool
	leaf   func(w *Worker)
	next   func(w *Worker, t *shapeTask, phase int)
	before func(w *Worker, t *shapeTask, i int) // in Run, of a child that is a frame
	hint   func(w *Worker, t *shapeTask, i int) int

	leaves, early atomic.Int64
}

type shapeTask struct {
	Frame
	p     *shapeProg
	up    *shapeTask
	depth int
	phase int
	shape []int
	done  atomic.Int64
}

func (p *shapeProg) Root(w *Worker) *Frame { return p.task(w, nil, 0) }

func (p *shapeProg) task(w *Worker, up *shapeTask, depth int) *Frame {
	c, _ := w.Spare(2).(*shapeTask)
	if c == nil {
		c = new(shapeTask)
		c.Bind(c, 2)
	}
	c.p, c.up, c.depth, c.phase, c.shape = p, up, depth, 0, p.phases(depth)
	c.done.Store(0)
	return c.Fork(c.shape[0])
}

func (t *shapeTask) Run(w *Worker, i int) *Frame {
	if i < 0 || i >= t.shape[t.phase] {
		panic(fmt.Sprintf("child %d of %d", i, t.shape[t.phase]))
	}
	if !t.p.leafAt(t.depth, t.phase, i) {
		if t.p.before != nil {
			t.p.before(w, t, i)
		}
		return t.p.task(w, t, t.depth+1)
	}
	t.p.leaves.Add(1)
	if t.p.leaf != nil {
		t.p.leaf(w)
	}
	t.done.Add(1)
	return nil
}

func (t *shapeTask) Affinity(w *Worker, i int) int {
	if t.p.hint == nil {
		return -1
	}
	return t.p.hint(w, t, i)
}

func (t *shapeTask) Next(w *Worker, phase int) int {
	if phase != t.phase || t.done.Load() != int64(t.shape[phase]) {
		t.p.early.Add(1)
	}
	if t.p.next != nil {
		t.p.next(w, t, phase)
	}
	t.done.Store(0)
	t.phase++
	if t.phase < len(t.shape) {
		return t.shape[t.phase]
	}
	if t.up != nil {
		t.up.done.Add(1)
	}
	return 0
}

func flat(n int) *shapeProg {
	return &shapeProg{phases: func(int) []int { return []int{n} }, leafAt: func(int, int, int) bool { return true }}
}

// chain is one task of n phases of one leaf.
func chain(n int) *shapeProg {
	s := make([]int, n)
	for i := range s {
		s[i] = 1
	}
	return &shapeProg{phases: func(int) []int { return s }, leafAt: func(int, int, int) bool { return true }}
}

func virtualKernel(w *Worker) { w.End(0, w.Begin(0)) }

func parallel(p Scheduler) bool { return p.Rules().Spawn != SpawnGo && p.Rules().Spawn != SpawnCall }
