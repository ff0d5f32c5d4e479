package regress

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/blas/blas64"
)

// A Design is the matrix of a formula over the rows of a frame that have all its values, by
// columns.
type Design struct {
	Formula *Formula
	Rows    []int    // of the frame, ascending
	Lost    []Lost   // rows left out
	Names   []string // of the columns, without the intercept: wt, wt:hp, kernelheat
	Term    []int    // the term of each column, an index of Formula.Terms
	Columns [][]float64
	Y       []float64
	// Constant names the terms that have no column: a categorical predictor of one level.
	Constant []string
	// Group is the number of each row's value of the absorbed column; nil: none is absorbed.
	Group  []int
	Groups int

	variables []*variable
}

// Lost counts the rows that a column is the first to lack a value of.
type Lost struct {
	Column string `json:"column"`
	Rows   int    `json:"rows"`
}

// A Coding is how a predictor is turned into numbers, so that other rows can be.
type Coding struct {
	Name   string   `json:"name"`
	Levels []string `json:"levels,omitempty"` // of a categorical one; the first is the baseline
	// of the rows of the fit, for numbers
	Mean float64 `json:"mean"`
	SD   float64 `json:"sd"`
	Min  float64 `json:"min"`
	Max  float64 `json:"max"`
}

// NewDesign makes the matrix of formula over f. Rows that lack a value of it are left out and
// counted. Errors: an [*Error] of a column that is not there or not of numbers, of a value that a
// transformation has none for, and of no rows.
func NewDesign(f *Frame, formula *Formula) (*Design, error) {
	d, response, err := newDesign(f, formula, nil, true)
	if err != nil {
		return nil, err
	}
	for _, i := range d.Rows {
		d.Y = append(d.Y, response.values[i])
	}
	if formula.Groups != "" {
		d.absorb(f.Column(formula.Groups))
	}
	d.fill(d.variables)
	for j, x := range d.Columns {
		if i := slices.IndexFunc(x, func(v float64) bool { return math.IsInf(v, 0) }); i >= 0 {
			return nil, bad("row "+strconv.Itoa(d.Rows[i]+1), "%s is %v; expected a finite number",
				d.Names[j], x[i])
		}
	}
	return d, nil
}

// newDesign evaluates the variables of a formula; codings are those to code with, nil: new ones.
func newDesign(f *Frame, formula *Formula, codings []Coding, fitted bool) (*Design, *variable,
	error) {
	d := &Design{Formula: formula}
	var all []*variable
	var response *variable
	var err error
	if fitted {
		if response, err = evaluate(f, formula.response, nil); err != nil {
			return nil, nil, err
		}
		if response.categorical() {
			c := f.Column(formula.response.columns(nil)[0])
			if c.Texts == nil {
				return nil, nil, wrong("the response is %s, categories; expected numbers",
					formula.Response)
			}
			return nil, nil, bad("column "+c.Name, "the response is text: row %d is %.60q; expected "+
				"numbers", c.At+1, c.Texts[c.At])
		}
		all = append(all, response)
	}
	used := make([]bool, len(formula.exprs))
	for _, t := range formula.Terms {
		for _, v := range t {
			used[v] = true
		}
	}
	for i, e := range formula.exprs {
		var levels []string
		if codings != nil {
			levels = codings[i].Levels
		}
		v := &variable{expr: e, name: formula.Variables[i]}
		if fitted {
			if err = f.has(e); err != nil { // of a removed term too: it may be misspelt
				return nil, nil, err
			}
		}
		if used[i] {
			if v, err = evaluate(f, e, levels); err != nil {
				return nil, nil, err
			}
			all = append(all, v)
		}
		d.variables = append(d.variables, v)
	}
	groups := f.Column(formula.Groups)
	if groups == nil && formula.Groups != "" && fitted {
		return nil, nil, wrong("no column %s to absorb; the table has %s", formula.Groups,
			list(f.Names()))
	}
	lost := map[string]int{}
	for i := range f.N {
		n := slices.IndexFunc(all, func(v *variable) bool { return v.missing(i) })
		switch {
		case n >= 0:
			lost[all[n].name]++
		case groups != nil && fitted && groups.missing(i):
			lost[groups.Name]++
		default:
			d.Rows = append(d.Rows, i)
		}
	}
	for _, v := range all {
		if lost[v.name] > 0 {
			d.Lost = append(d.Lost, Lost{v.name, lost[v.name]})
		}
	}
	if groups != nil && lost[groups.Name] > 0 {
		d.Lost = append(d.Lost, Lost{groups.Name, lost[groups.Name]})
	}
	for _, v := range all {
		switch {
		case !fitted || !v.categorical() || f.N < 3:
		case len(v.levels)*2 > f.N && v.expr.op == "":
			c := f.Column(v.expr.name)
			return nil, nil, bad("column "+c.Name, "%d different texts in %d rows, row %d is %.60q; "+
				"expected numbers, or categories with several rows each", len(v.levels), f.N,
				c.At+1, c.Texts[c.At])
		}
	}
	if len(d.Rows) == 0 && fitted {
		place := "table"
		if f.N > 0 && len(d.Lost) > 0 {
			place = "column " + d.Lost[0].Column
			return nil, nil, bad(place, "no row of %d has a value of each column of %s", f.N,
				formula)
		}
		return nil, nil, bad(place, "it has no rows")
	}
	columns := 0.0
	for _, t := range formula.Terms {
		product := 1.0
		for _, v := range t {
			product *= max(1, float64(len(d.variables[v].levels)))
		}
		columns += product
	}
	if columns*float64(len(d.Rows)) > maxValues {
		return nil, nil, bad("table", "%d rows of %.0f coefficients; expected at most %d values",
			len(d.Rows), columns, int(maxValues))
	}
	return d, response, nil
}

