package app

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"krdlab/experiments/goprogram"
	"krdlab/experiments/goprogram/control"
	"krdlab/hw/scratch"
	"krdlab/hw/units"
	"krdlab/krd/analysis"
	"krdlab/krd/analysis/interleave"
	"krdlab/krd/analysis/interleave/goroutines"
)

// mostSchedules is how many are gone through, a process each.
const mostSchedules = 20_000

// controlled runs a Go program under schedules, and prints how it ends.
func (x *analyser) controlled(c *cobra.Command, r *goprogram.Request, o *interleave.Options) error {
	for _, name := range []string{"search", "for", "cut-races", "llc", "memory", "save-schedule", "recordings"} {
		if f := c.Flags().Lookup(name); f != nil && f.Changed {
			return usageError("%s: --%s and --control exclude each other", c.CommandPath(), name)
		}
	}
	of := []string{"krdlab", "explore", goProgram, r.Build.Path, "--control"}
	if r.Build.Test {
		of = slices.Insert(of, 3, "test")
	}
	q := &control.Request{Name: goProgram + " " + r.Build.Path, Command: of, Args: r.Args, Runs: o.Runs, Seed: o.Seed, Depth: o.Depth, Limit: control.DefaultLimit, Time: control.DefaultTime}
	for _, s := range goroutines.Samplers {
		q.Policies = append(q.Policies, map[string]control.Policy{"walk": control.Walk, "pct": control.PCT}[string(s)])
	}
	if o.Samplers != nil {
		q.Policies = nil
		for _, s := range o.Samplers {
			p, ok := map[string]control.Policy{"walk": control.Walk, "pct": control.PCT}[s]
			if !ok {
				return usageError("%s: --sampler %s: with --control there are walk and pct", c.CommandPath(), s)
			}
			q.Policies = append(q.Policies, p)
		}
	}
	if o.Enumerate {
		q.Enumerate = mostSchedules
	}
	r.Build.Sync, r.Build.Plain, r.Build.Control = true, true, true
	remove, err := x.goBuild(c.Context(), r)
	if err != nil {
		return err
	}
	defer remove()
	dir, err := scratch.Make(os.Getenv("TMPDIR"), "krdlab-control-")
	if err != nil {
		return err
	}
	defer dir.Remove()
	show, done := countProgress[uint64](x.app, "schedules")
	q.Built, q.Progress = r.Built, show
	d, err := control.Run(c.Context(), q, dir.Path)
	done()
	if err != nil {
		return err
	}
	err = x.show(c, r.Build.Path, []string{r.Build.Path}, []analysis.Result{d})
	if n := d.Failed(); n > 0 {
		err = errors.Join(err, fmt.Errorf("%w under %s", goprogram.ErrProgram, units.Count(n, "schedule")))
	}
	return err
}
