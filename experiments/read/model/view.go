package model

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"krdlab/experiments/read/model/regress"
	"krdlab/experiments/run/result"
	"krdlab/hw/units"
	"krdlab/krd/doc"
)

// Tables are the names of [Report.Table].
var Tables = []string{"terms", "models", "left-out", "rows", "steps", "strengths", "clusters"}

// mostInText is how many terms the text has without all.
const mostInText = 20

// View returns what people read of the report: the answer, the terms, the models beside it, what is
// predicted of what was left out. all has every term, and the predictors by themselves.
func (r *Report) View(all bool) *doc.Doc {
	d := &doc.Doc{Warnings: r.Warnings[r.answered:]}
	if r.table.simulated() {
		d.Say("SIMULATED: times and misses are those of a model, no measurement")
	}
	d.Say("%s", r.Answer())
	if s := r.left(); s != "" {
		d.Say("%s", s)
	}
	if r.Select != "" {
		d.Say("stepwise by %s: %s, %d of %d terms stay", r.criterion(),
			units.Count(max(0, len(r.Steps)-1), "step"), len(r.fit.Design.Formula.Terms),
			len(r.full.Formula.Terms))
	}
	d.Add(r.terms(all))
	if e := r.Experiment; e != nil && e.Implied != nil && slices.ContainsFunc(r.Columns,
		func(c regress.Coding) bool { return strings.Contains(c.Name, "lines_per_ns") }) {
		m := e.Implied
		d.Say("By the file of the machine a line beyond the L2 costs %s ns in short rows and %s "+
			"in streams, and one beyond the LLC %s to %s (the farthest memory) and %s besides, "+
			"with nobody else at the memory.", units.Digits(m.RowL2, 2),
			units.Digits(m.StreamL2, 2), units.Digits(m.RowLLC, 2),
			units.Digits(m.RowRemote, 2), units.Digits(m.StreamLLC, 2))
	}
	if s := r.redundant(); s != "" {
		d.Say("%s", s)
	}
	d.Add(r.models())
	if t := r.leftOut(); len(t.Rows) > 0 && all {
		d.Add(t)
	}
	if all {
		if len(r.Strengths) > 0 {
			d.Add(r.strengthsTable())
		}
		if len(r.Steps) > 1 {
			d.Add(r.steps())
		}
	}
	return d
}

func (r *Report) criterion() string {
	if r.Select == regress.Equation5 {
		return "the regression paper's equation 5"
	}
	return "BIC"
}

// passesZero reports whether the response comes so near to 0 that errors in per cent say little.
func (r *Report) passesZero() bool {
	low, high := math.Inf(1), 0.0
	for _, y := range r.fit.Design.Y {
		low, high = min(low, math.Abs(y)), max(high, math.Abs(y))
	}
	return low < high/1e4
}

// left returns how well the rows left out are predicted.
func (r *Report) left() string {
	var words []string
	for i := range r.LeaveOne {
		v := &r.LeaveOne[i]
		if v.Why == "" && v.R2.Known() {
			words = append(words, fmt.Sprintf("%s with an R2 of %s", v.name(), v.r2()))
		}
	}
	if len(words) == 0 {
		return ""
	}
	return "Fitted to the others it predicts " + strings.Join(words, ", ") + "; 0 is no better " +
		"than their mean."
}

func (v *Validation) r2() string {
	if !v.R2Low.Known() {
		return two(v.R2)
	}
	return fmt.Sprintf("%s (%s to %s)", two(v.R2), two(v.R2Low), two(v.R2High))
}

func (r *Report) redundant() string {
	var words []string
	for _, d := range r.Redundant {
		words = append(words, fmt.Sprintf("%s (as %s: rho2 %s)", d.Name, d.Of, two(d.Similarity)))
	}
	if len(words) == 0 {
		return ""
	}
	return "Redundant, could be left out with --without: " + strings.Join(words, ", ") + "."
}

func two(n result.Number) string {
	return n.Print(func(v float64) string { return units.Fixed(v, 2) })
}

