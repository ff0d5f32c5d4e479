// Package study redoes the evaluations of papers, each by one plan: steps that run the programs, and
// their results beside the paper's statements. The results of each step are kept in the experiment
// folder, so that the same command goes on after an interrupt; all else is made anew of these
// files.
//
//	Study.Steps -> Open -> Folder.Run -> a file for each step -> Study.Of -> Outcome -> Folder.Write
package study

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"krdlab/experiments/papers/claims"
	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/result"
	"krdlab/krd/analysis"
	"krdlab/krd/doc"
	"krdlab/krd/plot"
)

// A Study is the evaluation of a paper.
type Study struct {
	Name  string // as it is typed, and the kind of the folder
	Paper string // its title and where it appeared
	Short string // help: a line
	Long  string // help: what is redone, and what it takes
	Takes string // help of --scale: what each scale is and how long it takes
	Words string // the paper's names beside krdlab's; "": they are the same

	// Steps lists the steps of a scale.
	Steps func(Scale) ([]Step, error)
	// Of makes what the steps of a folder came to; each is done or left out.
	Of func(*Folder) (*Outcome, error)
}

// An Outcome holds the results of the steps of a folder. As JSON each of its tables is an array.
type Outcome struct {
	Title   string
	Scale   Scale
	Tiny    bool     // programs of the smallest scale are so small that they say nothing
	Says    []string // paragraphs before the tables
	Claims  []Claim
	Tables  []*doc.Table // files NAME.csv
	Data    []*doc.Table // likewise, for programs alone
	Figures []Figure
	More    map[string]any      // of the JSON document alone
	Cells   *dataset.Experiment // that were judged; nil: none were
	doc.Concluded
}

// A Figure is a file NAME.svg, and its title in the page.
type Figure struct {
	Name, Title string
	analysis.Drawn
}

// A Drawing is a figure of package plot, or the reason why there is none.
type Drawing struct {
	*plot.Figure
	Err error
}

// Draw implements [analysis.Drawn].
func (d Drawing) Draw(w io.Writer, format string) error {
	if d.Err != nil {
		return d.Err
	}
	return d.Write(w, format)
}

// A Basis is the strength of an agreement.
type Basis string

// The bases.
const (
	Fitted    Basis = "fitted"    // the simulated machine was fitted to it: it proves nothing
	Seen      Basis = "seen"      // it was seen when a parameter or a rule was last changed
	Predicted Basis = "predicted" // no parameter or rule was changed after it was seen
	Measured  Basis = "measured"  // on this computer
)

// A Claim is a statement of a paper beside what came out.
type Claim struct {
	ID      string         `json:"id"`
	Where   string         `json:"where"`           // in the paper
	Quote   string         `json:"quote,omitempty"` // its own words, or the numbers of a table
	Says    string         `json:"claim"`           // what is tested, in a few words
	Paper   string         `json:"paper"`           // its value, "" where it gives none
	Test    string         `json:"test"`            // what it is held to
	Basis   Basis          `json:"basis,omitempty"`
	Ours    string         `json:"ours"`
	Verdict claims.Verdict `json:"verdict"`
	// BySeeds is the verdict by the intervals over seeds alone, without the draws of the guessed
	// parameters; "" where none were drawn.
	BySeeds  claims.Verdict `json:"verdict_by_seeds,omitempty"`
	Readings []Reading      `json:"readings,omitempty"`
	Figure   string         `json:"figure,omitempty"` // that shows it: the Name of one of the outcome
}

// A Reading is the outcome of a claim in one reading.
type Reading struct {
	Name    string         `json:"reading"`
	Ours    string         `json:"ours"`
	Verdict claims.Verdict `json:"verdict"`
	BySeeds claims.Verdict `json:"verdict_by_seeds"`
	Parts   []Part         `json:"parts"`
}

// A Part is the outcome of one pair of an order, or of one value.
type Part struct {
	Name    string         `json:"part"`
	Verdict claims.Verdict `json:"verdict"`
	BySeeds claims.Verdict `json:"verdict_by_seeds"`
	Banded  bool           `json:"band"` // the draws of the parameters have what it is about
}

// Judge adds a claim and returns its verdict as a word. Programs that are too small say nothing about it.
func (o *Outcome) Judge(c Claim) string {
	if o.Tiny && o.Scale == Smoke && c.Verdict != claims.NotRun {
		c.Verdict = claims.OtherSize
	}
	o.Claims = append(o.Claims, c)
	return string(c.Verdict)
}

// A Count is how many claims have each verdict, of those that nothing was fitted to.
type Count struct {
	Of                claims.Counts
	Fitted, Predicted int // of those that agree, as many were predicted
}

// CountOf counts claims.
func CountOf(list []Claim) Count {
	c := Count{Of: claims.Counts{}}
	for _, x := range list {
		if x.Basis == Fitted {
			c.Fitted++
		} else if c.Of.Add(x.Verdict) == claims.Agree && x.Basis == Predicted {
			c.Predicted++
		}
	}
	return c
}

func (c Count) String() string {
	s := fmt.Sprintf("of %d claims %s", c.Of.Judged(), c.Of)
	if c.Predicted > 0 {
		s += fmt.Sprintf("; %d that agree were predicted", c.Predicted)
	}
	if n := c.Of[claims.NotRun]; n > 0 {
		s += fmt.Sprintf("; %d were not run", n)
	}
	if n := c.Of[claims.OtherSize]; n > 0 {
		s += fmt.Sprintf("; %d were run on another size than the paper's", n)
	}
	if c.Fitted > 0 {
		s += fmt.Sprintf("; the simulated machine was fitted to %d more, which prove nothing", c.Fitted)
	}
	return s
}

