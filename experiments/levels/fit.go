package levels

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"krdlab/experiments/result"
	"krdlab/hw/units"
	"krdlab/runtimes"
)

const seed = 1

// An Outcome is what is predicted.
type Outcome string

// The outcomes.
const (
	WTI    Outcome = "wti"
	Misses Outcome = "llc_misses_per_line"
)

// A Comparison says what a prediction is of.
type Comparison string

// The comparisons.
const (
	// Values: the outcome itself, over all kernels, parameters, cores and schedulers.
	Values Comparison = "values"
	// Between: by how much a scheduler differs from the mean of the others at the same kernel,
	// parameters and cores. What size, leaf and cores do to the outcome is taken off.
	Between Comparison = "between schedulers"
)

// A Unit is what predictors are counted in.
type Unit string

// The units.
const (
	Shares Unit = "shares"       // of accesses
	Lines  Unit = "lines per ns" // of the serial run's work
)

// A LeaveOut is what is left out of a fit in turn, and predicted.
type LeaveOut string

// What may be left out.
const (
	Schedulers LeaveOut = "scheduler" // one, and its twins from the fit
	Kernels    LeaveOut = "kernel"
)

// twin reports whether a fit to b has seen a: they are one scheduler with other parameters, or
// twins of the table.
func twin(a, b string) bool { return rooted(a) == rooted(b) }

func rooted(name string) string {
	name, _, _ = strings.Cut(name, ":")
	if s, _ := runtimes.SchedulerByName(name); s.Twin != "" {
		return s.Twin
	}
	return name
}

// Predictors are shares of accesses that a fit may use.
type Predictors string

// The predictors.
const (
	L2   Predictors = "L2"       // beyond the L2 of their core
	LLC  Predictors = "LLC"      // beyond the LLC of their node
	Both Predictors = "L2 + LLC" // the two
)

var predictors = []Predictors{L2, LLC, Both}

// has says whether the predictors are x[i].
func (p Predictors) has(i int) bool { return p == Both || p == []Predictors{L2, LLC}[i] }

// A Scope is the configurations of one kernel, or of all, and what is predicted of them.
type Scope struct {
	Kernel     string     `json:"kernel"` // "": all, if there are several
	Comparison Comparison `json:"comparison"`
	Outcome    Outcome    `json:"outcome"`
	Unit       Unit       `json:"unit"` // of the predictors
	LeaveOut   LeaveOut   `json:"leave_out"`
	N          int        `json:"n"`        // configurations
	Settings   int        `json:"settings"` // kernels with parameters and cores: bootstrap units
	Schedulers []string   `json:"schedulers"`
	Fits       []Fit      `json:"fits"` // of L2, LLC, both
	// Gain is the held-out R2 of both less that of the better of the two alone.
	Gain Estimate `json:"gain"`
	// Why there is no fit; "" where there is.
	Why string `json:"why,omitempty"`
}

// A Fit is one of some predictors.
type Fit struct {
	Predictors Predictors `json:"predictors"`
	// HeldOut is the R2 of the predictions of what was left out, all together.
	HeldOut Estimate `json:"held_out_r2"`
	Left    []Left   `json:"left_out"` // each scheduler, or kernel
	// InSample is the R2 of the fit to all schedulers, whose coefficients follow; the intercept is
	// 0 between schedulers. Unknown: not used.
	InSample  result.Number `json:"in_sample_r2"`
	Intercept result.Number `json:"intercept"`
	L2        result.Number `json:"l2_slope"`
	LLC       result.Number `json:"llc_slope"`
}

// Left is what is predicted of a scheduler, or a kernel, by a fit to the others.
type Left struct {
	Of string        `json:"of"`
	R2 result.Number `json:"r2"`
	// RMSE is the root of the mean square error, in units of the outcome.
	RMSE result.Number `json:"rmse"`
}

