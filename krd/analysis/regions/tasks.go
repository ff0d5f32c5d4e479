package regions

import (
	"context"
	"fmt"

	"krdlab/krd"
	"krdlab/krd/analysis"
	"krdlab/krd/shadow"
	"krdlab/loi"
	"krdlab/loi/dag"
)

// A taskTree goes through the frame tree of a run depth first, as one worker alone would have run
// it: a footprint is a set, whatever the order and whoever ran what. A task is a region, and so is
// each execution of a kernel. The path of a task has for each task around it the region of the
// source in which that began, if the trace has regions; so tasks of one depth that began in the
// same regions are instances of one.
//
// Memory: the graph, and 4 bytes a unit of each access.
type taskTree struct {
	opt     *Options
	header  *loi.Header
	graph   *dag.Graph
	tree    *tree
	foot    *footprint
	numbers *krd.Units // nil: nothing is accessed
	run     executions
	begun   map[uint32]loi.RegionID // by the number of a task: where it began
	spent   uint64                  // work so far
	paths   critical
	times   *shadow.Vectors[uint64] // when each unit was written last, at each level
	now     []uint64                // of an execution
}

// executions are those of a trace, in the order in which they began.
type executions struct {
	kernel []loi.KernelID
	ticks  []uint64
	ends   []int // in the accesses
	units  []uint32
	modes  []loi.Mode
}

func ofTasks(ctx context.Context, opt *Options, t *loi.Trace, in *analysis.Input) (analysis.Result,
	error) {
	x := &taskTree{opt: opt, header: &t.Header, tree: newTree(), begun: map[uint32]loi.RegionID{}}
	var err error
	if t.Accesses() {
		if x.numbers, err = krd.NewUnits(t); err != nil {
			return nil, err
		}
	}
	if err := x.begins(t); err != nil {
		return nil, err
	}
	n := 0
	x.graph, err = dag.Build(t, true, func(e *loi.Event) error {
		if n++; n%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		return x.execution(e)
	})
	if err != nil {
		return nil, err
	}
	touches := x.numbers != nil
	if x.foot, err = newFootprint(opt, touches, touches, true); err != nil {
		return nil, err
	}
	x.times, err = shadow.NewVectors[uint64](&x.foot.levels, shadow.VectorOptions{
		Validation: shadow.Bulk, Datum: 1, TableBytes: timesTable, Cache: timesCache, Collect: true})
	if err != nil {
		return nil, err
	}
	if err := x.task(0, frame{kindTask, theProgram}, 0); err != nil {
		return nil, err
	}
	return x.document(in), nil
}

// Units that a table of times is of, and the cache.
const (
	timesTable = 1 << 9
	timesCache = 1 << 14
)

// begins finds where tasks began: in the region that ended just before, on the same worker.
func (x *taskTree) begins(t *loi.Trace) error {
	if !t.Tells(loi.EventRegion) {
		return nil
	}
	last, worker := loi.NoRegion, -1
	for e, err := range t.Ordered(loi.Order{ByWorker: true, Events: true, NoKernels: true,
		AllowLoss: true}) {
		if err != nil {
			return err
		}
		if e.Worker != worker {
			worker, last = e.Worker, loi.NoRegion
		}
		switch a := e.Args; {
		case e.Event == loi.EventRegion && len(a) == 3 && int(a[0]) < len(x.header.Registry.Regions):
			last = loi.RegionID(a[0])
		case e.Event == loi.EventTask && len(a) > 0 && last != loi.NoRegion:
			x.begun[a[0]], last = last, loi.NoRegion
		}
	}
	return nil
}

// execution takes an execution of a kernel, or several of a task that stamped itself.
func (x *taskTree) execution(e *loi.Event) error {
	r := &x.run
	add := func(list []loi.Access) error {
		for i := range list {
			units, err := x.numbers.Of(&list[i])
			if err != nil {
				return err
			}
			for _, u := range units {
				r.units, r.modes = append(r.units, u), append(r.modes, list[i].Mode)
			}
		}
		return nil
	}
	var err error
	kernel := e.Kernel
	switch {
	case x.numbers == nil:
	case e.Type == loi.TaskRecord:
		for i := range e.Calls {
			kernel = e.Calls[i].Kernel
			if err = add(e.CallAccesses(&e.Calls[i])); err != nil {
				break
			}
		}
	default:
		err = add(e.Accesses())
	}
	r.kernel = append(r.kernel, kernel)
	r.ticks = append(r.ticks, uint64(max(0, e.End-e.Start)))
	r.ends = append(r.ends, len(r.units))
	return err
}

// task goes through a task of the graph, and those that it spawned.
func (x *taskTree) task(i int, f frame, from int) error {
	t := &x.graph.Tasks[i]
	if x.foot.levels.Depth() >= shadow.MaxDepth-1 {
		return fmt.Errorf("%w: %d", ErrDepth, shadow.MaxDepth)
	}
	at := x.tree.step(from, f)
	first, spent := x.enter()
	x.piece(&t.Begin, at)
	for p := range t.Phases {
		for c := range t.Phases[p].Children {
			child := &t.Phases[p].Children[c]
			if child.Task < 0 {
				x.piece(&child.Piece, at)
				continue
			}
			to, below := frame{kindTask, anyTask}, &x.graph.Tasks[child.Task]
			if r, ok := x.begun[below.ID]; ok {
				to.number = int(r)
			}
			if err := x.task(child.Task, to, at); err != nil {
				return err
			}
		}
		x.piece(&t.Phases[p].After, at)
	}
	x.leave(at, first, spent)
	return nil
}

// piece goes through the executions of a piece of code.
func (x *taskTree) piece(p *dag.Piece, from int) {
	r := &x.run
	for n := range x.graph.Executions(p) {
		n-- // from 1
		at := x.tree.step(from, frame{kindKernel, int(r.kernel[n])})
		first, spent := x.enter()
		x.execute(int(n))
		x.leave(at, first, spent)
	}
}

// execute goes through an execution: it ends as long after the latest of what it reads as it takes.
// Dependences are those of data; what writes a unit again does not wait.
func (x *taskTree) execute(n int) {
	r, begin := &x.run, 0
	if n > 0 {
		begin = r.ends[n-1]
	}
	work := r.ticks[n]
	if x.opt.Work == workKernels {
		work = 1
	}
	x.now = append(x.now[:0], make([]uint64, x.foot.levels.Depth())...)
	for i := begin; i < r.ends[n]; i++ {
		x.foot.mark(r.units[i], x.numbers.Bytes(r.units[i]), r.modes[i])
		if r.modes[i]&loi.In != 0 {
			for level, t := range x.times.Load(uint64(r.units[i])) {
				x.now[level] = max(x.now[level], t)
			}
		}
	}
	for level := range x.now {
		x.now[level] += work
	}
	for i := begin; i < r.ends[n]; i++ {
		if r.modes[i]&loi.Out != 0 {
			x.times.Store(uint64(r.units[i]), x.now)
		}
	}
	x.paths.done(x.now)
	x.spent += work
}

// enter begins a region, and returns what was touched first until now, and the work.
func (x *taskTree) enter() (first, spent uint64) {
	x.paths.enter()
	return x.foot.enter(), x.spent
}

func (x *taskTree) leave(at int, first, spent uint64) {
	n := &x.tree.nodes[at]
	n.instances++
	n.work += x.spent - spent
	x.paths.leave(&n.paths[0], x.spent-spent)
	x.foot.leave(n, first)
}
