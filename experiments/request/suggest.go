package request

import (
	"fmt"
	"slices"
	"strings"
)

// Suggest says what may have been meant by name, which is none of names: the two nearest, and where
// all of them are said. If there is no such place, all are listed, after the nearest if it is near.
func Suggest(name string, names []string, where string) string {
	distance := func(n string) int { return editDistance(strings.ToLower(name), n) }
	near := slices.Clone(names)
	slices.SortStableFunc(near, func(a, b string) int { return distance(a) - distance(b) })
	meant := fmt.Sprintf("did you mean %s? ", near[0])
	if where != "" && name != "" && len(near) > 1 {
		return fmt.Sprintf("%sor %s? %s", meant, near[1], where)
	}
	if 5*distance(near[0]) > 2*max(len(name), len(near[0])) {
		meant = ""
	}
	return meant + "there are " + strings.Join(names, ", ")
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
