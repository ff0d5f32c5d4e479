package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"krdlab/experiments"
	"krdlab/experiments/run/brief"
	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/loss"
	"krdlab/experiments/run/measure"
	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/hw"
	"krdlab/hw/failure"
	"krdlab/hw/machine"
	"krdlab/hw/textfile"
	"krdlab/kernels"
	"krdlab/kernels/kernel"
	"krdlab/krd/analysis"
	"krdlab/krd/doc"
	"krdlab/loi"
	"krdlab/loi/dag"
	"krdlab/runtimes"
)

// runFlags are the flags of every kernel.
type runFlags struct {
	asked              request.Draft // what needs no reading
	sched, bind, trace string
	caches             given
	cores              cores
}

// runCommand returns a command with one subcommand for each kernel.
func (a *app) runCommand() *cobra.Command {
	f, verbose, view := &runFlags{}, false, false
	why := false
	run := group(&cobra.Command{
		Use:   "run KERNEL",
		Short: "Run a kernel under one scheduler or several, repeatedly, and sum up",
		Long: "Run a kernel under one scheduler or several, interleaved with serial repetitions, " +
			"and sum up: time, speed-up,\n" +
			"overhead (OVR), work time inflation (WTI), LLC misses, kernel reuse distance. The " +
			"evidence is kept in a run directory.\n\n" +
			"Exit codes: 0 done, also if records of a trace were lost (there is then a warning, " +
			"and no KRD); 1 failed; 2 not a\n" +
			"possible request; 3 the check failed; 4 no counters with --counters perf; " +
			"130 interrupted, and what was\n" +
			"done is kept.",
	})
	p := run.PersistentFlags()
	f.define(p)
	p.Bool("json", false, "print one JSON document instead of tables")
	p.BoolVarP(&verbose, "verbose", "v", false, "print intervals, kernels, nodes, workers, traces "+
		"and the cost of tracing too")
	p.BoolVar(&why, "why", false, "print the causes of each scheduler's lost time (krdlab why), also "+
		"where that takes more than a moment; simulated only")
	p.BoolVar(&view, "view", false, "when all is done, make a page of the traces, RUN/"+
		dataset.ViewFile+", as krdlab view does, and open it: with $"+browserVariable+", or where "+
		"there is a display as the system opens pages; without --trace the traces have tasks too")
	p.SortFlags, run.Flags().SortFlags = false, false
	completeRunFlags(run)

	run.RunE = func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usageError("krdlab run: which kernel? there are %s; try krdlab run matmul",
				strings.Join(request.KernelNames(), ", "))
		}
		_, err := request.FindKernel(args[0])
		return err
	}
	for _, k := range kernels.Table {
		c := a.runKernel(k, f, &verbose, &view, &why)
		c.Example = fmt.Sprintf("  krdlab run %s --sched workfirst --cores 2\n  krdlab run %s "+
			"--sched all --json", k.Name, k.Name)
		run.AddCommand(c)
		c.InheritedFlags().SortFlags = false
	}
	return run
}

