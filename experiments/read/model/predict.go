package model

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"krdlab/experiments/read/model/regress"
	"krdlab/experiments/run/estimate"
	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/hw/failure"
	"krdlab/hw/textfile"
	"krdlab/krd/doc"
)

// A Hull bounds where the data of a fit lie. Beside the range of each predictor (Report.Columns) it
// is the ellipsoid of the largest leverage of a row: it holds the convex hull of the rows, and a
// row outside is an extrapolation even where each predictor is within its range (D. Montgomery, E.
// Peck and G. Vining, "Introduction to linear regression analysis", 3.8).
type Hull struct {
	MaxLeverage float64 `json:"max_leverage"`
	// Columns are those of the model that have a coefficient, the intercept first where there is
	// one, and Factor the matrix F with leverage |F' x|^2, by rows of Columns.
	Columns []string    `json:"columns"`
	Factor  [][]float64 `json:"factor"`
}

func hullOf(f *regress.Fit) *Hull {
	h := &Hull{MaxLeverage: slices.Max(f.Leverage)}
	h.Columns, h.Factor = f.Factor()
	return h
}

// leverage returns that of a row, of whose columns x are the values.
func (h *Hull) leverage(x []float64) (sum float64) {
	if len(h.Factor) == 0 {
		return 0
	}
	for k := range h.Factor[0] {
		v := 0.0
		for j, row := range h.Factor {
			v += x[j] * row[k]
		}
		sum += v * v
	}
	return sum
}

// ReadModel reads the document of a fitted model. Errors: those of the file system; no such
// document.
func ReadModel(path string) (*Report, error) {
	data, err := textfile.ReadFile(path)
	if err != nil {
		return nil, err
	}
	r := &Report{}
	if err := json.Unmarshal(data, r); err != nil {
		if e := (*json.UnmarshalTypeError)(nil); errors.As(err, &e) {
			err = fmt.Errorf("%s is a JSON %s", cmp.Or(e.Field, "the whole of it"), e.Value)
		}
		return nil, failure.Errorf(failure.Data, "%s: no document of krdlab model --json: %w", path,
			err)
	}
	if r.SchemaVersion != SchemaVersion || r.Formula == "" || r.Hull == nil || len(r.Terms) == 0 {
		return nil, failure.Errorf(failure.Data, "%s: no document of krdlab model --json of "+
			"version %d", path, SchemaVersion)
	}
	if r.Absorbed != "" {
		return nil, failure.Errorf(failure.Request, "%s: the model absorbs %s, and predicts only "+
			"differences within it; fit a formula without |", path, r.Absorbed)
	}
	for _, row := range r.Hull.Factor {
		if len(row) != len(r.Hull.Columns) || len(r.Hull.Factor) != len(row) {
			return nil, failure.Errorf(failure.Data, "%s: hull.factor is no square matrix of its "+
				"columns", path)
		}
	}
	if err := r.consistent(); err != nil {
		return nil, failure.Errorf(failure.Data, "%s: %w; expected a document of krdlab model "+
			"--json as it was written", path, err)
	}
	return r, nil
}

// consistent returns an error where the parts of a document are not those of one model.
func (r *Report) consistent() error {
	means := make([]float64, len(r.Columns))
	for i, c := range r.Columns {
		means[i] = c.Mean
	}
	d, err := regress.NewPoints(r.Formula, r.Columns, [][]float64{means})
	if err != nil {
		return err
	}
	names := d.Names
	if d.Formula.Intercept {
		names = append([]string{"(Intercept)"}, names...)
	}
	var terms, known []string
	for _, t := range r.Terms {
		terms = append(terms, t.Name)
		if t.Estimate.Known() {
			known = append(known, t.Name)
		}
	}
	switch {
	case !slices.Equal(terms, names):
		return fmt.Errorf("terms are not those of the formula %s", short(r.Formula))
	case !slices.Equal(known, r.Hull.Columns) || len(r.Hull.Factor) != len(known):
		return errors.New("hull.columns are not the terms with an estimate")
	case r.DF != r.N-len(known):
		return fmt.Errorf("df is %d; with n %d and %d estimates it is %d", r.DF, r.N, len(known),
			r.N-len(known))
	}
	return nil
}

// A Predicted row has the interval of 95 % in which its response is expected, and of its mean.
type Predicted struct {
	Row      int           `json:"row"` // of the table, from 1
	Value    result.Number `json:"value"`
	Low      result.Number `json:"low"`
	High     result.Number `json:"high"`
	MeanLow  result.Number `json:"mean_low"`
	MeanHigh result.Number `json:"mean_high"`
	Response result.Number `json:"response"` // as the table has it; null without
	// Outside are the predictors that are out of the range of the data, or "together" where each is
	// within and the row is beyond the hull; empty within.
	Outside []string `json:"outside"`
}

