package model

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"krdlab/experiments/read/model/regress"
	"krdlab/experiments/run/estimate"
	"krdlab/experiments/run/result"
)

// A Strength is how strongly a predictor alone is related to the response, in ranks: the paper's
// figure 2.
type Strength struct {
	Name      string        `json:"name"`
	Linear    result.Number `json:"rho2"`           // Spearman's coefficient squared
	Quadratic result.Number `json:"rho2_quadratic"` // of the ranks and their squares
}

// A Cluster joins predictors by their squared Spearman coefficients, with complete linkage: the
// paper's figure 1. Names are those of all predictors in it, and First of them are in its first part.
type Cluster struct {
	Names      []string      `json:"names"`
	First      int           `json:"first"`
	Similarity result.Number `json:"rho2"` // the least of a pair with one of each part
}

// A Redundant predictor is nearly determined by another.
type Redundant struct {
	Name       string        `json:"name"`
	Of         string        `json:"of"`
	Similarity result.Number `json:"rho2"`
}

// redundantFrom is the squared coefficient from which two predictors are taken for one.
const redundantFrom = 0.9

// before fills in what predictors are by themselves, of all those of the whole formula.
func (r *Report) before() {
	r.Strengths, r.Clusters, r.Redundant = []Strength{}, []Cluster{}, []Redundant{}
	d := r.full
	var names []string
	var values [][]float64
	strength := map[string]float64{}
	for i, name := range d.Formula.Variables {
		x := d.Predictor(i)
		if x == nil {
			continue
		}
		linear, quadratic := regress.Strength(x, d.Y)
		r.Strengths = append(r.Strengths, Strength{name, result.Some(linear),
			result.Some(quadratic)})
		names, values = append(names, name), append(values, x)
		strength[name] = quadratic
	}
	slices.SortStableFunc(r.Strengths, func(a, b Strength) int {
		return cmp.Compare(b.Quadratic.Float(), a.Quadratic.Float())
	})
	if len(names) < 2 {
		return
	}
	r.Clusters = Clusters(names, values)
	// the strongest of each cluster of like ones stays
	gone := map[string]bool{}
	for _, c := range slices.Backward(r.Clusters) {
		if c.Similarity.Float() < redundantFrom || gone[c.Names[0]] ||
			gone[c.Names[len(c.Names)-1]] {
			continue
		}
		keep := slices.MaxFunc(c.Names, func(a, b string) int {
			return cmp.Compare(strength[a], strength[b])
		})
		for _, n := range c.Names {
			if n != keep && !gone[n] {
				gone[n] = true
				rho := regress.Spearman2(estimate.Ranks(values[slices.Index(names, n)]),
					estimate.Ranks(values[slices.Index(names, keep)]))
				r.Redundant = append(r.Redundant, Redundant{n, keep, result.Some(rho)})
			}
		}
		gone[keep] = true // is settled
	}
}

// Clusters joins variables of names by their values, the most similar first.
func Clusters(names []string, values [][]float64) (list []Cluster) {
	parts := make([][]string, len(names))
	for i, n := range names {
		parts[i] = []string{n}
	}
	for _, m := range regress.Clusters(values) {
		both := slices.Concat(parts[m.A], parts[m.B])
		parts = append(parts, both)
		list = append(list, Cluster{both, len(parts[m.A]), result.Some(m.Similarity)})
	}
	return list
}

// sum writes an alias as 2 x a + b.
func sum(a regress.Alias) string {
	var words []string
	for i, n := range a.Names {
		if i == 6 {
			words = append(words, fmt.Sprintf("%d more terms", len(a.Names)-i))
			break
		}
		if f := a.Factors[i]; math.Abs(f-1) > 1e-9 {
			n = strconv.FormatFloat(f, 'g', 6, 64) + " x " + n
		}
		words = append(words, n)
	}
	return strings.Join(words, " + ")
}
