package figures

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"krdlab/experiments/dataset"
	"krdlab/experiments/result"
	"krdlab/experiments/stats"
	"krdlab/hw/units"
	"krdlab/krd"
)

var errNoKRD = errors.New("no run was traced for reuse distances (--trace krd)")

// spread is the quantity that f is over histograms, as a point.
func spread(hs []*krd.Histogram, x float64, at string,
	f func(*krd.Histogram) result.Number) Point {
	var values []float64
	for _, h := range hs {
		if n := f(h); n.Known() {
			values = append(values, 100*n.Float())
		}
	}
	q := result.QuantityOf(values)
	return Point{X: x, At: at, Y: q.Median, Low: q.Low, High: q.High, N: q.N}
}

// traced are the histograms of a cell, without empty ones.
func (s *subject) traced(scheduler string, cores int) []*krd.Histogram {
	r := s.at(scheduler, cores)
	if r == nil {
		return nil
	}
	return slices.DeleteFunc(dataset.Histograms(r),
		func(h *krd.Histogram) bool { return h.Accesses == 0 })
}

func (s *subject) tracedAt(cores int) (hs []*krd.Histogram) {
	for _, name := range s.schedulers {
		hs = append(hs, s.traced(name, cores)...)
	}
	return hs
}

// nodesAt is on how many nodes the workers were at a core count, 0 if that is not known.
func (s *subject) nodesAt(cores int) int {
	for _, name := range s.schedulers {
		if r := s.at(name, cores); r != nil {
			if n := dataset.Nodes(r); n > 0 {
				return n
			}
		}
	}
	return 0
}

// place is a core count and where the cores are: "12 cores of 2 nodes".
func (s *subject) place(cores int) string {
	text := plural(cores, "core")
	if n := s.nodesAt(cores); n > 0 && cores > 1 {
		text += " of " + plural(n, "node")
	}
	return text
}

// chosen are the core counts of figures 4 and 5: one core, one node (the largest count that one
// node holds), all that there are; those that were traced.
func (s *subject) chosen() []int {
	var counts []int
	for _, n := range s.cores {
		if len(s.tracedAt(n)) > 0 {
			counts = append(counts, n)
		}
	}
	if len(counts) == 0 {
		return nil
	}
	node := counts[0]
	for _, n := range counts {
		if per := s.machine().CoresPerNode; per > 0 && n <= per {
			node = n
		}
	}
	return slices.Compact([]int{counts[0], node, counts[len(counts)-1]})
}

// distances are the reuse distances at each of the chosen core counts, cumulative and per bin
// (figures 4 and 5), on the same axes.
func distances(s *subject) ([]Figure, error) {
	chosen := s.chosen()
	if chosen == nil {
		return nil, errNoKRD
	}
	var all []*krd.Histogram
	for _, n := range chosen {
		all = append(all, s.tracedAt(n)...)
	}
	l2, llc := uint64(s.machine().L2Bytes), uint64(s.machine().LLCBytes)
	sc := newScale(all, l2, llc)
	var figs []Figure
	top := 0.0
	for _, n := range chosen {
		cumulative, bins := Panel{Kind: Lines}, Panel{Kind: Lines}
		for _, name := range s.schedulers {
			hs := s.traced(name, n)
			if len(hs) == 0 {
				continue
			}
			c, b := s.series(name), s.series(name)
			c.Points, b.Points = sc.cumulative(hs), sc.perBin(hs)
			c.doubt(s.disturbed(name, n))
			b.doubt(s.disturbed(name, n))
			for _, v := range b.Points {
				top = math.Max(top, v.Y.Float())
				if v.High.Known() {
					top = math.Max(top, v.High.Float())
				}
			}
			cumulative.Series, bins.Series = append(cumulative.Series, c), append(bins.Series, b)
		}
		cumulative.X = sc.axis("reuse distance [bytes]; INF: all accesses, first ones included")
		cumulative.Y = percentAxis("accesses with a smaller distance [%]", 100)
		cumulative.Y.Max = 105 // room for the markers
		cumulative.Rules = caches(l2, llc, cumulative.Y.Max)
		bins.X = sc.axis("reuse distance [bytes], bins from one power of two to the next; INF: " +
			"first access on a node")
		bins.Y = Axis{Label: "accesses in the bin [%]"}
		figs = append(figs, Figure{
			ID: fmt.Sprintf("krd-cumulative-%d", n), Title: "Kernel reuse distance, cumulative: " +
				s.place(n), Columns: 1, Panels: []Panel{cumulative},
			Caption: s.distancesSay(n, "Share of all accesses with a smaller reuse distance; "+
				"distances of several nodes add up.", &cumulative),
		}, Figure{
			ID: fmt.Sprintf("krd-bins-%d", n), Title: "Kernel reuse distance, per bin: " +
				s.place(n), Columns: 1, Panels: []Panel{bins},
			Caption: s.distancesSay(n, "Share of all accesses in each bin. Medians of bins need "+
				"not add up to 100 %.", &bins),
		})
	}
	for i := 1; i < len(figs); i += 2 {
		p := &figs[i].Panels[0]
		p.Y = percentAxis(p.Y.Label, top)
		p.Rules = caches(l2, llc, p.Y.Max)
	}
	return figs, nil
}

