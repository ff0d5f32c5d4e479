package report

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/experiments/show/figures"
	"krdlab/krd/analysis"
	"krdlab/krd/analysis/analyses"
	"krdlab/krd/doc"
	"krdlab/loi"
)

// tracedRuns returns what the analyses find in each trace of the group, each folded; of the first
// with its pictures.
func tracedRuns(e *dataset.Experiment, g *dataset.Group) (list []*doc.Fold) {
	for _, c := range g.Cells {
		r := c.Result
		if r.Trace == nil || r.Trace.Path == "" || r.Settings.Trace == request.TraceKRD {
			continue // that mode keeps no trace
		}
		d := traced("Analyses of the trace of %s on %s, seed %d", r.Scheduler, plural(r.Cores, "core"), r.Seed)
		list = append(list, d)
		if !filepath.IsLocal(r.Trace.Path) {
			d.Say("Its path %q leads out of the run directory.", r.Trace.Path)
			continue
		}
		d.Title += " (" + filepath.ToSlash(filepath.Join(within(e, c.Dir), r.Trace.Path)) + ")"
		results, failed, err := analysed(filepath.Join(c.Dir, r.Trace.Path), r.Trace.TimeNS)
		if err != nil {
			d.Say("The trace cannot be read: %v", err)
			continue
		}
		anchor := ""
		if len(list) == 1 {
			anchor = c.ID
		}
		show(d, results, anchor)
		for _, s := range failed {
			d.Say("%s", s)
		}
	}
	return append(list, schedules(e, g)...)
}

func traced(title string, args ...any) *doc.Fold {
	return &doc.Fold{Doc: doc.Doc{Title: fmt.Sprintf(title, args...)}}
}

// schedules returns what the analyses that look at several traces together say of those of the
// group with the same number of workers.
func schedules(e *dataset.Experiment, g *dataset.Group) (list []*doc.Fold) {
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
			d := traced("Analysis %s of the traces of all schedulers on %s", a.Name, plural(cores, "core"))
			if r, err := together(a, paths[cores]); err != nil {
				d.Say("%v", err)
			} else {
				show(d, []analysis.Result{r}, fmt.Sprintf("%s-%s-%d", a.Name, g.Kernel, cores))
			}
			list = append(list, d)
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

// show adds the views of results, and with an anchor their pictures.
func show(d *doc.Fold, results []analysis.Result, anchor string) {
	for i, r := range results {
		view := r.View()
		countsIn(view)
		d.Add(view)
		if drawn, ok := r.(analysis.Drawn); ok && anchor != "" {
			d.Add(&doc.Figure{ID: fmt.Sprintf("trace-%s-%d", anchor, i+1), Title: view.Title, Paper: true,
				Draw: func(w io.Writer) error { return drawn.Draw(w, "svg") }})
		}
	}
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
