// Package levels asks how well two shares of a run's accesses predict its work time inflation and
// its LLC misses under a scheduler that the prediction has not seen: those beyond the L2 of their
// core, from a stack of reuse distances for each core, and those beyond the LLC of their node, from
// one for each node, the KRD paper's (III). A node's stack cannot know what private L2s lose.
//
// A share of accesses costs more time where kernels access more data for their work. So WTI is also
// set against the lines beyond each level by the work of the serial run: their bytes, which are
// counted access by access, by the size of a line and that work, which no scheduler changes. Slopes
// are then ns a line, and are set beside what the file of a simulated machine implies. Where such a
// machine caches whole blocks, the lines beyond the LLC are its misses, and the fit is an identity
// of the model: [Group.Identical] counts them.
//
// The fit is a plain one, outcome = a + b x (beyond L2) + c x (beyond LLC), by ordinary least
// squares. It is validated by leaving one scheduler out, with those that do nearly the same
// (twins): fitted to the others, it predicts that one. Of several kernels it is also validated by
// leaving one of them out. The part of the variance that is predicted is set against the mean of
// the others, which is what one would say without a fit: 0 is no better, and below 0 worse.
//
// levels.go collects configurations; fit.go fits and validates; text.go prints, figure.go draws.
//
// Rejected: gonum's stat.LinearRegression and least squares by QR, whose sums are not the same on
// every computer; with two predictors the normal equations of centred data are three lines.
package levels

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"krdlab/experiments/dataset"
	"krdlab/experiments/request"
	"krdlab/experiments/result"
	"krdlab/hw"
	"krdlab/hw/failure"
	"krdlab/hw/machine"
	"krdlab/hw/units"
	"krdlab/krd"
)

// SchemaVersion is that of the JSON form of a [Report].
const SchemaVersion = 1

// A Report is the document of `krdlab correlate --levels --json`.
type Report struct {
	SchemaVersion int      `json:"schema_version"`
	Experiments   []string `json:"experiments"`
	Confidence    float64  `json:"confidence"`
	Resamples     int      `json:"bootstrap_resamples"`
	Seed          uint64   `json:"bootstrap_seed"`
	Excluded      []string `json:"excluded"` // schedulers
	Groups        []Group  `json:"groups"`
	Warnings      []string `json:"warnings"`
}

// A Group is the configurations of one machine that may be pooled: kernels and parameters are,
// substrates, cache models and kinds of reuse distances never.
type Group struct {
	Substrate      string          `json:"substrate"`
	Machine        string          `json:"machine"`
	Settings       string          `json:"settings"`
	L2Bytes        hw.Size         `json:"l2_bytes"`
	LLCBytes       hw.Size         `json:"llc_bytes"`
	MissSource     string          `json:"miss_source"` // "" where there are none, or of several
	Configurations []Configuration `json:"configurations"`
	Scopes         []Scope         `json:"scopes"`
	// Identical are the configurations in all of whose repetitions a model missed exactly the lines
	// beyond the LLC.
	Identical int `json:"misses_are_lines_beyond_llc"`
	// Implied is what a line costs by the file of the machine; null natively.
	Implied *Implied `json:"implied"`
	OneCore int      `json:"on_one_core"`    // configurations left out: WTI is 1
	Unknown int      `json:"without_levels"` // and those whose levels are not known
}

// A Configuration is a kernel with its parameters under a scheduler on some cores: medians over
// repetitions and seeds.
type Configuration struct {
	Kernel    string   `json:"kernel"`
	Params    string   `json:"params"`
	Cores     int      `json:"cores"`
	Scheduler string   `json:"scheduler"`
	Cells     []string `json:"cells"`
	// shares of all accesses beyond the L2 of their core, and beyond the LLC of their node
	BeyondL2  result.Number `json:"beyond_l2"`
	BeyondLLC result.Number `json:"beyond_llc"`
	WTI       result.Number `json:"wti"`
	// the cache lines of the same accesses by the serial run's work
	LinesL2  result.Number `json:"lines_beyond_l2_per_serial_work_ns"`
	LinesLLC result.Number `json:"lines_beyond_llc_per_serial_work_ns"`
	// misses of all cores by the cache lines that kernels access: 1 if each line missed each time
	LLCMissesPerLine result.Number `json:"llc_misses_per_line"`

	from           string // source of the misses
	byConstruction bool
	identical      bool
}

