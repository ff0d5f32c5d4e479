package doc

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// A sheet is an HTML page while it is made: its body, and what its figures share.
type sheet struct {
	strings.Builder
	figures int
	charts  map[string]any // by anchor
	styles  []string       // of drawings; each has a class, which is shorter
	classes map[string]int
}

// Standalone writes the document as an HTML page by itself, without any request to the network. Its
// figures are inline SVG; where JavaScript runs, Apache ECharts, which the page carries if it has
// charts, draws their numbers for pointing and zooming. The same document gives the same bytes.
//
// Errors: those of w and of drawings.
func (d *Doc) Standalone(w io.Writer) error {
	s := &sheet{charts: map[string]any{}, classes: map[string]int{}}
	if err := s.doc(&Doc{Parts: d.Parts, Warnings: d.Warnings}, 1); err != nil {
		return err
	}
	page := struct {
		Title    string
		Contents []*Doc
		Body     template.HTML
		CSS      template.CSS
		Charts   map[string]any
		JS       template.JS
		ECharts  template.HTML
		Licences []licence
	}{Title: d.Title, Body: template.HTML(s.String()), CSS: template.CSS(pageCSS + s.css())}
	for _, p := range d.Parts {
		if part, ok := p.(*Doc); ok && part.ID != "" {
			page.Contents = append(page.Contents, part)
		}
	}
	if len(s.charts) > 0 {
		var err error
		page.Charts, page.JS, page.ECharts = s.charts, template.JS(pageJS), packed()
		if page.Licences, err = licences(); err != nil {
			return err
		}
	}
	return pageTemplate.Execute(w, &page)
}

//go:embed page.css
var pageCSS string

//go:embed page.js
var pageJS string

// The policy forbids any request.
var pageTemplate = template.Must(template.New("page").Parse(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8" />
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data: blob:" />
<meta name="viewport" content="width=device-width, initial-scale=1" />
<meta name="generator" content="krdlab" />
<meta name="color-scheme" content="light dark" />
<link rel="icon" href="data:," />
<title>{{.Title}} – krdlab</title>
<style>{{.CSS}}</style>
</head>
<body>
<main>
<h1>{{.Title}}</h1>
{{if gt (len .Contents) 2}}<nav aria-label="Contents">{{range .Contents}}<a href="#{{.ID}}">{{.Title}}</a> {{end}}</nav>
{{end}}{{.Body}}</main>
{{if .Charts}}<footer>
<p>Charts by Apache ECharts, Copyright 2017-2026 The Apache Software Foundation.</p>
<details><summary>Licences of what this page carries</summary>
{{range .Licences}}<details><summary>{{.Of}}</summary>
<pre tabindex="0">{{.Text}}</pre></details>
{{end}}</details>
</footer>
<script type="application/json" id="charts">{{.Charts}}</script>
{{.ECharts}}
<script>{{.JS}}</script>
{{end}}</body>
</html>
`))

// element writes a text in an element.
func (s *sheet) element(name, text string) {
	fmt.Fprintf(s, "<%s>%s</%s>\n", name, template.HTMLEscapeString(text), strings.Fields(name)[0])
}

// doc writes a document, its title as a heading of the level and those below it one further down.
func (s *sheet) doc(d *Doc, level int) (err error) {
	if d.ID != "" {
		fmt.Fprintf(s, "<section id=\"%s\" aria-labelledby=\"%[1]s-head\">\n", template.HTMLEscapeString(d.ID))
	}
	if d.Title != "" {
		name := fmt.Sprintf("h%d", min(level, 6))
		if d.ID != "" {
			name += fmt.Sprintf(" id=\"%s-head\"", template.HTMLEscapeString(d.ID))
		}
		s.element(name, d.Title)
	}
	for _, part := range d.Parts {
		switch part := part.(type) {
		case Paragraph:
			for _, text := range part {
				s.element("p", text)
			}
		case Listing:
			s.element(`pre tabindex="0"`, strings.Join(part, "\n"))
		case *Table:
			err = s.table(part)
		case *Figure:
			err = s.figure(part, level+1)
		case *Fold:
			fmt.Fprintf(s, "<details><summary>%s</summary>\n", template.HTMLEscapeString(part.Title))
			err = s.doc(&Doc{Parts: part.Parts, Warnings: part.Warnings}, level)
			s.WriteString("</details>\n")
		case *Doc:
			err = s.doc(part, level+1)
		}
		if err != nil {
			return err
		}
	}
	for _, text := range d.Warnings {
		s.element("p", "Warning: "+text)
	}
	if d.ID != "" {
		s.WriteString("</section>\n")
	}
	return nil
}

func (s *sheet) table(t *Table) error {
	html, err := t.HTML()
	s.WriteString(string(html) + "\n")
	return err
}

// figure writes a figure with its number on the page, and its numbers folded.
func (s *sheet) figure(f *Figure, level int) error {
	var svg strings.Builder
	if err := f.Draw(&svg); err != nil {
		return fmt.Errorf("figure %s: %w", f.ID, err)
	}
	label := f.Title
	if f.Numbers != nil {
		label += "; its numbers are in the table below it"
	}
	drawing, err := s.inline(svg.String(), label, f.Paper)
	if err != nil {
		return fmt.Errorf("figure %s: %w", f.ID, err)
	}
	s.figures++
	class := "picture"
	if f.Paper {
		class += " paper"
	}
	fmt.Fprintf(s, "<figure id=\"%s\" class=\"%s\">\n", template.HTMLEscapeString(f.ID), class)
	s.element(fmt.Sprintf(`h%d class="title"`, min(level, 6)), fmt.Sprintf("Figure %d. %s", s.figures, f.Title))
	fmt.Fprintf(s, "<div class=\"drawing\" tabindex=\"0\" role=\"region\" aria-label=\"%s, drawing\">%s</div>\n"+
		"<figcaption>\n", template.HTMLEscapeString(f.Title), drawing)
	for _, text := range f.Caption {
		s.element("p", text)
	}
	s.WriteString("</figcaption>\n")
	if f.Numbers != nil {
		fmt.Fprintf(s, "<details><summary>Numbers of figure %d</summary>\n", s.figures)
		if err := s.table(f.Numbers); err != nil {
			return err
		}
		s.WriteString("</details>\n")
	}
	s.WriteString("</figure>\n")
	if f.Chart != nil {
		if _, err := json.Marshal(f.Chart); err != nil {
			return fmt.Errorf("figure %s: %w", f.ID, err)
		}
		s.charts[f.ID] = f.Chart
	}
	return nil
}

var (
	svgHead   = regexp.MustCompile(`^<svg([^>]*)>`)
	svgBox    = regexp.MustCompile(` viewBox="[^"]*"`)
	svgStyle  = regexp.MustCompile(`style="[^"<>{}]*"`)
	svgColour = regexp.MustCompile(`(fill|stroke):#([0-9A-Fa-f]{6})`)
	svgFont   = strings.NewReplacer("font-variant:normal;font-weight:normal;font-style:normal;", "",
		"font-family:Liberation Sans;", "")
)

