package plot

import (
	"io"
	"slices"

	gonum "gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Write draws f in one of [Formats]; another is an error that wraps [ErrFormat]. The bytes depend
// on f alone. A picture is 6.5 inches wide, PNG at 200 dots an inch.
func (f *Figure) Write(w io.Writer, format string) error {
	if err := checkFormat(format); err != nil {
		return err
	}
	if format == Markdown {
		return f.markdown(w)
	}
	legend := f.legend()
	caption := newCaption(f.Caption)
	rows := (len(f.Panels) + f.Columns - 1) / f.Columns
	head := textStyle(11).Height("Mg") + 2*margin
	foot := caption.height()
	height := head + vg.Length(rows)*f.rowHeight() + legend.height() + foot

	var c interface {
		vg.CanvasSizer
		io.WriterTo
	}
	switch format {
	case "svg":
		c = newSVG(width, height)
	case "png":
		c = newPNG(width, height)
	case "pdf":
		c = newPDF(width, height)
	}
	all := draw.New(c)
	all.SetColor(white)
	all.Fill(all.Rectangle.Path())
	title := textStyle(11)
	title.XAlign, title.YAlign = draw.XCenter, draw.YTop
	all.FillText(title, vg.Point{X: all.Center().X, Y: all.Max.Y - margin}, f.Title)
	f.panels(draw.Crop(all, 0, 0, foot+legend.height(), -head), rows)
	legend.draw(all, foot)
	caption.draw(all)
	_, err := c.WriteTo(w)
	return err
}

// panels lays the panels out, their data areas aligned.
func (f *Figure) panels(c draw.Canvas, rows int) {
	plots := make([][]*gonum.Plot, rows)
	for i := range plots {
		plots[i] = make([]*gonum.Plot, f.Columns)
		for j := range plots[i] {
			if n := i*f.Columns + j; n < len(f.Panels) {
				panel := f.Panels[n].upright()
				if j > 0 {
					panel.Y = panel.Y.beside(f.Panels[n-j].upright().Y)
				}
				panel.X = panel.X.thinned((width-2*margin)/vg.Length(f.Columns) - 36)
				plots[i][j] = panel.plot()
			}
		}
	}
	tiles := draw.Tiles{Rows: rows, Cols: f.Columns, PadLeft: margin, PadRight: 10, PadX: 10,
		PadY: margin}
	cells := gonum.Align(plots, tiles, c)
	for i := range plots {
		for j, p := range plots[i] {
			if p != nil {
				p.Draw(cells[i][j])
			}
		}
	}
}

// beside returns a without its words where it stands beside the same axis: Align makes their areas
// equal.
func (a Axis) beside(left Axis) Axis {
	if a.Min != left.Min || a.Max != left.Max || !slices.Equal(a.Ticks, left.Ticks) {
		return a
	}
	a.Label, a.Ticks = "", slices.Clone(a.Ticks)
	for i := range a.Ticks {
		if a.Ticks[i].Label != "" {
			a.Ticks[i].Label = " " // a line of the grid is at labels only
		}
	}
	return a
}

// thinned returns a without the labels for which a width has no room; the last stays, then the
// first, then those further right.
func (a Axis) thinned(width vg.Length) Axis {
	if a.Turned {
		return a
	}
	a.Ticks = slices.Clone(a.Ticks)
	style := textStyle(8)
	type span struct{ from, to vg.Length }
	var used []span
	place := func(t *Tick) {
		if t.Label == "" {
			return
		}
		middle, half := width*vg.Length((t.Value-a.Min)/(a.Max-a.Min)), style.Width(t.Label)/2+1.5
		for _, u := range used {
			if middle+half > u.from && middle-half < u.to {
				t.Label = ""
				return
			}
		}
		used = append(used, span{middle - half, middle + half})
	}
	n := len(a.Ticks)
	if n > 0 {
		place(&a.Ticks[n-1])
	}
	if n > 1 {
		place(&a.Ticks[0])
	}
	for i := n - 2; i > 0; i-- {
		place(&a.Ticks[i])
	}
	return a
}

// rowsHeight returns that of so many rows, each as high as wanted unless they are many.
func rowsHeight(rows, each float64) vg.Length {
	return vg.Length(min(max(rows*each, 50), max(220, rows)))
}

func (f *Figure) rowHeight() vg.Length {
	switch p := &f.Panels[0]; {
	case p.Kind == Cells: // as high as wide
		across := (width-2*margin)/vg.Length(f.Columns) - 10
		return across*vg.Length((p.Y.Max-p.Y.Min)/(p.X.Max-p.X.Min)) + 0.25*vg.Inch
	case p.Kind == Strips:
		return rowsHeight(p.Y.Max-p.Y.Min, 4.5) + 0.75*vg.Inch
	case p.Kind == Arcs:
		return rowsHeight(p.Y.Max-p.Y.Min, 36) + 0.75*vg.Inch
	case p.Kind == Matrix:
		return vg.Length(len(p.Series))*fieldHeight + p.X.turnedHeight() + 2*margin
	case p.Flipped:
		return vg.Length(len(p.X.Ticks))*fieldHeight + 0.7*vg.Inch
	case f.Columns > 2:
		return 2.25 * vg.Inch
	case f.Columns == 2:
		return 2.5 * vg.Inch
	}
	return 3.4 * vg.Inch
}
