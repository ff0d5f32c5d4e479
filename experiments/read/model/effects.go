package model

import (
	"fmt"
	"krdlab/experiments/read/model/regress"
	"krdlab/experiments/run/estimate"
	"krdlab/experiments/run/result"
	"krdlab/hw/units"
	"krdlab/krd/plot"
	"math"
	"slices"
	"strings"
)

// effects draws the response over one predictor at three values of another, for the surest products
// of two; where the model has their product with a third, at three values of that.
func (r *Report) effects() *plot.Figure {
	f := &plot.Figure{Title: "Effects of products on " + r.Response, Columns: 2,
		Caption: []string{"The expected response over one predictor, where the other of the " +
			"product is one standard deviation below its mean, at it and above (within the range of " +
			"the data); all others at their means, categories at the first. Bars: intervals of 95 % " +
			"of the mean."}}
	list, most := r.strongest(), 4
	var threes, drawn [][]int
	for _, t := range list {
		if p := r.product(t.Name); len(p) == 3 {
			threes, f.Columns, most = append(threes, p), 3, 6
		}
	}
	for _, t := range list {
		p := r.product(t.Name)
		for _, three := range threes {
			if third := without(three, p); len(p) == 2 && len(third) == 1 {
				p = append(p, third...)
				break
			}
		}
		if len(p) < 2 || slices.ContainsFunc(drawn, func(d []int) bool { return len(without(p, d)) == 0 }) {
			continue
		}
		panels, err := r.effect(p)
		if err == nil && len(f.Panels)+len(panels) <= most {
			drawn, f.Panels = append(drawn, p), append(f.Panels, panels...)
		}
	}
	if f.Columns == 3 {
		f.Caption = append(f.Caption, "A product of three is drawn at such values of the third: low, "+
			"middle and high, on one scale.")
	}
	return f
}

// product returns the numbers of two or three predictors that a term is the product of, nil of
// other terms.
func (r *Report) product(term string) (list []int) {
	for name := range strings.SplitSeq(term, ":") {
		list = append(list, r.predictor(name))
	}
	if n := len(list); n < 2 || n > 3 || slices.Contains(list, -1) {
		return nil
	}
	return list
}

// without returns what of a is not in b.
func without(a, b []int) []int {
	return slices.DeleteFunc(slices.Clone(a), func(x int) bool { return slices.Contains(b, x) })
}

// predictor returns the number of a column of numbers, -1 for none.
func (r *Report) predictor(name string) int {
	return slices.IndexFunc(r.Columns, func(c regress.Coding) bool {
		return c.Name == name && c.Levels == nil
	})
}

// level returns one standard deviation below the mean (-1), the mean (0), or as much above (1),
// within the range.
func level(c *regress.Coding, k int) float64 {
	return min(max(c.Mean+float64(k)*c.SD, c.Min), c.Max)
}

// effect returns the panel of two predictors, the first on the axis, or one for each level of a
// third.
func (r *Report) effect(product []int) (panels []plot.Panel, err error) {
	x, z := &r.Columns[product[0]], &r.Columns[product[1]]
	title, at := x.Name+" and "+z.Name, make([]float64, len(r.Columns))
	for m, c := range r.Columns {
		at[m] = c.Mean
	}
	levels := []string{""}
	if len(product) == 3 {
		levels = []string{"low", "middle", "high"}
	}
	low, high := math.Inf(1), math.Inf(-1)
	for k, name := range levels {
		p := plot.Panel{Kind: plot.Lines, Title: title, X: plot.Axis{Label: x.Name},
			Y: plot.Axis{Label: r.Response}}
		if len(product) == 3 {
			third := &r.Columns[product[2]]
			at[product[2]] = level(third, k-1)
			p.Title += fmt.Sprintf(", %s %s: %s", third.Name, name, units.Digits(at[product[2]], 3))
		}
		for k, name := range []string{"one sd below its mean", "at its mean", "one sd above"} {
			at[product[1]] = level(z, k-1)
			s := plot.NewSeries("the other "+name, k+1)
			bottom, top, err := r.line(&s, product[0], at)
			if err != nil {
				return nil, err
			}
			low, high = min(low, bottom), max(high, top)
			p.Series = append(p.Series, s)
		}
		panels = append(panels, p)
	}
	for i := range panels {
		p := &panels[i]
		first, last := p.Series[0].Points[0].X, p.Series[0].Points[5].X
		p.X, p.Y = plot.NiceAxis(p.X, first, last), plot.NiceAxis(p.Y, low, high)
		p.X.Thousands()
		p.Y.Thousands()
	}
	return panels, nil
}

// line adds the response over predictor i to a series, where the others are at values, and returns
// from where to where its intervals reach.
func (r *Report) line(s *plot.Series, i int, values []float64) (low, high float64, err error) {
	x := &r.Columns[i]
	from, to := max(x.Min, x.Mean-2*x.SD), min(x.Max, x.Mean+2*x.SD)
	var points [][]float64
	for step := range 6 {
		point := slices.Clone(values)
		point[i] = from + float64(step)/5*(to-from)
		points = append(points, point)
	}
	d, err := regress.NewPoints(r.Formula, r.Columns, points)
	if err != nil {
		return 0, 0, err
	}
	b, half := r.estimates(), estimate.T(r.DF)*r.Sigma.Float()
	low, high = math.Inf(1), math.Inf(-1)
	for row, point := range points {
		v, values := 0.0, r.values(d, row)
		for m := range b {
			v += b[m] * values[m]
		}
		w := half * math.Sqrt(r.Hull.leverage(values))
		low, high = min(low, v-w), max(high, v+w)
		s.Points = append(s.Points, plot.Point{X: point[i], At: units.Digits(point[i], 4),
			Y: result.Some(v), Low: result.Some(v - w), High: result.Some(v + w), N: r.N})
	}
	return low, high, nil
}
