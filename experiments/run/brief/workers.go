package brief

import (
	"fmt"
	"slices"

	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/krd/doc"
)

// maxWorkerRows is the number of workers beyond which the table has a row for each node instead.
const maxWorkerRows = 48

// sumWorkers returns the sum of f over the workers, unknown if any is or there are none.
func sumWorkers(workers []result.Worker, f func(*result.Worker) *int64) result.Number {
	if len(workers) == 0 {
		return result.Number{}
	}
	sum := 0.0
	for i := range workers {
		sum += result.SomeInt(f(&workers[i])).Float()
	}
	return result.Some(sum)
}

// workerColumns are the columns of times and of counts of the per-worker table.
var workerColumns = []struct {
	head string
	time bool
	get  func(*result.Worker) *int64
}{
	{"work", true, func(w *result.Worker) *int64 { return w.WorkNS }},
	{"scheduling", true, func(w *result.Worker) *int64 { return w.SchedNS }},
	{"idle", true, func(w *result.Worker) *int64 { return w.IdleNS }},
	{"spawns", false, func(w *result.Worker) *int64 { return w.Spawns }},
	{"tasks", false, func(w *result.Worker) *int64 { return w.Tasks }},
	{"steals\nlocal", false, func(w *result.Worker) *int64 { return w.StealsLocal }},
	{"\nremote", false, func(w *result.Worker) *int64 { return w.StealsRemote }},
	{"\nfailed", false, func(w *result.Worker) *int64 { return w.StealsFailed }},
}

// workerTable writes what each worker did in the repetition of median time, or each node where
// there are many, and all together, where something is known of workers.
func workerTable(p *doc.Page, r *result.Result) {
	rep := result.MedianRepetition(r.Repetitions)
	if rep == nil || len(rep.Workers) == 0 {
		return
	}
	// so that 1 % of the time has a digit before the point
	unit, size := doc.TimeUnit(float64(rep.TimeNS) / 100)
	header := []string{"worker", "cpu", "node"}
	type group struct {
		name, cpu, node string
		of              []result.Worker
	}
	var groups []group
	if len(rep.Workers) <= maxWorkerRows {
		for i, w := range rep.Workers {
			cpu := "-"
			if w.CPU >= 0 {
				cpu = fmt.Sprint(w.CPU)
			}
			groups = append(groups, group{fmt.Sprint(i), cpu, fmt.Sprint(w.Node), rep.Workers[i : i+1]})
		}
	} else {
		header[0] = "workers"
		for node, workers := range byNode(rep.Workers) {
			groups = append(groups, group{fmt.Sprint(len(workers)), "-", fmt.Sprint(node), workers})
		}
	}
	if len(rep.Workers) > 1 {
		groups = append(groups, group{"all", "", "", rep.Workers})
	}
	t := doc.NewTable(1, header[:3]...)
	t.Keys, t.Foot = 3, len(rep.Workers) > 1
	for _, c := range workerColumns {
		if c.time {
			t.Columns = append(t.Columns, doc.Column{Head: c.head + "\n%", Kind: doc.Real,
				Unit: doc.Fraction}, doc.Column{Head: "\n" + unit, Kind: doc.Real})
		} else {
			t.Columns = append(t.Columns, counted(c.head))
		}
	}
	for _, g := range groups {
		row := []any{g.name, g.cpu, g.node}
		for _, c := range workerColumns {
			switch n := sumWorkers(g.of, c.get); {
			case !n.Known():
				why := doc.Missing(whyNoWorkerData(r, c.time))
				if row = append(row, why); c.time {
					row = append(row, nil)
				}
			case c.time:
				row = append(row, result.Some(n.Float()/(float64(rep.TimeNS)*float64(len(g.of)))),
					result.Some(n.Float()/size))
			default:
				row = append(row, n)
			}
		}
		t.Row(row...)
	}
	p.Line("")
	p.Line("workers under %s", r.Scheduler)
	p.Table(t)
}

// byNode yields the workers of each node, by node number.
func byNode(workers []result.Worker) func(func(int, []result.Worker) bool) {
	groups := map[int][]result.Worker{}
	var nodes []int
	for _, w := range workers {
		if groups[w.Node] == nil {
			nodes = append(nodes, w.Node)
		}
		groups[w.Node] = append(groups[w.Node], w)
	}
	slices.Sort(nodes)
	return func(yield func(int, []result.Worker) bool) {
		for _, n := range nodes {
			if !yield(n, groups[n]) {
				return
			}
		}
	}
}

func whyNoWorkerData(r *result.Result, time bool) string {
	if time && r.Settings.Trace == request.TraceOff {
		return "work is not measured with --trace off"
	}
	return "scheduler " + r.Scheduler + " does not tell this of its workers"
}
