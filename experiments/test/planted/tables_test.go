package planted

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A cell returns the value of a column, from standard normal draws of the row and its number.
type cell func(r []float64, i int) any

// table writes t.csv with so many rows: names of columns, and a cell for each.
func table(rows int, names string, cells ...cell) func(string) error {
	return func(dir string) error {
		rng := rand.New(rand.NewPCG(81, 1))
		text := &strings.Builder{}
		fmt.Fprintln(text, names)
		for i := range rows {
			r := make([]float64, 8)
			for j := range r {
				r[j] = rng.NormFloat64()
			}
			for j, c := range cells {
				fmt.Fprint(text, strings.Repeat(",", min(j, 1)), c(r, i))
			}
			fmt.Fprintln(text)
		}
		return os.WriteFile(filepath.Join(dir, "t.csv"), []byte(text.String()), 0o666)
	}
}

// draw is column k of the draws.
func draw(k int) cell { return func(r []float64, _ int) any { return r[k] } }

// at returns what one column is, then what another is from a row on.
func at(row int, before, then cell) cell {
	return func(r []float64, i int) any {
		if i < row {
			return before(r, i)
		}
		return then(r, i)
	}
}

// level is column k of those that have the mean 0 in whatever the levels of the others are: by blocks of
// eight rows farther from 0.
func level(k int) cell { return func(_ []float64, i int) any { return leveled(i, k) } }

func leveled(i, k int) float64 { return float64(1-i>>k&1*2) * (1 + float64(i/8)/10) }

// evenly is the first draw, and above or below it by the same, in turn.
func evenly(off float64) cell {
	return func(r []float64, i int) any { return r[0] + off*float64(1-i%2*2) }
}

func text(s string) cell { return func([]float64, int) any { return s } }

// The columns of most tables: a, b, c are draws, y is a sum of two with noise.
var (
	a, b, c, noise = draw(0), draw(1), draw(2), draw(3)
	linear         = cell(func(r []float64, _ int) any { return r[0] + r[1] + r[2]/2 + r[3]/4 })
	exact          = cell(func(r []float64, _ int) any { return 2*r[0] + r[1] })
	empty          = text("")
)

// The codes of krdlab model that say what is wrong with a table.
var tableCodes = never("constant_column", "aliased_column", "not_told_from_others", "outlier", "not_linear",
	"few_degrees_of_freedom", "no_more_than_noise", "nothing_explains", "nothing_to_explain", "perfect_fit",
	"saturated", "few_rows", "rows_without", "product_without_part", "folds_part_replicates", "column_without_name")

const fit = "model t.csv --json --formula "

// effect is a term that explains.
func effect(term string) named { return named{"explains", term} }

