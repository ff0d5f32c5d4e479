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
	follow   string   // a document, whose choices are made again
	under    string   // a sampler, by whose schedules recordings are made
	samplers []string // names that are not those of explore
}

func (f *controlFlags) define(c *cobra.Command) {
	c.Flags().BoolVar(&f.early, "early-timers", false, "timers and sleeps may end while a goroutine could go on: "+
		"it may be as slow as any")
	c.Flags().BoolVar(&f.first, "first", false, "stop at the first run that fails")
	choiceVar(c, &f.preempt, "preempt", control.AtSync.String(), control.Preempts(), "goroutines may be left `WHERE`: at "+
		"operations by which they wait for each other; at atomics too; at accesses to shared data too")
	c.Flags().StringVar(&f.follow, "follow", "", "run the schedules of the failures and other outputs in `FILE`, which "+
		"--control --json printed")
	var names []string
	for _, p := range control.Policies {
		names = append(names, p.String())
	}
	choiceVar(c, &f.under, "under", "", names, "record the program under schedules that this `SAMPLER` draws, one "+
		"goroutine at a time")
	needs(c.Flags(), "control", "--control", "early-timers", "first", "follow", "preempt")
}

// controlled runs a Go program under schedules, and prints how it ends.
func (x *analyser) controlled(c *cobra.Command, r *goprogram.Request, o *interleave.Options, f *controlFlags) error {
	for _, name := range []string{"search", "for", "cut-races", "llc", "memory", "save-schedule", "recordings",
		"under"} {
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
	if q.File = f.follow; q.File != "" {
		for _, name := range []string{"sampler", "runs", "seed", "depth", "enumerate", "first"} {
			if c.Flags().Changed(name) {
				return usageError("%s: --follow and --%s exclude each other", c.CommandPath(), name)
			}
		}
		text, err := os.ReadFile(q.File)
		if err != nil {
			return err
		}
		if q.Follow, err = control.Followed(q.File, text, q); err != nil {
			return err
		}
	}
	r.Build.Sync, r.Build.Plain, r.Build.Control = true, q.Preempt == control.AtSync, true
	r.Build.EarlyLoads = q.Preempt == control.AtAccesses
	r.Build.Iterations = r.Build.EarlyLoads // each access of a loop is an event
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

// under prepares recordings of a program under control: next sets the schedule of one, by its number from 0.
func (x *analyser) under(c *cobra.Command, r *goprogram.Request, f *controlFlags) (next func(int), end func(),
	err error) {
	if f.under == "" {
		return func(int) {}, func() {}, nil
	}
	o := x.options.(*interleave.Options)
	dir, err := scratch.Make(os.Getenv("TMPDIR"), "krdlab-control-")
	if err != nil {
		return nil, nil, err
	}
	i := slices.IndexFunc(control.Policies, func(p control.Policy) bool { return p.String() == f.under })
	q := &control.Request{Built: r.Built, Dir: r.Build.Dir, Args: r.Args, Policies: control.Policies[i : i+1],
		Seed: o.Seed, Depth: o.Depth, Limit: control.DefaultLimit, Time: control.DefaultTime}
	if r.Build.Test {
		q.Dir = r.Built.Folder
	}
	s, err := control.NewSession(c.Context(), q, dir.Path)
	if err != nil {
		return nil, nil, errors.Join(err, dir.Remove())
	}
	return func(n int) { r.Env = s.Next(n) }, func() { s.Close(); _ = dir.Remove() }, nil
}
