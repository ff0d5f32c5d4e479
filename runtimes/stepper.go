package runtimes

import (
	"cmp"
	"errors"
	"fmt"

	"krdlab/hw/failure"
	"krdlab/loi"
	"krdlab/loi/dag"
)

// Costs are prices in virtual time, in ticks. The zero value is the unit costs: 1 for each
// operation on something shared, 10 for a rest, 100 for a kernel.
type Costs struct {
	Spawn uint64 // a push to the worker's own deque
	Pop   uint64 // a pop from it
	Lock  uint64 // an operation on a shepherd's queue, and for how long its lock is held
	// from the release of such a lock to the moment when a worker that waits has it; 0 is none
	Handover    uint64
	Push        uint64 // each entry more than one in that operation; 0 is none
	StealLocal  uint64 // a successful steal from a queue of the same node
	StealRemote uint64 // from another node
	StealFailed uint64 // an attempt that got nothing
	Mail        uint64 // a look into the mailbox
	// an arrival at a join that needs an atomic operation, or the taking of a shepherd's
	// steal token
	Join uint64
	Rest uint64 // between two rounds of an idle worker
	// before each execution of a kernel, of a serial run too: its stamps, the recursion to it; 0 is
	// none
	Call uint64
	// for each frame but the root, of a serial run too: it is made and retired, its children are
	// called; 0 is none
	Frame uint64
	// NoWait makes the locks of queues free at once.
	NoWait bool
	// Kernel records how long an execution takes that begins on a worker now. It is called in the
	// order of virtual time, but for the kernels of a task that runs several: they are one step,
	// and later ones may begin after what other workers are asked about next.
	Kernel func(worker int, now uint64, k loi.KernelID, blocks []uint32) uint64
	// Locked, if not nil, is called for each operation on the queue of a shepherd of a node.
	Locked func(node int, now uint64)
	// Data, if not nil, is where the runtime's own data lie, which its operations touch.
	Data    Data
	Anatomy Anatomy // with Data
}

func (c Costs) orUnits() Costs {
	for _, p := range []*uint64{&c.Spawn, &c.Pop, &c.Lock, &c.StealLocal, &c.StealRemote,
		&c.StealFailed, &c.Mail, &c.Join} {
		if *p == 0 {
			*p = 1
		}
	}
	if c.Rest == 0 {
		c.Rest = 10
	}
	if c.Kernel == nil {
		c.Kernel = func(int, uint64, loi.KernelID, []uint32) uint64 { return 100 }
	}
	return c
}

// StepConfig is a run in virtual time.
type StepConfig struct {
	Policy    Policy
	Nodes     []int              // the node of each worker
	Distance  func(a, b int) int // as in [Config]
	Socket    func(node int) int // as in [Config]
	LLCBytes  uint64             // as in [Config]
	Seed      uint64
	Kernels   []loi.Kernel
	Recorders []*loi.Recorder // one a worker, or nil
	Structure Structure       // with Recorders
	TaskGrain bool            // as in [Config]: a record for each task
	Costs     Costs
	Schedule  *dag.Schedule // of a policy with SpawnListed
	// TickNS is how many ticks there are to a nanosecond; 0 is 1.
	TickNS uint64
	// Dry runs compute nothing: [Worker.Computes] is false for the kernels.
	Dry bool
	// Stop, if not nil, ends the run when it is closed.
	Stop <-chan struct{}
	// MaxSteps ends a run that does not; 0 is 2^40.
	MaxSteps uint64

	// History, if not nil, is overwritten with the operations of the run; it is then taken step by
	// step, which costs two to four times the time.
	History *History

	plain bool // of tests: take all steps one by one
}

// ErrNoVirtual is returned for a policy that exists on threads only.
var ErrNoVirtual = failure.New(failure.Request,
	"the scheduler is Go's own and exists on threads only")