// define defines the flags on p.
func (f *runFlags) define(p *pflag.FlagSet) {
	p.StringVar(&f.sched, "sched", request.DefaultScheduler().Name,
		"`NAMES` of schedulers, separated by commas, or all: "+
			strings.Join(request.SchedulerNames(), ", "))
	p.StringVar(&f.asked.Follow, "follow", "", "take the order of the pieces of code, and their "+
		"workers, from the schedule in this `FILE`, as krdlab explore --save-schedule writes it, or those of a "+
		"trace with task events, in the place of a scheduler; simulated only")
	p.Var(&f.cores, "cores", "`N` workers, one for each core (default all cores of the "+
		"machine)")
	p.StringVar(&f.asked.Place, "machine", request.Auto, "`WHERE`: native, the name or TOML file of a "+
		"machine to simulate (with :caches=1/16 behind it that part of its caches, with "+
		":prices=OTHER another's prices), or auto: native "+
		"where this machine has the cores, otherwise "+
		request.DefaultMachine+" simulated; see krdlab list machines")
	cachesVar(p, &f.caches)
	p.StringVar((*string)(&f.asked.CacheModel), "cache-model", string(request.CacheBlocks),
		"`MODEL` of a simulated machine's caches: whole blocks (fast) or lines")
	p.BoolVar(&f.asked.RuntimeData, "runtime-data", false, "the runtime's own queues, tasks and stacks lie in a "+
		"simulated machine's caches too")
	p.IntVar(&f.asked.Reps, "reps", request.DefaultReps, "`N` timed repetitions; below 6 there are no "+
		"intervals")
	p.IntVar(&f.asked.Warmup, "warmup", 1, "`N` repetitions before those, untimed; none where the "+
		"machine is simulated")
	p.Uint64Var(&f.asked.Seed, "seed", 1, "`N`, the seed of inputs, of victims and of the bootstrap")
	p.StringVar(&f.bind, "bind", "compact", "`WHERE` workers are pinned: compact (fill a node, "+
		"then the next), scatter, or a list of CPUs such as 0,2,4-7")
	p.StringVar(&f.trace, "trace", "", "`MODE`: off, profile, full, or krd: every repetition is "+
		"traced for its KRD, traces are not kept (default: repetitions are profiled, and one more is "+
		"traced in full for KRD); with it, further records: tasks, regions, decisions of the "+
		"scheduler, as in full,tasks; cores, for the reuse of each core beside each node's; "+
		"coherence, with writes that invalidate, as in krd,cores,coherence")
	p.StringVar((*string)(&f.asked.Grain), "trace-grain", "", "`GRAIN` of stamps: each kernel, or a task and one "+
		"in 64 of its kernels (default: as suits the program)")
	traceLimitVar(p, &f.asked.TraceLimit, ", and there is no KRD")
	p.StringVar((*string)(&f.asked.Counters), "counters", "auto", "`MODE` of hardware counters: auto, perf (exit "+
		"code 4 without them) or off")
	p.StringVar((*string)(&f.asked.NUMA), "numa", string(request.NUMANode0), "`PLACEMENT` of "+
		"the pages of data: node0 (one thread of the first worker's node touches all first), dealt (each "+
		"worker its part; simulated only) or interleave; without the flag a simulated machine's own")
	p.StringVar(&f.asked.Out, "out", "",
		"run directory `DIR`, which must not exist (default a new one in "+result.RunsDir+")")
	p.BoolVar(&f.asked.Oversubscribe, "oversubscribe", false,
		"allow more workers than CPUs; WTI is then unreliable")
	p.BoolVar(&f.asked.SMT, "smt", false, "use SMT siblings as cores")
	p.StringVar(&f.asked.Topology, "topology", "", "treat workers as `NODESxCORES`, such as 4x6; "+
		"results are marked synthetic")
	expects(p, "bind", "choose compact, scatter or a list of CPUs such as 0,2,4-7")
	expects(p, "trace", "choose off, profile, full or krd, and beside it any of tasks, regions, "+
		"decisions, cores and coherence")
	expects(p, "trace-grain", "choose kernel or task")
	expects(p, "topology", "expected NODESxCORES, such as 4x6")
}

// completeRunFlags returns how the values of those flags, which c has, are completed.
func completeRunFlags(c *cobra.Command) {
	complete(c, "sched", schedulerWords()...)
	complete(c, "bind", "compact", "scatter")
	complete(c, "trace", "off", "profile", "full", "krd", "tasks", "full,tasks", "full,tasks,regions",
		"full,decisions", "krd,cores", "krd,cores,coherence")
	complete(c, "trace-grain", "kernel", "task")
	complete(c, "machine", append([]string{request.Auto, request.Native}, machine.Names()...)...)
	complete(c, "cache-model", string(request.CacheBlocks), string(request.CacheLines))
	complete(c, "counters", "auto", "perf", "off")
	complete(c, "numa", "node0", "dealt", "interleave")
}

// schedulerWords lists the names of schedulers, and the beginnings of their parameters.
func schedulerWords() []string {
	words := append(request.SchedulerNames(), request.AllSchedulers)
	for _, s := range runtimes.Schedulers {
		for _, p := range s.Params {
			words = append(words, s.Name+":"+p.Name+"=")
		}
	}
	return words
}

