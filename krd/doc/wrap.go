package doc

import (
	"strings"
	"unicode/utf8"
)

// Wrap breaks s at spaces into lines of at most width columns, where words allow; all but the first
// are indented. Spaces within a line stay as many as they are.
func Wrap(s string, width, indent int) string {
	var b strings.Builder
	column := 0
	for s = strings.TrimSpace(s); s != ""; {
		word := strings.TrimLeft(s, " \n")
		spaces := len(s) - len(word)
		if end := strings.IndexAny(word, " \n"); end >= 0 {
			word = word[:end]
		}
		s = s[spaces+len(word):]
		n := utf8.RuneCountInString(word)
		if column > 0 && column+spaces+n > width {
			b.WriteString("\n" + strings.Repeat(" ", indent))
			column, spaces = indent, 0
		}
		b.WriteString(strings.Repeat(" ", spaces) + word)
		column += spaces + n
	}
	return b.String()
}
