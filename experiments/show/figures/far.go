package figures

import (
	"errors"
	"fmt"
	"math"
	"math/bits"

	"krdlab/experiments/run/result"
	"krdlab/experiments/run/stats"
	"krdlab/hw/units"
	"krdlab/krd/analysis/distances"
	"krdlab/krd/plot"
)

// threshold returns the distance that figures look beyond: the least power of two that is not below
// the size of the LLC, at which the histograms count exactly; 32 MiB, the paper's, where that size
// is not known. Accesses beyond it are not the far ones, which are counted with the LLC's own size.
func (s *subject) threshold() uint64 {
	if llc := uint64(s.machine().LLCBytes); llc > 0 {
		return 1 << bits.Len64(llc-1)
	}
	return stats.PaperBytes
}

func (s *subject) thresholdSays() string {
	text := "at least " + units.Bytes(s.threshold())
	if llc := uint64(s.machine().LLCBytes); llc > 0 {
		return text + ", the first power of two from the LLC's " + units.Bytes(llc) + " on"
	}
	return text + ", as in the paper; the size of the LLC is not known"
}

// far returns figure 6, and the share of accesses beyond the threshold against cores.
func far(s *subject) (figs []plot.Figure, err error) {
	counts := []int{}
	for _, n := range s.cores {
		if len(s.tracedAt(n)) > 0 {
			counts = append(counts, n)
		}
	}
	if len(counts) == 0 {
		return nil, errNoKRD
	}
	// Figure 6 is of two full nodes; where they were not measured, of the largest count.
	at := counts[len(counts)-1]
	for _, n := range counts {
		if n == 2*s.machine().CoresPerNode {
			at = n
		}
	}
	f, err := s.beyond(at)
	if err == nil {
		figs = append(figs, *f)
	} else {
		err = Skipped{ID: fmt.Sprintf("far-%d", at), Reason: err.Error()}
	}
	if len(counts) < 2 {
		return figs, errors.Join(err, fmt.Errorf("reuse distances at one core count only (%d); "+
			"their share is drawn against cores", counts[0]))
	}
	return append(figs, *s.farAgainstCores()), err
}

// beyond returns the share of the accesses at each distance or more, from half the threshold on
// (figure 6).
func (s *subject) beyond(cores int) (*plot.Figure, error) {
	llc := uint64(s.machine().LLCBytes)
	sc := distances.NewScale(s.tracedAt(cores))
	sc.Zero = false
	sc.First = bits.Len64(s.threshold()) - 2
	if sc.Last <= sc.First {
		return nil, fmt.Errorf("no reuse on %s has a distance of %s or more", plural(cores, "core"),
			units.Bytes(1<<sc.First))
	}
	p := plot.Panel{Kind: plot.Lines, X: sc.Axis("reuse distance [bytes]; INF: cold")}
	top := 0.0
	for _, name := range s.schedulers {
		hs := s.traced(name, cores)
		if len(hs) == 0 {
			continue
		}
		series := s.series(name)
		of := spread(hs)
		for k := sc.First; k <= sc.Last; k++ {
			series.Points = append(series.Points, of.At(float64(k), units.Bytes(1<<k),
				stats.At(1<<k, true).Of))
		}
		series.Points = append(series.Points, of.Beside(sc.Infinity(), "INF", stats.Cold.Of))
		series.Doubt(s.disturbed(name, cores))
		top = math.Max(top, plot.Highest(series.Points))
		p.Series = append(p.Series, series)
	}
	p.Y = plot.PercentAxis("accesses at this distance or more [%]", top)
	p.Rules = distances.Caches(0, llc, p.Y.Max)
	if llc < 1<<sc.First {
		p.Rules = nil
	}
	return &plot.Figure{
		ID: fmt.Sprintf("far-%d", cores), Title: "Accesses by distance: " + s.place(cores),
		Columns: 1, Panels: []plot.Panel{p},
		Caption: s.distancesSay(cores, "Share of all accesses with at least this reuse distance, "+
			"cold accesses (INF) counted in.", &p),
	}, nil
}

// farAgainstCores returns the share of accesses beyond the threshold against cores, in both
// readings.
func (s *subject) farAgainstCores() *plot.Figure {
	limit := s.threshold()
	f := &plot.Figure{ID: "far", Title: "Accesses at " + units.Bytes(limit) + " or more", Columns: 2}
	readings := []stats.Point{stats.At(limit, true), stats.At(limit, false)}
	top := 0.0
	for _, reading := range readings {
		p := s.againstCores("", func(r *result.Result) result.Quantity {
			return inPercent(reading.Measure("", "", ""), r)
		})
		p.Title = reading.Name
		for _, series := range p.Series {
			top = math.Max(top, plot.Highest(series.Points))
		}
		f.Panels = append(f.Panels, *p)
	}
	for i := range f.Panels { // one scale
		f.Panels[i].Y = plot.PercentAxis("share of all accesses [%]", top)
	}
	text := fmt.Sprintf("Accesses with a reuse distance of %s; with \"or cold\" also those of "+
		"distance INF. %s", s.thresholdSays(), s.tracedSays(s.cores...))
	f.Caption = append([]string{text}, s.absent(&f.Panels[0])...)
	return f
}
