package model

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"

	"krdlab/experiments/run/estimate"
	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/hw/units"
	"krdlab/krd/plot"
)

// Figures are those of [Report.Figure], by name.
var Figures = []string{"diagnostics", "coefficients", "effects", "held-out", "clusters",
	"strengths"}

// Figure draws one of Figures. The error is a [*request.Error] of a name that is none, and where
// the model has nothing to draw in it.
func (r *Report) Figure(name string) (*plot.Figure, error) {
	draw := map[string]func() *plot.Figure{"diagnostics": r.diagnostics,
		"coefficients": r.coefficientsFigure, "effects": r.effects, "held-out": r.heldOut,
		"clusters": r.dendrogram, "strengths": r.strengths}[name]
	if draw == nil {
		return nil, &request.Error{Flag: "figure", Got: name,
			Want: request.Suggest(name, Figures, "")}
	}
	f := draw()
	if f == nil || len(f.Panels) == 0 {
		return nil, &request.Error{Flag: "figure", Got: name, Want: "the model has nothing to " +
			"draw in " +
			"it: coefficients and effects need terms, effects products of two or three numbers, held-out " +
			"folds, clusters two predictors or more"}
	}
	f.ID = "model-" + name
	f.Caption = append(f.Caption, r.Asked+r.origin())
	return f, nil
}

// origin returns where the rows are from.
func (r *Report) origin() string {
	s := fmt.Sprintf("; %s of %s", units.Count(r.N, "row"), r.Source)
	if r.Experiment != nil {
		s += ", " + r.Experiment.Substrate + " on " + r.Experiment.Machine
	}
	if r.table.simulated() {
		s += " (SIMULATED: a model's times, no measurement)"
	}
	return s + "."
}

// mostPoints is how many rows a panel shows; of more, those in equal steps, and the farthest.
const mostPoints = 600

// scatter returns a panel of points.
func scatter(title, x, y string, xs, ys []float64) plot.Panel {
	p := plot.Panel{Kind: plot.Lines, Title: title, X: plot.Axis{Label: x}, Y: plot.Axis{Label: y}}
	s := plot.NewSeries("rows", 1)
	s.Apart, s.Dots = true, true
	low, high := math.Inf(1), math.Inf(-1)
	bottom, top := math.Inf(1), math.Inf(-1)
	step := (len(xs) + mostPoints - 1) / mostPoints
	far := 0.0
	for _, v := range ys {
		far = max(far, math.Abs(v))
	}
	for i, v := range xs {
		low, high = min(low, v), max(high, v)
		bottom, top = min(bottom, ys[i]), max(top, ys[i])
		if i%step == 0 || math.Abs(ys[i]) > far/2 {
			s.Points = append(s.Points, plot.Point{X: v, Y: result.Some(ys[i]), N: 1,
				At: units.Digits(v, 4)})
		}
	}
	p.X, p.Y = plot.NiceAxis(p.X, low, high), plot.NiceAxis(p.Y, bottom, top)
	p.X.Thousands()
	p.Y.Thousands()
	p.Series = []plot.Series{s}
	return p
}

// diagnostics draws the paper's figure 4 and what R's plot of a model draws beside it.
func (r *Report) diagnostics() *plot.Figure {
	f := r.fit
	sigma := f.Sigma()
	if !(sigma > 0) {
		return nil
	}
	var standard, root, normal, sorted, leverage []float64
	for i, e := range f.Residuals {
		z := e / (sigma * math.Sqrt(max(1e-12, 1-f.Leverage[i])))
		standard, root = append(standard, z), append(root, math.Sqrt(math.Abs(z)))
		leverage = append(leverage, f.Leverage[i])
	}
	sorted = slices.Sorted(slices.Values(standard))
	for i := range sorted {
		normal = append(normal, distuv.UnitNormal.Quantile((float64(i)+0.5)/float64(len(sorted))))
	}
	all := &plot.Figure{Title: "Residuals of " + r.Response, Columns: 2, Panels: []plot.Panel{
		scatter("residuals against fitted", "fitted", "residual", f.Fitted, f.Residuals),
		scatter("normal quantiles", "normal quantile", "standardized residual", normal, sorted),
		scatter("scale-location", "fitted", "root of |standardized residual|", f.Fitted, root),
		scatter("leverage", "leverage", "standardized residual", leverage, standard),
	}}
	all.Panels[0].Rules = []plot.Rule{{X1: all.Panels[0].X.Min, X2: all.Panels[0].X.Max}}
	q := &all.Panels[1]
	low, high := max(q.X.Min, q.Y.Min), min(q.X.Max, q.Y.Max)
	q.Rules = []plot.Rule{{X1: low, Y1: low, X2: high, Y2: high, Dashed: true}}
	all.Caption = []string{"A model whose form is right has residuals without a trend over the " +
		"fitted values and of one spread; where they are normal, their quantiles lie on the " +
		"dashed line. Rows of high leverage pull the fit to themselves."}
	if r.N > mostPoints {
		all.Caption = append(all.Caption, fmt.Sprintf("One in %d rows is drawn, and the farthest.",
			(r.N+mostPoints-1)/mostPoints))
	}
	return all
}

