package runtimes

import (
	"errors"
	"fmt"
	"math"
	"math/bits"

	"krdlab/loi"
)

// Costs are prices in virtual time, in ticks. The zero value is the unit costs: 1 for each operation on something shared, 10 for a
// rest, 100 for a kernel.
type Costs struct {
	Spawn       uint64 // a push to the worker's own deque
	Pop         uint64 // a pop from it
	Lock        uint64 // an operation on a shepherd's queue, and for how long its lock is held
	Handover    uint64 // from the release of such a lock to the moment when a worker that waits has it; 0 is none
	Push        uint64 // each entry more than one in that operation; 0 is none
	StealLocal  uint64 // a successful steal from a queue of the same node
	StealRemote uint64 // from another node
	StealFailed uint64 // an attempt that got nothing
	Mail        uint64 // a look into the mailbox
	Join        uint64 // an arrival at a join that needs an atomic operation, or the taking of a shepherd's thief's office
	Rest        uint64 // between two rounds of an idle worker
	// Kernel says how long an execution takes that begins on a worker now. It is called in the order of virtual time, but for the kernels
	// of a task that runs several: they are one step, and later ones may begin after what other workers are asked about next.
	Kernel func(worker int, now uint64, k loi.KernelID, blocks []uint32) uint64
	// Locked, if not nil, is told of each operation on the queue of a shepherd of a node.
	Locked func(node int, now uint64)
}

