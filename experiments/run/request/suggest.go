package request

import (
	"fmt"
	"slices"
	"strings"
)

// Suggest returns what may have been meant by name, which is none of names: the two nearest of
// those that are near, and where all of them are said. If none is near or there is no such place,
// all are listed.
func Suggest(name string, names []string, where string) string {
	distance := func(n string) int { return editDistance(strings.ToLower(name), n) }
	near := slices.Clone(names)
	slices.SortStableFunc(near, func(a, b string) int { return distance(a) - distance(b) })
	near = slices.DeleteFunc(near, func(n string) bool {
		return 5*distance(n) > 2*max(len(name), len(n))
	})
	list := "there are " + strings.Join(names, ", ")
	switch {
	case len(near) == 0 && where != "" && name != "":
		return list + "; " + where
	case len(near) == 0:
		return list
	case where == "":
		return fmt.Sprintf("did you mean %s? %s", near[0], list)
	}
	return "did you mean " + strings.Join(near[:min(2, len(near))], "? or ") + "? " + where
}

// editDistance returns the least number of insertions, deletions, replacements and swaps of
// neighbours that turn a into b, no byte being edited twice (the "optimal string alignment"
// distance).
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
