package orders

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"krdlab/hw/hwtest/long"
	"krdlab/krd/analysis"
	"krdlab/krd/analysis/regions"
	"krdlab/loi"
)

// TestPaths compares the critical paths of random loops, found in one pass, with those found in two
// that keep reductions: of each region.
func TestPaths(t *testing.T) {
	const build = 300
	loops := loopsOf(long.Or(60, 1000))
	all, differ := 0, 0
	for part := range slices.Chunk(loops, build) {
		path, lines := traced(t, part)
		of := map[string]*loop{}
		for i, l := range part {
			of[fmt.Sprintf("main.l%d:%d", i, lines[i])] = l
		}
		trace, err := loi.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		paths := func(set func(o *regions.Options)) []regions.Region {
			o := regions.Analysis.New().(*regions.Options)
			o.Count = "none"
			set(o)
			list, err := analysis.Run(t.Context(), trace, []analysis.Asked{{Analysis: regions.Analysis,
				Options: o}}, analysis.Options{})
			if err != nil {
				t.Fatal(err)
			}
			return list[0].(*regions.Document).Regions
		}
		two := paths(func(o *regions.Options) { o.KeepReductions = true })
		one := paths(func(o *regions.Options) { o.Paths = true })
		trace.Close()
		if len(one) != len(two) || len(one) < 2*len(part) {
			t.Fatalf("%d regions, expected %d", len(one), len(two))
		}
		for i := range two {
			a, b := &two[i], &one[i]
			if all++; slices.Equal(a.Path, b.Path) && a.Instances == b.Instances && a.Work == b.Work &&
				*a.CriticalPath == *b.CriticalPath {
				continue
			}
			name := a.Path[len(a.Path)-1]
			if l := of[name]; l != nil {
				if differ++; differ <= *show {
					source, _ := l.source("l")
					t.Errorf("%s %s: a path of %d; in two passes %d\n%s", l.row, strings.Join(b.Path, " "),
						*b.CriticalPath, *a.CriticalPath, source)
				}
			}
		}
	}
	t.Logf("%d regions, %d differ", all, differ)
}
