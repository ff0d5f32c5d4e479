package report

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"krdlab/experiments/dataset"
	"krdlab/experiments/request"
	"krdlab/experiments/result"
	"krdlab/experiments/show"
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
	Table table
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
func workerTable(workers []activity, time result.Number, goPolicy bool) table {
	first := "worker"
	if goPolicy { // records belong to CPUs
		first = "recorder"
	}
	t := table{Head: []column{{Text: first, Name: true}, {Text: "CPU"}, {Text: "node"},
		{Text: "kernels"}, {Text: "work"}, {Text: "idle"}, {Text: "steals, local"},
		{Text: "remote"}},
		Caption: "From the trace: kernel executions and their time, time from the beginning of a " +
			"search for work to its end or that of the run, successful steals. " +
			"Scheduling is the rest of the time. `krdlab trace export --format perfetto` draws " +
			"the same slices."}
	if time.Known() {
		t.Caption = "The repetition took " + duration(time) + ". " + t.Caption
	}
	line := func(first, cpu, node string, a activity, workers int64) row {
		share := func(ns int64) cell {
			c := name(duration(result.Some(float64(ns))))
			if time.Known() && time.Float() > 0 {
				c.Interval = show.Digits(100*float64(ns)/(time.Float()*float64(workers)), 3) + " %"
			}
			return c
		}
		return row{Cells: []cell{header(first), name(cpu), name(node), name(count(a.Kernels)),
			share(a.WorkNS), share(a.IdleNS),
			name(count(a.Local)), name(count(a.Remote))}}
	}
	var all activity
	var b block
	for i, a := range workers {
		all.add(a)
		cpu := "–"
		if a.CPU >= 0 {
			cpu = fmt.Sprint(a.CPU)
		}
		b.Rows = append(b.Rows, line(fmt.Sprint(i), cpu, fmt.Sprint(a.Node), a, 1))
	}
	if len(workers) > maxWorkerRows {
		t.Head[0].Text += "s"
		b.Rows = byNode(workers, line)
	}
	t.Blocks = []block{b}
	if len(workers) > 1 {
		sum := line("all", "", "", all, int64(len(workers)))
		sum.Sum = true
		t.Blocks = append(t.Blocks, block{[]row{sum}})
	}
	return t
}

// byNode has a row for each node, in the order of their numbers.
func byNode(workers []activity, line func(first, cpu, node string, a activity,
	workers int64) row) (rows []row) {
	sums, number := map[int]*activity{}, map[int]int64{}
	for _, a := range workers {
		if sums[a.Node] == nil {
			sums[a.Node] = &activity{}
		}
		sums[a.Node].add(a)
		number[a.Node]++
	}
	for _, n := range slices.Sorted(maps.Keys(sums)) {
		rows = append(rows, line(count(number[n]), "–", fmt.Sprint(n), *sums[n], number[n]))
	}
	return rows
}

func (a *activity) add(b activity) {
	a.Kernels += b.Kernels
	a.WorkNS += b.WorkNS
	a.IdleNS += b.IdleNS
	a.Local += b.Local
	a.Remote += b.Remote
}
