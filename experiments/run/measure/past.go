package measure

import (
	"context"
	"fmt"
	"slices"

	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/hw"
	"krdlab/hw/cachemodel"
	"krdlab/hw/failure"
	"krdlab/kernels/kernel"
	"krdlab/loi"
	"krdlab/runtimes"
)

// Causes is a set of what makes a simulated run take longer than it would without.
type Causes uint16

// The causes. The first five are prices of the scheduler ([runtimes.Price], in their order), the others
// those of the memory ([cachemodel.Free], in theirs).
const (
	Spawning Causes = 1 << iota
	Joining
	Stealing
	Searching
	Locks
	L2
	LLC
	Coherence
	Latency
	Bandwidth
	memoryCauses = L2 | LLC | Coherence | Latency | Bandwidth
	AllCauses    = 2*Bandwidth - 1
)

// ErrNoPast is wrapped by the error of a run whose operations cannot be had again.
var ErrNoPast = failure.New(failure.Request, "causes can be taken away from simulated runs alone, of "+
	"schedulers that krdlab simulates")

// A Past holds the operations of one repetition of a simulated run. It computes how long the same
// operations take without some of their causes: the schedule is unchanged.
type Past struct {
	Objects []loi.Object // of the program; and one of the runtime's own data, if these are modelled
	Workers int
	RunPS   uint64 // the time of the run
	TimePS  uint64 // that of its operations: the same
	Drawn   bool   // the seed decided something

	sim     *simulation
	job     *job
	history runtimes.History
	memory  *memory
	took    []uint64
	// by causes, of memories that serve at once: how long kernels take does not depend on when
	timeless map[Causes][]uint64
	close    func() error
}

// NewPast simulates one repetition of a scheduler of r again, with the seed that it has in the run, and
// keeps what it did; "" is the serial run. It is for one goroutine. Close it.
//
// Errors: that of the run; [ErrNoPast]; [runtimes.ErrHistory].
func NewPast(ctx context.Context, r *request.Request, t *hw.Topology, scheduler string, rep int) (*Past, error) {
	s, in, j, err := again(r, t, scheduler, rep)
	if err != nil {
		return nil, err
	}
	p, err := s.past(ctx, in, j)
	if err != nil {
		in.Close()
		return nil, fmt.Errorf("%s: %w", j.scheduler.Name, err)
	}
	p.close = in.Close
	return p, nil
}

// again returns what simulates a repetition of a scheduler of r; "" is the serial run.
func again(r *request.Request, t *hw.Topology, scheduler string, rep int) (*simulation, kernel.Instance, *job, error) {
	if r.Machine == nil || r.Follow != "" {
		return nil, nil, nil, ErrNoPast
	}
	set, err := newSetup(r, t, nil, nil)
	if err != nil {
		return nil, nil, nil, err
	}
	s := &simulation{setup: set, machine: r.Machine}
	j := &job{scheduler: request.SerialScheduler(), workers: 1, rep: rep}
	if scheduler != "" {
		i := slices.IndexFunc(s.schedulers, func(x runtimes.Scheduler) bool { return x.Name == scheduler })
		j.scheduler, j.workers = s.schedulers[i], s.workersOf(&s.schedulers[i])
	}
	if j.scheduler.ThreadsOnly() {
		return nil, nil, nil, ErrNoPast
	}
	in, err := s.kernel.New(s.params, kernel.Env{Seed: s.seed, Dry: true})
	if err != nil {
		return nil, nil, nil, request.ParamError(err)
	}
	return s, in, j, nil
}

// Free returns how long a repetition takes, in picoseconds, where causes cost nothing and the scheduler does as
// it likes: it steals elsewhere than in the run.
func Free(ctx context.Context, r *request.Request, t *hw.Topology, scheduler string, rep int,
	causes Causes) (uint64, error) {
	s, in, j, err := again(r, t, scheduler, rep)
	if err != nil {
		return 0, err
	}
	defer in.Close()
	in.Reset(j.scheduler.Rules().Hints)
	registry := in.Registry()
	m, err := s.newMemory(in, &registry, j.workers, s.repetitionSeed(rep))
	if err != nil {
		return 0, err
	}
	m.free(causes, nil)
	cfg := s.stepConfig(ctx, &registry, j, m)
	cfg.TickNS = 1
	c := &cfg.Costs
	c.NoWait = causes&Locks != 0
	for cause, prices := range map[Causes][]*uint64{Spawning: {&c.Spawn, &c.Pop, &c.Lock, &c.Push}, Joining: {&c.Join},
		Stealing: {&c.StealLocal, &c.StealRemote}, Searching: {&c.StealFailed, &c.Mail, &c.Rest}} {
		for _, p := range prices {
			if causes&cause != 0 {
				*p = leastPrice
			}
		}
	}
	ran, err := runtimes.Step(cfg, in)
	if err != nil {
		return 0, err
	}
	return uint64(ran.TimeNS), m.err
}

