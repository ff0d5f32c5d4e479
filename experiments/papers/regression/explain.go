package regression

import (
	"math"

	"krdlab/experiments/papers/claims"
	"krdlab/experiments/read/model"
	"krdlab/experiments/read/model/regress"
	"krdlab/experiments/run/result"
	"krdlab/experiments/run/stats"
)

// A response is a column that is explained.
type response struct {
	key, name, formula string
	logarithm          bool // errors are root mean squares, not shares
}

var responses = []response{{"wti", "work time inflation", stats.WTI.Key, false},
	{"core-time", "log core time", "log(" + stats.CoreTime.Key + ")", true}}

// deals is how often rows are dealt to folds: as many as an interval needs.
const deals = 6

// leftOut are the columns whose values are left out one by one, too.
var leftOut = []string{"scheduler", "kernel"}

// A deal is the report of one deal of rows to folds, with the models in it; nil: there is none, as there
// were too few rows for its coefficients.
type deal struct {
	*model.Report
	logarithm                    bool
	first, second, pruned, third *model.Compared
}

// An explained response has the deals; the first has all further results. Without deals there were
// too few rows.
type explained struct {
	response
	table *model.Table
	deals []*deal
	why   string // there are none
}

// explain fits the models to a table, whose rows may become fewer.
func explain(t *model.Table, r response) *explained {
	x := &explained{response: r, table: t}
	formula := t.DefaultFormula(r.formula)
	for seed := range uint64(deals) {
		o := model.Options{Formula: formula, Select: regress.BIC, Folds: 10, Seed: seed + 1, Orders: -1}
		if seed == 0 {
			o.Orders = 0
			for _, name := range leftOut {
				if t.Groups[name] != nil {
					o.LeaveOne = append(o.LeaveOne, name)
				}
			}
		}
		report, err := model.Of(t, o)
		if err != nil {
			x.deals, x.why = nil, err.Error()
			return x
		}
		x.deals = append(x.deals, newDeal(report, r.logarithm))
	}
	return x
}

func newDeal(r *model.Report, logarithm bool) *deal {
	d := &deal{Report: r, logarithm: logarithm}
	for i := range r.Models {
		switch c := &r.Models[i]; {
		case c.Order == 1 && !c.Selected:
			d.first = c
		case c.Order == 2 && c.Selected:
			d.pruned = c
		case c.Order == 2:
			d.second = c
		case c.Order == 3:
			d.third = c
		}
	}
	return d
}

// over returns the values of of over the deals; unknown where one has none.
func (x *explained) over(of func(*deal) float64) result.Quantity {
	var s result.Sample
	for _, d := range x.deals {
		v := of(d)
		if math.IsNaN(v) {
			return result.Quantity{}
		}
		s.Values = append(s.Values, v)
	}
	return s.Quantity()
}

// number returns what of returns for a model; NaN where that is not there.
func number(c *model.Compared, of func(*model.Compared) result.Number) float64 {
	if c == nil {
		return math.NaN()
	}
	return of(c).Float()
}

// miss returns the error of rows left out, in per cent.
func (d *deal) miss(c *model.Compared) float64 {
	return number(c, func(c *model.Compared) result.Number {
		switch {
		case c.CV == nil || c.CV.Why != "":
			return result.Number{}
		case d.logarithm:
			return result.Some(100 * c.CV.RMSE.Float())
		}
		return c.CV.ErrorPercent
	})
}

func p(c *model.Compared) float64 {
	return number(c, func(c *model.Compared) result.Number { return c.PF })
}

func adjusted(c *model.Compared) float64 {
	return number(c, func(c *model.Compared) result.Number { return c.Adj })
}

func bic(c *model.Compared) float64 {
	return number(c, func(c *model.Compared) result.Number { return c.BIC })
}

// below returns by how much the error of a model is below another's.
func (d *deal) below(a, b *model.Compared) float64 { return claims.Gap(d.miss(a), d.miss(b)) }
