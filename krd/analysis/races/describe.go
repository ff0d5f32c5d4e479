package races

import (
	"fmt"
	"strings"

	"krdlab/loi"
)

// A Race is two accesses to a unit of so many bytes; at least one is a write. The first comes first
// where one worker runs all.
type Race struct {
	Bytes         uint64
	First, Second Access
}

// An Access is one by an execution.
type Access struct {
	Kernel string
	Mode   loi.Mode
	Object string
	Place  string // as the text form of traces names it
	// Path is the child that the execution is of: for each task from the root on, "/", the number of
	// the phase and that of the child in it, "/0:1/2:0".
	Path string
	Task uint32 // number in the trace of the innermost task
	// After is the phase that had ended in the task, -1: none.
	After      int
	Worker     int
	Start, End int64 // ticks of the common clock
}

// Describe returns a race for each of the first [Kept] units. Errors are those of [loi.Trace.Ordered].
// Cost: a pass over the trace, if there is any race.
func (f *Races) Describe() ([]Race, error) {
	if len(f.list) == 0 {
		return nil, nil
	}
	w := &places{run: f.run, at: map[uint32]*Access{}}
	for i := range f.list {
		w.at[f.list[i].first], w.at[f.list[i].second] = nil, nil
	}
	if err := f.run.Graph.Serial(w); err != nil {
		return nil, err
	}
	races := make([]Race, len(f.list))
	of := map[uint32][]int{}
	for i, p := range f.list {
		races[i] = Race{f.run.Units.Bytes(p.unit), *w.at[p.first], *w.at[p.second]}
		of[p.first], of[p.second] = append(of[p.first], i), append(of[p.second], i)
	}
	n := uint32(0)
	for e, err := range f.run.trace.Ordered(loi.Order{Events: true, Tasks: true, AllowLoss: true}) {
		if err != nil {
			return nil, err
		}
		if e.Type == loi.EventRecord {
			continue
		}
		n++
		for _, i := range of[n] {
			p, a, mode := &f.list[i], &races[i].First, f.list[i].did
			if n == p.second {
				a, mode = &races[i].Second, p.does
			}
			a.Worker, a.Start, a.End = e.Worker, e.Start, e.End
			if err := f.access(a, e, p.unit, mode); err != nil {
				return nil, err
			}
		}
	}
	return races, nil
}

// access fills in the access of an event that touches a unit in a mode.
func (f *Races) access(a *Access, e *loi.Event, unit uint32, mode loi.Mode) error {
	registry := &f.run.trace.Header.Registry
	return each(e, func(k loi.KernelID, list []loi.Access) error {
		for i := range list {
			if a.Mode != 0 || list[i].Mode&mode == 0 {
				continue
			}
			units, err := f.run.Units.Of(&list[i])
			if err != nil {
				return err
			}
			for _, u := range units {
				if u == unit {
					a.Kernel, a.Mode = registry.Kernels[k].Name, list[i].Mode
					a.Object, a.Place = registry.Objects[list[i].Object].Name, registry.Place(&list[i])
				}
			}
		}
		return nil
	})
}

// places finds where executions are in the graph.
type places struct {
	run  *Run
	open []open
	at   map[uint32]*Access // of those that are asked for
}

// open is a child that is open.
type open struct {
	task         int // -1: none
	phase, child int // the phase that runs, and its child that is open, or the next
	after        int
}

// Begin implements [dag.Visitor].
func (w *places) Begin(task int) error {
	w.open = append(w.open, open{task: task, after: -1})
	return nil
}

// Execute implements [dag.Visitor].
func (w *places) Execute(n uint32) error {
	if _, asked := w.at[n]; !asked {
		return nil
	}
	var path strings.Builder
	a := &Access{After: w.open[len(w.open)-1].after}
	for i, o := range w.open {
		if o.task > 0 {
			a.Task = w.run.Graph.Tasks[o.task].ID
		}
		if i > 0 && i < len(w.open)-1 { // what is open in the program is the root
			fmt.Fprintf(&path, "/%d:%d", o.phase, o.child)
		}
	}
	if a.Path = path.String(); a.Path == "" {
		a.Path = "/"
	}
	w.at[n] = a
	return nil
}

// Sync implements [dag.Visitor].
func (w *places) Sync() {
	top := &w.open[len(w.open)-1]
	top.after, top.phase, top.child = top.phase, top.phase+1, 0
}

// End implements [dag.Visitor].
func (w *places) End() {
	w.open = w.open[:len(w.open)-1]
	if n := len(w.open); n > 0 {
		w.open[n-1].child++
	}
}
