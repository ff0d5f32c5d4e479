package scene

import (
	"errors"

	"krdlab/loi"
	"krdlab/loi/dag"
)

// A Folded is a task with those below it, or several small ones of the same shape that follow each
// other among the children of a task. Tasks have the same shape if they and all below them spawn and
// execute as much, in the same order.
type Folded struct {
	Ticks  int64    `json:"w"`           // of the kernels that they execute
	Tasks  int      `json:"n"`           // of all, they themselves too
	Same   int      `json:"k"`           // how many of this shape
	By     []int64  `json:"by"`          // Ticks by node, or where there is one, by worker
	Place  int      `json:"at"`          // of By, whose worker began the first
	Worker int      `json:"on"`          // that began the first
	Stolen int      `json:"s"`           // of Same, those begun by another worker than their spawner
	Began  int64    `json:"t"`           // when the first began, in ticks from the beginning of the run
	Unit   bool     `json:"u,omitempty"` // of the root: a tick stands for a task
	Below  []Folded `json:"c,omitempty"`
}

// foldBelow is the share of all ticks that a task must exceed to stand by itself.
const foldBelow = 800

// foldDepth is how deep a tree is shown.
const foldDepth = 64

// MaxTasks is of how many tasks a tree is made, which takes some 300 bytes for each.
const MaxTasks = 8 << 20

// Fold returns the tree of the tasks of a trace; nil and why, if it has none that can be shown. A run
// without ticks of kernels has a tick for each task. Errors: those of [loi.Trace.Ordered]. Cost: a
// pass over the trace.
func (r *Run) Fold(t *loi.Trace, allowLoss bool) (tree *Folded, why string, err error) {
	tasks := 0
	for e, err := range t.Ordered(loi.Order{Events: true, NoKernels: true, AllowLoss: allowLoss,
		ByWorker: true}) {
		if err != nil {
			return nil, "", err
		}
		if e.Event == loi.EventTask {
			tasks++
		}
	}
	switch {
	case tasks == 0:
		return nil, "The trace does not tell who spawned whom: run with --trace full,tasks.", nil
	case tasks > MaxTasks:
		return nil, "The run has too many tasks for a picture of them.", nil
	}
	g, err := dag.Build(t, allowLoss, nil)
	if errors.Is(err, dag.ErrIncomplete) {
		return nil, "The events of tasks do not fit together: " + err.Error() + ".", nil
	} else if err != nil {
		return nil, "", err
	}
	f := &folder{run: r, graph: g, ticks: make([]int64, len(g.Tasks)), end: make([]int32, len(g.Tasks)),
		shape: make([]uint64, len(g.Tasks))}
	f.measure()
	if f.ticks[0] == 0 {
		f.count = true
		f.measure()
	}
	root := f.task(1, 0)
	root.Unit = f.count
	return &root, "", nil
}

// A folder folds a graph. Tasks below a task follow it, up to end.
type folder struct {
	run   *Run
	graph *dag.Graph
	count bool // a tick for each task
	ticks []int64
	end   []int32
	shape []uint64
}

// pieces calls f with the code that a task ran itself.
func (f *folder) pieces(i int, do func(*dag.Piece)) {
	n := &f.graph.Tasks[i]
	do(&n.Begin)
	for p := range n.Phases {
		for c := range n.Phases[p].Children {
			if ch := &n.Phases[p].Children[c]; ch.Task < 0 {
				do(&ch.Piece)
			}
		}
		do(&n.Phases[p].After)
	}
}

// measure finds the ticks, ends and shapes of all tasks.
func (f *folder) measure() {
	tasks := f.graph.Tasks
	for i := len(tasks) - 1; i >= 0; i-- { // those below a task come behind it
		f.ticks[i], f.end[i] = 0, int32(i+1)
		shape := uint64(14695981039346656037)
		join := func(v uint64) { shape = (shape ^ v) * 1099511628211; shape ^= shape >> 29 }
		f.pieces(i, func(p *dag.Piece) {
			f.ticks[i] += int64(p.Ticks)
			join(p.Kernels)
		})
		if f.count {
			f.ticks[i] = 1
		}
		for p := range tasks[i].Phases {
			for _, c := range tasks[i].Phases[p].Children {
				if c.Task < 0 {
					join(1)
					continue
				}
				f.ticks[i] += f.ticks[c.Task]
				f.end[i] = max(f.end[i], f.end[c.Task])
				join(f.shape[c.Task])
			}
			join(2)
		}
		f.shape[i] = shape
	}
}

// task returns task i with all below it, which is so deep in the tree.
func (f *folder) task(i, depth int) Folded {
	x := f.one(i)
	if depth == foldDepth {
		return x
	}
	n := &f.graph.Tasks[i]
	var last uint64 // the shape of what was folded last
	for p := range n.Phases {
		for _, c := range n.Phases[p].Children {
			if c.Task < 0 {
				continue
			}
			if f.ticks[c.Task] >= max(1, f.ticks[1]/foldBelow) {
				x.Below, last = append(x.Below, f.task(c.Task, depth+1)), 0
				continue
			}
			one := f.one(c.Task)
			if shape := f.shape[c.Task]; shape != last || len(x.Below) == 0 {
				x.Below, last = append(x.Below, one), shape
				continue
			}
			to := &x.Below[len(x.Below)-1]
			to.Ticks += one.Ticks
			to.Tasks += one.Tasks
			to.Same++
			to.Stolen += one.Stolen
			for k, t := range one.By {
				to.By[k] += t
			}
		}
	}
	return x
}

// one returns task i, as if it had nothing below it.
func (f *folder) one(i int) Folded {
	n, h := &f.graph.Tasks[i], f.run.Header
	x := Folded{Ticks: f.ticks[i], Tasks: int(f.end[i]) - i, Same: 1, Worker: n.Begin.Worker,
		Place: f.place(n.Begin.Worker), Began: n.Begin.At - f.run.First,
		By: make([]int64, max(h.Nodes, f.place(len(h.Workers)-1)+1))}
	for k := i; k < int(f.end[i]); k++ {
		if f.count {
			x.By[f.place(f.graph.Tasks[k].Begin.Worker)]++
			continue
		}
		f.pieces(k, func(p *dag.Piece) {
			if p.Ticks > 0 {
				x.By[f.place(p.Worker)] += int64(p.Ticks)
			}
		})
	}
	if n.Parent > 0 && n.Begin.Worker != f.spawner(n) {
		x.Stolen = 1
	}
	return x
}

// place returns where in [Folded].By a worker is.
func (f *folder) place(worker int) int {
	if f.run.Header.Nodes < 2 {
		return worker
	}
	return nodeOf(f.run.Header, worker)
}

// spawner returns the worker that spawned a task.
func (f *folder) spawner(n *dag.TaskNode) int {
	p := &f.graph.Tasks[n.Parent]
	if n.Phase == 0 {
		return p.Begin.Worker
	}
	return p.Phases[n.Phase-1].After.Worker
}
