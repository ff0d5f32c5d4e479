// Package doc prints documents of paragraphs, tables and values as text, HTML, Markdown, CSV, JSON
// lines and Parquet. Analyses and experiments make a Doc; whatever it is printed as, numbers have
// the same digits, units and reasons.
//
//	Number, Quantity           a measured value, or none; a median with its interval
//	Column, Table, Doc         what is shown
//	Table.CSV, JSONL, Parquet  data: base units, all digits, one header
//	Doc.Text on a Page         a terminal of any width
//	Doc.HTML, Doc.Markdown     for pages and papers
//
// Rejected: a struct with a field for each kind of cell, exactly one of them set. Rows are made by
// hand in some thirty places, and a row of any reads as the table does. [Table.Rows] lists the
// types, and a test gives each of them to every renderer.
package doc

import (
	"fmt"
	"html/template"
	"io"
	"strings"
)

// A Doc is a sequence of parts under a title.
type Doc struct {
	Title string
	Parts []Part
	// Warnings come last.
	Warnings []string
}

// A Part is a [Paragraph], a [*Table] or a [*Doc].
type Part interface{ part() }

// A Paragraph is sentences, each on a line of its own.
type Paragraph []string

func (Paragraph) part() {}
func (*Table) part()    {}
func (*Doc) part()      {}

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
		}
	}
	p.Notes()
	for _, s := range d.Warnings {
		p.Line("warning: %s", s)
	}
}

// HTML returns the document as paragraphs and tables, titles as headings of the level.
func (d *Doc) HTML(level int) (template.HTML, error) {
	var b strings.Builder
	element := func(name, text string) {
		fmt.Fprintf(&b, "<%s>%s</%[1]s>\n", name, template.HTMLEscapeString(text))
	}
	if d.Title != "" {
		element(fmt.Sprintf("h%d", min(level, 6)), d.Title)
	}
	for _, part := range d.Parts {
		var inner template.HTML
		var err error
		switch part := part.(type) {
		case Paragraph:
			for _, s := range part {
				element("p", s)
			}
		case *Table:
			inner, err = part.HTML()
		case *Doc:
			inner, err = part.HTML(level + 1)
		}
		if err != nil {
			return "", err
		}
		b.WriteString(string(inner))
	}
	for _, s := range d.Warnings {
		element("p", "Warning: "+s)
	}
	return template.HTML(b.String()), nil
}

// Standalone writes the document as an HTML page by itself; after it comes what more writes to w,
// such as a figure.
func (d *Doc) Standalone(w io.Writer, more func() error) error {
	body, err := d.HTML(1)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "<!doctype html>\n<meta charset=\"utf-8\">\n"+
		"<meta name=\"generator\" content=\"krdlab\">\n<title>krdlab: %s</title>\n"+
		"<style>body{font-family:sans-serif;max-width:80em;margin:2em auto}"+
		"table{border-collapse:collapse;margin:1.5em 0}caption{text-align:left;padding:.3em 0}"+
		"td,th{padding:.2em .8em;text-align:right;border-bottom:1px solid #ddd}"+
		".name{text-align:left}svg{max-width:100%%;height:auto}"+
		"</style>\n%s\n", template.HTMLEscapeString(d.Title), body)
	return more()
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
