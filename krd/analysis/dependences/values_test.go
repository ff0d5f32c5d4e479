package dependences

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"krdlab/krd/analysis"
	"krdlab/loi/front/corpus"
)

// carried has by hand what the loops of the case values carry, by the function and its how-manyeth
// loop: times, names of the operations that wrote and that reads, kind, mark and distance. Unless
// it lists none, a loop has its induction variable too, and its condition's, once for each
// iteration but the first.
var carried = map[string][]string{
	"main/1":  nil,
	"chain/1": {"8 a[i] a[i] data none (1)"}, // a[0] is not the loop's
	"doall/1": nil,
	"sum/1":   {"9 s s data reduction (1)"},
	"doacross/1": {
		"6 a[i] a[i] data none (2)"}, // of 8, the first two read what the loop does not write
	"main/2": nil,
	"wavefront/1": {
		"72 a[i][j] a[i][j] data none (1,0)"},
	"wavefront/2": {"72 a[i][j] a[i][j] data none (0,1)"},
	"called/1":    {"9 x step data none (1)"},
	// b is 0 1 2 0 1 2 0 1 2 0; last is written in iterations 1, 2, 5 and 8
	"conditional/1": {"4 last if data none (1)", "2 last if data none (2)", "2 last if data none (3)",
		"1 last last data none (1)", "2 last last data none (3)"},
	"least/1":  {"8 m m data reduction (1)"},
	"search/1": {"9 if for control none (1)"},
	"list/1":   {"5 head head data none (1)"},
	// the next node is one of data, and so is whether there is one
	"list/2":   {"5 for for data none (1)", "5 for for control none (1)", "5 s s data reduction (1)"},
	"cell/1":   nil,
	"cell/2":   {"27 a[k] a[k] data reduction (0,1)"},
	"nested/1": {"9 s s data reduction (1,-9)"},
	"nested/2": {"90 s s data reduction (0,1)"},
}

// iterations are how often the loops of carried are entered, and their iterations.
var iterations = map[string][2]uint64{"main/1": {1, 10}, "chain/1": {1, 9}, "doall/1": {1, 10},
	"sum/1": {1, 10}, "doacross/1": {1, 8}, "main/2": {1, 10}, "wavefront/1": {1, 9},
	"wavefront/2": {9, 81}, "called/1": {1, 10}, "conditional/1": {1, 10}, "least/1": {1, 9},
	"search/1": {1, 10}, "list/1": {1, 6}, "list/2": {1, 6}, "cell/1": {1, 3}, "cell/2": {3, 30},
	"nested/1": {1, 10}, "nested/2": {10, 100}}

// TestValues counts the dependences of small loops.
func TestValues(t *testing.T) {
	d := dependencesOf(t, "values", nil)
	seen := map[string]int{}
	for _, l := range d.Loops {
		function, _, _ := strings.Cut(strings.TrimPrefix(l.Name, "main."), ":")
		seen[function]++
		name := fmt.Sprintf("%s/%d", function, seen[function])
		n, ok := iterations[name]
		if !ok || l.Entered != n[0] || l.Iterations != n[1] {
			t.Errorf("%s: entered %d times with %d iterations, expected %d", name, l.Entered,
				l.Iterations, n)
		}
		want := slices.Clone(carried[name])
		if again := n[1] - n[0]; name != "list/2" {
			depth := "(1)"
			if strings.HasSuffix(name, "/2") && name != "main/2" {
				depth = "(0,1)"
			}
			want = append(want, fmt.Sprint(again, " for for control induction ", depth))
			if name != "conditional/1" { // its range has no key
				want = append(want, fmt.Sprint(again, " for for data induction ", depth))
			}
		}
		got := lines(&l)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s carries\n%s\nexpected\n%s", name, strings.Join(got, "\n"),
				strings.Join(want, "\n"))
		}
	}
	if len(d.Loops) != len(carried) {
		t.Errorf("%d loops, expected %d", len(d.Loops), len(carried))
	}
}