// Predictions is the document of `krdlab model predict --json`.
type Predictions struct {
	SchemaVersion int            `json:"schema_version"`
	Model         string         `json:"model"`
	Table         string         `json:"table"`
	Formula       string         `json:"formula"`
	Rows          []Predicted    `json:"rows"`
	Lost          []regress.Lost `json:"rows_without"`
	ErrorPercent  result.Number  `json:"error_percent"` // where the table has the response
	Outside       int            `json:"outside"`       // rows
	doc.Concluded
}

// together is in Predicted.Outside of a row beyond the hull.
const together = "together"

// values returns the columns of the hull in a row of d.
func (r *Report) values(d *regress.Design, row int) []float64 {
	x := make([]float64, len(r.Hull.Columns))
	for k, name := range r.Hull.Columns {
		if j := slices.Index(d.Names, name); j >= 0 {
			x[k] = d.Columns[j][row]
		} else {
			x[k] = 1
		}
	}
	return x
}

// estimates returns the coefficients of the hull's columns.
func (r *Report) estimates() []float64 {
	b := make([]float64, len(r.Hull.Columns))
	for k, name := range r.Hull.Columns {
		i := slices.IndexFunc(r.Terms, func(t Term) bool { return t.Name == name })
		if i >= 0 {
			b[k] = r.Terms[i].Estimate.Float()
		}
	}
	return b
}

// Predict computes the response of each row of a table that has all predictors. Errors: a column
// that is not there or no numbers, a category that the model does not have.
func (r *Report) Predict(model string, t *Table) (*Predictions, error) {
	d, err := regress.NewRows(t.Frame, r.Formula, r.Columns)
	if err != nil {
		return nil, err
	}
	p := &Predictions{SchemaVersion: SchemaVersion, Model: model, Table: t.Name, Formula: r.Formula,
		Rows: []Predicted{}, Lost: append([]regress.Lost{}, d.Lost...)}
	if t.Frame.N == 0 {
		return nil, failure.New(failure.Data, "it has no rows to predict")
	}
	b := r.estimates()
	half := estimate.T(r.DF) * r.Sigma.Float()
	known, err := regress.Evaluate(t.Frame, r.Formula)
	if err != nil {
		known = nil // the table has no response
	}
	sum, n := 0.0, 0
	for i, row := range d.Rows {
		x := r.values(d, i)
		v := 0.0
		for k := range b {
			v += float64(b[k] * x[k])
		}
		h := r.Hull.leverage(x)
		q := Predicted{Row: row + 1, Value: result.Some(v), Outside: r.outside(d, i, h),
			Low: result.Some(v - half*math.Sqrt(1+h)), High: result.Some(v + half*math.Sqrt(1+h)),
			MeanLow:  result.Some(v - half*math.Sqrt(h)),
			MeanHigh: result.Some(v + half*math.Sqrt(h))}
		if known != nil {
			q.Response = result.Some(known[row])
			if y := known[row]; y != 0 && !math.IsNaN(y) {
				sum += 100 * math.Abs(y-v) / math.Abs(y)
				n++
			}
		}
		if len(q.Outside) > 0 {
			p.Outside++
		}
		p.Rows = append(p.Rows, q)
	}
	p.ErrorPercent = result.Some(sum / float64(n))
	if p.Conclude(); p.Outside > 0 {
		p.Find(beyondData, p.Outside)
	}
	return p, nil
}

// outside returns where a row of d lies beyond the data of the model.
func (r *Report) outside(d *regress.Design, row int, leverage float64) []string {
	list := []string{}
	for i, c := range r.Columns {
		if x := d.Predictor(i); x != nil && c.Levels == nil &&
			(x[row] < c.Min-1e-9*math.Abs(c.Min) || x[row] > c.Max+1e-9*math.Abs(c.Max)) {
			list = append(list, c.Name)
		}
	}
	if len(list) == 0 && leverage > r.Hull.MaxLeverage*(1+1e-6) {
		list = append(list, together)
	}
	return list
}

// A Change is the expected change of the response where one predictor changes and the others are at
// their means (categories at the first).
type Change struct {
	SchemaVersion int    `json:"schema_version"`
	Formula       string `json:"formula"`
	Response      string `json:"response"`
	Predictor     string `json:"predictor"`
	// At are the values asked for of others, NAME=VALUE.
	At []string `json:"at"`
	// Categories records that the model has categorical predictors.
	Categories bool `json:"categories"`
	// Shared are predictors that are computed from a column of Predictor, and do not change with
	// it.
	Shared     []string      `json:"shared"`
	From       float64       `json:"from"`
	To         float64       `json:"to"`
	Before     result.Number `json:"before"` // of the response
	After      result.Number `json:"after"`
	Difference result.Number `json:"difference"`
	Low        result.Number `json:"low"` // 95 % of the difference
	High       result.Number `json:"high"`
	Percent    result.Number `json:"percent"` // of Before
	Outside    []string      `json:"outside"`
	doc.Concluded
}

