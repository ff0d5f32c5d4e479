// Package races finds the races of a task program by what its kernels access, and its data path:
// the longest chain of executions in which each reads data that one before it wrote.
//
//	trace -> Read -> Run -> DataPath
//	                   \-> Find -> Races -> Describe
//
// Two executions race if both touch a unit, one of them writes it, and spawns and syncs do not
// order them. A unit is a block, or bytes of an address space that all accesses take whole. All
// this is by the kernels' declarations; so an accumulation in any order, declared as inout, races
// too.
//
// In a program without races, data that an execution reads were written before it on some path of
// spawns and syncs: a data path is then no longer than the span.
package races

import (
	"context"

	"krdlab/krd"
	"krdlab/loi"
	"krdlab/loi/dag"
)

// A Run is the executions of a task program, numbered from 1 in the order in which they began, and
// its graph. A task record counts as one execution.
//
// Memory: the graph, and 18 bytes an execution, and 5 a unit of each access.
type Run struct {
	Graph *dag.Graph
	// Units numbers the accessed data; nil: the trace has no accesses.
	Units *krd.Units

	trace   *loi.Trace
	kernels []loi.KernelID
	ticks   []uint64
	ends    []int // in the accesses
	units   []uint32
	modes   []loi.Mode
	calls   []uint32 // of task records; nil: each execution is one
}

// checkEvery is how many executions there are between two looks at the context.
const checkEvery = 1 << 16

// Read reads the executions of a trace with task events, from which records may be missing. Errors:
// those of [dag.Build], [krd.NewUnits] and [krd.Units.Of], and of ctx. t must stay open for
// [Races.Describe]. Cost: two passes over the trace.
func Read(ctx context.Context, t *loi.Trace) (*Run, error) {
	r := &Run{trace: t}
	var err error
	if t.Accesses() {
		if r.Units, err = krd.NewUnits(t); err != nil {
			return nil, err
		}
	}
	r.Graph, err = dag.Build(t, true, func(e *loi.Event) error {
		if len(r.ends)%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if e.Type == loi.EventRecord {
			return nil
		}
		return r.add(e)
	})
	return r, err
}

// add takes the next execution.
func (r *Run) add(e *loi.Event) error {
	kernel := e.Kernel
	err := each(e, func(k loi.KernelID, list []loi.Access) error {
		kernel = k
		for i := range list {
			if r.Units == nil {
				break
			}
			units, err := r.Units.Of(&list[i])
			if err != nil {
				return err
			}
			for _, u := range units {
				r.units, r.modes = append(r.units, u), append(r.modes, list[i].Mode)
			}
		}
		return nil
	})
	if e.Type == loi.TaskRecord && r.calls == nil && len(e.Calls) != 1 {
		r.calls = make([]uint32, len(r.ends), 2*len(r.ends)+1)
		for i := range r.calls {
			r.calls[i] = 1
		}
	}
	if r.calls != nil {
		calls := 1
		if e.Type == loi.TaskRecord {
			calls = len(e.Calls)
		}
		r.calls = append(r.calls, uint32(calls))
	}
	r.kernels = append(r.kernels, kernel)
	r.ticks = append(r.ticks, uint64(max(0, e.End-e.Start)))
	r.ends = append(r.ends, len(r.units))
	return err
}

// each calls do for the kernels of an event, with what each accesses.
func each(e *loi.Event, do func(loi.KernelID, []loi.Access) error) error {
	if e.Type != loi.TaskRecord {
		return do(e.Kernel, e.Accesses())
	}
	for i := range e.Calls {
		c := &e.Calls[i]
		if err := do(c.Kernel, e.CallAccesses(c)); err != nil {
			return err
		}
	}
	return nil
}

// Kernel returns the kernel of execution n; of a task record the last.
func (r *Run) Kernel(n uint32) loi.KernelID { return r.kernels[n-1] }

// Ticks returns how long execution n took.
func (r *Run) Ticks(n uint32) uint64 { return r.ticks[n-1] }

// Calls returns how many kernels execution n has, which is 1 if it is no task record.
func (r *Run) Calls(n uint32) uint64 {
	if r.calls == nil {
		return 1
	}
	return uint64(r.calls[n-1])
}

// Accesses returns the units that execution n touches, and how; valid as long as r.
func (r *Run) Accesses(n uint32) ([]uint32, []loi.Mode) {
	begin := 0
	if n > 1 {
		begin = r.ends[n-2]
	}
	return r.units[begin:r.ends[n-1]], r.modes[begin:r.ends[n-1]]
}

// All returns how many units are touched, each for each access.
func (r *Run) All() uint64 { return uint64(len(r.units)) }
