// Package slurm runs the cells of a sweep as job arrays of Slurm: it writes their scripts, and
// submits them with a job that writes the tables when they end.
package slurm

import (
	"fmt"
	"path/filepath"
	"strings"

	"krdlab/experiments/run/dataset"
	"krdlab/experiments/sweep"
	"krdlab/hw/failure"
)

// DefaultMaxArray is Slurm's MaxArraySize where the cluster does not say: indices are below it.
const DefaultMaxArray = 1001

// OutputDir is the folder of an experiment that takes what Slurm's jobs print.
const OutputDir = "slurm"

// Options of [Jobs] and [Submit].
type Options struct {
	Program  string   // path of krdlab on the computers of the cluster
	MaxArray int      // 0 is DefaultMaxArray
	CPUs     int      // of an element that simulates; its repetitions run side by side. 0 is 1
	Args     []string // options of sbatch, which come after, and so before, those of krdlab
}

// A Job is a job array.
type Job struct {
	Script string // for sbatch to read
	Cells  []int  // indices in the plan
}

// Jobs returns job arrays with an element for each cell of the experiment in dir that is not
// finished: an array for each number of CPUs that cells need, and another wherever the index of a
// cell, which is that of the element, grows beyond MaxArraySize. Elements that measure have their
// node to themselves. Errors: an option that is no single line.
func Jobs(dir string, plan *sweep.Plan, opt Options) ([]Job, error) {
	if opt.MaxArray <= 0 {
		opt.MaxArray = DefaultMaxArray
	}
	opt.CPUs = max(1, opt.CPUs)
	for _, a := range opt.Args {
		if strings.ContainsAny(a, "\n\r") || !strings.HasPrefix(a, "-") {
			return nil, failure.Errorf(failure.Request, "option of sbatch %q: expected one line "+
				"that begins with a "+
				"dash, such as --partition=long", a)
		}
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if strings.ContainsAny(dir, "\n\r\"\\") {
		return nil, failure.Errorf(failure.Request,
			"%q: sbatch cannot name a folder with quotes, backslashes or line ends", dir)
	}
	type kind struct {
		native      bool
		cpus, chunk int
	}
	var kinds []kind
	cells := map[kind][]int{}
	for i, c := range plan.Cells {
		if plan.Finished(dir, i) {
			continue
		}
		k := kind{false, opt.CPUs, i / opt.MaxArray}
		if c.Machine == dataset.Native {
			k.native, k.cpus = true, c.Cores
		}
		if cells[k] == nil {
			kinds = append(kinds, k)
		}
		cells[k] = append(cells[k], i)
	}
	var jobs []Job
	for _, k := range kinds {
		offset := k.chunk * opt.MaxArray
		var b strings.Builder
		line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
		line("#!/bin/sh")
		line("#SBATCH --job-name=krdlab")
		line("#SBATCH --array=%s", ranges(cells[k], offset))
		line("#SBATCH --nodes=1 --ntasks=1 --cpus-per-task=%d", k.cpus)
		line("#SBATCH --requeue --open-mode=append")
		line("#SBATCH --output=\"%s\"", strings.ReplaceAll(filepath.Join(dir, OutputDir), "%",
			"%%")+
			"/%A_%a.out")
		if k.native {
			line("#SBATCH --exclusive")
		}
		for _, a := range opt.Args {
			line("#SBATCH %s", a)
		}
		if !k.native {
			line("export GOMAXPROCS=%d", k.cpus)
		}
		index := "$SLURM_ARRAY_TASK_ID"
		if offset > 0 {
			index = fmt.Sprintf("$((SLURM_ARRAY_TASK_ID + %d))", offset)
		}
		line("exec %s sweep exec --plan %s --index %s", quote(opt.Program),
			quote(filepath.Join(dir, dataset.PlanFile)), index)
		jobs = append(jobs, Job{b.String(), cells[k]})
	}
	return jobs, nil
}

// Collect returns the job that writes the tables when the arrays are done; it is submitted with a
// dependency on them.
func Collect(dir string, opt Options) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	script := "#!/bin/sh\n#SBATCH --job-name=krdlab-collect\n#SBATCH --nodes=1 " +
		"--ntasks=1\n#SBATCH --output=\"" +
		strings.ReplaceAll(filepath.Join(dir, OutputDir), "%", "%%") + "/%j.out\"\n"
	for _, a := range opt.Args {
		script += "#SBATCH " + a + "\n"
	}
	return script + fmt.Sprintf("exec %s sweep collect %s\n", quote(opt.Program), quote(dir)), nil
}

// ranges writes ascending numbers less offset as 0-3,7.
func ranges(list []int, offset int) string {
	var parts []string
	for i := 0; i < len(list); {
		j := i
		for j+1 < len(list) && list[j+1] == list[j]+1 {
			j++
		}
		if i == j {
			parts = append(parts, fmt.Sprint(list[i]-offset))
		} else {
			parts = append(parts, fmt.Sprintf("%d-%d", list[i]-offset, list[j]-offset))
		}
		i = j + 1
	}
	return strings.Join(parts, ",")
}

// quote quotes s for a shell.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
