package distances

import (
	"errors"
	"math"
	"slices"
	"testing"

	"krdlab/krd"
	"krdlab/krd/plot"
)

// serialMatmul is the histogram of the 4096 x 4096 multiplication on one core (see the tests of
// package krd).
func serialMatmul() *krd.Histogram {
	below := []float64{16.6667, 25, 50, 59.375, 75, 79.2969, 87.5, 89.5996, 93.75, 94.7937, 96.875,
		97.3961, 98.4375, 98.6979}
	h := &krd.Histogram{Accesses: 3145728, AccessCount: 3145728, Cold: 32768}
	var sum uint64
	bin := func(k int, n uint64) {
		h.Bins = append(h.Bins, krd.Bin{FromBytes: 1 << k >> 1, ToBytes: 1 << k, Count: n})
		sum += n
	}
	for k := range 14 {
		bin(k, 0)
	}
	for i, share := range below {
		bin(14+i, uint64(math.Round(share/100*3145728))-sum)
	}
	bin(28, h.Accesses-h.Cold-sum)
	return h
}

func report(hs ...*krd.Histogram) *krd.Report {
	l2, llc := uint64(256<<10), uint64(18<<20)
	r := &krd.Report{SchemaVersion: krd.SchemaVersion, Distance: krd.Exclusive,
		Weight: krd.WeightCount, L2Bytes: &l2, LLCBytes: &llc}
	r.Histogram = *hs[0]
	for i, h := range hs {
		r.Nodes = append(r.Nodes, krd.Node{Node: i, Workers: []int{i}, Histogram: *h})
	}
	return r
}

// shifted moves part of every bin one up, as worse reuse does, and some to cold.
func shifted(h *krd.Histogram, by float64) *krd.Histogram {
	g := *h
	g.Bins = append([]krd.Bin(nil), h.Bins...)
	for k := len(g.Bins) - 2; k >= 0; k-- {
		n := uint64(by * float64(g.Bins[k].Count))
		g.Bins[k].Count -= n
		g.Bins[k+1].Count += n
	}
	g.Bins[0].Count = uint64(by * 2e5)
	g.Cold += uint64(by * 1e6)
	g.Accesses += g.Bins[0].Count + g.Cold - h.Cold
	return &g
}

// TestOf checks the panels of reports: axis, columns, curves, caches and caption.
func TestOf(t *testing.T) {
	h := serialMatmul()
	empty := &krd.Histogram{}
	noCaches := report(h)
	noCaches.L2Bytes, noCaches.LLCBytes = nil, nil
	cold := &krd.Histogram{Accesses: 5, AccessCount: 5, Cold: 5}
	for _, c := range []struct {
		name   string
		report *krd.Report
		each   bool
		series []string
		rules  []string
		ticks  []string // some of them
	}{
		{"one", report(h), true, []string{"node 0"}, []string{"L2 256 KiB", "LLC 18 MiB"},
			[]string{"32 MiB", "INF"}},
		{"four", report(shifted(h, 0.2), shifted(h, 0.05), shifted(h, 0.3), shifted(h, 0.5), empty), true,
			[]string{"sum over nodes", "node 0", "node 1", "node 2", "node 3"},
			[]string{"L2 256 KiB", "LLC 18 MiB"}, []string{"0", "32 MiB", "INF"}},
		{"no caches", noCaches, false, []string{"node 0"}, nil, []string{"INF"}},
		{"cold only", report(cold), false, []string{"node 0"}, []string{"L2 256 KiB", "LLC 18 MiB"},
			[]string{"INF"}},
	} {
		f, err := Of(c.report, Nodes(c.report, c.each), "about")
		if err != nil {
			t.Fatal(err)
		}
		if f.Title != "Kernel reuse distance" || len(f.Panels) != 2 || f.Caption[1] != "about" {
			t.Errorf("%s: %q, %d panels, %q", c.name, f.Title, len(f.Panels), f.Caption)
		}
		for i, p := range f.Panels {
			var series, rules, ticks []string
			for _, s := range p.Series {
				series = append(series, s.Name)
				last := s.Points[len(s.Points)-1]
				if i == 0 && (last.At != "INF" || last.Y.Float() != 100) {
					t.Errorf("%s: the cumulative curve ends at %+v", c.name, last)
				}
			}
			for _, r := range p.Rules {
				rules = append(rules, r.Name)
			}
			for _, x := range p.X.Ticks {
				ticks = append(ticks, x.Label)
			}
			if !slices.Equal(series, c.series) || !slices.Equal(rules, c.rules) {
				t.Errorf("%s: series %q, rules %q", c.name, series, rules)
			}
			for _, want := range c.ticks {
				if !slices.Contains(ticks, want) {
					t.Errorf("%s: ticks %q, expected %q", c.name, ticks, want)
				}
			}
		}
	}
	if one, err := Of(report(h), Nodes(report(h), true), ""); err != nil ||
		one.Panels[1].Kind != plot.Stacked || math.Abs(shareBelow(one, "1 MiB")-87.5) > 0.01 {
		t.Errorf("%v, kind %v, %g %% below 1 MiB", err, one.Panels[1].Kind, shareBelow(one, "1 MiB"))
	}
	none := report(empty)
	if _, err := Of(none, Nodes(none, true), ""); !errors.Is(err, plot.ErrEmpty) {
		t.Errorf("no accesses: %v, want ErrEmpty", err)
	}
}

// shareBelow returns the height of the cumulative curve at a distance.
func shareBelow(f *plot.Figure, at string) float64 {
	for _, p := range f.Panels[0].Series[0].Points {
		if p.At == at {
			return p.Y.Float()
		}
	}
	return math.NaN()
}

// Equal histograms are said to be.
func TestIdentical(t *testing.T) {
	h := serialMatmul()
	f, err := Of(report(h), []Curve{{Name: "a", Histogram: h}, {Name: "b", Histogram: shifted(h, 0.2)},
		{Name: "c", Histogram: h}}, "")
	if err != nil {
		t.Fatal(err)
	}
	if last := f.Caption[len(f.Caption)-1]; last != "Identical: a and c." {
		t.Errorf("%q", f.Caption)
	}
}