// runKernel returns the command that runs a kernel, with a flag for each parameter of it.
func (a *app) runKernel(k *kernel.Kernel, f *runFlags, verbose, view, why *bool) *cobra.Command {
	c := &cobra.Command{
		Use:         k.Name,
		Short:       k.Summary,
		Long:        "Run " + k.Name + ": " + k.Summary + ".",
		Args:        exactly(),
		Annotations: map[string]string{unusableNote: strings.Join(unusable(k), " ")},
	}
	read := kernelFlags(c.Flags(), k)
	complete(c, "class", k.ClassNames()...)
	c.RunE = func(c *cobra.Command, _ []string) error {
		d, err := f.draft(c.Flags(), k)
		if err != nil {
			return err
		}
		if d.Params, err = read(); err != nil {
			return err
		}
		machines, err := a.machines(c.Context(), f.caches)
		if err != nil {
			return err
		}
		if *view {
			if err := keepTraces(d, c.Flags().Changed("trace"), f.trace); err != nil {
				return err
			}
		}
		choice, err := d.Resolve(machines)
		if err != nil {
			return err
		}
		a.sayNames(f.sched, choice.Schedulers)
		if *why && (choice.Machine == nil || asJSON(c)) {
			return usageError("--why: causes are taken away from simulated runs, and printed for people: add --machine " +
				request.DefaultMachine + ", without --json; krdlab why RUN --json prints a document")
		}
		if choice.TooFew > 0 {
			fmt.Fprintf(a.stderr, "%d of %d cores are there: SIMULATED on %s (not so with "+
				"--machine native)\n", choice.TooFew, choice.Cores, choice.Machine.Name)
		}
		a.sayIdle(c.Flags(), choice.Request)
		dir, err := a.run(c.Context(), &choice.Request, choice.Topology, printerOf(asJSON(c), *verbose), *why)
		if err != nil || !*view {
			return err
		}
		page, err := a.view(c.Context(), &viewFlags{allowLoss: true}, []string{dir})
		if err == nil {
			a.openPage(c.Context(), page)
		}
		return err
	}
	return c
}

// kernelFlags defines a flag for each parameter of k, and one for all of them, and returns what
// reads them. Errors: an [*request.Error] for a class that k has not.
func kernelFlags(flags *pflag.FlagSet, k *kernel.Kernel) (read func() (kernel.Params, error)) {
	flags.SortFlags = false
	ints, words := map[string]*int{}, map[string]*string{}
	for _, p := range k.Params {
		if p.Kind == kernel.IntParam {
			ints[p.Name] = flags.Int(p.Name, p.Default.(int), p.Help)
		} else {
			words[p.Name] = flags.String(p.Name, p.Default.(string), p.Help)
		}
	}
	class := classFlag(flags, k.ClassNames())
	return func() (kernel.Params, error) {
		v, err := request.InClass(k, *class)
		for name, p := range ints {
			if err == nil && flags.Changed(name) {
				v[name] = *p
			}
		}
		for name, p := range words {
			if err == nil && flags.Changed(name) {
				v[name] = *p
			}
		}
		return v, err
	}
}

// classFlag defines the flag that names a size.
func classFlag(flags *pflag.FlagSet, names []string) *string {
	class := flags.String("class", kernel.DefaultClass, "`NAME` of a size, which sets the kernel's "+
		"parameters: "+strings.Join(names, ", ")+"; a parameter's own flag comes before it")
	expects(flags, "class", "choose "+strings.Join(names, " or "))
	return class
}

// sayNames prints which schedulers were asked for by another name than theirs, and which of all are
// left out for the number of workers.
func (a *app) sayNames(asked string, found []runtimes.Scheduler) {
	if strings.TrimSpace(asked) == request.AllSchedulers {
		var lacking []string
		for _, s := range runtimes.Schedulers {
			there := slices.ContainsFunc(found, func(f runtimes.Scheduler) bool { return f.Name == s.Name })
			if !there && !s.ThreadsOnly() && !s.Serial() {
				lacking = append(lacking, s.Name)
			}
		}
		if lacking != nil {
			fmt.Fprintf(a.stderr, "cannot have so many workers, and left out: %s\n", strings.Join(lacking, ", "))
		}
	}
	for _, s := range found {
		for word := range strings.SplitSeq(asked, ",") {
			word, _, _ = strings.Cut(strings.TrimSpace(word), ":")
			if base, _, _ := strings.Cut(s.Name, ":"); word != base &&
				strings.EqualFold(word, s.Paper) {
				fmt.Fprintf(a.stderr, "%s of the KRD paper is %s here\n", s.Paper, base)
			}
		}
	}
}

