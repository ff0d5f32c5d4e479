package request

import (
	"fmt"
	"slices"
	"strings"
)

// Suggest says which of names was probably meant by name, and otherwise lists them all.
func Suggest(name string, names []string) string {
	best, distance := "", len(name)
	for _, n := range names {
		if d := editDistance(strings.ToLower(name), n); d < distance {
			best, distance = n, d
		}
	}
	if best != "" && 5*distance <= 2*max(len(name), len(best)) {
		return fmt.Sprintf("did you mean %s? there are %s", best, strings.Join(names, ", "))
	}
	return "there are " + strings.Join(names, ", ")
}

// Nearest says which of names, the two nearest, may have been meant by name: for lists that are too
// long to be said.
func Nearest(name string, names []string) string {
	byDistance := slices.Clone(names)
	slices.SortStableFunc(byDistance, func(a, b string) int {
		return editDistance(strings.ToLower(name), a) - editDistance(strings.ToLower(name), b)
	})
	if len(byDistance) < 2 {
		return Suggest(name, names)
	}
	return fmt.Sprintf("did you mean %s? or %s?", byDistance[0], byDistance[1])
}

// editDistance is the least number of insertions, deletions, replacements and swaps of neighbours
// that turn a into b, no byte being edited twice (the "optimal string alignment" distance).
func editDistance(a, b string) int {
	before, prev, cur := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			replace := prev[j-1]
			if a[i-1] != b[j-1] {
				replace++
			}
			cur[j] = min(replace, prev[j]+1, cur[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], before[j-2]+1)
			}
		}
		before, prev, cur = prev, cur, before
	}
	return prev[len(b)]
}
