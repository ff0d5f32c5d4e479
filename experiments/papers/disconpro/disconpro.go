// Package disconpro redoes the evaluation of the disconpro paper ("Memory Distance Measurement for
// Concurrent Programs", section 5) with programs given as text, and sets its numbers beside ours:
// tables 5 and 6, and figures like 2 and 3 for the programs of examples/interleavings. What the
// paper measures of Parsec and MySQL needs those programs under a controlled scheduler, and is not
// here.
package disconpro

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"krdlab/examples"
	"krdlab/experiments/papers/claims"
	"krdlab/experiments/run/result"
	"krdlab/krd/analysis/interleave/engine"
	"krdlab/krd/analysis/interleave/text"
	"krdlab/krd/doc"
	"krdlab/krd/plot"
)

// A setting is a row of table 6: so many threads access so many objects in the same order.
type setting struct {
	threads, objects int
	paths            string // of DisConSym
	seconds          string
}

// settings are those of the paper's table 6. DisConPro takes 100 paths and 25 s in each.
var settings = []setting{{3, 2, "90", "2"}, {3, 3, "1680", "27"}, {3, 4, "34650", "930"},
	{3, 5, ">200000", ">6794"}, {2, 3, "20", "1"}, {4, 3, ">200000", ">9609"},
	{5, 3, ">200000", ">11473"}}

const (
	paperDepth = 5   // of PCT in tables 5 and 6
	paperRuns  = 100 // and its runs
	figureRuns = 30  // of each group but the first in figures 2 and 3
)

// groups are those of figures 2 and 3.
var groups = []struct {
	name    string
	sampler engine.Sampler
	depth   int
	runs    int
}{{"single run", engine.Native, 0, 1}, {"random", engine.Walk, 0, figureRuns},
	{"PCT 5", engine.PCT, 5, figureRuns}, {"PCT 10", engine.PCT, 10, figureRuns},
	{"PCT 20", engine.PCT, 20, figureRuns}, {"PCT 50", engine.PCT, 50, figureRuns}}

// exactGroup is what the groups are set against.
const exactGroup = "all interleavings"

// A Result is the tables and the figures, one for each program.
type Result struct {
	Verdicts claims.Counts
	Tables   []*doc.Table
	figures  []*plot.Figure
}

// Options of [Run].
type Options struct {
	Seed uint64
	// Enumerate is how many interleavings are enumerated at most, which is timed.
	Enumerate float64
}

// Run redoes it. Cost: some seconds, most of them to enumerate 168 million interleavings if
// Options.Enumerate allows that.
func Run(opt Options) (*Result, error) {
	r := &Result{Verdicts: claims.Counts{}}
	if err := r.small(&opt); err != nil {
		return nil, err
	}
	return r, r.ranges(&opt)
}

// inOrder is the program of a setting.
func inOrder(s *setting) *engine.Program {
	p := &engine.Program{}
	for o := range s.objects {
		p.Objects = append(p.Objects, fmt.Sprint("global ", o+1))
	}
	for t := range s.threads {
		th := engine.Thread{Name: fmt.Sprint(t + 1)}
		for o := range s.objects {
			th.Code = append(th.Code, engine.Op{Kind: engine.Access, Arg: o})
		}
		p.Threads = append(p.Threads, th)
	}
	return p
}

// distances lists those of an object, as the paper's table 5.
func distances(o *engine.Object) string {
	var words []string
	for _, d := range o.Distances {
		words = append(words, fmt.Sprint(d.Distance))
	}
	return strings.Join(words, ",")
}

func timed(f func() (*engine.Result, error)) (*engine.Result, doc.Number, error) {
	begin := time.Now()
	r, err := f()
	return r, doc.Some(float64(time.Since(begin).Nanoseconds())), err
}

