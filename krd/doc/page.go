package doc

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// TextWidth is the number of columns of sentences without a terminal.
const TextWidth = 80

// A Page is text for people as it is written: lines that are longer than a terminal is wide are
// broken at spaces, and tables are laid out to fit. It is the one place where widths are kept. A
// word without spaces, such as a path, stays whole.
type Page struct {
	w       io.Writer
	columns int // 0: no terminal: sentences have TextWidth, tables what they need
	lines   int // written
	rest    []byte
	notes   notes
	err     error
}

// NewPage returns a page that writes to w, a terminal of so many columns, or none with 0.
func NewPage(w io.Writer, columns int) *Page { return &Page{w: w, columns: max(columns, 0)} }

// Width returns how many columns sentences have.
func (p *Page) Width() int {
	if p.columns > 0 {
		return p.columns
	}
	return TextWidth
}

// Write writes text. Lines are wrapped when they are complete; what follows a break is two columns
// further to the right, or below the text of an entry, a name and several spaces before its text.
// The error is the first that there was.
func (p *Page) Write(b []byte) (int, error) {
	p.rest = append(p.rest, b...)
	for {
		i := bytes.IndexByte(p.rest, '\n')
		if i < 0 {
			return len(b), p.err
		}
		p.line(string(p.rest[:i]), p.Width())
		p.rest = p.rest[i+1:]
	}
}

func (p *Page) line(s string, columns int) {
	if utf8.RuneCountInString(s) > columns {
		text := strings.TrimLeft(s, " ")
		indent := len(s) - len(text)
		hang := gap
		if name, rest, entry := strings.Cut(text, "  "); entry {
			at := len(text) - len(strings.TrimLeft(rest, " "))
			if indent+utf8.RuneCountInString(text[:at]) <= columns/2 && name != "-" {
				hang = utf8.RuneCountInString(text[:at])
			}
		}
		s = s[:indent] + Wrap(text, columns-indent, hang)
		s = strings.ReplaceAll(s, "\n", "\n"+s[:indent])
	}
	p.raw(s + "\n")
}

func (p *Page) raw(s string) {
	p.lines += strings.Count(s, "\n")
	if p.err == nil {
		_, p.err = io.WriteString(p.w, s)
	}
}

// Line writes a line.
func (p *Page) Line(format string, args ...any) { fmt.Fprintf(p, format+"\n", args...) }

// Brief writes a line for people who read a screen: of at most [TextWidth] columns.
func (p *Page) Brief(s string) { p.line(s, min(p.Width(), TextWidth)) }

// Table writes a table with its title and remarks. Reasons of missing values are numbered; Notes
// writes them.
func (p *Page) Table(t *Table) {
	if t.Title != "" {
		p.Line("%s", t.Title)
	}
	p.raw(t.grid(&p.notes).render(p.columns))
	for _, s := range t.Remarks {
		p.Line("%s", s)
	}
}

// Lines returns the number of lines written.
func (p *Page) Lines() int { return p.lines }

// Notes writes the notes that tables refer to, and forgets them.
func (p *Page) Notes() {
	for i, n := range p.notes {
		p.Line("[%d] %s", i+1, n)
	}
	p.notes = nil
}

// Close writes what is left of an unfinished line and notes, and returns the first error.
func (p *Page) Close() error {
	if len(p.rest) > 0 {
		p.raw(string(p.rest))
		p.rest = nil
	}
	p.Notes()
	return p.err
}
