package doc

import (
	"fmt"
	"strings"
)

// A Table has named columns and a row of values for each thing it is about. As data it has one
// header and a row for each row, but a footer, bars and captions; for people its quantities are
// printed in the unit of their column.
type Table struct {
	Name    string   // of the file or flag that asks for it; "" if it is for people alone
	Title   string   // a line above it
	Remarks []string // lines below it
	Columns []Column
	Rows    [][]any // a string, whole number, float64, bool, Number, Quantity, Missing, Noted, nil
	Keys    int     // as many of the first columns tell rows apart; 0: one
	Foot    bool    // the last row sums up the others
	Rules   bool    // a line below each row
	Most    int     // columns of text where no terminal limits them; 0: as many as it needs

	bars []float64
}

// NewTable returns a table for people alone: the first columns hold words, the others numbers.
func NewTable(left int, heads ...string) *Table {
	t := &Table{}
	for i, head := range heads {
		c := Column{Head: head, Kind: Real}
		if i < left {
			c.Kind = Text
		}
		t.Columns = append(t.Columns, c)
	}
	return t
}

// Texts returns a table of texts for people alone.
func Texts(left int, heads []string, rows [][]string) *Table {
	t := NewTable(left, heads...)
	for _, row := range rows {
		cells := make([]any, len(row))
		for i, s := range row {
			cells[i] = s
		}
		t.Row(cells...)
	}
	return t
}

// Row adds a row. Cells beyond the columns are of columns without a head.
func (t *Table) Row(cells ...any) {
	for len(t.Columns) < len(cells) {
		t.Columns = append(t.Columns, Column{Kind: Real})
	}
	t.Rows = append(t.Rows, cells)
}

// Prose makes columns those of sentences, which are broken at spaces.
func (t *Table) Prose(columns ...int) {
	for _, i := range columns {
		for len(t.Columns) <= i {
			t.Columns = append(t.Columns, Column{})
		}
		t.Columns[i].Prose, t.Columns[i].Kind = true, Text
	}
}

// Bar draws a bar beside the row that was added last, of so much of the longest (0 to 1). Bars are
// only pictures: there are none where there is no room.
func (t *Table) Bar(share float64) {
	for len(t.bars) < len(t.Rows) {
		t.bars = append(t.bars, 0)
	}
	t.bars[len(t.Rows)-1] = share
}

// NewData returns a table of texts with the names of its columns, as data alone.
func NewData(name string, keys ...string) *Table {
	t := &Table{Name: name}
	for _, key := range keys {
		t.Columns = append(t.Columns, Column{Key: key, Head: key})
	}
	return t
}

// notes are the reasons and remarks that tables refer to by number, each once.
type notes []string

// mark returns text with the number of a note behind it.
func (n *notes) mark(text, note string) string {
	if note == "" {
		return text
	}
	i := 0
	for i < len(*n) && (*n)[i] != note {
		i++
	}
	if i == len(*n) {
		*n = append(*n, note)
	}
	return fmt.Sprintf("%s [%d]", text, i+1)
}

// shown returns the numbers of the columns that people see.
func (t *Table) shown() (list []int) {
	for i := range t.Columns {
		if !t.Columns[i].Data && (!t.Columns[i].Known || t.known(i)) {
			list = append(list, i)
		}
	}
	return list
}

// grid returns the table as texts.
func (t *Table) grid(n *notes) *grid {
	g := &grid{keys: t.Keys, most: t.Most, rules: t.Rules, foot: t.Foot, bars: t.bars,
		rows: make([][]string, len(t.Rows))}
	headed := false
	for k, i := range t.shown() {
		head, cells := t.column(i)
		g.head = append(g.head, head)
		headed = headed || head != ""
		g.left = append(g.left, t.Columns[i].Kind == Text)
		if t.Columns[i].Prose {
			g.prose = append(g.prose, k)
		}
		for j, c := range cells {
			text := n.mark(c.text, c.note)
			if c.interval != "" {
				text += "\n" + c.interval
			}
			g.rows[j] = append(g.rows[j], text)
		}
	}
	if !headed {
		g.head = nil
	}
	return g
}

// oneLine joins the lines of a head.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