func percent(n result.Number) string {
	return n.Print(func(v float64) string { return fmt.Sprintf("%.1f %%", 100*v) })
}

// per prints what is in per cent.
func per(n result.Number) string {
	return n.Print(func(v float64) string {
		if v != 0 && math.Abs(v) < 0.001 {
			return "<0.001 %"
		}
		return units.Digits(v, 3) + " %"
	})
}

func signed(n result.Number) string {
	s := digits(n)
	if n.Float() > 0 {
		s = "+" + s
	}
	return s
}

func digits(n result.Number) string {
	return n.Print(func(v float64) string { return fmt.Sprintf("%.4g", v) })
}

// terms returns a table with a row for each coefficient: the intercept, then the surest first.
func (r *Report) terms(all bool) *doc.Table {
	t := doc.NewTable(1, "term", "estimate", "std. error", "t", "p", "VIF", "standardized",
		"its error", "its VIF")
	if r.Errors == "hc3" {
		t.Columns[2].Head = "HC3 error"
	}
	row := func(c *Term) {
		t.Row(c.Name, digits(c.Estimate), digits(c.StdError), two(c.T), doc.Probability(c.P),
			vif(c.VIF), digits(c.Standardized), digits(c.StdStdError), vif(c.StdVIF))
	}
	if len(r.Terms) > 0 && r.Terms[0].Name == "(Intercept)" {
		row(&r.Terms[0])
	}
	list := r.strongest()
	for i := range list {
		if i == mostInText && !all {
			t.Remarks = append(t.Remarks, fmt.Sprintf("%d more terms, less sure: --all or --csv "+
				"terms", len(list)-i))
			break
		}
		row(&list[i])
	}
	if len(list) > 1 {
		t.Remarks = append(t.Remarks, "the surest first: by standardized / its error")
	}
	for i := range r.Terms {
		if c := &r.Terms[i]; !c.Estimate.Known() {
			why := "others determine it"
			if slices.ContainsFunc(r.Aliased, func(a regress.Alias) bool {
				return a.Column == c.Name && len(a.Names) == 0
			}) {
				why = "it is the same in all rows"
			}
			t.Row(c.Name, doc.Missing(why), nil, nil, nil, nil, nil, nil, nil)
		}
	}
	return t
}

func vif(n result.Number) string {
	if !n.Known() {
		return ""
	}
	return units.Digits(n.Float(), 3)
}

// models returns the paper's table IV.
func (r *Report) models() *doc.Table {
	t := doc.NewTable(1, "model", "coefficients", "R2", "adjusted", "sigma", "BIC", "equation 5",
		"F", "p", "at 99 %", "error", "+- 1.96 sd")
	var ways []string
	for i := range r.LeaveOne {
		ways = append(ways, r.LeaveOne[i].name())
		t.Columns = append(t.Columns, doc.Column{Head: "R2, " + r.LeaveOne[i].name() + " out",
			Kind: doc.Real})
	}
	for i := range r.Models {
		c := &r.Models[i]
		cells := []any{c.Name, c.P, percent(c.R2), percent(c.Adj), digits(c.Sigma), digits(c.BIC),
			digits(c.Eq5), known(c.F, two(c.F)), known(c.PF, doc.Probability(c.PF)), c.Verdict, nil,
			nil}
		if v := c.CV; v != nil && v.Why != "" {
			cells[10] = doc.Missing(v.Why)
		} else if v != nil && v.ErrorPercent.Known() {
			cells[10] = per(v.ErrorPercent)
			cells[11] = per(result.Some(v.High.Float() - v.ErrorPercent.Float()))
		}
		for k := range ways {
			if v := &c.LeaveOne[k]; v.Why != "" {
				cells = append(cells, doc.Missing(v.Why))
			} else {
				cells = append(cells, v.r2())
			}
		}
		t.Row(cells...)
	}
	if v := r.CV; v != nil && v.Why == "" {
		s := "error: mean of |y - predicted| / |y| of rows left out (" + v.name() + ")"
		if v.Selected {
			s += fmt.Sprintf("; terms of the selected model are searched for in each fold; with "+
				"the terms of all rows it would be %s", per(v.FixedError))
		}
		if v.NotPredicted > 0 {
			s += fmt.Sprintf("; %s not predicted, of a category that a fit had not seen",
				units.Count(v.NotPredicted, "row"))
		}
		if v.Zero > 0 {
			s += fmt.Sprintf("; %s with %s = 0 left out", units.Count(v.Zero, "row"), r.Response)
		}
		t.Remarks = append(t.Remarks, s)
	}
	if len(r.Models) > 1 {
		t.Remarks = append(t.Remarks, "F: against the whole formula, a second order against "+
			"the third; reject: the larger is better")
	}
	return t
}

