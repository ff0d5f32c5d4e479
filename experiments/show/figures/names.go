package figures

import (
	"fmt"
	"slices"
	"strings"

	"krdlab/experiments/run/dataset"
)

// GroupNames returns a short name for each group, for names of files and anchors: the kernel and
// what else of the key differs among the groups. A single group is "".
func GroupNames(groups []dataset.Group) []string {
	names := make([]string, len(groups))
	if len(groups) < 2 {
		return names
	}
	parts := make([][]string, len(groups)) // all fields of a key
	for i, g := range groups {
		parts[i] = append(strings.Fields(g.Params), g.Substrate, strings.NewReplacer(" (", "-", ")",
			"").Replace(g.Machine))
		if g.Settings != "" {
			parts[i] = append(parts[i], strings.Split(g.Settings, ", ")...)
		}
	}
	common := func(part string) bool {
		return !slices.ContainsFunc(parts, func(list []string) bool {
			return !slices.Contains(list,
				part)
		})
	}
	seen := map[string]int{}
	for i, g := range groups {
		words := []string{fileWord(g.Kernel)}
		for _, part := range parts[i] {
			if !common(part) {
				words = append(words, fileWord(strings.Replace(part, "=", "", 1)))
			}
		}
		names[i] = strings.Join(words, "-")
		if seen[names[i]]++; seen[names[i]] > 1 {
			names[i] += fmt.Sprintf("-%d", seen[names[i]])
		}
	}
	return names
}

// fileWord returns s with all but letters, digits and dots as underscores, and not longer than 40
// characters.
func fileWord(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.':
			return r
		case r == '-':
			return r
		}
		return '_'
	}, s)
	return strings.TrimLeft(s[:min(len(s), 40)], ".-")
}
