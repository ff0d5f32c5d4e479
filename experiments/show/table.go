package show

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// NewTable returns a table without borders, two spaces between columns, all but the first left
// columns aligned to the right.
func NewTable(left int, header ...any) table.Writer {
	t := table.NewWriter()
	style := table.StyleDefault
	style.Options = table.Options{SeparateHeader: true, SeparateFooter: true}
	style.Format = table.FormatOptions{Header: text.FormatDefault, Row: text.FormatDefault,
		Footer: text.FormatDefault}
	style.Box.PaddingLeft, style.Box.PaddingRight = "", "  "
	t.SetStyle(style)
	t.AppendHeader(header)
	configs := make([]table.ColumnConfig, len(header))
	for i := range configs {
		align := text.AlignRight
		if i < left {
			align = text.AlignLeft
		}
		configs[i] = table.ColumnConfig{Number: i + 1, Align: align, AlignHeader: align,
			AlignFooter:  align,
			VAlignHeader: text.VAlignBottom}
	}
	t.SetColumnConfigs(configs)
	return t
}

// Render returns the table's lines without the padding of the last column.
func Render(t table.Writer) string {
	lines := strings.Split(t.Render(), "\n")
	for i, l := range lines {
		if rule := strings.TrimRight(l, "-"); rule == "" && len(l) > 2 {
			l = l[2:]
		}
		lines[i] = strings.TrimRight(l, " ")
	}
	return strings.Join(lines, "\n") + "\n"
}

// Columns returns a table of texts, as [NewTable] lays it out. A cell may have several lines.
func Columns(left int, header []string, rows [][]string) string {
	t := NewTable(left, anys(header)...)
	for _, r := range rows {
		t.AppendRow(anys(r))
	}
	return Render(t)
}

func anys(cells []string) []any {
	row := make([]any, len(cells))
	for i, c := range cells {
		row[i] = c
	}
	return row
}

// Wrap breaks s at spaces into lines of at most width columns, where words allow; all but the first
// are indented.
func Wrap(s string, width, indent int) string {
	var b strings.Builder
	column := 0
	for i, word := range strings.Fields(s) {
		switch {
		case i > 0 && column+1+utf8.RuneCountInString(word) > width:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			column = indent
		case i > 0:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += utf8.RuneCountInString(word)
	}
	return b.String()
}

// notes collects the reasons for what is missing, each once, and numbers them.
type notes []string

// na returns "n/a [i]" with the number of a reason.
func (n *notes) na(reason string) string {
	for i, r := range *n {
		if r == reason {
			return fmt.Sprintf("%s [%d]", NotAvailable, i+1)
		}
	}
	*n = append(*n, reason)
	return fmt.Sprintf("%s [%d]", NotAvailable, len(*n))
}

// mark returns "what [i]" with the number of a note.
func (n *notes) mark(what, note string) string {
	return what + strings.TrimPrefix(n.na(note), NotAvailable)
}
