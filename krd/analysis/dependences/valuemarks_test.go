package dependences

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestValueMarks counts by hand the dependences of loops without marked ones: limits that are
// loaded, and the least or greatest that an if keeps.
func TestValueMarks(t *testing.T) {
	d := dependencesOf(t, "marks", []string{"induction", "reduction"})
	want := map[string][]string{
		"csr/1": nil, "csr/2": nil, "global/1": nil, "greatest/1": nil, "least/1": nil, "least/2": nil,
		// n[0] was not n[1], and what is called does not change it
		"stored/1": nil, "called/1": nil,
		// what is loaded is another each time: the iterations are as many as the data say
		"moved/1": {"2 for for control none (1)"},
		// x is 0 1 2 3 4: m is written in each iteration
		"used/1":    {"3 m if data none (1)"},
		"another/1": {"3 m if data none (1)"},
	}
	seen := map[string]int{}
	for _, l := range d.Loops {
		function, _, _ := strings.Cut(strings.TrimPrefix(l.Name, "main."), ":")
		seen[function]++
		name := fmt.Sprintf("%s/%d", function, seen[function])
		list, ok := want[name]
		if got := lines(&l); !ok || !slices.Equal(got, list) {
			t.Errorf("%s carries\n%s\nexpected\n%s", name, strings.Join(got, "\n"),
				strings.Join(list, "\n"))
		}
	}
	if len(d.Loops) != len(want) {
		t.Errorf("%d loops, expected %d", len(d.Loops), len(want))
	}
}

// TestDeferringReturns counts by hand what goes through returns of functions that defer.
func TestDeferringReturns(t *testing.T) {
	d := dependencesOf(t, "deferring", []string{"induction", "reduction"})
	want := map[string][]string{"chain": {"3 a[i + 1] return data none (1)"}, "pair": nil}
	for _, l := range d.Loops {
		function, _, _ := strings.Cut(strings.TrimPrefix(l.Name, "main."), ":")
		if got := lines(&l); !slices.Equal(got, want[function]) {
			t.Errorf("%s carries\n%s\nexpected\n%s", l.Name, strings.Join(got, "\n"),
				strings.Join(want[function], "\n"))
		}
	}
	if len(d.Loops) != len(want) {
		t.Errorf("%d loops, expected %d", len(d.Loops), len(want))
	}
}