// known returns s, or nothing where n is no number.
func known(n result.Number, s string) string {
	if !n.Known() {
		return ""
	}
	return s
}

// leftOut returns a table with a row for each value that was left out.
func (r *Report) leftOut() *doc.Table {
	t := doc.NewTable(2, "left out", "", "rows", "error", "RMSE", "R2")
	t.Keys = 2
	for i := range r.LeaveOne {
		for _, l := range r.LeaveOne[i].Each {
			t.Row(r.LeaveOne[i].name(), l.Of, l.N, per(l.ErrorPercent), digits(l.RMSE), two(l.R2))
		}
	}
	return t
}

func (r *Report) strengthsTable() *doc.Table {
	t := doc.NewTable(1, "predictor", "rho2", "quadratic", "alike with", "rho2")
	for _, s := range r.Strengths {
		var with any
		var at any
		for _, c := range r.Clusters {
			if slices.Contains(c.Names, s.Name) {
				others := slices.DeleteFunc(slices.Clone(c.Names),
					func(n string) bool { return n == s.Name })
				with, at = strings.Join(others, ", "), two(c.Similarity)
				break
			}
		}
		t.Row(s.Name, two(s.Linear), two(s.Quadratic), with, at)
	}
	return t
}

func (r *Report) steps() *doc.Table {
	t := doc.NewTable(1, "step", r.criterion())
	for _, s := range r.Steps {
		name := "all terms"
		switch {
		case s.Term != "" && s.Added:
			name = "+ " + s.Term
		case s.Term != "":
			name = "- " + s.Term
		}
		t.Row(name, digits(s.Value))
	}
	return t
}

// Table returns a table as data.
func (r *Report) Table(name string) *doc.Table {
	switch name {
	case "models":
		return r.modelsData()
	case "left-out":
		t := doc.NewData(name, "model", "left_out", "value", "rows", "error_percent", "rmse", "r2",
			"r2_low", "r2_high")
		for i := range r.Models {
			c := &r.Models[i]
			for k := range c.LeaveOne {
				v := &c.LeaveOne[k]
				t.Row(c.Name, *v.Groups, "", v.Predicted, v.ErrorPercent, v.RMSE, v.R2, v.R2Low,
					v.R2High)
				for _, l := range v.Each {
					t.Row(c.Name, *v.Groups, l.Of, l.N, l.ErrorPercent, l.RMSE, l.R2, nil, nil)
				}
			}
		}
		return t
	case "rows":
		t := doc.NewData(name, "row", "response", "fitted", "residual", "leverage", "held_out")
		f := r.fit
		for i, row := range f.Design.Rows {
			held := result.Number{}
			if r.CV != nil && r.CV.predictions != nil {
				held = result.Some(r.CV.predictions[i].Value)
			}
			t.Row(row+1, result.Some(f.Design.Y[i]), result.Some(f.Fitted[i]),
				result.Some(f.Residuals[i]), result.Some(f.Leverage[i]), held)
		}
		return t
	case "steps":
		t := doc.NewData(name, "term", "added", "criterion")
		for _, s := range r.Steps {
			t.Row(s.Term, s.Added, s.Value)
		}
		return t
	case "strengths":
		t := doc.NewData(name, "predictor", "rho2", "rho2_quadratic")
		for _, s := range r.Strengths {
			t.Row(s.Name, s.Linear, s.Quadratic)
		}
		return t
	case "clusters":
		t := doc.NewData(name, "first", "second", "rho2")
		for _, c := range r.Clusters {
			t.Row(strings.Join(c.Names[:c.First], " "), strings.Join(c.Names[c.First:], " "),
				c.Similarity)
		}
		return t
	}
	t := doc.NewData("terms", "name", "estimate", "std_error", "t", "p", "vif", "standardized",
		"standardized_std_error", "standardized_p", "standardized_vif")
	for _, c := range r.Terms {
		t.Row(c.Name, c.Estimate, c.StdError, c.T, c.P, c.VIF, c.Standardized, c.StdStdError,
			c.StdP, c.StdVIF)
	}
	return t
}

