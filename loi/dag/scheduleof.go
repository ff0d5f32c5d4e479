package dag

import (
	"cmp"
	"fmt"
	"slices"

	"krdlab/loi"
)

// ScheduleOf returns the schedule of the run that a trace with task events is of. Its pieces are in
// the order in which their first kernels began; one without kernels stands where it ended. Where
// times are equal, or clocks contradict the program, a piece comes after those that it waits for,
// and pieces with kernels of one worker are in the worker's own order, unless the trace's workers
// are unordered: so the schedule is one of the program.
//
// Errors: those of [Build]; [ErrIncomplete] where the order of a worker contradicts the program.
// Cost: that of Build, 8 bytes an execution more, and a sort of the pieces.
func ScheduleOf(t *loi.Trace) (*Schedule, error) {
	var starts []int64
	g, err := Build(t, false, func(e *loi.Event) error {
		if e.Type != loi.EventRecord {
			starts = append(starts, e.Start)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	s := &Schedule{Program: ProgramOf(&t.Header)}
	for _, w := range t.Header.Workers {
		s.Nodes = append(s.Nodes, w.Node)
	}
	o := newOrdering(g, starts)
	if !t.Header.Unordered {
		o.chain(len(s.Nodes))
	}
	for _, i := range o.byTime() {
		if !o.take(i) {
			c := &o.code[i]
			return nil, fmt.Errorf("schedule: worker %d, tick %d: %w: a piece of code waits for one "+
				"that the worker ran after it", c.worker, c.at, ErrIncomplete)
		}
	}
	s.Steps = o.steps
	return s, nil
}

// An ordering puts the pieces of a graph in an order.
type ordering struct {
	graph  *Graph
	code   []code
	first  [][]int // by task and phase: the first child in code; what follows is behind the last
	maker  []int   // of each task: the piece that made it; -1 of the program
	number []uint32
	made   uint32
	steps  []Step
}

// A code is a piece in an ordering.
type code struct {
	task, phase int
	child       uint32 // [loi.AfterPhase]: what follows the phase
	makes       int    // the task, or -1
	worker      int
	at          int64  // when its first kernel began or, without one, when it ended
	execution   uint32 // its first, 0 for none
	before      int    // the piece that its worker ran before it, or -1
	state       uint8
}

const (
	codeWaits  = iota
	codeBegins // what it waits for is being taken
	codeTaken
)

func newOrdering(g *Graph, starts []int64) *ordering {
	o := &ordering{graph: g, first: make([][]int, len(g.Tasks)), maker: make([]int, len(g.Tasks)),
		number: make([]uint32, len(g.Tasks))}
	o.maker[0] = -1
	for i := range g.Tasks {
		for p := range g.Tasks[i].Phases {
			ph := &g.Tasks[i].Phases[p]
			o.first[i] = append(o.first[i], len(o.code))
			for c := range ph.Children {
				x := &ph.Children[c]
				piece := &x.Piece
				if x.Task >= 0 {
					piece, o.maker[x.Task] = &g.Tasks[x.Task].Begin, len(o.code)
				}
				o.add(piece, starts, code{task: i, phase: p, child: uint32(c), makes: x.Task})
			}
			if i > 0 {
				o.add(&ph.After, starts, code{task: i, phase: p, child: loi.AfterPhase, makes: -1})
			}
		}
	}
	return o
}

func (o *ordering) add(p *Piece, starts []int64, c code) {
	c.worker, c.at, c.execution, c.before = p.Worker, p.At, p.First, -1
	if p.First > 0 {
		c.at = starts[p.First-1]
	}
	o.code = append(o.code, c)
}

// chain makes pieces with kernels wait for those that their worker ran before.
func (o *ordering) chain(workers int) {
	var list []int
	for i := range o.code {
		if o.code[i].execution > 0 {
			list = append(list, i)
		}
	}
	slices.SortFunc(list, func(a, b int) int {
		return cmp.Compare(o.code[a].execution, o.code[b].execution)
	})
	latest := slices.Repeat([]int{-1}, workers)
	for _, i := range list {
		c := &o.code[i]
		c.before, latest[c.worker] = latest[c.worker], i
	}
}

func (o *ordering) byTime() []int {
	list := make([]int, len(o.code))
	for i := range list {
		list[i] = i
	}
	slices.SortStableFunc(list, func(a, b int) int {
		return cmp.Compare(o.code[a].at, o.code[b].at)
	})
	return list
}

// take adds the step of piece i, behind those of all that it waits for. It returns false if they
// wait for each other; -1 is no piece.
func (o *ordering) take(i int) bool {
	if i < 0 || o.code[i].state == codeTaken {
		return true
	}
	c := &o.code[i]
	if c.state == codeBegins {
		return false
	}
	c.state = codeBegins
	if !o.take(c.before) || !o.takeAwaited(c) {
		return false
	}
	c.state = codeTaken
	o.steps = append(o.steps, Step{o.number[c.task], c.child, uint32(c.worker)})
	if c.makes >= 0 {
		o.made++
		o.number[c.makes] = o.made
	}
	return true
}

// takeAwaited takes what the program has c wait for.
func (o *ordering) takeAwaited(c *code) bool {
	if c.child != loi.AfterPhase {
		if c.phase == 0 {
			return o.take(o.maker[c.task])
		}
		return o.take(o.first[c.task][c.phase] - 1)
	}
	for k, x := range o.graph.Tasks[c.task].Phases[c.phase].Children {
		last := o.first[c.task][c.phase] + k
		if x.Task >= 0 {
			phases := o.graph.Tasks[x.Task].Phases
			last = o.first[x.Task][len(phases)-1] + len(phases[len(phases)-1].Children)
		}
		if !o.take(last) {
			return false
		}
	}
	return true
}