// maxValues is how many values a design may have.
const maxValues = 1 << 24

// absorb sets the groups of the rows.
func (d *Design) absorb(c *Column) {
	index := map[string]int{}
	for _, i := range d.Rows {
		var t string
		if c.Texts != nil {
			t = c.Texts[i]
		} else {
			t = strconv.FormatFloat(c.Numbers[i], 'g', -1, 64)
		}
		n, ok := index[t]
		if !ok {
			n = len(index)
			index[t] = n
		}
		d.Group = append(d.Group, n)
	}
	d.Groups = len(index)
}

// Codings returns those of the predictors over the rows of d.
func (d *Design) Codings() []Coding {
	list := make([]Coding, len(d.variables))
	for i, v := range d.variables {
		list[i] = Coding{Name: v.name, Levels: v.levels}
		if v.values == nil {
			continue
		}
		c := &list[i]
		c.Min, c.Max = math.Inf(1), math.Inf(-1)
		x := pick(v.values, d.Rows)
		for _, x := range x {
			c.Min, c.Max = min(c.Min, x), max(c.Max, x)
		}
		c.Mean = mean(x)
		for i := range x {
			x[i] -= c.Mean
		}
		c.SD = blas64.Nrm2(vector(x)) / math.Sqrt(max(1, float64(len(x)-1)))
	}
	return list
}

// Standardized returns d with each number of a predictor as its z-score (x - mean) / sd over the
// rows of d, and products of these (regression paper, IV-B). A constant stays as it is. Without an
// intercept, which would take up the means, x / sd stands in the place of the z-score: the model
// stays the same, and a coefficient is times sd.
func (d *Design) Standardized() *Design {
	s := *d
	codings := d.Codings()
	scaled := make([]*variable, len(d.variables))
	for i, v := range d.variables {
		if v.values == nil || codings[i].SD == 0 {
			scaled[i] = v
			continue
		}
		z, centre := *v, codings[i].Mean
		if !d.Formula.Intercept && d.Formula.Groups == "" {
			centre = 0
		}
		z.values = make([]float64, len(v.values))
		for j, x := range v.values {
			z.values[j] = (x - centre) / codings[i].SD
		}
		scaled[i] = &z
	}
	s.fill(scaled)
	return &s
}

