package correlate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/experiments/run/stats"
	"krdlab/hw"
	"krdlab/kernels"
	"krdlab/krd"
	"krdlab/krd/doc"
	"krdlab/loi"
)

// A Family is the configurations that may be set against each other: one kernel, of any size, on
// one machine.
type Family struct {
	Kernel    string `json:"kernel"`
	Params    string `json:"params"` // without the size
	SizeParam string `json:"size_param"`
	Substrate string `json:"substrate"` // "native" or "simulated"
	Machine   string `json:"machine"`
	Settings  string `json:"settings"` // that tell families apart: cache model, grain, placement
	// L2Bytes and LLCBytes are the machine's, 0 where it does not tell.
	L2Bytes  hw.Size `json:"l2_bytes"`
	LLCBytes hw.Size `json:"llc_bytes"`

	Points         []stats.Point   `json:"points"`
	Configurations []Configuration `json:"configurations"`
	Answers        []Answer        `json:"answers"`
	Scopes         []Scope         `json:"scopes"`
	doc.Concluded                  // what limits the coefficients
	WarningCodes   []doc.Finding   `json:"warning_codes"` // the findings
}

// A Configuration is a scheduler at a core count and a size: medians over the repetitions of all
// its seeds.
type Configuration struct {
	Size      string   `json:"size"` // value of SizeParam, "" where the kernel has none
	Scheduler string   `json:"scheduler"`
	Cores     int      `json:"cores"`
	Seeds     []uint64 `json:"seeds"`
	Cells     []string `json:"cells"` // IDs

	TimeNS           result.Quantity `json:"time_ns"`
	Speedup          result.Quantity `json:"speedup"`
	OVR              result.Quantity `json:"ovr"`
	WTI              result.Quantity `json:"wti"`
	KernelNS         result.Quantity `json:"kernel_ns"`
	LLCMissesPerCore result.Quantity `json:"llc_misses_per_core"`
	// "perf_event", "model"; null: no misses, or from several sources
	LLCSource *string `json:"llc_source"`
	// MissSource records which model too, as [result.Result.MissesFrom] does.
	MissSource *string `json:"miss_source"`
	// ByConstruction records that the misses were computed from the trace of the KRD, by a stack
	// like the KRD's ([result.Result.MissesByConstruction]).
	ByConstruction bool `json:"misses_by_construction"`
	// MissExcess is by how much the misses of traced repetitions exceed the lines that KRD finds
	// far or cold, as a part of these; below 0 where they are fewer.
	MissExcess result.Quantity `json:"llc_misses_excess"`
	// Deterministic records that nothing was drawn, so that one repetition stands for all.
	Deterministic bool `json:"deterministic"`
	// Disturbed records that other programs disturbed a result, which was asked for all the same.
	Disturbed bool `json:"disturbed,omitempty"`
	// LLCMissesPerAccess are the misses of all cores by the accesses of kernels to blocks (many
	// lines each).
	LLCMissesPerAccess result.Quantity `json:"llc_misses_per_access"`
	// Shares are those of the accesses at Family.Points. Their n is the number of repetitions that
	// were traced.
	Shares []result.Quantity `json:"krd_shares"`

	pooled *dataset.Pooled
	hist   []*krd.Histogram
	size   float64 // for sorting, 0 where Size is no number
}

// families sorts the cells of an experiment.
func families(e *dataset.Experiment) []Family {
	var list []Family
	index := map[string]int{}
	type place struct {
		family          int
		size, scheduler string
		cores           int
	}
	cells := map[place][]*dataset.Cell{}
	var order []place
	for i := range e.Cells {
		c := &e.Cells[i]
		f, size := familyOf(c)
		id := strings.Join([]string{f.Kernel, f.Params, f.Substrate, f.Machine, f.Settings}, "\x00")
		n, ok := index[id]
		if !ok {
			n = len(list)
			index[id], list = n, append(list, f)
		}
		p := place{n, size, c.Result.Scheduler, c.Result.Cores}
		if cells[p] == nil {
			order = append(order, p)
		}
		cells[p] = append(cells[p], c)
	}
	for _, p := range order {
		f := &list[p.family]
		f.Configurations = append(f.Configurations, configuration(p.size, cells[p]))
	}
	for i := range list {
		list[i].finish()
	}
	slices.SortStableFunc(list, func(a, b Family) int {
		return cmp.Or(cmp.Compare(a.Kernel, b.Kernel), cmp.Compare(a.Substrate, b.Substrate),
			cmp.Compare(a.Machine, b.Machine),
			cmp.Compare(a.Params, b.Params), cmp.Compare(a.Settings, b.Settings))
	})
	return list
}

// familyOf returns the family of a cell and its size.
func familyOf(c *dataset.Cell) (f Family, size string) {
	r := c.Result
	key := dataset.KeyOf(c)
	f = Family{Kernel: key.Kernel, Substrate: key.Substrate, Machine: key.Machine,
		Settings: key.Settings,
		L2Bytes:  r.Machine.L2Bytes, LLCBytes: r.Machine.LLCBytes}
	if k, ok := kernels.ByName(r.Kernel); ok {
		f.SizeParam = k.Size
	}
	var words []string
	for _, p := range dataset.Params(r) {
		if p.Key == f.SizeParam {
			size = p.Value
		} else {
			words = append(words, p.Key+"="+p.Value)
		}
	}
	f.Params = strings.Join(words, " ")
	add := func(s string) {
		f.Settings = strings.TrimPrefix(f.Settings+", "+s, ", ")
	}
	if s := r.Settings; f.Substrate == loi.Native {
		if s.Bind.Scatter || s.Bind.List != nil {
			add("bind " + s.Bind.String())
		}
		if s.NUMA != "" && s.NUMA != request.NUMANode0 {
			add("memory " + string(s.NUMA))
		}
		if s.SMT {
			add("SMT")
		}
	}
	return f, size
}

