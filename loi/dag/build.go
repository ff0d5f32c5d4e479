package dag

import (
	"cmp"
	"iter"
	"slices"

	"krdlab/loi"
)

// A Graph is the whole task graph of a run. Tasks[0] is the program; the others are in the order in
// which one worker alone would begin them, on any worker.
type Graph struct {
	Tasks []TaskNode

	next []uint32 // see [Builder.Following]
}

// A TaskNode is a task of a [Graph].
type TaskNode struct {
	ID             uint32
	Parent         int // index in Graph.Tasks; -1 of the program
	Phase, Child   int
	Begin          Piece
	Phases         []Phase
	ticks, longest uint64 // of kernels: in all, and on the longest path
}

// A Phase is one phase of a task.
type Phase struct {
	Children []ChildNode
	After    Piece // the code that followed when they had all ended
}

// A ChildNode is a child of a phase.
type ChildNode struct {
	Task  int   // index in Graph.Tasks, or -1: Piece is all that there is to it
	Piece Piece // of a child that is no task
	n     uint32
}

// Executions yields the executions of a piece, by their numbers from 1 in the order in which they
// began.
func (g *Graph) Executions(p *Piece) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for n := p.First; n != 0 && yield(n) && n != p.Last; n = g.next[n-1] {
		}
	}
}

// Build makes the graph of a trace, for what must see all of it at once. each, if it is not nil, is
// given all events, the executions or task records in the order of their beginnings; its error ends
// the pass.
// allowLoss takes a trace from which records are missing too.
// Errors: [ErrIncomplete], those of [loi.Trace.Ordered]. Cost: a pass over the trace, in memory for
// all tasks and 4 bytes an execution.
func Build(t *loi.Trace, allowLoss bool, each func(*loi.Event) error) (*Graph, error) {
	g := &Graph{Tasks: make([]TaskNode, 1)}
	b := New(&t.Header, Fold[TaskNode]{
		Begin: func(v *TaskNode, t *Task) {
			*v = TaskNode{ID: t.ID, Parent: -1, Phase: int(t.Phase), Child: int(t.Child),
				Begin: t.Begin, Phases: []Phase{{}}, ticks: t.Begin.Ticks, longest: t.Begin.Ticks}
		},
		Child: func(v *TaskNode, _ *Task, c *Child[TaskNode]) {
			x := ChildNode{Task: -1, Piece: c.Piece, n: c.Number}
			if c.Task != nil {
				c.Value.Phases = c.Value.Phases[:len(c.Value.Phases)-1]
				x.Task = len(g.Tasks)
				g.Tasks = append(g.Tasks, *c.Value)
			}
			last := &v.Phases[len(v.Phases)-1]
			last.Children = append(last.Children, x)
		},
		Phase: func(v *TaskNode, _ *Task, after Piece) {
			v.Phases[len(v.Phases)-1].After = after
			v.Phases = append(v.Phases, Phase{})
		},
	})
	b.Keep = true
	for e, err := range t.Ordered(loi.Order{Events: true, Tasks: true, AllowLoss: allowLoss}) {
		if err == nil {
			err = b.Event(e)
		}
		if err == nil && each != nil {
			err = each(e)
		}
		if err != nil {
			return nil, err
		}
	}
	program, err := b.End()
	if err != nil {
		return nil, err
	}
	g.Tasks[0], g.next = *program, b.Following()
	g.link()
	return g, nil
}

// link puts children in the order of their numbers, adds up, and sorts the tasks. Children are
// before their parents in g.Tasks until then, but for the program.
func (g *Graph) link() {
	for k := range g.Tasks {
		i := (k + 1) % len(g.Tasks)
		t := &g.Tasks[i]
		for p := range t.Phases {
			ph, longest := &t.Phases[p], uint64(0)
			slices.SortFunc(ph.Children, func(a, b ChildNode) int { return cmp.Compare(a.n, b.n) })
			for _, c := range ph.Children {
				ticks, span := c.Piece.Ticks, c.Piece.Ticks
				if c.Task >= 0 {
					ticks, span = g.Tasks[c.Task].ticks, g.Tasks[c.Task].longest
				}
				t.ticks += ticks
				longest = max(longest, span)
			}
			t.ticks += ph.After.Ticks
			t.longest += longest + ph.After.Ticks
		}
	}
	sorted := make([]TaskNode, 0, len(g.Tasks))
	var serial func(i, parent int) int
	serial = func(i, parent int) int {
		at := len(sorted)
		sorted = append(sorted, g.Tasks[i])
		t := &sorted[at]
		t.Parent = parent
		for _, ph := range t.Phases {
			for c := range ph.Children {
				if x := &ph.Children[c]; x.Task >= 0 {
					x.Task = serial(x.Task, at)
				}
			}
		}
		return at
	}
	serial(0, -1)
	g.Tasks = sorted
}

// Work returns the ticks of all kernels.
func (g *Graph) Work() uint64 { return g.Tasks[0].ticks }

// Span returns the ticks of kernels on the longest path, where the children of a phase could all
// run at once, and phases follow each other.
func (g *Graph) Span() uint64 { return g.Tasks[0].longest }

// End returns when the root task ended, in ticks of the common clock.
func (g *Graph) End() int64 {
	root := &g.Tasks[0].Phases[0].Children[0]
	if root.Task < 0 {
		return root.Piece.At
	}
	phases := g.Tasks[root.Task].Phases
	return phases[len(phases)-1].After.At
}
