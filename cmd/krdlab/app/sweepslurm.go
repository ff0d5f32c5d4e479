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
	"krdlab/hw/units"
)

// sweepExec returns the command `krdlab sweep exec`, which an element of a job array runs.
func (a *app) sweepExec() *cobra.Command {
	var path, index string
	c := &cobra.Command{
		Use:   "exec --plan DIR/plan.jsonl --index N",
		Short: "Run a cell of a plan, unless it is done, as an element of a Slurm array does",
		Long: "Run cell N of a plan, or several (0-3,7), into the experiment folder that the plan is in. It may be " +
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
			cells, err := slurm.ParseIndices(index)
			if err != nil {
				return fmt.Errorf("--index: %w", err)
			}
			var first error
			for _, cell := range cells {
				err := a.runCell(c.Context(), planDir(path), cell)
				if c.Context().Err() != nil || len(cells) == 1 {
					return err
				}
				if err != nil && first == nil {
					first = err
				} else if err != nil {
					fmt.Fprintf(a.stderr, "krdlab: %s\n", oneLine(err))
				}
			}
			return first
		},
	}
	c.Flags().StringVar(&path, "plan", "", "`FILE`: plan.jsonl of an experiment folder")
	c.Flags().StringVar(&index, "index", "", "`N`: the cell, which is the line of the plan, from 0; or "+
		"several, one after the other: 0-3,7. The exit code is that of the first that failed")
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
	args, setup    []string
	cpus, maxArray int
	cells, atOnce  int
	time           string
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
	p.IntVar(&f.cells, "cells-per-element", 1, "`N` cells, one after the other, for an element of an array")
	p.IntVar(&f.atOnce, "at-once", 0, "`N` elements of an array run at a time (default as many as the "+
		"cluster allows)")
	p.StringArrayVar(&f.setup, "setup", nil, "`LINE` of the job scripts before krdlab's, such as "+
		"'module load go'; may be repeated")
	p.StringVar(&f.time, "time", "", "time limit of a cell, such as 90m; an element has that of all its "+
		"cells. `TIME` auto is twice the longest cell that is done (default that of the cluster)")
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
	opt := slurm.Options{Program: f.program, MaxArray: f.maxArray, CPUs: f.cpus, Args: f.args,
		Cells: f.cells, AtOnce: f.atOnce, Setup: f.setup}
	switch {
	case f.cells < 1:
		return &request.Error{Flag: "cells-per-element", Got: fmt.Sprint(f.cells), Want: "expected 1 or more"}
	case f.atOnce < 0:
		return &request.Error{Flag: "at-once", Got: fmt.Sprint(f.atOnce), Want: "expected 1 or more"}
	}
	if opt.Limit, err = f.limit(dir, plan); err != nil {
		return err
	}
	arrays, err := slurm.Arrays(dir)
	if err != nil {
		return err
	}
	var queued []string
	waits := 0
	if len(arrays) > 0 {
		queue, ok := slurm.ReadQueue(ctx)
		if !ok {
			fmt.Fprintf(a.stderr, "squeue does not answer: cells that %d arrays submitted before still have "+
				"are submitted again\n", len(arrays))
		}
		var cells map[int]bool
		cells, queued = queue.Waiting(arrays)
		opt.Skip = func(i int) bool {
			if cells[i] {
				waits++
			}
			return cells[i]
		}
	}
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
	if waits > 0 {
		fmt.Fprintf(a.stderr, "%s in the queue already, of jobs %s: not submitted again\n",
			units.Count(waits, "cell"), strings.Join(queued, ", "))
	}
	if len(jobs) == 0 && waits > 0 {
		return nil
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
	if err := slurm.Submit(ctx, dir, jobs, collect, queued, func(id string, j *slurm.Job) {
		what := "tables"
		if j != nil {
			what = fmt.Sprintf("%d cells", j.Cells())
		}
		a.page().Line("job %s: %s", id, what)
	}); err != nil {
		return fmt.Errorf("not all was submitted: %w; the rest: krdlab sweep submit %s", err, dir)
	}
	p := a.page()
	p.Line("how far it is: krdlab sweep status %s", dir)
	return p.Close()
}

// limit returns the time limit of a cell, 0 where none is asked for.
func (f *submitFlags) limit(dir string, plan *sweep.Plan) (time.Duration, error) {
	bad := func(want string) error { return &request.Error{Flag: "time", Got: f.time, Want: want} }
	switch f.time {
	case "":
		return 0, nil
	case "auto":
		if d := 2 * plan.Longest(dir); d > 0 {
			return d, nil
		}
		return 0, bad("no cell in " + dir + " is done, whose time could be taken; expected a time such as 90m")
	}
	d, err := time.ParseDuration(f.time)
	if err != nil || d <= 0 {
		return 0, bad("expected auto or a time such as 90m or 4h")
	}
	return d, nil
}