// machines finds machines, this computer among them, with the caches that a flag gives.
func (a *app) machines(ctx context.Context, g given) (*request.Machines, error) {
	host, err := a.sized(ctx, g)
	if err != nil {
		return nil, err
	}
	return a.machinesOf(host), nil
}

// machinesOf finds machines beside host, and prints where a file comes before a name.
func (a *app) machinesOf(host *hw.Topology) *request.Machines {
	return &request.Machines{Host: host, Taken: func(name string) { a.sayHere(name, "machine") }}
}

// draft turns flags into a request of kernel k. An error within a flag is found here; flags that do
// not fit together are found by [request.Request.Validate].
func (f *runFlags) draft(flags *pflag.FlagSet, k *kernel.Kernel) (*request.Draft, error) {
	base, d := request.New(k), f.asked
	d.Kernel, d.Params, d.Trace, d.Cores, d.Caches = k, base.Params, base.Trace, int(f.cores),
		string(f.caches)
	d.AllCores, d.AllSchedulers = !flags.Changed("cores"),
		strings.TrimSpace(f.sched) == request.AllSchedulers
	d.DefaultNUMA, d.Pinned = !flags.Changed("numa"), flags.Changed("bind")
	if !flags.Changed("trace-grain") {
		d.Grain = base.Grain
	}
	err := outFolder(d.Out)
	if err != nil {
		return nil, err
	}
	if d.Bind, err = request.ParseBinding(f.bind); err != nil {
		return nil, err
	}
	if d.Schedulers, err = request.ParseSchedulers(f.sched); err != nil {
		return nil, err
	}
	if d.Follow != "" {
		if err := f.follow(&d, flags); err != nil {
			return nil, err
		}
	}
	if flags.Changed("trace") {
		if d.Trace, d.Structure, d.Reuse, err = request.ParseTrace(f.trace); err != nil {
			return nil, err
		}
	}
	return &d, nil
}

// follow reads the schedule that a run is to follow.
func (f *runFlags) follow(d *request.Draft, flags *pflag.FlagSet) error {
	if flags.Changed("sched") {
		return usageError("--follow and --sched exclude each other: a schedule stands in the place of a " +
			"scheduler")
	}
	s, err := f.schedule(d.Follow)
	if err != nil {
		return err
	}
	d.Schedulers, d.AllSchedulers = []runtimes.Scheduler{runtimes.Following(s)}, false
	if !flags.Changed("cores") {
		d.Cores, d.AllCores = len(s.Nodes), false
	}
	return nil
}

