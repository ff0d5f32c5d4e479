// Package plot draws figures for print: panels with axes, series, points and their intervals, a
// legend and a caption below.
//
// A [Figure] is a description. [Figure.Write] draws exactly that, [Figure.Rows] is the same as a
// table, and a page may chart it in its own way. [Of] describes the reuse distances of a report, as
// in figures 4 and 5 of the KRD paper; experiments/show/figures describes experiments.
//
// The parts: distances.go and scale.go lay distances out; axis.go chooses ticks; notes.go finds the
// notes of a caption; look.go and marker.go distinguish series; draw.go and the files beside it
// draw, and svg.go, pdf.go and mark.go write the formats. A [Flame] is a flame graph.
package plot

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"krdlab/hw/failure"
	"krdlab/hw/units"
	"krdlab/krd/doc"
)

// Errors that a caller can act on.
var (
	ErrFormat = failure.New(failure.Request, "unknown figure format") // of [Figure.Write]
	ErrEmpty  = failure.New(failure.Failed, "nothing to draw")        // of [Of]
)

// Formats are those that [Figure.Write] knows.
var Formats = []string{"svg", "pdf", "png", Markdown}

// FormatOf returns the format of the extension of path, one of [Formats]. Another is an error that
// wraps [ErrFormat].
func FormatOf(path string) (string, error) {
	format := strings.TrimPrefix(strings.ToLower(filepath.Ext(path)), ".")
	if err := checkFormat(format); err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	return format, nil
}

func checkFormat(format string) error {
	if slices.Contains(Formats, format) {
		return nil
	}
	last := len(Formats) - 1
	return fmt.Errorf("%w %q, expected %s or %s", ErrFormat, format,
		strings.Join(Formats[:last], ", "), Formats[last])
}

// A Figure is one picture.
type Figure struct {
	// "speedup", "krd-bins-24": a word for file names and anchors; unique within the group
	ID    string `json:"id"`
	Title string `json:"title"`
	// paragraphs: where the numbers come from, what points and bars are, n
	Caption []string `json:"caption"`
	Panels  []Panel  `json:"panels"`  // at least one
	Columns int      `json:"columns"` // that the panels are laid out in
	// Findings are its conclusions; the caption has their sentences.
	Findings []doc.Finding `json:"-"`
}

// A Kind is a way of drawing a panel.
type Kind string

// The kinds of panels.
const (
	// points, joined within a series unless the series or the point is apart; bars for intervals
	Lines   Kind = "lines"
	Stacked Kind = "stacked" // bars at each x, the first series at the bottom
	// Fields as dark as Point.Shade, with Point.Label in them: series n is row n, from the bottom;
	// x is the column. Rows of a matrix are as low as their letters.
	Heat   Kind = "heat"
	Matrix Kind = "matrix"
	// Cells of the colours of series, one around each point, at whole numbers; without axes.
	Cells Kind = "cells"
	// Strips are cells of time: with axes, as wide as the panel, in rows as low as they can be.
	Strips Kind = "strips"
	// Arcs from Point.X to Point.XHigh over the line of Point.Row, which is that number of the y
	// axis: the longer the higher, the larger Point.Shade the wider and darker.
	Arcs Kind = "arcs"
	// Steps are bars from Point.From to Point.From + Point.Y, each in its place; of flipped panels.
	Steps Kind = "steps"
)

// Noun names the points of a panel of the kind, where they are so many that tables count them; ""
// of other kinds.
func (k Kind) Noun() string {
	switch k {
	case Cells, Strips:
		return "cells"
	case Arcs:
		return "arcs"
	}
	return ""
}

// A Panel is one plot of a figure.
type Panel struct {
	Title  string   `json:"title,omitempty"` // "" of a single one
	Note   string   `json:"note,omitempty"`  // below the title
	Kind   Kind     `json:"kind"`
	X      Axis     `json:"x"`
	Y      Axis     `json:"y"`
	Series []Series `json:"series"`
	Rules  []Rule   `json:"rules,omitempty"` // lines of reference
	// Flipped panels are drawn with the names of the X axis at the left, the first at the top, and
	// values to the right; rows are as low as their letters.
	Flipped bool `json:"flipped,omitempty"`
}

