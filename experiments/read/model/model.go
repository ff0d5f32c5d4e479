// Package model explains a quantity by others and their products, over the rows of a sweep or of
// any table: `krdlab model`. The method is that of P. Rao and K. Murakami, "Using Statistical
// Models for Embedded Java Performance Analysis" (the regression paper), the numbers are those of
// [krdlab/experiments/read/model/regress].
//
//	table.go, experiment.go  a table, from a file or from experiments
//	constructed.go           relations that hold by construction, and the formula without one
//	model.go, validate.go    the report: a fit, its errors, what it predicts of rows not seen
//	before.go                predictors before a fit: clusters, strengths
//	view.go, figure.go       what people see
//	predict.go               a model from its document, for other tables
//
// Rejected: intervals of held-out R2 by a bootstrap that fits anew in each resample, which two
// predictors allow and thirty do not; settings are drawn with the errors of their predictions.
package model

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"krdlab/experiments/read/model/regress"
	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/hw/failure"
	"krdlab/krd/doc"
)

// SchemaVersion is that of the JSON form of a [Report].
const SchemaVersion = 1

// Options say what is fitted and how it is validated.
type Options struct {
	Formula string // "": [Table.DefaultFormula] of Response
	// Order is the order of the products that are added, 0 or 1: those of the formula.
	Order   int
	Without []string // patterns of terms
	// Against are formulas to compare with.
	Against  []string
	Response string
	Select   regress.Criterion // "": none
	Folds    int
	Seed     uint64
	Groups   string   // rows that folds do not part; "": as the table has it
	LeaveOne []string // groups or columns whose values are left out in turn
	HC3      bool
	Orders   int // random ones; 0: as many as the first line needs, below 0: none
	// Progress is called with what is done and the parts of it.
	Progress func(what string, done, of int)
}

// A Report is the document of `krdlab model --json`, and the model that `krdlab model predict`
// reads. Numbers that are not finite are null.
type Report struct {
	SchemaVersion int     `json:"schema_version"`
	Source        string  `json:"source"`
	Experiment    *Origin `json:"experiment"` // null of a table
	Asked         string  `json:"asked"`      // the formula as it was asked for
	Formula       string  `json:"formula"`    // of the model, with each of its terms
	Full          string  `json:"full"`       // before a selection
	Response      string  `json:"response"`
	Absorbed      string  `json:"absorbed"` // the column; "": none
	N             int     `json:"n"`
	Terms         []Term  `json:"terms"`
	// DF is n less the coefficients.
	DF         int           `json:"df"`
	R2         result.Number `json:"r2"`
	R2Adjusted result.Number `json:"r2_adjusted"` // the paper's equation 6
	Sigma      result.Number `json:"sigma"`
	PRESS      result.Number `json:"press"`
	BIC        result.Number `json:"bic"` // R's BIC()
	Equation5  result.Number `json:"eq5"`
	Errors     string        `json:"errors"` // "ols" or "hc3"
	Noise      *Noise        `json:"noise"`  // null where no rows can change places
	CV         *Validation   `json:"cv"`     // null without folds
	LeaveOne   []Validation  `json:"leave_one"`
	// Models compares the fit with others: table IV of the paper.
	Models    []Compared        `json:"models"`
	Select    regress.Criterion `json:"select"`
	Steps     []Step            `json:"steps"`
	Aliased   []regress.Alias   `json:"aliased"`
	Lost      []regress.Lost    `json:"rows_without"` // rows left out, by column
	Columns   []regress.Coding  `json:"columns"`      // the predictors: coding, centre, scale, range
	Hull      *Hull             `json:"hull"`
	Strengths []Strength        `json:"strengths"`
	Clusters  []Cluster         `json:"clusters"`
	Redundant []Redundant       `json:"redundant"`
	doc.Concluded

	full  *regress.Design // before a selection
	fit   *regress.Fit
	table *Table
	// answered is how many findings come first, which the text has as [Report.Answer].
	answered int
}