// An Estimate is a value with the interval of a bootstrap that draws settings, each with all its
// schedulers. It says how far the value hangs on the settings, not what other schedulers would do.
type Estimate struct {
	Value result.Number `json:"value"`
	Low   result.Number `json:"low"`
	High  result.Number `json:"high"`
}

// fit fills in the scopes of g.
func (g *Group) fit() {
	kernels := g.distinct(func(c *Configuration) string { return c.Kernel })
	if len(kernels) > 1 {
		kernels = append([]string{""}, kernels...)
	}
	weighed := !slices.ContainsFunc(g.Configurations,
		func(c Configuration) bool { return !c.LinesLLC.Known() })
	for _, q := range questions {
		if q.outcome == Misses && g.MissSource == "" || q.unit == Lines && !weighed {
			continue
		}
		for _, comparison := range []Comparison{Values, Between} {
			for _, k := range kernels {
				of := []LeaveOut{Schedulers}
				if k == "" && len(kernels) > 3 {
					of = append(of, Kernels)
				}
				for _, left := range of {
					s := Scope{Kernel: k, Comparison: comparison, Outcome: q.outcome, Unit: q.unit,
						LeaveOut: left, Fits: []Fit{}}
					g.scope(&s)
					g.Scopes = append(g.Scopes, s)
				}
			}
		}
	}
}

// A question is an outcome to predict from predictors in a unit.
type question struct {
	outcome Outcome
	unit    Unit
}

var questions = []question{{WTI, Shares}, {WTI, Lines}, {Misses, Shares}}

// moments are sums over observations of two predictors and an outcome.
type moments struct {
	n  float64
	x  [2]float64
	y  float64
	xx [3]float64 // x0 x0, x0 x1, x1 x1
	xy [2]float64
	yy float64
}

// Products are rounded before they are added, so that all computers have the same sums.
func (m *moments) add(x [2]float64, y float64) {
	m.n++
	m.y += y
	m.yy += float64(y * y)
	for i := range x {
		m.x[i] += x[i]
		m.xy[i] += float64(x[i] * y)
	}
	m.xx[0] += float64(x[0] * x[0])
	m.xx[1] += float64(x[0] * x[1])
	m.xx[2] += float64(x[1] * x[1])
}

func (m *moments) plus(o *moments, times float64) {
	m.n += float64(times * o.n)
	m.y += float64(times * o.y)
	m.yy += float64(times * o.yy)
	for i := range m.x {
		m.x[i] += float64(times * o.x[i])
		m.xy[i] += float64(times * o.xy[i])
	}
	for i := range m.xx {
		m.xx[i] += float64(times * o.xx[i])
	}
}

// A line is a + b[0] x[0] + b[1] x[1].
type line struct {
	a float64
	b [2]float64
}

// fit returns the line of least squares in some predictors, through 0 unless free; NaN where the
// data do not determine one.
func (m *moments) fit(p Predictors, free bool) line {
	c := *m // about the means
	if free {
		for i := range c.x {
			c.xy[i] -= float64(m.x[i]*m.y) / m.n
		}
		c.xx[0] -= float64(m.x[0]*m.x[0]) / m.n
		c.xx[1] -= float64(m.x[0]*m.x[1]) / m.n
		c.xx[2] -= float64(m.x[1]*m.x[1]) / m.n
	}
	var l line
	det := float64(c.xx[0]*c.xx[2]) - float64(c.xx[1]*c.xx[1])
	switch {
	case p == Both && det > 1e-9*float64(c.xx[0]*c.xx[2]):
		l.b[0] = (float64(c.xx[2]*c.xy[0]) - float64(c.xx[1]*c.xy[1])) / det
		l.b[1] = (float64(c.xx[0]*c.xy[1]) - float64(c.xx[1]*c.xy[0])) / det
	case p == L2 && c.xx[0] > 1e-12*m.n:
		l.b[0] = c.xy[0] / c.xx[0]
	case p == LLC && c.xx[2] > 1e-12*m.n:
		l.b[1] = c.xy[1] / c.xx[2]
	default:
		return line{math.NaN(), [2]float64{math.NaN(), math.NaN()}}
	}
	if free {
		l.a = (m.y - float64(l.b[0]*m.x[0]) - float64(l.b[1]*m.x[1])) / m.n
	}
	return l
}