// Step executes prog in virtual time, on one goroutine: the same policy, tasks, queues and counters
// as [Run], driven by events. Always the worker with the smallest (time, number) takes the
// next step; a step holds at most one operation on something shared, which happens at the step's
// own time, and takes the time that it costs. A kernel is computed when it begins, and its worker's
// next step is at its end. A lock stays taken for as long as its holder's step lasts: others wait
// for it, or fail to take it, as they would. The result depends on the arguments alone.
//
// Times in the result are virtual. Errors: a [*PanicError], [ErrNoVirtual], or MaxSteps exceeded.
func Step(c StepConfig, prog Program) (*Result, error) {
	s, err := newStepper(c, prog)
	if err != nil {
		return nil, err
	}
	s.running = s.all[0]
	done := make(chan error)
	go func() { // a task that ends its goroutine must not end the caller's
		var err error
		ended := false
		defer func() {
			if v := died(recover(), ended); v != nil {
				err = s.running.panicError(v, c.Kernels, s.running.id)
			}
			done <- err
		}()
		if c.Schedule != nil {
			err = s.follow(c.Schedule)
		} else {
			s.start(s.running, s.root)
			s.events.take(s.running.id)
			err = s.drive(s.running)
		}
		ended = true
	}()
	if err := <-done; err != nil {
		return nil, err
	}
	return s.result(c), nil
}

// newStepper returns a run that has not begun.
func newStepper(c StepConfig, prog Program) (*stepper, error) {
	if prog == nil || !given(c.Policy) {
		return nil, errors.New("step: a policy and a program are needed")
	}
	rules := c.Policy.Rules()
	if rules.Spawn == SpawnGo {
		return nil, ErrNoVirtual
	}
	if (rules.Spawn == SpawnListed) != (c.Schedule != nil) {
		return nil, errors.New("step: a schedule goes with the policy that leaves all to it")
	}
	if c.Schedule != nil && c.History != nil {
		return nil, errors.New("step: a schedule that is followed has no history")
	}
	if len(c.Nodes) == 0 || rules.Spawn == SpawnCall && len(c.Nodes) != 1 {
		return nil, fmt.Errorf("step: %d workers", len(c.Nodes))
	}
	if c.Structure.Any() && c.Recorders == nil {
		return nil, errNoRecorders
	}
	at := places{nodes: c.Nodes, distance: c.Distance, socket: c.Socket, llc: c.LLCBytes}
	all := make([]*stepWorker, len(c.Nodes))
	for i := range all {
		all[i] = &stepWorker{pc: pcLook, idleFrom: notIdle}
		at.workers = append(at.workers, &all[i].Worker)
	}
	p, err := newPool(c.Policy, at, c.Seed, len(c.Kernels))
	if err != nil {
		return nil, fmt.Errorf("step: %w", err)
	}
	p.structure = c.Structure
	if p.budgets != nil {
		p.budgets.lock.virtual = true
	}
	s := &stepper{
		pool: p, all: all, costs: c.Costs.orUnits(), queues: make([]virtualQueue, len(p.queueNode)),
		childFirst: rules.Spawn == SpawnChild, parentFirst: rules.Spawn == SpawnParent,
		starter: rules.Join == JoinStarter, joinLast: rules.Join == JoinLast,
		half: rules.Half, cache: rules.Cache,
		extra:     rules.ranked() || rules.Spawn == SpawnChosen,
		leaveIdle: rules.LeaveIdle, chosen: rules.Spawn == SpawnChosen,
		stop: c.Stop, limit: cmp.Or(c.MaxSteps, 1<<40),
	}
	plain := c.plain || c.History != nil
	plain = plain || c.Costs.Data != nil // lines are touched in the order of the steps
	s.skips = p.shared == nil && !plain
	s.early = p.shared != nil && !plain && !rules.Admit // a budget is seen by others
	s.parks = !plain && s.parking()
	if !s.chosen && rules.Spawn != SpawnListed {
		s.ended = ends[rules.Spawn]
	}
	s.putOwn, s.takeOwn = s.costs.Spawn, s.costs.Pop
	if p.shared != nil {
		s.takeOwn = s.costs.Lock
		if !s.cache {
			s.putOwn = s.costs.Lock
		}
	}
	s.nothingCosts = [...]uint64{MoveRest: s.costs.Rest, MoveOwn: s.takeOwn, MoveMail: s.costs.Mail,
		MoveSteal: s.costs.StealFailed}
	for i, w := range p.workers {
		w.mode, w.sim, w.dry = stampVirtual, s, c.Dry
		if c.Recorders != nil {
			w.rec = c.Recorders[i]
		}
		if c.TaskGrain {
			w.byTask(len(c.Kernels), 0, w.rec != nil, NewRand(c.Seed, 2*p.n+i))
		}
		v := all[i]
		v.queue = p.queueOf[i]
		if p.shared != nil {
			v.virtual = &s.queues[v.queue]
			v.virtual.early = make([]earlyOp, 0, 64)
			v.shared.lock.virtual = true
		}
		if w.mail != nil {
			w.mail.lock.virtual = true
		}
	}
	if c.History != nil {
		s.past = newHistorian(c.History, s)
	}
	if c.Costs.Data != nil {
		s.data = newStructures(s)
	}
	s.root = p.newRoot(prog)
	s.events = newEventQueue(len(s.all))
	s.current, s.latest = s.events.first(), s.events.latest()
	return s, nil
}