// Implied is what a line beyond the L2, and one beyond the LLC besides, take by the file of a
// machine, in ns: in short rows, where latencies are waited for as many at a time as overlap, and
// in streams, at a core's bandwidth with nobody else.
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

// setting is what configurations that differ in the scheduler alone have in common.
func (c *Configuration) setting() string {
	return fmt.Sprintf("%s %s %d", c.Kernel, c.Params, c.Cores)
}

// A MissingError says that no configuration has levels.
type MissingError struct{ Configurations int }

func (e *MissingError) Error() string {
	return fmt.Sprintf("none of %s has reuse distances of cores and nodes, both cache sizes and a "+
		"WTI; sweep with --trace krd,cores on more than one core",
		units.Count(e.Configurations, "configuration"))
}

// Class implements [failure.Classed].
func (*MissingError) Class() failure.Class { return failure.Data }

// Of computes the report of experiments, without some schedulers. Errors: a [*MissingError]; a
// [*request.Error] of a scheduler to exclude that is in none. Cost: a bootstrap for each scope and
// outcome, some 100 ns for each scheduler, setting and resample.
func Of(experiments []*dataset.Experiment, exclude []string) (*Report, error) {
	r := &Report{SchemaVersion: SchemaVersion, Confidence: result.Confidence,
		Resamples: result.Resamples, Seed: seed, Excluded: append([]string{}, exclude...),
		Groups: []Group{}, Warnings: []string{}}
	var there []string
	for _, e := range experiments {
		r.Experiments = append(r.Experiments, e.Name)
		for _, p := range e.Problems {
			r.Warnings = append(r.Warnings, e.Name+": "+p.String())
		}
		for i := range e.Cells {
			there = append(there, e.Cells[i].Result.Scheduler)
		}
	}
	slices.Sort(there)
	there = slices.Compact(there)
	for _, name := range exclude {
		if !slices.Contains(there, name) {
			return nil, &request.Error{Flag: "exclude", Got: name,
				Want: request.Suggest(name, there, "")}
		}
	}
	all, known := 0, 0
	r.collect(experiments)
	for i := range r.Groups {
		g := &r.Groups[i]
		known += len(g.Configurations)
		all += len(g.Configurations) + g.OneCore + g.Unknown
	}
	if known == 0 {
		return nil, &MissingError{all}
	}
	r.Groups = slices.DeleteFunc(r.Groups, func(g Group) bool { return len(g.Configurations) == 0 })
	for i := range r.Groups {
		r.Groups[i].fit()
	}
	return r, nil
}

// collect sorts the cells into groups.
func (r *Report) collect(experiments []*dataset.Experiment) {
	type place struct {
		group                     int
		kernel, params, scheduler string
		cores                     int
	}
	index := map[dataset.Key]int{}
	cells := map[place][]*dataset.Cell{}
	var order []place
	for _, e := range experiments {
		for i := range e.Cells {
			c := &e.Cells[i]
			if slices.Contains(r.Excluded, c.Result.Scheduler) {
				continue
			}
			key := dataset.KeyOf(c)
			key.Kernel, key.Params = "", ""
			n, ok := index[key]
			if !ok {
				n = len(r.Groups)
				index[key] = n
				m := &c.Result.Machine
				r.Groups = append(r.Groups, Group{Substrate: key.Substrate, Machine: key.Machine,
					Settings: key.Settings, L2Bytes: m.L2Bytes, LLCBytes: m.LLCBytes,
					Implied: implied(e.MachineOf(c.Result))})
			}
			p := place{n, c.Result.Kernel, dataset.ParamsText(c.Result), c.Result.Scheduler,
				c.Result.Cores}
			if cells[p] == nil {
				order = append(order, p)
			}
			cells[p] = append(cells[p], c)
		}
	}
	for _, p := range order {
		g := &r.Groups[p.group]
		if p.cores == 1 {
			g.OneCore++
			continue
		}
		c := configuration(cells[p])
		if !c.BeyondL2.Known() || !c.WTI.Known() {
			g.Unknown++
			continue
		}
		if c.identical {
			g.Identical++
		}
		g.Configurations = append(g.Configurations, c)
	}
	for i := range r.Groups {
		g := &r.Groups[i]
		slices.SortStableFunc(g.Configurations, func(a, b Configuration) int {
			return cmp.Or(cmp.Compare(a.Kernel, b.Kernel), cmp.Compare(a.Params, b.Params),
				cmp.Compare(a.Cores, b.Cores), cmp.Compare(a.Scheduler, b.Scheduler))
		})
		g.MissSource = g.missSource()
	}
}

