package figures

import (
	"errors"
	"fmt"
	"slices"

	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/estimate"
	"krdlab/experiments/run/result"
	"krdlab/krd"
	"krdlab/krd/analysis/distances"
	"krdlab/krd/plot"
)

var errNoKRD = errors.New("no run was traced for reuse distances (--trace krd)")

// spread returns medians over histograms with their intervals, as points in %.
func spread(hs []*krd.Histogram) distances.Spread {
	return func(share func(*krd.Histogram) result.Number) plot.Point {
		var values []float64
		for _, h := range hs {
			if n := share(h); n.Known() {
				values = append(values, 100*n.Float())
			}
		}
		q := result.QuantityOf(values)
		return plot.Point{Y: q.Median, Low: q.Low, High: q.High, N: q.N}
	}
}

// traced returns the histograms of a cell, without empty ones.
func (s *subject) traced(scheduler string, cores int) []*krd.Histogram {
	r := s.at(scheduler, cores)
	if r == nil {
		return nil
	}
	return slices.DeleteFunc(r.Histograms(),
		func(h *krd.Histogram) bool { return h.Accesses == 0 })
}

func (s *subject) tracedAt(cores int) (hs []*krd.Histogram) {
	for _, name := range s.schedulers {
		hs = append(hs, s.traced(name, cores)...)
	}
	return hs
}

// nodesAt returns on how many nodes the workers were at a core count, 0 if that is not known.
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

// place returns a core count and where the cores are: "12 cores of 2 nodes".
func (s *subject) place(cores int) string {
	text := plural(cores, "core")
	if n := s.nodesAt(cores); n > 0 && cores > 1 {
		text += " of " + plural(n, "node")
	}
	return text
}

// chosen returns the core counts of figures 4 and 5: one core, one node (the largest count that one
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

// reuse returns the reuse distances at each of the chosen core counts, cumulative and per bin
// (figures 4 and 5), on the same axes.
func reuse(s *subject) (figs []plot.Figure, err error) {
	chosen := s.chosen()
	if chosen == nil {
		return nil, errNoKRD
	}
	var all []*krd.Histogram
	for _, n := range chosen {
		all = append(all, s.tracedAt(n)...)
	}
	var drawn []*distances.Plot
	top := 0.0
	for _, n := range chosen {
		d := distances.New(all, uint64(s.machine().L2Bytes), uint64(s.machine().LLCBytes),
			"accesses")
		for _, name := range s.schedulers {
			if hs := s.traced(name, n); len(hs) > 0 {
				d.Add(s.series(name), s.disturbed(name, n), spread(hs))
			}
		}
		drawn, top = append(drawn, d), max(top, d.HighestBin())
	}
	for i, d := range drawn {
		n := chosen[i]
		d.BinsUpTo(top)
		figure := func(id, title, what string, p plot.Panel) {
			figs = append(figs, plot.Figure{ID: fmt.Sprintf("krd-%s-%d", id, n), Title: "Kernel " +
				"reuse distance, " + title + ": " + s.place(n), Columns: 1,
				Panels: []plot.Panel{p}, Caption: s.distancesSay(n, what, &p)})
		}
		figure("cumulative", "cumulative", "Share of all accesses with a smaller reuse distance; "+
			"distances of several nodes add up.", d.Cumulative)
		figure("bins", "per bin", "Share of all accesses in each bin. Medians of bins need not "+
			"add up to 100 %.", d.Bin)
	}
	return figs, nil
}

// distancesSay returns the caption of a figure of reuse distances at a core count.
func (s *subject) distancesSay(cores int, what string, p *plot.Panel) []string {
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

// tracedSays describes the points and bars of figures of reuse distances on the given core counts.
func (s *subject) tracedSays(cores ...int) string {
	var t tally
	for _, name := range s.schedulers {
		for _, n := range cores {
			if k := len(s.traced(name, n)); k > 0 && !s.at(name, n).Deterministic {
				t.add(k, k >= estimate.MinSample)
			}
		}
	}
	text := t.says(shareStats, "traced repetition", s.seedText(), "")
	if words := s.deterministic(cores...); words != "" {
		text += " " + words
	}
	return text
}
