package correlate

import (
	"krdlab/experiments/dataset"
	"krdlab/experiments/result"
	"krdlab/hw/units"
	"krdlab/krd"
)

// An Outcome is what KRD shares are set against.
type Outcome string

// The outcomes.
const (
	MissesPerCore   Outcome = "llc_misses_per_core"
	WTI             Outcome = "wti"
	MissesPerAccess Outcome = "llc_misses_per_access"
)

// Outcomes lists them. Misses per core shrink with the cores and grow with the size, whatever reuse
// does; misses per access do neither by themselves.
var Outcomes = []Outcome{MissesPerCore, WTI, MissesPerAccess}

func (o Outcome) String() string {
	switch o {
	case MissesPerCore:
		return "LLC misses per core"
	case MissesPerAccess:
		return "LLC misses per access"
	}
	return "WTI"
}

// misses says whether o has a source that is not to be mixed with others.
func (o Outcome) misses() bool { return o != WTI }

// A Kind says which configurations a [Scope] takes together, and how.
type Kind string

// The kinds of scopes.
const (
	AllConfigurations Kind = "all"
	OneSize           Kind = "size"      // all schedulers and core counts
	OneScheduler      Kind = "scheduler" // all core counts and sizes
	OneCoreCount      Kind = "cores"     // all schedulers and sizes
	// EqualCores sets schedulers against each other only where cores and size are equal: the means
	// of each such stratum are taken off. Strata of one core are left out, since schedulers have
	// nothing to decide there.
	EqualCores Kind = "equal cores and size"
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
	for _, size := range sizes {
		for _, n := range cores {
			var s stratum
			for i := range f.Configurations {
				if c := &f.Configurations[i]; c.Size == size && c.Cores == n && n > 1 {
					s = append(s, c)
				}
			}
			if len(s) > 1 {
				equal.strata = append(equal.strata, s)
			}
		}
	}
	if len(equal.strata) > 1 {
		list = append(list, equal)
	}
	if len(schedulers) > 1 {
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

// same says whether all observations from that one on are the same.
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

// sources returns those of the LLC misses of a selection, in order of appearance.
func (sel *selection) sources() []string {
	var list []string
	seen := map[string]bool{}
	for _, st := range sel.strata {
		for _, c := range st {
			for i := range c.rows {
				if s := c.rows[i].LLCSource; s != "" && !seen[s] {
					seen[s], list = true, append(list, s)
				}
			}
			if c.LLCSource != nil && !seen[*c.LLCSource] {
				seen[*c.LLCSource], list = true, append(list, *c.LLCSource)
			}
		}
	}
	return list
}

// sample collects the pairs of a selection for an outcome, of misses from one source.
func (sel *selection) sample(points []Point, o Outcome, source string) *sample {
	s := &sample{x: make([][]float64, len(points)), centred: sel.kind == EqualCores ||
		sel.kind == WithinConfigurations}
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
		for _, c := range st {
			if sel.kind == WithinConfigurations {
				any := false
				for i := range c.rows {
					r := &c.rows[i]
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

// outcome returns that of a configuration, unknown where its misses are from elsewhere.
func (c *Configuration) outcome(o Outcome, source string) result.Number {
	if o.misses() && (c.LLCSource == nil || *c.LLCSource != source) {
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
func ofRow(o Outcome, r *dataset.Row, source string) result.Number {
	switch {
	case o == WTI:
		return r.WTI
	case r.LLCSource != source:
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
