package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"krdlab/experiments"
	"krdlab/experiments/dataset"
	"krdlab/experiments/sweep"
)

// sweepExec is `krdlab sweep exec`, what an element of a job array runs.
func (a *app) sweepExec() *cobra.Command {
	var path string
	var index int
	c := &cobra.Command{
		Use:   "exec --plan DIR/plan.jsonl --index N",
		Short: "Run one cell of a plan, unless it is done; what an element of a Slurm array does",
		Long: "Run cell N of a plan into the experiment folder that the plan is in. It may be called any number of times, by any number of\n" +
			"processes on any computers that share the folder: a cell that is done is left alone (exit code 0), one that a living\n" +
			"process has is refused (1). The exit code is that of the cell. Tables are written by krdlab sweep collect.",
		Args: exactly(),
		RunE: func(c *cobra.Command, _ []string) error {
			if path == "" || !c.Flags().Changed("index") {
				return usageError("%s: --plan and --index are needed; type %s", c.CommandPath(), typeThis(c))
			}
			return a.runCell(c.Context(), planDir(path), index)
		},
	}
	c.Flags().StringVar(&path, "plan", "", "`FILE`: plan.jsonl of an experiment folder")
	c.Flags().IntVar(&index, "index", 0, "`N`: the cell, which is the line of the plan, from 0")
	return c
}

// planDir is the folder of a plan, which may itself be named.
func planDir(path string) string {
	if filepath.Base(path) == dataset.PlanFile {
		return filepath.Dir(path)
	}
	return filepath.Clean(path)
}

func (a *app) runCell(ctx context.Context, dir string, index int) error {
	plan, err := sweep.Read(dir)
	if err != nil {
		return sweepError(err)
	}
	opt, err := a.sweepOptions()
	if err != nil {
		return err
	}
	start := time.Now()
	outcome, err := sweep.RunCell(ctx, dir, plan, index, opt)
	switch {
	case ctx.Err() != nil:
		return &exitError{exitInterrupted, fmt.Errorf("interrupted; cell %d is run anew by the same command", index)}
	case outcome == sweep.HasFailed:
		return &exitError{cellCode(err), err}
	case outcome == sweep.IsBusy:
		return &exitError{exitFailed, err}
	case err != nil:
		return sweepError(err)
	case outcome == sweep.WasDone:
		fmt.Fprintf(a.stderr, "cell %s was done already\n", plan.Cells[index].ID)
	default:
		fmt.Fprintf(a.stderr, "cell %s is done after %s\n", plan.Cells[index].ID, roundTime(time.Since(start)))
	}
	return nil
}

type submitFlags struct {
	engine, out, program string
	print, noCollect     bool
	args                 []string
	cpus, maxArray       int
}