// configuration pools the cells of one.
func configuration(cells []*dataset.Cell) Configuration {
	first := cells[0].Result
	c := Configuration{Kernel: first.Kernel, Params: dataset.ParamsText(first), Cores: first.Cores,
		Scheduler: first.Scheduler}
	var l2, llc, lines, linesL2, linesLLC []float64
	work := first.Serial.WorkNS
	line := float64(first.Machine.LineBytes)
	c.identical = true
	add := func(cores, nodes *krd.Histogram, misses result.Number) {
		l, ok := krd.LevelsOf(cores, nodes)
		if !ok {
			return
		}
		l2, llc = append(l2, 1-l.L2), append(llc, l.Beyond)
		if cores.Bytes != nil && cores.BeyondL2Bytes != nil && nodes.BeyondBytes != nil &&
			line > 0 {
			beyond := float64(*nodes.BeyondBytes) / line
			lines = append(lines, float64(*cores.Bytes)/line)
			linesL2 = append(linesL2, float64(*cores.BeyondL2Bytes)/line)
			linesLLC = append(linesLLC, beyond)
			c.identical = c.identical && misses.Known() &&
				math.Round(misses.Float()*float64(c.Cores)) == math.Round(beyond)
		}
	}
	for _, cell := range cells {
		r := cell.Result
		c.Cells = append(c.Cells, cell.ID)
		for i := range r.Repetitions {
			p := &r.Repetitions[i]
			add(p.KRDCores, p.KRD, p.LLCMissesPerCore)
		}
		if r.KRD != nil && r.KRD.PerCore != nil && len(l2) == 0 { // one trace beside those timed
			add(&r.KRD.PerCore.Histogram, &r.KRD.Histogram, result.Number{})
		}
	}
	if len(l2) == 0 {
		return c
	}
	c.BeyondL2, c.BeyondLLC = result.Some(result.Median(l2)), result.Some(result.Median(llc))
	pooled := dataset.Pool(cells).Result
	c.WTI = pooled.Summary.WTI.Median
	c.identical = c.identical && len(lines) > 0
	if len(lines) > 0 && work.Known() {
		c.LinesL2 = result.Some(result.Median(linesL2) / work.Float())
		c.LinesLLC = result.Some(result.Median(linesLLC) / work.Float())
		c.LLCMissesPerLine = result.Some(pooled.Summary.LLCMissesPerCore.Median.Float() *
			float64(c.Cores) / result.Median(lines))
	}
	c.from, c.byConstruction = pooled.MissesFrom(), pooled.MissesByConstruction()
	return c
}

// missSource is where all the misses of g are from. Misses that were computed from the trace of the
// reuse distances by a stack like theirs are none.
func (g *Group) missSource() string {
	source := ""
	for i := range g.Configurations {
		c := &g.Configurations[i]
		if c.byConstruction || !c.LLCMissesPerLine.Known() || i > 0 && c.from != source {
			return ""
		}
		source = c.from
	}
	return source
}

// String names the group for a person.
func (g *Group) String() string {
	return strings.TrimSuffix(fmt.Sprintf("%s on %s, %s", g.Substrate, g.Machine, g.Settings), ", ")
}

// distinct returns the values of f of the configurations, each once, in their order.
func (g *Group) distinct(f func(*Configuration) string) (list []string) {
	for i := range g.Configurations {
		if v := f(&g.Configurations[i]); !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	return list
}

// schedulers returns those of g in the order of the table of schedulers, others last.
func (g *Group) schedulers() []string {
	list := g.distinct(func(c *Configuration) string { return c.Scheduler })
	order := request.SchedulerNames()
	rank := func(s string) int {
		if i := slices.Index(order, s); i >= 0 {
			return i
		}
		return len(order)
	}
	slices.SortStableFunc(list, func(a, b string) int { return rank(a) - rank(b) })
	return list
}