// strongest returns the terms but the intercept by the size of their standardized t.
func (r *Report) strongest() []Term {
	var list []Term
	for _, t := range r.Terms {
		if t.Name != "(Intercept)" && t.Standardized.Known() {
			list = append(list, t)
		}
	}
	slices.SortStableFunc(list, func(a, b Term) int {
		return cmp.Compare(b.size(), a.size())
	})
	return list
}

func (t *Term) size() float64 {
	v := math.Abs(t.Standardized.Float() / t.StdStdError.Float())
	if math.IsNaN(v) {
		return math.Abs(t.Standardized.Float())
	}
	return v
}

// mostTerms is how many coefficients a figure shows.
const mostTerms = 24

// coefficientsFigure draws the standardized coefficients, the paper's figure 3.
func (r *Report) coefficientsFigure() *plot.Figure {
	list := r.strongest()
	more := ""
	if len(list) > mostTerms {
		more = fmt.Sprintf(" The %d strongest of %d.", mostTerms, len(list))
		list = list[:mostTerms]
	}
	if len(list) == 0 {
		return nil
	}
	p := named("change of " + r.Response + " by one standard deviation")
	s := plot.NewSeries("standardized coefficient", 1)
	s.Apart = true
	half := estimate.T(r.DF)
	low, high := 0.0, 0.0
	for i, t := range list {
		e, w := t.Standardized.Float(), half*t.StdStdError.Float()
		p.X.Ticks = append(p.X.Ticks, plot.Tick{Value: float64(i), Label: t.Name})
		point := plot.Point{X: float64(i), At: t.Name, Y: t.Standardized, N: r.N}
		if w == w {
			point.Low, point.High = result.Some(e-w), result.Some(e+w)
			low, high = min(low, e-w), max(high, e+w)
		}
		low, high = min(low, e), max(high, e)
		s.Points = append(s.Points, point)
	}
	p.X.Max = float64(len(list)) - 0.5
	p.Y = plot.NiceAxis(p.Y, low, high)
	p.Y.Thousands()
	p.Series = []plot.Series{s}
	p.Rules = []plot.Rule{{X1: p.X.Min, X2: p.X.Max}}
	return &plot.Figure{Title: "What goes with " + r.Response, Columns: 1,
		Panels: []plot.Panel{p}, Caption: []string{"Coefficients of predictors as z-scores, and " +
			"of their products, the surest first; bars are intervals of 95 %. The intercept, " +
			"where all are at their means, is " + units.Digits(r.atMeans(), 4) + "." + more}}
}

// atMeans returns the response where all predictors are at their means.
func (r *Report) atMeans() float64 {
	if len(r.Terms) > 0 && r.Terms[0].Name == "(Intercept)" {
		return r.Terms[0].Standardized.Float()
	}
	return math.NaN()
}

// named returns a panel with names at the left.
func named(y string) plot.Panel {
	return plot.Panel{Kind: plot.Lines, X: plot.Axis{Min: -0.5}, Y: plot.Axis{Label: y},
		Flipped: true}
}

// strengths draws the paper's figure 2.
func (r *Report) strengths() *plot.Figure {
	if len(r.Strengths) == 0 {
		return nil
	}
	p := named("part of the ranks of " + r.Response + " explained")
	one, two := plot.NewSeries("linear in ranks", 1), plot.NewSeries("quadratic in ranks", 2)
	one.Apart, two.Apart = true, true
	for i, s := range r.Strengths {
		p.X.Ticks = append(p.X.Ticks, plot.Tick{Value: float64(i), Label: s.Name})
		one.Points = append(one.Points, plot.Point{X: float64(i), At: s.Name, Y: s.Linear, N: r.N})
		two.Points = append(two.Points, plot.Point{X: float64(i), At: s.Name, Y: s.Quadratic,
			N: r.N})
	}
	p.X.Max = float64(len(r.Strengths)) - 0.5
	p.Y = plot.NiceAxis(p.Y, 0, 1)
	p.Series = []plot.Series{one, two}
	return &plot.Figure{Title: "Each predictor alone against " + r.Response, Columns: 1,
		Panels: []plot.Panel{p}, Caption: []string{"Spearman's coefficient squared, and the same " +
			"with squares of ranks, which sees relations that turn."}}
}

