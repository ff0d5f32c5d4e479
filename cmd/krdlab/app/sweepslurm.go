package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/request"
	"krdlab/experiments/sweep"
	"krdlab/experiments/sweep/slurm"
	"krdlab/hw/failure"
)

// sweepExec returns the command `krdlab sweep exec`, which an element of a job array runs.
func (a *app) sweepExec() *cobra.Command {
	var path string
	var index int
	c := &cobra.Command{
		Use:   "exec --plan DIR/plan.jsonl --index N",
		Short: "Run one cell of a plan, unless it is done, as an element of a Slurm array does",
		Long: "Run cell N of a plan into the experiment folder that the plan is in. It may be " +
			"called any number of times, by any number of\n" +
			"processes on any computers that share the folder: a cell that is done is left alone " +
			"(exit code 0, or 6 if it cannot be\n" +
			"used), one that a living process has is refused (1). The exit code is that of the " +
			"cell. Tables are written by krdlab\n" +
			"sweep collect.",
		Args: exactly(),
		RunE: func(c *cobra.Command, _ []string) error {
			if path == "" || !c.Flags().Changed("index") {
				return usageError("%s: --plan and --index are needed; type %s", c.CommandPath(),
					typeThis(c))
			}
			return a.runCell(c.Context(), planDir(path), index)
		},
	}
	c.Flags().StringVar(&path, "plan", "", "`FILE`: plan.jsonl of an experiment folder")
	c.Flags().IntVar(&index, "index", 0, "`N`: the cell, which is the line of the plan, from 0")
	return c
}

// planDir returns the folder of a plan, which may itself be named.
func planDir(path string) string {
	if filepath.Base(path) == dataset.PlanFile {
		return filepath.Dir(path)
	}
	return filepath.Clean(path)
}

func (a *app) runCell(ctx context.Context, dir string, index int) error {
	plan, err := sweep.ReadCell(dir, index)
	if err != nil {
		return err
	}
	opt, err := a.sweepOptions()
	if err == nil {
		opt.Host, err = a.sized(ctx, "")
	}
	if err != nil {
		return err
	}
	start := time.Now()
	outcome, err := sweep.RunCell(ctx, dir, plan, opt)
	switch {
	case ctx.Err() != nil:
		return failure.Errorf(failure.Interrupted,
			"interrupted; cell %d is run anew by the same command", index)
	case outcome == sweep.HasFailed:
		return err
	case outcome == sweep.IsBusy:
		return failure.As(failure.Failed, err)
	case err != nil:
		return err
	case outcome == sweep.WasDone:
		cell := &plan.Cells[0]
		if q := cell.Unused(dir, plan.Machines[cell.Machine]); q != nil {
			return failure.Errorf(failure.Incomplete, "cell %s was run before and cannot be "+
				"used: %s; remove its folder to run it anew", q.Cell, q.Detail)
		}
		fmt.Fprintf(a.stderr, "cell %s was done already\n", plan.Cells[0].ID)
	default:
		fmt.Fprintf(a.stderr, "cell %s is done after %s\n", plan.Cells[0].ID,
			sweep.RoundTime(time.Since(start)))
	}
	return nil
}

type submitFlags struct {
	out, program   string
	dry            bool
	args           []string
	cpus, maxArray int
}

