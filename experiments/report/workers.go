package report

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"krdlab/experiments/dataset"
	"krdlab/experiments/request"
	"krdlab/experiments/result"
	"krdlab/krd/doc"
	"krdlab/loi"
)

// maxWorkerRows is the number of workers beyond which a table of workers has a row for each node
// instead, as in `krdlab run`.
const maxWorkerRows = 48

// An activity is what a trace says of one worker: the slices that `krdlab trace export --format
// perfetto` draws, summed up.
type activity struct {
	CPU, Node int
	Kernels   int64 // executions, those inside tasks too
	WorkNS    int64 // of kernels, or of tasks where their kernels have no stamps
	// between the beginning of a search for work and its end, or that of the run
	IdleNS              int64
	Local, Remote       int64 // successful steals, from a worker of the same node and of another
	Executions, Idlings int64 // slices that WorkNS and IdleNS are the sums of
}

// activities reads a whole trace, of a repetition that took a time in ns. A search for work that
// has no end lasted until the end of the run: the time in a simulated one, which begins at 0; the
// last stamp of any worker in a native one. Cost: about that of reading the file.
func activities(path string, time result.Number) (list []activity, goPolicy bool, err error) {
	t, err := loi.Open(path)
	if err != nil {
		return nil, false, err
	}
	defer t.Close()
	goPolicy = t.Header.Unordered
	hz := t.Header.Clock.Hz
	ends := map[int]uint64{} // since when a worker is idle that never finds work again
	var last uint64
	for i, w := range t.Header.Workers {
		a := activity{CPU: w.CPU, Node: w.Node}
		var work, idle uint64 // ticks
		idling, since := false, uint64(0)
		c := t.All(i)
		for c.Next() {
			r := c.Record()
			last = max(last, r.Start, r.End)
			switch {
			case r.Type != loi.EventRecord:
				a.Executions++
				if r.Type == loi.TaskRecord {
					a.Kernels += int64(len(r.Calls))
				} else {
					a.Kernels++
				}
				work += max(r.Start, r.End) - r.Start
			case r.Event == loi.EventIdle && !idling:
				idling, since = true, r.Start
			case r.Event == loi.EventBusy && idling:
				idling = false
				a.Idlings++
				idle += max(since, r.Start) - since
			case r.Event == loi.EventSteal:
				if len(r.Args) > 1 && r.Args[1] != 0 {
					a.Remote++
				} else {
					a.Local++
				}
			}
		}
		if c.Err() != nil {
			return nil, false, c.Err()
		}
		if idling {
			ends[i] = since
		}
		a.WorkNS, a.IdleNS = nanoseconds(work, hz), nanoseconds(idle, hz)
		list = append(list, a)
	}
	for i, since := range ends {
		end := nanoseconds(last, hz)
		if t.Header.Substrate == loi.Simulated && time.Known() {
			end = int64(time.Float())
		}
		list[i].Idlings++
		list[i].IdleNS += max(0, end-nanoseconds(since, hz))
	}
	return list, goPolicy, nil
}

// nanoseconds returns a number of ticks in ns; where the rate of the clock is not known, a tick
// counts as one, as in the export.
func nanoseconds(ticks uint64, hz float64) int64 {
	if hz == 0 {
		return int64(ticks)
	}
	return int64(float64(ticks) / hz * 1e9)
}

// A traced is the table of workers of one traced repetition.
type traced struct {
	Title string
	Open  bool
	Path  string // of the trace, relative to the experiment
	Table *doc.Table
	Error string // why the trace cannot be read
}

// tracedWorkers returns a table for each cell of the group that has a trace.
func tracedWorkers(e *dataset.Experiment, g *dataset.Group) (list []traced) {
	for _, c := range g.Cells {
		r := c.Result
		if r.Trace == nil || r.Trace.Path == "" || r.Settings.Trace == request.TraceKRD {
			continue // that mode keeps no trace
		}
		x := traced{Title: fmt.Sprintf("%s %s, seed %d", r.Scheduler, onCores(r.Cores), r.Seed),
			Path: filepath.Join(within(e, c.Dir), r.Trace.Path)}
		if !filepath.IsLocal(r.Trace.Path) {
			x.Error = fmt.Sprintf("its path %q leads out of the run directory", r.Trace.Path)
		} else if workers, goPolicy, err := activities(filepath.Join(c.Dir, r.Trace.Path),
			r.Trace.TimeNS); err != nil {
			x.Error = err.Error()
		} else {
			x.Table = workerTable(workers, r.Trace.TimeNS, goPolicy)
		}
		list = append(list, x)
	}
	return list
}

// within returns the path of a folder relative to the experiment's.
func within(e *dataset.Experiment, dir string) string {
	rel, err := filepath.Rel(e.Dir, dir)
	if err != nil {
		return dir
	}
	return rel
}

// workerTable has a row for each worker, or for each node where there are many, and the sum.
func workerTable(workers []activity, time result.Number, goPolicy bool) *doc.Table {
	first := "worker"
	if goPolicy { // records belong to CPUs
		first = "recorder"
	}
	times := func(head string) []doc.Column {
		return []doc.Column{{Head: head, Kind: doc.Real, Unit: doc.Nanoseconds},
			{Head: head + ", %", Kind: doc.Real, Unit: doc.Fraction}}
	}
	t := &doc.Table{Columns: slices.Concat([]doc.Column{{Head: first}, right("CPU"), right("node"),
		right("kernels")}, times("work"), times("idle"), []doc.Column{right("steals, local"),
		right("remote")}),
		Title: "From the trace: kernel executions and their time, time from the beginning of a " +
			"search for work to its end or that of the run, successful steals. Scheduling is the " +
			"rest of the time. `krdlab trace export --format perfetto` draws the same slices."}
	if time.Known() {
		t.Title = "The repetition took " + duration(time) + ". " + t.Title
	}
	line := func(first string, cpu, node any, a activity, workers int64) {
		row := []any{first, cpu, node, count(a.Kernels)}
		for _, ns := range []int64{a.WorkNS, a.IdleNS} {
			part := result.Number{}
			if time.Known() && time.Float() > 0 {
				part = result.Some(float64(ns) / (time.Float() * float64(workers)))
			}
			row = append(row, result.Some(float64(ns)), part)
		}
		t.Row(append(row, count(a.Local), count(a.Remote))...)
	}
	var all activity
	nodes, number := map[int]*activity{}, map[int]int64{}
	for i, a := range workers {
		all.add(a)
		if nodes[a.Node] == nil {
			nodes[a.Node] = &activity{}
		}
		nodes[a.Node].add(a)
		number[a.Node]++
		if len(workers) > maxWorkerRows {
			continue
		}
		var cpu any = "–"
		if a.CPU >= 0 {
			cpu = a.CPU
		}
		line(fmt.Sprint(i), cpu, a.Node, a, 1)
	}
	if len(workers) > maxWorkerRows {
		t.Columns[0].Head += "s"
		for _, n := range slices.Sorted(maps.Keys(nodes)) {
			line(count(number[n]), "–", n, *nodes[n], number[n])
		}
	}
	if len(workers) > 1 {
		line("all", "", "", all, int64(len(workers)))
		t.Foot = true
	}
	return t
}

func (a *activity) add(b activity) {
	a.Kernels += b.Kernels
	a.WorkNS += b.WorkNS
	a.IdleNS += b.IdleNS
	a.Local += b.Local
	a.Remote += b.Remote
}
