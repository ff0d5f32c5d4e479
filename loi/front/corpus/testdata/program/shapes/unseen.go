package shapes

import (
	"fmt"
	"io"
	"sort"
	"strings"
)

// numbered gives each key the number of those before it; no key comes twice.
func numbered(keys []string) map[string]int {
	m := map[string]int{}
	// want: n/a
	// by hand, numbers by the length of a map
	for _, k := range keys {
		m[k] = len(m)
	}
	return m
}

func written(keys []string) {
	// want: n/a
	// by hand, output
	for _, k := range keys {
		fmt.Fprintln(io.Discard, k)
	}
}

func built(keys []string) string {
	var b strings.Builder
	// want: n/a
	// by hand, a builder of strings
	for _, k := range keys {
		b.WriteString(k)
	}
	return b.String()
}

func sorts(rows [][]int) {
	// want: n/a
	// by hand, rows sorted by package sort
	for i := range rows {
		sort.Ints(rows[i])
	}
}

func upper(keys []string) {
	// want: doall
	// by hand, calls of functions without state
	for i, k := range keys {
		keys[i] = strings.ToUpper(k) + fmt.Sprint(i)
	}
}

func unseen() int {
	keys := []string{"a", "b", "c", "d"}
	written(keys)
	n := len(numbered(keys)) + len(built(keys))
	sorts([][]int{{2, 1}, {1, 2}, {3, 1}})
	upper(keys)
	return n + len(keys[0])
}
