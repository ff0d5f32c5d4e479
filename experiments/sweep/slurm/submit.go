package slurm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"krdlab/hw/failure"
)

// Submit submits the jobs of the experiment in dir, those that Slurm takes, and collect, a script, after
// them and after the jobs that queued names. It records the elements of each in the folder, and passes
// on the number of each with its job, nil for the last. Errors have the class [failure.Capability]
// where there is no Slurm; others name the cells of jobs that it refused, beside which the rest is
// submitted.
func Submit(ctx context.Context, dir string, jobs []Job, collect string, queued []string,
	tell func(id string, j *Job)) error {
	if err := os.MkdirAll(filepath.Join(dir, OutputDir), 0o777); err != nil {
		return err
	}
	var refused []error
	ids := slices.Clone(queued)
	for i := range jobs {
		j := &jobs[i]
		id, err := sbatch(ctx, j.Script)
		if err != nil && (ctx.Err() != nil || failure.Of(err) == failure.Capability) {
			return err
		} else if err != nil {
			refused = append(refused, fmt.Errorf("%d cells from %d: %w", j.Cells(), j.Elements[0][0], err))
			continue
		}
		if err := record(dir, Array{id, j.Elements}); err != nil {
			return fmt.Errorf("job %s is submitted, and cannot be recorded: %w", id, err)
		}
		tell(id, j)
		ids = append(ids, id)
	}
	if len(ids) > 0 {
		id, err := sbatch(ctx, collect, "--dependency=afterany:"+strings.Join(ids, ":"))
		if err == nil {
			tell(id, nil)
		} else {
			refused = append(refused, fmt.Errorf("the job that writes the tables: %w", err))
		}
	}
	return errors.Join(refused...)
}

var arraySize = regexp.MustCompile(`(?m)^MaxArraySize\s*=\s*(\d+)`)

// MaxArraySize asks the cluster for it; 0 if it does not say.
func MaxArraySize(ctx context.Context) int {
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
		return "", failure.New(failure.Capability, "submit: sbatch is not in PATH: this machine "+
			"cannot do what was asked; on a computer of the cluster it is; --print writes the job "+
			"scripts")
	} else if err != nil {
		return "", failure.OfContext(ctx, fmt.Errorf("submit: sbatch: %w: %s", err,
			strings.TrimSpace(stderr.String())))
	}
	id, _, _ := strings.Cut(strings.TrimSpace(string(out)), ";") // a cluster's name may follow
	return id, nil
}
