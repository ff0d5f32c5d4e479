package model

import (
	"fmt"
	"strings"

	"krdlab/experiments/run/stats"
	"krdlab/hw/units"
	"krdlab/krd/doc"
)

// The codes of findings, with what their arguments are.
const (
	// unnamedColumn: which.
	unnamedColumn doc.Code = "column_without_name"
	// oneCore: rows, the response.
	oneCore doc.Code = "one_core_left_out"
	// modelledLines, constantLeft: the column; of the first rows where misses are lines, of how many.
	modelledLines doc.Code = "modelled_misses_are_lines"
	constantLeft  doc.Code = "constant_left_out"
	// fewHave: the column, rows that have it, all.
	fewHave doc.Code = "few_rows_have"
	// sameRanks: the column, which it is in ranks, rho2.
	sameRanks doc.Code = "same_ranks"
	// noProducts: rows, coefficients, rows that each needs.
	noProducts doc.Code = "products_left_out"
	// severalPlaces: how many, the one that is used, the others.
	severalPlaces doc.Code = "several_places"
	// rowsWithout: rows, the column.
	rowsWithout doc.Code = "rows_without"
	// explains: the response, standard deviations of it a standard deviation of the term.
	explains doc.Code = "explains"
	// nothingExplains: the response, rows, coefficients.
	nothingExplains doc.Code = "nothing_explains"
	// asNoise: random orders, the response, in how many R2 and a |t| are reached, rows, coefficients.
	asNoise doc.Code = "no_more_than_noise"
	// fewDegrees: rows, coefficients, degrees of freedom that they leave, that are needed.
	fewDegrees doc.Code = "few_degrees_of_freedom"
	// notApart: the VIF.
	notApart doc.Code = "not_told_from_others"
	// Outlier: how many residual standard deviations it is off, p.
	Outlier doc.Code = "outlier"
	// Bent: p.
	Bent doc.Code = "not_linear"
	// constant: the column.
	constant doc.Code = "constant_column"
	// aliased: the column, the sum of others that it is.
	aliased doc.Code = "aliased_column"
	// nothingToExplain, perfectFit: the response.
	nothingToExplain doc.Code = "nothing_to_explain"
	perfectFit       doc.Code = "perfect_fit"
	// saturated, partMissing, addGroups: no argument.
	saturated   doc.Code = "saturated"
	partMissing doc.Code = "product_without_part"
	addGroups   doc.Code = "folds_part_replicates"
	// fewRows: rows, coefficients, rows that each needs.
	fewRows doc.Code = "few_rows"
	// beyondData: rows.
	beyondData doc.Code = "rows_beyond_data"
	// sharedColumn: the predictor, those that are computed from its column too.
	sharedColumn doc.Code = "shared_column"
	// changedBeyond: columns, or that no row has all of them.
	changedBeyond doc.Code = "change_beyond_data"
)