// schedule reads a schedule, or makes that of a trace.
func (f *runFlags) schedule(path string) (*dag.Schedule, error) {
	if isTrace(path) {
		t, err := openTrace(path, f.caches)
		if err != nil {
			return nil, err
		}
		defer t.Close()
		if !t.Tells(loi.EventTask, loi.EventChild) {
			return nil, &analysis.NeedError{Analysis: "--follow " + path, What: "task events",
				Flag: "full,tasks"}
		}
		s, err := dag.ScheduleOf(t)
		return s, traceError(path, err)
	}
	file, err := textfile.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	s, err := dag.ReadSchedule(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

// run measures and prints, and returns the run directory. Results from before an error are printed
// too.
func (a *app) run(ctx context.Context, c *request.Request, t *hw.Topology,
	print printer, why bool) (dir string, _ error) {
	bar, done := a.progress()
	var progress measure.Progress
	if bar != nil {
		progress = func(done, total int, scheduler, next string) {
			if scheduler != "" {
				next = scheduler + ", " + next
			}
			bar(done, total, next)
		}
	}
	c.Notice = func(what string) { fmt.Fprintln(a.stderr, what) }
	out, err := experiments.Run(ctx, c, a.argv, t, a.measure, progress)
	done()
	if len(out.Results) > 0 {
		err = errors.Join(err, a.print(ctx, out, print, why, err == nil))
	} else if out.Dir != "" && ctx.Err() == nil {
		fmt.Fprintf(a.stderr, "what was done is kept in %s\n", out.Dir)
	}
	if err != nil {
		if ctx.Err() != nil {
			if out.Dir == "" {
				return out.Dir, failure.New(failure.Interrupted, "interrupted before anything was measured")
			}
			unchecked := ""
			if !slices.ContainsFunc(out.Results,
				func(r result.Result) bool { return len(r.Repetitions) > 0 }) {
				unchecked = " before any repetition was finished"
				if !slices.ContainsFunc(out.Results, func(r result.Result) bool { return r.Check != nil }) {
					unchecked += ": nothing was checked"
				}
			}
			return out.Dir, failure.Errorf(failure.Interrupted, "interrupted%s; what was done is kept in %s",
				unchecked, out.Dir)
		}
		return out.Dir, err
	}
	for _, r := range out.Results {
		if r.Check != nil && !r.Check.Passed {
			return out.Dir, failure.Errorf(failure.Check, "the check of %s under %s failed: %s",
				r.Kernel, r.Scheduler, r.Check)
		}
	}
	return out.Dir, nil
}

// A printer prints results; nil prints JSON.
type printer func(*doc.Page, []result.Result) error

func printerOf(json, verbose bool) printer {
	switch {
	case json:
		return nil
	case verbose:
		return brief.WriteTable
	}
	return brief.WriteBrief
}

// print writes the results, what schedulers lose their time to where the run is whole and that is computed in a
// moment or asked for, and where all is.
func (a *app) print(ctx context.Context, out *experiments.Outcome, print printer, why, whole bool) error {
	if print == nil {
		fmt.Fprintf(a.stderr, "run directory: %s\n", out.Dir)
		return writeJSON(a.stdout, out.Document())
	}
	p := a.page()
	if err := print(p, out.Results); err != nil {
		return err
	}
	if whole && (why || loss.Quick(out.Results)) {
		e, err := dataset.Load(out.Dir)
		if err != nil {
			return err
		}
		r, err := loss.Of(ctx, e, nil, loss.DefaultReps, false, nil)
		if err != nil {
			return err
		}
		for _, f := range r.Findings {
			if e, _ := f.Code.In(); e.Level == doc.Answer {
				p.Brief(f.Sentence())
			}
		}
	} else if r := &out.Results[0]; whole && r.Substrate == loi.Simulated && r.Settings.Follow == "" {
		p.Line("krdlab why %s: what each loses its time to", out.Dir)
	} else if whole && r.Substrate == loi.Native && r.Machine.Nodes == 1 && len(out.Results) > 1 {
		p.Line("with --machine %s --cores 24: the same on four sockets, SIMULATED", request.DefaultMachine)
	}
	p.Line("run directory: %s", out.Dir)
	return p.Close()
}

// newBar returns a bar of so many steps for a terminal. It has no clock: a line that wraps leaves
// another behind each time it is drawn, and the text before it is cut by [fit].
func (a *app) newBar(steps int) *progressbar.ProgressBar {
	return progressbar.NewOptions(steps, progressbar.OptionSetWriter(a.stderr),
		progressbar.OptionClearOnFinish(), progressbar.OptionSetElapsedTime(false),
		progressbar.OptionSetPredictTime(false), progressbar.OptionSetWidth(20),
		progressbar.OptionThrottle(50*time.Millisecond))
}

// progress returns what shows progress on a terminal, nil elsewhere, and what clears it.
func (a *app) progress() (show func(done, total int, next string), done func()) {
	if !a.terminal {
		return nil, func() {}
	}
	// made when its length is known: one without draws from a goroutine of its own
	var bar *progressbar.ProgressBar
	show = func(done, total int, next string) {
		if bar == nil {
			bar = a.newBar(total)
		}
		if bar.GetMax() != total { // a calibration makes more rounds
			bar.ChangeMax(total)
		}
		bar.Describe(fit(fmt.Sprintf("%d/%d %s", done, total, next), a.stderr))
		_ = bar.Set(done) // a terminal that cannot be written to is no reason to stop
	}
	return show, func() {
		if bar != nil {
			_ = bar.Finish()
		}
	}
}
