package goprogram

import (
	"fmt"
	"strings"
	"testing"

	"krdlab/krd/analysis/loops"
	"krdlab/krd/analysis/regions"
	"krdlab/loi/front/build"
	"krdlab/loi/front/corpus"
)

// TestTry has a planned loop stay, strikes one whose copy is not carried out, and has the reason of
// each that is not tried.
func TestTry(t *testing.T) {
	const text = `package main

import "fmt"

func main() {
	a := []int{3, 1, 4, 1, 5, 9}
	for i := range a {
		a[i]++
	}
	for i := 0; i < 5; i++ {
		a[i] = a[i+1] * 2
	}
	fmt.Println("shifted")
	fmt.Println(a)
	f := 0.0
	for i := 1; i < 99; i++ {
		f += 1 / float64(i)
	}
	fmt.Println(f)
	for i := range a {
		if a[i] > 20 {
			break
		}
	}
	for i := uint8(250); i <= 255; i += 2 {
		if a[0]++; a[0] > 40 {
			panic("full")
		}
	}
}
`
	dir := corpus.Lay(t, "try", map[string][]byte{"go.mod": []byte("module try\n\ngo 1.26\n"),
		"main.go": []byte(text)})
	var plan []regions.Planned
	for _, line := range []int{7, 10, 10, 16, 20, 25, 99} {
		plan = append(plan, regions.Planned{Path: []string{"main.main", fmt.Sprintf("main.main:%d", line)}})
	}
	plan[3].Removed = []loops.Removal{{By: "reduction", Name: "f", Operator: "+", Rounds: true}}
	r := &Request{Build: build.Request{Dir: dir, Path: "."}}
	got, err := Try(t.Context(), r, plan)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"same", "differs reversed: a[0] is 320, not 4, behind execution 1",
		"differs", "same", "not tried its body ends it by a break",
		"not tried its index wraps around", "not tried its function is not rewritten"} {
		x := got[i].Result + " " + got[i].Why
		if got[i].Difference != nil {
			x += got[i].Difference.String()
		}
		if !strings.HasPrefix(x, want) {
			t.Errorf("%s: %s, expected %s", plan[i].Path[1], x, want)
		}
	}
	d := regions.Document{Plan: plan}
	if d.Try(got); len(d.Plan) != 5 || len(d.Struck) != 2 || d.Struck[0].Path[1] != "main.main:10" {
		t.Errorf("%d loops stay and %d are struck, expected 5 and the two of line 10", len(d.Plan),
			len(d.Struck))
	}
}

// leaves are loops that print nothing, and the memory found after them that differs from the plain
// order.
var leaves = []struct {
	body    string
	removed loops.Removal
	want    string
}{
	{"for i := range 9 { a[i] = i }", loops.Removal{}, "same"},
	{"for i := range 9 { last = i }", loops.Removal{}, "reversed: last is 0, not 8, behind execution 1"},
	{"for i := range 9 { w.of[2].n = i }", loops.Removal{}, "reversed: w.of[2].n is 0, not 8, behind execution 1"},
	{"for i := range 9 { put(i) }", loops.Removal{}, "reversed: last is 0, not 8, behind execution 1"},
	{"for i := range 9 { func() { local = i }() }", loops.Removal{},
		"reversed: local is 0, not 8, behind execution 1"},
	{"for n := range 3 {\n for i := range 9 { a[i*n%3] = i } }", loops.Removal{},
		"reversed: a[0] is 0, not 8, behind execution 1"},
	// objects are those that are reached in the same way
	{"for i := range 9 { nodes[i] = &node{n: i} }", loops.Removal{}, "same"},
	{"for i := range 9 { nodes[i] = &node{next: nodes[0]} }", loops.Removal{}, "reversed: nodes[1].next is nil"},
	{"for i := range 8 { at = &a[i] }; at = nil", loops.Removal{}, "reversed: at is a pointer to object 1, byte 0,"},
	{"for i := range 9 { m[i] = new(i) }", loops.Removal{}, "same"},
	{"for i := range 9 { m[0] = new(i) }", loops.Removal{}, "reversed: m[0] is 0, not 8, behind execution 1"},
	{"for i := range 9 { k[node{n: i}] = a[i:] }", loops.Removal{}, "same"},
	{"for i := range 9 { e[0] = i; e[1] = node{n: i} }", loops.Removal{}, "reversed: e[0] is 0, not 8"},
	{"for i := range 9 { a[i%3] = i; w.sum += a[i%3] }", loops.Removal{By: "private", Name: "a"},
		"same"},
	// numbers of floating point
	{"for i := range 99 { w.f += 1 / float64(i+1) }", loops.Removal{By: "reduction", Name: "w.f", Operator: "+",
		Rounds: true}, "same"},
	{"for i := range 99 { fs[i%2] += 1 / float32(i+1) }; last = int(1e6 * fs[0])", loops.Removal{By: "reduction",
		Name: "fs", Operator: "+", Rounds: true}, "same"},
	{"for i := range 9 { w.f = w.f/2 + float64(i) }", loops.Removal{By: "reduction", Name: "w.f", Operator: "+",
		Rounds: true}, "reversed: w.f is 1.97"},
	{"for i := range 9 { w.f /= 3; w.sum = i }", loops.Removal{By: "reduction", Name: "f", Operator: "*",
		Rounds: true}, "reversed: w.sum"}, // which no name finds: loose
	{"for i := range 9 { w.f = float64(i) }", loops.Removal{By: "reduction", Name: "f", Operator: "+",
		Rounds: true}, "same"},
	// what is not the same each time
	{"for i := range 9 { a[i] = time.Now().Nanosecond() }", loops.Removal{}, "same but a"},
	{"for i := range 9 { a[i] = time.Now().Nanosecond(); last = i }", loops.Removal{}, "reversed: last"},
}

