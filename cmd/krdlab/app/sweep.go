package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/estimate"
	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/experiments/sweep"
	"krdlab/experiments/sweep/sweeps"
	"krdlab/hw/failure"
	"krdlab/hw/units"
	"krdlab/kernels"
	"krdlab/kernels/kernel"
)

// sweepCommand returns a command with a subcommand for each kernel, and those that look after
// experiment folders.
func (a *app) sweepCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "sweep KERNEL[,KERNEL...]|all|NAME|FILE.toml",
		Short: "Run many configurations into one experiment folder, and go on where it was " +
			"interrupted",
		Long: "Run a kernel under several schedulers, on several numbers of cores, with several " +
			"sizes and seeds: one cell for each\n" +
			"combination, in which the schedulers take turns. Of several kernels, each has its own\n" +
			"parameters: --fmm.bodies 10000. The plan is written first. After " +
			"an interrupt or a crash the same\n" +
			"command goes on; at most the cell that was being run is lost. Results: table.csv, " +
			"table.jsonl, table.parquet with a\n" +
			"row for each repetition, and bench.txt for benchstat. NAME is a file that is built in: " +
			strings.Join(sweeps.Names(), ", ") + ".\nSee docs/sweeps.md.\n\n" +
			"Exit codes: 0 done; 1 failed; 2 not a possible request; 6 done, but some cells " +
			"could not be used; 130 interrupted;\nthat of the first cell that failed, if one did.",
		Example: "  krdlab sweep matmul --sched all --cores 1,2,4,6,12,24 --machine " +
			"westmere-ex-4s --out exp\n  krdlab sweep fmm --bodies 10000,100000 --seed 1,2,3 " +
			"--dry-run\n" +
			"  krdlab sweep exp.toml\n  krdlab sweep status exp",
		Args:        cobra.ArbitraryArgs,
		Annotations: map[string]string{takesFile: "TOML"},
	}
	c.SetUsageTemplate(fmt.Sprintf(sweepUsage, a.flagColumns()))
	var f *sweepFlags
	if a.asksFor(c.Name()) {
		f = newSweepFlags(c.Flags(), nil)
		completeRunFlags(c)
		complete(c, "class", kernel.ClassNames...)
	}
	c.SetFlagErrorFunc(kernelsOwnFlag)
	c.RunE = func(c *cobra.Command, args []string) error {
		switch {
		case len(args) == 0 && c.Flags().NFlag() > 0: // something was to be done
			return usageError("krdlab sweep: which kernel, or which file? there are %s; try "+
				"krdlab sweep matmul", strings.Join(request.KernelNames(), ", "))
		case len(args) == 0:
			return c.Help()
		case len(args) > 1:
			return usageError("krdlab sweep: %q is one argument too many; type krdlab sweep "+
				"KERNEL, or krdlab sweep FILE.toml", args[1])
		}
		info, err := os.Stat(args[0])
		switch {
		case err == nil && info.IsDir():
			return usageError("krdlab sweep: %s is a folder; to go on with a sweep, type krdlab "+
				"sweep resume %s", args[0], args[0])
		case err == nil || strings.HasSuffix(args[0], ".toml") || sweeps.Has(args[0]):
			if _, kerr := request.FindKernel(args[0]); kerr == nil || args[0] == request.AllKernels {
				a.sayHere(args[0], "kernel")
			}
			configs, all, err := a.fileRequests(c.Context(), args[0], f)
			if err != nil {
				return err
			}
			return a.sweepConfigs(c.Context(), configs, all)
		}
		if strings.Contains(args[0], ",") {
			configs, err := a.severalRequests(c.Context(), args[0], f)
			if err != nil {
				return err
			}
			return a.sweepConfigs(c.Context(), configs, f)
		}
		return usageError("krdlab sweep %s: there is no such kernel, no such command and no such "+
			"file; %s", args[0], request.Suggest(args[0], subcommands(c),
			"see krdlab sweep --help"))
	}
	for _, k := range kernels.Table {
		if !here(k.Name, false) { // no sweep is of a folder
			c.AddCommand(a.sweepKernel(k))
		}
	}
	if !here(request.AllKernels, false) {
		c.AddCommand(a.sweepAll())
	}
	c.AddCommand(a.sweepResume(), a.sweepStatus(), a.sweepCollect(), a.sweepSubmit(), a.sweepExec())
	return c
}

// sweepUsage is that of a command that has subcommands and takes arguments too.
const sweepUsage = `Usage:
  {{.UseLine}}{{if .HasAvailableSubCommands}}
  {{.CommandPath}} COMMAND{{end}}{{if .HasExample}}

Examples:
{{.Example}}{{end}}{{if .HasAvailableSubCommands}}

Commands (kernels have flags of their own):{{range .Commands}}{{if .IsAvailableCommand}}
  {{rpad .Name .NamePadding}}  {{.Short}}{{end}}{{end}}{{end}}{{if .HasAvailableLocalFlags}}

Flags of {{.Name}}:
{{.LocalFlags.FlagUsagesWrapped %d | trimTrailingWhitespaces}}{{end}}{{if .HasAvailableSubCommands}}

Use "{{.CommandPath}} COMMAND --help" for more information about a command.{{end}}
`

