package show

import (
	"fmt"
	"slices"
	"strconv"

	"krdlab/experiments/request"
	"krdlab/experiments/result"
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
	{"steals\nremote", false, func(w *result.Worker) *int64 { return w.StealsRemote }},
	{"steals\nfailed", false, func(w *result.Worker) *int64 { return w.StealsFailed }},
}

// workerTable returns what each worker did in the repetition of median time, or each node where
// there are many, and all together; "" where nothing is known of workers.
func workerTable(r *result.Result, missing *notes) string {
	rep := result.MedianRepetition(r.Repetitions)
	if rep == nil || len(rep.Workers) == 0 {
		return ""
	}
	// so that 1 % of the time has a digit before the point
	unit, size := TimeUnit(float64(rep.TimeNS) / 100)
	header := []any{"worker", "cpu", "node"}
	for _, c := range workerColumns {
		head := c.head
		if c.time {
			head += "\n%     " + unit
		}
		header = append(header, head)
	}
	t := NewTable(1, header...)
	row := func(name, cpu, node string, workers []result.Worker) []any {
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
				cells = append(cells, Count(n))
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
	return "workers under " + r.Scheduler + "\n" + Render(t)
}

// inUnit prints v with one decimal, without where there are four digits before it.
func inUnit(v float64) string {
	if v < 999.95 {
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 0, 64)
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