// An Axis has positions from Min to Max, linear in the picture. Distances in bytes are laid out by
// their log2; only the labels of the ticks and Point.At are in bytes then.
type Axis struct {
	Label string  `json:"label"`          // with the unit in brackets where there is one
	Unit  string  `json:"unit,omitempty"` // "cores", "%", "bytes" (log2 of), "node"; "" of a ratio
	Min   float64 `json:"min"`
	Max   float64 `json:"max"`
	Ticks []Tick  `json:"ticks"`
	// Plain is the label where ticks are in powers of a thousand, without them; "": Label.
	Plain string `json:"-"`
	// Turned labels are written upwards, so that none is left out.
	Turned bool `json:"turned,omitempty"`
}

// A Tick is a labelled position; one without label is a mark only.
type Tick struct {
	Value float64 `json:"value"`
	Label string  `json:"label"`
}

// A Series is drawn in one colour.
type Series struct {
	Name   string `json:"name"`
	Colour string `json:"colour"` // #rrggbb; the same for a scheduler in all figures
	Style  int    `json:"style"`  // number of its look, see [LookAt]
	// of that look: SVG path data, in a box from -1.6 to 1.6; points drawn, left out, ...
	Marker string    `json:"marker,omitempty"`
	Dashes []float64 `json:"dashes,omitempty"`
	Apart  bool      `json:"apart,omitempty"`
	Dots   bool      `json:"dots,omitempty"` // points are dots, since there are many
	Points []Point   `json:"points"`
	// in the legend, where several look the same; "": Name
	Legend string `json:"legend,omitempty"`
}

// A Point is a measured value. Unknown values are not drawn; a value beyond the axis is drawn at
// its end, as an arrow with the value.
type Point struct {
	X     float64      `json:"x"` // position on the axis
	At    string       `json:"at"`
	Y     units.Number `json:"y"`
	Low   units.Number `json:"low"` // the interval; unknown: none
	High  units.Number `json:"high"`
	XLow  units.Number `json:"x_low"` // and of x where it is measured too
	XHigh units.Number `json:"x_high"`
	// not joined to the others: in a column beside the scale, such as INF
	Apart bool `json:"apart,omitempty"`
	N     int  `json:"n"` // repetitions behind it
	// written beside the marker where there is room, once for those side by side that have the same
	Label     string `json:"label,omitempty"`
	Disturbed bool   `json:"disturbed,omitempty"` // its marker is hollow
	// of a field of a matrix or an arc: how dark it is, from 0 to 1; [MarkBest], [MarkTied], [MarkFirst] or ""
	Shade float64 `json:"shade,omitempty"`
	Mark  string  `json:"mark,omitempty"`
	Row   int     `json:"row,omitempty"`  // of an arc
	From  float64 `json:"from,omitempty"` // of a step
}

// A Rule is a straight line of reference from (X1, Y1) to (X2, Y2).
type Rule struct {
	Name   string  `json:"name"`
	X1     float64 `json:"x1"`
	Y1     float64 `json:"y1"`
	X2     float64 `json:"x2"`
	Y2     float64 `json:"y2"`
	Dashed bool    `json:"dashed,omitempty"`
	// named in the legend; otherwise at its upper end, inside the panel
	Legend bool `json:"legend,omitempty"`
}

// The marks of fields of a matrix.
const (
	MarkBest  = "best"  // of its row, told from all others
	MarkTied  = "tied"  // the best of its row, or not told from it
	MarkFirst = "first" // the best of its row, where some have too few to test it against
)

// Lay sets the columns, at most so many, and as many as make rows of about the same length.
func (f *Figure) Lay(most int) {
	f.Columns = min(len(f.Panels), most)
	if rows := (len(f.Panels) + most - 1) / most; rows > 1 {
		f.Columns = (len(f.Panels) + rows - 1) / rows
	}
}

// A Row is one point of a figure in a table.
type Row struct {
	Panel, Series string
	At            string  // x in words: "12", "[32 MiB, 64 MiB)", "INF"
	X             float64 // its position on the axis
	Y, Low, High  units.Number
	Unit          string // of y
	N             int
}

// Rows returns the figure as a table.
func (f *Figure) Rows() []Row {
	var rows []Row
	for _, p := range f.Panels {
		for _, s := range p.Series {
			for _, v := range s.Points {
				rows = append(rows, Row{p.Title, s.Name, v.At, v.X, v.Y, v.Low, v.High, p.Y.Unit,
					v.N})
			}
		}
	}
	return rows
}
