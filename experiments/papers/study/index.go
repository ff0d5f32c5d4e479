package study

import (
	"fmt"
	"html/template"
	"io"
	"os"
	"path/filepath"

	"krdlab/experiments/papers/claims"
	"krdlab/experiments/run/result"
	"krdlab/krd/doc"
)

// Names of what [Index.Write] leaves.
const (
	IndexHTML = "index.html"
	IndexCSV  = "index.csv"
)

// An Index lists the claims of all papers, each with its figure and the command that made it.
type Index struct {
	Scale Scale
	Build result.Build
	list  []indexed
}

type indexed struct {
	study   *Study
	outcome *Outcome // nil: it failed
}

// Add adds what a study came to; nil where it failed.
func (x *Index) Add(s *Study, o *Outcome) { x.list = append(x.list, indexed{s, o}) }

// Papers has a row for each paper: how many claims have which verdict.
func (x *Index) Papers() *doc.Table {
	t := doc.NewTable(2, "name", "paper", "agree", "disagree", "depend on the reading", "cannot be told",
		"not judged")
	t.Keys, t.Most = 1, doc.TextWidth
	t.Prose(1)
	for _, p := range x.list {
		if p.outcome == nil {
			failed := doc.Missing("it failed")
			t.Row(p.study.Name, p.study.Paper, failed, failed, failed, failed, failed)
			continue
		}
		c := CountOf(p.outcome.Claims)
		t.Row(p.study.Name, p.study.Paper, c.Of[claims.Agree], c.Of[claims.Disagree], c.Of[claims.Depends],
			c.Of[claims.CannotTell], c.Of[claims.NotRun]+c.Of[claims.OtherSize]+c.Fitted)
	}
	return t
}

// command redoes a paper.
func (x *Index) command(s *Study) string {
	return fmt.Sprintf("krdlab reproduce %s --scale %s", s.Name, x.Scale)
}

// Table has a row for each claim.
func (x *Index) Table() *doc.Table {
	t := doc.NewData("index", "paper", "where", "id", "claim", "paper_value", "ours", "test", "verdict", "basis",
		"figure", "command", "go_version", "revision")
	for _, p := range x.list {
		if p.outcome == nil {
			continue
		}
		for i := range p.outcome.Claims {
			c := &p.outcome.Claims[i]
			t.Row(p.study.Name, c.Where, c.ID, c.Says, c.Paper, c.Ours, c.Test, string(c.Verdict),
				string(c.Basis), x.figure(p.study, c), x.command(p.study), x.Build.GoVersion, x.revision())
		}
	}
	return t
}

// figure is the file of a claim's figure within the folder of the index, "" where it has none.
func (x *Index) figure(s *Study, c *Claim) string {
	if c.Figure == "" {
		return ""
	}
	return s.Name + "/" + FiguresDir + "/" + c.Figure + ".svg"
}

// Write writes the index into dir, in which each study has the folder of its name.
func (x *Index) Write(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	err := result.Rewrite(filepath.Join(dir, IndexCSV), x.Table().CSV)
	if err != nil {
		return err
	}
	d := &doc.Doc{Title: fmt.Sprintf("Claims of %d papers, scale %s", len(x.list), x.Scale)}
	d.Say("Each line is a statement of a paper beside what came out, with the figure that shows it and the "+
		"folder that has its numbers. Made at revision %s; seeds are in the folders' plan files.",
		x.revision())
	d.Add(x.Papers())
	return result.Rewrite(filepath.Join(dir, IndexHTML), func(w io.Writer) error {
		return d.Standalone(w, func() error { return indexPage.Execute(w, x.rows()) })
	})
}

// A row is what the page has of a claim.
type row struct {
	*Claim
	Study         *Study
	Figure, Words string
	Command       string
	First         bool // of its paper
}

func (x *Index) rows() (list []row) {
	for _, p := range x.list {
		if p.outcome == nil {
			continue
		}
		for i := range p.outcome.Claims {
			c := &p.outcome.Claims[i]
			list = append(list, row{c, p.study, x.figure(p.study, c), c.verdict(), x.command(p.study), i == 0})
		}
	}
	return list
}

// indexPage is a table of claims, a part for each paper.
var indexPage = template.Must(template.New("index").Parse(`<style>.claims td, .claims th {text-align: left;
vertical-align: top} .claims td:nth-child(3) {min-width: 16em} .claims td:nth-child(4) {min-width: 8em}</style>
{{range $i, $r := .}}{{if .First}}{{if $i}}</table>
{{end}}<h2 id="{{.Study.Name}}">{{.Study.Paper}}</h2>
<p><code>{{.Command}}</code>: <a href="{{.Study.Name}}/report.html">all of it</a>,
<a href="{{.Study.Name}}/result.json">JSON</a></p>
<table class="claims"><tr><th>verdict</th><th>where</th><th>claim</th><th>paper</th><th>ours</th><th>shown by</th></tr>
{{end}}<tr id="{{.Study.Name}}-{{.ID}}"><td>{{.Words}}</td><td>{{.Where}}</td><td>{{.Says}}</td>` +
	`<td>{{.Paper}}</td><td>{{if gt (len .Readings) 1}}<details><summary>{{(index .Readings 0).Ours}}</summary>` +
	`{{range .Readings}}<p>{{.Name}}: {{.Verdict}}; {{.Ours}}</p>{{end}}</details>{{else}}{{.Ours}}{{end}}` +
	`<br><small>held to: {{.Test}}</small></td>` +
	`<td>{{if .Figure}}<a href="{{.Figure}}">figure</a>{{else}}<a href="{{.Study.Name}}/report.html">table</a>` +
	`{{end}}</td></tr>
{{end}}</table>
`))

// revision is that of the program, or that it is not known.
func (x *Index) revision() string {
	if x.Build.Revision == nil {
		return doc.NotAvailable
	}
	return *x.Build.Revision
}
