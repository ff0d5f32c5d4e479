package plot

import (
	"cmp"
	"io"
	"slices"
	"strings"

	"krdlab/hw/units"
	"krdlab/krd/doc"
)

// Part returns the figure as a part of a document, under an anchor. Panels of lines and of bars at
// positions are charted too; the colours of fields, cells and arcs mean values.
func (f *Figure) Part(anchor string) *doc.Figure {
	bare := *f // the document has title and caption
	bare.Title, bare.Caption = "", nil
	p := &doc.Figure{ID: anchor, Title: f.Title, Caption: f.Caption, Numbers: f.numbers(),
		Draw: func(w io.Writer) error { return bare.Write(w, "svg") }}
	is := func(kinds ...Kind) func(p Panel) bool {
		return func(p Panel) bool { return slices.Contains(kinds, p.Kind) }
	}
	p.Paper = slices.ContainsFunc(f.Panels, is(Heat, Matrix, Cells, Strips, Arcs))
	charted := func(p Panel) bool { return is(Lines, Stacked)(p) && !p.Flipped }
	if !slices.ContainsFunc(f.Panels, func(p Panel) bool { return !charted(p) }) {
		p.Chart = f
	}
	return p
}

// plainLabel returns the label of an axis without powers of a thousand, on one line.
func plainLabel(a *Axis) string { return strings.ReplaceAll(cmp.Or(a.Plain, a.Label), "\n", " ") }

// pointsOf returns the number of points of a panel.
func pointsOf(p *Panel) (n int) {
	for i := range p.Series {
		n += len(p.Series[i].Points)
	}
	return n
}

// numbers returns the table of what the figure shows.
func (f *Figure) numbers() *doc.Table {
	number := func(head string) doc.Column { return doc.Column{Head: head, Kind: doc.Real} }
	p := &f.Panels[0]
	if noun := p.Kind.Noun(); noun != "" {
		t := &doc.Table{Title: "How many " + noun + " each has; no shares of time.", Columns: []doc.Column{{Head: "panel"},
			{Head: "whose"}, number(noun)}, Keys: 2}
		for i := range f.Panels {
			for _, s := range f.Panels[i].Series {
				t.Row(f.Panels[i].Title, s.Name, len(s.Points))
			}
		}
		return t
	}
	series, x, value := "series", p.X.Label, plainLabel(&p.Y)
	switch p.Kind { // a series is a row
	case Heat:
		series, value = value, "number"
	case Matrix:
		series, x = "kernel", "scheduler"
	}
	for i := range f.Panels { // of different quantities
		if q := &f.Panels[i]; p.Kind != Heat && plainLabel(&q.Y) != plainLabel(&p.Y) {
			value = "value"
		}
		if q := &f.Panels[i]; q.X.Label != p.X.Label {
			x = "at"
		}
	}
	t := &doc.Table{Title: "The numbers of the figure.", Columns: []doc.Column{{Head: "panel"},
		{Head: series}, number(x), number(value), number("low"), number("high"), number("n")}, Keys: 2}
	// Where x is measured too, points have names.
	named := slices.ContainsFunc(p.Series, func(s Series) bool {
		return slices.ContainsFunc(s.Points, func(v Point) bool { return v.XLow.Known() || p.X.Unit == "%" })
	})
	if named {
		t.Columns = slices.Insert(t.Columns, 2, doc.Column{Head: "of"})
	}
	several := len(f.Panels) > 1
	if !several {
		t.Columns, t.Keys = t.Columns[1:], 1
	}
	rows, panel := f.Rows(), 0
	left := pointsOf(p)
	for _, r := range rows {
		for ; left == 0; left = pointsOf(&f.Panels[panel]) {
			panel++
		}
		left--
		row := []any{r.Series, r.At}
		if named {
			row = append(row, doc.Digits(r.X, 4))
		}
		if several {
			name := r.Panel
			if q := &f.Panels[panel]; name == "" || value == "value" && name != plainLabel(&q.Y) {
				name = strings.TrimPrefix(name+", "+plainLabel(&q.Y), ", ")
			}
			row = append([]any{name}, row...)
		}
		for i, n := range []units.Number{r.Y, r.Low, r.High} {
			switch {
			case n.Known():
				q := doc.Quantity{Median: r.Y, Low: r.Low, High: r.High, N: r.N}
				row = append(row, doc.Format(q, n.Float(), 1))
			case i == 0:
				row = append(row, nil)
			default:
				row = append(row, "–")
			}
		}
		t.Row(append(row, r.N)...)
	}
	return t
}
