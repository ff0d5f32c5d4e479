package correlate

import (
	"slices"

	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/result"
	"krdlab/experiments/run/stats"
	"krdlab/hw/units"
	"krdlab/krd"
)

// An Outcome is a quantity that KRD shares are correlated with.
type Outcome string

// The outcomes.
const (
	MissesPerCore   Outcome = "llc_misses_per_core"
	WTI             Outcome = "wti"
	MissesPerAccess Outcome = "llc_misses_per_access"
)

// Outcomes lists them. Misses per core shrink with the cores and grow with the size, whatever reuse
// does; misses per access do neither by themselves.
var Outcomes = []Outcome{MissesPerAccess, WTI, MissesPerCore}

func (o Outcome) String() string {
	switch o {
	case MissesPerCore:
		return "LLC misses per core"
	case MissesPerAccess:
		return "LLC misses per access"
	}
	return "WTI"
}

// misses reports whether o has a source that is not to be mixed with others.
func (o Outcome) misses() bool { return o != WTI }

// A Kind selects the configurations that a [Scope] takes together, and how.
type Kind string

// The kinds of scopes.
const (
	AllConfigurations Kind = "all"
	OneSize           Kind = "size"      // all schedulers and core counts
	OneScheduler      Kind = "scheduler" // all core counts and sizes
	OneCoreCount      Kind = "cores"     // all schedulers and sizes
	// EqualCores sets schedulers against each other only where cores and size are equal: the means
	// of each such stratum are taken off, if there are several. Strata of one core are left out,
	// since schedulers have nothing to decide there.
	EqualCores Kind = "equal cores and size"
	// Pooled sets the means over the schedulers against each other: a pair for each size and core
	// count.
	Pooled Kind = "means over schedulers"
	// WithinConfigurations sets the repetitions of a configuration against each other: its means
	// are taken off.
	WithinConfigurations Kind = "within configurations"
)

// A Scope is a selection of a family's configurations, and what is found in it.
type Scope struct {
	Kind         Kind          `json:"kind"`
	Name         string        `json:"name"`
	Associations []Association `json:"associations"`
}

// A stratum is configurations that stand for themselves, or that are only set against each other.
type stratum []*Configuration

// A selection is a scope with what is in it.
type selection struct {
	kind   Kind
	name   string
	strata []stratum
}

// selections returns the scopes of a family that have something to compare.
func (f *Family) selections() []selection {
	var list []selection
	pick := func(kind Kind, name string, is func(*Configuration) bool) {
		var s stratum
		for i := range f.Configurations {
			if c := &f.Configurations[i]; is(c) {
				s = append(s, c)
			}
		}
		if len(s) > 1 {
			list = append(list, selection{kind, name, []stratum{s}})
		}
	}
	pick(AllConfigurations, "all configurations", func(*Configuration) bool { return true })
	sizes := distinct(f.Configurations, func(c *Configuration) string { return c.Size })
	cores := distinct(f.Configurations, func(c *Configuration) int { return c.Cores })
	schedulers := distinct(f.Configurations, func(c *Configuration) string { return c.Scheduler })
	if len(sizes) > 1 {
		for _, size := range sizes {
			pick(OneSize, "size "+f.SizeParam+"="+size,
				func(c *Configuration) bool { return c.Size == size })
		}
	}
	equal := selection{kind: EqualCores, name: "schedulers at equal cores and size"}
	var cells []stratum
	for _, size := range sizes {
		for _, n := range cores {
			var s stratum
			for i := range f.Configurations {
				if c := &f.Configurations[i]; c.Size == size && c.Cores == n {
					s = append(s, c)
				}
			}
			if len(s) > 0 {
				cells = append(cells, s)
			}
			if len(s) > 1 && n > 1 {
				equal.strata = append(equal.strata, s)
			}
		}
	}
	if len(equal.strata) > 0 {
		list = append(list, equal)
	}
	if len(schedulers) > 1 {
		if len(cells) > 1 {
			list = append(list, selection{Pooled, "sizes and cores, means over schedulers", cells})
		}
		for _, s := range schedulers {
			pick(OneScheduler, s, func(c *Configuration) bool { return c.Scheduler == s })
		}
	}
	if len(cores) > 1 {
		for _, n := range cores {
			pick(OneCoreCount, units.Count(n, "core"),
				func(c *Configuration) bool { return c.Cores == n })
		}
	}
	var all []stratum
	for i := range f.Configurations {
		all = append(all, stratum{&f.Configurations[i]})
	}
	return append(list, selection{WithinConfigurations, "repetitions of one configuration", all})
}

// A sample is pairs of predictors and an outcome.
type sample struct {
	x [][]float64 // by point, then by observation; nil: the point is not known of all
	y []float64
	// units cuts the observations into independent ones, as [from, to): one each, or strata from
	// which the means are to be taken off.
	units   [][2]int
	centred bool
	left    int // configurations that have no KRD or no such outcome
	// constant are the units left out because all in them is the same: repetitions of a simulated
	// run in which chance decides nothing.
	constant int
}

// same reports whether all observations from that one on are the same.
func (s *sample) same(from int) bool {
	for _, x := range append(s.x, s.y) {
		if !constantSeries(x[from:]) {
			return false
		}
	}
	return true
}

// df returns the degrees of freedom of a correlation.
func (s *sample) df() int {
	if s.centred {
		return len(s.y) - len(s.units) - 1
	}
	return len(s.y) - 2
}

