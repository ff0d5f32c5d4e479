package report

import (
	"fmt"
	"slices"
	"strings"

	"krdlab/hw/units"
)

const (
	nbsp = "\u00a0" // between a number and its unit
)

// count prints a whole number in groups of three digits, with a thin space between them.
func count(n int64) string {
	return strings.ReplaceAll(units.Grouped(uint64(n)), nbsp, "\u202f")
}

// plural prints n of a thing, such as "1 cell" and "3 cells".
func plural(n int, what string) string { return count(int64(n)) + " " + units.Noun(n, what) }

// sample prints the sizes of the samples of medians, one or a range over cells: "8", "6 to 8".
func sample(ns []int) string {
	if len(ns) == 0 {
		return "0"
	}
	low, high := slices.Min(ns), slices.Max(ns)
	if low == high {
		return fmt.Sprint(low)
	}
	return fmt.Sprintf("%d to %d", low, high)
}
