package figures

import (
	"errors"
	"math"
	"strconv"

	"krdlab/experiments/result"
	"krdlab/krd/plot"
)

// errNoWork is why figures of OVR and WTI are left out.
var errNoWork = errors.New("no kernel work was measured, so that there is neither OVR nor WTI")

// errNoWTI is why figures of WTI are left out.
var errNoWTI = errors.New("no kernel work was measured that could differ from the serial run's, " +
	"so that there is no WTI")

// speedup is speed-up against cores (KRD paper, figures 1 a and 2 a).
func speedup(s *subject) (*plot.Figure, error) {
	if err := s.several(); err != nil {
		return nil, err
	}
	p := s.againstCores("speed-up",
		func(r *result.Result) result.Quantity { return r.Summary.Speedup })
	if p == nil {
		return nil, errors.New("no speed-up is known: there are no serial runs beside the others")
	}
	s.ideal(p)
	return &plot.Figure{
		ID: "speedup", Title: "Speed-up", Columns: 1, Panels: []plot.Panel{*p},
		Caption: s.says("Speed-up: serial time over time on N cores.", ratios, p),
	}, nil
}

// overhead is the non-work overhead against cores (1 b, 2 b).
func overhead(s *subject) (*plot.Figure, error) {
	if err := s.several(); err != nil {
		return nil, err
	}
	p := s.againstCores("OVR",
		func(r *result.Result) result.Quantity { return r.Summary.OVR })
	if p == nil {
		return nil, errNoWork
	}
	p.RuleAtOne("no overhead")
	return &plot.Figure{
		ID: "ovr", Title: "Non-work overhead (OVR)", Columns: 1, Panels: []plot.Panel{*p},
		Caption: s.says("OVR: what is not kernel work (spawning, stealing, waiting), as the "+
			"factor by which it lengthens the run.", ratios, p),
	}, nil
}

// inverseWTI is speed-up x OVR / N (1 c, 2 c): by definition of OVR the inverse of WTI, whose
// interval it has.
func inverseWTI(s *subject) (*plot.Figure, error) {
	if err := s.several(); err != nil {
		return nil, err
	}
	p := s.againstCores("speed-up \u00d7 OVR / N",
		func(r *result.Result) result.Quantity {
			q := r.Summary.WTI
			inverse := func(n result.Number) result.Number {
				return result.Some(
					1 / n.Float())
			}
			q.Median, q.Low, q.High = inverse(q.Median), inverse(q.High), inverse(q.Low)
			return q
		})
	if p == nil {
		return nil, errNoWTI
	}
	p.RuleAtOne("no inflation")
	return &plot.Figure{
		ID: "speedup-ovr", Title: "Speed-up \u00d7 OVR / N = 1 / WTI", Columns: 1,
		Panels: []plot.Panel{*p},
		Caption: s.says("By the definition of OVR this is 1 / WTI: below 1, the same kernels "+
			"take longer than in the serial run.", ratios, p),
	}, nil
}

// inflation is WTI against cores, on an axis of its own.
func inflation(s *subject) (*plot.Figure, error) {
	if err := s.several(); err != nil {
		return nil, err
	}
	p := s.againstCores("WTI", func(r *result.Result) result.Quantity { return r.Summary.WTI })
	if p == nil {
		return nil, errNoWTI
	}
	p.RuleAtOne("no inflation")
	return &plot.Figure{
		ID: "wti", Title: "Work time inflation (WTI)", Columns: 1, Panels: []plot.Panel{*p},
		Caption: s.says("WTI: time in kernels over that in the serial run.", ratios, p),
	}, nil
}

// factors is speed-up beside the two factors that it loses to the ideal, each on its own axis.
func factors(s *subject) (*plot.Figure, error) {
	if err := s.several(); err != nil {
		return nil, err
	}
	up := s.againstCores("speed-up",
		func(r *result.Result) result.Quantity { return r.Summary.Speedup })
	ovr := s.againstCores("OVR", func(r *result.Result) result.Quantity { return r.Summary.OVR })
	wti := s.againstCores("WTI", func(r *result.Result) result.Quantity { return r.Summary.WTI })
	if up == nil || ovr == nil || wti == nil {
		return nil, errNoWTI
	}
	s.ideal(up)
	ovr.RuleAtOne("no overhead, no inflation")
	wti.RuleAtOne("no overhead, no inflation")
	up.Title, ovr.Title, wti.Title = "speed-up", "overhead (OVR)", "work time inflation (WTI)"
	return &plot.Figure{
		ID: "factors", Title: "Speed-up = N / (OVR \u00d7 WTI)", Columns: 3,
		Panels: []plot.Panel{*up, *ovr, *wti},
		Caption: s.says("What keeps the speed-up on N cores below N: OVR, work besides the "+
			"kernels, and WTI, kernels that take longer. Each has a scale of its own.", ratios, up),
	}, nil
}

// ideal gives the axis of speed-up its ticks, and the line of speed-up N.
func (s *subject) ideal(p *plot.Panel) {
	most := float64(s.cores[len(s.cores)-1])
	p.Y = plot.NiceAxis(p.Y, 0, math.Max(most, p.Y.Max))
	p.Rules = []plot.Rule{{Name: "ideal", X1: 0, Y1: 0, X2: most, Y2: most, Legend: true}}
}

// againstCores is a panel with a series for each scheduler and a point for each core count; nil if
// nothing is known.
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

// says is a caption: what is shown, what points and bars are, and which schedulers of the group are
// not in the panel.
func (s *subject) says(what string, how statistic, p *plot.Panel) []string {
	return append([]string{what + " " + s.sample(how)}, s.absent(p)...)
}

// coreAxis has a tick at each measured core count.
func (s *subject) coreAxis() plot.Axis {
	a := plot.Axis{Label: "cores", Unit: "cores", Max: float64(s.cores[len(s.cores)-1])}
	for _, n := range s.cores {
		a.Ticks = append(a.Ticks, plot.Tick{Value: float64(n), Label: strconv.Itoa(n)})
	}
	return a
}
