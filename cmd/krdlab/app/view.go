package app

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/request"
	"krdlab/experiments/show/scene"
	"krdlab/experiments/show/view"
	"krdlab/hw/failure"
)

type viewFlags struct {
	out       string
	allowLoss bool
	open      bool
	caches    given
}

// viewCommand returns the command `krdlab view`.
func (a *app) viewCommand() *cobra.Command {
	f := &viewFlags{}
	c := &cobra.Command{
		Use:   "view [RUN|TRACE...]",
		Short: "One HTML page of traces: timelines of workers, maps of data, reuse distances",
		Long: "Make one self-contained HTML page of one or more traces, side by side: timelines of " +
			"the workers, maps of the data, histograms of reuse distances and the tree of tasks, " +
			"linked with each other. A selection in one is marked in all. The page needs no network; " +
			"its address holds the current view." + ofLatest,
		Example: "  krdlab run matmul --cores 24 --sched workfirst,helpfirst --view\n" +
			"  krdlab view\n  krdlab view a.loi b.loi --out page.html",
		RunE: func(c *cobra.Command, args []string) error {
			args, err := a.orLatest(c, args, withTrace, "RUN|TRACE")
			if err != nil {
				return err
			}
			out, err := a.view(c.Context(), f, args)
			if err == nil {
				_, err = fmt.Fprintln(a.stdout, out)
			}
			if err == nil && f.open {
				a.openPage(c.Context(), out)
			}
			return err
		},
		ValidArgsFunction: cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault),
	}
	p := c.Flags()
	p.StringVar(&f.out, "out", "", "write this `FILE`, in place of a page of krdlab's (default RUN/"+
		dataset.ViewFile+", or TRACE.html)")
	p.BoolVar(&f.allowLoss, "allow-loss", false, "show a trace with discarded records too")
	p.BoolVar(&f.open, "open", false, "open the page too: with $"+browserVariable+", or where "+
		"there is a display as the system opens pages")
	cachesVar(p, &f.caches)
	p.SortFlags = false
	return c
}

// keepTraces makes d, for --view, a run that keeps traces: if no --trace is given one of each
// scheduler, with tasks. Errors: the --trace that is given keeps none.
func keepTraces(d *request.Draft, given bool, trace string) error {
	if !given {
		d.Structure.Tasks = true
		return nil
	}
	if d.Trace.None() || d.Trace == request.TraceKRD || !d.Kernel.Work && !d.Structure.Any() {
		return &request.Error{Flag: "trace", Got: trace, Want: "--view shows the traces that " +
			"are kept, and there are none; write full,tasks, or tasks alone for one traced repetition"}
	}
	return nil
}

// view writes the page of some run directories and traces, and returns which file it is.
func (a *app) view(ctx context.Context, f *viewFlags, paths []string) (out string, err error) {
	if out = f.out; out == "" {
		out = strings.TrimSuffix(strings.TrimSuffix(paths[0], ".zst"), ".loi") + ".html"
		if info, err := os.Stat(paths[0]); err == nil && info.IsDir() {
			out = filepath.Join(paths[0], dataset.ViewFile)
		}
	}
	if err := derivable("out", out); err != nil {
		return "", err
	}
	var traces, schedulers []string
	for _, path := range paths {
		found, err := findTraces(path)
		if err != nil {
			return "", err
		}
		a.sayUnfinished(path)
		traces = append(traces, found...)
		if e, err := dataset.Load(path); err == nil && len(paths) == 1 {
			for _, g := range e.Groups() {
				schedulers = append(schedulers, g.Schedulers()...)
			}
		}
	}
	// columns stay until the page is written: a heap of twice their size would be garbage
	defer debug.SetGCPercent(debug.SetGCPercent(25))
	err = interruptible(ctx, func() error {
		runs, err := a.viewed(f, traces)
		if err != nil {
			return err
		}
		slices.SortStableFunc(runs, func(a, b view.Run) int { // as the run was asked for
			return cmp.Compare(slices.Index(schedulers, a.Header.Scheduler),
				slices.Index(schedulers, b.Header.Scheduler))
		})
		title := filepath.Base(filepath.Clean(paths[0]))
		if h := runs[0].Header; h.Kernel != "" {
			title = h.Kernel + ": " + title
		}
		return rederive(out, func(w io.Writer) error { return view.Write(w, title, runs) })
	})
	return out, err
}

// viewed reads traces. They are called as their schedulers, as their files if these are not all
// different, or by their paths.
func (a *app) viewed(f *viewFlags, traces []string) (runs []view.Run, err error) {
	var names []string
	show, done := bytesProgress[uint64](a, "view")
	defer done()
	for _, path := range traces {
		t, err := openTrace(path, f.caches, show)
		if err != nil {
			return nil, err
		}
		defer t.Close()
		if t.Header.Goroutines() {
			return nil, failure.Errorf(failure.Request, "%s: %s is of a Go program, whose goroutines are no workers: "+
				"when they run is not recorded; type krdlab go PACKAGE --dir DIR, then krdlab report DIR", "krdlab view", path)
		}
		r := view.Run{}
		if r.Run, err = scene.Read(t, f.allowLoss); err == nil {
			r.Tasks, r.NoTasks, err = r.Fold(t, f.allowLoss)
		}
		if err != nil {
			return nil, analysisError(path, err)
		}
		names = append(names, t.Header.Scheduler)
		runs = append(runs, r)
	}
	files := slices.Clone(traces)
	for i, path := range traces {
		files[i] = strings.TrimSuffix(strings.TrimSuffix(filepath.Base(path), ".zst"), ".loi")
	}
	for _, list := range [][]string{names, files, traces} {
		if !slices.Contains(list, "") && len(slices.Compact(slices.Sorted(slices.Values(list)))) ==
			len(list) {
			names = list
			break
		}
	}
	for i := range runs {
		runs[i].Name = names[i]
	}
	return runs, nil
}
