package regression

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"krdlab/experiments/papers/study"
	"krdlab/experiments/read/model"
	"krdlab/experiments/run/result"
	"krdlab/experiments/run/stats"
	"krdlab/hw/units"
	"krdlab/krd/doc"
)

// columns makes those of a table, "key head" each; the first words are texts.
func table(name, title string, texts int, columns ...string) *doc.Table {
	t := &doc.Table{Name: name, Title: title, Keys: texts}
	for i, c := range columns {
		key, head, _ := strings.Cut(c, " ")
		kind := doc.Real
		if i < texts {
			kind = doc.Text
		}
		t.Columns = append(t.Columns, doc.Column{Key: key, Head: cmp.Or(head, key), Kind: kind, Spread: doc.Below})
	}
	return t
}

// mostColumns is the width of tables of lists without a terminal.
const mostColumns = 130

// tables returns those for people: models, products, predictors and groups of similar ones.
func tables(all []*explained) []*doc.Table {
	models := table("models", "Models (table IV)", 2, "response", "model", "rows", "coefficients", "r2 R2",
		"r2_adjusted adjusted", "bic BIC", "eq5 equation 5", "f F", "p", "verdict at 99 %", "error error, %",
		"held_out_r2 R2 of folds", "scheduler_out_r2 a scheduler out", "kernel_out_r2 a kernel out")
	models.Remarks = []string{"F: the first order and the pruned second against the second, that one against the " +
		"third; reject: the larger is better. R2 of rows that a fit has not seen: 0 is no better than the mean."}
	products := table("products", "Products that stay in the pruned second order (figure 3), the surest first", 2,
		"response", "product", "standardized", "std_error its error", "t", "p")
	strengths := table("strengths", "Predictors by themselves (figure 2)", 2, "response", "predictor", "rho2",
		"rho2_quadratic quadratic")
	clusters := table("clusters", "Clusters by squared Spearman coefficients (figure 1)", 3, "of", "first", "second",
		"rho2")
	clusters.Prose(1, 2)
	clusters.Most = mostColumns
	for _, x := range all {
		if x.why != "" {
			models.Row(x.name, doc.Missing(x.why))
			continue
		}
		d := x.deals[0]
		for i := range d.Models {
			c := &d.Models[i]
			row := []any{x.name, c.Name, d.N, c.P, c.R2, c.Adj, c.BIC, c.Eq5, c.F, doc.Probability(c.PF), c.Verdict,
				x.over(func(d *deal) float64 { return d.miss(&d.Models[i]) }), c.CV.R2}
			for _, name := range leftOut {
				cell := any(doc.Missing("it is of experiments"))
				for _, v := range c.LeaveOne {
					if *v.Groups == name {
						cell = v.R2
					}
				}
				row = append(row, cell)
			}
			models.Row(row...)
		}
		list, _ := d.products()
		slices.SortStableFunc(list, func(a, b model.Term) int { return cmp.Compare(size(b), size(a)) })
		for _, c := range list {
			products.Row(x.name, c.Name, c.Standardized, c.StdStdError,
				result.Some(c.Standardized.Float()/c.StdStdError.Float()), doc.Probability(c.StdP))
		}
		for _, s := range d.Strengths {
			strengths.Row(x.name, s.Name, s.Linear, s.Quadratic)
		}
		cluster(clusters, "predictors of "+x.name, d.Clusters)
	}
	cluster(clusters, "schedulers by WTI", alike(all[0].table, "scheduler", "setting"))
	cluster(clusters, "kernels by WTI", alike(all[0].table, "kernel", "scheduler", "cores"))
	return []*doc.Table{models, products, strengths, clusters}
}

func size(t model.Term) float64 { return math.Abs(t.Standardized.Float() / t.StdStdError.Float()) }

func cluster(t *doc.Table, of string, list []model.Cluster) {
	for _, c := range list {
		t.Row(of, strings.Join(c.Names[:c.First], ", "), strings.Join(c.Names[c.First:], ", "), c.Similarity)
	}
}

// alike clusters the values of a column by work time inflation over what other columns tell apart, its
// mean where that is not one row. One core has none; what has no value is left out.
func alike(t *model.Table, of string, by ...string) []model.Cluster {
	text := func(column string, row int) string {
		c := t.Frame.Column(column)
		if c.Texts == nil {
			return units.Digits(c.Numbers[row], 4)
		}
		return c.Texts[row]
	}
	type sum struct{ total, n float64 }
	sums := map[string]map[string]sum{}
	var names, keys []string
	for i := range t.Frame.N {
		v, cores := t.Frame.Column(stats.WTI.Key).Numbers[i], t.Frame.Column("cores").Numbers[i]
		if math.IsNaN(v) || cores == 1 {
			continue
		}
		name, key := text(of, i), ""
		for _, column := range by {
			key += text(column, i) + " "
		}
		if sums[name] == nil {
			sums[name], names = map[string]sum{}, append(names, name)
		}
		if !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
		s := sums[name][key]
		sums[name][key] = sum{s.total + v, s.n + 1}
	}
	values := make([][]float64, len(names))
	for _, key := range keys {
		if slices.ContainsFunc(names, func(name string) bool { return sums[name][key].n == 0 }) {
			continue
		}
		for i, name := range names {
			s := sums[name][key]
			values[i] = append(values[i], s.total/s.n)
		}
	}
	if len(names) < 2 || len(values[0]) < 2 {
		return nil
	}
	return model.Clusters(names, values)
}

// data returns the tables of krdlab model for programs.
func data(all []*explained) (list []*doc.Table) {
	for _, x := range all {
		for _, name := range []string{"terms", "steps", "left-out"} {
			if x.why == "" {
				t := x.deals[0].Table(name)
				t.Name = x.key + "-" + name
				list = append(list, t)
			}
		}
	}
	return list
}

// figures returns those of krdlab model that have something to draw.
func figures(all []*explained) (list []study.Figure) {
	for _, x := range all {
		for _, name := range model.Figures {
			if x.why != "" {
				continue
			}
			if f, err := x.deals[0].Figure(name); err == nil {
				list = append(list, study.Figure{Name: x.key + "-" + name, Title: f.Title + ": " + x.name,
					Drawn: study.Drawing{Figure: f}})
			}
		}
	}
	return list
}
