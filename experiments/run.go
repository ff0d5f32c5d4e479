// Package experiments carries out a run: it measures what a request asks for, sums up each
// scheduler with medians, intervals, overhead and work time inflation (KRD paper, I-A), and writes
// a run directory with all evidence.
//
//	request.Request  ->  measure.Run  ->  result.Summarise  ->  result.RunDir
//
// How the measuring itself is done is a [measure.Func]; all around it (what may be asked,
// statistics, documents, directories) does not depend on it, so that a native run, a simulated one
// and a test's made-up one are summed up and written alike.
//
// Packages below run do the parts: request, result, replay, measure and brief (text for people).
// Packages sweep, read, show and papers run many, and read what they left.
package experiments

import (
	"context"
	"fmt"
	"time"

	"krdlab/experiments/run/brief"
	"krdlab/experiments/run/measure"
	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/hw"
	"krdlab/krd/doc"
)

// An Outcome holds the results of a run.
type Outcome struct {
	Results []result.Result
	Dir     string // the run directory, NAME.partial after an error; "" if nothing was done
	several bool   // schedulers were asked for
}

// Document returns what is printed as JSON: the result, or the array of results where several
// schedulers were asked for. Each is as in result.json, with its findings: the first has those of all.
func (o *Outcome) Document() any {
	type concluded struct {
		result.Result
		Findings []doc.Finding `json:"findings"`
	}
	list, all := make([]concluded, len(o.Results)), make([]*result.Result, len(o.Results))
	for i, r := range o.Results {
		list[i], all[i] = concluded{r, []doc.Finding{}}, &o.Results[i]
	}
	if len(list) > 0 {
		list[0].Findings = brief.Conclude(all).Findings
	}
	if !o.several && len(list) == 1 {
		return list[0]
	}
	return list
}

// Run checks r, makes the run directory, measures on the machine t, sums up and completes the
// directory. After an error, what was done is summed up all the same, and kept in a directory that
// keeps its partial name. argv is the command as typed, do what measures (nil: [measure.Run]);
// progress may be nil.
//
// Errors: [*request.Error] and [result.ErrExists] before anything is run; those of do; those of
// writing the directory.
func Run(ctx context.Context, r *request.Request, argv []string, t *hw.Topology, do measure.Func,
	progress measure.Progress) (*Outcome, error) {
	asked := r.Asked()
	out := &Outcome{several: len(asked.Schedulers) > 1}
	if err := r.Validate(t); err != nil {
		return out, err
	}
	manifest := result.NewManifest(asked, argv, t, time.Now())
	dir, err := result.Begin(r.Out, asked.Name, manifest, r.Machine)
	if err != nil {
		return out, err
	}
	if progress == nil {
		progress = func(int, int, string, string) {}
	}
	if do == nil {
		do = measure.Run
	}
	measured, runErr := do(ctx, r, t, dir, progress)
	for _, m := range measured {
		x := result.Summarise(asked, m)
		x.Warnings = doc.Sentences(x.WarningCodes)
		out.Results = append(out.Results, x)
	}
	if n := len(asked.Schedulers); runErr == nil && len(out.Results) != n {
		runErr = fmt.Errorf("%d schedulers were asked for and %d were run", n, len(out.Results))
	}
	if runErr != nil && len(out.Results) == 0 && dir.Discard() {
		return out, runErr
	}
	out.Dir, err = dir.End(manifest, out.Results, out.several, runErr)
	return out, err
}
