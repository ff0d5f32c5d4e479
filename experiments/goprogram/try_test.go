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
	for i, want := range []string{"same", `differs reversed: stdout, byte 9, line 2: "[320 160 80 40 20 10]"` +
		`, not "[4 10 4 12 20 10]"`, "differs", "same", "not tried its body ends it by a break",
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
