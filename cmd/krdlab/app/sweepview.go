package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/request"
	"krdlab/experiments/show/view"
	"krdlab/experiments/sweep"
	"krdlab/hw/units"
)

// viewVar defines the --view of a command of sweeps; more is added to its help.
func viewVar(p *pflag.FlagSet, to *bool, more string) {
	p.BoolVar(to, "view", false, "at the end make a page of traces for each size, machine and "+
		"number of cores, in DIR/"+dataset.ViewsDir+": each scheduler with its median repetition, "+
		"or the nearest to it whose trace is kept"+more)
}

// keepsTraces returns an error where no cell of a plan keeps a trace.
func keepsTraces(dir string, cells []dataset.PlannedCell) error {
	if slices.ContainsFunc(cells, func(c dataset.PlannedCell) bool {
		return !c.Settings.Trace.None() && c.Settings.Trace != request.TraceKRD
	}) {
		return nil
	}
	return usageError("--view: no cell of %s keeps a trace; %s", dir, keepOne)
}

// sweepViews writes a page for each group and number of cores of an experiment that has traces, and
// prints to stderr which repetitions it shows. Errors: no trace is kept; those of each page, beside
// which the others are written.
func (a *app) sweepViews(ctx context.Context, c *sweep.Collected) error {
	e := c.Experiment
	if !c.Whole() {
		var err error
		if e, err = dataset.Load(e.Dir); err != nil {
			return err
		}
	}
	var failed []error
	pages := 0
	groups := e.Groups()
	for i := range groups {
		g := &groups[i]
		for _, cores := range g.Cores() {
			var traces, names []string
			for _, s := range g.Schedulers() {
				if k := g.MedianTrace(s, cores); k != nil {
					traces, names = append(traces, k.Path), append(names, s+": "+k.String())
				}
			}
			if traces == nil {
				continue
			}
			pages++
			page := filepath.Join(e.Dir, filepath.FromSlash(g.ViewOf(cores)))
			title := fmt.Sprintf("%s, %s", g.Key, units.Count(cores, "core"))
			err := interruptible(ctx, func() error {
				return a.sweepView(page, title, traces, names)
			})
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil {
				failed = append(failed, fmt.Errorf("page %s: %w", page, err))
				continue
			}
			fmt.Fprintf(a.stderr, "page: %s (%s)\n", page, strings.Join(names, "; "))
		}
	}
	if pages == 0 && len(e.Cells) > 0 {
		return fmt.Errorf("--view: %s has no traces; %s", e.Dir, keepOne)
	}
	return errors.Join(failed...)
}

// sweepView writes the page of some traces, with the name of each.
func (a *app) sweepView(page, title string, traces, names []string) error {
	runs, err := a.viewed(&viewFlags{allowLoss: true}, traces)
	if err != nil {
		return err
	}
	for i := range runs {
		runs[i].Name = names[i]
	}
	if err := os.MkdirAll(filepath.Dir(page), 0o777); err != nil {
		return err
	}
	return rederive(page, func(w io.Writer) error { return view.Write(w, title, runs) })
}
