// Package krdplot draws Kernel Reuse Distance histograms for print, as in figures 4 to 6 of the KRD
// paper: the share of the accesses in each bin and the share below each distance, with the cache
// sizes as vertical lines and the cold accesses in a column of their own. Several histograms
// (nodes, schedulers) go into one figure, told apart by colour and marker.
package krdplot

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"krdlab/hw/failure"
	"krdlab/hw/units"
	"krdlab/krd"
)

// A Series is one histogram of a figure.
type Series struct {
	Name      string
	Histogram *krd.Histogram
	Look      int    // number of its look, see [LookAt]
	Legend    string // what the legend says of it and of others that look the same; "": Name
}

// A Figure says what to draw. All its histograms must have the same distance convention and weight.
type Figure struct {
	Title   string
	Caption []string // lines below the plots: n, machine, scheduler
	Series  []Series // drawn in this order
	Unit    string   // what shares are of: "accesses" or "bytes"
	L2Bytes *uint64  // nil: no line
	// LLCBytes is the size of the last-level cache of a node; nil: no line.
	LLCBytes *uint64
}

// sumLook is the look of the sum over nodes, or of the only one; those of the nodes follow.
const sumLook = 1

// Of returns the figure of a report: the sum over the nodes, and with perNode, where there are
// several, each of them as well. about is what the caller knows of the run (machine, kernel,
// scheduler, cores); it becomes the last line of the caption.
func Of(r *krd.Report, perNode bool, about string) *Figure {
	f := &Figure{Title: "Kernel reuse distance", L2Bytes: r.L2Bytes, LLCBytes: r.LLCBytes,
		Unit: "accesses"}
	if r.Weight == krd.WeightBytes {
		f.Unit = "bytes"
	}
	name := "sum over nodes"
	if len(r.Nodes) == 1 {
		name = fmt.Sprintf("node %d", r.Nodes[0].Node)
	}
	f.Series = []Series{{Name: name, Histogram: &r.Histogram, Look: sumLook}}
	if perNode && len(r.Nodes) > 1 {
		for i := range r.Nodes {
			f.Series = append(f.Series, Series{
				Name:      fmt.Sprintf("node %d", r.Nodes[i].Node),
				Histogram: &r.Nodes[i].Histogram, Look: sumLook + 1 + i})
		}
	}
	f.Caption = append(f.Caption, fmt.Sprintf("n = %s accesses on %s; %s distance; shares are of "+
		"%s, cold ones (INF) included.",
		grouped(r.AccessCount), units.Count(len(r.Nodes), "node"), r.Distance, f.Unit))
	if r.Invalidated != nil && r.Accesses > 0 {
		f.Caption = append(f.Caption, fmt.Sprintf("Writes invalidate on other nodes: %.4g %% of "+
			"the %s were lost so. They are part of all, and in no bin.",
			100*float64(*r.Invalidated)/float64(r.Accesses), f.Unit))
	}
	if about != "" {
		f.Caption = append(f.Caption, about)
	}
	return f
}

// identical is a line of the caption that names the series whose histograms are the same.
func (f *Figure) identical() []string {
	var groups []string
	said := map[int]bool{}
	for i, s := range f.Series {
		same := []string{s.Name}
		for j := i + 1; j < len(f.Series) && !said[i]; j++ {
			if other := f.Series[j]; sameHistogram(s.Histogram, other.Histogram) {
				same, said[j] = append(same, other.Name), true
			}
		}
		switch {
		case len(same) == len(f.Series) && len(same) > 3:
			return []string{"Identical: all lines."}
		case len(same) > 1:
			groups = append(groups, units.List(same))
		}
	}
	if groups == nil {
		return nil
	}
	return []string{"Identical: " + strings.Join(groups, "; ") + "."}
}

func sameHistogram(a, b *krd.Histogram) bool {
	return a.Accesses > 0 && a.Accesses == b.Accesses && a.Cold == b.Cold &&
		slices.Equal(a.Bins, b.Bins)
}

// grouped prints n in groups of three digits, apart by a no-break space.
func grouped(n uint64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "\u00a0" + s[i:]
	}
	return s
}

// Errors of [Figure.Write] that a caller can act on.
var (
	ErrFormat = failure.New(failure.Request, "unknown figure format")
	ErrEmpty  = failure.New(failure.Failed, "nothing to draw")
)

const (
	panelsHeight = 5.8 * vg.Inch
	dpi          = 200 // of PNG
)

// FormatOf returns the format that the extension of path says: svg, png or pdf. Another is an error
// that wraps [ErrFormat].
func FormatOf(path string) (string, error) {
	format := strings.TrimPrefix(strings.ToLower(filepath.Ext(path)), ".")
	if err := checkFormat(format); err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	return format, nil
}

func checkFormat(format string) error {
	switch format {
	case "svg", "png", "pdf":
		return nil
	}
	return fmt.Errorf("%w %q, expected svg, png or pdf", ErrFormat, format)
}

// Write draws f in the format "svg", "png" or "pdf".
func (f *Figure) Write(w io.Writer, format string) error {
	if err := checkFormat(format); err != nil {
		return err
	}
	a, err := f.scale()
	if err != nil {
		return err
	}
	cumulative, err := f.cumulative(a)
	if err != nil {
		return err
	}
	perBin, err := f.perBin(a)
	if err != nil {
		return err
	}
	caption := NewCaption(slices.Concat(f.Caption, f.identical()))
	legend := f.legend()
	height := panelsHeight + caption.Height()
	if legend != nil {
		height += legend.Height()
	}
	var c interface {
		vg.CanvasSizer
		io.WriterTo
	}
	switch format {
	case "svg":
		c = NewSVG(Width, height)
	case "png":
		c = NewPNG(Width, height)
	case "pdf":
		c = NewPDF(Width, height)
	}
	all := draw.New(c)
	foot := height - panelsHeight
	tiles := draw.Tiles{Rows: 2, Cols: 1, PadTop: vg.Points(6), PadRight: vg.Points(10),
		PadLeft: vg.Points(6), PadY: vg.Points(8)}
	plots := [][]*plot.Plot{{cumulative}, {perBin}} // they share their horizontal axis
	cells := plot.Align(plots, tiles, draw.Crop(all, 0, 0, foot, 0))
	for i := range plots {
		plots[i][0].Draw(cells[i][0])
	}
	if legend != nil {
		legend.Draw(all, caption.Height())
	}
	caption.Draw(all)
	_, err = c.WriteTo(w)
	return err
}

// legend names the series where there are several.
func (f *Figure) legend() Legend {
	if len(f.Series) < 2 {
		return nil
	}
	var list []Entry
	for _, s := range f.Series {
		if s.Histogram.Accesses == 0 {
			continue
		}
		look := LookAt(s.Look)
		glyph := look.Glyph()
		list = append(list, Entry{Name: cmp.Or(s.Legend, s.Name), Line: look.Line(), Glyph: &glyph})
	}
	return NewLegend(list)
}
