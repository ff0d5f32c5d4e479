package doc

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// A grid is a table of texts without borders, two spaces between its columns. It is laid out for a
// number of columns of a terminal: first the words of heads are put below each other, then those of
// prose, then columns that do not fit follow below in a table of their own, and where not even one
// does each row is a list. Nothing is left out but bars.
type grid struct {
	head  []string
	rows  [][]string // the last is a footer if there is one
	left  []bool     // aligned to the left
	prose []int      // columns of sentences
	keys  int        // as many of the first columns tell rows apart: each part has them
	most  int        // columns where no terminal limits them; 0: as many as it needs
	rules bool       // a line below each row
	foot  bool
	bars  []float64
}

const (
	gap      = 2  // columns between two of a table
	prose    = 24 // a column of prose is not narrower than that, if it need not be
	longest  = 40 // bar
	shortest = 8  // bar that is worth its room
)

// render returns the lines of the table, for so many columns; 0: as many as it needs.
func (t *grid) render(columns int) string {
	least, most := t.widths()
	var all []int
	for i := range most {
		all = append(all, i)
	}
	if columns == 0 {
		columns = t.most
	}
	if columns == 0 {
		columns = total(most) + gap + longest
	}
	if total(least) <= columns {
		return t.part(all, least, most, columns)
	}
	keys := max(t.keys, 1)
	var b strings.Builder
	for next := keys; next < len(all); {
		part := slices.Clone(all[:keys])
		room := columns - total(least[:keys])
		first := next
		for next < len(all) && room >= gap+least[next] {
			room -= gap + least[next]
			part = append(part, next)
			next++
		}
		if next == first {
			return t.list(columns)
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(t.part(part, pick(least, part), pick(most, part), columns))
	}
	return b.String()
}

func pick[T any](of []T, which []int) []T {
	var list []T
	for _, i := range which {
		list = append(list, of[i])
	}
	return list
}

// total returns the width of columns with the gaps between them.
func total(widths []int) int {
	n := gap * max(0, len(widths)-1)
	for _, w := range widths {
		n += w
	}
	return n
}

// widths returns the least and the most that each column takes.
func (t *grid) widths() (least, most []int) {
	n := len(t.head)
	for _, r := range t.rows {
		n = max(n, len(r))
	}
	least, most = make([]int, n), make([]int, n)
	for i := range n {
		for _, row := range t.rows {
			most[i] = max(most[i], width(cell(row, i)))
		}
		least[i] = most[i]
		if slices.Contains(t.prose, i) {
			least[i] = min(least[i], prose)
		}
		head := cell(t.head, i)
		most[i] = max(most[i], width(head))
		for word := range strings.FieldsSeq(head) {
			least[i] = max(least[i], utf8.RuneCountInString(word))
		}
	}
	return least, most
}

func cell(row []string, i int) string {
	if i < len(row) {
		return row[i]
	}
	return ""
}

// width returns that of the longest line of s.
func width(s string) (n int) {
	for line := range strings.Lines(s) {
		n = max(n, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")))
	}
	return n
}

// part lays out some columns, which fit.
func (t *grid) part(which, least, most []int, columns int) string {
	widths := slices.Clone(least)
	left := columns - total(least)
	for i := range widths { // what is wider without breaks comes first, sentences last
		if !slices.Contains(t.prose, which[i]) {
			more := min(left, most[i]-least[i])
			widths[i] += more
			left -= more
		}
	}
	for left > 0 { // prose shares the rest
		grown := false
		for i := range widths {
			if left > 0 && widths[i] < most[i] {
				widths[i]++
				left--
				grown = true
			}
		}
		if !grown {
			break
		}
	}
	bar := min(longest, left-gap)
	if t.bars == nil || bar < shortest || len(which) < len(t.head) {
		bar = 0
	}
	return t.draw(which, widths, bar)
}

// draw draws columns of these widths, and bars of at most bar beside them.
func (t *grid) draw(which, widths []int, bar int) string {
	w := table.NewWriter()
	style := table.StyleDefault
	style.Options = table.Options{SeparateHeader: true, SeparateFooter: true,
		SeparateRows: t.rules}
	style.Format = table.FormatOptions{Header: text.FormatDefault, Row: text.FormatDefault,
		Footer: text.FormatDefault}
	style.Box.PaddingLeft, style.Box.PaddingRight = "", strings.Repeat(" ", gap)
	w.SetStyle(style)
	var columns []table.ColumnConfig
	for j, i := range which {
		align := text.AlignRight
		if t.left[i] || slices.Contains(t.prose, i) {
			align = text.AlignLeft
		}
		columns = append(columns, table.ColumnConfig{Number: j + 1, WidthMin: widths[j],
			Align: align, AlignHeader: align, AlignFooter: align, VAlignHeader: text.VAlignBottom})
	}
	w.SetColumnConfigs(columns)
	if t.head != nil {
		w.AppendHeader(anys(t.heads(which, widths)))
	}
	for i, row := range t.rows {
		cells := pickCells(row, which)
		for j := range cells {
			if slices.Contains(t.prose, which[j]) {
				cells[j] = Wrap(cells[j], widths[j], 0)
			}
		}
		if i < len(t.bars) && t.bars[i] > 0 && bar > 0 {
			cells = append(cells, strings.Repeat("#", max(1, int(t.bars[i]*float64(bar)+0.5))))
		}
		if t.foot && i == len(t.rows)-1 {
			w.AppendFooter(anys(cells))
		} else {
			w.AppendRow(anys(cells))
		}
	}
	rule := strings.Repeat("-", total(widths))
	var b strings.Builder
	for line := range strings.SplitSeq(w.Render(), "\n") {
		if line = strings.TrimRight(line, " "); len(line) >= len(rule) &&
			strings.Trim(line, "-") == "" {
			line = rule // not below the padding of the last column, nor bars
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

func anys(cells []string) table.Row {
	row := make(table.Row, len(cells))
	for i, c := range cells {
		row[i] = c
	}
	return row
}

func pickCells(row []string, which []int) []string {
	cells := make([]string, len(which))
	for j, i := range which {
		cells[j] = cell(row, i)
	}
	return cells
}

// heads returns those of a part, as narrow as its columns. The first line of a group is that of its
// first column.
func (t *grid) heads(which, widths []int) []string {
	heads := pickCells(t.head, which)
	for j, i := range which {
		for k := i; k > 0 && j > 0 && which[j-1] != i-1 && strings.HasPrefix(heads[j], "\n"); k-- {
			if first, _, group := strings.Cut(cell(t.head, k-1), "\n"); group && first != "" {
				heads[j] = first + heads[j]
			}
		}
		if width(heads[j]) > widths[j] {
			heads[j] = Wrap(heads[j], widths[j], 0)
		}
	}
	return heads
}

// list prints a paragraph for each row: its keys, and below them its values, each with its head.
func (t *grid) list(columns int) string {
	keys := max(t.keys, 1)
	words := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	var b strings.Builder
	for _, row := range t.rows {
		if first := words(strings.Join(row[:min(keys, len(row))], " ")); first != "" {
			b.WriteString(Wrap(first, columns, gap) + "\n")
		}
		for i := keys; i < len(row); i++ {
			text := words(row[i])
			if text == "" {
				continue
			}
			if head := words(cell(t.head, i)); head != "" {
				text = head + ": " + text
			}
			text = Wrap(text, columns-gap, gap)
			b.WriteString("  " + strings.ReplaceAll(text, "\n", "\n  ") + "\n")
		}
	}
	return b.String()
}
