package estimate

import (
	"cmp"
	"slices"
)

// Holm returns p adjusted for the number of tests (Holm, 1979): the i-th smallest of m, from 0,
// times m - i, never less than the one before, at most 1. An adjusted p below alpha is a rejection
// with a family-wise error of alpha. The order is kept.
func Holm(p []float64) []float64 {
	index := make([]int, len(p))
	for i := range index {
		index[i] = i
	}
	slices.SortStableFunc(index, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	adjusted := make([]float64, len(p))
	least := 0.0
	for rank, i := range index {
		least = max(least, min(1, p[i]*float64(len(p)-rank)))
		adjusted[i] = least
	}
	return adjusted
}