// pageColumns is the width of the table of claims without a terminal.
const pageColumns = 130

// ClaimsTable returns a table with a row for each claim, in a few words for people.
func ClaimsTable(list []Claim) *doc.Table {
	t := &doc.Table{Name: "claims", Title: "Claims", Rules: true, Most: pageColumns, Columns: []doc.Column{
		{Head: "verdict"}, {Head: "claim"}, {Key: "id", Data: true}, {Key: "where", Data: true},
		{Key: "claim", Data: true}, {Key: "paper", Head: "paper"}, {Key: "test", Head: "test"},
		{Key: "ours", Head: "ours"}, {Key: "verdict", Data: true}, {Key: "basis", Data: true},
		{Key: "verdict_by_seeds", Data: true}, {Key: "quote", Data: true}, {Key: "figure", Data: true}}}
	t.Prose(0, 1, 5, 6, 7)
	for i := range list {
		c := &list[i]
		t.Row(c.verdict(), c.Says+" ["+c.Where+"]", c.ID, c.Where, c.Says, c.Paper, c.Test, c.Ours,
			string(c.Verdict), string(c.Basis), string(c.BySeeds), c.Quote, c.Figure)
	}
	return t
}

// PageTable returns the claims as the table of docs/reproduction.md.
func PageTable(list []Claim) *doc.Table {
	t := doc.NewTable(4, "verdict", "the paper", "ours", "test")
	for i := range list {
		c := &list[i]
		says := c.Says
		if c.Paper != "" {
			says += ": " + c.Paper
		}
		t.Row(c.verdict(), fmt.Sprintf("%s: \u201c%s\u201d (%s)", c.Where, c.Quote, says), c.Ours, c.Test)
	}
	return t
}

// verdict returns the word for the claim with its basis, and that of seeds alone where it differs.
func (c *Claim) verdict() string {
	s := string(c.Verdict)
	if c.Basis != "" {
		s += ", " + string(c.Basis)
	}
	if c.BySeeds != "" && c.BySeeds != c.Verdict {
		s += "; by seeds alone: " + string(c.BySeeds)
	}
	return s
}

// MarshalJSON implements [json.Marshaler].
func (o *Outcome) MarshalJSON() ([]byte, error) {
	c := CountOf(o.Claims)
	all := map[string]any{"schema_version": 2, "scale": o.Scale, "agree": c.Of[claims.Agree],
		"judged": c.Of.Judged(), "claims": o.Claims, "warnings": o.Warnings, "findings": o.Findings}
	for name, x := range o.More {
		all[name] = x
	}
	for _, t := range slices.Concat(o.Tables, o.Data) {
		all[t.Name] = t
	}
	return json.Marshal(all)
}

// View returns the text for people.
func (o *Outcome) View() *doc.Doc {
	d := &doc.Doc{Title: o.Title, Warnings: o.Warnings}
	if o.Tiny && o.Scale == Smoke {
		d.Say("The programs of this scale are so small that nothing can be told from them.")
	}
	for _, s := range o.Says {
		d.Say("%s", s)
	}
	if len(o.Claims) > 0 {
		d.Say("Claims: %s.", CountOf(o.Claims))
		d.Add(ClaimsTable(o.Claims))
	}
	for _, t := range o.Tables {
		d.Add(t)
	}
	return d
}

// Names of what [Folder.Write] leaves.
const (
	ReportHTML = "report.html"
	ReportText = "report.txt"
	ResultJSON = "result.json"
	FiguresDir = "figures"
)

// Write writes into the folder what follows from the steps: text, page, JSON, a CSV file for each
// table and the figures. Errors: those of writing and drawing.
func (f *Folder) Write(o *Outcome) error {
	view := o.View()
	err := os.MkdirAll(filepath.Join(f.Dir, FiguresDir), 0o777)
	write := func(name string, to func(io.Writer) error) {
		if err == nil {
			err = result.Rewrite(filepath.Join(f.Dir, name), to)
		}
	}
	for _, x := range o.Figures {
		write(filepath.Join(FiguresDir, x.Name+".svg"),
			func(w io.Writer) error { return x.Draw(w, "svg") })
	}
	tables := slices.Concat(o.Tables, o.Data)
	if len(o.Claims) > 0 {
		tables = append(tables, ClaimsTable(o.Claims))
	}
	for _, t := range tables {
		write(t.Name+".csv", t.CSV)
	}
	write(ResultJSON, func(w io.Writer) error { return encode(w, o) })
	write(ReportText, func(w io.Writer) error { return view.Text(doc.NewPage(w, 0)) })
	write(ReportHTML, func(w io.Writer) error {
		page := *view
		for _, x := range o.Figures {
			part := &doc.Figure{ID: x.Name, Title: x.Title, Paper: true,
				Draw: func(w io.Writer) error { return x.Draw(w, "svg") }}
			if d, ok := x.Drawn.(Drawing); ok && d.Err == nil {
				part = d.Part(x.Name)
			}
			page.Add(part)
		}
		return page.Standalone(w)
	})
	return err
}
