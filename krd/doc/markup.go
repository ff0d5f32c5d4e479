package doc

import (
	"cmp"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
)

var tableTemplate = template.Must(template.New("table").Parse(`<div class="scroll" ` +
	`role="region" tabindex="0" aria-label="{{.Label}}">
<table>
<caption><span>{{.Caption}}</span></caption>
<thead><tr>{{range .Head}}<th scope="col"{{if .Name}} class="name"{{end}}>{{.Text}}</th>{{end}}` +
	`</tr></thead>
{{range .Blocks}}<tbody>
{{range .}}<tr{{if .Sum}} class="sum"{{end}}>{{range .Cells}}{{if .Row}}<th scope="row"` +
	`{{if .Name}} class="{{if .Prose}}prose {{end}}name"{{end}}>{{template "value" .}}</th>{{else}}` +
	`<td{{if .Name}} class="{{if .Prose}}prose {{end}}name"{{end}}>` +
	`{{template "value" .}}{{if .Note}} <sup>{{.Note}}</sup>{{end}}{{with .Interval}} ` +
	`<span class="interval">{{.}}</span>{{end}}</td>{{end}}{{end}}</tr>
{{end}}</tbody>
{{end}}</table></div>
{{with .Notes}}<ol class="notes">{{range .}}<li>{{.}}</li>{{end}}</ol>{{end}}` +
	`{{define "value"}}{{if .Links}}{{range $i, $l := .Links}}{{if $i}}, {{end}}` +
	`<a href="{{$l.Href}}">{{$l.Text}}</a>{{end}}{{else if .Level}}<span class="level {{.Level}}">{{.Text}}</span>` +
	`{{else if .More}}<details><summary>{{.Text}}</summary>{{range .More}}<p>{{.}}</p>{{end}}</details>` +
	`{{else}}{{.Text}}{{end}}{{end}}`))

type htmlCell struct {
	Text, Interval string
	Note           int
	Name, Row      bool
	Prose          bool
	Links          []Link
	Level          Level
	More           []string
}

// value gives the cell what pages have of a value besides its text.
func (c *htmlCell) value(v any) {
	switch v := v.(type) {
	case Links:
		c.Links = v
	case Level:
		c.Level = v
	case Folded:
		c.More = v.More
	}
}

type htmlRow struct {
	Cells []htmlCell
	Sum   bool
}

// HTML returns the table as a scrollable one with its title and remarks as the caption, the numbers
// of missing values explained below, and, where there are several keys, a tbody for each value of
// the first. The last key is the header of its row.
func (t *Table) HTML() (template.HTML, error) {
	caption := ""
	for _, s := range append([]string{t.Title}, t.Remarks...) {
		if caption != "" && s != "" && !strings.ContainsAny(caption[len(caption)-1:], ".:;!?") {
			caption += "."
		}
		caption = strings.TrimSpace(caption + " " + s)
	}
	page := struct {
		Caption string
		Label   string // the caption, or else the heads
		Head    []htmlCell
		Blocks  [][]htmlRow
		Notes   notes
	}{Caption: caption, Label: caption}
	rows := make([]htmlRow, len(t.Rows))
	keys := max(t.Keys, 1)
	group := ""
	for _, i := range t.shown() {
		head, cells := t.column(i)
		name := t.Columns[i].Kind == Text
		if first, rest, grouped := strings.Cut(head, "\n"); grouped {
			if first != "" {
				group = first
			}
			head = group + " " + rest
		} else {
			group = ""
		}
		page.Head = append(page.Head, htmlCell{Text: oneLine(head), Name: name})
		for j, c := range cells {
			x := htmlCell{Text: trimmed(c.text, name), Interval: strings.ReplaceAll(c.interval,
				"-", "–"), Name: name, Row: len(page.Head) == keys, Prose: t.Columns[i].Prose}
			if i < len(t.Rows[j]) {
				x.value(t.Rows[j][i])
			}
			if c.note != "" {
				page.Notes.mark("", c.note)
				x.Note = slices.Index(page.Notes, c.note) + 1
			}
			rows[j].Cells = append(rows[j].Cells, x)
		}
	}
	for j := range rows {
		rows[j].Sum = t.Foot && j == len(rows)-1
		if j == 0 || keys > 1 && rows[j].Cells[0].Text != rows[j-1].Cells[0].Text {
			page.Blocks = append(page.Blocks, nil)
		}
		last := &page.Blocks[len(page.Blocks)-1]
		*last = append(*last, rows[j])
	}
	for i := 0; caption == "" && i < len(page.Head); i++ {
		page.Label += page.Head[i].Text + " "
	}
	page.Label = cmp.Or(strings.TrimSpace(page.Label), "table")
	var b strings.Builder
	err := tableTemplate.Execute(&b, &page)
	return template.HTML(b.String()), err
}

// trimmed returns a cell without spaces around it; of a name, those before it stay.
func trimmed(cell string, name bool) string {
	text := strings.TrimSpace(cell)
	if n := len(cell) - len(strings.TrimLeft(cell, " ")); name {
		text = strings.Repeat("\u00a0", n) + text
	}
	return text
}

// Markdown writes the table with its title, remarks and notes.
func (t *Table) Markdown(w io.Writer) error {
	var n notes
	g := t.grid(&n)
	var b strings.Builder
	if t.Title != "" {
		fmt.Fprintf(&b, "%s\n\n", t.Title)
	}
	row := func(cells []string) {
		for i := range cells {
			cells[i] = strings.ReplaceAll(oneLine(cells[i]), "|", `\|`)
		}
		fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | "))
	}
	rules := make([]string, len(g.left))
	for i, left := range g.left {
		if rules[i] = "---"; !left {
			rules[i] = "--:"
		}
	}
	if g.head == nil {
		g.head = make([]string, len(g.left))
	}
	row(g.head)
	row(rules)
	for _, cells := range g.rows {
		row(cells)
	}
	for i, s := range n {
		fmt.Fprintf(&b, "\n[%d] %s\n", i+1, s)
	}
	for _, s := range t.Remarks {
		fmt.Fprintf(&b, "\n%s\n", s)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
