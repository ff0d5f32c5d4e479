package correlate

import (
	"math"

	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/estimate"
	"krdlab/experiments/run/result"
	"krdlab/krd/doc"
	"krdlab/loi"
)

// SchemaVersion is the version of [Report]. Fields may be added under the same version, never
// renamed.
const SchemaVersion = 1

// A Report holds the findings in an experiment: the document of `krdlab correlate --json`.
type Report struct {
	SchemaVersion int      `json:"schema_version"`
	Experiment    string   `json:"experiment"`
	Confidence    float64  `json:"confidence"`
	Resamples     int      `json:"bootstrap_resamples"`
	Seed          uint64   `json:"bootstrap_seed"`
	Families      []Family `json:"families"`
	doc.Concluded          // the problems of the experiment, and those of its results
}

// An Association is how strongly each KRD share of a scope goes with an outcome.
type Association struct {
	Outcome   Outcome `json:"outcome"`
	LLCSource *string `json:"llc_source"` // of the misses; null where the outcome has none
	// MissSource records which model too, as [Configuration.MissSource].
	MissSource *string `json:"miss_source"`
	// ByConstruction records that the misses follow from the trace that the KRD is computed from.
	// There are no coefficients then; ExcessLeast and ExcessMost are the least and the most
	// [Configuration.MissExcess]. These two are there for all misses that have them.
	ByConstruction bool          `json:"equal_by_construction"`
	ExcessLeast    result.Number `json:"llc_misses_excess_least"`
	ExcessMost     result.Number `json:"llc_misses_excess_most"`
	// Modelled records that a simulated machine made the outcome: findings show how the model
	// charges for reuse, and are no evidence about hardware.
	Modelled bool `json:"modelled"`
	N        int  `json:"n"` // pairs: configurations, or repetitions
	// Units are drawn by the bootstrap, and count as independent: configurations, or strata of
	// them.
	Units   int    `json:"units"`
	PMethod string `json:"p_method"` // PExact, PStudent, or "" where there is no p
	// SmallestP is the smallest p that n pairs without ties can have, where permutations are
	// counted.
	SmallestP result.Number `json:"smallest_p"`
	// by Family.Points; empty where there are too few pairs
	Coefficients []Coefficients `json:"coefficients"`
	BestPearson  *Best          `json:"best_pearson"` // null where no coefficient is defined
	BestSpearman *Best          `json:"best_spearman"`
	// Findings are its limits, Notes their sentences.
	Findings []doc.Finding `json:"findings"`
	Notes    []string      `json:"notes"`
}

// How p is computed.
const (
	PExact   = "exact permutation"
	PStudent = "t"
)

// Coefficients are those of one point.
type Coefficients struct {
	Point    string      `json:"point"`
	Pearson  Coefficient `json:"pearson"`
	Spearman Coefficient `json:"spearman"`
}

// A Coefficient is an estimate with a 95 % interval, Pearson's by Fisher's transformation,
// Spearman's by the bootstrap, and a two-sided p.
type Coefficient struct {
	Value result.Number `json:"value"`
	Low   result.Number `json:"low"`
	High  result.Number `json:"high"`
	P     result.Number `json:"p"`
	// Code is why the value is not defined, or not known, Why its sentence.
	Code doc.Code `json:"code,omitempty"`
	Why  string   `json:"why,omitempty"`
}

// Of correlates an experiment. Cost: a bootstrap of 4000 resamples for each scope, some tenths of a
// second for 20 configurations.
func Of(e *dataset.Experiment) *Report {
	r := &Report{
		SchemaVersion: SchemaVersion, Experiment: e.Name, Confidence: estimate.Confidence,
		Resamples: estimate.Resamples, Seed: seed, Families: []Family{},
	}
	r.Conclude(e.AllDoubts("", "results")...)
	r.Families = append(r.Families, families(e)...)
	for i := range r.Families {
		f := &r.Families[i]
		f.Scopes = []Scope{}
		for _, sel := range f.selections() {
			s := Scope{Kind: sel.kind, Name: sel.name, Associations: []Association{}}
			for _, o := range Outcomes {
				if !o.misses() {
					s.Associations = append(s.Associations, f.associate(&sel, o, missSource{}))
					continue
				}
				for _, source := range sel.sources() {
					s.Associations = append(s.Associations, f.associate(&sel, o, source))
				}
			}
			f.Scopes = append(f.Scopes, s)
		}
		f.Answers = f.answers()
		f.Conclude(f.doubts()...)
		f.WarningCodes = f.Findings
	}
	return r
}

