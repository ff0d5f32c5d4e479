package study

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

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

// Papers returns a table with a row for each paper: how many claims have which verdict.
func (x *Index) Papers() *doc.Table {
	t := doc.NewTable(2, "name", "paper", "agree", "disagree", "depend on the reading", "cannot be told",
		"not judged, or fitted")
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

// Table returns a table with a row for each claim.
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

// figure returns the file of a claim's figure within the folder of the index, "" where it has none.
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
	d.Say("Each row sets a paper's claim beside the result and links to the figure that shows it. Made at "+
		"revision %s; seeds are in the folders' plan files.", x.revision())
	d.Say("A verdict has its basis: fitted, the machine was fitted to it, which proves nothing; seen, it was " +
		"known when a parameter or a rule was last changed; predicted, nothing was changed after it was seen; " +
		"measured, on this computer. Other size: this scale runs a smaller program than the claim is about. " +
		"By seeds alone: without draws of the guessed parameters.")
	d.Add(x.Papers())
	for _, p := range x.list {
		if p.outcome != nil {
			d.Add(x.claims(p.study, p.outcome))
		}
	}
	return result.Rewrite(filepath.Join(dir, IndexHTML), d.Standalone)
}

// claims returns the part of a paper: a row for each claim, with its readings folded.
func (x *Index) claims(s *Study, o *Outcome) *doc.Doc {
	t := doc.NewTable(6, "verdict", "where", "claim", "paper", "ours", "shown by")
	t.Title = x.command(s)
	t.Prose(0, 1, 2, 3, 4)
	report := s.Name + "/" + ReportHTML
	for i := range o.Claims {
		c := &o.Claims[i]
		ours := doc.Folded{Text: short(c.Ours), More: []string{c.Ours, "held to: " + c.Test}}
		if len(c.Readings) > 1 {
			ours = doc.Folded{Text: short(c.Readings[0].Ours), More: []string{"held to: " + c.Test}}
			for _, r := range c.Readings {
				ours.More = append(ours.More, fmt.Sprintf("%s: %s; %s", r.Name, r.Verdict, r.Ours))
			}
		}
		shown := doc.Link{Text: "table", Href: report}
		if f := x.figure(s, c); f != "" {
			shown = doc.Link{Text: "figure", Href: f}
		}
		t.Row(c.verdict(), c.Where, c.Says, c.Paper, ours, doc.Links{shown})
	}
	all := doc.NewTable(1, "all of it")
	all.Row(doc.Links{{Text: "report", Href: report}, {Text: "JSON", Href: s.Name + "/" + ResultJSON}})
	d := &doc.Doc{ID: s.Name, Title: s.Paper}
	if s.Words != "" {
		d.Say("%s", s.Words)
	}
	d.Add(t)
	d.Add(all)
	return d
}

// short returns the beginning of a long text.
func short(s string) string {
	const most = 70
	if r := []rune(s); len(r) > most {
		return strings.TrimRight(string(r[:most]), " ,;:(") + " …"
	}
	return s
}

// revision returns that of the program, or that it is not known.
func (x *Index) revision() string {
	if x.Build.Revision == nil {
		return doc.NotAvailable
	}
	return *x.Build.Revision
}
