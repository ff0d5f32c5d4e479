package model

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"krdlab/experiments/read/model/regress"
	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/result"
	"krdlab/experiments/run/stats"
	"krdlab/hw/failure"
	"krdlab/hw/machine"
	"krdlab/hw/units"
	"krdlab/loi"
	"krdlab/runtimes"
)

// An Origin is the experiments that a table was made of.
type Origin struct {
	Substrate string `json:"substrate"`
	Machine   string `json:"machine"`
	Settings  string `json:"settings"`
	// Implied is the cost of a line by the file of the machine; null natively.
	Implied *Implied `json:"implied"`
}

// Implied is the time of a line beyond the L2, and the further time of one beyond the LLC, by the
// file of a machine, in ns: in short rows, where latencies are waited for as many at a time as
// overlap, and in streams, at a core's bandwidth with nobody else.
type Implied struct {
	RowL2     float64 `json:"row_l2"`
	RowLLC    float64 `json:"row_llc_local"`
	RowRemote float64 `json:"row_llc_remote"` // the farthest memory
	StreamL2  float64 `json:"stream_l2"`
	StreamLLC float64 `json:"stream_llc_local"`
}

func implied(m *machine.Machine) *Implied {
	if m == nil {
		return nil
	}
	overlap := float64(m.Memory.OverlapMisses) * 1000 // ps to ns
	far := m.Memory.LocalPS
	for _, row := range m.Memory.RemotePS {
		far = max(far, slices.Max(row))
	}
	stream := func(bytesPerSecond uint64) float64 {
		return float64(m.LLC.LineBytes) / float64(bytesPerSecond) * 1e9
	}
	return &Implied{
		RowL2:     float64(m.LLC.LatencyPS-m.L2.LatencyPS) / overlap,
		RowLLC:    float64(m.Memory.LocalPS-m.LLC.LatencyPS) / overlap,
		RowRemote: float64(far-m.LLC.LatencyPS) / overlap,
		StreamL2:  stream(m.LLC.BytesPerSecond) - stream(m.L2.BytesPerSecond),
		StreamLLC: stream(m.Memory.CoreBytesPerSecond) - stream(m.LLC.BytesPerSecond),
	}
}

// Columns of experiments that name a row.
const (
	kernelColumn    = "kernel"
	paramsColumn    = "params"
	schedulerColumn = "scheduler"
	coresColumn     = "cores"
	missesColumn    = "miss_source"
	// Groups: a kernel with its parameters, the same on a number of cores, and a row.
	sizeGroup    = "size"
	settingGroup = "setting"
	cellGroup    = "configuration"
)

// OfExperiments makes the table of cells that may be pooled: a row for each configuration (kernel,
// parameters, scheduler, cores), of medians over its repetitions and seeds as all commands print
// them, or one for each repetition. Its columns are those of [stats.Catalogue] and what names a
// row; its groups scheduler (twins are one), kernel, size (kernel and parameters), setting (these
// and cores) and configuration. Where cells are of several places, which never may be pooled, place
// picks one by its name or a part of that; without it the place of most cells is taken, and a
// warning names the others. Errors: no cells; several places with the part, or as many cells.
func OfExperiments(list []*dataset.Experiment, repetitions bool, place string) (*Table, error) {
	places := gather(list, place)
	if i := slices.IndexFunc(places, func(p cellPlace) bool { return placeName(p.key) == place }); i >= 0 {
		places = places[i : i+1]
	}
	var names []string
	for _, e := range list {
		names = append(names, e.Name)
	}
	name := strings.Join(names, ", ")
	if len(places) == 0 {
		return nil, failure.Errorf(failure.Data, "%s: no cell with results%s", name, ofPlace(place))
	}
	slices.SortStableFunc(places, func(a, b cellPlace) int { return len(b.cells) - len(a.cells) })
	var words []string
	for _, p := range places {
		words = append(words, fmt.Sprintf("%q (%s)", placeName(p.key),
			units.Count(len(p.cells), "cell")))
	}
	if len(places) > 1 && (place != "" || len(places[0].cells) == len(places[1].cells)) {
		return nil, failure.Errorf(failure.Request, "%s: cells of %d places, which are never put "+
			"together: %s; add --place with one of these names, or a part that only one has", name,
			len(places), strings.Join(words, ", "))
	}
	t := places[0].table(list, repetitions)
	if len(places) > 1 {
		t.Find(severalPlaces, len(places), words[0], strings.Join(words[1:], ", "))
	}
	return t, nil
}

// Places makes a table of each place of an experiment, by configurations.
func Places(e *dataset.Experiment) (tables []*Table) {
	list := []*dataset.Experiment{e}
	for _, p := range gather(list, "") {
		tables = append(tables, p.table(list, false))
	}
	return tables
}

// A cellPlace is cells that may be pooled.
type cellPlace struct {
	key   dataset.Key // without kernel and parameters
	of    *dataset.Experiment
	cells []*dataset.Cell
}

