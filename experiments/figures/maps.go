package figures

import (
	"fmt"
	"path/filepath"
	"slices"

	"krdlab/experiments/request"
	"krdlab/experiments/result"
	"krdlab/experiments/scene"
	"krdlab/krd/plot"
	"krdlab/loi"
)

// maps is who wrote each block last, of the object of most bytes that kernels write: a panel for
// each scheduler at the largest core count of which there are traces. Who is a node, or where there
// is one, a worker.
func maps(s *subject) (*plot.Figure, error) {
	for _, n := range slices.Backward(s.cores) {
		if f, err := mapsAt(s, n); f != nil || err != nil {
			return f, err
		}
	}
	return nil, Skipped{mapID, "no run has its trace and writes blocks that are registered"}
}

const mapID = "map"

// mapsAt is that at a core count; nil: there is none.
func mapsAt(s *subject, cores int) (*plot.Figure, error) {
	f := &plot.Figure{ID: mapID, Title: "Who wrote each block last"}
	said, missing := "", []string(nil)
	for _, name := range s.schedulers {
		path := s.traceOf(name, cores)
		if path == "" {
			missing = append(missing, name)
			continue
		}
		p, of, err := mapOf(path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if p == nil {
			missing = append(missing, name)
			continue
		}
		p.Title, said = name, of
		f.Panels = append(f.Panels, *p)
	}
	if len(f.Panels) == 0 {
		return nil, nil
	}
	f.Lay(4)
	f.Columns = max(f.Columns, 2) // a single one is not as wide as the page
	f.Caption = []string{said + fmt.Sprintf(" Of the traced repetition, on %s.", plural(cores, "core"))}
	if len(missing) > 0 {
		f.Caption = append(f.Caption, notDrawn(missing))
	}
	return f, nil
}

// traceOf is the trace of a cell; "": there is none.
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

// mapOf is the panel of a trace, and what is in it; nil: no registered block is written.
func mapOf(path string) (*plot.Panel, string, error) {
	t, err := loi.Open(path)
	if err != nil {
		return nil, "", err
	}
	defer t.Close()
	list, err := scene.Owners(t)
	if err != nil {
		return nil, "", err
	}
	o := scene.Largest(list)
	if o == nil {
		return nil, "", nil
	}
	who, of := "node", func(worker int) int { return t.Header.Workers[worker].Node }
	if t.Header.Nodes < 2 {
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
		who), nil
}

// owner is the series of a node or worker, in one of the palette's colours.
func owner(who string, k int) plot.Series {
	colours := plot.Palette[1:] // black is for letters
	c := colours[k%len(colours)]
	return plot.Series{Name: fmt.Sprintf("%s %d", who, k), Style: k,
		Colour: fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B)}
}
