// Package textcols lays out tables for a terminal: no borders, two spaces between columns.
package textcols

import (
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// Table returns the lines of a table: a header, a rule, the rows. The first left columns are aligned to the left, the others to the right.
// A cell may have several lines. It ends with a line break; no line ends with spaces.
func Table(left int, header []string, rows [][]string) string {
	t := table.NewWriter()
	style := table.StyleDefault
	style.Options = table.Options{SeparateHeader: true}
	style.Format = table.FormatOptions{Header: text.FormatDefault, Row: text.FormatDefault, Footer: text.FormatDefault}
	style.Box.PaddingLeft, style.Box.PaddingRight = "", "  "
	t.SetStyle(style)
	configs := make([]table.ColumnConfig, len(header))
	for i := range configs {
		align := text.AlignRight
		if i < left {
			align = text.AlignLeft
		}
		configs[i] = table.ColumnConfig{Number: i + 1, Align: align, AlignHeader: align, VAlignHeader: text.VAlignBottom}
	}
	t.SetColumnConfigs(configs)
	t.AppendHeader(row(header))
	for _, r := range rows {
		t.AppendRow(row(r))
	}
	lines := strings.Split(t.Render(), "\n")
	for i, l := range lines {
		if l != "" && strings.Trim(l, "-") == "" {
			l = strings.TrimSuffix(l, "--")
		}
		lines[i] = strings.TrimRight(l, " ")
	}
	return strings.Join(lines, "\n") + "\n"
}

func row(cells []string) table.Row {
	r := make(table.Row, len(cells))
	for i, c := range cells {
		r[i] = c
	}
	return r
}

// Wrap breaks s at spaces into lines of at most width columns, where words allow; all but the first are indented.
func Wrap(s string, width, indent int) string {
	var b strings.Builder
	column := 0
	for i, word := range strings.Fields(s) {
		switch {
		case i > 0 && column+1+len(word) > width:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			column = 0
		case i > 0:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	return b.String()
}
