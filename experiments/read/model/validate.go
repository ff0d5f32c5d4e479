package model

import (
	"fmt"
	"slices"

	"krdlab/experiments/read/model/regress"
	"krdlab/experiments/run/estimate"
	"krdlab/experiments/run/result"
	"krdlab/hw/failure"
)

// A Validation is of predictions of rows by fits that have not seen them.
type Validation struct {
	Folds int `json:"folds"`
	// Groups is the column or group whose rows folds keep together; null: rows are dealt one by
	// one.
	Groups *string `json:"groups"`
	Seed   *uint64 `json:"seed"` // null where each group is a fold
	// Selected records that terms were searched for anew in each fold.
	Selected bool `json:"selected_in_folds"`
	Accuracy
	// FixedError is that of the selected terms fitted in each fold: what it is less than
	// error_percent is the search's optimism. null without a search.
	FixedError result.Number `json:"fixed_error_percent"`
	// Each has a line for each value that was left out; absent of random folds.
	Each []Left `json:"each,omitempty"`
	// Why there is none.
	Why string `json:"why,omitempty"`

	predictions []regress.Prediction
}

// Accuracy sums up predictions. ErrorPercent is the mean of 100 |y - predicted| / |y|, Low and High
// are 1.96 standard deviations of the rows from it (the paper does not say which interval its
// table IV has), P2_5 and P97_5 percentiles of the rows.
type Accuracy struct {
	ErrorPercent result.Number `json:"error_percent"`
	Low          result.Number `json:"low"`
	High         result.Number `json:"high"`
	P2_5         result.Number `json:"p2_5"`
	P97_5        result.Number `json:"p97_5"`
	RMSE         result.Number `json:"rmse"`
	// R2 is the part of what the mean of the other rows (of an absorbed group: of the group's other
	// rows) leaves that is predicted; its interval a bootstrap over settings, groups or rows.
	R2     result.Number `json:"r2"`
	R2Low  result.Number `json:"r2_low"`
	R2High result.Number `json:"r2_high"`
	// Predicted counts rows; NotPredicted those that have a category which the fit has not seen,
	// and Zero those whose y is 0, which has no error in %.
	Predicted    int `json:"predicted"`
	NotPredicted int `json:"not_predicted"`
	Zero         int `json:"response_zero"`
}

// Left is how well one value that was left out is predicted.
type Left struct {
	Of string `json:"of"`
	N  int    `json:"n"`
	Accuracy
}

// A Compared is a model beside that of the report.
type Compared struct {
	Name    string `json:"name"`
	Formula string `json:"formula"`
	Order   int    `json:"order"` // of the largest products, before a selection
	// Selected records that terms were searched for.
	Selected bool          `json:"selected"`
	P        int           `json:"coefficients"`
	R2       result.Number `json:"r2"`
	Adj      result.Number `json:"r2_adjusted"`
	Sigma    result.Number `json:"sigma"`
	BIC      result.Number `json:"bic"`
	Eq5      result.Number `json:"eq5"`
	// the F-test against the whole formula, of that one against the third order (regression paper,
	// IV-B); null of the largest
	F   result.Number `json:"f"`
	DF1 int           `json:"df1"`
	DF2 int           `json:"df2"`
	PF  result.Number `json:"p"`
	// Verdict is that of the paper at 99 %: "reject" where the larger model is better, "accept"
	// where that is not shown; "" without a test.
	Verdict  string       `json:"verdict"`
	CV       *Validation  `json:"cv"`
	LeaveOne []Validation `json:"leave_one"`
	// Gain is the held-out R2 of the report's model less that of this one, for each of LeaveOne.
	Gain []Gain `json:"gain"`
}

// A Gain is a difference of two held-out R2, with an interval of paired resamples.
type Gain struct {
	Value result.Number `json:"value"`
	Low   result.Number `json:"low"`
	High  result.Number `json:"high"`
}

// rejectBelow is the level of the F-tests' verdicts (regression paper, IV-B).
const rejectBelow = 0.01

