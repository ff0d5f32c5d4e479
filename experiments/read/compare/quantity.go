package compare

import (
	"fmt"
	"slices"
	"sort"

	"golang.org/x/perf/benchmath"
	"gonum.org/v1/gonum/stat/distuv"

	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/estimate"
	"krdlab/experiments/run/result"
	"krdlab/experiments/run/stats"
	"krdlab/krd/doc"
)

const (
	// Alpha is the p below which a difference is said to be there.
	Alpha = 0.05
	// MinSample is the least sample of either side that is tested: with 4 and 4 the smallest
	// two-sided p is 0.029, with 3 and 3 it is 0.1.
	MinSample = 4
)

// A Verdict says what became of a quantity from A to B.
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

// Holds says whether a change is more than chance, considering how many tests were made.
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

// side is what one experiment has of a configuration.
type side struct{ *dataset.Pooled }

// values are those of the repetitions that have one.
func (s side) values(of func(*dataset.Row) result.Number) []float64 {
	var v []float64
	for i := range s.Rows {
		if n := of(&s.Rows[i]); n.Known() {
			v = append(v, n.Float())
		}
	}
	return v
}

// sources are those of the LLC misses, sorted.
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
	a, b = slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	exactA, exactB := c.A.Reason == result.Deterministic, c.B.Reason == result.Deterministic
	switch {
	case len(a) > 0 && slices.Equal(a, b),
		exactA && exactB && c.A.Median == c.B.Median: // however often it was measured
		c.Verdict = Same
	case exactA && exactB:
		c.Verdict, c.Why = Worse, "both are deterministic: the difference is exact, and no test is "+
			"needed"
		if (c.B.Median.Float() < c.A.Median.Float()) == c.less {
			c.Verdict = Better
		}
	case exactA && len(b) >= estimate.MinSample:
		c.P = signTest(b, c.A.Median.Float())
	case exactB && len(a) >= estimate.MinSample:
		c.P = signTest(a, c.B.Median.Float())
	case min(len(a), len(b)) < MinSample:
		c.Verdict, c.Why = TooFew, fmt.Sprintf("n = %d and %d: with fewer than %d on a side no "+
			"difference can be significant", c.A.N, c.B.N, MinSample)
	case a[0] == a[len(a)-1] && b[0] == b[len(b)-1] && a[0] == b[0]:
		c.Verdict = Same // the test would say that all values are equal
	default:
		t := &benchmath.DefaultThresholds
		r := benchmath.AssumeNothing.Compare(benchmath.NewSample(a, t), benchmath.NewSample(b, t))
		c.P = result.Some(min(1, r.P)) // twice a tail can be more than 1
	}
}

// PValue returns the two-sided p that [Of] has for a measure of two configurations, before any
// correction: 0 where both are exact and differ, 1 where all values are the same; unknown where
// there are too few.
func PValue(m stats.Measure, a, b *dataset.Pooled) result.Number {
	c := Comparison{less: m.Better == stats.Lower, A: m.Of(a.Result), B: m.Of(b.Result)}
	return c.p(side{a}.values(m.Each), side{b}.values(m.Each))
}

// Seen returns the least part by which the measure of b would have had to exceed that of a for its p to
// be below a limit, with the spreads that both have: 0.03 for 3 %. Unknown where none would do: there
// are too few repetitions.
func Seen(m stats.Measure, a, b *dataset.Pooled, limit float64) result.Number {
	c := Comparison{A: m.Of(a.Result), B: m.Of(b.Result)}
	of := [2][]float64{side{a}.values(m.Each), side{b}.values(m.Each)}
	for i, q := range []result.Quantity{c.A, c.B} {
		if !q.Median.Known() || q.Median.Float() == 0 {
			return result.Number{}
		}
		for j := range of[i] { // of their medians
			of[i][j] /= q.Median.Float()
		}
	}
	below := func(by float64) bool { // b is 1 + by times a
		longer := slices.Clone(of[1])
		for i := range longer {
			longer[i] *= 1 + by
		}
		x := Comparison{A: result.Quantity{Median: result.Some(1), Reason: c.A.Reason},
			B: result.Quantity{Median: result.Some(1 + by), Reason: c.B.Reason}}
		p := x.p(of[0], longer)
		return p.Known() && p.Float() < limit
	}
	const just = 1e-9 // beyond where two values are the same
	steps := []float64{just}
	for _, x := range slices.Concat(of[0], []float64{1}) {
		for _, y := range slices.Concat(of[1], []float64{1}) {
			if by := x/y - 1; by > 0 {
				steps = append(steps, by+just)
			}
		}
	}
	slices.Sort(steps)
	if i := sort.Search(len(steps), func(i int) bool { return below(steps[i]) }); i < len(steps) {
		return result.Some(max(0, steps[i]-just))
	}
	return result.Number{}
}

// Needed returns how many repetitions of each of two configurations can have a p below a limit: all of
// one below all of the other.
func Needed(limit float64) int {
	p := 2.0
	for n := 1; ; n++ {
		if p *= float64(n) / float64(2*(2*n-1)); n >= MinSample && p < limit { // 2 of C(2n, n)
			return n
		}
	}
}

// p tests values as c does, whose medians are known.
func (c *Comparison) p(a, b []float64) result.Number {
	c.test(a, b)
	switch c.Verdict {
	case Same:
		return result.Some(1)
	case Better, Worse: // exact on both sides
		return result.Some(0)
	}
	return c.P
}

// signTest returns the two-sided p of the hypothesis that v is the median of what values are drawn
// from: how improbable it is that so few of them lie on one side of it. Values that equal v count
// for neither side. Source: Conover, Practical Nonparametric Statistics, 3rd ed., 3.4.
func signTest(values []float64, v float64) result.Number {
	below, above := 0, 0
	for _, x := range values {
		if x < v {
			below++
		} else if x > v {
			above++
		}
	}
	half := distuv.Binomial{N: float64(below + above), P: 0.5}
	return result.Some(min(1, 2*half.CDF(float64(min(below, above)))))
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
	if c.P.Float() >= Alpha || a == b {
		return
	}
	better := (b < a) == c.less
	switch holds := c.HolmP.Float() < Alpha; {
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