// squares returns the sum of the squared differences of the outcomes from l.
func (m *moments) squares(l line) float64 {
	s := m.yy + float64(l.a*l.a)*m.n - 2*float64(l.a*m.y)
	for i := range l.b {
		s += 2*float64(l.a*l.b[i])*m.x[i] - 2*float64(l.b[i]*m.xy[i])
	}
	s += float64(l.b[0]*l.b[0])*m.xx[0] + 2*float64(l.b[0]*l.b[1])*m.xx[1] +
		float64(l.b[1]*l.b[1])*m.xx[2]
	return max(0, s)
}

// A fold is what is fitted to and predicted when something is left out, by setting.
type fold struct {
	left        string
	train, test []moments
}

// sum returns the moments of the settings, each so many times; nil: once.
func (f *fold) sum(times []int) (train, test moments) {
	for i := range f.train {
		w := 1.0
		if times != nil {
			w = float64(times[i])
		}
		if w != 0 {
			train.plus(&f.train[i], w)
			test.plus(&f.test[i], w)
		}
	}
	return train, test
}

// data are the observations of a scope.
type data struct {
	free     bool // there is an intercept
	settings int
	folds    []fold
	all      moments
}

// observations returns what a scope has; between schedulers only settings with several.
func (g *Group) observations(of *Scope) *data {
	type observation struct {
		scheduler, kernel string
		x                 [2]float64
		y                 float64
	}
	by := map[string][]observation{}
	var order []string
	for i := range g.Configurations {
		c := &g.Configurations[i]
		y := c.WTI
		if of.Outcome == Misses {
			y = c.LLCMissesPerLine
		}
		if !of.has(c) {
			continue
		}
		x := [2]float64{c.BeyondL2.Float(), c.BeyondLLC.Float()}
		if of.Unit == Lines {
			x = [2]float64{c.LinesL2.Float(), c.LinesLLC.Float()}
		}
		s := c.setting()
		if by[s] == nil {
			order = append(order, s)
		}
		by[s] = append(by[s], observation{c.Scheduler, c.Kernel, x, y.Float()})
	}
	between := of.Comparison == Between
	if between {
		order = slices.DeleteFunc(order, func(s string) bool { return len(by[s]) < 2 })
	}
	d := &data{free: !between, settings: len(order)}
	// off returns an observation less the mean of those of its setting that a fit has seen; false
	// where that has seen none.
	off := func(v observation, all []observation, seen func(string) bool) (x [2]float64, y float64,
		ok bool) {
		if !between {
			return v.x, v.y, true
		}
		var m moments
		for _, w := range all {
			if seen(w.scheduler) {
				m.add(w.x, w.y)
			}
		}
		return [2]float64{v.x[0] - m.x[0]/m.n, v.x[1] - m.x[1]/m.n}, v.y - m.y/m.n, m.n > 0
	}
	everyone := func(string) bool { return true }
	for _, s := range order {
		for _, v := range by[s] {
			x, y, _ := off(v, by[s], everyone)
			d.all.add(x, y)
		}
	}
	list := of.Schedulers
	if of.LeaveOut == Kernels {
		list = g.distinct(func(c *Configuration) string { return c.Kernel })
	}
	for _, left := range list {
		f := fold{left, make([]moments, len(order)), make([]moments, len(order))}
		for i, s := range order {
			for _, v := range by[s] {
				name, seen := v.scheduler, func(s string) bool { return !twin(s, left) }
				if of.LeaveOut == Kernels {
					name, seen = v.kernel, everyone
				}
				x, y, ok := off(v, by[s], seen)
				switch {
				case !ok:
				case name == left:
					f.test[i].add(x, y)
				case of.LeaveOut == Kernels || seen(name):
					f.train[i].add(x, y)
				}
			}
		}
		d.folds = append(d.folds, f)
	}
	return d
}