// sweepSubmit is `krdlab sweep submit`.
func (a *app) sweepSubmit() *cobra.Command {
	f := &submitFlags{}
	c := &cobra.Command{
		Use:   "submit DIR|PLAN|FILE.toml",
		Short: "Run a sweep as job arrays of Slurm, one element for each cell that is not done",
		Long: "Submit the cells of an experiment folder (made by krdlab sweep ... --plan-only, or left by any sweep) that are not done, as\n" +
			"job arrays, and a job that writes the tables when they end. The folder must be on a file system that all computers of the\n" +
			"cluster share, under the same name. With a TOML file the folder is made first.",
		Example: "  krdlab sweep matmul --sched all --cores 1,6,12,24 --machine native --plan-only --out exp\n" +
			"  krdlab sweep submit exp --sbatch-arg=--partition=long --print\n  krdlab sweep submit exp --sbatch-arg=--partition=long",
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
	p.StringVar(&f.engine, "engine", "slurm", "`NAME` of what runs jobs: slurm")
	p.BoolVar(&f.print, "print", false, "print the job scripts, submit nothing")
	p.StringArrayVar(&f.args, "sbatch-arg", nil, "`OPTION` of sbatch, such as --partition=long; may be repeated")
	p.IntVar(&f.cpus, "cpus", 1, "`N` CPUs for a cell that is simulated; a native one has as many as its cores, and its node alone")
	p.IntVar(&f.maxArray, "max-array", 0, "`N`: MaxArraySize of the cluster (default what scontrol says)")
	p.StringVar(&f.program, "program", "", "`PATH` of krdlab on the cluster's computers (default this one)")
	p.BoolVar(&f.noCollect, "no-collect", false, "submit no job that writes the tables")
	p.StringVar(&f.out, "out", "", "experiment folder `DIR` of a TOML file")
	return c
}

// submitted returns the experiment folder that a command's argument means.
func (a *app) submitted(ctx context.Context, arg string, f *submitFlags) (string, error) {
	if f.engine != "slurm" {
		return "", &experiments.ConfigError{Flag: "engine", Got: f.engine, Want: "there is slurm"}
	}
	if !strings.HasSuffix(arg, ".toml") {
		if f.out != "" {
			return "", &experiments.ConfigError{Flag: "out", Got: f.out, Want: "it is for a TOML file; " + arg + " is a folder of its own"}
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
	configs, all, err := a.fileConfigs(ctx, arg, given)
	if err != nil {
		return "", err
	}
	plan, err := sweep.NewPlan(configs)
	if err != nil {
		return "", err
	}
	dir := all.out
	if dir == "" {
		dir = filepath.Join(experiments.RunsDir, plan.Name())
	}
	_, err = sweep.Create(dir, plan, a.sweepInfo())
	return dir, createError(err)
}

func (a *app) submit(ctx context.Context, dir string, f *submitFlags) error {
	plan, err := sweep.Read(dir)
	if err != nil {
		return sweepError(err)
	}
	opt := sweep.SlurmOptions{Program: f.program, MaxArray: f.maxArray, CPUs: f.cpus, Args: f.args}
	if opt.Program == "" {
		if opt.Program, err = os.Executable(); err != nil {
			return fmt.Errorf("where krdlab is: %w; name it with --program", err)
		}
	}
	if opt.MaxArray == 0 {
		if opt.MaxArray = maxArraySize(ctx); opt.MaxArray == 0 {
			opt.MaxArray = sweep.DefaultMaxArray
			fmt.Fprintf(a.stderr, "scontrol does not say how large a job array may be: %d is assumed; --max-array sets it\n", opt.MaxArray)
		}
	}
	jobs, err := sweep.SlurmJobs(dir, plan, opt)
	if err != nil {
		return &exitError{exitUsage, err}
	}
	if len(jobs) == 0 {
		fmt.Fprintf(a.stderr, "all %d cells in %s are done\n", len(plan.Cells), dir)
		return nil
	}
	collect, err := sweep.SlurmCollect(dir, opt)
	if err != nil {
		return err
	}
	if f.print {
		for _, j := range jobs {
			fmt.Fprintf(a.stdout, "%s\n", j.Script)
		}
		if !f.noCollect {
			fmt.Fprintf(a.stdout, "# with --dependency=afterany: and the numbers of the jobs above\n%s", collect)
		}
		return nil
	}
	if err := os.MkdirAll(filepath.Join(dir, sweep.SlurmDir), 0o777); err != nil {
		return err
	}
	dependency := "--dependency=afterany"
	for _, j := range jobs {
		id, err := sbatch(ctx, j.Script)
		if err != nil {
			return err
		}
		fmt.Fprintf(a.stdout, "job %s: %d cells\n", id, len(j.Cells))
		dependency += ":" + id
	}
	if !f.noCollect {
		id, err := sbatch(ctx, collect, dependency)
		if err != nil {
			return err
		}
		fmt.Fprintf(a.stdout, "job %s: tables\n", id)
	}
	_, err = fmt.Fprintf(a.stdout, "how far it is: krdlab sweep status %s\n", dir)
	return err
}

var arraySize = regexp.MustCompile(`(?m)^MaxArraySize\s*=\s*(\d+)`)

// maxArraySize asks the cluster; 0 if it does not say.
func maxArraySize(ctx context.Context) int {
	out, err := exec.CommandContext(ctx, "scontrol", "show", "config").Output()
	if err != nil {
		return 0
	}
	m := arraySize.FindSubmatch(out)
	if m == nil {
		return 0
	}
	n, err := strconv.Atoi(string(m[1]))
	if err != nil {
		return 0
	}
	return n
}

// sbatch submits a script and returns the number of its job.
func sbatch(ctx context.Context, script string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, "sbatch", append([]string{"--parsable"}, args...)...)
	c.Stdin = strings.NewReader(script)
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.Output()
	if errors.Is(err, exec.ErrNotFound) {
		return "", fmt.Errorf("submit: sbatch is not in PATH: %w; on a computer of the cluster it is; --print writes the job scripts", experiments.ErrCapability)
	} else if err != nil {
		return "", fmt.Errorf("submit: sbatch: %w: %s", err, strings.TrimSpace(stderr.String()))
	}
	id, _, _ := strings.Cut(strings.TrimSpace(string(out)), ";") // a cluster's name may follow
	return id, nil
}
