package experiments

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
)

// maxWorkerRows is the number of workers beyond which the table has a row for each node instead.
const maxWorkerRows = 48

// medianRepetition returns the repetition of median time, the faster of the middle two of an even number; nil if there is none.
func medianRepetition(reps []Repetition) *Repetition {
	if len(reps) == 0 {
		return nil
	}
	order := make([]*Repetition, len(reps))
	for i := range reps {
		order[i] = &reps[i]
	}
	slices.SortStableFunc(order, func(a, b *Repetition) int { return cmp.Compare(a.TimeNS, b.TimeNS) })
	return order[(len(order)-1)/2]
}

// sumWorkers returns the sum of f over the workers, unknown if any is or there are none.
func sumWorkers(workers []Worker, f func(*Worker) *int64) Number {
	if len(workers) == 0 {
		return Number{}
	}
	sum := 0.0
	for i := range workers {
		sum += SomeInt(f(&workers[i])).Float()
	}
	return Some(sum)
}

// workerColumns are the columns of times and of counts of the per-worker table.
var workerColumns = []struct {
	head string
	time bool
	get  func(*Worker) *int64
}{
	{"work", true, func(w *Worker) *int64 { return w.WorkNS }},
	{"scheduling", true, func(w *Worker) *int64 { return w.SchedNS }},
	{"idle", true, func(w *Worker) *int64 { return w.IdleNS }},
	{"spawns", false, func(w *Worker) *int64 { return w.Spawns }},
	{"tasks", false, func(w *Worker) *int64 { return w.Tasks }},
	{"steals\nlocal", false, func(w *Worker) *int64 { return w.StealsLocal }},
	{"steals\nremote", false, func(w *Worker) *int64 { return w.StealsRemote }},
	{"steals\nfailed", false, func(w *Worker) *int64 { return w.StealsFailed }},
}

// workerTable returns what each worker did in the repetition of median time, or each node where there are many, and all together; ""
// where nothing is known of workers.
func workerTable(r *Result, missing *notes) string {
	rep := medianRepetition(r.Repetitions)
	if rep == nil || len(rep.Workers) == 0 {
		return ""
	}
	unit, size := timeUnit(float64(rep.TimeNS) / 100) // so that 1 % of the time has a digit before the point
	header := []any{"worker", "cpu", "node"}
	for _, c := range workerColumns {
		head := c.head
		if c.time {
			head += "\n%     " + unit
		}
		header = append(header, head)
	}
	t := newTable(1, header...)
	row := func(name, cpu, node string, workers []Worker) []any {
		cells := []any{name, cpu, node}
		for _, c := range workerColumns {
			n := sumWorkers(workers, c.get)
			switch {
			case !n.Known():
				cells = append(cells, missing.na(whyNoWorkerData(r, c.time)))
			case c.time:
				share := 100 * n.Float() / (float64(rep.TimeNS) * float64(len(workers)))
				cells = append(cells, fmt.Sprintf("%.1f%% %6s", share, inUnit(n.Float()/size)))
			default:
				cells = append(cells, formatCount(n))
			}
		}
		return cells
	}
	if len(rep.Workers) > maxWorkerRows {
		header[0] = "workers"
	}
	if len(rep.Workers) <= maxWorkerRows {
		for i, w := range rep.Workers {
			cpu := "-"
			if w.CPU >= 0 {
				cpu = fmt.Sprint(w.CPU)
			}
			t.AppendRow(row(fmt.Sprint(i), cpu, fmt.Sprint(w.Node), rep.Workers[i:i+1]))
		}
	} else {
		for node, workers := range byNode(rep.Workers) {
			t.AppendRow(row(fmt.Sprint(len(workers)), "-", fmt.Sprint(node), workers))
		}
	}
	if len(rep.Workers) > 1 {
		t.AppendFooter(row("all", "", "", rep.Workers))
	}
	return "workers under " + r.Scheduler + "\n" + render(t)
}

// inUnit prints v with one decimal, without where there are four digits before it.
func inUnit(v float64) string {
	if v < 999.95 {
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 0, 64)
}

// byNode yields the workers of each node, by node number.
func byNode(workers []Worker) func(func(int, []Worker) bool) {
	groups := map[int][]Worker{}
	var nodes []int
	for _, w := range workers {
		if groups[w.Node] == nil {
			nodes = append(nodes, w.Node)
		}
		groups[w.Node] = append(groups[w.Node], w)
	}
	slices.Sort(nodes)
	return func(yield func(int, []Worker) bool) {
		for _, n := range nodes {
			if !yield(n, groups[n]) {
				return
			}
		}
	}
}

func whyNoWorkerData(r *Result, time bool) string {
	if time && r.Settings.Trace == TraceOff {
		return "work is not measured with --trace off"
	}
	return "scheduler " + r.Scheduler + " does not tell this of its workers"
}
