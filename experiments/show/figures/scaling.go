package figures

import (
	"errors"
	"math"
	"strconv"

	"krdlab/experiments/run/result"
	"krdlab/experiments/run/stats"
	"krdlab/krd/plot"
)

// errNoWTI is why figures of WTI are left out.
var errNoWTI = errors.New("no kernel work was measured that could differ from the serial run's, " +
	"so that there is no WTI")

// A ratio is a measure against cores, with a figure of its own.
type ratio struct {
	id, title, label string
	says             string // what it is, for the caption
	rule             string // the name of the line at 1; "": the line of speed-up N
	of               func(*result.Result) result.Quantity
	unknown          error // why it has no figure where nothing is known
}

var (
	speedup = ratio{"speedup", "Speed-up", "speed-up",
		"Speed-up: serial time over time on N cores.", "", stats.Speedup.Of,
		errors.New("no speed-up is known: there are no serial runs beside the others")}
	overhead = ratio{"ovr", "Non-work overhead (OVR)", "OVR",
		"OVR: what is not kernel work (spawning, stealing, waiting), as the factor by which it " +
			"lengthens the run.", "no overhead",
		stats.OVR.Of,
		errors.New("no kernel work was measured, so that there is neither OVR nor WTI")}
	inflation = ratio{"wti", "Work time inflation (WTI)", "WTI",
		"WTI: time in kernels over that in the serial run.", "no inflation", stats.WTI.Of, errNoWTI}
	// by definition of OVR the inverse of WTI, whose interval it has
	inverseWTI = ratio{"speedup-ovr", "Speed-up \u00d7 OVR / N = 1 / WTI",
		"speed-up \u00d7 OVR / N", "By the definition of OVR this is 1 / WTI: below 1, the same " +
			"kernels take longer than in the serial run.", "no inflation",
		func(r *result.Result) result.Quantity {
			q := r.Summary.WTI
			inverse := func(n result.Number) result.Number { return result.Some(1 / n.Float()) }
			q.Median, q.Low, q.High = inverse(q.Median), inverse(q.High), inverse(q.Low)
			return q
		}, errNoWTI}
)

// figure draws the ratio.
func (m ratio) figure(s *subject) (*plot.Figure, error) {
	if err := s.several(); err != nil {
		return nil, err
	}
	p := s.panel(m, m.rule)
	if p == nil {
		return nil, m.unknown
	}
	return &plot.Figure{ID: m.id, Title: m.title, Columns: 1, Panels: []plot.Panel{*p},
		Caption: s.says(m.says, ratios, p)}, nil
}

// panel returns a ratio against cores with its line of reference; nil if nothing is known.
func (s *subject) panel(m ratio, rule string) *plot.Panel {
	p := s.againstCores(m.label, m.of)
	if p == nil {
		return nil
	}
	if rule != "" {
		p.RuleAtOne(rule)
		return p
	}
	most := float64(s.cores[len(s.cores)-1])
	p.Y = plot.NiceAxis(p.Y, 0, math.Max(most, p.Y.Max))
	p.Rules = []plot.Rule{{Name: "ideal", X2: most, Y2: most, Legend: true}}
	return p
}

// factors returns speed-up beside the two factors that it loses to the ideal, each on its own axis.
func factors(s *subject) (*plot.Figure, error) {
	if err := s.several(); err != nil {
		return nil, err
	}
	const rule = "no overhead, no inflation"
	up, ovr, wti := s.panel(speedup, ""), s.panel(overhead, rule), s.panel(inflation, rule)
	if up == nil || ovr == nil || wti == nil {
		return nil, errNoWTI
	}
	up.Title, ovr.Title, wti.Title = "speed-up", "overhead (OVR)", "work time inflation (WTI)"
	return &plot.Figure{
		ID: "factors", Title: "Speed-up = N / (OVR \u00d7 WTI)", Columns: 3,
		Panels: []plot.Panel{*up, *ovr, *wti},
		Caption: s.says("Two factors keep the speed-up on N cores below N: OVR, work besides the "+
			"kernels, and WTI, kernels that take longer. Each has a scale of its own.", ratios, up),
	}, nil
}

// againstCores returns a panel with a series for each scheduler and a point for each core count;
// nil if nothing is known.
func (s *subject) againstCores(label string,
	f func(*result.Result) result.Quantity) *plot.Panel {
	p := &plot.Panel{Kind: plot.Lines, X: s.coreAxis(), Y: plot.Axis{Label: label}}
	for _, name := range s.schedulers {
		series := s.series(name)
		for _, n := range s.cores {
			r := s.at(name, n)
			if r == nil {
				continue
			}
			q := f(r)
			if !q.Median.Known() {
				continue
			}
			v := plot.Point{X: float64(n), At: strconv.Itoa(n), Y: q.Median, Low: q.Low, High: q.High,
				N: q.N, Disturbed: s.disturbed(name, n)}
			series.Points = append(series.Points, v)
		}
		if len(series.Points) > 0 {
			p.Series = append(p.Series, series)
		}
	}
	if len(p.Series) == 0 {
		return nil
	}
	p.Y.Min, p.Y.Max = plot.Span(p.Series)
	return p
}

// says returns a caption: the quantity, the meaning of points and bars, and the schedulers of the
// group that are not in the panel.
func (s *subject) says(what string, how statistic, p *plot.Panel) []string {
	return append([]string{what + " " + s.sample(how)}, s.absent(p)...)
}

// coreAxis returns an axis with a tick at each measured core count.
func (s *subject) coreAxis() plot.Axis {
	a := plot.Axis{Label: "cores", Unit: "cores", Max: float64(s.cores[len(s.cores)-1])}
	for _, n := range s.cores {
		a.Ticks = append(a.Ticks, plot.Tick{Value: float64(n), Label: strconv.Itoa(n)})
	}
	return a
}