// asksFor reports whether the command line may be of a command of this name, or of one that looks at all
// of them. Most flags there are belong to sweep and its kernels: only these commands have them defined.
func (a *app) asksFor(name string) bool {
	return len(a.argv) == 0 || slices.Contains(a.argv, name) || slices.Contains(a.argv, manName)
}

// sweepKernel returns the command `krdlab sweep KERNEL`.
func (a *app) sweepKernel(k *kernel.Kernel) *cobra.Command {
	c := &cobra.Command{
		Use:   k.Name,
		Short: k.Summary,
		Long: "Sweep " + k.Name + ": " + k.Summary + ". Flags with LIST, and those of the " +
			"kernel, may have several values: 1,2,4.",
		Example: fmt.Sprintf("  krdlab sweep %s --sched all --cores 1,6,12,24 --machine %s", k.Name,
			request.DefaultMachine),
		Args: exactly(),
	}
	var f *sweepFlags
	if a.asksFor(k.Name) {
		f = newSweepFlags(c.Flags(), k)
		completeRunFlags(c)
		complete(c, "class", k.ClassNames()...)
	}
	c.RunE = func(c *cobra.Command, _ []string) error {
		machines, err := a.machines(c.Context(), f.caches)
		if err != nil {
			return err
		}
		configs, err := f.requests(c.Context(), machines)
		if err != nil {
			return err
		}
		return a.sweepConfigs(c.Context(), configs, f)
	}
	return c
}

// sweepConfigs plans and runs.
func (a *app) sweepConfigs(ctx context.Context, configs []request.Request, f *sweepFlags) error {
	if f.set.Changed("out") && f.asked.Out == "" {
		return &request.Error{Flag: "out", Got: `""`,
			Want: "name a folder, or leave the flag out"}
	}
	plan, dir, err := planned(configs, f)
	if err != nil {
		return err
	}
	a.saySubstrates(plan, f)
	a.sayIdle(f.set, configs...)
	if f.set.Changed("sched") {
		a.sayNames(f.sched, slices.MinFunc(configs, func(x, y request.Request) int {
			return len(x.Schedulers) - len(y.Schedulers)
		}).Schedulers)
	}
	if f.dry {
		a.sayFew(configs)
		return a.printPlan(dir, plan)
	}
	created, err := a.create(dir, plan, f)
	if err != nil {
		return err
	}
	a.sayFew(configs)
	if f.write {
		fmt.Fprintf(a.stderr, "%s planned in %s; run with krdlab sweep submit %s, or %s\n",
			units.Count(len(plan.Cells), "cell"), dir, dir, resumeText(dir, f.view))
		return nil
	}
	if !created {
		fmt.Fprintf(a.stderr, "going on with %s\n", dir)
	}
	return a.sweepRun(ctx, dir, plan, f.view)
}

// resumeText returns the command that goes on with a sweep.
func resumeText(dir string, views bool) string {
	if views {
		dir += " --view"
	}
	return "krdlab sweep resume " + dir
}

// planned returns the plan of configurations and its experiment folder.
func planned(configs []request.Request, f *sweepFlags) (*sweep.Plan, string, error) {
	plan, err := sweep.NewPlan(configs)
	if err != nil || f.asked.Out != "" {
		return plan, f.asked.Out, err
	}
	return plan, filepath.Join(result.RunsDir, plan.Name()), nil
}

// create makes the experiment folder of a plan, unless it is there already.
func (a *app) create(dir string, plan *sweep.Plan, f *sweepFlags) (created bool, err error) {
	if err := outFolder(dir); err != nil {
		return false, err
	}
	info := a.sweepInfo()
	info.NativeOnly, info.Over = f.nativeOnly, f.over
	created, err = sweep.Create(dir, plan, info)
	return created, createError(err)
}

// createError gives an error of [sweep.Create] its exit code: a folder that is something else is a
// wrong --out.
func createError(err error) error {
	if errors.Is(err, dataset.ErrNotAnExperiment) {
		return failure.As(failure.Request, err)
	}
	return err
}

// sayFew returns where there will be no intervals.
func (a *app) sayFew(configs []request.Request) {
	if few := slices.ContainsFunc(configs,
		func(r request.Request) bool { return r.Reps < estimate.MinSample }); few {
		fmt.Fprintf(a.stderr, "with fewer than %d repetitions there are no intervals, and no "+
			"difference can be told from chance\n", estimate.MinSample)
	}
}

func (a *app) sweepInfo() dataset.Info {
	return dataset.Info{Kind: "sweep", Argv: a.argv,
		Created: time.Now().UTC().Truncate(time.Second), Build: result.ReadBuild()}
}

