package slurm

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// What is written of indices is read back.
func TestIndices(t *testing.T) {
	for text, want := range map[string]Indices{"4": {4}, "0-3,7": {0, 1, 2, 3, 7}, "0-18:6,19": {0, 6, 12, 18, 19},
		"3,5": {3, 5}} {
		if got, err := ParseIndices(text); err != nil || !slices.Equal(got, want) || got.String() != text {
			t.Errorf("%s: %v (%s), %v", text, got, got, err)
		}
	}
	for _, bad := range []string{"", "a", "3-1", "1-", "-1", "0-9:0", "4:2", "0-2147483647", "1,,2"} {
		if got, err := ParseIndices(bad); err == nil {
			t.Errorf("%q: %d cells, expected an error", bad, len(got))
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		list := Indices(rapid.SliceOfNDistinct(rapid.IntRange(0, 60), 1, 40, rapid.ID[int]).Draw(t, "list"))
		slices.Sort(list)
		if got, err := ParseIndices(list.String()); err != nil || !slices.Equal(got, list) {
			t.Errorf("%v as %s: %v, %v", []int(list), list, []int(got), err)
		}
	})
}