func (r *Report) modelsData() *doc.Table {
	t := doc.NewData("models", "model", "formula", "coefficients", "r2", "r2_adjusted", "sigma",
		"bic", "eq5", "f", "df1", "df2", "p", "verdict", "error_percent", "low", "high", "p2_5",
		"p97_5", "fixed_error_percent")
	for i := range r.Models {
		c := &r.Models[i]
		v := c.CV
		if v == nil {
			v = &Validation{}
		}
		t.Row(c.Name, c.Formula, c.P, c.R2, c.Adj, c.Sigma, c.BIC, c.Eq5, c.F, c.DF1, c.DF2, c.PF,
			c.Verdict, v.ErrorPercent, v.Low, v.High, v.P2_5, v.P97_5, v.FixedError)
	}
	return t
}

// View returns what people read of predictions.
func (p *Predictions) View() *doc.Doc {
	d := &doc.Doc{Warnings: p.Warnings}
	d.Say("%s by %s: %s", p.Table, p.Model, p.Formula)
	if p.ErrorPercent.Known() {
		d.Say("the error is %s on average", per(p.ErrorPercent))
	}
	for _, l := range p.Lost {
		d.Say("%s without %s left out", units.Count(l.Rows, "row"), l.Column)
	}
	t := doc.NewTable(1, "row", "predicted", "low", "high", "in the table", "outside of the "+
		"data by")
	for _, row := range p.Rows {
		t.Row(row.Row, digits(row.Value), digits(row.Low), digits(row.High),
			known(row.Response, digits(row.Response)), strings.Join(row.Outside, ", "))
	}
	t.Remarks = []string{"low, high: 95 % of rows are expected within"}
	d.Add(t)
	return d
}

// Data returns the predictions as a table of data.
func (p *Predictions) Data() *doc.Table {
	t := doc.NewData("predictions", "row", "predicted", "low", "high", "mean_low", "mean_high",
		"response", "outside")
	for _, row := range p.Rows {
		t.Row(row.Row, row.Value, row.Low, row.High, row.MeanLow, row.MeanHigh, row.Response,
			strings.Join(row.Outside, " "))
	}
	return t
}

// View returns what people read of a change.
func (c *Change) View() *doc.Doc {
	d := &doc.Doc{Warnings: c.Warnings}
	percent := ""
	if c.Percent.Known() {
		percent = fmt.Sprintf(", %s %%", signed(c.Percent))
	}
	d.Say("%s from %s to %s: %s goes from %s to %s, by %s (95 %%: %s to %s)%s.",
		c.Predictor, units.Digits(c.From, 4), units.Digits(c.To, 4), c.Response, digits(c.Before),
		digits(c.After), signed(c.Difference), digits(c.Low), digits(c.High), percent)
	others := "all others at their means"
	if len(c.At) > 0 {
		others = strings.Join(c.At, ", ") + ", " + others
	}
	if c.Categories {
		others += ", categories at the first"
	}
	d.Say("%s: %s", c.Formula, others)
	d.Say("This is the difference between rows that differ so, not the effect of a change.")
	return d
}

// short cuts a long formula for an error.
func short(s string) string {
	if r := []rune(s); len(r) > 200 {
		return string(r[:200]) + "..."
	}
	return s
}
