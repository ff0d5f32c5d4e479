package sweep

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/result"
	"krdlab/experiments/run/stats"
	"krdlab/kernels/kernel"
	"krdlab/krd"
	"krdlab/krd/doc"
)

// a column is one of the tidy table, and its value of a row; nil: not measured.
type column struct {
	doc.Column
	of func(r *dataset.Row) any
}

// NewTable makes the table of an experiment: a row for each repetition of each cell that can be
// used, in the order of the plan, of each cell's schedulers and of repetitions. Units stand in the
// keys; a value that was not measured is nil. A simulated experiment's depends on the plan and the
// program alone: neither times of day nor names of folders are in it.
func NewTable(e *dataset.Experiment) *doc.Table {
	params := paramKinds{}
	for _, c := range e.Cells {
		params.learn(c.Result.Params)
	}
	list := columns(params)
	t := tableOf(list)
	for _, r := range e.Rows() {
		t.Rows = append(t.Rows, rowOf(list, &r))
	}
	return t
}

func tableOf(list []column) *doc.Table {
	t := &doc.Table{Name: "repetition"}
	for _, c := range list {
		t.Columns = append(t.Columns, c.Column)
	}
	return t
}

func rowOf(list []column, r *dataset.Row) []any {
	row := make([]any, len(list))
	for i, c := range list {
		row[i] = c.of(r)
	}
	return row
}

func columns(params paramKinds) []column {
	list := []column{
		text("cell", "name of the cell's folder", func(r *dataset.Row) string { return r.Cell.ID }),
		text("kernel", "", func(r *dataset.Row) string { return r.Cell.Result.Kernel }),
	}
	list = append(list, paramColumns(params)...)
	list = append(list,
		text("scheduler", "", func(r *dataset.Row) string { return r.Cell.Result.Scheduler }),
		whole("cores", "workers, one for each core",
			func(r *dataset.Row) any { return int64(r.Cell.Result.Cores) }),
		whole("nodes", "that the workers were on; not known under go",
			func(r *dataset.Row) any { return orNil(dataset.Nodes(r.Cell.Result)) }),
		text("seed", "a text, since numbers of 64 bits are too large for many readers",
			func(r *dataset.Row) string { return fmt.Sprint(r.Cell.Result.Seed) }),
		whole("repetition", "from 1", func(r *dataset.Row) any { return int64(r.Rep + 1) }),
		text("substrate", "native or simulated: never compare the two",
			func(r *dataset.Row) string { return r.Cell.Result.Substrate }),
		text("machine", "", func(r *dataset.Row) string { return r.Cell.Result.Machine.Name }),
		whole("machine_nodes", "last-level caches",
			func(r *dataset.Row) any { return orNil(r.Cell.Result.Machine.Nodes) }),
		whole("machine_cores_per_node", "",
			func(r *dataset.Row) any { return orNil(r.Cell.Result.Machine.CoresPerNode) }),
		whole("machine_l2_bytes", "of a core",
			func(r *dataset.Row) any { return orNil(r.Cell.Result.Machine.L2Bytes) }),
		whole("machine_llc_bytes", "of a node",
			func(r *dataset.Row) any { return orNil(r.Cell.Result.Machine.LLCBytes) }),
		truth("machine_synthetic", "the map of workers to nodes was imposed",
			func(r *dataset.Row) any { return r.Cell.Result.Machine.Synthetic }),
		text("machine_computer", "which of the computers of that name, as a digest; native only",
			func(r *dataset.Row) string { return r.Cell.Result.Machine.Computer }),
		text("machine_hash", "of the numbers of a simulated machine",
			func(r *dataset.Row) string {
				if m := r.Cell.Result.Machine.Model; m != nil {
					return m.Hash
				}
				return ""
			}),
		truth("deterministic", "nothing was drawn at random: one repetition stands for all",
			func(r *dataset.Row) any { return r.Cell.Result.Deterministic }),
		text("time_source", "tsc, monotonic or virtual",
			func(r *dataset.Row) string { return r.Cell.Result.Machine.TimeSource }),
		text("cache_model", "of a simulated machine",
			func(r *dataset.Row) string { return r.Cell.Result.Settings.Modelled() }),
		text("trace_mode", "", func(r *dataset.Row) string {
			return string(
				r.Cell.Result.Settings.Trace)
		}),
		text("trace_grain", "kernel or task: times of the two are never compared",
			func(r *dataset.Row) string { return string(r.Cell.Result.Settings.Grain) }),
		integral(stats.Time.Key, stats.Time.Doc, stats.Time.Each),
		integral("work_ns", "kernel execution times of all workers",
			func(r *dataset.Row) result.Number { return r.WorkNS }),
		integral("serial_time_ns", "of the serial repetition beside this one",
			func(r *dataset.Row) result.Number { return r.SerialTimeNS }),
		integral("serial_work_ns", "",
			func(r *dataset.Row) result.Number { return r.SerialWorkNS }),
		measured(stats.Speedup),
		measured(stats.OVR),
		measured(stats.WTI),
		measured(stats.KernelTime),
	)
	list = append(list, workerColumns()...)
	list = append(list,
		measured(stats.Misses),
		text("llc_source", "perf_event or model: never compare the two; nothing where misses "+
			"were not counted", func(r *dataset.Row) string { return r.LLCSource }),
		text("miss_source", "llc_source with the kind of model",
			func(r *dataset.Row) string { return r.MissSource }),
	)
	list = append(list, krdColumns()...)
	for _, m := range stats.ByWork {
		list = append(list, measured(m))
	}
	return list
}