// saySubstrates returns where auto runs what.
func (a *app) saySubstrates(plan *sweep.Plan, f *sweepFlags) {
	if !slices.Contains(f.machines.given, request.Auto) {
		return
	}
	var native, simulated []string
	name := ""
	for _, c := range plan.Cells {
		cores := fmt.Sprint(c.Cores)
		if c.Machine == dataset.Native {
			if !slices.Contains(native, cores) {
				native = append(native, cores)
			}
		} else if !slices.Contains(simulated, cores) {
			simulated, name = append(simulated, cores), c.Machine
		}
	}
	if len(simulated) == 0 {
		return
	}
	fmt.Fprintf(a.stderr, "this process may use fewer than %s cores: SIMULATED on %s\n",
		strings.Join(simulated, ", "), name)
	if len(native) > 0 {
		fmt.Fprintf(a.stderr, "%s cores are native: the two are never compared; --machine %s "+
			"simulates all\n", strings.Join(native, ", "), name)
	}
}

// sweepResume returns the command `krdlab sweep resume DIR`.
func (a *app) sweepResume() *cobra.Command {
	views := false
	c := &cobra.Command{
		Use:   "resume DIR",
		Short: "Go on with a sweep: cells that are missing, unfinished or failed are run",
		Args:  exactly("DIR"),
		RunE: func(c *cobra.Command, args []string) error {
			plan, err := sweep.Read(args[0])
			if err == nil && views {
				err = keepsTraces(args[0], plan.Cells)
			}
			if err != nil {
				return err
			}
			return a.sweepRun(c.Context(), args[0], plan, views)
		},
	}
	viewVar(c.Flags(), &views, "")
	return c
}

// sweepRun works through the plan of an experiment folder, writes its tables, with views the pages
// of its traces, and prints the outcome.
func (a *app) sweepRun(ctx context.Context, dir string, plan *sweep.Plan, views bool) error {
	opt, err := a.sweepOptions()
	if err != nil {
		return err
	}
	show := a.newSweepProgress()
	opt.Progress, opt.Finished = show.progress, show.finished
	sum, err := sweep.Run(ctx, dir, plan, opt)
	show.end()
	if busy := (*sweep.BusyError)(nil); errors.As(err, &busy) || errors.Is(err, sweep.ErrNoLocks) {
		return err
	}
	e, terr := sweep.WriteTables(dir)
	if err == nil && terr == nil {
		// failures were told as they came
		a.sayProblems(e.Experiment, dataset.Unreadable, dataset.Interrupted)
		if err = a.printSweep(dir, e); err == nil && views {
			err = a.sweepViews(ctx, e)
		}
	}
	if ctx.Err() != nil {
		return failure.Errorf(failure.Interrupted, "interrupted; %d of %d cells are done; go "+
			"on with: %s", len(sum.Before)+len(sum.Done), len(plan.Cells), resumeText(dir, views))
	}
	if err = bothErrors(err, terr); err != nil {
		return howFar(err, sum, plan, resumeText(dir, views))
	}
	for _, id := range sum.Busy {
		fmt.Fprintf(a.stderr,
			"cell %s is being run by another process, and is not in the tables yet\n", id)
	}
	unused := allUsed(nil, e.Experiment)
	if n := len(sum.Failures); n > 0 {
		if unused != nil {
			fmt.Fprintln(a.stderr, unused)
		}
		first := sum.Failures[0]
		return &codeError{first.ExitCode, fmt.Errorf("%d of %d cells failed, the first, %s, "+
			"with: %s; to run them again: %s",
			n, len(plan.Cells), first.ID, oneLine(errors.New(first.Error)), resumeText(dir, views))}
	}
	return unused
}

// howFar adds to the error of a sweep how far it came, and the command that goes on.
func howFar(err error, sum *sweep.Summary, plan *sweep.Plan, again string) error {
	then := "go on with"
	if _, ok := errors.AsType[*sweep.FolderError](err); ok {
		then = "when it can be written, go on with"
	}
	return fmt.Errorf("%w; %d of %d cells are done; %s: %s", err, len(sum.Before)+len(sum.Done),
		len(plan.Cells), then, again)
}

// bothErrors joins the errors of running cells and of writing tables, one where they are of one
// folder that cannot be written.
func bothErrors(run, tables error) error {
	a, isA := errors.AsType[*sweep.FolderError](run)
	b, isB := errors.AsType[*sweep.FolderError](tables)
	if isA && isB && a.Dir == b.Dir {
		return run
	}
	return errors.Join(run, tables)
}

func (a *app) sweepOptions() (sweep.Options, error) {
	host, err := a.host("")
	if err != nil {
		return sweep.Options{}, err
	}
	return sweep.Options{Argv: a.argv, Host: host, Measure: a.measure, ExitCode: exitCode}, nil
}
