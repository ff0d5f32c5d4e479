package figures

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"krdlab/experiments"
)

// errNoWork is why figures of OVR and WTI are left out.
var errNoWork = errors.New("no kernel work was measured, so that there is neither OVR nor WTI")

// speedup is speed-up against cores (KRD paper, figures 1 a and 2 a).
func speedup(s *subject) (*Figure, error) {
	if err := s.several(); err != nil {
		return nil, err
	}
	p := s.againstCores("speed-up", func(r *experiments.Result) experiments.Quantity { return r.Summary.Speedup })
	if p == nil {
		return nil, errors.New("no speed-up is known: there are no serial runs beside the others")
	}
	most := float64(s.cores[len(s.cores)-1])
	p.Y = niceAxis(p.Y, 0, math.Max(most, p.Y.Max))
	p.Rules = []Rule{{Name: "ideal", X1: 0, Y1: 0, X2: most, Y2: most, Legend: true}}
	return &Figure{
		ID: "speedup", Title: "Speed-up", Columns: 1, Panels: []Panel{*p},
		Caption: []string{"Speed-up: serial time over time on N cores. " + s.sample(ratioBars)},
	}, nil
}

// overhead is the non-work overhead against cores (1 b, 2 b).
func overhead(s *subject) (*Figure, error) {
	if err := s.several(); err != nil {
		return nil, err
	}
	p := s.againstCores("OVR", func(r *experiments.Result) experiments.Quantity { return r.Summary.OVR })
	if p == nil {
		return nil, errNoWork
	}
	p.Y = niceAxis(p.Y, math.Min(1, p.Y.Min), math.Max(1, p.Y.Max))
	p.Rules = []Rule{{Name: "no overhead", X1: 0, Y1: 1, X2: p.X.Max, Y2: 1, Legend: true}}
	return &Figure{
		ID: "ovr", Title: "Non-work overhead (OVR)", Columns: 1, Panels: []Panel{*p},
		Caption: []string{"OVR: what is not kernel work (spawning, stealing, waiting), as the factor by which it lengthens the run. " + s.sample(ratioBars)},
	}, nil
}

// againstCores is a panel with a series for each scheduler and a point for each core count; nil if nothing is known.
func (s *subject) againstCores(label string, f func(*experiments.Result) experiments.Quantity) *Panel {
	p := &Panel{Kind: Lines, X: s.coreAxis(), Y: Axis{Label: label}}
	known := false
	low, high := math.Inf(1), math.Inf(-1)
	for _, name := range s.schedulers {
		series := schedulerSeries(name)
		for _, n := range s.cores {
			r := s.at(name, n)
			if r == nil {
				continue
			}
			q := f(r)
			if !q.Median.Known() {
				continue
			}
			v := Point{X: float64(n), At: strconv.Itoa(n), Y: q.Median, Low: q.Low, High: q.High, N: q.N}
			series.Points = append(series.Points, v)
			for _, e := range []experiments.Number{v.Y, v.Low, v.High} {
				if e.Known() {
					low, high = math.Min(low, e.Float()), math.Max(high, e.Float())
				}
			}
			known = true
		}
		if len(series.Points) > 0 {
			p.Series = append(p.Series, series)
		}
	}
	if !known {
		return nil
	}
	p.Y.Min, p.Y.Max = low, high
	return p
}

// coreAxis has a tick at each measured core count.
func (s *subject) coreAxis() Axis {
	a := Axis{Label: "cores", Unit: "cores", Max: float64(s.cores[len(s.cores)-1])}
	for _, n := range s.cores {
		a.Ticks = append(a.Ticks, Tick{float64(n), strconv.Itoa(n)})
	}
	return a
}

// niceAxis returns a with a range of whole steps around low and high, and a tick at each.
func niceAxis(a Axis, low, high float64) Axis {
	step := niceStep((high - low) / 5)
	first, last := int(math.Floor(low/step+1e-9)), int(math.Ceil(high/step-1e-9))
	if first == last {
		last++
	}
	a.Ticks = nil
	for i := first; i <= last; i++ {
		a.Ticks = append(a.Ticks, Tick{float64(i) * step, stepLabel(i, step)})
	}
	a.Min, a.Max = float64(first)*step, float64(last)*step
	return a
}

// niceStep is the least of 1, 2, 5 times a power of ten that is not below x; a step of 1 for what is not positive.
func niceStep(x float64) float64 {
	if !(x > 1e-300) {
		return 1
	}
	unit := math.Pow10(int(math.Floor(math.Log10(x))))
	for _, m := range []float64{1, 2, 5} {
		if m*unit >= x*(1-1e-9) {
			return m * unit
		}
	}
	return 10 * unit
}

func stepLabel(i int, step float64) string {
	digits := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	return fmt.Sprintf("%.*f", digits, float64(i)*step)
}
