// Package dag rebuilds the task graph of a run from the events of its trace: who spawned whom, in
// which phase, which kernels each piece of code ran, where and how long; and with them the work and
// the span of the run.
//
//	recorders -> trace -> Build -> Graph -> Work, Span
//
// The events are those of [loi.Recorder.BeginTask] and what follows it.
package dag

import (
	"fmt"

	"krdlab/hw/failure"
	"krdlab/loi"
)

// ErrNoTasks is wrapped by the error of a trace that has no task events.
var ErrNoTasks = failure.New(failure.Request, "the trace has no task events")

// ErrIncomplete is wrapped by the error of a trace whose task events do not fit together: records
// are missing, or the run did not end.
var ErrIncomplete = failure.New(failure.Data,
	"the task events of the trace are not complete")

// A Piece is code that one worker ran without a break.
type Piece struct {
	Worker  int
	At      int64  // ticks of the common clock: of a task, when it began; otherwise, when it ended
	Kernels uint64 // executions
	Ticks   uint64 // that they took
}

// A Task is a task of the run.
type Task struct {
	ID     uint32 // its number in the trace; 0 is the program, whose only child is the root
	Parent int    // index of its parent in Graph.Tasks; -1 of the program
	Phase  int    // of Parent in which it is a child
	Child  int    // its number there
	Begin  Piece  // the code that made it, by the worker that began it
	Phases []Phase
}

// A Phase is one phase of a task.
type Phase struct {
	Children []Child
	After    Piece // the code that followed when they had all ended
}

// A Child is a child of a phase.
type Child struct {
	Task  int   // index in Graph.Tasks, or -1: Piece is all that there is to it
	Piece Piece // of a child that is no task
}

// A Graph is the task graph of a run. Tasks[0] is the program.
type Graph struct {
	Tasks []Task
}

// End is when the root task ended, in ticks of the common clock.
func (g *Graph) End() int64 {
	root := &g.Tasks[0].Phases[0].Children[0]
	if root.Task < 0 {
		return root.Piece.At
	}
	phases := g.Tasks[root.Task].Phases
	return phases[len(phases)-1].After.At
}

// Work is the ticks of all kernels.
func (g *Graph) Work() uint64 {
	work, _ := g.measure()
	return work
}

// Span is the ticks of kernels on the longest path, where the children of a phase could all run at
// once, and phases follow each other.
func (g *Graph) Span() uint64 {
	_, span := g.measure()
	return span
}

// measure goes through the tasks so that children come before their parents.
func (g *Graph) measure() (work, span uint64) {
	spans := make([]uint64, len(g.Tasks))
	for _, i := range g.upward() {
		t := &g.Tasks[i]
		work += t.Begin.Ticks
		spans[i] = t.Begin.Ticks
		for p := range t.Phases {
			ph := &t.Phases[p]
			longest := uint64(0)
			for c := range ph.Children {
				child := &ph.Children[c]
				if child.Task >= 0 {
					longest = max(longest, spans[child.Task])
					continue
				}
				work += child.Piece.Ticks
				longest = max(longest, child.Piece.Ticks)
			}
			work += ph.After.Ticks
			spans[i] += longest + ph.After.Ticks
		}
	}
	return work, spans[0]
}

// upward lists all tasks, children before their parents.
func (g *Graph) upward() []int {
	list := make([]int, 0, len(g.Tasks))
	list = append(list, 0)
	for n := 0; n < len(list); n++ {
		for _, ph := range g.Tasks[list[n]].Phases {
			for _, c := range ph.Children {
				if c.Task >= 0 {
					list = append(list, c.Task)
				}
			}
		}
	}
	for i, j := 0, len(list)-1; i < j; i, j = i+1, j-1 {
		list[i], list[j] = list[j], list[i]
	}
	return list
}

func incomplete(format string, args ...any) error {
	return fmt.Errorf("task graph: %w: %s", ErrIncomplete, fmt.Sprintf(format, args...))
}

// Build reads the task events of t, and to which piece of code each kernel belongs. Errors:
// [ErrNoTasks], [ErrIncomplete], a [*loi.FormatError]. Cost: a pass over the trace; memory some 200
// bytes a task and 48 a child.
func Build(t *loi.Trace) (*Graph, error) {
	b := &builder{index: map[uint32]int{0: 0}}
	b.graph.Tasks = []Task{{Parent: -1, Phases: []Phase{{Children: []Child{{Task: unseen}}}}}}
	for w := range t.Header.Workers {
		if err := b.read(t, w); err != nil {
			return nil, err
		}
	}
	if len(b.tasks) == 0 && len(b.children) == 0 {
		return nil, fmt.Errorf("task graph: %w", ErrNoTasks)
	}
	unknown := t.LossUnknown()
	for w, n := range t.Discarded() {
		if unknown[w] {
			return nil, incomplete("an unknown number of records of worker %d is missing", w)
		} else if n > 0 {
			return nil, incomplete("%d records of worker %d are missing", n, w)
		}
	}
	if err := b.link(); err != nil {
		return nil, err
	}
	return &b.graph, nil
}
