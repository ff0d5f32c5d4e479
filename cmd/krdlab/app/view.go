package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/request"
	"krdlab/experiments/show/scene"
	"krdlab/experiments/show/view"
	"krdlab/hw/failure"
	"krdlab/hw/units"
	"krdlab/loi"
)

type viewFlags struct {
	out       string
	allowLoss bool
	open      bool
	caches    given
	from, to  moment
}

// A moment is a flag's time from the beginning of a run, in nanoseconds or in ticks of its trace.
type moment struct {
	text  string // as it was typed; "": it was not
	n     float64
	ticks bool
}

// Set reads s.
func (m *moment) Set(s string) error {
	text, ticks := strings.CutSuffix(s, "ticks")
	*m = moment{text: s, ticks: ticks}
	if ticks {
		n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
		if err != nil || n < 0 {
			return errors.New("no time")
		}
		m.n = float64(n)
		return nil
	}
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 {
		return errors.New("no time")
	}
	m.n = float64(d)
	return nil
}

func (m *moment) String() string { return m.text }

// Type names the value for messages.
func (m *moment) Type() string { return momentForm }

const momentForm = "time from the beginning of the run, such as 10ms (ns, us, ms, s, m), or 5000ticks where the " +
	"clock of the trace is not known"

// of returns the moment in ticks of a trace; otherwise if the flag is not given. Errors: the clock of
// the trace is not known.
func (m *moment) of(flag string, hz float64, otherwise int64) (int64, error) {
	switch {
	case m.text == "":
		return otherwise, nil
	case m.ticks:
		return int64(m.n), nil
	case hz > 0:
		return int64(math.Round(min(m.n/1e9*hz, 1<<62))), nil
	}
	return 0, &request.Error{Flag: flag, Got: m.text,
		Want: "the rate of the trace's clock is not known; expected ticks, such as 5000ticks"}
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
			"its address holds the current view. A page has a mark for each execution as far as there is room: " +
			"--from and --to choose a window of a large run." + ofLatest,
		Example: "  krdlab run matmul --cores 24 --sched workfirst,helpfirst --view\n" +
			"  krdlab view\n  krdlab view a.loi b.loi --out page.html\n  krdlab view a.loi --from 10ms --to 12ms",
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
	p.Var(&f.from, "from", "show a window of the run in full detail, from this `TIME` after its beginning: 10ms, "+
		"or 5000ticks where the clock is not known (default: the beginning)")
	p.Var(&f.to, "to", "the `TIME` at which the window ends (default: the end of the run)")
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
	// columns stay until the page is written, and the collector need not scan them: a heap of twice their
	// size would be garbage
	defer debug.SetGCPercent(debug.SetGCPercent(10))
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

// read reads a trace, or the window of it that the flags give.
func (f *viewFlags) read(t *loi.Trace) (r view.Run, err error) {
	if f.from.text == "" && f.to.text == "" {
		if r.Run, err = scene.Read(t, f.allowLoss); err == nil {
			r.Tasks, r.NoTasks, err = r.Fold(t, f.allowLoss)
		}
		return r, err
	}
	hz := t.Header.Clock.Hz
	from, err := f.from.of("from", hz, 0)
	if err != nil {
		return r, err
	}
	to, err := f.to.of("to", hz, math.MaxInt64)
	if err != nil {
		return r, err
	}
	if from >= to {
		return r, &request.Error{Flag: "from", Got: f.from.text, Want: "expected a time before --to " + f.to.text}
	}
	r.NoTasks = "A window of a run has no tree of tasks: krdlab view without --from and --to shows it."
	r.Run, err = scene.ReadWindow(t, scene.Span{From: from, To: to}, f.allowLoss)
	if empty, ok := errors.AsType[*scene.WindowError](err); ok {
		at := func(ticks int64) string {
			if hz > 0 && !f.from.ticks && !f.to.ticks {
				return time.Duration(math.Round(float64(ticks) / hz * 1e9)).String()
			}
			return fmt.Sprintf("%dticks", ticks)
		}
		if from >= empty.Ticks {
			return r, &request.Error{Flag: "from", Got: f.from.text, Want: "the run is " + at(empty.Ticks) + " long; expected a " +
				"time before its end"}
		}
		err = failure.Errorf(failure.Request, "no execution is between %s and %s; expected a window with some of the %s "+
			"in %s", at(from), at(min(to, empty.Ticks)), units.Count(empty.Executions, "execution"), at(empty.Ticks))
	}
	return r, err
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
		r, err := f.read(t)
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
