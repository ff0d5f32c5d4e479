package regions

import (
	"context"
	"fmt"

	"krdlab/krd/analysis"
	"krdlab/krd/analysis/races"
	"krdlab/krd/analysis/shadow"
	"krdlab/loi"
)

// A taskTree goes through the frame tree of a run depth first, as one worker alone would have run
// it: a footprint is a set, whatever the order and whoever ran what. A task is a region, and so is
// each execution of a kernel. The path of a task has for each task around it the region of the
// source in which that began, if the trace has regions; so tasks of one depth that began in the
// same regions are instances of one.
//
// Memory: that of [races.Run].
type taskTree struct {
	opt    *Options
	header *loi.Header
	run    *races.Run
	tree   *tree
	foot   *footprint
	begun  map[uint32]loi.RegionID // by the number of a task: where it began
	open   []instance
	spent  uint64 // work so far
	paths  critical
	times  *shadow.Vectors[uint64] // when each unit was written last, at each level
	now    []uint64                // of an execution
}

// An instance is a region that is open, or a child that is no task.
type instance struct {
	at           int    // in the tree
	first, spent uint64 // what was touched first, and the work, when it began
	bare         bool   // it is no region, and at is that of the task around it
}

func ofTasks(ctx context.Context, opt *Options, t *loi.Trace, in *analysis.Input) (analysis.Result,
	error) {
	x := &taskTree{opt: opt, header: &t.Header, tree: newTree(), begun: map[uint32]loi.RegionID{}}
	err := opt.coloured(t.Accesses(), lacksAccesses)
	if err == nil {
		err = x.begins(t)
	}
	if err != nil {
		return nil, err
	}
	if x.run, err = races.Read(ctx, t); err != nil {
		return nil, err
	}
	touches := x.run.Units != nil
	if x.foot, err = newFootprint(opt, touches, touches, true); err != nil {
		return nil, err
	}
	x.times, err = shadow.NewVectors[uint64](x.foot.levels, shadow.VectorOptions{
		Validation: shadow.Bulk, Datum: 1, TableBytes: timesTable, Cache: timesCache})
	if err != nil {
		return nil, err
	}
	if err := x.run.Graph.Serial(x); err != nil {
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

// Begin implements [dag.Visitor].
func (x *taskTree) Begin(i int) error {
	from := 0
	if n := len(x.open); n > 0 {
		from = x.open[n-1].at
	}
	if i < 0 {
		x.open = append(x.open, instance{at: from, bare: true})
		return nil
	}
	if x.foot.levels.Depth() >= shadow.MaxDepth-1 {
		return fmt.Errorf("%w: %d", ErrDepth, shadow.MaxDepth)
	}
	f := frame{kindTask, anyTask}
	if i == 0 {
		f.number = theProgram
	} else if r, ok := x.begun[x.run.Graph.Tasks[i].ID]; ok {
		f.number = int(r)
	}
	x.open = append(x.open, x.enter(x.tree.step(from, f)))
	return nil
}

// End implements [dag.Visitor].
func (x *taskTree) End() {
	top := len(x.open) - 1
	if !x.open[top].bare {
		x.leave(&x.open[top])
	}
	x.open = x.open[:top]
}

// Sync implements [dag.Visitor].
func (x *taskTree) Sync() {}

// Execute implements [dag.Visitor].
func (x *taskTree) Execute(n uint32) error {
	i := x.enter(x.tree.step(x.open[len(x.open)-1].at, frame{kindKernel, int(x.run.Kernel(n))}))
	x.execute(n)
	x.leave(&i)
	return nil
}

// execute goes through an execution: it ends as long after the latest of what it reads as it takes.
// Dependences are those of data; a piece that writes a unit again does not wait.
func (x *taskTree) execute(n uint32) {
	units, modes := x.run.Accesses(n)
	work := x.weigh(n)
	x.now = append(x.now[:0], make([]uint64, x.foot.levels.Depth())...)
	for i, u := range units {
		x.foot.mark(u, x.run.Units.Bytes(u), modes[i])
		if modes[i]&loi.In != 0 {
			for level, t := range x.times.Load(uint64(u)) {
				x.now[level] = max(x.now[level], t)
			}
		}
	}
	for level := range x.now {
		x.now[level] += work
	}
	for i, u := range units {
		if modes[i]&loi.Out != 0 {
			x.times.Store(uint64(u), x.now)
		}
	}
	x.paths.done(x.now)
	x.spent += work
}

// weigh returns the work of an execution.
func (x *taskTree) weigh(n uint32) uint64 {
	if x.opt.Work == workKernels {
		return x.run.Calls(n)
	}
	return x.run.Ticks(n)
}

// enter begins a region.
func (x *taskTree) enter(at int) instance {
	x.paths.enter()
	return instance{at: at, first: x.foot.enter(), spent: x.spent}
}

func (x *taskTree) leave(i *instance) {
	n := &x.tree.nodes[i.at]
	n.instances++
	n.work += x.spent - i.spent
	x.paths.leave(&n.paths, x.spent-i.spent)
	x.foot.leave(n, i.first)
}
