package regress

import (
	"math"
	"slices"
)

// names returns those of predictors.
func names(codings []Coding) []string {
	list := make([]string, len(codings))
	for i, c := range codings {
		list[i] = c.Name
	}
	return list
}

// NewRows makes the matrix of a formula over the rows of f that have all its predictors, coded as
// another design's: for predictions. Errors are those of [NewDesign], of a category that codings
// do not have, and of a predictor that is categorical in one of them only.
func NewRows(f *Frame, text string, codings []Coding) (*Design, error) {
	formula, err := Parse(text, f.Names(), names(codings)...)
	if err != nil {
		return nil, err
	}
	for i, e := range formula.exprs {
		if i >= len(codings) {
			return nil, bad("model", "its columns are not those of its formula %s", short(formula))
		}
		c := f.Column(e.name)
		if c == nil {
			continue
		}
		if words := codings[i].Levels != nil; words && c.Texts == nil {
			return nil, bad("column "+c.Name, "it has numbers; the model has the categories %s",
				list(codings[i].Levels))
		} else if !words && c.Texts != nil {
			return nil, bad("column "+c.Name, "row %d is %.60q; the model has numbers", c.At+1,
				c.Texts[c.At])
		}
	}
	d, _, err := newDesign(f, formula, codings, false)
	if err != nil {
		return nil, err
	}
	d.Y = make([]float64, len(d.Rows))
	d.fill(d.variables)
	return d, nil
}

// NewPoints makes the matrix of a formula at values of its predictors, categories at their first
// level: each point has a value for each coding.
func NewPoints(text string, codings []Coding, points [][]float64) (*Design, error) {
	formula, err := Parse(text, nil, names(codings)...)
	if err != nil {
		return nil, err
	}
	if len(formula.Variables) != len(codings) {
		return nil, bad("model", "its columns are not those of its formula %s", short(formula))
	}
	d := &Design{Formula: formula}
	for i, c := range codings {
		v := &variable{name: c.Name, levels: c.Levels}
		for _, p := range points {
			if c.Levels != nil {
				v.level = append(v.level, 0)
			} else {
				v.values = append(v.values, p[i])
			}
		}
		d.variables = append(d.variables, v)
	}
	for i := range points {
		d.Rows = append(d.Rows, i)
	}
	d.Y = make([]float64, len(points))
	d.fill(d.variables)
	return d, nil
}

// Evaluate computes the response of a formula in each row of f, NaN where it has none.
func Evaluate(f *Frame, text string) ([]float64, error) {
	formula, err := Parse(text, f.Names())
	if err != nil {
		return nil, err
	}
	v, err := evaluate(f, formula.response, nil)
	if err != nil {
		return nil, err
	}
	if v.categorical() {
		return nil, bad("column "+v.name, "it has texts; expected numbers")
	}
	return v.values, nil
}

// Factor returns the names of the columns with a coefficient, the intercept first where there is
// one, and the matrix F with (X'X)^-1 = F F' of these columns.
func (f *Fit) Factor() (names []string, factor [][]float64) {
	p := len(f.kept)
	own := 0
	if f.Design.Formula.Intercept && f.Design.Group == nil {
		own = 1
		names = append(names, "(Intercept)")
		first := make([]float64, p+1)
		first[0] = 1 / math.Sqrt(float64(len(f.Design.Y)))
		for k, j := range f.kept {
			for m, v := range f.row(k) {
				first[1+k+m] -= f.centre[j] / f.scale[j] * v
			}
		}
		factor = append(factor, first)
	}
	order := make([]int, p) // by column
	for k := range order {
		order[k] = k
	}
	slices.SortFunc(order, func(a, b int) int { return f.kept[a] - f.kept[b] })
	for _, k := range order {
		row := make([]float64, own+p)
		for m, v := range f.row(k) {
			row[own+k+m] = v / f.scale[f.kept[k]]
		}
		names, factor = append(names, f.Design.Names[f.kept[k]]), append(factor, row)
	}
	return names, factor
}