func (c Costs) orUnits() Costs {
	for _, p := range []*uint64{&c.Spawn, &c.Pop, &c.Lock, &c.StealLocal, &c.StealRemote, &c.StealFailed, &c.Mail, &c.Join} {
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
	Seed      uint64
	Kernels   []loi.Kernel
	Recorders []*loi.Recorder // one a worker, or nil
	TaskGrain bool            // as in [Config]: a record for each task
	Costs     Costs
	// TickNS is how many ticks there are to a nanosecond; 0 is 1.
	TickNS uint64
	// Dry runs compute nothing: [Worker.Computes] says so to the kernels.
	Dry bool
	// Stop, if not nil, ends the run when it is closed.
	Stop <-chan struct{}
	// MaxSteps ends a run that does not; 0 is 2^40.
	MaxSteps uint64

	tapes *tapes // of tests: what the workers did
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
	s, err := newStepper(c, prog)
	if err != nil {
		return nil, err
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
		if n&(1<<16-1) == 0 && stopped(c.Stop) {
			return nil, ErrStopped
		}
		v := s.all[s.queue.list[0].worker]
		s.running = v
		s.step(v)
		s.order++
		v.order = s.order
		s.queue.down(v)
	}
	return s.result(c), nil
}

// newStepper is a run that has not begun.
func newStepper(c StepConfig, prog Program) (*stepper, error) {
	rules := c.Policy.Rules()
	if rules.Spawn == SpawnGo {
		return nil, ErrNoVirtual
	}
	if len(c.Nodes) == 0 || rules.Spawn == SpawnCall && len(c.Nodes) != 1 {
		return nil, fmt.Errorf("step: %d workers", len(c.Nodes))
	}
	p := newPool(c.Policy, c.Nodes, c.Distance, c.Seed, len(c.Kernels))
	if c.tapes != nil {
		p.record(c.tapes)
	}
	s := &stepper{pool: p, costs: c.Costs.orUnits(), locked: make([]uint64, len(p.queueNode))}
	for i, w := range p.workers {
		w.stamps, w.sim, w.dry = stampVirtual, s, c.Dry
		if c.Recorders != nil {
			w.rec = c.Recorders[i]
		}
		if w.grain = c.TaskGrain; w.grain {
			w.inTask = newTaskCalls(len(c.Kernels), 0, w.rec != nil, NewRand(c.Seed, 2*p.n+i))
			w.inTask.pause(w)
		}
		s.all = append(s.all, &stepWorker{Worker: w, pc: pcLook, queue: p.queueOf[i], idleFrom: notIdle})
	}
	first := s.all[0]
	first.f, first.pc = newRoot(prog), pcPhase
	if rules.Join == JoinStarter {
		first.pc = pcStart
	}
	for i, v := range s.all {
		v.order = uint64(i)
	}
	s.queue = newTurns(len(s.all))
	s.order = uint64(len(s.all))
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
	pool     *pool
	costs    Costs
	all      []*stepWorker
	queue    turns
	order    uint64
	locked   []uint64 // by queue: the time until which its lock is held
	running  *stepWorker
	args     []uint32
	finished bool
	end      uint64
}

// A turn is when a worker takes its next step.
type turn struct {
	now, order uint64
	worker     int // not a pointer, whose moves the garbage collector would want to know of
}

// before compares without a branch, which nobody could predict: 1 or 0.
func (a *turn) before(b *turn) uint64 {
	_, less := bits.Sub64(a.order, b.order, 0)
	_, less = bits.Sub64(a.now, b.now, less)
	return less
}

// turns is a heap of the workers by their next steps, each with four children, which lie side by side; places without a worker are never first.
type turns struct {
	list []turn
	next int // the child of the top that is first
}

// never is the turn of nobody.
var never = turn{math.MaxUint64, math.MaxUint64, -1}

// newTurns makes the heap of n workers, all at time 0.
func newTurns(n int) turns {
	t := turns{next: 1}
	for i := range n {
		t.list = append(t.list, turn{0, uint64(i), i})
	}
	for len(t.list) < 5 || len(t.list)%4 != 1 {
		t.list = append(t.list, never)
	}
	return t
}

// firstOf returns the first of the four turns from i on.
func (t *turns) firstOf(i int) int {
	c := (*[4]turn)(t.list[i:])
	a, b := c[1].before(&c[0]), 2+c[3].before(&c[2])
	if c[b&3].before(&c[a&3]) != 0 {
		a = b
	}
	return i + int(a)
}

// down gives the worker v at the top, which has taken its step, its new place. Mostly it stays where it is.
func (t *turns) down(v *stepWorker) {
	me := turn{v.now, v.order, v.id}
	if me.before(&t.list[t.next]) != 0 {
		t.list[0] = me
		return
	}
	t.list[0] = t.list[t.next]
	i := t.next
	for first := 4*i + 1; first < len(t.list); first = 4*i + 1 {
		best := t.firstOf(first)
		if me.before(&t.list[best]) != 0 {
			break
		}
		t.list[i] = t.list[best]
		i = best
	}
	t.list[i] = me
	t.next = t.firstOf(1)
}

func (s *stepper) price(w *Worker, k loi.KernelID, blocks []uint32) uint64 {
	s.args = append(s.args[:0], blocks...) // what is handed to a function that is not known escapes, and every End would allocate
	return s.costs.Kernel(w.id, w.now, k, s.args)
}

// lockOwn takes the lock of v's own queue and holds it for a time; if it is held, v waits, and has the lock, a Handover after its
// release, when it asks again: first come, first served. A deque has no lock.
func (s *stepper) lockOwn(v *stepWorker, hold uint64) (free bool) {
	if s.pool.shared == nil {
		return true
	}
	if s.costs.Locked != nil && !v.granted {
		s.costs.Locked(v.node, v.now)
	}
	if v.granted {
		v.granted = false
		return true
	}
	if until := s.locked[v.queue]; until > v.now {
		until += s.costs.Handover
		s.locked[v.queue] = until + hold
		v.now, v.granted = until, true
		return false
	}
	s.locked[v.queue] = v.now + hold
	return true
}

// seesEmpty says that v's own queue is shared and seen to be empty without its lock.
func (s *stepper) seesEmpty(v *stepWorker) bool {
	return v.shared != nil && v.tape == nil && !v.granted && v.shared.size.Load() == 0
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
	return r
}
