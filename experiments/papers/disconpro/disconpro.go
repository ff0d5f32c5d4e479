// Package disconpro redoes the evaluation of the disconpro paper ("Memory Distance Measurement for
// Concurrent Programs", section 5) with programs given as text, and sets its numbers beside ours:
// tables 5 and 6, and figures like 2 and 3 for the programs of examples/interleavings and, from a recorded
// run of each, for those of examples/concurrent. The paper's measurements of Parsec and MySQL need those
// programs under a controlled scheduler, and are not here.
package disconpro

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"krdlab/examples"
	"krdlab/experiments/papers/claims"
	"krdlab/experiments/papers/study"
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

// exactGroup is the group that the others are compared with.
const exactGroup = "all interleavings"

// Study is the evaluation of the paper.
var Study = &study.Study{
	Name:  "disconpro",
	Paper: "Memory Distance Measurement for Concurrent Programs",
	Short: "Redo the evaluation of the disconpro paper with programs as text",
	Long: "Redo tables 5 and 6 of \"Memory Distance Measurement for Concurrent Programs\" with " +
		"programs given as text, and figures like its 2 and 3: the range of distances of each object " +
		"that a single run, random walks and PCT of several depths show, beside that over all " +
		"interleavings, and over schedules of recorded Go programs. The figures' parts on " +
		"Parsec and MySQL need programs under a controlled scheduler, and are not redone.",
	Takes: "smoke (at most 100 000 interleavings are enumerated, which is timed), quick or paper (168 " +
		"million; seconds)",
	Steps: plan,
	Of:    outcomeOf,
}

// seed is that of what is drawn.
const seed = 1

// most returns how many interleavings are enumerated at most.
func most(scale study.Scale) float64 {
	if scale == study.Smoke {
		return 1e5
	}
	return 1e9
}

// A counted is the result of a setting.
type counted struct {
	Interleavings string         `json:"interleavings"`
	Number        float64        `json:"number"` // the same, rounded
	Exact         []string       `json:"exact"`  // distances of each object
	PCT           []string       `json:"pct"`
	Counted       time.Duration  `json:"counted_ns"`
	Enumerated    *time.Duration `json:"enumerated_ns"` // nil: too many
	Drawn         time.Duration  `json:"pct_ns"`
}

// A ranged is the finite distances of an object in each of the groups, then over all interleavings.
type ranged struct {
	Object string    `json:"object"`
	Spans  []*[2]int `json:"spans"` // least and largest; nil: no access was a reuse
}

// plan lists the steps: each setting of table 6 and each program of figures like 2 and 3.
func plan(scale study.Scale) (list []study.Step, err error) {
	for i := range settings {
		s := &settings[i]
		list = append(list, study.Step{Name: s.step(), Do: func(context.Context, *study.Worker) (any, error) {
			return s.count(most(scale))
		}})
	}
	names, err := programs()
	for _, name := range names {
		list = append(list, study.Step{Name: name, Do: func(context.Context, *study.Worker) (any, error) {
			return rangesOf(name)
		}})
	}
	for _, r := range recorded(scale) {
		list = append(list, study.Step{Name: r.step(), Do: r.ranges})
	}
	return list, err
}

func (s *setting) step() string { return fmt.Sprintf("paths-%d-%d", s.threads, s.objects) }

// programs returns the names of those of examples/interleavings.
func programs() (names []string, err error) {
	files, err := fs.Glob(examples.Interleavings, "interleavings/*.txt")
	for _, f := range files {
		names = append(names, strings.TrimSuffix(path.Base(f), ".txt"))
	}
	return names, err
}

// inOrder returns the program of a setting.
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

// count makes the rows of a setting in tables 5 and 6.
func (s *setting) count(most float64) (*counted, error) {
	p, x := inOrder(s), &counted{}
	begin := time.Now()
	exact, err := engine.Exact(p, engine.Options{})
	if err != nil {
		return nil, err
	}
	x.Counted, begin = time.Since(begin), time.Now()
	pct, err := engine.Sample(p, engine.SampleOptions{Sampler: engine.PCT, Depth: paperDepth,
		Runs: paperRuns, Seed: seed})
	if err != nil {
		return nil, err
	}
	x.Drawn, x.Interleavings = time.Since(begin), exact.Interleavings.String()
	x.Number, _ = exact.Interleavings.Float64()
	if x.Number <= most {
		begin = time.Now()
		if _, err := engine.Enumerate(p, engine.Options{}); err != nil {
			return nil, err
		}
		took := time.Since(begin)
		x.Enumerated = &took
	}
	for o := range exact.Objects {
		x.Exact = append(x.Exact, distances(&exact.Objects[o]))
		x.PCT = append(x.PCT, distances(&pct.Objects[o]))
	}
	return x, nil
}