// TestTryMemory strikes loops by what they leave in memory.
func TestTryMemory(t *testing.T) {
	text := `package main

import "time"

type node struct {
	n    int
	next *node
}

var (
	start = time.Now()
	last  int
	w     struct {
		f   float64
		sum int
		of  [3]node
	}
)

func put(i int) { last = i }

func main() {
`
	for i := range leaves {
		text += fmt.Sprintf("\tf%d(make([]int, 9), make([]*node, 9), nil, map[int]*int{}, map[node][]int{}, "+
			"[]any{1, 2}, make([]float32, 2))\n", i)
	}
	text += "}\n"
	var plan []regions.Planned
	for i, x := range leaves {
		text += fmt.Sprintf("\nfunc f%d(a []int, nodes []*node, at *int, m map[int]*int, k map[node][]int, e []any, "+
			"fs []float32) {\n\tlocal := 0\n", i)
		line := strings.Count(text, "\n") + 1
		if strings.Contains(x.body, "{\n") {
			line++
		}
		text += "\t" + x.body + "\n\t_ = local\n}\n"
		plan = append(plan, regions.Planned{Path: []string{fmt.Sprintf("main.f%d:%d", i, line)}})
		if x.removed.By != "" {
			plan[i].Removed = []loops.Removal{x.removed}
		}
	}
	dir := corpus.Lay(t, "leaves", map[string][]byte{"go.mod": []byte("module leaves\n\ngo 1.26\n"),
		"main.go": []byte(text)})
	got, err := Try(t.Context(), &Request{Build: build.Request{Dir: dir, Path: "."}}, plan)
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range got {
		found := strings.Join(append([]string{x.Result + " " + x.Why}, x.Aside...), "but ")
		if x.Difference != nil {
			found = x.Difference.String()
		}
		if !strings.HasPrefix(found+" ", leaves[i].want) || leaves[i].want == "same" && found != "same " {
			t.Errorf("%s: %s, expected %s", leaves[i].body, found, leaves[i].want)
		}
	}
}

// TestFirstDifference compares what programs print.
func TestFirstDifference(t *testing.T) {
	for _, c := range []struct {
		plain, other string
		rounds       bool
		want         int
	}{
		{"", "", false, -1}, {"a 1.5\n", "a 1.5\n", false, -1}, {"a 1.5\n", "a 1.50000000001\n", false, 5},
		{"a 1.5\n", "a 1.50000000001\n", true, -1}, {"a 1.5\n", "a 1.51\n", true, 5},
		{"a 15\n", "a 16\n", true, 3}, {"1000000000 1.5", "1000000001 1.5", true, 9},
		{"1.5 2", "1.500000001 2 3", true, 5}, {"1.5 b", "1.500000001 c", true, 4},
		{"abc", "ab", false, 2}, {"ab", "abc", true, 2}, {"1e9", "1.0000000001e+09", true, -1},
	} {
		if got := firstDifference([]byte(c.plain), []byte(c.other), c.rounds); got != c.want {
			t.Errorf("%q, %q, rounds %t: %d, expected %d", c.plain, c.other, c.rounds, got, c.want)
		}
	}
}