// paramKinds has the parameters of kernels, and of each whether all its values are whole numbers.
type paramKinds map[string]bool

func (k paramKinds) learn(p kernel.Params) {
	for name, v := range p {
		_, isInt := v.(int)
		before, known := k[name]
		k[name] = isInt && (before || !known)
	}
}

// paramColumns returns the parameters of the kernels, each once, sorted.
func paramColumns(params paramKinds) []column {
	var list []column
	for _, name := range slices.Sorted(maps.Keys(params)) {
		of := func(r *dataset.Row) any { return r.Cell.Result.Params[name] }
		column := "param_" + strings.ReplaceAll(name, "-", "_")
		if !params[name] {
			list = append(list, text(column, "", func(r *dataset.Row) string {
				if v := of(r); v != nil {
					return fmt.Sprint(v)
				}
				return ""
			}))
			continue
		}
		list = append(list, whole(column, "", func(r *dataset.Row) any {
			if n, ok := of(r).(int); ok {
				return int64(n)
			}
			return nil
		}))
	}
	return list
}

// workerColumns returns sums over the workers of a repetition.
func workerColumns() []column {
	sum := func(key, about string, of func(w *result.Worker) *int64) column {
		return whole(key, about, func(r *dataset.Row) any {
			if n := stats.Workers(repetition(r), of); n != nil {
				return *n
			}
			return nil
		})
	}
	count := func(key, about string, of func(p *result.Repetition) *int64) column {
		return whole(key, about, func(r *dataset.Row) any {
			if n := of(repetition(r)); n != nil {
				return *n
			}
			return nil
		})
	}
	return []column{
		sum("sched_ns", "of all workers; work + sched + idle = cores x time",
			func(w *result.Worker) *int64 { return w.SchedNS }),
		sum("idle_ns", "of all workers", func(w *result.Worker) *int64 { return w.IdleNS }),
		count("tasks", "", func(p *result.Repetition) *int64 { return p.Tasks }),
		count("kernels", "kernel executions",
			func(p *result.Repetition) *int64 { return p.Kernels }),
		sum("spawns", "", func(w *result.Worker) *int64 { return w.Spawns }),
		sum("steals_local", "from a worker of the same node",
			func(w *result.Worker) *int64 { return w.StealsLocal }),
		sum("steals_remote", "from another node",
			func(w *result.Worker) *int64 { return w.StealsRemote }),
		sum("steals_failed", "attempts at either that got nothing",
			func(w *result.Worker) *int64 { return w.StealsFailed }),
		count("page_faults", "",
			func(p *result.Repetition) *int64 { return p.Counters.PageFaults.Value }),
		count("involuntary_switches", "workers that lost their CPU",
			func(p *result.Repetition) *int64 { return p.Counters.InvoluntarySwitches.Value }),
		text("flags", "what makes this repetition doubtful",
			func(r *dataset.Row) string { return strings.Join(repetition(r).Flags, "; ") }),
	}
}