// gather sorts cells by places whose name has a part.
func gather(list []*dataset.Experiment, part string) (places []cellPlace) {
	index := map[dataset.Key]int{}
	for _, e := range list {
		for i := range e.Cells {
			c := &e.Cells[i]
			key := dataset.KeyOf(c)
			key.Kernel, key.Params = "", ""
			if !strings.Contains(placeName(key), part) {
				continue
			}
			n, ok := index[key]
			if !ok {
				n = len(places)
				index[key] = n
				places = append(places, cellPlace{key: key, of: e})
			}
			places[n].cells = append(places[n].cells, c)
		}
	}
	return places
}

// table makes the table of the cells of p; list are all experiments.
func (p *cellPlace) table(list []*dataset.Experiment, repetitions bool) *Table {
	t := &Table{Frame: &regress.Frame{}, Groups: map[string][]string{}, Block: settingGroup}
	var names []string
	for _, e := range list {
		names = append(names, e.Name)
		t.Conclude(e.Doubts(e.Name)...)
	}
	t.Name = strings.Join(names, ", ")
	t.Experiment = &Origin{p.key.Substrate, p.key.Machine, p.key.Settings,
		implied(p.of.MachineOf(p.cells[0].Result))}
	t.fill(p.cells, repetitions)
	return t
}

func ofPlace(place string) string {
	if place == "" {
		return ""
	}
	return fmt.Sprintf(" whose place has %q in its name", place)
}

func placeName(k dataset.Key) string {
	return strings.TrimSuffix(k.Substrate+" on "+k.Machine+", "+k.Settings, ", ")
}

// fill adds the rows of cells.
func (t *Table) fill(cells []*dataset.Cell, repetitions bool) {
	type configuration struct {
		kernel, params, scheduler string
		cores                     int
	}
	index := map[configuration][]*dataset.Cell{}
	var order []configuration
	for _, c := range cells {
		r := c.Result
		p := configuration{r.Kernel, dataset.ParamsText(r), r.Scheduler, r.Cores}
		if index[p] == nil {
			order = append(order, p)
		}
		index[p] = append(index[p], c)
	}
	words := []string{kernelColumn, paramsColumn, schedulerColumn, missesColumn}
	texts := map[string][]string{}
	numbers := map[string][]float64{}
	groups := []string{schedulerColumn, kernelColumn, sizeGroup, settingGroup, cellGroup}
	add := func(p configuration, r *result.Result, value func(m *stats.Measure) float64) {
		t.Frame.N++
		size := p.kernel + " " + p.params
		setting := fmt.Sprintf("%s, %d cores", size, p.cores)
		for k, v := range map[string]string{kernelColumn: p.kernel, paramsColumn: p.params,
			schedulerColumn: p.scheduler, missesColumn: r.MissesFrom()} {
			texts[k] = append(texts[k], v)
		}
		for k, v := range map[string]string{schedulerColumn: rooted(p.scheduler),
			kernelColumn: p.kernel, sizeGroup: size, settingGroup: setting,
			cellGroup: setting + ", " + p.scheduler} {
			t.Groups[k] = append(t.Groups[k], v)
		}
		nodes := math.NaN()
		if n := dataset.Nodes(r); n > 0 {
			nodes = float64(n)
		}
		numbers[coresColumn] = append(numbers[coresColumn], float64(p.cores))
		numbers["nodes"] = append(numbers["nodes"], nodes)
		for i := range stats.Catalogue {
			m := &stats.Catalogue[i]
			numbers[m.Key] = append(numbers[m.Key], value(m))
		}
	}
	for _, p := range order {
		pooled := dataset.Pool(index[p])
		if !repetitions {
			add(p, pooled.Result, func(m *stats.Measure) float64 {
				return m.Of(pooled.Result).Median.Float()
			})
			continue
		}
		for i := range pooled.Rows {
			add(p, pooled.Result, func(m *stats.Measure) float64 {
				return m.Each(&pooled.Rows[i]).Float()
			})
		}
	}
	for _, w := range words {
		t.Frame.Columns = append(t.Frame.Columns, regress.Column{Name: w, Texts: texts[w]})
	}
	for _, g := range groups[2:4] {
		t.Frame.Columns = append(t.Frame.Columns, regress.Column{Name: g, Texts: t.Groups[g]})
	}
	for _, n := range []string{coresColumn, "nodes"} {
		t.Frame.Columns = append(t.Frame.Columns, regress.Column{Name: n, Numbers: numbers[n]})
	}
	for i := range stats.Catalogue {
		k := stats.Catalogue[i].Key
		t.Frame.Columns = append(t.Frame.Columns, regress.Column{Name: k, Numbers: numbers[k]})
	}
	if repetitions && t.Frame.N > len(order) {
		t.Folds = cellGroup
	}
}

// rooted names a scheduler with its twins, and without its parameters: they do nearly the same, so
// that a fit to one has seen the others.
func rooted(name string) string {
	name, _, _ = strings.Cut(name, ":")
	if s, _ := runtimes.SchedulerByName(name); s.Twin != "" {
		return s.Twin
	}
	return name
}

// simulated reports whether times are those of a model.
func (t *Table) simulated() bool {
	return t.Experiment != nil && t.Experiment.Substrate == loi.Simulated
}

// String names the place.
func (o *Origin) String() string {
	return placeName(dataset.Key{Substrate: o.Substrate, Machine: o.Machine, Settings: o.Settings})
}
