package goprogram

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"krdlab/experiments/run/result"
	"krdlab/hw/failure"
	"krdlab/hw/units"
	observe "krdlab/krd/analysis"
	"krdlab/krd/analysis/distances"
	"krdlab/krd/doc"
	"krdlab/krd/plot"
)

// ErrDocument is wrapped by the error of a file that is no document of a Go program.
var ErrDocument = failure.New(failure.Data, "no result of a Go program")

// Read reads the document of a run directory; nil if the directory has none, as it is of another kind
// of run. Errors: those of reading; [ErrDocument].
func Read(dir string) (*Document, error) {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return nil, nil
	}
	file := filepath.Join(dir, KRDFile)
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	d := &Document{Dir: dir}
	if err := json.Unmarshal(text, d); err != nil {
		return nil, fmt.Errorf("%s: %w: %w", file, ErrDocument, err)
	}
	if d.Package == "" {
		return nil, nil
	}
	d.readCommand()
	return d, errors.Join(kept(dir, Footprint, &d.Footprint), kept(dir, Dependences, &d.Dependences))
}

// The files of further runs of a program in its run directory, by the part that is shown.
const (
	Footprint   = "footprint"
	Dependences = "dependences"
)

// Keep writes the result of a further run into the run directory of a program.
func Keep(dir, shown string, r observe.Result) error {
	return result.Rewrite(filepath.Join(dir, shown+".json"), func(w io.Writer) error {
		return json.NewEncoder(w).Encode(r.Document())
	})
}

// kept reads such a result, if there is one.
func kept[T any](dir, shown string, to **T) error {
	file := filepath.Join(dir, shown+".json")
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	if err := json.Unmarshal(text, to); err != nil {
		return fmt.Errorf("%s: %w: %w", file, ErrDocument, err)
	}
	return nil
}

// mostRows is the number of rows of a table on a page; the document has all.
const mostRows = 40

// worker is what the document counts as goroutines.
func (d *Document) worker() string {
	if d.Native {
		return "thread"
	}
	return "goroutine"
}

// mostListed is the number of functions of a page whose lines are listed.
const mostListed = 12

// Page returns the document as a page: what was found, where accesses go by level, tables, the lines of
// the functions with the most far accesses, what the goroutines did over time, and who waited for whom.
//
// Errors: [ErrDocument] where there are no distances.
func (d *Document) Page() (*doc.Doc, error) {
	if d.KRD == nil || len(d.Levels) == 0 {
		return nil, fmt.Errorf("%s: %w: it has no distances", d.Dir, ErrDocument)
	}
	title := strings.Join(append([]string{programName(d.Native, d.Package)}, d.Args...), " ")
	answers, rest := d.Apart()
	found := &doc.Doc{ID: "found", Title: "What was found"}
	for _, s := range answers {
		found.Say("%s", s)
	}
	if len(answers) == 0 {
		found.Say("%s", d.none())
	}
	found.Say("%s by %s; the program ran for %s, as long as it takes while its accesses are recorded.",
		about(d.Accounts.Estimated)+accesses(d.Accesses), units.Count(d.Goroutines, d.worker()),
		doc.Time(doc.Some(float64(d.TracedNs))))
	if len(rest) > 0 {
		found.Add(&doc.Fold{Doc: doc.Doc{Title: "Doubts and limits", Parts: []doc.Part{doc.Paragraph(rest)}}})
	}
	page := &doc.Doc{Title: title, Parts: []doc.Part{found}}
	reuse := &doc.Doc{ID: "reuse", Title: "Reuse"}
	var levels []string
	for _, l := range d.Levels {
		levels = append(levels, fmt.Sprintf("beyond %s (%s): distances from %s on", l.Name, units.Bytes(l.Bytes),
			units.Bytes(l.From)))
	}
	reuse.Say("%s; cold: first accesses.", strings.Join(levels, "; "))
	if d.Sampling == nil {
		reuse.Add(d.byLevel().Part("levels"))
		if f, err := distances.Of(d.KRD, distances.Nodes(d.KRD, false), title); err == nil {
			reuse.Add(f.Part("distances"))
		}
		if f := d.beyond(); f != nil && len(f.Paths) > 0 {
			reuse.Add(f.Part("beyond"))
		}
	}
	for _, t := range []struct {
		head  string
		parts []Part
	}{{"function", d.Functions}, {"loop", d.Loops}, {"accessed", d.Objects}, {"in objects", d.Allocations}} {
		if len(t.parts) > 0 {
			reuse.Add(d.table(t.head, t.parts, mostRows))
		}
	}
	page.Add(reuse)
	if len(d.Lines) > 0 {
		page.Add(d.source())
	}
	if waits := d.goroutines(); len(waits.Parts) > 0 {
		page.Add(waits)
	}
	if d.Footprint != nil {
		v := d.Footprint.View()
		page.Add(&doc.Doc{ID: "footprints", Title: "Footprints", Parts: []doc.Part{
			d.Footprint.Flame().Part("regions"), &doc.Fold{Doc: *v}}})
	}
	if d.Dependences != nil {
		v := d.Dependences.View()
		page.Add(&doc.Doc{ID: "loops", Title: "Loops", Parts: []doc.Part{v.Parts[0], &doc.Fold{Doc: doc.Doc{
			Title: v.Title, Parts: v.Parts[1:], Warnings: v.Warnings}}}})
	}
	page.Add(&doc.Doc{ID: "again", Title: "How to do it again", Parts: []doc.Part{doc.Listing{d.again()}}})
	return page, nil
}