// heldOut returns the R2 of all schedulers left out in turn, of resampled settings, by predictors;
// and each alone, if list is not nil.
func (d *data) heldOut(times []int, list *[][]Left) (r2 [3]float64) {
	var residual [3]float64
	total := 0.0
	for i := range d.folds {
		train, test := d.folds[i].sum(times)
		mean := line{}
		if d.free {
			mean.a = train.y / train.n
		}
		around := test.squares(mean)
		total += around
		for k, p := range predictors {
			rest := test.squares(train.fit(p, d.free))
			residual[k] += rest
			if list != nil {
				(*list)[k] = append((*list)[k], Left{d.folds[i].left,
					result.Some(1 - rest/around), result.Some(math.Sqrt(rest / test.n))})
			}
		}
	}
	for k := range r2 {
		r2[k] = 1 - residual[k]/total
	}
	return r2
}

// gain is what both predictors add to the better of one.
func gain(r2 [3]float64) float64 { return r2[2] - max(r2[0], r2[1]) }

// has reports whether c is of the scope.
func (s *Scope) has(c *Configuration) bool { return s.Kernel == "" || c.Kernel == s.Kernel }

// distinct is the number of schedulers, twins counted once.
func (s *Scope) distinct() (n int) {
	for i, a := range s.Schedulers {
		if !slices.ContainsFunc(s.Schedulers[:i], func(b string) bool { return twin(a, b) }) {
			n++
		}
	}
	return n
}

// scope fits and validates.
func (g *Group) scope(s *Scope) {
	seen := map[string]bool{}
	for i := range g.Configurations {
		if c := &g.Configurations[i]; s.has(c) {
			seen[c.Scheduler] = true
		}
	}
	s.Schedulers = slices.DeleteFunc(g.schedulers(), func(n string) bool { return !seen[n] })
	d := g.observations(s)
	s.N, s.Settings = int(d.all.n), d.settings
	switch {
	case s.distinct() < 3:
		s.Why = "fewer than 3 schedulers that differ: none can be left out"
	case s.Settings < result.MinSample:
		s.Why = fmt.Sprintf("%s of kernel, parameters and cores, expected %d at least",
			units.Count(s.Settings, "setting"), result.MinSample)
	}
	if s.Why != "" {
		return
	}
	lefts := make([][]Left, len(predictors))
	values := d.heldOut(nil, &lefts)
	for k, p := range predictors {
		f := Fit{Predictors: p, HeldOut: Estimate{Value: result.Some(values[k])}, Left: lefts[k]}
		l := d.all.fit(p, d.free)
		mean := line{}
		if d.free {
			f.Intercept, mean.a = result.Some(l.a), d.all.y/d.all.n
		}
		f.InSample = result.Some(1 - d.all.squares(l)/d.all.squares(mean))
		for i, slope := range []*result.Number{&f.L2, &f.LLC} {
			if p.has(i) {
				*slope = result.Some(l.b[i])
			}
		}
		s.Fits = append(s.Fits, f)
	}
	s.Gain.Value = result.Some(gain(values))
	rng := result.Draws(seed, d.settings)
	series := make([][]float64, len(predictors)+1)
	times := make([]int, d.settings)
	for range result.Resamples {
		clear(times)
		for range times {
			times[rng.IntN(len(times))]++
		}
		r2 := d.heldOut(times, nil)
		for k, v := range append(r2[:], gain(r2)) {
			series[k] = append(series[k], v)
		}
	}
	for k, e := range []*Estimate{&s.Fits[0].HeldOut, &s.Fits[1].HeldOut, &s.Fits[2].HeldOut,
		&s.Gain} {
		if low, high, ok := result.Defined(series[k]); ok && e.Value.Known() {
			e.Low, e.High = result.Some(low), result.Some(high)
		}
	}
}
