package report

import (
	"context"
	"fmt"
	"path/filepath"

	"krdlab/experiments/dataset"
	"krdlab/experiments/request"
	"krdlab/experiments/result"
	"krdlab/krd/analysis"
	"krdlab/krd/analysis/activity"
	"krdlab/krd/doc"
	"krdlab/loi"
)

// A traced is the table of workers of one traced repetition.
type traced struct {
	Title string
	Open  bool
	Path  string // of the trace, relative to the experiment
	Table *doc.Table
	Error string // why the trace cannot be read
}

// tracedWorkers returns a table for each cell of the group that has a trace.
func tracedWorkers(e *dataset.Experiment, g *dataset.Group) (list []traced) {
	for _, c := range g.Cells {
		r := c.Result
		if r.Trace == nil || r.Trace.Path == "" || r.Settings.Trace == request.TraceKRD {
			continue // that mode keeps no trace
		}
		x := traced{Title: fmt.Sprintf("%s %s, seed %d", r.Scheduler, onCores(r.Cores), r.Seed),
			Path: filepath.Join(within(e, c.Dir), r.Trace.Path)}
		if !filepath.IsLocal(r.Trace.Path) {
			x.Error = fmt.Sprintf("its path %q leads out of the run directory", r.Trace.Path)
		} else if a, err := activityOf(filepath.Join(c.Dir, r.Trace.Path),
			r.Trace.TimeNS); err != nil {
			x.Error = err.Error()
		} else {
			x.Table = workerTable(a)
		}
		list = append(list, x)
	}
	return list
}

// within returns the path of a folder relative to the experiment's.
func within(e *dataset.Experiment, dir string) string {
	rel, err := filepath.Rel(e.Dir, dir)
	if err != nil {
		return dir
	}
	return rel
}

// activityOf returns what the workers did in a traced repetition of that time.
func activityOf(path string, time result.Number) (*activity.Result, error) {
	t, err := loi.Open(path)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	list, err := analysis.Run(context.Background(), t, []analysis.Asked{{Analysis: activity.Analysis}},
		analysis.Options{AllowLoss: true})
	if err != nil {
		return nil, err
	}
	a := list[0].(*activity.Result)
	a.TimeNS = time
	return a, nil
}

// workerTable is the table of the view, with counts as the page prints them.
func workerTable(a *activity.Result) *doc.Table {
	t := a.View().Parts[0].(*doc.Table)
	for _, row := range t.Rows {
		for i, v := range row {
			if n, ok := v.(int64); ok {
				row[i] = count(n)
			}
		}
	}
	return t
}