// A way is one of dealing rows to folds.
type way struct {
	name   string // of the group or column; ""
	random bool
	folds  []int
	values []string // of the folds that are no random ones
	why    string
}

// ways returns how the rows of d are dealt: at random first, where that was asked for.
func (t *Table) ways(d *regress.Design, o *Options) (list []way, err error) {
	if o.Folds > 0 {
		name := o.Groups
		if name == "" {
			name = t.Folds
		}
		w := way{name: name, random: true}
		var numbers []int
		units := len(d.Rows)
		if name != "" {
			texts, err := t.group("groups", name)
			if err != nil {
				return nil, err
			}
			var values []string
			numbers, values = numbered(texts, d.Rows)
			units = len(values)
		}
		w.folds = regress.Folds(len(d.Rows), min(o.Folds, units), numbers, o.Seed)
		if units < 2 {
			w.why = "fewer than two rows or groups to part"
		}
		list = append(list, w)
	}
	for _, name := range o.LeaveOne {
		texts, err := t.group("leave-one", name)
		if err != nil {
			return nil, err
		}
		w := way{name: name}
		w.folds, w.values = numbered(texts, d.Rows)
		if len(w.values) < 3 {
			w.why = fmt.Sprintf("%d different values of %s, expected 3 at least", len(w.values),
				name)
		}
		list = append(list, w)
	}
	return list, nil
}

// numbered numbers the texts of some rows from 0.
func numbered(texts []string, rows []int) (numbers []int, values []string) {
	index := map[string]int{}
	for _, i := range rows {
		n, ok := index[texts[i]]
		if !ok {
			n = len(values)
			index[texts[i]] = n
			values = append(values, texts[i])
		}
		numbers = append(numbers, n)
	}
	return numbers, values
}

// A candidate is a model to validate; by is the criterion of the search that made it, "" for none.
type candidate struct {
	name   string
	design *regress.Design
	fit    *regress.Fit
	by     regress.Criterion
}

// validate fills in what rows that a fit has not seen say of it, and of the models beside it.
func (r *Report) validate(full *regress.Design, whole *regress.Fit, o *Options) error {
	ways, err := r.table.ways(full, o)
	if err != nil {
		return err
	}
	var models []candidate
	if f := full.Formula.Main(); len(f.Terms) < len(full.Formula.Terms) && len(f.Terms) > 0 {
		models = append(models, candidate{name: "first order", design: full.Terms(f.Terms)})
	}
	name := "the formula"
	switch n := order(full.Formula); {
	case len(o.Against) > 0:
		name = full.Formula.String()
	case n < 2:
	case n == 2:
		name = "second order"
	default:
		name = fmt.Sprintf("order %d", n)
	}
	models = append(models, candidate{name: name, design: full, fit: whole})
	if o.Select != "" {
		models = append(models, candidate{name + ", selected", full, r.fit, o.Select})
	}
	main := len(models) - 1
	for _, text := range o.Against {
		f, err := r.table.formula(text, &Options{})
		if err != nil {
			return err
		}
		d, err := regress.NewDesign(r.table.Frame, f)
		if err != nil {
			return err
		}
		if f.Response != r.Response || !slices.Equal(d.Rows, full.Rows) || f.Groups != r.Absorbed {
			return failure.Errorf(failure.Request, "--against %s: expected the response, the rows "+
				"and the absorbed column of %s", text, short(r.Full))
		}
		models = append(models, candidate{name: text, design: d})
	}
	third, err := r.third(full, whole)
	if err != nil {
		return err
	}
	if third != nil {
		models = append(models, candidate{name: "third order", design: third})
	}
	for i := range models {
		if m := &models[i]; m.fit == nil {
			if m.fit, err = m.design.Fit(); err != nil {
				return err
			}
		}
	}
	block := r.blocks(full)
	for i := range models {
		m, larger := &models[i], whole
		if m.fit == whole && third != nil {
			larger = models[len(models)-1].fit
		}
		c := Compared{Name: m.name, Formula: m.fit.Design.Formula.String(),
			Order: order(m.design.Formula), Selected: m.by != "", P: m.fit.P,
			R2: result.Some(m.fit.R2()), Adj: result.Some(m.fit.R2Adjusted()),
			Sigma: result.Some(m.fit.Sigma()), BIC: result.Some(m.fit.BIC()),
			Eq5: result.Some(m.fit.Equation5()), LeaveOne: []Validation{}, Gain: []Gain{}}
		if m.fit.P < larger.P && within(m.fit.Design.Formula, larger.Design.Formula) {
			t := regress.Test(m.fit, larger)
			c.F, c.DF1, c.DF2, c.PF = result.Some(t.F), t.DF1, t.DF2, result.Some(t.P)
			switch {
			case t.P < rejectBelow:
				c.Verdict = "reject"
			case t.P >= rejectBelow:
				c.Verdict = "accept"
			}
		}
		for k := range ways {
			w := &ways[k]
			v := m.validate(w, block, o)
			if w.random {
				c.CV = &v
			} else {
				c.LeaveOne = append(c.LeaveOne, v)
			}
		}
		r.Models = append(r.Models, c)
	}
	of := &r.Models[main]
	r.CV, r.LeaveOne = of.CV, of.LeaveOne
	for i := range r.Models {
		c := &r.Models[i]
		for k := range c.LeaveOne {
			if i != main {
				c.Gain = append(c.Gain, gain(full, &of.LeaveOne[k], &c.LeaveOne[k], block))
			}
		}
	}
	return nil
}

