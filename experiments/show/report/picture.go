package report

import (
	"bytes"
	"fmt"
	"html/template"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/result"
	"krdlab/experiments/show/figures"
	"krdlab/krd/doc"
	"krdlab/krd/plot"
)

// A picture is a figure on the page.
type picture struct {
	Anchor  string
	Number  int // over the whole page, from 1
	Figure  *plot.Figure
	Label   string        // what it shows, for those who do not see it
	Drawing template.HTML // inline SVG
	Paper   bool          // is drawn on white in the dark too: its colours mean values
	Numbers *doc.Table
}

// styles gives each distinct style of the drawings of a page a class, which is shorter than the
// style.
type styles struct {
	list  []string
	index map[string]int
}

func (s *styles) class(style string) string {
	i, ok := s.index[style]
	if !ok {
		if s.index == nil {
			s.index = map[string]int{}
		}
		i, s.list = len(s.list), append(s.list, style)
		s.index[style] = i
	}
	return "d" + strconv.Itoa(i)
}

// css is the rules of the classes.
func (s *styles) css() string {
	var b strings.Builder
	for i, style := range s.list {
		fmt.Fprintf(&b, ".d%d{%s}\n", i, style)
	}
	return b.String()
}

// pictures draws all figures of a group, or the leading ones. Those that cannot be drawn, or are
// not, come back as sentences.
func pictures(g *dataset.Group, anchor string, brief bool, number *int,
	classes *styles) (list []picture, skipped []string, err error) {
	var ids []string
	if brief {
		ids = leading
		skipped = []string{fmt.Sprintf("other families than %s: the page has more than %d "+
			"kernels, sizes and machines; krdlab plot has all", strings.Join(leading, ", "), fewGroups)}
	}
	figs, without := figures.Of(g, ids)
	for _, s := range without {
		skipped = append(skipped, s.String())
	}
	for i := range figs {
		p, err := newPicture(&figs[i], anchor+"-", number, classes)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", g.String(), err)
		}
		list = append(list, *p)
	}
	return list, skipped, nil
}

// newPicture draws a figure.
func newPicture(f *plot.Figure, anchor string, number *int, classes *styles) (*picture, error) {
	bare := *f // the page has title and caption beside the drawing
	bare.Title, bare.Caption = "", nil
	var b bytes.Buffer
	if err := bare.Write(&b, "svg"); err != nil {
		return nil, fmt.Errorf("figure %s: %w", f.ID, err)
	}
	*number++
	p := picture{Anchor: anchor + f.ID, Number: *number, Figure: f, Numbers: numbersOf(f)}
	p.Label = f.Title + ", a figure of " + plural(len(f.Panels), "panel") +
		"; its numbers are in the table below it"
	p.Paper = slices.ContainsFunc(f.Panels,
		func(p plot.Panel) bool {
			return p.Kind == plot.Heat || p.Kind == plot.Matrix || p.Kind.Noun() != ""
		})
	var err error
	if p.Drawing, err = inline(b.String(), p.Label, p.Paper, classes); err != nil {
		return nil, fmt.Errorf("figure %s: %w", f.ID, err)
	}
	return &p, nil
}

var (
	svgHead   = regexp.MustCompile(`^<svg width="[^"]*" height="[^"]*" viewBox="([^"]*)"[^>]*>`)
	svgStyle  = regexp.MustCompile(`style="[^"<>{}]*"`)
	svgColour = regexp.MustCompile(`(fill|stroke):#([0-9A-Fa-f]{6})`)
	svgFont   = strings.NewReplacer("font-variant:normal;font-weight:normal;font-style:normal;", "",
		"font-family:Liberation Sans;", "")
)

// inline makes an SVG document a part of a page: without its prologue and size, its styles by
// class, and its colours by name, so that the style sheet can change them in the dark; not those of
// a drawing on paper.
func inline(svg, label string, paper bool, classes *styles) (template.HTML, error) {
	_, svg, ok := strings.Cut(svg, "<svg ")
	svg = "<svg " + svg
	head := svgHead.FindStringSubmatch(svg)
	if !ok || head == nil {
		return "", fmt.Errorf("the drawing does not begin as expected: %.80q", svg)
	}
	body := svgStyle.ReplaceAllStringFunc(strings.TrimSpace(svg[len(head[0]):]),
		func(s string) string {
			style := svgFont.Replace(s[len(`style="`) : len(s)-1])
			if !paper {
				style = svgColour.ReplaceAllStringFunc(style, func(c string) string {
					kind, hex, _ := strings.Cut(c, ":#")
					return kind + ":var(--c" + strings.ToUpper(hex) + ",#" + hex + ")"
				})
			}
			return `class="` + classes.class(style) + `"`
		})
	return template.HTML(`<svg viewBox="` + head[1] + `" role="img" aria-label="` +
		template.HTMLEscapeString(label) + `">` + body), nil
}

// countsOf is the table of a figure of many points: how many of each series.
func countsOf(f *plot.Figure, noun string) *doc.Table {
	t := &doc.Table{Title: "How many " + noun + ".", Columns: []doc.Column{{Head: "panel"},
		{Head: "whose"}, right(noun)}, Keys: 2}
	for i := range f.Panels {
		for j := range f.Panels[i].Series {
			s := &f.Panels[i].Series[j]
			t.Row(f.Panels[i].Title, s.Name, len(s.Points))
		}
	}
	return t
}

// numbersOf is the table of what a figure shows.
func numbersOf(f *plot.Figure) *doc.Table {
	if noun := f.Panels[0].Kind.Noun(); noun != "" {
		return countsOf(f, noun)
	}
	panels := len(f.Panels) > 1
	series, x, value := "series", f.Panels[0].X.Label, f.Panels[0].Y.Label
	switch f.Panels[0].Kind { // a series is a row
	case plot.Heat:
		series, value = value, "number"
	case plot.Matrix:
		series, x = "kernel", "scheduler"
	}
	t := &doc.Table{Title: "The numbers of the figure.", Columns: []doc.Column{{Head: "panel"},
		{Head: series}, right(x), right(value), right("low"), right("high"), right("n")}, Keys: 2}
	if !panels {
		t.Columns, t.Keys = t.Columns[1:], 1
	}
	for _, r := range f.Rows() {
		row := []any{r.Panel, r.Series, r.At}
		if !panels {
			row = row[1:]
		}
		for i, n := range []result.Number{r.Y, r.Low, r.High} {
			switch {
			case n.Known():
				q := result.Quantity{Median: r.Y, Low: r.Low, High: r.High, N: r.N}
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
