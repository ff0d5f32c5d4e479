package model

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/mathext"

	"krdlab/experiments/read/model/regress"
	"krdlab/krd/doc"
)

// sureLevel is the corrected p below which residuals are doubted: those of real tables are not normal.
const sureLevel = 0.001

// apartBy is how many times as far off as all other rows an outlier is: the farthest of skewed or
// heavy-tailed residuals are not.
const apartBy = 2

// outliers finds the row that is farthest off the expectation of a fit to the others (externally
// studentized residuals; Cook and Weisberg, Residuals and Influence in Regression, 1982), and
// counts those like it. A far row among many that are less and less so is a tail.
func (r *Report) outliers() {
	type off struct {
		row int
		t   float64
	}
	f, df := r.fit, float64(r.DF-1)
	var list []off
	for i, e := range f.Residuals {
		if free := 1 - f.Leverage[i]; free > 1e-9 { // else the row has a coefficient of its own
			rest := max(f.RSS-e*e/free, 1e-20*f.RSS)
			list = append(list, off{f.Design.Rows[i], math.Abs(e) / math.Sqrt(free*rest/df)})
		}
	}
	slices.SortFunc(list, func(a, b off) int { return cmp.Compare(b.t, a.t) })
	p := func(t float64) float64 {
		return min(1, float64(r.N)*mathext.RegIncBeta(df/2, 0.5, df/(df+t*t)))
	}
	for i := range len(list) / 10 {
		if p(list[i].t) >= sureLevel {
			return
		}
		if list[i].t >= apartBy*list[i+1].t {
			x := doc.Find(Outlier, list[0].t, p(list[0].t)).About("row " + strconv.Itoa(list[0].row+1))
			x.Count, x.Of = i+1, "rows"
			r.Conclude(x)
			return
		}
	}
}

// curved finds the predictors whose square explains what the model leaves.
func (r *Report) curved() {
	f := r.fit.Design.Formula
	if f.Groups != "" {
		return
	}
	least, name := 1.0, ""
	for _, t := range f.Terms {
		x := f.Name(t)
		if len(t) != 1 || r.fit.Design.Predictor(t[0]) == nil || r.table.Frame.Column(x) == nil {
			continue
		}
		larger, err := regress.Parse(r.Formula+" + I(`"+x+"`^2)", r.table.Frame.Names())
		if err != nil {
			continue
		}
		d, err := regress.NewDesign(r.table.Frame, larger)
		if err != nil {
			continue
		}
		if fit, err := d.Fit(); err == nil {
			if p := regress.Test(r.fit, fit).P * float64(len(f.Terms)); p < min(least, sureLevel) {
				least, name = p, x
			}
		}
	}
	if name != "" {
		r.Conclude(doc.Find(Bent, least).About(name))
	}
}
