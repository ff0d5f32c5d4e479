package compare

import (
	"fmt"
	"math"
	"slices"

	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/estimate"
	"krdlab/experiments/run/result"
	"krdlab/experiments/run/stats"
	"krdlab/krd/doc"
)

// A Verdict classifies the change of a quantity from A to B.
type Verdict string

// The verdicts.
const (
	// p < 0.05 after Holm's correction; or both sides are deterministic, and differ
	Better    Verdict = "better"
	Worse     Verdict = "worse"   // likewise
	MayBetter Verdict = "better?" // p < 0.05, not after the correction
	MayWorse  Verdict = "worse?"  // likewise
	NotShown  Verdict = "~"       // no difference shown
	// every value of A is one of B, and the other way round, as often
	Same       Verdict = "same"
	TooFew     Verdict = "too few" // fewer than 4 repetitions on a side: not tested
	Unmeasured Verdict = "no data" // not measured on a side, or from another source
)

// Holds reports whether a change is more than chance, considering how many tests were made.
func (v Verdict) Holds() bool { return v == Better || v == Worse }

// A Comparison is one quantity of one configuration.
type Comparison struct {
	// its unit is in the name; shares are fractions of all accesses
	Quantity string          `json:"quantity"`
	A        result.Quantity `json:"a"`
	B        result.Quantity `json:"b"`
	// ChangePercent is that of the median from A to B, in per cent of A.
	ChangePercent result.Number `json:"change_percent"`
	// of Mann-Whitney's U, two-sided; where one side is deterministic, of the sign test of the
	// other against its value; null: not tested
	P       result.Number `json:"p"`
	HolmP   result.Number `json:"p_holm"` // adjusted for all tests of the report
	Verdict Verdict       `json:"verdict"`
	Why     string        `json:"why,omitempty"` // there is no verdict

	less bool // is better
	unit doc.Unit
}

// side holds the cells of one experiment for a configuration.
type side struct{ *dataset.Pooled }

// values returns those of the repetitions that have one.
func (s side) values(of func(*dataset.Row) result.Number) []float64 {
	var v []float64
	for i := range s.Rows {
		if n := of(&s.Rows[i]); n.Known() {
			v = append(v, n.Float())
		}
	}
	return v
}

// sources returns those of the LLC misses, sorted.
func (s side) sources() []string {
	var list []string
	for _, c := range s.Cells {
		if from := c.Result.MissesFrom(); from != "" {
			list = append(list, from)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// Shares are the points of the KRD that are compared.
var Shares = []stats.Point{stats.FarOrCold, stats.Far, stats.At(stats.PaperBytes, true), stats.Cold}

// quantities compares everything that two sides have, untested where there is too little.
func quantities(a, b side) []Comparison {
	var list []Comparison
	for _, m := range []stats.Measure{stats.Time, stats.Speedup, stats.OVR, stats.WTI,
		stats.KernelTime} {
		c := Comparison{Quantity: m.Key, unit: m.Unit, less: m.Better == stats.Lower,
			A: m.Of(a.Result), B: m.Of(b.Result)}
		c.test(a.values(m.Each), b.values(m.Each))
		list = append(list, c)
	}
	return append(append(list, missesOf(a, b)), sharesOf(a, b)...)
}

func missesOf(a, b side) Comparison {
	c := Comparison{Quantity: stats.Misses.Key, unit: stats.Misses.Unit, less: true}
	sa, sb := a.sources(), b.sources()
	switch {
	case len(sa) > 1 || len(sb) > 1 || len(sa) == 1 && len(sb) == 1 && sa[0] != sb[0]:
		c.Verdict, c.Why = Unmeasured, fmt.Sprintf("LLC misses of different sources (%v in A, %v "+
			"in B) are not compared", sa, sb)
		return c
	case len(sa) == 1:
		c.Quantity += " (" + sa[0] + ")"
	case len(sb) == 1:
		c.Quantity += " (" + sb[0] + ")"
	}
	c.A, c.B = stats.Misses.Of(a.Result), stats.Misses.Of(b.Result)
	c.test(a.values(stats.Misses.Each), b.values(stats.Misses.Each))
	return c
}

func sharesOf(a, b side) []Comparison {
	var list []Comparison
	for _, p := range Shares {
		va, vb := p.Values(a.Result), p.Values(b.Result)
		c := Comparison{Quantity: "krd " + p.Name, unit: doc.Fraction, less: true,
			A: a.Result.Quantity(va), B: b.Result.Quantity(vb)}
		c.test(va, vb)
		list = append(list, c)
	}
	return list
}

// test fills in all but the correction.
func (c *Comparison) test(a, b []float64) {
	if !c.A.Median.Known() || !c.B.Median.Known() {
		c.Verdict, c.Why = Unmeasured, "not measured in "+missingIn(c)
		return
	}
	if m := c.A.Median.Float(); m != 0 {
		c.ChangePercent = result.Some(100 * (c.B.Median.Float() - m) / m)
	} else if c.B.Median.Float() == 0 {
		c.ChangePercent = result.Some(0)
	}
	of := func(q result.Quantity, values []float64) estimate.Sample {
		if q.Reason == result.Deterministic { // however often it was measured
			return estimate.Sample{Values: []float64{q.Median.Float()}, Fixed: true}
		}
		return estimate.Sample{Values: values}
	}
	x, y := of(c.A, a), of(c.B, b)
	switch p := estimate.P(x, y); {
	case estimate.Same(x, y):
		c.Verdict = Same
	case x.Fixed && y.Fixed:
		c.Verdict, c.Why = Worse, "both are deterministic: the difference is exact, and no test is "+
			"needed"
		if (c.B.Median.Float() < c.A.Median.Float()) == c.less {
			c.Verdict = Better
		}
	case math.IsNaN(p):
		c.Verdict, c.Why = TooFew, fmt.Sprintf("n = %d and %d: with fewer than %d on a side no "+
			"difference can be significant", c.A.N, c.B.N, estimate.MinTested)
	default:
		c.P = result.Some(p)
	}
}

func missingIn(c *Comparison) string {
	switch {
	case c.A.Median.Known():
		return "B"
	case c.B.Median.Known():
		return "A"
	}
	return "either"
}

// judge gives a verdict to what was tested. Where the medians are the same, the direction is that
// of nothing: the samples differ otherwise.
func (c *Comparison) judge() {
	if !c.P.Known() {
		return
	}
	c.Verdict = NotShown
	a, b := c.A.Median.Float(), c.B.Median.Float()
	if c.P.Float() >= estimate.Alpha || a == b {
		return
	}
	better := (b < a) == c.less
	switch holds := c.HolmP.Float() < estimate.Alpha; {
	case holds && better:
		c.Verdict = Better
	case holds:
		c.Verdict = Worse
	case better:
		c.Verdict = MayBetter
	default:
		c.Verdict = MayWorse
	}
}