// small makes tables 5 and 6.
func (r *Result) small(opt *Options) error {
	five := doc.NewTable(1, "globals", "global", "paper, both", "exact", "PCT 5, 100 runs", "agrees")
	five.Name, five.Title, five.Keys = "table5", "Table 5: distances of each global, 3 threads", 2
	for i, key := range []string{"globals", "global", "paper", "exact", "pct", "agrees"} {
		five.Columns[i].Key = key
	}
	ns := func(key, head string) doc.Column {
		return doc.Column{Key: key, Head: head, Kind: doc.Real, Unit: doc.Nanoseconds}
	}
	six := &doc.Table{Name: "table6", Title: "Table 6: paths and time", Keys: 2, Columns: []doc.Column{
		{Key: "threads", Head: "threads", Kind: doc.Whole},
		{Key: "globals", Head: "globals", Kind: doc.Whole},
		{Key: "paper_paths", Head: "DisConSym's paths"}, {Key: "paper_s", Head: "time, s"},
		{Key: "interleavings", Head: "interleavings"}, ns("exact_ns", "counted"),
		ns("enumeration_ns", "enumerated"), ns("pct_ns", "PCT 5, 100 runs"),
		{Key: "agrees", Head: "agrees"}},
		Remarks: []string{"The paper's DisConPro takes 100 paths and 25 s in each row. Agrees: the " +
			"number of paths is the paper's, or more where it gave up."}}
	for i := range settings {
		s := &settings[i]
		p := inOrder(s)
		exact, counted, err := timed(func() (*engine.Result, error) {
			return engine.Exact(p, engine.Options{})
		})
		if err != nil {
			return err
		}
		pct, drawn, err := timed(func() (*engine.Result, error) {
			return engine.Sample(p, engine.SampleOptions{Sampler: engine.PCT,
				Depth: paperDepth, Runs: paperRuns, Seed: opt.Seed})
		})
		if err != nil {
			return err
		}
		enumerated := any(doc.Missing("more than are enumerated here"))
		n, _ := exact.Interleavings.Float64()
		if n <= opt.Enumerate {
			_, ns, err := timed(func() (*engine.Result, error) {
				return engine.Enumerate(p, engine.Options{})
			})
			if err != nil {
				return err
			}
			enumerated = ns
		}
		all := exact.Interleavings.String()
		verdict := claims.Same(all == s.paths)
		if more, gaveUp := strings.CutPrefix(s.paths, ">"); gaveUp {
			var least float64
			fmt.Sscan(more, &least)
			verdict = claims.Order().Of(claims.Exactly(claims.Gap(least, n)))
		}
		six.Row(s.threads, s.objects, s.paths, s.seconds, all, counted, enumerated, drawn,
			r.judge(verdict))
		if s.threads != 3 {
			continue
		}
		var paper []string
		for d := range s.objects + 1 {
			paper = append(paper, fmt.Sprint(d-1))
		}
		for o := range exact.Objects {
			a, b := distances(&exact.Objects[o]), distances(&pct.Objects[o])
			five.Row(fmt.Sprint(s.objects), fmt.Sprint(o+1), strings.Join(paper, ","), a, b,
				r.judge(claims.Same(a == b && a == strings.Join(paper, ","))))
		}
	}
	r.Tables = append(r.Tables, five, six)
	return nil
}

func (r *Result) judge(v claims.Verdict) string { return string(r.Verdicts.Add(v)) }

// ranges makes the table and the figures like 2 and 3.
func (r *Result) ranges(opt *Options) error {
	t := &doc.Table{Name: "ranges", Title: "Least and largest finite distance of each object (as " +
		"figures 2 and 3)", Keys: 2, Columns: []doc.Column{{Key: "program", Head: "program"},
		{Key: "object", Head: "object"}}}
	for _, g := range groups {
		t.Columns = append(t.Columns, doc.Column{Key: strings.ReplaceAll(strings.ToLower(g.name), " ",
			"_"), Head: g.name})
	}
	t.Columns = append(t.Columns, doc.Column{Key: "all", Head: exactGroup})
	names, err := fs.Glob(examples.Interleavings, "interleavings/*.txt")
	if err != nil {
		return err
	}
	for _, name := range names {
		file, err := examples.Interleavings.Open(name)
		if err != nil {
			return err
		}
		p, err := text.Read(file)
		file.Close()
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		var results []*engine.Result
		var heads []string
		for _, g := range groups {
			x, err := engine.Sample(p, engine.SampleOptions{Sampler: g.sampler, Depth: g.depth,
				Runs: g.runs, Seed: opt.Seed})
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			results, heads = append(results, x), append(heads, g.name)
		}
		exact, err := engine.Exact(p, engine.Options{})
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		results, heads = append(results, exact), append(heads, exactGroup)
		short := strings.TrimSuffix(filepath.Base(name), ".txt")
		rows := 0
		for o := range p.Objects {
			if exact.Objects[o].Maximum == nil {
				continue // it is accessed once
			}
			rows++
			row := []any{short, p.Objects[o]}
			for _, x := range results {
				row = append(row, span(&x.Objects[o]))
			}
			t.Row(row...)
		}
		if rows > 0 {
			r.figures = append(r.figures, figure(short, p, heads, results))
		}
	}
	r.Tables = append(r.Tables, t)
	return nil
}