// dendrogram draws the paper's figure 1.
func (r *Report) dendrogram() *plot.Figure {
	if len(r.Clusters) == 0 {
		return nil
	}
	p := named("squared Spearman coefficient")
	p.Y.Max = 1
	for i := range 6 {
		v := float64(i) / 5
		p.Y.Ticks = append(p.Y.Ticks, plot.Tick{Value: v, Label: fmt.Sprintf("%.1f", 1-v)})
	}
	order := r.Clusters[len(r.Clusters)-1].Names
	type top struct{ x, y float64 }
	tops := map[string]top{} // of the cluster of names
	s := plot.NewSeries("predictors", 0)
	s.Apart = true
	for i, name := range order {
		p.X.Ticks = append(p.X.Ticks, plot.Tick{Value: float64(i), Label: name})
		tops[name] = top{float64(i), 0}
		s.Points = append(s.Points, plot.Point{X: float64(i), At: name, Y: result.Some(0), N: r.N})
	}
	p.X.Max = float64(len(order)) - 0.5
	key := func(names []string) string { return strings.Join(names, "\x00") }
	for _, c := range r.Clusters {
		a, b := tops[key(c.Names[:c.First])], tops[key(c.Names[c.First:])]
		y := 1 - c.Similarity.Float()
		p.Rules = append(p.Rules, plot.Rule{X1: a.x, Y1: a.y, X2: a.x, Y2: y},
			plot.Rule{X1: b.x, Y1: b.y, X2: b.x, Y2: y}, plot.Rule{X1: a.x, Y1: y, X2: b.x, Y2: y})
		tops[key(c.Names)] = top{(a.x + b.x) / 2, y}
	}
	p.Series = []plot.Series{s}
	return &plot.Figure{Title: "Which predictors are alike", Columns: 1, Panels: []plot.Panel{p},
		Caption: []string{"Clusters of predictors with complete linkage: two parts are joined at " +
			"the least squared Spearman coefficient of a predictor of one with one of the other. " +
			"Those joined low say nearly the same."}}
}

// heldOut draws the held-out R2 of each model, by what is left out.
func (r *Report) heldOut() *plot.Figure {
	p := named("held-out R2")
	p.Flipped, p.Y.Max = false, 1
	for i := range 6 {
		v := float64(i) / 5
		p.Y.Ticks = append(p.Y.Ticks, plot.Tick{Value: v, Label: fmt.Sprintf("%.1f", v)})
	}
	n := 0
	for k := range r.Models {
		c := &r.Models[k]
		s := plot.NewSeries(c.Name, k)
		s.Apart = true
		ways := c.LeaveOne
		if c.CV != nil {
			ways = slices.Concat([]Validation{*c.CV}, ways)
		}
		for i := range ways {
			v := &ways[i]
			name := v.name()
			if k == 0 {
				if v.Seed == nil {
					name += " left out"
				}
				p.X.Ticks = append(p.X.Ticks, plot.Tick{Value: float64(i), Label: name})
			}
			x := float64(i) + 0.6*(float64(k)+0.5)/float64(len(r.Models)) - 0.3
			point := plot.Point{X: x, At: name, Y: v.R2, N: v.Predicted}
			if v.R2.Float() >= 0 { // the others have no room
				point.Low, point.High = v.R2Low, v.R2High
			}
			s.Points = append(s.Points, point)
		}
		n = len(ways)
		p.Series = append(p.Series, s)
	}
	if n == 0 {
		return nil
	}
	p.X.Max = float64(n) - 0.5
	rows := "the other rows"
	if r.Absorbed != "" {
		rows += " of the same " + r.Absorbed
	}
	caption := "1: exactly; 0: no better than the mean of " + rows + ". Bars are intervals of " +
		"95 %, with an arrow where they go below 0; a point below 0 has its value at the foot."
	if r.Experiment != nil {
		caption += " A scheduler is left out with those that do nearly the same."
	}
	return &plot.Figure{Title: "How well rows are predicted that the fit has not seen", Columns: 1,
		Panels: []plot.Panel{p}, Caption: []string{caption}}
}

// name names the rows that were left out.
func (v *Validation) name() string {
	if v.Seed == nil {
		return "a " + *v.Groups
	}
	s := fmt.Sprintf("%d folds", v.Folds)
	if v.Groups != nil {
		s += " by " + *v.Groups
	}
	return s
}
