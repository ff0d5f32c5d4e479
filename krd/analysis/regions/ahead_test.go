package regions

import (
	"slices"
	"testing"

	"krdlab/loi/front/corpus"
)

// TestOnePass compares the critical paths of one pass with those of two that keep reductions.
func TestOnePass(t *testing.T) {
	for _, r := range corpus.Recordings {
		if !r.Values || r.Sync {
			continue
		}
		t.Run(r.Case, func(t *testing.T) {
			two := pathsOf(t, r.Case, func(o *Options) { o.KeepReductions = true })[0]
			one := pathsOf(t, r.Case, func(o *Options) { o.Paths = true })[0]
			samePaths(t, two, one)
			if one.Plan != nil {
				t.Errorf("a plan of %d loops", len(one.Plan))
			}
		})
	}
}

// samePaths compares the paths of each region of two documents.
func samePaths(t *testing.T, want, got *Document) {
	t.Helper()
	if len(want.Regions) != len(got.Regions) || len(want.Regions) == 0 {
		t.Fatalf("%d regions, expected %d", len(got.Regions), len(want.Regions))
	}
	for i := range want.Regions {
		a, b := &want.Regions[i], &got.Regions[i]
		if !slices.Equal(a.Path, b.Path) || a.Instances != b.Instances || a.Work != b.Work ||
			*a.CriticalPath != *b.CriticalPath {
			t.Errorf("%v: work %d, a path of %d; expected %v: %d, %d", b.Path, b.Work,
				*b.CriticalPath, a.Path, a.Work, *a.CriticalPath)
		}
	}
}
