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
	"krdlab/krd/analysis/interleave/tasks"
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
	q := &control.Request{Name: goProgram + " " + r.Build.Path, Command: of, Dir: r.Build.Dir, Args: r.Args,
		Runs: o.Runs, Seed: o.Seed, Depth: o.Depth, Limit: control.DefaultLimit, Time: control.DefaultTime}
	if q.First, _ = c.Flags().GetBool("first"); q.First && o.Enumerate {
		return usageError("%s: --enumerate and --first exclude each other", c.CommandPath())
	}
	samplers := o.Samplers
	if samplers == nil {
		samplers = []string{string(tasks.Walk), string(tasks.PCT)}
	}
	for _, s := range samplers {
		p, ok := map[string]control.Policy{string(tasks.Walk): control.Walk, string(tasks.PCT): control.PCT}[s]
		if !ok {
			return usageError("%s: --sampler %s: with --control there are walk and pct", c.CommandPath(), s)
		}
		q.Policies = append(q.Policies, p)
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
	if q.Built, q.Progress = r.Built, show; r.Build.Test {
		q.Dir = r.Built.Folder
	}
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
