package measure

import (
	"context"
	"fmt"
	"slices"

	"krdlab/experiments/run/request"
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
)

// ErrNoPast is wrapped by the error of a run whose operations cannot be had again.
var ErrNoPast = failure.New(failure.Request, "causes can be taken away from simulated runs alone, of "+
	"schedulers that krdlab simulates")

// A Past is what one repetition of a simulated run did. It computes how long the same operations take
// without some of their causes: the schedule stays as it was.
type Past struct {
	Objects []string // names of the objects of the program
	Workers int
	RunPS   uint64 // the time of the run
	TimePS  uint64 // that of its operations: the same

	sim     *simulation
	job     *job
	history runtimes.History
	memory  *memory
	took    []uint64
	objects []int // by block of the model
	free    []cachemodel.Free
}

// Pasts simulates one repetition of schedulers of r again, with the seed that it has in the run, and
// keeps what each did. names are of r.Schedulers; "" is the serial run. The Pasts of a call share an instance
// of the kernel: they are for one goroutine. close gives it back.
//
// Errors: that of the run; [ErrNoPast]; [runtimes.ErrHistory].
func Pasts(ctx context.Context, r *request.Request, t *hw.Topology, names []string, rep int) (list []*Past,
	closeAll func() error, err error) {
	if r.Machine == nil || r.Follow != "" {
		return nil, nil, ErrNoPast
	}
	set, err := newSetup(r, t, nil, nil)
	if err != nil {
		return nil, nil, err
	}
	s := &simulation{setup: set, machine: r.Machine}
	in, err := s.kernel.New(s.params, kernel.Env{Seed: s.seed, Dry: true})
	if err != nil {
		return nil, nil, request.ParamError(err)
	}
	for _, name := range names {
		j := &job{scheduler: request.SerialScheduler(), workers: 1, rep: rep}
		if name != "" {
			i := slices.IndexFunc(s.schedulers, func(x runtimes.Scheduler) bool { return x.Name == name })
			j.scheduler, j.workers = s.schedulers[i], s.workersOf(&s.schedulers[i])
		}
		p, err := s.past(ctx, in, j)
		if err != nil {
			in.Close()
			return nil, nil, fmt.Errorf("%s: %w", j.scheduler.Name, err)
		}
		list = append(list, p)
	}
	return list, in.Close, nil
}

func (s *simulation) past(ctx context.Context, in kernel.Instance, j *job) (*Past, error) {
	p := &Past{sim: s, job: j, Workers: j.workers}
	in.Reset(j.scheduler.Rules().Hints)
	registry := in.Registry()
	for _, o := range registry.Objects {
		p.Objects = append(p.Objects, o.Name)
	}
	var err error
	if p.memory, err = s.newMemory(in, &registry, j.workers, s.repetitionSeed(j.rep)); err != nil {
		return nil, err
	}
	cfg := s.stepConfig(ctx, &registry, j, p.memory)
	cfg.History, cfg.TickNS = &p.history, 1
	ran, err := runtimes.Step(cfg, in)
	if err != nil {
		return nil, err
	}
	p.RunPS = uint64(ran.TimeNS)
	p.took = make([]uint64, p.history.Executions())
	p.objects = p.memory.objectOf(len(registry.Objects))
	p.free = make([]cachemodel.Free, len(p.objects))
	p.TimePS, err = p.Without(0, AllObjects)
	return p, err
}

// AllObjects stands for all objects of a program.
const AllObjects = -1

// Without returns how long the operations take without some causes, those of the memory for one object
// or for all, in picoseconds.
func (p *Past) Without(causes Causes, object int) (uint64, error) {
	r := runtimes.Retiming{Kernel: p.memory.kernel, Took: p.took}
	if p.sim.machine.CostsOf(p.job.scheduler.Family).LockDelayPS > 0 {
		r.Locked = p.memory.locked
	}
	for i := range r.Free {
		r.Free[i] = causes>>i&1 != 0
	}
	p.memory.reset()
	if p.memory.model != nil {
		var free []cachemodel.Free
		if causes&memoryCauses != 0 {
			free = p.free
			for b, o := range p.objects {
				free[b] = 0
				if object == AllObjects || object == o {
					free[b] = cachemodel.Free(causes / L2)
				}
			}
		}
		p.memory.model.Free(free)
	}
	ps := p.history.Retime(&r)
	return ps, p.memory.err
}

// SpanPS returns the length of the longest path of the program, with kernels that take as long as they
// did in the latest call of [Past.Without].
func (p *Past) SpanPS() uint64 { return p.history.Span(p.took) }

// Operations returns how many operations of workers there are.
func (p *Past) Operations() int { return p.history.Operations() }

// objectOf returns the object of each block of the model.
func (m *memory) objectOf(objects int) []int {
	list := make([]int, m.blocks)
	for o, first := range m.base {
		end := m.blocks
		if o+1 < objects {
			end = int(m.base[o+1])
		}
		for b := int(first); b < end; b++ {
			list[b] = o
		}
	}
	return list
}

// stepConfig is how job j is simulated.
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