// A Term is a coefficient of the model. One that could not be estimated has null, and is among
// Report.Aliased.
type Term struct {
	Name     string        `json:"name"`
	Estimate result.Number `json:"estimate"`
	StdError result.Number `json:"std_error"`
	T        result.Number `json:"t"`
	P        result.Number `json:"p"`
	VIF      result.Number `json:"vif"`
	// of a refit to z-scores of the predictors and products of these (regression paper, IV-B)
	Standardized result.Number `json:"standardized"`
	StdStdError  result.Number `json:"standardized_std_error"`
	StdP         result.Number `json:"standardized_p"`
	StdVIF       result.Number `json:"standardized_vif"`
}

// A Step is one of a stepwise search.
type Step struct {
	Term  string        `json:"term"` // "" of the first, the whole formula
	Added bool          `json:"added"`
	Value result.Number `json:"value"` // the criterion after it
}

// Of fits a model to a table. Errors: of the formula, of a column or group that is not there, of a
// relation by construction, of too few rows.
func Of(t *Table, o Options) (*Report, error) {
	if o.Progress == nil {
		o.Progress = func(string, int, int) {}
	}
	text := o.Formula
	if text == "" {
		text = t.DefaultFormula(o.Response)
	}
	formula, err := t.formula(text, &o)
	if err != nil {
		return nil, err
	}
	full, err := regress.NewDesign(t.Frame, formula)
	if err != nil {
		return nil, err
	}
	r := &Report{SchemaVersion: SchemaVersion, Source: t.Name, Experiment: t.Experiment,
		Asked: asked(text, &o), Full: formula.String(), Response: formula.Response,
		Absorbed: formula.Groups, Select: o.Select, N: len(full.Rows), Errors: "ols",
		Lost: full.Lost, LeaveOne: []Validation{}, Steps: []Step{}, Aliased: []regress.Alias{},
		table: t, full: full}
	o.Progress("fit", 0, 1)
	whole, err := full.Fit()
	if err != nil {
		return nil, err
	}
	r.fit = whole
	if o.Select != "" {
		if err := r.search(full, &o); err != nil {
			return nil, err
		}
	}
	r.coefficients(o.HC3)
	if err := r.validate(full, whole, &o); err != nil {
		return nil, err
	}
	r.before()
	r.noise(&o)
	r.conclude()
	r.Conclude(t.Findings...)
	r.doubt()
	return r, nil
}

// asked prints a formula with the options that change it.
func asked(text string, o *Options) string {
	if o.Order > 1 {
		text += fmt.Sprintf(", products of up to %d", o.Order)
	}
	if len(o.Without) > 0 {
		text += ", without " + strings.Join(o.Without, ", ")
	}
	if o.Select != "" {
		text += ", stepwise by " + string(o.Select)
	}
	return text
}

// formula parses a formula, with what options add and leave out.
func (t *Table) formula(text string, o *Options) (*regress.Formula, error) {
	f, err := regress.Parse(text, t.Frame.Names())
	if err != nil {
		return nil, err
	}
	if slices.Contains(f.Variables, f.Response) {
		return nil, failure.Errorf(failure.Request, "formula: %s is on both sides; expected "+
			"predictors other than the response", f.Response)
	}
	if f, err = f.Crossed(o.Order); err != nil {
		return nil, err
	}
	for _, pattern := range o.Without {
		kept, n := f.Without(pattern)
		if n == 0 {
			var names []string
			for _, t := range f.Terms {
				names = append(names, f.Name(t))
			}
			return nil, &request.Error{Flag: "without", Got: pattern,
				Want: request.Suggest(pattern, names, "")}
		}
		f = kept
	}
	return f, t.constructed(f)
}

// search selects terms, and makes the fit of these that of r.
func (r *Report) search(full *regress.Design, o *Options) error {
	n := 0
	terms, way, err := full.Search(o.Select, func(regress.Step) {
		n++
		o.Progress("stepwise search", n, max(n, len(full.Formula.Terms)))
	})
	if err != nil {
		return err
	}
	for _, s := range way {
		r.Steps = append(r.Steps, Step{s.Term, s.Added, result.Some(s.Value)})
	}
	r.fit, err = full.Terms(terms).Fit()
	return err
}