// leastPrice is the price of an operation without a price, in ps: idle workers repeat some without
// end.
const leastPrice = 1000

// Close gives back the memory of the kernel's instance.
func (p *Past) Close() error { return p.close() }

func (s *simulation) past(ctx context.Context, in kernel.Instance, j *job) (*Past, error) {
	in.Reset(j.scheduler.Rules().Hints)
	registry := in.Registry()
	p := &Past{sim: s, job: j, Workers: j.workers, Objects: registry.Objects}
	var err error
	if p.memory, err = s.newMemory(in, &registry, j.workers, s.repetitionSeed(j.rep)); err != nil {
		return nil, err
	}
	cfg := s.stepConfig(ctx, &registry, j, p.memory)
	cfg.History, cfg.TickNS = &p.history, 1
	if cfg.Costs.Data != nil {
		p.Objects = append(slices.Clip(p.Objects), loi.Object{Name: result.RuntimeData})
	}
	ran, err := runtimes.Step(cfg, in)
	if err != nil {
		return nil, err
	}
	p.RunPS, p.Drawn = uint64(ran.TimeNS), ran.Drawn || p.memory.drawn
	p.took = make([]uint64, p.history.Executions())
	p.timeless = map[Causes][]uint64{}
	p.TimePS, err = p.Without(0, nil)
	return p, err
}

// Without returns how long the operations take without some causes, in picoseconds; those of the memory are
// taken away from the objects that of names by true, from all with nil.
func (p *Past) Without(causes Causes, of []bool) (uint64, error) {
	r := runtimes.Retiming{Kernel: p.memory.kernel, Took: p.took, Touch: p.memory.Touch}
	if p.sim.machine.CostsOf(p.job.scheduler.Family).LockDelayPS > 0 {
		r.Locked = p.memory.locked
	}
	for i := range r.Free {
		r.Free[i] = causes>>i&1 != 0
	}
	timeless := r.Locked == nil && of == nil && causes&Bandwidth != 0
	if took := p.timeless[causes&memoryCauses]; timeless && took != nil {
		copy(p.took, took)
		n := 0
		r.Kernel = func(int, uint64, loi.KernelID, []uint32) uint64 {
			n++
			return took[n-1]
		}
		r.Touch = func(int, uint64, uint32, bool) uint64 { return r.Kernel(0, 0, 0, nil) }
		return p.history.Retime(&r), nil
	}
	p.memory.reset()
	p.memory.free(causes, of)
	ps := p.history.Retime(&r)
	if timeless {
		p.timeless[causes&memoryCauses] = slices.Clone(p.took)
	}
	return ps, p.memory.err
}

// free takes the causes of the memory away from some objects, or all.
func (m *memory) free(causes Causes, of []bool) {
	if m.model == nil {
		return
	}
	if causes &= memoryCauses; causes == 0 {
		m.model.Free(nil, 0)
		return
	}
	list := make([]cachemodel.Free, m.blocks)
	for o := range m.base {
		from, to := m.blocksOf(o)
		for b := from; b < to && (of == nil || of[o]); b++ {
			list[b] = cachemodel.Free(causes / L2)
		}
	}
	var structures cachemodel.Free // the last object, where the program's are given
	if of == nil || len(of) > len(m.base) && of[len(m.base)] {
		structures = cachemodel.Free(causes / L2)
	}
	m.model.Free(list, structures)
}

// SpanPS returns the length of the longest path of the program, with kernels that take as long as they
// did in the latest call of [Past.Without].
func (p *Past) SpanPS() uint64 { return p.history.Span(p.took) }

// WorkPS returns the time of all kernels together, as they took in the latest call of [Past.Without].
func (p *Past) WorkPS() (sum uint64) {
	for i, ps := range p.took {
		if p.history.IsKernel(i) {
			sum += ps
		}
	}
	return sum
}

// Operations returns how many operations of workers there are.
func (p *Past) Operations() int { return p.history.Operations() }

// stepConfig returns how job j is simulated.
func (s *simulation) stepConfig(ctx context.Context, registry *loi.Registry, j *job,
	model *memory) runtimes.StepConfig {
	return runtimes.StepConfig{
		Policy: j.scheduler, Nodes: s.place.Nodes[:j.workers], Distance: s.topo.Distance,
		Socket:   s.topo.Socket,
		LLCBytes: s.machine.LLC.Bytes, Seed: s.repetitionSeed(j.rep), Kernels: registry.Kernels,
		TaskGrain: s.asked.Grain == request.GrainTask, TickNS: 1000, Dry: true, Stop: ctx.Done(),
		Costs: s.costs(j.scheduler.Family, model), Schedule: j.scheduler.Schedule,
	}
}