// goroutines returns what the goroutines did over time, who waited for whom, and what had not ended.
func (d *Document) goroutines() *doc.Doc {
	all := &doc.Doc{ID: "waits", Title: "Goroutines"}
	if len(d.Starts) > 1 {
		t := doc.NewTable(1, "began with", "accesses", "beyond "+d.Levels[0].Name, "cold", "most in", "share",
			"most to", "share")
		t.Title = "Accesses by the function that their goroutine began with; shares are of the row."
		t.Prose(0, 4, 6)
		for _, x := range d.Starts[:min(mostRows, len(d.Starts))] {
			share := func(n uint64) doc.Share { return doc.Share{Part: float64(n), Whole: float64(x.Accesses)} }
			t.Row(x.Name, count(x.Accesses), share(x.From(d.Levels[0].From)), share(x.First()), x.Function,
				share(x.FunctionAccesses), x.Object, share(x.ObjectAccesses))
		}
		all.Add(t)
	}
	if d.Waits == nil || d.Waits.Goroutines == nil {
		return all
	}
	if g := d.Waits.Goroutines; g.Timeline != nil && g.Count > 1 {
		all.Add(g.Timeline.Figure("goroutines"))
	}
	for _, t := range d.Waits.GoroutineTables() {
		if n := len(t.Rows) - mostRows; n > 0 {
			t.Rows, t.Remarks = t.Rows[:mostRows], []string{fmt.Sprintf("and %d more: krd.json", n)}
		}
		all.Add(t)
	}
	return all
}

// none returns the sentence for a document without findings, by what was looked for.
func (d *Document) none() string {
	switch {
	case d.Sampling != nil:
		return "Findings were not looked for: they need all accesses, without --sample."
	case d.Unit != Lines:
		return "Findings were not looked for: they need lines, without --unit datum."
	case d.Waits == nil:
		return "No loop, field or shared line stands out; waits were not recorded."
	}
	return "No loop, field, shared line or wait stands out."
}

// leastDrawn is the share of all accesses from which a function is drawn, in per cent.
const leastDrawn = 0.5

// short returns a function's name without the folders of its package's path, and of a method the type
// and its name alone.
func short(name string) string {
	rest := strings.TrimLeft(name, "(*")
	method := rest != name
	rest = rest[strings.LastIndexByte(rest, '/')+1:]
	if _, of, ok := strings.Cut(rest, "."); ok && method {
		rest = strings.Replace(of, ").", ".", 1)
	}
	return rest
}

// byLevel returns the figure of the shares of the functions with the most far accesses, by the level
// that each access needs.
func (d *Document) byLevel() *plot.Figure {
	f := &plot.Figure{ID: "levels", Title: "Accesses by function, as far as they reach", Columns: 1,
		Caption: []string{"Of all accesses of the program, %: those whose distance fits in each cache, those " +
			"that need more, and first ones."}}
	share := func(n uint64) float64 { return 100 * float64(n) / float64(max(1, d.Accesses)) }
	var some []Part
	for i := range d.Functions {
		if share(d.Functions[i].Accesses) >= leastDrawn && len(some) < mostListed {
			some = append(some, d.Functions[i])
		}
	}
	if left := len(d.Functions) - len(some); left > 0 {
		f.Caption = append(f.Caption, fmt.Sprintf("Of %s, those with %v %% or more.",
			units.Count(uint64(len(d.Functions)), "function"), leastDrawn))
	}
	p := plot.Panel{Kind: plot.Stacked, X: plot.Axis{Label: "function", Min: -0.5, Max: float64(len(some)) - 0.5,
		Turned: true}}
	most := 0.0
	for i := range some {
		p.X.Ticks = append(p.X.Ticks, plot.Tick{Value: float64(i), Label: short(some[i].Name)})
		most = max(most, share(some[i].Accesses))
		for k, r := range d.reaches(&some[i]) {
			if i == 0 {
				s := plot.NewSeries(r.name, k)
				s.Colour = r.colour
				p.Series = append(p.Series, s)
			}
			p.Series[k].Points = append(p.Series[k].Points, plot.Point{X: float64(i), At: some[i].Name, N: 1,
				Y: units.Some(share(r.n))})
		}
	}
	p.Y = plot.PercentAxis("accesses [%]", most)
	f.Panels = []plot.Panel{p}
	return f
}

// source returns the lines of the functions with the most far accesses, a fold for each.
func (d *Document) source() *doc.Doc {
	all := &doc.Doc{ID: "source", Title: "Lines"}
	all.Say("Accesses of each line of the functions with the most far accesses, in the order of the source.")
	for i := range d.Functions[:min(mostListed, len(d.Functions))] {
		fn := d.Functions[i].Name
		t := doc.NewTable(0, "line", "accesses", "cold")
		for _, l := range d.Levels {
			t.Columns = append(t.Columns, doc.Column{Head: "beyond " + l.Name, Kind: doc.Real})
		}
		t.Columns = append(t.Columns, doc.Column{Head: "bytes", Kind: doc.Real}, doc.Column{Head: "source"})
		file := ""
		for _, l := range d.Lines {
			if l.Function != fn {
				continue
			}
			file = cmp.Or(file, l.File)
			row := []any{l.Line, count(l.Accesses), doc.Share{Part: float64(l.First()), Whole: float64(l.Accesses)}}
			for _, of := range d.Levels {
				row = append(row, doc.Share{Part: float64(l.From(of.From)), Whole: float64(l.Accesses)})
			}
			t.Row(append(row, units.Bytes(l.Bytes), strings.ReplaceAll(l.Text, "\t", "  "))...)
		}
		if len(t.Rows) > 0 {
			t.Title = file
			all.Add(&doc.Fold{Doc: doc.Doc{Title: fn, Parts: []doc.Part{t}}})
		}
	}
	return all
}
