// Package doc prints documents of paragraphs, tables and values as text, HTML, Markdown, CSV, JSON
// lines and Parquet. Analyses and experiments make a Doc; whatever it is printed as, numbers have
// the same digits, units and reasons.
//
//	Number, Quantity           a measured value, or none; a median with its interval
//	Column, Table, Doc         what is shown
//	Table.CSV, JSONL, Parquet  data: base units, all digits, one header
//	Figure, Fold, Listing       what pages have besides
//	Doc.Text on a Page         a terminal of any width
//	Doc.Standalone             a page by itself
//	Doc.Markdown               for papers
//
// Rejected designs. A struct with a field for each kind of cell, exactly one of them set: rows are
// made by hand in some thirty places, and a row of any reads as the table does; [Table.Rows] lists
// the types, and a test gives each of them to every renderer. ECharts as plain text: 1.1 MB in each
// page, against 0.5 MB as base64 of gzip, which browsers unpack themselves (DecompressionStream). A
// build of ECharts with the needed charts only: smaller, but no longer the file that its authors
// publish. Charts without SVG below: nothing without JavaScript, and nothing in print.
package doc

import (
	"fmt"
	"io"
	"strings"
)

// A Doc is a sequence of parts under a title.
type Doc struct {
	Title string
	// ID is the anchor of the document on a page, which makes it a section; "": none.
	ID    string
	Parts []Part
	// Warnings come last.
	Warnings []string
}

// A Part is a [Paragraph], a [*Table], a [*Doc], a [*Figure], a [*Fold] or a [Listing].
type Part interface{ part() }

// A Paragraph is sentences, each on a line of its own.
type Paragraph []string

// A Listing is lines of a program or a shell, printed as they are.
type Listing []string

// A Fold is a document of details under its title: on a page it opens when asked for, elsewhere it
// is as any other.
type Fold struct{ Doc }

// A Figure is a drawing with its caption. Pages have the drawing; a terminal and Markdown have the
// title and the caption.
type Figure struct {
	ID, Title string // the anchor, unique on the page; a line
	Caption   []string
	Draw      func(w io.Writer) error // writes SVG without title and caption
	Paper     bool                    // its colours mean values: it stays on white in the dark
	Numbers   *Table                  // of what is drawn; nil: none
	// Chart is a figure of krd/plot, which page.js charts from its JSON; nil: only the drawing.
	Chart any
}

func (Paragraph) part() {}
func (Listing) part()   {}
func (*Table) part()    {}
func (*Doc) part()      {}
func (*Fold) part()     {}
func (*Figure) part()   {}

// words returns title and caption.
func (f *Figure) words() Paragraph { return append(Paragraph{"Figure: " + f.Title}, f.Caption...) }

// Say adds a sentence to the paragraph at the end of d, or begins one.
func (d *Doc) Say(format string, args ...any) {
	s := fmt.Sprintf(format, args...)
	if n := len(d.Parts); n > 0 {
		if last, ok := d.Parts[n-1].(Paragraph); ok {
			d.Parts[n-1] = append(last, s)
			return
		}
	}
	d.Parts = append(d.Parts, Paragraph{s})
}

// Add adds a part.
func (d *Doc) Add(p Part) { d.Parts = append(d.Parts, p) }

// Text writes the document to a terminal, an empty line between its parts, and closes the page. The
// notes of tables follow the document that they are in.
func (d *Doc) Text(p *Page) error {
	d.text(p)
	return p.Close()
}

func (d *Doc) text(p *Page) {
	if d.Title != "" {
		p.Line("%s", d.Title)
	}
	for i, part := range d.Parts {
		if i > 0 {
			p.Line("")
		}
		switch part := part.(type) {
		case Paragraph:
			for _, s := range part {
				p.Line("%s", s)
			}
		case *Table:
			p.Table(part)
		case *Doc:
			part.text(p)
		case *Fold:
			part.text(p)
		case *Figure:
			for _, s := range part.words() {
				p.Line("%s", s)
			}
		case Listing:
			p.raw(strings.Join(part, "\n") + "\n")
		}
	}
	p.Notes()
	for _, s := range d.Warnings {
		p.Line("warning: %s", s)
	}
}

// Markdown writes the document, titles as headings of the level.
func (d *Doc) Markdown(w io.Writer, level int) error {
	if d.Title != "" {
		fmt.Fprintf(w, "%s %s\n\n", strings.Repeat("#", level), d.Title)
	}
	for _, part := range d.Parts {
		var err error
		switch part := part.(type) {
		case Paragraph:
			_, err = fmt.Fprintf(w, "%s\n\n", strings.Join(part, "\n"))
		case *Table:
			if err = part.Markdown(w); err == nil {
				_, err = fmt.Fprintln(w)
			}
		case *Doc:
			err = part.Markdown(w, level+1)
		case *Fold:
			err = part.Markdown(w, level+1)
		case *Figure:
			_, err = fmt.Fprintf(w, "%s\n\n", strings.Join(part.words(), "\n"))
		case Listing:
			_, err = fmt.Fprintf(w, "```\n%s\n```\n\n", strings.Join(part, "\n"))
		}
		if err != nil {
			return err
		}
	}
	for _, s := range d.Warnings {
		if _, err := fmt.Fprintf(w, "Warning: %s\n\n", s); err != nil {
			return err
		}
	}
	return nil
}