// Change computes what a change of one predictor brings: NAME=VALUE, NAME=+VALUE, NAME=-VALUE, or
// by a percentage of its mean, NAME=+10% and NAME=-10%. at are other predictors' values,
// NAME=VALUE. Errors are of a request: a predictor that is not there, no number.
func (r *Report) Change(text string, at []string) (*Change, error) {
	name, value, ok := strings.Cut(text, "=")
	var names []string
	for _, c := range r.Columns {
		if c.Levels == nil {
			names = append(names, c.Name)
		}
	}
	i := slices.IndexFunc(r.Columns, func(c regress.Coding) bool { return c.Name == name })
	if i < 0 || r.Columns[i].Levels != nil {
		return nil, failure.Errorf(failure.Request, "%q is no predictor of numbers: %s", name,
			request.Suggest(name, names, ""))
	}
	number, percent := strings.CutSuffix(value, "%")
	v, isNumber := decimal(number)
	if !ok || !isNumber {
		return nil, failure.Errorf(failure.Request, "%q: expected %s=VALUE, %s=+VALUE or "+
			"%s=-10%%", text, name, name, name)
	}
	from := make([]float64, len(r.Columns))
	for k, c := range r.Columns {
		from[k] = c.Mean
	}
	for _, a := range at {
		other, value, _ := strings.Cut(a, "=")
		k := slices.IndexFunc(r.Columns, func(c regress.Coding) bool { return c.Name == other })
		v, ok := decimal(value)
		if k < 0 || r.Columns[k].Levels != nil || !ok {
			return nil, &request.Error{Flag: "at", Got: a,
				Want: "expected NAME=VALUE; " + request.Suggest(other, names, "")}
		}
		from[k] = v
	}
	to := slices.Clone(from)
	switch {
	case percent:
		to[i] += from[i] * v / 100
	case strings.ContainsAny(number[:1], "+-"):
		to[i] += v
	default:
		to[i] = v
	}
	d, err := regress.NewPoints(r.Formula, r.Columns, [][]float64{from, to})
	if err != nil {
		return nil, err
	}
	x0, x1 := r.values(d, 0), r.values(d, 1)
	diff := make([]float64, len(x0))
	before, after := 0.0, 0.0
	for k, b := range r.estimates() {
		before += b * x0[k]
		after += b * x1[k]
		diff[k] = x1[k] - x0[k]
	}
	half := estimate.T(r.DF) * r.Sigma.Float() *
		math.Sqrt(r.Hull.leverage(diff))
	c := &Change{SchemaVersion: SchemaVersion, Formula: r.Formula, Predictor: name, From: from[i],
		To: to[i], Before: result.Some(before), After: result.Some(after),
		Difference: result.Some(after - before), Low: result.Some(after - before - half),
		High: result.Some(after - before + half), Percent: result.Some(100 * (after/before - 1))}
	c.Response, c.At, c.Shared = r.Response, append([]string{}, at...), []string{}
	for k, o := range r.Columns {
		c.Categories = c.Categories || o.Levels != nil
		if k != i && share(o.Name, name) {
			c.Shared = append(c.Shared, o.Name)
		}
	}
	for row := range 2 {
		for _, name := range r.outside(d, row, r.Hull.leverage(r.values(d, row))) {
			if !slices.Contains(c.Outside, name) {
				c.Outside = append(c.Outside, name)
			}
		}
	}
	c.Conclude()
	if len(c.Shared) > 0 {
		c.Find(sharedColumn, name, strings.Join(c.Shared, ", "))
	}
	if c.Outside == nil {
		c.Outside = []string{}
	} else {
		c.Find(changedBeyond, strings.Join(c.Outside, ", "))
	}
	return c, nil
}

// share reports whether two predictors are computed from one column.
func share(a, b string) bool {
	f, err := regress.Parse("y ~ "+a, nil)
	g, err2 := regress.Parse("y ~ "+b, nil)
	if err != nil || err2 != nil {
		return false
	}
	x, _ := f.Columns()
	y, _ := g.Columns()
	return slices.ContainsFunc(x, func(name string) bool { return slices.Contains(y, name) })
}

// decimal reads a finite number.
func decimal(s string) (float64, bool) {
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil && !math.IsNaN(v) && !math.IsInf(v, 0)
}