// mostThird is how many coefficients a third order has at most: ten predictors have 176. Of more the fits
// to folds would take minutes.
const mostThird = 200

// third returns the third order beside a formula of the second; nil where that has no product of three,
// more than mostThird coefficients, or too few rows for them.
func (r *Report) third(full *regress.Design, whole *regress.Fit) (*regress.Design, error) {
	if order(full.Formula) != 2 {
		return nil, nil
	}
	next, codings, columns := full.Formula.Next(), full.Codings(), whole.P
	for _, t := range next.Terms[len(full.Formula.Terms):] {
		of := 1
		for _, v := range t {
			of *= max(1, len(codings[v].Levels)-1)
		}
		columns += of
	}
	if len(next.Terms) == len(full.Formula.Terms) || columns > mostThird || r.N < rowsEach*columns {
		return nil, nil
	}
	return regress.NewDesign(r.table.Frame, next)
}

// order returns that of the largest product of f.
func order(f *regress.Formula) (n int) {
	for _, t := range f.Terms {
		n = max(n, len(t))
	}
	return n
}

// within reports whether all terms of a are in b.
func within(a, b *regress.Formula) bool {
	var names []string
	for _, t := range b.Terms {
		names = append(names, b.Name(t))
	}
	return !slices.ContainsFunc(a.Terms, func(t regress.Term) bool {
		return !slices.Contains(names, a.Name(t))
	})
}

// validate predicts the rows of a model by fits to others.
func (m *candidate) validate(w *way, block []int, o *Options) Validation {
	v := Validation{Folds: 1 + slices.Max(append([]int{-1}, w.folds...)), Selected: m.by != "",
		Why: w.why}
	if w.name != "" {
		v.Groups = &w.name
	}
	if w.random {
		v.Seed = &o.Seed
	}
	if v.Why != "" {
		return v
	}
	list, err := m.design.Validate(w.folds, m.by, func(done, of int) {
		o.Progress("validation of "+m.name, done, of)
	})
	if err != nil {
		v.Why = "a part of the rows cannot be fitted: " + err.Error()
		return v
	}
	v.predictions = list
	v.Accuracy = assess(m.design, list)
	v.interval(m.design, block)
	if m.by != "" {
		if fixed, err := m.fit.Design.Validate(w.folds, "", nil); err == nil {
			v.FixedError = assess(m.design, fixed).ErrorPercent
		}
	}
	for fold, name := range w.values {
		var own []regress.Prediction
		for i, f := range w.folds {
			if f == fold {
				own = append(own, list[i])
			}
		}
		v.Each = append(v.Each, Left{name, len(own), assess(m.design, own)})
	}
	return v
}

