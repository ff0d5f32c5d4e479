package report

import (
	"context"
	"fmt"
	"html/template"
	"path/filepath"
	"strings"

	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/experiments/show/figures"
	"krdlab/krd/analysis"
	"krdlab/krd/analysis/analyses"
	"krdlab/krd/doc"
	"krdlab/loi"
)

// A traced is what the analyses say of the trace of one repetition.
type traced struct {
	Title string
	Path  string // of the trace, relative to the experiment
	Views []template.HTML
	// Failed are what analyses found wrong while others had something to say.
	Failed []string
	Error  string // why the trace cannot be read
}

// tracedRuns returns what the analyses say of each cell of the group that has a trace; of the first
// with their pictures.
func tracedRuns(e *dataset.Experiment, g *dataset.Group) (list []traced) {
	for _, c := range g.Cells {
		r := c.Result
		if r.Trace == nil || r.Trace.Path == "" || r.Settings.Trace == request.TraceKRD {
			continue // that mode keeps no trace
		}
		x := traced{Title: fmt.Sprintf("%s %s, seed %d", r.Scheduler, "on "+plural(r.Cores, "core"), r.Seed),
			Path: filepath.Join(within(e, c.Dir), r.Trace.Path)}
		if !filepath.IsLocal(r.Trace.Path) {
			x.Error = fmt.Sprintf("its path %q leads out of the run directory", r.Trace.Path)
		} else if err := x.look(filepath.Join(c.Dir, r.Trace.Path), r.Trace.TimeNS,
			len(list) == 0); err != nil {
			x.Error = err.Error()
		}
		list = append(list, x)
	}
	return append(list, schedules(e, g)...)
}

// schedules returns what the analyses that look at several traces together say of those of the
// group with the same number of workers.
func schedules(e *dataset.Experiment, g *dataset.Group) (list []traced) {
	paths, order := map[int][]string{}, []int(nil)
	for _, c := range g.Cells {
		r := c.Result
		if r.Trace == nil || !r.Settings.Tasks || !filepath.IsLocal(r.Trace.Path) ||
			r.Settings.Trace == request.TraceKRD {
			continue
		}
		if paths[r.Cores] == nil {
			order = append(order, r.Cores)
		}
		paths[r.Cores] = append(paths[r.Cores], filepath.Join(c.Dir, r.Trace.Path))
	}
	for _, cores := range order {
		for _, a := range analyses.Table {
			if _, ok := a.New().(analysis.OverTraces); !ok {
				continue
			}
			x := traced{Title: fmt.Sprintf("%s, of all schedulers %s", a.Name, "on "+plural(cores, "core"))}
			if r, err := together(a, paths[cores]); err != nil {
				x.Error = err.Error()
			} else if err := x.show([]analysis.Result{r}, true); err != nil {
				x.Error = err.Error()
			}
			list = append(list, x)
		}
	}
	return list
}

// together looks at traces with an analysis, with its options for sections.
func together(a *analysis.Analysis, paths []string) (analysis.Result, error) {
	var list []*loi.Trace
	for _, path := range paths {
		t, err := loi.Open(path)
		if err != nil {
			return nil, err
		}
		defer t.Close()
		list = append(list, t)
	}
	return analysis.RunAll(context.Background(), list, a.Sections(list[0])[0], analysis.Options{AllowLoss: true,
		Looks: figures.SchedulerLooks})
}

// within returns the path of a folder relative to the experiment's.
func within(e *dataset.Experiment, dir string) string {
	rel, err := filepath.Rel(e.Dir, dir)
	if err != nil {
		return dir
	}
	return rel
}

// look has all analyses that the trace of a repetition of that time has enough for look at it.
func (x *traced) look(path string, time result.Number, pictures bool) error {
	results, failed, err := analysed(path, time)
	if err != nil {
		return err
	}
	x.Failed = failed
	return x.show(results, pictures)
}

// show adds the views of results.
func (x *traced) show(results []analysis.Result, pictures bool) error {
	for _, r := range results {
		view := r.View()
		countsIn(view)
		html, err := view.HTML(4)
		if err != nil {
			return err
		}
		if drawn, ok := r.(analysis.Drawn); ok && pictures {
			var b strings.Builder
			if err := drawn.Draw(&b, "svg"); err != nil {
				return err
			}
			html += template.HTML(b.String())
		}
		x.Views = append(x.Views, html)
	}
	return nil
}

// analysed returns the results of the analyses that the trace of a repetition of that time has
// enough for, and why some failed where others did not.
func analysed(path string, time result.Number) (list []analysis.Result, failed []string,
	err error) {
	t, err := loi.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer t.Close()
	var asked []analysis.Asked
	for _, a := range analyses.Table {
		if _, all := a.New().(analysis.OverTraces); !all && a.Lacks(t) == nil {
			asked = append(asked, a.Sections(t)...)
		}
	}
	ctx, opt := context.Background(), analysis.Options{AllowLoss: true, Time: time,
		Looks: figures.SchedulerLooks}
	if list, err = analysis.Run(ctx, t, asked, opt); err == nil {
		return list, nil, nil
	}
	for _, a := range asked { // of a damaged trace some may say something
		one, oneErr := analysis.Run(ctx, t, []analysis.Asked{a}, opt)
		if oneErr != nil {
			failed = append(failed, fmt.Sprintf("%s: %v", a.Name, oneErr))
		}
		list = append(list, one...)
	}
	if len(list) > 0 {
		err = nil
	}
	return list, failed, err
}

// countsIn makes the counts in tables texts, as the page prints them.
func countsIn(d *doc.Doc) {
	for _, p := range d.Parts {
		t, ok := p.(*doc.Table)
		if !ok {
			continue
		}
		for _, row := range t.Rows {
			for i, v := range row {
				if n, ok := v.(int64); ok {
					row[i] = count(n)
				}
			}
		}
	}
}
