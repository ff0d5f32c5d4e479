// Package app is the program krdlab: one file for each subcommand, flags in, exit codes out.
//
// A module of its own adds schedulers, kernels and analyses without a change to krdlab. Its main is
//
//	func main() {
//		os.Exit(app.Main(os.Args, app.Tables{
//			Schedulers: append(runtimes.Schedulers, mine),
//			Kernels:    append(kernels.Table, &myKernel),
//			Analyses:   append(analyses.Table, &myAnalysis),
//		}))
//	}
//
// and they are in every command, list and figure from then on. See docs/outside.md.
package app

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"krdlab/experiments/request"
	"krdlab/hw"
	"krdlab/kernels"
	"krdlab/kernels/kernel"
	"krdlab/krd/analyses"
	"krdlab/krd/analysis"
	"krdlab/runtimes"
)

// Tables are the schedulers, kernels and analyses that the program knows, in the order in which they
// are listed. A nil table is krdlab's own. The first scheduler is the serial one.
type Tables struct {
	Schedulers []runtimes.Scheduler
	Kernels    []*kernel.Kernel
	Analyses   []*analysis.Analysis
}

// Main runs the command line argv, program name first, and returns the exit code. It is called once
// a process: t becomes [runtimes.Schedulers], [kernels.Table] and [analyses.Table], and nothing writes to them after.
func Main(argv []string, t Tables) int {
	return t.run(newApp(os.Stdout, os.Stderr), argv)
}

func (t Tables) run(a *app, argv []string) int {
	hw.ExitFatally()
	if free, err := hw.FreeMemory(); err == nil {
		hw.LimitHeap(free.FreeBytes / 4 * 3)
	}
	if err := t.install(); err != nil {
		fmt.Fprintln(os.Stderr, "krdlab:", err)
		return exitFailed
	}
	return a.main(argv)
}

// lineName is what an analysis may be called, since it is a command.
var lineName = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)

// install checks the tables and puts them in place of krdlab's own.
func (t Tables) install() error {
	if t.Schedulers == nil {
		t.Schedulers = runtimes.Schedulers
	}
	if t.Kernels == nil {
		t.Kernels = kernels.Table
	}
	seen := map[string]bool{}
	schedulers := slices.Clone(t.Schedulers)
	for i := range schedulers {
		s := &schedulers[i]
		if s.Name == "" || s.Name == request.AllSchedulers || strings.ContainsAny(s.Name, ":, ") ||
			seen[s.Name] {
			return fmt.Errorf("table of schedulers: line %d: %q is no name, or is there twice",
				i+1, s.Name)
		}
		if s.Policy == nil && s.Make != nil {
			given := runtimes.Params{}
			for _, p := range s.Params {
				given[p.Name] = p.Default
			}
			s.Policy = s.Make(given)
		}
		if s.Policy == nil {
			return fmt.Errorf("table of schedulers: %s has no policy", s.Name)
		}
		if err := s.Validate(); err != nil {
			return fmt.Errorf("table of schedulers: %w", err)
		}
		if s.Serial() != (i == 0) {
			return fmt.Errorf("table of schedulers: %s: the first is serial, and no other", s.Name)
		}
		seen[s.Name] = true
	}
	clear(seen)
	for i, k := range t.Kernels {
		switch {
		case k == nil || k.Name == "" || k.Name == request.AllKernels || seen[k.Name]:
			return fmt.Errorf("table of kernels: line %d has no name, one that means something "+
				"else, or is there twice", i+1)
		case k.Plan == nil || k.New == nil:
			return fmt.Errorf("table of kernels: %s has no Plan or no New", k.Name)
		}
		seen[k.Name] = true
	}
	clear(seen)
	if t.Analyses == nil {
		t.Analyses = analyses.Table
	} else {
		own := analyses.Table
		analyses.Table = nil
		commands := newApp(io.Discard, io.Discard).root().Commands()
		analyses.Table = own
		seen["help"] = true
		for _, c := range commands {
			seen[c.Name()] = true
		}
	}
	for i, x := range t.Analyses {
		switch {
		case x == nil || !lineName.MatchString(x.Name) || seen[x.Name]:
			return fmt.Errorf("table of analyses: line %d has no name of small letters and -, or "+
				"there is such a command already", i+1)
		case x.Summary == "" || x.Long == "" || (x.Begin == nil) == (x.Trace == nil):
			return fmt.Errorf("table of analyses: %s has no Summary, no Long, or not one of Begin and "+
				"Trace", x.Name)
		}
		seen[x.Name] = true
	}
	runtimes.Schedulers, kernels.Table, analyses.Table = schedulers, t.Kernels, t.Analyses
	return nil
}