// doubt marks all points of a disturbed series.
func (s *Series) doubt(disturbed bool) {
	for i := range s.Points {
		s.Points[i].Disturbed = disturbed
	}
}

// cumulative is the share of accesses below each power of two; 100 % with INF.
func (a scale) cumulative(hs []*krd.Histogram) []Point {
	var list []Point
	for k := a.First; k <= a.Last; k++ {
		list = append(list, spread(hs, float64(k), units.Bytes(1<<k),
			func(h *krd.Histogram) result.Number {
				n, err := h.Below(1 << k)
				if err != nil {
					return result.Number{}
				}
				return stats.Part(h, n)
			}))
	}
	end := spread(hs, a.Infinity(), "INF",
		func(*krd.Histogram) result.Number { return result.Some(1) })
	end.Apart = true
	return append(list, end)
}

// perBin is the share of accesses in each bin.
func (a scale) perBin(hs []*krd.Histogram) []Point {
	bin := func(k int) func(*krd.Histogram) result.Number {
		return func(h *krd.Histogram) result.Number {
			var n uint64
			if k < len(h.Bins) {
				n = h.Bins[k].Count
			}
			return stats.Part(h, n)
		}
	}
	var list []Point
	if a.Zero {
		zero := spread(hs, a.Center(0), "0", bin(0))
		zero.Apart = true
		list = append(list, zero)
	}
	for k := a.First + 1; k <= a.Last; k++ {
		at := "[" + units.Bytes(1<<(k-1)) + ", " + units.Bytes(1<<k) + ")"
		list = append(list, spread(hs, a.Center(k), at, bin(k)))
	}
	end := spread(hs, a.Infinity(), "INF", stats.Cold.Of)
	end.Apart = true
	return append(list, end)
}

// distancesSay is the caption of a figure of reuse distances at a core count.
func (s *subject) distancesSay(cores int, what string, p *Panel) []string {
	var accesses []uint64
	convention := krd.Exclusive
	for _, name := range s.schedulers {
		hs := s.traced(name, cores)
		for _, h := range hs {
			accesses = append(accesses, h.AccessCount)
		}
		if r := s.at(name, cores); len(hs) > 0 && r.KRD != nil {
			convention = r.KRD.Distance
		}
	}
	text := fmt.Sprintf("%s %s distance, %s accesses in a repetition. %s", what,
		title(string(convention)), between(slices.Min(accesses), slices.Max(accesses)),
		s.tracedSays(cores))
	return append([]string{text}, s.absent(p)...)
}

// tracedSays is what the points and bars of figures of reuse distances on the given core counts
// are.
func (s *subject) tracedSays(cores ...int) string {
	var t tally
	for _, name := range s.schedulers {
		for _, n := range cores {
			if k := len(s.traced(name, n)); k > 0 && !s.at(name, n).Deterministic {
				t.add(k, k >= result.MinSample)
			}
		}
	}
	text := t.says(shareStats, "traced repetition", s.seedText(), "")
	if words := s.deterministic(cores...); words != "" {
		text += " " + words
	}
	return text
}
