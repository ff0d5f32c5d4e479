package regress

import (
	"math"

	"krdlab/experiments/run/estimate"
)

// A Merge joins two clusters: numbers below the number of variables are these, others are earlier
// merges, the first with that number.
type Merge struct {
	A, B int
	// Similarity is the least squared Spearman coefficient of a variable of A with one of B.
	Similarity float64
}

// Clusters merges variables by their squared Spearman coefficients, the most similar first, with
// complete linkage (regression paper, figure 1). A constant variable is like no other. Cost: n log
// n p + n p^2 + p^3.
func Clusters(variables [][]float64) []Merge {
	p := len(variables)
	ranks := make([][]float64, p)
	for i, x := range variables {
		ranks[i] = estimate.Ranks(x)
	}
	alike := make([][]float64, p)
	for i := range alike {
		alike[i] = make([]float64, p)
		for j := range i {
			r := Spearman2(ranks[i], ranks[j])
			if math.IsNaN(r) {
				r = 0
			}
			alike[i][j], alike[j][i] = r, r
		}
	}
	name := make([]int, p) // of the cluster in place i, -1 where there is none any more
	for i := range name {
		name[i] = i
	}
	var merges []Merge
	for len(merges) < p-1 {
		a, b := -1, -1
		for i := range name {
			for j := i + 1; j < p; j++ {
				if name[i] >= 0 && name[j] >= 0 && (a < 0 || alike[i][j] > alike[a][b]) {
					a, b = i, j
				}
			}
		}
		merges = append(merges, Merge{name[a], name[b], alike[a][b]})
		name[a], name[b] = p+len(merges)-1, -1
		for i := range name {
			alike[a][i] = min(alike[a][i], alike[b][i])
			alike[i][a] = alike[a][i]
		}
	}
	return merges
}
