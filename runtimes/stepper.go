package runtimes

import (
	"container/heap"
	"errors"
	"fmt"

	"krdlab/loi"
)

// Costs are prices in virtual time, in ticks of 1 ns. The zero value is the unit costs: 1 for each operation on something
// shared, 10 for a rest, 100 for a kernel.
type Costs struct {
	Queue  uint64 // a push to, or a pop from, the worker's own queue; for how long a lock is held, too
	Steal  uint64 // an attempt at a steal, or a look into the mailbox
	Join   uint64 // an arrival at a join that needs an atomic operation
	Rest   uint64
	Kernel func(loi.KernelID) uint64
}

func (c Costs) orUnits() Costs {
	for _, p := range []*uint64{&c.Queue, &c.Steal, &c.Join} {
		if *p == 0 {
			*p = 1
		}
	}
	if c.Rest == 0 {
		c.Rest = 10
	}
	if c.Kernel == nil {
		c.Kernel = func(loi.KernelID) uint64 { return 100 }
	}
	return c
}

// StepConfig is a run in virtual time.
type StepConfig struct {
	Policy    Policy
	Nodes     []int              // the node of each worker
	Distance  func(a, b int) int // as in [Config]
	Seed      uint64
	Kernels   []loi.Kernel
	Recorders []*loi.Recorder // one a worker, or nil
	TaskGrain bool            // as in [Config]: a record for each task
	Costs     Costs
	// MaxSteps ends a run that does not; 0 is 2^40.
	MaxSteps uint64
}

// ErrNoVirtual is returned for a policy that exists on threads only.
var ErrNoVirtual = errors.New("the scheduler is Go's own and exists on threads only")

// Step executes prog in virtual time, on the calling goroutine: the same policy, tasks, queues and counters as [Run], driven
// by events. Always the worker with the smallest (time, order of scheduling) takes the next step; a step holds at most one
// operation on something shared, which happens at the step's own time, and takes the time that it costs. A kernel is
// computed when it begins, and its worker's next step is at its end. A lock stays taken for as long as its holder's step
// lasts: others wait for it, or fail to take it, as they would. The result depends on the arguments alone.
//
// Times in the result are virtual. Errors: a [*PanicError], [ErrNoVirtual], or MaxSteps exceeded.
func Step(c StepConfig, prog Program) (r *Result, err error) {
	rules := c.Policy.Rules()
	if rules.Spawn == SpawnGo {
		return nil, ErrNoVirtual
	}
	if len(c.Nodes) == 0 || rules.Spawn == SpawnCall && len(c.Nodes) != 1 {
		return nil, fmt.Errorf("step: %d workers", len(c.Nodes))
	}
	p := newPool(c.Policy, c.Nodes, c.Distance, c.Seed, len(c.Kernels))
	s := &stepper{pool: p, costs: c.Costs.orUnits(), locked: make([]uint64, len(p.queueNode))}
	for i, w := range p.workers {
		w.stamps, w.sim = stampVirtual, s
		if c.Recorders != nil {
			w.rec = c.Recorders[i]
		}
		if w.grain = c.TaskGrain; w.grain {
			w.inTask = newTaskCalls(len(c.Kernels), 0, w.rec != nil, NewRand(c.Seed, 2*p.n+i))
		}
		s.all = append(s.all, &stepWorker{Worker: w, pc: pcLook, queue: p.queueOf[i], idleFrom: notIdle})
	}
	first := s.all[0]
	first.f, first.pc = newRoot(prog), pcPhase
	if rules.Join == JoinStarter {
		first.pc = pcStart
	}
	for _, v := range s.all {
		s.schedule(v)
	}
	defer func() {
		if v := recover(); v != nil {
			r, err = nil, s.running.panicError(v, c.Kernels, s.running.id)
		}
	}()
	limit := c.MaxSteps
	if limit == 0 {
		limit = 1 << 40
	}
	for n := uint64(0); !s.finished; n++ {
		if n == limit {
			return nil, fmt.Errorf("step: root task unfinished after %d steps", n)
		}
		v := heap.Pop(s).(*stepWorker)
		s.running = v
		s.step(v)
		s.schedule(v)
	}
	return s.result(c), nil
}

// stepper is a run in virtual time. It is a heap of workers by time of their next step.
type stepper struct {
	pool     *pool
	costs    Costs
	all      []*stepWorker
	queue    []*stepWorker
	order    uint64
	locked   []uint64 // by queue: the time until which its lock is held
	running  *stepWorker
	finished bool
	end      uint64
}

func (s *stepper) Len() int { return len(s.queue) }
func (s *stepper) Less(i, j int) bool {
	a, b := s.queue[i], s.queue[j]
	return a.now < b.now || a.now == b.now && a.order < b.order
}
func (s *stepper) Swap(i, j int) { s.queue[i], s.queue[j] = s.queue[j], s.queue[i] }
func (s *stepper) Push(v any)    { s.queue = append(s.queue, v.(*stepWorker)) }
func (s *stepper) Pop() any {
	v := s.queue[len(s.queue)-1]
	s.queue = s.queue[:len(s.queue)-1]
	return v
}

func (s *stepper) schedule(v *stepWorker) {
	s.order++
	v.order = s.order
	heap.Push(s, v)
}

func (s *stepper) price(k loi.KernelID) uint64 { return s.costs.Kernel(k) }

// lockOwn takes the lock of v's own queue for one Queue cost; if it is held, v waits, and has the lock when it asks again: first
// come, first served. A deque has no lock.
func (s *stepper) lockOwn(v *stepWorker) (free bool) {
	if s.pool.shared == nil {
		return true
	}
	if v.granted {
		v.granted = false
		return true
	}
	if until := s.locked[v.queue]; until > v.now {
		s.locked[v.queue] = until + s.costs.Queue
		v.now, v.granted = until, true
		return false
	}
	s.locked[v.queue] = v.now + s.costs.Queue
	return true
}

// seesEmpty says that v's own queue is shared and seen to be empty without its lock.
func (s *stepper) seesEmpty(v *stepWorker) bool {
	return v.shared != nil && !v.granted && v.shared.size.Load() == 0
}

func (s *stepper) result(c StepConfig) *Result {
	r := &Result{TimeNS: int64(s.end), Kernels: make([]KernelResult, len(c.Kernels))}
	ticks := make([]uint64, len(c.Kernels))
	for _, v := range s.all {
		if v.idleFrom != notIdle && s.end > v.idleFrom {
			v.idleTicks += s.end - v.idleFrom
			if v.rec != nil {
				v.recordIdle(v.idleFrom, s.end, false)
			}
		}
		out := WorkerResult{
			CPU: -1, Node: v.node, IdleNS: int64(v.idleTicks), Tasks: v.ran(), Spawns: v.spawns,
			Steals: v.steals,
		}
		for k := range c.Kernels {
			t := v.prof.Kernel(loi.KernelID(k))
			out.Kernels += t.Count
			out.WorkNS += int64(t.Ticks)
			r.Kernels[k].Count += t.Count
			ticks[k] += t.Ticks
		}
		out.SchedNS = r.TimeNS - out.WorkNS - out.IdleNS
		r.WorkNS += out.WorkNS
		r.Tasks += v.ran()
		r.Spawns += v.spawns
		r.Workers = append(r.Workers, out)
	}
	r.finishKernels(c.Kernels, ticks, true, func(t uint64) int64 { return int64(t) })
	return r
}