func repetition(r *dataset.Row) *result.Repetition { return &r.Cell.Result.Repetitions[r.Rep] }

// krdColumns returns the KRD of a repetition that was traced.
func krdColumns() []column {
	from := func(in func(*dataset.Row) *krd.Histogram, key, about string,
		of func(h *krd.Histogram) *uint64) column {
		return whole(key, about, func(r *dataset.Row) any {
			if h := in(r); h != nil {
				if n := of(h); n != nil {
					return int64(*n)
				}
			}
			return nil
		})
	}
	count := func(key, about string, of func(h *krd.Histogram) *uint64) column {
		return from(func(r *dataset.Row) *krd.Histogram { return r.KRD }, key, about, of)
	}
	return []column{
		count("krd_accesses", "", func(h *krd.Histogram) *uint64 { return &h.Accesses }),
		count("krd_cold", "first accesses of the node; with krd_invalidated those of distance INF",
			func(h *krd.Histogram) *uint64 { return &h.Cold }),
		count("krd_close", "distance + size within an L2",
			func(h *krd.Histogram) *uint64 { return h.Close }),
		count("krd_near", "within an LLC", func(h *krd.Histogram) *uint64 { return h.Near }),
		count("krd_far", "finite, distance + size beyond an LLC",
			func(h *krd.Histogram) *uint64 { return h.Far }),
		count("krd_shared", "reuses between cores of a node",
			func(h *krd.Histogram) *uint64 { return h.Shared }),
		renamed("krd_from_32mib_share", stats.FinitePaper),
		renamed("krd_from_32mib_or_cold_share", stats.BeyondPaper),
		count("krd_invalidated", "lost to a write on another node, where coherence was asked for",
			func(h *krd.Histogram) *uint64 { return h.Invalidated }),
		from(func(r *dataset.Row) *krd.Histogram { return repetition(r).KRDCores },
			"krd_core_close", "distance + size within the L2 of the core, among its own accesses",
			func(h *krd.Histogram) *uint64 { return h.Close }),
	}
}

func text(key, about string, of func(r *dataset.Row) string) column {
	return column{doc.Column{Key: key, Doc: about}, func(r *dataset.Row) any {
		if s := of(r); s != "" {
			return s
		}
		return nil
	}}
}

func whole(key, about string, of func(r *dataset.Row) any) column {
	return column{doc.Column{Key: key, Kind: doc.Whole, Doc: about}, of}
}

func truth(key, about string, of func(r *dataset.Row) any) column {
	return column{doc.Column{Key: key, Kind: doc.Truth, Doc: about}, of}
}

// measured returns the column of a measure.
func measured(m stats.Measure) column {
	return column{m.Column(doc.Hidden), func(r *dataset.Row) any { return m.Each(r) }}
}

// renamed returns the column of a measure that this table has under another key.
func renamed(key string, m stats.Measure) column {
	c := measured(m)
	c.Key = key
	return c
}

// integral returns a number that has no fraction.
func integral(key, about string, of func(r *dataset.Row) result.Number) column {
	return whole(key, about, func(r *dataset.Row) any {
		if n := of(r); n.Known() {
			return int64(n.Float())
		}
		return nil
	})
}

// orNil returns n, or nil for 0, which in a machine means that the system does not report it.
func orNil[T ~int | ~int64](n T) any {
	if n <= 0 {
		return nil
	}
	return int64(n)
}