// tables are those of krdlab model.
var tables = inGroup("tables", []truth{
	{name: "three columns alone", lay: table(80, "y,a,b,c", linear, a, b, c), run: fit + "y~a+b+c",
		want: []named{effect("a"), effect("b"), effect("c")}, never: tableCodes},
	{name: "no three-way interaction", lay: table(80, "y,a,b,c", linear, a, b, c), run: fit + "y~a*b*c",
		never: slices.Concat([]named{effect("a:b:c"), effect("a:b"), effect("b:c"), effect("a:c")}, tableCodes)},
	{name: "a three-way interaction", run: fit + "y~a*b*c", want: []named{effect("a:b:c")}, lay: table(80, "y,a,b,c",
		func(r []float64, i int) any { return leveled(i, 0)*leveled(i, 1)*leveled(i, 2) + r[3]/2 }, level(0), level(1), level(2)),
		never: []named{effect("a:b"), effect("a"), effect("b"), effect("c")}},
	{name: "a confounded pair", run: fit + "y~a+b", lay: table(80, "y,a,b", linear, a,
		func(r []float64, _ int) any { return r[0] + r[4]/50 }),
		want:  []named{{"not_told_from_others", "a"}, {"not_told_from_others", "b"}},
		never: never("aliased_column")},
	{name: "an outlier", run: fit + "y~a+b", want: []named{{"outlier", "row 61"}},
		lay: table(80, "y,a,b", at(60, linear, at(61, func([]float64, int) any { return 30 }, linear)), a, b)},
	{name: "an outlier that decides the fit", run: fit + "y~a+b", want: []named{{"outlier", "row 61"}},
		lay: table(80, "y,a,b", at(60, linear, at(61, func([]float64, int) any { return 30 }, linear)),
			at(60, a, at(61, func([]float64, int) any { return 8 }, a)), b)},
	{name: "a row that is farther off, as chance has it", run: fit + "y~a", lay: table(20, "y,a",
		at(11, evenly(0.1), at(12, evenly(0.35), evenly(0.1))), a), never: never("outlier")},
	{name: "no outlier, but skewed noise", run: fit + "y~a+b", lay: table(80, "y,a,b",
		func(r []float64, _ int) any { return r[0] + r[1] + r[3]*r[3]/4 }, a, b), never: never("outlier")},
	{name: "a category with one level", run: fit + "y~a+b", want: []named{{"constant_column", "b"}},
		lay: table(80, "y,a,b", linear, a, text("one")), never: never("aliased_column")},
	{name: "a category with two levels", run: fit + "y~a+b", never: tableCodes,
		lay: table(80, "y,a,b", linear, a, at(40, text("one"), text("two")))},
	{name: "a quadratic", run: fit + "y~a+b", want: []named{{"not_linear", "a"}}, lay: table(80, "y,a,b",
		func(r []float64, _ int) any { return r[0] + r[0]*r[0]/2 + r[1] + r[3]/2 }, a, b)},
	{name: "a quadratic that the formula has", run: fit + "y~a+b+I(a^2)", want: []named{effect("I(a^2)")},
		lay:   table(80, "y,a,b", func(r []float64, _ int) any { return r[0] + r[0]*r[0]/2 + r[1] + r[3]/2 }, a, b),
		never: tableCodes},
	{name: "noise alone", run: fit + "y~a+b+c", want: []named{{"no_more_than_noise", ""}}, never: never("explains"),
		lay: table(80, "y,a,b,c", noise, a, b, c)},
	{name: "noise alone, searched", run: fit + "y~(a+b+c)^3 --select bic", never: never("explains"),
		lay: table(80, "y,a,b,c", noise, a, b, c)},
	{name: "noise with one effect", run: fit + "y~(a+b+c)^3 --select bic", want: []named{effect("b")},
		lay:   table(80, "y,a,b,c", func(r []float64, _ int) any { return r[1] + r[3] }, a, b, c),
		never: never("no_more_than_noise", "nothing_explains")},
	{name: "nothing is selected", run: fit + "y~a+b --select bic", want: []named{{"nothing_explains", "y"}},
		lay: table(400, "y,a,b", noise, a, b), never: never("explains")},
	{name: "too few rows", run: fit + "y~a+b+c", want: []named{{"few_degrees_of_freedom", ""}, {"few_rows", ""}},
		lay: table(11, "y,a,b,c", linear, a, b, c), never: never("explains")},
	{name: "as many coefficients as rows", run: fit + "y~a+b --folds 0", want: []named{{"saturated", ""}},
		lay: table(3, "y,a,b", linear, a, b), never: never("explains", "outlier")},
	{name: "a perfect fit", run: fit + "y~a+b", want: []named{{"perfect_fit", "y"}},
		lay: table(80, "y,a,b", exact, a, b), never: never("outlier", "not_linear")},
	{name: "an aliased column", run: fit + "y~a+b+c", want: []named{{"aliased_column", "c"}},
		lay: table(80, "y,a,b,c", linear, a, b, exact), never: never("constant_column")},
	{name: "a response that does not differ", run: fit + "y~a --folds 0",
		want: []named{{"nothing_to_explain", "y"}}, lay: table(80, "y,a", text("3"), a), never: never("explains")},
	{name: "a product without its parts", run: fit + "y~a:b", want: []named{{"product_without_part", ""}},
		lay: table(80, "y,a,b", linear, a, b)},
	{name: "repeated rows", run: fit + "y~k", want: []named{{"folds_part_replicates", ""}}, lay: table(80, "y,k", linear,
		func(_ []float64, i int) any { return i % 8 })},
	{name: "rows with gaps", run: fit + "y~a+b", want: []named{{"rows_without", "7"}},
		lay: table(80, "y,a,b", linear, a, at(7, empty, b))},
	{name: "a column without a name", run: fit + "y~a", want: []named{{"column_without_name", "2"}},
		lay: table(80, "y,,a", linear, b, a)},
	{name: "a table beyond the data", want: []named{{"rows_beyond_data", "1"}}, lay: table(80, "y,a", linear, a),
		files: map[string]string{"far.csv": "a\n0\n50\n"},
		run:   fit + "y~a > m.json\nmodel predict m.json far.csv --json"},
	{name: "a table within the data", never: never("rows_beyond_data"), lay: table(80, "y,a", linear, a),
		files: map[string]string{"near.csv": "a\n0\n0.5\n"},
		run:   fit + "y~a > m.json\nmodel predict m.json near.csv --json"},
	{name: "a change beyond the data", want: []named{{"change_beyond_data", "a"}},
		lay: table(80, "y,a", linear, a), run: fit + "y~a > m.json\nmodel change m.json a=+50 --json"},
	{name: "a change within the data", never: never("change_beyond_data", "shared_column"),
		lay: table(80, "y,a", linear, a), run: fit + "y~a > m.json\nmodel change m.json a=+0.5 --json"},
	{name: "a column that another is computed from", want: []named{{"shared_column", "a"}},
		lay: table(80, "y,a", linear, a), run: fit + "y~a+I(a^2) > m.json\nmodel change m.json a=+0.5 --json"},
})

// inGroup returns truths with their group.
func inGroup(name string, list []truth) []truth {
	for i := range list {
		list[i].group = name
	}
	return list
}