func init() {
	doc.Catalogue(map[doc.Code]doc.Entry{
		unnamedColumn: {Level: doc.Note, Example: []any{1}, Words: "column %v has no name, and is left out"},
		oneCore: {Level: doc.Note, Example: []any{7, stats.WTI.Key}, Say: rows("%s on one core left out, where %s " +
			"is 1")},
		modelledLines: {Level: doc.Limit, Example: []any{stats.MissLines.Key, 7, 9}, Say: func(a doc.Args) string {
			return a.Text(0) + " is left out: " + misses(a.Whole(1), a.Whole(2))
		}},
		constantLeft: {Level: doc.Limit, Example: []any{"steals"}, Words: "%v is left out: it is the same in all rows"},
		fewHave:      {Level: doc.Limit, Example: []any{"steals", 7, 90}, Words: "%v is left out: %v of %v rows have it"},
		sameRanks: {Level: doc.Limit, Example: []any{"steals", "spawns", 0.99}, Words: "%v is left " +
			"out: it has the ranks of %v (rho2 %.2f)"},
		noProducts: {Level: doc.Limit, Example: []any{40, 11, 10}, Say: rows("products are left out: %s with all values " +
			"for %v coefficients, expected %v for each")},
		severalPlaces: {Level: doc.Limit, Next: "--place", Example: []any{2, `"native" (40 cells)`, `"other" (7 cells)`},
			Words: "the cells are of %v places, which are never combined: %v is used; left out: %v " +
				"(--place)"},
		rowsWithout: {Level: doc.Limit, Example: []any{7, "wti"}, Say: rows("%s without %v left out")},
		explains: {Level: doc.Answer, Example: []any{"wti", "+0.5"}, Needs: doc.Needs{N: fewestDF, P: noiseLevel},
			Words: "%v changes by %v standard deviations where it changes by one of its own"},
		nothingExplains: {Level: doc.Answer, Example: []any{"wti", 40, 1}, Say: func(a doc.Args) string {
			return fmt.Sprintf("nothing explains %s (%s)", a.Text(0), size(a[1:]))
		}},
		asNoise: {Level: doc.Answer, Example: []any{200, "wti", 30, 40, 40, 3}, Say: func(a doc.Args) string {
			return fmt.Sprintf("no more than noise: of %d random orders of %s, %d are explained as "+
				"well, and %d have a term as significant (%s)", a.Whole(0), a.Text(1), a.Whole(2),
				a.Whole(3), size(a[4:]))
		}},
		fewDegrees: {Level: doc.Limit, Example: []any{12, 4, 8, fewestDF}, Say: func(a doc.Args) string {
			return fmt.Sprintf("no tests: %s leave %d degrees of freedom, and %d are needed: more "+
				"rows, or fewer terms", size(a), a.Whole(2), a.Whole(3))
		}},
		notApart: {Level: doc.Limit, Example: []any{12.0}, Words: "its effect cannot be separated " +
			"from that of others (VIF %.3g)"},
		Outlier: {Level: doc.Doubt, Example: []any{8.0, 0.0001}, Words: "it is %.2g standard " +
			"deviations off the fit of the other rows (p %.2g, corrected), and may decide the fit"},
		Bent: {Level: doc.Doubt, Next: "--formula with I(x^2)", Example: []any{0.0001}, Words: "adding " +
			"its square improves the fit (p %.2g, corrected): the relation is not linear"},
		constant: {Level: doc.Limit, Example: []any{"steals"}, Words: "%v is the same in all rows, and has " +
			"no coefficient"},
		aliased: {Level: doc.Limit, Example: []any{"c", "2 x a + b"}, Words: "%v is %v in all rows, and " +
			"has no coefficient of its own"},
		nothingToExplain: {Level: doc.Doubt, Example: []any{"wti"}, Words: "%v is the same in all rows: " +
			"there is nothing to explain"},
		saturated: {Level: doc.Doubt, Words: "as many coefficients as rows: every row is fitted, and " +
			"nothing is explained"},
		perfectFit: {Level: doc.Doubt, Example: []any{"wti"}, Words: "the fit is perfect except for " +
			"rounding: errors and criteria measure rounding alone, and %v may be computed from its " +
			"predictors"},
		fewRows: {Level: doc.Doubt, Example: []any{40, 11, 10}, Words: "%v rows for %v coefficients: fewer than %v a " +
			"coefficient"},
		partMissing: {Level: doc.Doubt, Words: "a product stands without one of its factors: the " +
			"standardized coefficients are of another model than the others"},
		addGroups: {Level: doc.Doubt, Next: "--groups", Words: "rows with the same predictors are in " +
			"different folds: add --groups with the column that names the replicated unit"},
		beyondData: {Level: doc.Doubt, Example: []any{7}, Say: rows("%s beyond the data that the model was fitted to: " +
			"intervals hold there only if the model does")},
		sharedColumn: {Level: doc.Doubt, Example: []any{"spawns", "spawns_per_ns"}, Words: "other " +
			"predictors are computed from a column of %v too, and are held constant: %v; no row can " +
			"have such values"},
		changedBeyond: {Level: doc.Doubt, Example: []any{"wt"}, Say: func(a doc.Args) string {
			return "beyond the data that the model was fitted to: " + strings.Replace(a.Text(0), together,
				"each value is within its range, but no row has them all together", 1)
		}},
	})
}

// size prints how many rows and coefficients there are, the first two arguments.
func size(a doc.Args) string {
	return units.Count(a.Whole(0), "row") + ", " + units.Count(a.Whole(1), "coefficient")
}

// rows prints words with a number of rows, and the further arguments.
func rows(words string) func(doc.Args) string {
	return func(a doc.Args) string {
		return fmt.Sprintf(words, append([]any{units.Count(a.Whole(0), "row")}, a[1:]...)...)
	}
}

// misses explains why the misses of a model are no measure beside the lines beyond the LLC.
func misses(same, both int) string {
	return fmt.Sprintf("in %d of %d rows the modelled misses (%s) equal the lines beyond the LLC "+
		"(%s) exactly",
		same, both, stats.MissLines.Key, stats.LinesLLC.Key)
}