// A missSource is where LLC misses come from; the zero value is that of what has none.
type missSource struct {
	llc  string // "perf_event", "model"
	from string // which model too
	// they follow from the trace that the KRD is computed from
	construction bool
}

// sources returns those of the LLC misses of a selection, in order of appearance.
func (sel *selection) sources() (list []missSource) {
	add := func(s missSource) {
		if s.from != "" && !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	for _, st := range sel.strata {
		for _, c := range st {
			for i := range c.pooled.Rows {
				r := &c.pooled.Rows[i]
				if r.MissSource != "" {
					add(missSource{r.LLCSource, r.MissSource, r.Cell.Result.MissesByConstruction()})
				}
			}
			if c.LLCSource != nil {
				add(missSource{*c.LLCSource, *c.MissSource, c.ByConstruction})
			}
		}
	}
	return list
}

// sample collects the pairs of a selection for an outcome, of misses from one source.
func (sel *selection) sample(points []stats.Point, o Outcome, source missSource) *sample {
	s := &sample{x: make([][]float64, len(points)), centred: sel.kind == WithinConfigurations ||
		sel.kind == EqualCores && len(sel.strata) > 1}
	missing := make([]bool, len(points))
	add := func(y result.Number, x func(int) result.Number) bool {
		known := 0
		for p := range points {
			if x(p).Known() {
				known++
			}
		}
		if !y.Known() || known == 0 {
			return false
		}
		s.y = append(s.y, y.Float())
		for p := range points {
			v := x(p)
			missing[p] = missing[p] || !v.Known()
			s.x[p] = append(s.x[p], v.Float())
		}
		return true
	}
	for _, st := range sel.strata {
		from := len(s.y)
		if sel.kind == Pooled {
			y, x := sel.mean(st, o, source)
			if !add(y, x) {
				s.left += len(st)
			} else {
				s.units = append(s.units, [2]int{from, len(s.y)})
			}
			continue
		}
		for _, c := range st {
			if sel.kind == WithinConfigurations {
				any := false
				for i := range c.pooled.Rows {
					r := &c.pooled.Rows[i]
					any = add(ofRow(o, r, source),
						func(p int) result.Number { return points[p].Of(r.KRD) }) || any
				}
				if !any {
					s.left++
				}
				continue
			}
			before := len(s.y)
			if !add(c.outcome(o, source),
				func(p int) result.Number { return c.Shares[p].Median }) {
				s.left++
			} else if !s.centred {
				s.units = append(s.units, [2]int{before, len(s.y)})
			}
		}
		if !s.centred {
			continue
		}
		if same := s.same(from); same || len(s.y)-from < 2 { // nothing to set it against
			if same && len(s.y)-from > 1 {
				s.constant++
			}
			for p := range s.x {
				s.x[p] = s.x[p][:from]
			}
			s.y = s.y[:from]
			continue
		}
		s.units = append(s.units, [2]int{from, len(s.y)})
	}
	for p := range points {
		if missing[p] {
			s.x[p] = nil
		}
	}
	return s
}

// common returns the schedulers that have the outcome and a share in all strata.
func (sel *selection) common(o Outcome, source missSource) map[string]bool {
	count := map[string]int{}
	for _, st := range sel.strata {
		for _, c := range st {
			known := func(q result.Quantity) bool { return q.Median.Known() }
			if c.outcome(o, source).Known() && slices.ContainsFunc(c.Shares, known) {
				count[c.Scheduler]++
			}
		}
	}
	set := map[string]bool{}
	for name, n := range count {
		if n == len(sel.strata) {
			set[name] = true
		}
	}
	return set
}

// mean returns the mean outcome of the schedulers that all strata have, and their mean shares.
func (sel *selection) mean(st stratum, o Outcome, source missSource) (y result.Number,
	x func(int) result.Number) {
	common := sel.common(o, source)
	over := func(of func(*Configuration) result.Number) result.Number {
		var sum float64
		for _, c := range st {
			if common[c.Scheduler] {
				sum += of(c).Float()
			}
		}
		return result.Some(sum / float64(len(common)))
	}
	return over(func(c *Configuration) result.Number { return c.outcome(o, source) }),
		func(p int) result.Number {
			return over(func(c *Configuration) result.Number { return c.Shares[p].Median })
		}
}

// outcome returns that of a configuration, unknown where its misses are from elsewhere.
func (c *Configuration) outcome(o Outcome, source missSource) result.Number {
	if o.misses() && (c.MissSource == nil || *c.MissSource != source.from) {
		return result.Number{}
	}
	switch o {
	case MissesPerCore:
		return c.LLCMissesPerCore.Median
	case MissesPerAccess:
		return c.LLCMissesPerAccess.Median
	}
	return c.WTI.Median
}

// ofRow returns the outcome of one repetition.
func ofRow(o Outcome, r *dataset.Row, source missSource) result.Number {
	switch {
	case o == WTI:
		return r.WTI
	case r.MissSource != source.from:
		return result.Number{}
	case o == MissesPerCore:
		return r.LLCMissesPerCore
	}
	return perAccess(r.LLCMissesPerCore, r.Cell.Result.Cores, r.KRD)
}

// perAccess returns the misses of all cores by the accesses of a repetition.
func perAccess(perCore result.Number, cores int, h *krd.Histogram) result.Number {
	if h == nil {
		return result.Number{}
	}
	return result.Some(perCore.Float() * float64(cores) / float64(h.AccessCount))
}