func (f *Family) associate(sel *selection, o Outcome, source missSource) Association {
	s := sel.sample(f.Points, o, source)
	a := Association{Outcome: o, Modelled: f.Substrate == loi.Simulated, N: len(s.y),
		Units: len(s.units), Coefficients: []Coefficients{}, Findings: []doc.Finding{}, Notes: []string{}}
	if source.from != "" {
		a.LLCSource, a.MissSource = &source.llc, &source.from
		a.ByConstruction = source.construction
		a.ExcessLeast, a.ExcessMost = sel.excess(source)
	}
	if s.left > 0 {
		a.find(leftOut, s.left)
	}
	if s.constant > 0 {
		a.find(constantUnits, s.constant)
	}
	if a.ByConstruction {
		a.find(byConstruction, a.excess())
		return a
	}
	df := s.df()
	if a.N < 3 || df < 1 {
		a.find(noCoefficient, a.N)
		return a
	}
	a.PMethod = PStudent
	if !s.centred && a.N <= exactLimit {
		a.PMethod, a.SmallestP = PExact, result.Some(smallestP(a.N))
		if p := a.SmallestP.Float(); p > 1-estimate.Confidence {
			a.find(pTooLarge, a.N, p)
		}
	}
	if a.Units < minClusters {
		a.find(fewUnits, a.Units, minClusters)
	}
	b := newBoot(s)
	for p := range f.Points {
		a.Coefficients = append(a.Coefficients, b.point(f.Points[p].Name, s.x[p], a.PMethod))
	}
	a.BestPearson = b.best(a.Coefficients, func(c *Coefficients) *Coefficient { return &c.Pearson },
		b.pearsons)
	a.BestSpearman = b.best(a.Coefficients,
		func(c *Coefficients) *Coefficient { return &c.Spearman }, b.spearmans)
	if a.BestSpearman != nil && sel.kind != WithinConfigurations {
		a.BestSpearman.PickedP, a.BestSpearman.PickedSmallest = b.picked()
	}
	return a
}

// excess returns the least and the most by which misses of a source exceed what is far or cold.
func (sel *selection) excess(source missSource) (least, most result.Number) {
	for _, st := range sel.strata {
		for _, c := range st {
			q := c.MissExcess.Median
			if !q.Known() || c.MissSource == nil || *c.MissSource != source.from {
				continue
			}
			if !least.Known() || q.Float() < least.Float() {
				least = q
			}
			if !most.Known() || q.Float() > most.Float() {
				most = q
			}
		}
	}
	return least, most
}

func (a *Association) find(code doc.Code, args ...any) {
	f := doc.Find(code, args...)
	a.Findings, a.Notes = append(a.Findings, f), append(a.Notes, f.Sentence())
}

// none gives c the reason why it has no value.
func (c *Coefficient) none(code doc.Code) {
	c.Code, c.Why = code, c.lack()+": "+doc.Find(code).Sentence()
}

// lack returns the reason why a coefficient has no value.
func (c *Coefficient) lack() string {
	if c.Code == cachesUnknown {
		return "not known"
	}
	return "not defined"
}

// A boot computes the coefficients of a sample, point by point, and those of its resamples.
type boot struct {
	s     *sample
	y     pairable
	draws [][]float64 // nil: too few units
	// of y, by draw; nil where units are strata, whose ranks do not change
	ranks               [][]float64
	weights, buffer     []float64   // of the observations in a draw; ranks in it
	ranked              [][]float64 // of the points that have coefficients, as of y
	pearsons, spearmans [][]float64 // by point, then by resample; nil where there are none
}

// pairable is one series of a sample, prepared.
type pairable struct {
	value []float64 // centred, if the sample is
	rank  []float64 // within units and centred, if the sample is
	order estimate.Order
}