// fill makes the columns. A categorical predictor has an indicator for each level but the first
// (R's contr.treatment) where it stands alone or an earlier term has the rest of its own, otherwise
// one for each; without intercept the first of all has one for each. This is R's rule.
func (d *Design) fill(variables []*variable) {
	d.Names, d.Term, d.Columns, d.Constant = nil, nil, nil, nil
	level := d.Formula.Intercept || d.Formula.Groups != ""
	for n, t := range d.Formula.Terms {
		columns, names := [][]float64{nil}, [][]string{nil}
		for i, k := range t {
			v := variables[k]
			var own [][]float64
			var words []string
			if v.categorical() {
				rest := slices.Delete(slices.Clone(t), i, i+1)
				from := 0
				if level && (len(rest) == 0 || slices.ContainsFunc(d.Formula.Terms[:n],
					rest.within)) {
					from = 1
				}
				level = true
				for l := from; l < len(v.levels); l++ {
					x := make([]float64, len(d.Rows))
					for j, row := range d.Rows {
						if v.level[row] == l {
							x[j] = 1
						}
					}
					own, words = append(own, x), append(words, v.name+v.levels[l])
				}
			} else {
				own, words = [][]float64{pick(v.values, d.Rows)}, []string{v.name}
			}
			var products [][]float64
			var list [][]string
			for j, x := range own { // the first predictor's levels vary fastest, as in R
				for m, c := range columns {
					products = append(products, times(c, x))
					list = append(list, append(slices.Clone(names[m]), words[j]))
				}
			}
			columns, names = products, list
		}
		if len(columns) == 0 {
			d.Constant = append(d.Constant, d.Formula.Name(t))
		}
		for j, c := range columns {
			d.Columns = append(d.Columns, c)
			d.Names = append(d.Names, strings.Join(names[j], ":"))
			d.Term = append(d.Term, n)
		}
	}
}

// Predictor returns the values of predictor i in the rows of d; nil of a categorical one.
func (d *Design) Predictor(i int) []float64 {
	if d.variables[i].values == nil {
		return nil
	}
	return pick(d.variables[i].values, d.Rows)
}

// part returns d with some of its rows, numbered as in d.Rows.
func (d *Design) part(rows []int) *Design {
	p := *d
	p.Y = pick(d.Y, rows)
	p.Columns = make([][]float64, len(d.Columns))
	for j, c := range d.Columns {
		p.Columns[j] = pick(c, rows)
	}
	p.Rows, p.Group = nil, nil
	for _, i := range rows {
		p.Rows = append(p.Rows, d.Rows[i])
		if d.Group != nil {
			p.Group = append(p.Group, d.Group[i])
		}
	}
	return &p
}

// Terms returns d with the columns of some of its terms.
func (d *Design) Terms(terms []Term) *Design {
	p := *d
	p.Formula = d.Formula.With(terms)
	p.Names, p.Term, p.Columns, p.Constant = nil, nil, nil, nil
	for n, t := range p.Formula.Terms {
		if name := d.Formula.Name(t); slices.Contains(d.Constant, name) {
			p.Constant = append(p.Constant, name)
		}
		for j, k := range d.Term {
			if d.Formula.Terms[k].key() == t.key() {
				p.Names = append(p.Names, d.Names[j])
				p.Columns = append(p.Columns, d.Columns[j])
				p.Term = append(p.Term, n)
			}
		}
	}
	return &p
}

func pick(x []float64, rows []int) []float64 {
	p := make([]float64, len(rows))
	for i, r := range rows {
		p[i] = x[r]
	}
	return p
}

// times returns the products of x and y; nil stands for ones.
func times(x, y []float64) []float64 {
	if x == nil {
		return slices.Clone(y)
	}
	p := make([]float64, len(x))
	for i := range x {
		p[i] = x[i] * y[i]
	}
	return p
}

func mean(x []float64) float64 {
	m, rest := meanOf(x)
	return m + rest
}

// meanOf returns the mean of x as a number and what its rounding left, which is smaller than the
// distance of two numbers.
func meanOf(x []float64) (m, rest float64) {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	m = sum / float64(len(x))
	for _, v := range x {
		rest += v - m
	}
	return m, rest / float64(len(x))
}

// squares returns the sum of (x - m)^2.
func squares(x []float64, m float64) (sum float64) {
	for _, v := range x {
		sum += float64((v - m) * (v - m))
	}
	return sum
}