// coefficients fills in the terms and what sums up the fit.
func (r *Report) coefficients(hc3 bool) {
	f := r.fit
	r.Formula = f.Design.Formula.String()
	r.Aliased = append(r.Aliased, f.Aliased...)
	r.Columns = f.Design.Codings()
	used := map[int]bool{}
	for _, t := range f.Design.Formula.Terms {
		for _, v := range t {
			used[v] = true
		}
	}
	for i := range slices.Backward(r.Columns) {
		if !used[i] {
			r.Columns = slices.Delete(r.Columns, i, i+1)
		}
	}
	r.Hull = hullOf(f)
	if hc3 {
		r.Errors = "hc3"
	}
	for _, c := range f.Coefficients(hc3) {
		r.Terms = append(r.Terms, Term{Name: c.Name, Estimate: result.Some(c.Estimate),
			StdError: result.Some(c.StdError), T: result.Some(c.T), P: result.Some(c.P),
			VIF: result.Some(c.VIF)})
	}
	if z, err := f.Design.Standardized().Fit(); err == nil {
		for i, c := range z.Coefficients(hc3) {
			t := &r.Terms[i]
			t.Standardized, t.StdStdError = result.Some(c.Estimate), result.Some(c.StdError)
			t.StdP, t.StdVIF = result.Some(c.P), result.Some(c.VIF)
		}
	}
	r.DF, r.R2, r.R2Adjusted = f.DF, result.Some(f.R2()), result.Some(f.R2Adjusted())
	r.Sigma, r.PRESS = result.Some(f.Sigma()), result.Some(f.PRESS())
	r.BIC, r.Equation5 = result.Some(f.BIC()), result.Some(f.Equation5())
}

// doubt concludes what makes the model doubtful.
func (r *Report) doubt() {
	for _, l := range r.Lost {
		r.Find(rowsWithout, l.Rows, l.Column)
	}
	for _, a := range r.Aliased {
		if len(a.Names) == 0 {
			r.Find(constant, a.Column)
			continue
		}
		r.Find(aliased, a.Column, sum(a))
	}
	switch f := r.fit; {
	case f.TSS == 0:
		r.Find(nothingToExplain, r.Response)
	case f.DF == 0:
		r.Find(saturated)
	case f.RSS == 0 || f.RSS < 1e-20*f.TSS:
		r.Find(perfectFit, r.Response)
	case r.N < rowsEach*f.P:
		r.Find(fewRows, r.N, f.P, rowsEach)
	}
	if r.DF >= fewestDF && r.fit.RSS > 1e-20*r.fit.TSS {
		r.outliers()
		r.curved()
	}
	if !r.marginal() {
		r.Find(partMissing)
	}
	if g := r.CV; g != nil && g.Groups == nil && r.replicates() {
		r.Find(addGroups)
	}
}

// marginal reports whether each part of a product is a term too.
func (r *Report) marginal() bool {
	terms := r.fit.Design.Formula.Terms
	for _, t := range terms {
		for i := range t {
			part := slices.Delete(slices.Clone(t), i, i+1)
			if len(part) > 0 && !slices.ContainsFunc(terms, func(u regress.Term) bool {
				return slices.Equal(u, part)
			}) {
				return false
			}
		}
	}
	return true
}

// replicates reports whether a quarter of the rows have the predictors of an earlier one, and not
// all.
func (r *Report) replicates() bool {
	d := r.fit.Design
	seen := map[string]bool{}
	n := 0
	for i := range d.Y {
		var key []byte
		for _, c := range d.Columns {
			key = binary.LittleEndian.AppendUint64(key, math.Float64bits(c[i]))
		}
		if seen[string(key)] {
			n++
		}
		seen[string(key)] = true
	}
	return len(seen) > 1 && n*4 > len(d.Y)
}