// TestWithout leaves out marked dependences: those that remain keep loops from being parallel.
func TestWithout(t *testing.T) {
	d := dependencesOf(t, "values", []string{"induction", "reduction"})
	var serial []string
	for _, l := range d.Loops {
		if l.LeftOut == 0 && !strings.Contains(l.Name, "list") {
			t.Errorf("%s: nothing was left out", l.Name)
		}
		if len(l.Carried) > 0 {
			function, _, _ := strings.Cut(strings.TrimPrefix(l.Name, "main."), ":")
			serial = append(serial, function)
		}
	}
	want := []string{"called", "chain", "conditional", "doacross", "list", "list", "search",
		"wavefront", "wavefront"}
	if slices.Sort(serial); !slices.Equal(serial, want) {
		t.Errorf("serial are %v, expected %v", serial, want)
	}
}

// lines are the flow dependences that a loop carries.
func lines(l *Loop) (all []string) {
	for _, x := range l.Carried {
		if x.Order != "RAW" {
			continue
		}
		var v []string
		for _, n := range x.Distance {
			v = append(v, fmt.Sprint(n))
		}
		all = append(all, fmt.Sprintf("%d %s %s %s %s (%s)", x.Times, x.From.Name, x.To.Name, x.Kind,
			cmp.Or(x.Removed, "none"), strings.Join(v, ",")))
	}
	slices.Sort(all)
	return all
}

// dependencesOf analyses the recorded trace of a case with its values.
func dependencesOf(t *testing.T, name string, without []string) *Document {
	t.Helper()
	return dependencesOfSync(t, name, without, false)
}

// dependencesOfSync is dependencesOf with what goroutines wait for, or without.
func dependencesOfSync(t *testing.T, name string, without []string, sync bool) *Document {
	t.Helper()
	tr := corpus.Open(t, corpus.Recording{Case: name, Values: true, Sync: sync})
	results, err := analysis.Run(context.Background(), tr, []analysis.Asked{{Analysis: Analysis,
		Options: &Options{Without: without}}}, analysis.Options{})
	if err != nil {
		t.Fatal(err)
	}
	d := results[0].Document().(*Document)
	corpus.AsMain(name, d)
	return d
}

// TestControl counts what depends on conditions, and what goes through calls.
func TestControl(t *testing.T) {
	d := dependencesOf(t, "control", []string{"induction"})
	want := map[string][]string{
		// what stands behind the continue depends on the condition of the same iteration
		"skip": {"4 last if data none (1)", "4 last last data none (1)"},
		// the conditions of three iterations of the inner loop decide on its next, and the last of
		// them on the next of the outer loop
		"find": {"2 if for control none (1)"},
		// 1, 2 and 3 are looked at
		"stop": {"2 if for control none (1)"},
		// b is 0 1 2 3 4; x > 3 in the last iteration alone: nobody reads what it writes
		"states": nil,
		// x and n, both written by the statement that begins with x
		"method": {"3 x a.next data none (1)", "3 x a.next data none (1)", "3 x for data none (1)",
			"3 for for control none (1)"},
		"foreign": {"4 x x data none (1)", "4 n.v n.v data reduction (1)"},
		"both":    {"3 x x data none (1)", "3 x x data none (1)"},
	}
	seen := map[string]bool{}
	for _, l := range d.Loops {
		function, _, _ := strings.Cut(strings.TrimPrefix(l.Name, "main."), ":")
		if seen[function] || function == "main" {
			continue // the inner one
		}
		seen[function] = true
		got := lines(&l)
		if list := want[function]; !slices.Equal(got, slices.Sorted(slices.Values(list))) {
			t.Errorf("%s carries\n%s\nexpected\n%s", l.Name, strings.Join(got, "\n"),
				strings.Join(list, "\n"))
		}
	}
	if len(seen) != len(want) {
		t.Errorf("loops of %v", seen)
	}
}