func stopped(stop <-chan struct{}) bool {
	select {
	case <-stop:
		return true
	default:
		return false
	}
}

// stepper is a run in virtual time.
type stepper struct {
	pool        *pool
	costs       Costs
	all         []*stepWorker
	events      eventQueue // of the workers but running
	queues      []virtualQueue
	running     *stepWorker
	root        *Frame
	current     event       // of the step that is being taken
	past        *historian  // nil: no history is kept
	data        *structures // nil: they are not modelled
	steps       uint64      // that have been taken, those that were skipped or done early included
	pause       uint64      // after how many steps to look whether to stop; 0: after the first
	limit       uint64      // how many there may be
	latest      uint64      // virtual time
	stop        <-chan struct{}
	childFirst  bool // the policy's rules
	parentFirst bool
	starter     bool
	joinLast    bool
	extra       bool // frames know where they are
	half        bool
	cache       bool
	leaveIdle   bool
	skips       bool   // steps of a search that find nothing are skipped
	early       bool   // operations that wait for a lock are done at once
	parks       bool   // idle workers park
	full        uint64 // with parks, a bit for each queue that may hold something

	// what comes after a child, or a frame, that was queued or called
	ended        [2]pc
	chosen       bool                  // and it depends on the frame
	putOwn       uint64                // the price of putting one entry there
	takeOwn      uint64                // the price of taking from the own queue
	nothingCosts [MoveSteal + 1]uint64 // what a move costs that finds nothing
	args         []uint32
	finished     bool
	end          uint64
}

func (s *stepper) price(worker int, now uint64, k loi.KernelID, blocks []uint32) uint64 {
	// arguments of an unknown function escape, and every End would allocate
	s.args = append(s.args[:0], blocks...)
	ticks := s.costs.Kernel(worker, now, k, s.args)
	s.past.kernel(worker, now, ticks, k, s.args)
	return ticks
}

func (s *stepper) result(c StepConfig) *Result {
	ns := func(t uint64) int64 { return int64(t / max(c.TickNS, 1)) }
	r := &Result{TimeNS: ns(s.end), Kernels: make([]KernelResult, len(c.Kernels))}
	ticks := make([]uint64, len(c.Kernels))
	for _, v := range s.all {
		if v.idleFrom != notIdle && s.end > v.idleFrom {
			v.idleTicks += s.end - v.idleFrom
			if v.rec != nil {
				v.recordIdle(v.idleFrom, s.end, false)
			}
		}
		out := WorkerResult{
			CPU: -1, Node: v.node, IdleNS: ns(v.idleTicks), Tasks: v.ran(), Spawns: v.spawns,
			Steals: v.steals, StealsFrom: v.stolenFrom,
		}
		var work uint64
		for k := range c.Kernels {
			t := v.prof.Kernel(loi.KernelID(k))
			out.Kernels += t.Count
			work += t.Ticks
			r.Kernels[k].Count += t.Count
			ticks[k] += t.Ticks
		}
		out.WorkNS = ns(work)
		out.SchedNS = r.TimeNS - out.WorkNS - out.IdleNS
		if out.SchedNS < 0 { // each was rounded
			out.IdleNS += out.SchedNS
			out.SchedNS = 0
		}
		r.WorkNS += out.WorkNS
		r.Tasks += v.ran()
		r.Spawns += v.spawns
		r.Workers = append(r.Workers, out)
	}
	r.finishKernels(c.Kernels, ticks, true, ns)
	r.countOpen(s.pool.workers)
	r.Drawn = s.pool.drawn()
	return r
}
