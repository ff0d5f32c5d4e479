package measure

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"

	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/loi"
	"krdlab/runtimes"
)

// tracingCost is the time that the tracer adds to one kernel execution, in ns; not known where it
// could not be measured.
type tracingCost struct {
	profileNS result.Number // two stamps and the sums
	traceNS   result.Number // two stamps, the sums and a record
}

// costKernels is how many empty kernels measureTracing times in one go.
const costKernels = 1 << 17

// costTask is how many kernels are in a task where tasks are stamped.
const costTask = 64

// costProgram is empty kernels, one after the other.
type costProgram struct{ blocks []uint32 }

func (p costProgram) Root(w *runtimes.Worker) *runtimes.Frame {
	for range costKernels / costTask {
		start := w.BeginTask()
		for range costTask {
			w.End(0, w.Begin(0), p.blocks...)
		}
		w.EndTask(start)
	}
	return nil
}

// measureTracing times empty kernels that name as many blocks as the program's do, at task grain 64
// to a task, with tracing off, in profile mode and traced to a file as the run's, each several times,
// and takes the smallest differences. The records follow each other at once, which is harder on the
// writer than any kernel is. An error that wraps errCostTrace comes with what else was measured.
func (n *native) measureTracing() (tracingCost, error) {
	cpu, clock, args, grain := n.place.CPUs[0], n.clock, n.plan.Args, n.asked.Grain
	kernel := loi.Kernel{Name: "empty"}
	for range args {
		kernel.Params = append(kernel.Params, loi.Param{Object: 0, Mode: loi.In})
	}
	header := loi.Header{
		Registry: loi.Registry{
			Objects: []loi.Object{{Name: "nothing", Blocks: []loi.SizeRun{{Count: 1, Bytes: 1}}}},
			Kernels: []loi.Kernel{kernel},
		},
		Clock: loi.Clock{Source: clock.Source, Hz: clock.Hz}, Workers: []loi.Worker{{CPU: cpu}},
		Substrate: loi.Native, Grain: string(grain),
	}
	prog := costProgram{make([]uint32, args)}
	opt := loi.Options{ // the first chunk holds all records where it does so in the run
		FirstChunkBytes: int(min(uint64(n.options(n.cores).FirstChunkBytes),
			costKernels*loi.RecordBytes(args)*5/4))}
	best := map[runtimes.Tracing]float64{}
	var noTrace error
	for range 5 {
		for _, mode := range []runtimes.Tracing{runtimes.TraceOff, runtimes.TraceProfile,
			runtimes.TraceFull} {
			c := runtimes.Config{
				Policy: runtimes.Serial{}, CPUs: []int{cpu}, Nodes: []int{0}, Tracing: mode,
				Kernels: header.Registry.Kernels, Clock: clock,
				TaskGrain: grain == request.GrainTask,
			}
			ns, err := timeCost(n.ctx, c, header, opt, n.dir, prog)
			if errors.Is(err, errCostTrace) {
				if noTrace == nil {
					noTrace = err
				}
				continue
			} else if err != nil {
				return tracingCost{}, fmt.Errorf("measure the cost of tracing: %w", err)
			}
			if b, ok := best[mode]; !ok || ns < b {
				best[mode] = ns
			}
		}
	}
	off := best[runtimes.TraceOff]
	cost := tracingCost{profileNS: result.Some(math.Max(0, best[runtimes.TraceProfile]-off))}
	if noTrace != nil {
		return cost, fmt.Errorf("what a record costs could not be measured: %w", noTrace)
	}
	cost.traceNS = result.Some(math.Max(0, best[runtimes.TraceFull]-off))
	return cost, nil
}

// errCostTrace is wrapped by the error of a trace for measuring that could not be made, or not
// whole.
var errCostTrace = errors.New("no trace to measure with")

// timeCost returns the time of one empty kernel, in ns.
func timeCost(ctx context.Context, c runtimes.Config, h loi.Header, opt loi.Options,
	dir *result.RunDir, prog costProgram) (float64, error) {
	var w *loi.Writer
	if c.Tracing == runtimes.TraceFull {
		path := dir.Path("cost.loi")
		var err error
		if w, err = loi.Create(path, h, opt); err != nil {
			return 0, fmt.Errorf("%w: %w", errCostTrace, err)
		}
		defer os.Remove(path)
		c.Recorders = []*loi.Recorder{w.Recorder(0)}
	}
	r, err := runtimes.Run(ctx, c, prog)
	if w != nil {
		stats, cerr := w.Close()
		if cerr == nil && stats.Discarded[0] > 0 {
			cerr = fmt.Errorf("%d of %d records found no room: %w", stats.Discarded[0], costKernels,
				stats.Full)
		}
		if err == nil && cerr != nil {
			err = fmt.Errorf("%w: %w", errCostTrace, cerr)
		}
	}
	if err != nil {
		return 0, err
	}
	return float64(r.TimeNS) / costKernels, nil
}
