// Package measure runs all repetitions of all schedulers of a request, and of its serial run, on
// threads of this computer or on a simulated machine.
//
//	Request  ->  Run  ->  setup  ->  native or simulation  ->  []*result.Measured
//
// [Run] is the one place that chooses the substrate, and the last that sees the request: it is
// resolved into a setup, whose parts the two substrates use. A native run stamps kernels, counts
// events on each thread and replays traces on a model of this computer where there are no hardware
// counters; a simulated one runs the same programs in virtual time, with prices from the machine
// and stalls from its cache model. Both give the same measures, and package result sums them up
// alike.
package measure

import (
	"context"
	"runtime"
	"runtime/debug"

	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/hw"
	"krdlab/hw/failure"
	"krdlab/kernels/kernel"
	"krdlab/runtimes"
)

// A Func does the measuring that r asks for on the machine t. Traces go to
// dir.Path(result.TraceFile(scheduler)). It returns what was done, one Measured for each scheduler
// that was begun in the order of r.Schedulers, together with any error; when ctx is cancelled it
// ends the repetition, and returns what is complete and context.Cause(ctx). A failed numerical
// check is not an error: it stands in Measured.Check. [Run] is the real one.
type Func func(ctx context.Context, r *request.Request, t *hw.Topology, dir *result.RunDir,
	progress Progress) ([]*result.Measured, error)

// Progress is told how many of all repetitions are done and what is done next under which
// scheduler; "" at the end.
type Progress func(done, total int, scheduler, next string)

// ErrCapability is wrapped by the error of a run that was asked for something that this machine
// cannot do (hardware counters).
var ErrCapability = failure.New(failure.Capability, "this machine cannot do what was asked")

// Run measures, as a [Func]: on the machine of r where that names one, otherwise on threads. r is
// valid. Errors, beside those of the kernel and of files: a [*request.Error] where memory or disk
// are too small; [ErrCapability].
func Run(ctx context.Context, r *request.Request, t *hw.Topology, dir *result.RunDir,
	progress Progress) ([]*result.Measured, error) {
	s, err := newSetup(r, t, dir, progress)
	if err != nil {
		return nil, err
	}
	if err := s.checkSpace(hw.FreeMemory, hw.FreeDisk); err != nil {
		return nil, err
	}
	defer s.limitHeap()()
	if r.Machine != nil {
		return (&simulation{setup: s, machine: r.Machine}).run(ctx)
	}
	return (&native{setup: s, ctx: ctx, clock: hw.CalibrateClock()}).run()
}

// setup holds the parts of a request that both substrates need, resolved.
type setup struct {
	kernel     *kernel.Kernel
	params     kernel.Params
	plan       kernel.Plan
	schedulers []runtimes.Scheduler
	cores      int
	seed       uint64
	asked      request.Settings
	topo       *hw.Topology // what workers are placed on
	place      hw.Placement
	dir        *result.RunDir
	progress   Progress
	notice     func(string) // may be nil
	analysis   uint64       // memory of KRDs
}

func newSetup(r *request.Request, t *hw.Topology, dir *result.RunDir,
	progress Progress) (setup, error) {
	s := setup{
		kernel: r.Kernel, params: r.Params, schedulers: r.Schedulers, cores: r.Cores,
		seed: r.Seed, asked: r.Asked().Settings, topo: t, dir: dir, progress: progress,
		notice: r.Notice,
	}
	var err error
	if s.plan, err = r.Kernel.Plan(r.Params); err != nil {
		return s, request.ParamError(err)
	}
	if s.place, err = t.Place(r.Cores, r.Bind, r.SMT); err != nil {
		return s, err
	}
	if s.analysis = s.analysisBytes(); r.Machine != nil { // data is not filled in
		side := uint64(s.sideBySide())
		s.plan.Bytes = side * (s.plan.DryBytes + modelBytes*s.plan.Blocks)
		s.analysis *= side
	}
	return s, nil
}

// workersOf returns how many workers a scheduler has.
func (s *setup) workersOf(x *runtimes.Scheduler) int {
	if x.Serial() {
		return 1
	}
	return s.cores
}

// repetitions returns how many timed ones there are, of all schedulers and of the serial run.
func (s *setup) repetitions() int { return s.asked.Reps * (1 + len(s.schedulers)) }

// sideBySide returns how many of them are simulated at a time, each with an instance of its own.
func (s *setup) sideBySide() int { return min(runtime.GOMAXPROCS(0), s.repetitions()) }

// repetitionSeed returns the seed of repetition i of all that are run, warm-ups included.
func (s *setup) repetitionSeed(i int) uint64 { return s.seed + uint64(i)*0x9e3779b97f4a7c15 }

// await returns what f does. Once ctx is done it does not wait for f and returns the cause: f has
// then been left to itself, and what it uses must stay until the process ends.
func await[T any](ctx context.Context, left *bool, f func() (T, error)) (T, error) {
	done := guarded(f)
	select {
	case o := <-done:
		return o.value, o.err
	case <-ctx.Done():
		*left = true
		var none T
		return none, context.Cause(ctx)
	}
}

// outcome holds the return values of a function.
type outcome[T any] struct {
	value T
	err   error
}

// guarded calls f on a goroutine, and sends what it returns: a [*runtimes.PanicError] where a
// kernel's code panics or ends the goroutine.
func guarded[T any](f func() (T, error)) <-chan outcome[T] {
	done := make(chan outcome[T], 1)
	go func() {
		o := outcome[T]{err: &runtimes.PanicError{Worker: -1, Outside: true, Value: runtimes.Goexit}}
		defer func() {
			if v := recover(); v != nil {
				o.err = &runtimes.PanicError{Worker: -1, Outside: true, Value: v, Stack: debug.Stack()}
			}
			done <- o
		}()
		o.value, o.err = f()
	}()
	return done
}