func newBoot(s *sample) *boot {
	b := &boot{s: s, y: s.prepare(s.y)}
	if len(s.units) >= minClusters {
		b.draws = draws(len(s.units))
	}
	b.weights, b.buffer = make([]float64, len(s.y)), make([]float64, len(s.y))
	if !s.centred {
		for _, w := range b.draws {
			r := make([]float64, len(s.y))
			b.y.order.Ranks(r, w)
			b.ranks = append(b.ranks, r)
		}
	}
	return b
}

func (s *sample) prepare(v []float64) pairable {
	if !s.centred {
		p := pairable{v, make([]float64, len(v)), estimate.OrderOf(v)}
		p.order.Ranks(p.rank, nil)
		return p
	}
	p := pairable{value: make([]float64, len(v)), rank: make([]float64, len(v))}
	for _, u := range s.units {
		part := v[u[0]:u[1]]
		n := len(part)
		var sum float64
		constant := true
		for _, x := range part {
			sum += x
			constant = constant && x == part[0]
		}
		ranks := estimate.Ranks(part)
		for i, x := range part {
			if !constant { // or rounding would make a series of what has none
				p.value[u[0]+i] = x - sum/float64(n)
			}
			p.rank[u[0]+i] = ranks[i] - float64(n+1)/2
		}
	}
	return p
}

// point returns the coefficients of one predictor, and keeps those of its resamples.
func (b *boot) point(name string, x []float64, method string) Coefficients {
	c := Coefficients{Point: name}
	var rs, ps []float64
	defer func() { b.pearsons, b.spearmans = append(b.pearsons, ps), append(b.spearmans, rs) }()
	if x == nil {
		c.Pearson.none(cachesUnknown)
		c.Spearman.none(cachesUnknown)
		return c
	}
	px := b.s.prepare(x)
	pearson, spearman := b.coefficients(&px, -1)
	for _, e := range []struct {
		c *Coefficient
		r float64
	}{{&c.Pearson, pearson}, {&c.Spearman, spearman}} {
		e.c.Value = result.Some(e.r)
		switch {
		case !math.IsNaN(e.r):
		case constantSeries(b.y.value):
			e.c.none(constantY)
		default:
			e.c.none(constantX)
		}
	}
	if math.IsNaN(pearson) {
		return c
	}
	b.ranked = append(b.ranked, px.rank)
	df := b.s.df()
	if low, high, ok := fisher(pearson, df); ok {
		c.Pearson.Low, c.Pearson.High = result.Some(low), result.Some(high)
	}
	if method == PExact {
		c.Pearson.P = result.Some(permutationP(x, b.s.y))
		c.Spearman.P = result.Some(permutationP(px.rank, b.y.rank))
	} else {
		c.Pearson.P, c.Spearman.P = result.Some(estimate.CorrelationP(pearson, df)),
			result.Some(estimate.CorrelationP(spearman, df))
	}
	if b.draws == nil {
		return c
	}
	rs, ps = make([]float64, len(b.draws)), make([]float64, len(b.draws))
	for i := range b.draws {
		ps[i], rs[i] = b.coefficients(&px, i)
	}
	if low, high, ok := estimate.Defined(rs); ok {
		c.Spearman.Low, c.Spearman.High = result.Some(low), result.Some(high)
	}
	return c
}

// coefficients returns Pearson's and Spearman's in a draw of the units; -1: in the sample itself.
func (b *boot) coefficients(x *pairable, draw int) (p, r float64) {
	if draw < 0 {
		return estimate.Correlation(x.value, b.y.value, nil),
			estimate.Correlation(x.rank, b.y.rank, nil)
	}
	w, rx, ry := b.draws[draw], x.rank, b.y.rank
	if b.s.centred {
		for u, at := range b.s.units {
			for i := at[0]; i < at[1]; i++ {
				b.weights[i] = w[u]
			}
		}
		w = b.weights
	} else {
		x.order.Ranks(b.buffer, w)
		rx, ry = b.buffer, b.ranks[draw]
	}
	return estimate.Correlation(x.value, b.y.value, w), estimate.Correlation(rx, ry, w)
}

// constantSeries reports whether all values are the same, unknown (NaN) ones too.
func constantSeries(v []float64) bool {
	for _, x := range v {
		if x != v[0] && (x == x || v[0] == v[0]) {
			return false
		}
	}
	return true
}