// configuration pools the cells of one.
func configuration(size string, cells []*dataset.Cell) Configuration {
	slices.SortStableFunc(cells, func(a, b *dataset.Cell) int {
		return cmp.Compare(a.Result.Seed,
			b.Result.Seed)
	})
	first := cells[0].Result
	c := Configuration{Size: size, Scheduler: first.Scheduler, Cores: first.Cores,
		Seeds: []uint64{}}
	fmt.Sscan(size, &c.size)
	c.pooled = dataset.Pool(cells)
	for _, cell := range cells {
		if !slices.Contains(c.Seeds, cell.Result.Seed) {
			c.Seeds = append(c.Seeds, cell.Result.Seed)
		}
		if !slices.Contains(c.Cells, cell.ID) {
			c.Cells = append(c.Cells, cell.ID)
		}
		c.Disturbed = c.Disturbed || cell.Result.Disturbed()
	}
	r := c.pooled.Result
	s := &r.Summary
	c.Deterministic, c.hist = r.Deterministic, r.Histograms()
	c.TimeNS, c.Speedup, c.OVR, c.WTI, c.KernelNS = s.TimeNS, s.Speedup, s.OVR, s.WTI, s.KernelNS
	if c.LLCMissesPerCore = stats.Misses.Of(r); r.LLCSource != nil &&
		c.LLCMissesPerCore.Median.Known() {
		from := r.MissesFrom()
		c.LLCSource, c.MissSource, c.ByConstruction = r.LLCSource, &from, r.MissesByConstruction()
		var excess []float64
		for _, cell := range cells {
			excess = append(excess, excesses(cell.Result)...)
		}
		c.MissExcess = r.Quantity(excess)
	}
	if a := c.accesses(); a.Known() {
		scale := float64(c.Cores) / a.Float()
		c.LLCMissesPerAccess = scaled(c.LLCMissesPerCore, scale)
	}
	return c
}

// excesses returns [Configuration.MissExcess] of each repetition of r whose trace and misses are
// both known.
func excesses(r *result.Result) (list []float64) {
	add := func(h *krd.Histogram, misses float64) {
		if h == nil || h.BeyondBytes == nil || *h.BeyondBytes == 0 || r.Machine.LineBytes == 0 {
			return
		}
		lines := float64(*h.BeyondBytes) / float64(r.Machine.LineBytes)
		list = append(list, misses/lines-1)
	}
	for i := range r.Repetitions {
		if p := &r.Repetitions[i]; p.LLCMissesPerCore.Known() {
			add(p.KRD, p.LLCMissesPerCore.Float()*float64(r.Cores))
		}
	}
	if list != nil || r.KRD == nil || r.LLCModel == nil {
		return list
	}
	switch {
	case len(r.LLCModel.Traced) > 0:
		add(&r.KRD.Histogram, float64(r.LLCModel.Traced[0].Total))
	case !r.LLCModel.Replayed && len(r.Repetitions) > 0 && r.Repetitions[0].LLCModel != nil:
		add(&r.KRD.Histogram, float64(r.Repetitions[0].LLCModel.Total)) // the first is traced
	}
	return list
}

// accesses returns how many accesses a repetition has, the median where they differ.
func (c *Configuration) accesses() result.Number {
	var v []float64
	for _, h := range c.hist {
		v = append(v, float64(h.AccessCount))
	}
	return result.QuantityOf(v).Median
}

func scaled(q result.Quantity, by float64) result.Quantity {
	for _, n := range []*result.Number{&q.Median, &q.Low, &q.High} {
		*n = result.Some(n.Float() * by)
	}
	return q
}

// finish sorts the configurations and takes the shares of their histograms.
func (f *Family) finish() {
	ranks := request.SchedulerNames()
	rank := func(s string) int {
		if i := slices.Index(ranks, s); i >= 0 {
			return i
		}
		return len(ranks)
	}
	slices.SortStableFunc(f.Configurations, func(a, b Configuration) int {
		return cmp.Or(cmp.Compare(a.size, b.size), cmp.Compare(a.Size, b.Size),
			cmp.Compare(a.Cores, b.Cores),
			cmp.Compare(rank(a.Scheduler), rank(b.Scheduler)), cmp.Compare(a.Scheduler,
				b.Scheduler))
	})
	var highest uint64
	for i := range f.Configurations {
		for _, h := range f.Configurations[i].hist {
			highest = max(highest, top(h))
		}
	}
	f.Points = pointsOf(f.L2Bytes, highest)
	for i := range f.Configurations {
		c := &f.Configurations[i]
		for _, p := range f.Points {
			c.Shares = append(c.Shares, c.pooled.Result.Quantity(p.Values(c.pooled.Result)))
		}
	}
}

// distinct returns the values of f in the order of the configurations, each once.
func distinct[T comparable](list []Configuration, f func(*Configuration) T) []T {
	var out []T
	for i := range list {
		if v := f(&list[i]); !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}

// String names the family for a person. A size that all have is named too; of several, tables have
// a column.
func (f *Family) String() string {
	params := f.Params
	if sizes := distinct(f.Configurations, func(c *Configuration) string { return c.Size }); len(
		sizes) == 1 && sizes[0] != "" {
		params = strings.TrimSpace(f.SizeParam + "=" + sizes[0] + " " + params)
	}
	key := dataset.Key{Kernel: f.Kernel, Params: params, Substrate: f.Substrate, Machine: f.Machine,
		Settings: f.Settings}
	return strings.Replace(key.String(), " , ", ", ", 1)
}
