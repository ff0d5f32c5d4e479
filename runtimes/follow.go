package runtimes

import (
	"fmt"
	"slices"

	"krdlab/hw/failure"
	"krdlab/hw/units"
	"krdlab/loi"
	"krdlab/loi/dag"
)

// ErrVirtualOnly is returned by [Run] for a scheduler that exists in virtual time only.
var ErrVirtualOnly = failure.New(failure.Request,
	"the scheduler follows a schedule, and exists in virtual time only")

// Following returns the scheduler that runs the pieces of code in the order and on the workers of
// s. It is in no table. In virtual time a piece begins when its worker is free, the pieces that it
// waits for have ended, and the last kernel of the piece before it in s, among those of the node,
// has begun: so the kernels of a node begin in the order of s.
func Following(s *dag.Schedule) Scheduler {
	return Scheduler{Name: "followed",
		Doc:    "pieces of code in the order of a schedule, on its workers",
		Policy: Listed{}, Schedule: s}
}

// A followed task is one that has begun.
type followed struct {
	f      *Frame // nil: it has ended
	parent int
	begun  []bool // of the children of its phase
	left   int    // that have not ended
	ready  uint64 // when the phase may begin
	end    uint64 // when the last of its children ended
}

// follow carries out a schedule. Errors wrap [dag.ErrSchedule]: it is of another program.
func (s *stepper) follow(list *dag.Schedule) error {
	if at := nodesOf(s.pool.workers); !slices.Equal(at, list.Nodes) {
		return fmt.Errorf("%w: it is for workers on the nodes %v, and these are on %v", dag.ErrSchedule,
			list.Nodes, at)
	}
	begun := make([]uint64, slices.Max(list.Nodes)+1) // by node: when its last kernel began, plus 1
	price := s.costs.Kernel
	s.costs.Kernel = func(worker int, now uint64, k loi.KernelID, blocks []uint32) uint64 {
		begun[list.Nodes[worker]] = now + 1
		return price(worker, now, k, blocks)
	}
	for _, v := range s.all {
		v.idleFrom = 0
	}
	tasks := []followed{{f: s.root, parent: -1, begun: make([]bool, 1), left: 1}}
	for n := range list.Steps {
		x := &list.Steps[n]
		if n%checkSteps == 0 && stopped(s.stop) {
			return ErrStopped
		}
		wrong := func(format string, args ...any) error {
			return fmt.Errorf("step %d, task %d: %w: %s", n+1, x.Task, dag.ErrSchedule,
				fmt.Sprintf(format, args...))
		}
		if int(x.Worker) >= len(s.all) {
			return wrong("there is no worker %d, expected one below %d", x.Worker, len(s.all))
		}
		if int(x.Task) >= len(tasks) {
			return wrong("no step before it makes the task")
		}
		t := &tasks[x.Task]
		if t.f == nil || s.finished {
			return wrong("the task has ended")
		}
		v := s.all[x.Worker]
		s.running = v
		if x.Child == loi.AfterPhase {
			if t.left > 0 {
				return wrong("%d of the %d children of its phase have not ended", t.left, t.f.n)
			}
			v.wait(max(t.ready, t.end, begun[v.node]))
			if k := t.f.task.Next(&v.Worker, int(t.f.phase)); k > 0 {
				t.f.n = int32(k)
				t.f.phase++
				*t = followed{t.f, t.parent, make([]bool, k), k, v.now, 0}
			} else {
				v.done(t.f)
				t.f, t.begun = nil, nil
				s.childEnded(tasks, t.parent, v)
			}
			v.idleFrom = v.now
			continue
		}
		if int(x.Child) >= len(t.begun) || t.begun[x.Child] {
			return wrong("child %d has begun, or is one too many of the %d of its phase", x.Child,
				len(t.begun))
		}
		t.begun[x.Child] = true
		v.wait(max(t.ready, begun[v.node]))
		v.tasks++
		if c := t.f.task.Run(&v.Worker, int(x.Child)); c == nil {
			s.childEnded(tasks, int(x.Task), v)
		} else {
			if c.n < 1 {
				badFork(c.n)
			}
			c.parent, c.phase = t.f, 0
			tasks = append(tasks, followed{c, int(x.Task), make([]bool, c.n), int(c.n), v.now, 0})
		}
		v.idleFrom = v.now
	}
	if !s.finished {
		return fmt.Errorf("%w: it ends after %s, and the program does not", dag.ErrSchedule,
			units.Count(len(list.Steps), "step"))
	}
	return nil
}

// wait makes v idle until a time that has not passed.
func (v *stepWorker) wait(until uint64) {
	if until > v.now {
		v.idleTicks += until - v.idleFrom
		if v.rec != nil {
			v.recordIdle(v.idleFrom, until, true)
		}
		v.now = until
	}
	v.idleFrom = notIdle
}

// childEnded takes note that v ended a child of a task; of the program: the run.
func (s *stepper) childEnded(tasks []followed, task int, v *stepWorker) {
	t := &tasks[task]
	t.end = max(t.end, v.now)
	if t.left--; t.left == 0 && t.parent < 0 {
		s.finished, s.end = true, t.end
	}
}

func nodesOf(list []*Worker) (nodes []int) {
	for _, w := range list {
		nodes = append(nodes, w.node)
	}
	return nodes
}
