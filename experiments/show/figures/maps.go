package figures

import (
	"fmt"
	"path/filepath"
	"slices"

	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/experiments/show/scene"
	"krdlab/krd/plot"
	"krdlab/loi"
)

const mapID = "map"

// maps draws who wrote each block last, of the object of most bytes that kernels write: a panel for
// each scheduler at the largest core count with traces. The owner is a node, or where there is one
// node, a worker.
func maps(s *subject) (*plot.Figure, error) {
	all, err := s.over()
	if err != nil {
		return nil, err
	}
	f := &plot.Figure{ID: mapID, Title: "Who wrote each block last"}
	said, missing := "", slices.Clone(all.missing)
	for i := range all.list {
		x := &all.list[i]
		o := scene.Largest(x.owners)
		if o == nil {
			missing = append(missing, x.scheduler)
			continue
		}
		p, of := mapOf(&x.header, o)
		p.Title, said = x.scheduler, of
		f.Panels = append(f.Panels, *p)
	}
	if len(f.Panels) == 0 {
		return nil, Skipped{ID: mapID, Reason: "no run has its trace and writes blocks that are registered"}
	}
	f.Lay(4)
	f.Columns = max(f.Columns, 2) // a single one is not as wide as the page
	f.Caption = []string{said + fmt.Sprintf(" Of the traced repetition, on %s.",
		plural(all.cores, "core"))}
	f.Caption = append(f.Caption, all.incomplete()...)
	if len(missing) > 0 {
		f.Caption = append(f.Caption, notDrawn(missing))
	}
	return f, nil
}

// traceOf returns the trace of a cell; "": there is none.
func (s *subject) traceOf(scheduler string, cores int) string {
	for _, c := range s.Cells {
		r := c.Result
		if r.Scheduler == scheduler && r.Cores == cores && r.Trace != nil && r.Trace.Path != "" &&
			r.Settings.Trace != request.TraceKRD && filepath.IsLocal(r.Trace.Path) {
			return filepath.Join(c.Dir, r.Trace.Path)
		}
	}
	return ""
}

// mapOf returns the panel of an object, and its contents in words.
func mapOf(h *loi.Header, o *scene.Object) (*plot.Panel, string) {
	who, of := "node", func(worker int) int { return h.Workers[worker].Node }
	if h.Nodes < 2 {
		who, of = "worker", func(worker int) int { return worker }
	}
	high, wide := o.Size()
	p := &plot.Panel{Kind: plot.Cells, X: plot.Axis{Min: -0.5, Max: float64(wide) - 0.5},
		Y: plot.Axis{Min: -0.5, Max: float64(high) - 0.5}}
	series := map[int]int{}
	for b, worker := range o.Writers {
		if worker == scene.Nobody {
			continue
		}
		k := of(worker)
		i, ok := series[k]
		if !ok {
			i = len(p.Series)
			series[k] = i
			p.Series = append(p.Series, owner(who, k))
		}
		row, column := o.Cell(b)
		p.Series[i].Points = append(p.Series[i].Points, plot.Point{X: float64(column),
			Y: result.Some(float64(high - 1 - row)), N: 1})
	}
	slices.SortFunc(p.Series, func(a, b plot.Series) int { return a.Style - b.Style })
	return p, fmt.Sprintf("%s: the %s that wrote each block last; white: none did.", o.Describe(),
		who)
}

// owner returns the series of a node or worker, in one of the palette's colours.
func owner(who string, k int) plot.Series {
	colours := plot.Palette[1:] // black is for letters
	c := colours[k%len(colours)]
	return plot.Series{Name: fmt.Sprintf("%s %d", who, k), Style: k,
		Colour: fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B)}
}
