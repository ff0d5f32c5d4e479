package regions

import (
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"

	"krdlab/krd/analysis"
	"krdlab/krd/analysis/loops"
	"krdlab/loi"
)

// TestDealt deals a loop whose 96 iterations read a line each, which was written before it, twice:
// the second time all cores have theirs. Core 0 has them from the writes.
func TestDealt(t *testing.T) {
	var b strings.Builder
	b.WriteString("loi-text 4\nsubstrate native\nclock tsc 1e9\nnodes 1\ngrain kernel\n" +
		"meta unit datum\nmeta \"workers are\" goroutines\nworker 0 cpu -1 node 0 offset 0\n" +
		"worker 1 cpu -1 node 0 offset 0\nobject A keyed\nkernel f\nregion f function\n" +
		"region \"f:1\" loop in 0\nregion \"f:1, iteration\" iteration in 1\n0 1 event region(0,1,0)\n")
	access := func(line int, mode string) {
		fmt.Fprintf(&b, "0 2 2 f{A[%d:8]:%s}\n", uint64(8)<<56|uint64(line*64), mode)
	}
	for line := range 96 {
		access(line, "out")
	}
	number := 1
	for range 2 {
		number++
		loop := number
		fmt.Fprintf(&b, "0 3 event region(1,%d,0)\n", loop)
		for line := range 96 {
			number++
			fmt.Fprintf(&b, "0 3 event region(2,%d,0)\n", number)
			access(line, "in")
			fmt.Fprintf(&b, "0 3 event region-end(%d)\n", number)
		}
		fmt.Fprintf(&b, "0 3 event region-end(%d)\n", loop)
	}
	text := b.String()
	var removed []loops.Removal
	deal := func(text, machine string) (*Document, error) {
		tr, err := loi.ParseText(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		opt := options()
		opt.Misses = machine
		d := &Document{opt: opt, Plan: []Planned{{Path: []string{"f", "f:1"}, Removed: removed}}}
		return d, d.deal(t.Context(), tr, &analysis.Input{}, map[string]loi.RegionID{"f:1": 1})
	}
	d, err := deal(text, "desktop")
	if err != nil {
		t.Fatal(err)
	}
	m := d.Plan[0].Misses
	if m.Accesses != 2*96 || m.L2Bytes != 512<<10 || len(m.By) != 4 {
		t.Fatalf("%+v", m)
	}
	for _, x := range m.By {
		want := float64(x.Cores-1) / float64(x.Cores) / 2 // in the first of two times
		if math.Abs(x.BeyondL2-want) > 1e-9 || x.BeyondLLC != 0 {
			t.Errorf("%d cores: %+v, expected %g", x.Cores, x, want)
		}
	}
	// All write one line: each takes it from the one before, but core 0 at the very first.
	one := regexp.MustCompile(`(region\(2,\d+,0\)\n0 2 2 f\{A)\[\d+:8\]:in`).ReplaceAllString(text,
		fmt.Sprintf("$1[%d:8]:out", uint64(8)<<56|95*64))
	d, err = deal(one, "desktop")
	if err != nil {
		t.Fatal(err)
	}
	if by := d.Plan[0].Misses.By; by[0].BeyondL2 != 0 || by[1].BeyondL2 != float64(95+96)/192 ||
		by[1].BeyondLLC != 0 {
		t.Errorf("one line for all: %+v", by)
	}
	// If it is private each but core 0 misses its own once.
	removed = []loops.Removal{{By: "private", Name: "x"}}
	if d, err = deal(one, "desktop"); err != nil {
		t.Fatal(err)
	}
	for _, x := range d.Plan[0].Misses.By {
		if want := float64(x.Cores-1) / 192; math.Abs(x.BeyondL2-want) > 1e-9 {
			t.Errorf("private, %d cores: %+v, expected %g", x.Cores, x, want)
		}
	}
	if _, err := deal(text, here); err == nil || !strings.Contains(err.Error(), "has none") {
		t.Errorf("caches that nobody tells: %v", err)
	}
	// with two goroutines, their caches are not known
	d, err = deal(text+fmt.Sprintf("1 4 4 f{A[%d:8]:in}\n", uint64(8)<<56), "desktop")
	if err != nil || d.Plan[0].Misses != nil || len(d.Warnings) != 1 {
		t.Errorf("two goroutines: %v, %+v", err, d)
	}
}
