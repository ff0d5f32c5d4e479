package plot

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// Markdown is the format of a figure as tables in text.
const Markdown = "md"

// markdown writes the figure as tables: a matrix as it is drawn, its best in bold, what cannot be
// told from it in italics; of cells and arcs how many there are; of other figures each point in a
// row.
func (f *Figure) markdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "### %s\n\n", f.Title)
	for i := range f.Panels {
		p := &f.Panels[i]
		if p.Title != "" {
			fmt.Fprintf(&b, "#### %s\n\n", p.Title)
		}
		row := func(cells []string) {
			fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | "))
		}
		head, rows := p.list()
		switch {
		case p.Kind == Matrix:
			head, rows = p.Fields("**%s**", "_%s_")
		case p.Kind.Noun() != "":
			head, rows = []string{"whose", p.Kind.Noun()}, nil
			for i := range p.Series {
				s := &p.Series[i]
				rows = append(rows, []string{s.Name, fmt.Sprint(len(s.Points))})
			}
		}
		row(head)
		row(slices.Repeat([]string{"---"}, len(head)))
		for _, cells := range rows {
			row(cells)
		}
		b.WriteByte('\n')
	}
	for _, text := range f.Caption {
		fmt.Fprintf(&b, "%s\n\n", text)
	}
	fmt.Fprintf(&b, "<!-- %s -->\n", Mark)
	_, err := io.WriteString(w, strings.ReplaceAll(b.String(), "\u00a0", " "))
	return err
}

// Fields returns a matrix as a table of texts, the first row at the top. best and tie
// are forms, with %s, of the best of a row and of those that tie with it.
func (p *Panel) Fields(best, tie string) (head []string, rows [][]string) {
	head = []string{""}
	for _, t := range p.X.Ticks {
		head = append(head, t.Label)
	}
	for _, s := range slices.Backward(p.Series) {
		cells := []string{s.Name}
		for _, v := range s.Points {
			switch v.Mark {
			case "":
				cells = append(cells, v.Label)
			case MarkBest:
				cells = append(cells, fmt.Sprintf(best, v.Label))
			default:
				cells = append(cells, fmt.Sprintf(tie, v.Label))
			}
		}
		rows = append(rows, cells)
	}
	return head, rows
}

// list returns a panel as a table of its points.
func (p *Panel) list() (head []string, rows [][]string) {
	for _, s := range p.Series {
		for _, v := range s.Points {
			rows = append(rows, []string{s.Name, v.At, v.Y.Text(4), v.Low.Text(4),
				v.High.Text(4),
				fmt.Sprint(v.N)})
		}
	}
	oneLine := func(label string) string { return strings.ReplaceAll(label, "\n", " ") }
	return []string{"series", oneLine(p.X.Label), oneLine(p.Y.Label), "low", "high", "n"}, rows
}
