package figures

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"krdlab/experiments/dataset"
	"krdlab/experiments/result"
	"krdlab/hw"
	"krdlab/krd"
	"krdlab/loi"
)

// misses is the share of far accesses against LLC misses, a point for each scheduler and core
// count, with the line of least squares.
func misses(s *subject) (*Figure, error) {
	source, traced := "", false
	type sample struct {
		name  string
		cores int
		x     Point // the share, in %
		y     result.Quantity
	}
	var list []sample
	for _, name := range s.schedulers {
		for _, n := range s.cores {
			r, hs := s.at(name, n), s.traced(name, n)
			traced = traced || len(hs) > 0
			if r == nil || !r.Summary.LLCMissesPerCore.Median.Known() {
				continue
			}
			if from := *r.LLCSource; source == "" {
				source = from
			} else if from != source {
				return nil, fmt.Errorf("LLC misses come from %s and from %s, which are never "+
					"drawn together", source, from)
			}
			if len(hs) > 0 {
				x := spread(hs, 0, "", func(h *krd.Histogram) result.Number {
					v,
						_ := dataset.Share(h, s.threshold())
					return v
				})
				list = append(list, sample{name, n, x, r.Summary.LLCMissesPerCore})
			}
		}
	}
	switch {
	case !traced:
		return nil, errNoKRD
	case source == "":
		return nil, errors.New("LLC misses were not counted")
	case len(list) == 0:
		return nil, errors.New("no cell has both reuse distances and LLC misses")
	}
	sourceSays := map[string]string{result.LLCSourceModel: "modelled",
		hw.SourcePerf: "counted by hardware"}[source]
	if sourceSays == "" {
		sourceSays = source
	}
	f := &Figure{ID: "misses", Title: "Far accesses and LLC misses", Columns: 2}
	counts := map[int]bool{}
	for _, e := range list {
		counts[e.cores] = true
	}
	var says []string
	for _, view := range []struct {
		title string
		all   bool // of all cores together
	}{{"misses per core", false}, {"misses of all cores", true}} {
		p := Panel{Title: view.title, Kind: Lines, X: Axis{Label: "far accesses [%]", Unit: "%"}}
		var xs, ys []float64
		left, right, top := math.Inf(1), math.Inf(-1), 0.0
		for _, name := range s.schedulers {
			series := schedulerSeries(name)
			series.Apart = true
			for _, e := range list {
				if e.name != name {
					continue
				}
				m := 1.0
				if view.all {
					m = float64(e.cores)
				}
				scaled := func(n result.Number) result.Number {
					return result.Some(
						float64(n.Float() * m))
				}
				v := Point{
					X: e.x.Y.Float(), XLow: e.x.Low, XHigh: e.x.High, At: plural(e.cores, "core"),
					Label: strconv.Itoa(e.cores), N: min(e.y.N, e.x.N),
					Y: scaled(e.y.Median), Low: scaled(e.y.Low), High: scaled(e.y.High),
				}
				series.Points = append(series.Points, v)
				xs, ys = append(xs, v.X), append(ys, v.Y.Float())
				left, right = math.Min(left, v.X), math.Max(right, v.X)
				if v.XLow.Known() {
					left, right = math.Min(left, v.XLow.Float()), math.Max(right, v.XHigh.Float())
				}
			}
			if len(series.Points) > 0 {
				top = math.Max(top, highest(series.Points))
				p.Series = append(p.Series, series)
			}
		}
		p.X = niceAxis(p.X, math.Max(0, left-0.05*(right-left)), right+0.05*(right-left))
		p.Y = niceAxis(Axis{Label: "LLC misses, " + sourceSays, Unit: "misses"}, 0, top)
		p.Y.thousands()
		if len(counts) > 1 && !view.all {
			says = append(says, "no line for misses per core, which fall with the number of "+
				"cores whatever the reuse does")
		} else if l, ok := fit(xs, ys); ok {
			p.Rules = []Rule{l.rule(slices.Min(xs), slices.Max(xs), p.Y.Max)}
			says = append(says, fmt.Sprintf("%s: least squares over n = %s, Pearson's r = %.2f",
				view.title, plural(len(list), "point"), l.r))
		} else {
			says = append(says, "no line for "+view.title+
				", the points being too few or in one row or column")
		}
		f.Panels = append(f.Panels, p)
	}
	f.Caption = append([]string{
		fmt.Sprintf("Each point is one scheduler at one core count, which stands beside it where "+
			"there is room: medians, with intervals of at least 95 %% where there are 6 "+
			"repetitions. Far: a reuse distance of %s, first accesses counted in.",
			s.thresholdSays()),
		"Lines: " + strings.Join(says, "; ") + ".",
	}, s.absent(&f.Panels[0])...)
	if source == result.LLCSourceModel && s.Substrate == loi.Native {
		f.Caption = append(f.Caption, "The misses are not measured: a model of the caches "+
			"counted them.")
	}
	return f, nil
}

// A line is y = a + b x with Pearson's correlation r of what it was fitted to.
type line struct{ a, b, r float64 }

// fit is the line of least squares; none through fewer than 3 points or where x or y does not vary.
func fit(xs, ys []float64) (l line, ok bool) {
	n := float64(len(xs))
	if len(xs) < 3 {
		return l, false
	}
	var mx, my float64
	for i := range xs {
		mx, my = mx+xs[i]/n, my+ys[i]/n
	}
	var xx, xy, yy float64
	for i := range xs {
		dx, dy := xs[i]-mx, ys[i]-my
		xx, xy, yy = xx+float64(dx*dx), xy+float64(dx*dy), yy+float64(dy*dy)
	}
	if !(xx > 0) || !(yy > 0) {
		return l, false
	}
	l.b = xy / xx
	l.a = my - float64(l.b*mx)
	l.r = xy / math.Sqrt(float64(xx*yy))
	return l, true
}

// rule is the line between two x, cut where it leaves 0 to top.
func (l line) rule(x1, x2, top float64) Rule {
	y := func(x float64) float64 { return l.a + float64(l.b*x) }
	for _, x := range []*float64{&x1, &x2} {
		if v := y(*x); v < 0 {
			*x = -l.a / l.b
		} else if v > top {
			*x = (top - l.a) / l.b
		}
	}
	return Rule{Name: "least squares", X1: x1, Y1: y(x1), X2: x2, Y2: y(x2), Legend: true,
		Dashed: true}
}