// distances lists those of an object, as the paper's table 5.
func distances(o *engine.Object) string {
	var words []string
	for _, d := range o.Distances {
		words = append(words, fmt.Sprint(d.Distance))
	}
	return strings.Join(words, ",")
}

// rangesOf returns those of the objects of a program that are accessed more than once.
func rangesOf(name string) ([]ranged, error) {
	file, err := examples.Interleavings.Open("interleavings/" + name + ".txt")
	if err != nil {
		return nil, err
	}
	defer file.Close()
	p, err := text.Read(file)
	if err != nil {
		return nil, err
	}
	var results []*engine.Result
	for _, g := range groups {
		x, err := engine.Sample(p, engine.SampleOptions{Sampler: g.sampler, Depth: g.depth, Runs: g.runs,
			Seed: seed})
		if err != nil {
			return nil, err
		}
		results = append(results, x)
	}
	exact, err := engine.Exact(p, engine.Options{})
	if err != nil {
		return nil, err
	}
	list := []ranged{}
	for o, object := range p.Objects {
		if exact.Objects[o].Maximum == nil {
			continue
		}
		x := ranged{Object: object}
		for _, r := range append(results, exact) {
			var span *[2]int
			if d := &r.Objects[o]; d.Maximum != nil {
				span = &[2]int{*d.Minimum, *d.Maximum}
			}
			x.Spans = append(x.Spans, span)
		}
		list = append(list, x)
	}
	return list, nil
}

func outcomeOf(f *study.Folder) (*study.Outcome, error) {
	o := &study.Outcome{Scale: f.Scale, Title: "The disconpro paper's evaluation, with programs as text",
		Says: []string{"The parts of figures 2 and 3 on Parsec and MySQL are not redone: they need " +
			"programs under a controlled scheduler."}}
	o.Conclude()
	if err := small(f, o); err != nil {
		return nil, err
	}
	return o, ranges(f, o)
}

// small makes tables 5 and 6.
func small(f *study.Folder, out *study.Outcome) error {
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
	took := func(d time.Duration) doc.Number { return doc.Some(float64(d.Nanoseconds())) }
	for i := range settings {
		s := &settings[i]
		x, err := study.Load[counted](f, s.step())
		if err != nil {
			return err
		}
		enumerated := any(doc.Missing("more than are enumerated here"))
		if x.Enumerated != nil {
			enumerated = took(*x.Enumerated)
		}
		c := study.Claim{ID: s.step(), Where: "5, table 6", Paper: s.paths, Ours: x.Interleavings,
			Says: fmt.Sprintf("interleavings of %d threads that access %d objects", s.threads, s.objects),
			Test: "the same", Verdict: claims.Same(x.Interleavings == s.paths)}
		if more, gaveUp := strings.CutPrefix(s.paths, ">"); gaveUp {
			var least float64
			fmt.Sscan(more, &least)
			c.Test, c.Verdict = "more", claims.Order().Of(claims.Exactly(claims.Gap(least, x.Number)))
		}
		six.Row(s.threads, s.objects, s.paths, s.seconds, x.Interleavings, took(x.Counted), enumerated,
			took(x.Drawn), out.Judge(c))
		if s.threads != 3 {
			continue
		}
		var paper []string
		for d := range s.objects + 1 {
			paper = append(paper, fmt.Sprint(d-1))
		}
		theirs := strings.Join(paper, ",")
		for o, a := range x.Exact {
			five.Row(fmt.Sprint(s.objects), fmt.Sprint(o+1), theirs, a, x.PCT[o], out.Judge(study.Claim{
				ID: fmt.Sprintf("distances-%d-%d", s.objects, o+1), Where: "5, table 5", Paper: theirs,
				Says: fmt.Sprintf("distances of global %d of %d, 3 threads", o+1, s.objects),
				Ours: a + "; PCT " + x.PCT[o], Test: "the same, by PCT too",
				Verdict: claims.Same(a == x.PCT[o] && a == theirs)}))
		}
	}
	out.Tables = append(out.Tables, five, six)
	return nil
}