// span is the finite distances of an object, from the least to the largest.
func span(o *engine.Object) any {
	if o.Maximum == nil {
		return doc.Missing("no access was a reuse")
	}
	return fmt.Sprintf("%d to %d", *o.Minimum, *o.Maximum)
}

// figure draws the ranges of the objects of a program: a point for each at its largest distance,
// with a bar down to its least.
func figure(name string, p *engine.Program, heads []string,
	results []*engine.Result) *plot.Figure {
	panel := plot.Panel{Kind: plot.Lines, X: plot.Axis{Label: "object"}}
	top, x := 0.0, 0.0
	for i := range heads {
		panel.Series = append(panel.Series, plot.NewSeries(heads[i], i))
	}
	for o, object := range p.Objects {
		if results[len(results)-1].Objects[o].Maximum == nil {
			continue
		}
		panel.X.Ticks = append(panel.X.Ticks, plot.Tick{
			Value: x + float64(len(heads)-1)/2, Label: object})
		for i, r := range results {
			if d := &r.Objects[o]; d.Maximum != nil {
				low, high := float64(*d.Minimum), float64(*d.Maximum)
				top = max(top, high)
				panel.Series[i].Points = append(panel.Series[i].Points, plot.Point{X: x + float64(i),
					At: object, Y: doc.Some(high), Low: doc.Some(low), High: doc.Some(high), N: 1,
					Apart: true})
			}
		}
		x += float64(len(heads)) + 1
	}
	panel.X.Min, panel.X.Max = -1, x-1
	panel.Y = plot.NiceAxis(plot.Axis{Label: "distance [objects]"}, 0, max(1, top))
	return &plot.Figure{ID: name, Title: name, Columns: 1, Panels: []plot.Panel{panel},
		Caption: []string{fmt.Sprintf("Finite distances of each object, from the least to the largest. A "+
			"single run is one of goroutines; random, and PCT of each depth, %d runs.", figureRuns)}}
}

// View is what people read.
func (r *Result) View() *doc.Doc {
	d := &doc.Doc{Title: "The disconpro paper's evaluation, with programs as text"}
	d.Say("Of %d judgements %s. What figures 2 and 3 have of Parsec and MySQL is not redone: "+
		"that takes programs under a controlled scheduler.", r.Verdicts.Judged(), r.Verdicts)
	for _, t := range r.Tables {
		d.Add(t)
	}
	return d
}

// Document is the JSON form: each table is an array of objects.
func (r *Result) Document() any {
	all := map[string]any{"schema_version": 1, "agree": r.Verdicts[claims.Agree],
		"judged":   r.Verdicts.Judged(),
		"warnings": []string{}}
	for _, t := range r.Tables {
		all[t.Name] = t
	}
	return all
}

// ReportHTML is the page that [Result.Write] makes.
const ReportHTML = "report.html"

// Write leaves the page, a CSV file of each table and a figure of each program in a folder. Errors:
// those of writing and drawing.
func (r *Result) Write(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for _, t := range r.Tables {
		if err := result.Rewrite(filepath.Join(dir, t.Name+".csv"), t.CSV); err != nil {
			return err
		}
	}
	for _, f := range r.figures {
		if err := result.Rewrite(filepath.Join(dir, f.ID+".svg"),
			func(w io.Writer) error { return f.Write(w, "svg") }); err != nil {
			return err
		}
	}
	return result.Rewrite(filepath.Join(dir, ReportHTML), func(w io.Writer) error {
		return r.View().Standalone(w, func() error {
			for _, f := range r.figures {
				if err := f.Write(w, "svg"); err != nil {
					return err
				}
			}
			return nil
		})
	})
}
