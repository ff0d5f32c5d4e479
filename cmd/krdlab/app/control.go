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
)

// mostSchedules is how many are gone through, a process each.
const mostSchedules = 20_000

// controlFlags are of krdlab explore go --control alone.
type controlFlags struct {
	early    bool
	first    bool
	preempt  string
	samplers []string // names that are not those of explore
}

func (f *controlFlags) define(c *cobra.Command) {
	c.Flags().BoolVar(&f.early, "early-timers", false, "timers and sleeps may end while a goroutine could go on: "+
		"it may be as slow as any")
	c.Flags().BoolVar(&f.first, "first", false, "stop at the first run that fails")
	choiceVar(c, &f.preempt, "preempt", control.AtSync.String(), control.Preempts(), "goroutines may be left `WHERE`: at "+
		"operations by which they wait for each other; at atomics too; at accesses to shared data too")
	needs(c.Flags(), "control", "--control", "early-timers", "first", "preempt")
}

// controlled runs a Go program under schedules, and prints how it ends.
func (x *analyser) controlled(c *cobra.Command, r *goprogram.Request, o *interleave.Options, f *controlFlags) error {
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
		Runs: o.Runs, Seed: o.Seed, Depth: o.Depth, Early: f.early, First: f.first, Limit: control.DefaultLimit,
		Time: control.DefaultTime}
	if q.First && o.Enumerate {
		return usageError("%s: --enumerate and --first exclude each other", c.CommandPath())
	}
	if f.samplers == nil {
		q.Policies = control.Policies[:2]
	}
	for _, s := range f.samplers {
		i := slices.IndexFunc(control.Policies, func(p control.Policy) bool { return p.String() == s })
		if i < 0 {
			return usageError("%s: --sampler %s: with --control there are walk, pct, pos and round-robin", c.CommandPath(), s)
		}
		q.Policies = append(q.Policies, control.Policies[i])
	}
	if o.Enumerate {
		q.Enumerate = mostSchedules
	}
	q.Preempt = control.Preempt(slices.Index(control.Preempts(), f.preempt))
	r.Build.Sync, r.Build.Plain, r.Build.Control = true, q.Preempt == control.AtSync, true
	r.Build.Iterations = q.Preempt == control.AtAccesses // each access of a loop is an event
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