// ranges makes the table and the figures like 2 and 3.
func ranges(f *study.Folder, out *study.Outcome) error {
	t := &doc.Table{Name: "ranges", Title: "Least and largest finite distance of each object (as " +
		"figures 2 and 3)", Keys: 2, Columns: []doc.Column{{Key: "program", Head: "program"},
		{Key: "object", Head: "object"}}}
	for _, g := range groups {
		t.Columns = append(t.Columns, doc.Column{Key: strings.ReplaceAll(strings.ToLower(g.name), " ",
			"_"), Head: g.name})
	}
	t.Columns = append(t.Columns, doc.Column{Key: "all", Head: exactGroup})
	names, err := programs()
	if err != nil {
		return err
	}
	if err := rows(f, out, t, names, texts); err != nil {
		return err
	}
	var steps []string
	for _, r := range recorded(f.Scale) {
		steps = append(steps, r.step())
	}
	if len(steps) > 0 {
		r := &doc.Table{Name: "recorded", Title: "Least and largest finite distance, in lines of 64 bytes, of objects of " +
			"programs whose goroutines were recorded once", Keys: 2, Columns: slices.Clone(t.Columns)}
		r.Columns[len(r.Columns)-1] = doc.Column{Key: "all", Head: searchedGroup}
		if err := rows(f, out, r, steps, goPrograms); err != nil {
			return err
		}
		out.Tables = append(out.Tables, t, r)
		return nil
	}
	out.Tables = append(out.Tables, t)
	return nil
}

// A kind is of the programs of a table.
type kind struct{ last, unit, single string }

var (
	texts      = kind{exactGroup, "objects", "one of goroutines"}
	goPrograms = kind{searchedGroup, "lines", "the recorded one"}
)

// searchedGroup is the last group of recordings: the others, and what a search found.
const searchedGroup = "all, and a search"

// rows adds the ranges of programs to a table, and a figure for each.
func rows(f *study.Folder, out *study.Outcome, t *doc.Table, names []string, k kind) error {
	for _, name := range names {
		list, err := study.Load[[]ranged](f, name)
		if err != nil {
			return err
		}
		for _, x := range *list {
			row := []any{name, x.Object}
			for _, s := range x.Spans {
				cell := any(doc.Missing("no access was a reuse"))
				if s != nil {
					cell = fmt.Sprintf("%d to %d", s[0], s[1])
				}
				row = append(row, cell)
			}
			t.Row(row...)
		}
		if len(*list) > 0 {
			out.Figures = append(out.Figures, study.Figure{Name: name, Title: name,
				Drawn: study.Drawing{Figure: figure(name, *list, k)}})
		}
	}
	return nil
}

// figure draws the ranges of the objects of a program: a point for each at its largest distance,
// with a bar down to its least.
func figure(name string, list []ranged, k kind) *plot.Figure {
	panel := plot.Panel{Kind: plot.Lines, X: plot.Axis{Label: "object"}}
	top, x := 0.0, 0.0
	for i := range list[0].Spans {
		head := k.last
		if i < len(groups) {
			head = groups[i].name
		}
		panel.Series = append(panel.Series, plot.NewSeries(head, i))
	}
	for _, r := range list {
		panel.X.Ticks = append(panel.X.Ticks, plot.Tick{Value: x + float64(len(r.Spans)-1)/2,
			Label: r.Object})
		for i, s := range r.Spans {
			if s != nil {
				top = max(top, float64(s[1]))
				panel.Series[i].Points = append(panel.Series[i].Points, plot.Point{X: x + float64(i),
					At: r.Object, Y: doc.Some(float64(s[1])), Low: doc.Some(float64(s[0])),
					High: doc.Some(float64(s[1])), N: 1, Apart: true})
			}
		}
		x += float64(len(r.Spans)) + 1
	}
	panel.X.Min, panel.X.Max = -1, x-1
	panel.Y = plot.NiceAxis(plot.Axis{Label: "distance [" + k.unit + "]"}, 0, max(1, top))
	return &plot.Figure{ID: name, Title: name, Columns: 1, Panels: []plot.Panel{panel},
		Caption: []string{fmt.Sprintf("Finite distances of each object, from the least to the largest. A "+
			"single run is %s; random, and PCT of each depth, %d runs.", k.single, figureRuns)}}
}