func assess(d *regress.Design, list []regress.Prediction) Accuracy {
	a := d.Assess(list)
	return Accuracy{ErrorPercent: result.Some(a.Error), Low: result.Some(a.Low),
		High: result.Some(a.High), P2_5: result.Some(a.P2_5), P97_5: result.Some(a.P97_5),
		RMSE: result.Some(a.RMSE), R2: result.Some(a.R2), Predicted: a.N, NotPredicted: a.NoValue,
		Zero: a.Zero}
}

// blocks numbers the rows that resamples of predictions draw together.
func (r *Report) blocks(d *regress.Design) []int {
	name := r.table.Block
	if name == "" {
		name = r.table.Folds
	}
	if texts, err := r.table.group("groups", name); err == nil {
		numbers, _ := numbered(texts, d.Rows)
		return numbers
	}
	numbers := make([]int, len(d.Rows))
	for i := range numbers {
		numbers[i] = i
	}
	return numbers
}

// mostBlocks is how many blocks a bootstrap draws: 4000 resamples of them take 2 s.
const mostBlocks = 20_000

// squaresOf returns the squares that predictions and their bases leave, by block.
func squaresOf(d *regress.Design, list []regress.Prediction, block []int) (rest, base []float64) {
	n := 1 + slices.Max(block)
	rest, base = make([]float64, n), make([]float64, n)
	for _, p := range list {
		y := d.Y[p.Row]
		if e := (y - p.Value) * (y - p.Value); e == e { // not NaN
			rest[block[p.Row]] += e
			base[block[p.Row]] += (y - p.Base) * (y - p.Base)
		}
	}
	return rest, base
}

// resample calls each with the sums of sums over resamples of blocks. It reports whether there are
// enough of them, and not too many.
func resample(each func(sums []float64), values ...[]float64) bool {
	n := len(values[0])
	if n < estimate.MinSample || n > mostBlocks {
		return false
	}
	rng := estimate.Draws(1, n)
	sums := make([]float64, len(values))
	for range estimate.Resamples {
		clear(sums)
		for range n {
			b := rng.IntN(n)
			for k, v := range values {
				sums[k] += v[b]
			}
		}
		each(sums)
	}
	return true
}

// interval fills in that of the held-out R2.
func (v *Validation) interval(d *regress.Design, block []int) {
	rest, base := squaresOf(d, v.predictions, block)
	var series []float64
	if !resample(func(s []float64) { series = append(series, 1-s[0]/s[1]) }, rest, base) {
		return
	}
	if low, high, ok := estimate.Defined(series); ok && v.R2.Known() {
		v.R2Low, v.R2High = result.Some(low), result.Some(high)
	}
}

// gain returns how much better the first predicts than the second, over the rows that both predict.
func gain(d *regress.Design, a, b *Validation, block []int) (g Gain) {
	if a.Why != "" || b.Why != "" {
		return g
	}
	var both [2][]regress.Prediction
	for i := range a.predictions {
		if x, y := a.predictions[i], b.predictions[i]; x.Value == x.Value && y.Value == y.Value {
			both[0], both[1] = append(both[0], x), append(both[1], y)
		}
	}
	restA, baseA := squaresOf(d, both[0], block)
	restB, baseB := squaresOf(d, both[1], block)
	diff := func(s []float64) float64 { return s[2]/s[3] - s[0]/s[1] }
	sums := make([]float64, 4)
	for k, v := range [][]float64{restA, baseA, restB, baseB} {
		for _, x := range v {
			sums[k] += x
		}
	}
	g.Value = result.Some(diff(sums))
	var series []float64
	if resample(func(s []float64) { series = append(series, diff(s)) }, restA, baseA, restB,
		baseB) {
		if low, high, ok := estimate.Defined(series); ok {
			g.Low, g.High = result.Some(low), result.Some(high)
		}
	}
	return g
}
