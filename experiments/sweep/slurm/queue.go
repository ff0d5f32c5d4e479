package slurm

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"krdlab/experiments/sweep"
)

// arraysFile has a line for each array that was submitted.
const arraysFile = "arrays.jsonl"

// An Array records the elements of a job array that was submitted.
type Array struct {
	Job      string    `json:"job"`
	Elements []Indices `json:"elements"` // the cells of each
}

// record adds an array to those of the experiment in dir.
func record(dir string, a Array) error {
	b, err := json.Marshal(a)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(dir, OutputDir, arraysFile), os.O_WRONLY|os.O_CREATE|os.O_APPEND,
		0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(append(b, '\n'))
	return errors.Join(err, f.Close())
}

// Arrays returns the arrays that were submitted for the experiment in dir, none if nothing was. A line
// that was cut by a crash is left out.
func Arrays(dir string) (list []Array, err error) {
	f, err := os.Open(filepath.Join(dir, OutputDir, arraysFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	s.Buffer(nil, 4*mostScript)
	for s.Scan() {
		var a Array
		if json.Unmarshal(s.Bytes(), &a) == nil && a.Job != "" {
			list = append(list, a)
		}
	}
	return list, s.Err()
}

// A Queue has the elements of arrays, by the job's number and their own, that wait or run.
type Queue map[string]map[int]bool

// ReadQueue asks Slurm for the elements of this user; ok is false where it does not answer.
func ReadQueue(ctx context.Context) (q Queue, ok bool) {
	out, err := exec.CommandContext(ctx, "squeue", "--noheader", "--array",
		"--user="+strconv.Itoa(os.Getuid()), "--format=%F %K").Output()
	if err != nil {
		return nil, false
	}
	q = Queue{}
	for line := range strings.Lines(string(out)) {
		var job string
		var element int
		if n, _ := fmt.Sscan(line, &job, &element); n != 2 {
			continue // it is no array
		}
		if q[job] == nil {
			q[job] = map[int]bool{}
		}
		q[job][element] = true
	}
	return q, true
}

// Waiting returns the cells of elements in the queue, by their indices in the plan, and their jobs.
func (q Queue) Waiting(arrays []Array) (cells map[int]bool, jobs []string) {
	cells = map[int]bool{}
	for _, a := range arrays {
		if len(q[a.Job]) > 0 {
			jobs = append(jobs, a.Job)
		}
		for i, element := range a.Elements {
			for _, c := range element {
				cells[c] = cells[c] || q[a.Job][i]
			}
		}
	}
	return cells, jobs
}

// AddEnded adds to a status the elements that ended without a cell of theirs, one for each job and
// state: those whose program is missing, say, leave no other sign. Where squeue does not answer, those
// are taken that have printed something.
func AddEnded(ctx context.Context, s *sweep.Status) error {
	arrays, err := Arrays(s.Dir)
	if err != nil || len(arrays) == 0 || s.Complete() {
		return err
	}
	open := map[int]bool{}
	for _, i := range s.Unrun {
		open[i] = true
	}
	queue, known := ReadQueue(ctx)
	waiting, _ := queue.Waiting(arrays)
	states := ended(ctx, arrays)
	seen := map[int]bool{}
	for i := len(arrays) - 1; i >= 0; i-- { // the last that had a cell is told
		a := arrays[i]
		var found []*sweep.EndedElement // one for each state
		for n, element := range a.Elements {
			lacks := 0
			for _, c := range element {
				if open[c] && !seen[c] && !waiting[c] {
					lacks++
					seen[c] = true
				}
			}
			if lacks == 0 {
				continue
			}
			name := fmt.Sprintf("%s_%d", a.Job, n)
			last := lastLine(filepath.Join(s.Dir, OutputDir, name+".out"))
			if !known && last == "" {
				continue
			}
			state := states[name]
			of := slices.IndexFunc(found, func(e *sweep.EndedElement) bool { return e.State == state })
			if of < 0 {
				of = len(found)
				found = append(found, &sweep.EndedElement{Element: name, State: state, Output: last})
			}
			found[of].Elements++
			found[of].Cells += lacks
		}
		for _, e := range found {
			s.AddEnded(*e)
		}
	}
	return nil
}

// ended asks sacct for the state and the exit code of each element, which not every cluster keeps.
func ended(ctx context.Context, arrays []Array) map[string]string {
	var jobs []string
	for _, a := range arrays {
		jobs = append(jobs, a.Job)
	}
	out, err := exec.CommandContext(ctx, "sacct", "--noheader", "--parsable2", "--allocations", "--jobs",
		strings.Join(jobs, ","), "--format=JobID,State,ExitCode").Output()
	states := map[string]string{}
	if err != nil {
		return states
	}
	for line := range strings.Lines(string(out)) {
		if f := strings.Split(strings.TrimSpace(line), "|"); len(f) == 3 {
			code, _, _ := strings.Cut(f[2], ":")
			states[f[0]] = fmt.Sprintf("%s, exit code %s", f[1], code)
		}
	}
	return states
}

// lastLine returns the last line of a file that is not empty; "" if there is none.
func lastLine(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	const most = 4096
	if info, err := f.Stat(); err == nil && info.Size() > most {
		f.Seek(-most, 2)
	}
	b := make([]byte, most)
	n, _ := f.Read(b)
	lines := strings.Split(strings.TrimSpace(string(b[:n])), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}
