package figures

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"

	"krdlab/krd/krdplot"
)

const (
	width  = 6.5 * vg.Inch // the text width of a page
	dpi    = 200           // of PNG
	margin = 8 * vg.Length(1)
)

// Write draws f in one of [Formats]; another is an error that wraps [ErrFormat]. The bytes of SVG and PNG depend on f alone. A picture is
// 6.5 inches wide, PNG at 200 dots an inch.
func (f *Figure) Write(w io.Writer, format string) error {
	if !slices.Contains(Formats, format) {
		return fmt.Errorf("%w %q, expected one of %s", ErrFormat, format, strings.Join(Formats, ", "))
	}
	legend := f.legend()
	caption := wrap(f.Caption, textStyle(8), width-2*margin)
	rows := (len(f.Panels) + f.Columns - 1) / f.Columns
	line := textStyle(8).Height("Mg") * 1.35
	head := textStyle(11).Height("Mg") + 2*margin
	foot := line*vg.Length(len(caption)) + margin
	height := head + vg.Length(rows)*f.rowHeight() + legend.height() + foot

	var c interface {
		vg.CanvasSizer
		io.WriterTo
	}
	switch format {
	case "svg":
		c = vgsvg.NewWith(vgsvg.UseWH(width, height))
	case "png":
		c = vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(dpi))}
	case "pdf":
		c = vgpdf.New(width, height)
	}
	all := draw.New(c)
	all.SetColor(white)
	all.Fill(all.Rectangle.Path())
	title := textStyle(11)
	title.XAlign, title.YAlign = draw.XCenter, draw.YTop
	all.FillText(title, vg.Point{X: all.Center().X, Y: all.Max.Y - margin}, f.Title)
	if err := f.panels(draw.Crop(all, 0, 0, foot+legend.height(), -head), rows); err != nil {
		return err
	}
	legend.draw(all, foot)
	for i, words := range caption {
		all.FillText(textStyle(8), vg.Point{X: all.Min.X + margin, Y: all.Min.Y + foot - line*vg.Length(i) - 3}, words)
	}
	_, err := c.WriteTo(w)
	return err
}

func textStyle(size vg.Length) text.Style {
	return text.Style{Color: krdplot.Ink, Font: krdplot.Sans(size), YAlign: draw.YTop, Handler: plot.DefaultTextHandler}
}

// wrap breaks paragraphs into lines that are at most so wide.
func wrap(paragraphs []string, style text.Style, width vg.Length) []string {
	var lines []string
	for _, p := range paragraphs {
		line := ""
		for _, word := range strings.Split(p, " ") {
			switch {
			case line == "":
				line = word
			case style.Width(line+" "+word) <= width:
				line += " " + word
			default:
				lines = append(lines, line)
				line = word
			}
		}
		lines = append(lines, line)
	}
	return lines
}

// panels lays the panels out, their data areas aligned.
func (f *Figure) panels(c draw.Canvas, rows int) error {
	plots := make([][]*plot.Plot, rows)
	for i := range plots {
		plots[i] = make([]*plot.Plot, f.Columns)
		for j := range plots[i] {
			if n := i*f.Columns + j; n < len(f.Panels) {
				p, err := f.Panels[n].plot()
				if err != nil {
					return fmt.Errorf("figure %s: %w", f.ID, err)
				}
				plots[i][j] = p
			}
		}
	}
	tiles := draw.Tiles{Rows: rows, Cols: f.Columns, PadLeft: margin, PadRight: 10, PadX: 10, PadY: margin}
	cells := plot.Align(plots, tiles, c)
	for i := range plots {
		for j, p := range plots[i] {
			if p != nil {
				p.Draw(cells[i][j])
			}
		}
	}
	return nil
}

func (f *Figure) rowHeight() vg.Length {
	if f.Columns > 1 {
		return 2.3 * vg.Inch
	}
	return 3.4 * vg.Inch
}