// sweepSubmit returns the command `krdlab sweep submit`.
func (a *app) sweepSubmit() *cobra.Command {
	f := &submitFlags{}
	c := &cobra.Command{
		Use:   "submit DIR|PLAN|FILE.toml",
		Short: "Run a sweep as job arrays of Slurm, one element for each cell that is not done",
		Long: "Submit the cells of an experiment folder (made by krdlab sweep ... --plan-only, " +
			"or left by any sweep) that are not done, as\n" +
			"job arrays, and a job that writes the tables when they end. The folder must be on a " +
			"file system that all computers of the\n" +
			"cluster share, under the same name. With a TOML file the folder is made first.",
		Example: "  krdlab sweep matmul --sched all --cores 1,6,12,24 --machine native " +
			"--plan-only --out exp\n" +
			"  krdlab sweep submit exp --sbatch-arg=--partition=long --dry-run\n  krdlab sweep " +
			"submit exp --sbatch-arg=--partition=long",
		Args: exactly("DIR"),
		RunE: func(c *cobra.Command, args []string) error {
			dir, err := a.submitted(c.Context(), args[0], f)
			if err != nil {
				return err
			}
			return a.submit(c.Context(), dir, f)
		},
	}
	p := c.Flags()
	p.SortFlags = false
	p.BoolVar(&f.dry, "dry-run", false, "print the job scripts, submit nothing")
	p.StringArrayVar(&f.args, "sbatch-arg", nil, "`OPTION` of sbatch, such as --partition=long; "+
		"may be repeated")
	p.IntVar(&f.cpus, "cpus", 1, "`N` CPUs for a cell that is simulated; a native one has as "+
		"many as its cores, and its node alone")
	p.IntVar(&f.maxArray, "max-array", 0, "`N`: MaxArraySize of the cluster (default that of scontrol)")
	p.StringVar(&f.program, "program", "", "`PATH` of krdlab on the cluster's computers (default "+
		"this one)")
	p.StringVar(&f.out, "out", "", "experiment folder `DIR` of a TOML file")
	return c
}

// submitted returns the experiment folder that a command's argument means.
func (a *app) submitted(ctx context.Context, arg string, f *submitFlags) (string, error) {
	if !strings.HasSuffix(arg, ".toml") {
		if f.out != "" {
			return "", &request.Error{Flag: "out", Got: f.out,
				Want: "it is for a TOML file; " + arg + " is a folder of its own"}
		}
		return planDir(arg), nil
	}
	given := newSweepFlags(pflag.NewFlagSet("submit", pflag.ContinueOnError), nil)
	err := given.set.Set("plan-only", "true")
	if f.out != "" {
		err = errors.Join(err, given.set.Set("out", f.out))
	}
	if err != nil {
		return "", err
	}
	configs, all, err := a.fileRequests(ctx, arg, given)
	if err != nil {
		return "", err
	}
	plan, dir, err := planned(configs, all)
	if err == nil {
		_, err = a.create(dir, plan, all)
	}
	return dir, err
}

func (a *app) submit(ctx context.Context, dir string, f *submitFlags) error {
	plan, err := sweep.Read(dir)
	if err != nil {
		return err
	}
	opt := slurm.Options{Program: f.program, MaxArray: f.maxArray, CPUs: f.cpus, Args: f.args}
	if opt.Program == "" {
		if opt.Program, err = os.Executable(); err != nil {
			return fmt.Errorf("where krdlab is: %w; name it with --program", err)
		}
	}
	if opt.MaxArray == 0 {
		if opt.MaxArray = slurm.MaxArraySize(ctx); opt.MaxArray == 0 {
			opt.MaxArray = slurm.DefaultMaxArray
			fmt.Fprintf(a.stderr, "scontrol does not say how large a job array may be: %d is "+
				"assumed; --max-array sets it\n", opt.MaxArray)
		}
	}
	jobs, err := slurm.Jobs(dir, plan, opt)
	if err != nil {
		return err
	}
	if len(jobs) == 0 {
		fmt.Fprintf(a.stderr, "none of the %d cells in %s is left to run\n", len(plan.Cells), dir)
		e, err := dataset.Load(dir)
		if err != nil {
			return err
		}
		a.sayProblems(e, dataset.Unreadable)
		return allUsed(nil, e)
	}
	collect, err := slurm.Collect(dir, opt)
	if err != nil {
		return err
	}
	if f.dry {
		for _, j := range jobs {
			fmt.Fprintf(a.stdout, "%s\n", j.Script)
		}
		fmt.Fprintf(a.stdout, "# with --dependency=afterany: and the numbers of the jobs above\n%s",
			collect)
		return nil
	}
	if err := slurm.Submit(ctx, dir, jobs, collect, func(id string, j *slurm.Job) {
		what := "tables"
		if j != nil {
			what = fmt.Sprintf("%d cells", len(j.Cells))
		}
		a.page().Line("job %s: %s", id, what)
	}); err != nil {
		return err
	}
	p := a.page()
	p.Line("how far it is: krdlab sweep status %s", dir)
	return p.Close()
}
