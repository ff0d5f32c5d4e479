// Package slurm runs the cells of a sweep as job arrays of Slurm: it writes their scripts, and
// submits them with a job that writes the tables when they end.
package slurm

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

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
	Cells    int      // of an element; 0 is 1
	AtOnce   int      // elements of an array that run at a time; 0: as many as the cluster allows
	Setup    []string // lines of the script before krdlab's
	// Limit is the time limit of a cell; an element has that of its cells, in whole minutes. 0: that of
	// the cluster.
	Limit time.Duration
	// Skip reports whether a cell, by its index in the plan, is left out; nil: none is.
	Skip func(cell int) bool
}

// A Job is a job array.
type Job struct {
	Script   string // for sbatch to read
	Elements []Indices
}

// Cells returns how many cells the elements have.
func (j *Job) Cells() (n int) {
	for _, e := range j.Elements {
		n += len(e)
	}
	return n
}

// mostScript is how many bytes the lists of cells of a script may have: Slurm's max_script_size is
// 4 MiB where the cluster does not say.
const mostScript = 1 << 20

// Jobs returns job arrays whose elements have the cells of the experiment in dir that are not
// finished, some each: an array for each number of CPUs that cells need, and another wherever there are
// MaxArraySize elements. Elements that measure have their node to themselves. Errors: an option that
// is no single line.
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
	for _, l := range opt.Setup {
		if strings.ContainsAny(l, "\n\r") || strings.HasPrefix(l, "#") {
			return nil, failure.Errorf(failure.Request, "line of a script %q: expected one line, a "+
				"command such as module load go", l)
		}
	}
	type kind struct {
		native bool
		cpus   int
	}
	var kinds []kind
	cells := map[kind]Indices{}
	for i, c := range plan.Cells {
		if plan.Finished(dir, i) || opt.Skip != nil && opt.Skip(i) {
			continue
		}
		k := kind{false, opt.CPUs}
		if c.Machine == dataset.Native {
			k = kind{true, c.Cores}
		}
		if cells[k] == nil {
			kinds = append(kinds, k)
		}
		cells[k] = append(cells[k], i)
	}
	var jobs []Job
	for _, k := range kinds {
		var elements []Indices
		size := 0
		for element := range slices.Chunk(cells[k], max(1, opt.Cells)) {
			if size += len(element.String()) + 1; len(elements) == opt.MaxArray || size > mostScript {
				jobs = append(jobs, Job{script(dir, k.native, k.cpus, elements, &opt), elements})
				elements, size = nil, len(element.String())+1
			}
			elements = append(elements, element)
		}
		jobs = append(jobs, Job{script(dir, k.native, k.cpus, elements, &opt), elements})
	}
	return jobs, nil
}

// script returns the script of a job array.
func script(dir string, native bool, cpus int, elements []Indices, opt *Options) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("#!/bin/sh")
	line("#SBATCH --job-name=krdlab")
	array := "0"
	if n := len(elements); n > 1 {
		array = fmt.Sprintf("0-%d", n-1)
	}
	if opt.AtOnce > 0 {
		array += fmt.Sprintf("%%%d", opt.AtOnce)
	}
	line("#SBATCH --array=%s", array)
	line("#SBATCH --nodes=1 --ntasks=1 --cpus-per-task=%d", cpus)
	line("#SBATCH --requeue --open-mode=append")
	line("#SBATCH --output=\"%s\"", strings.ReplaceAll(filepath.Join(dir, OutputDir), "%", "%%")+
		"/%A_%a.out")
	if native {
		line("#SBATCH --exclusive")
	}
	if opt.Limit > 0 {
		limit := opt.Limit * time.Duration(max(1, opt.Cells))
		line("#SBATCH --time=%d", int64((limit+time.Minute-1)/time.Minute))
	}
	for _, a := range opt.Args {
		line("#SBATCH %s", a)
	}
	for _, l := range opt.Setup {
		line("%s", l)
	}
	if !native {
		line("export GOMAXPROCS=%d", cpus)
	}
	b.WriteString("set --") // the cells of each element
	for _, e := range elements {
		b.WriteString(" " + e.String())
	}
	line("")
	line("shift $SLURM_ARRAY_TASK_ID")
	line("exec %s sweep exec --plan %s --index \"$1\"", quote(opt.Program),
		quote(filepath.Join(dir, dataset.PlanFile)))
	return b.String()
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
	for _, l := range opt.Setup {
		script += l + "\n"
	}
	return script + fmt.Sprintf("exec %s sweep collect %s\n", quote(opt.Program), quote(dir)), nil
}

// quote quotes s for a shell.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