// inline makes an SVG document a part of a page: without its prologue and size, its styles by
// class, and its colours by name, so that the style sheet can change them in the dark, except on
// paper.
func (s *sheet) inline(svg, label string, paper bool) (string, error) {
	i := strings.Index(svg, "<svg")
	if i < 0 {
		return "", fmt.Errorf("the drawing has no svg element: %.80q", svg)
	}
	svg = svg[i:]
	head := svgHead.FindStringSubmatch(svg)
	if head == nil {
		return "", fmt.Errorf("the drawing does not begin as expected: %.80q", svg)
	}
	size := head[1]
	if box := svgBox.FindString(size); box != "" {
		size = box
	}
	body := svgStyle.ReplaceAllStringFunc(strings.TrimSpace(svg[len(head[0]):]),
		func(style string) string {
			style = svgFont.Replace(style[len(`style="`) : len(style)-1])
			if !paper {
				style = svgColour.ReplaceAllStringFunc(style, func(c string) string {
					kind, hex, _ := strings.Cut(c, ":#")
					return kind + ":var(--c" + strings.ToUpper(hex) + ",#" + hex + ")"
				})
			}
			return `class="` + s.class(style) + `"`
		})
	return "<svg" + size + ` role="img" aria-label="` +
		template.HTMLEscapeString(label) + `">` + body, nil
}

// class returns the class of a style.
func (s *sheet) class(style string) string {
	i, ok := s.classes[style]
	if !ok {
		i = len(s.styles)
		s.styles, s.classes[style] = append(s.styles, style), i
	}
	return "d" + strconv.Itoa(i)
}

// css returns the rules of the classes.
func (s *sheet) css() string {
	var b strings.Builder
	for i, style := range s.styles {
		fmt.Fprintf(&b, ".d%d{%s}\n", i, style)
	}
	return b.String()
}
