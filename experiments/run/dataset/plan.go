package dataset

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"sort"
	"strings"
	"time"

	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/hw/failure"
	"krdlab/hw/textfile"
	"krdlab/kernels"
	"krdlab/kernels/kernel"
)

// Info records what an experiment is: the document experiment.json.
type Info struct {
	SchemaVersion int `json:"schema_version"`
	// "sweep", or the name of the paper that is redone
	Kind    string       `json:"kind"`
	Argv    []string     `json:"argv"`
	Created time.Time    `json:"created"`
	Build   result.Build `json:"build"`
	// Notes are remarks on the experiment as a whole, such as the scale of a reproduction.
	Notes []string `json:"notes,omitempty"`
	// Over is the baseline that the sweep is set over; "": none.
	Over string `json:"over,omitempty"`
	// NativeOnly are the kernels and the schedulers that a sweep of all leaves out of its simulated
	// cells, since they cannot be simulated.
	NativeOnly []string `json:"native_only,omitempty"`
	// Merged are the names of the experiments that were merged into this one.
	Merged []string `json:"merged,omitempty"`
}

// Merge notes that the experiment of that name was merged into this one.
func (i *Info) Merge(name string) {
	i.Notes, i.Merged = append(i.Notes, "merged from "+name), append(i.Merged, name)
}

// A PlannedCell is one configuration of a plan: a line of plan.jsonl. All that changes what is run
// is in it.
type PlannedCell struct {
	SchemaVersion int           `json:"schema_version"`
	Index         int           `json:"index"` // line of the plan, from 0
	ID            string        `json:"id"`    // name of its folder
	Kernel        string        `json:"kernel"`
	Params        kernel.Params `json:"params"`
	Schedulers    []string      `json:"schedulers"`
	Cores         int           `json:"cores"`
	Seed          uint64        `json:"seed"`
	// Machine is "native", or the name of a file of machines/ without its extension.
	Machine  string           `json:"machine"`
	Settings request.Settings `json:"settings"`
}

// Native is the PlannedCell.Machine of a cell that is not simulated.
const Native = "native"

// A Failure holds the reason why a cell could not be run.
type Failure struct {
	SchemaVersion int       `json:"schema_version"`
	ID            string    `json:"id"`
	Error         string    `json:"error"`
	ExitCode      int       `json:"exit_code"` // that `krdlab run` would have had
	At            time.Time `json:"at"`
}

// ErrNotAnExperiment is wrapped by the error of a folder that holds neither a plan nor a run.
var ErrNotAnExperiment = failure.New(failure.Data, "neither an experiment nor a run")

// ReadPlan reads plan.jsonl of the experiment dir. Errors name the file and the line.
func ReadPlan(dir string) ([]PlannedCell, error) {
	path := filepath.Join(dir, PlanFile)
	b, err := textfile.Read(path)
	if err != nil {
		return nil, err
	}
	var plan []PlannedCell
	lines := map[string]int{}
	s := bufio.NewScanner(bytes.NewReader(b))
	s.Buffer(nil, 16<<20)
	for line := 1; s.Scan(); line++ {
		if len(bytes.TrimSpace(s.Bytes())) == 0 {
			continue
		}
		c, err := parseCell(s.Bytes())
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, line, err)
		}
		if c.Index != len(plan) || c.ID == "" || strings.ContainsAny(c.ID, `/\`) {
			return nil, fmt.Errorf("%s:%d: cell %q has index %d, expected %d, and a name without "+
				"slashes", path, line, c.ID, c.Index, len(plan))
		}
		if c.ID == "." || c.ID == ".." {
			return nil, fmt.Errorf("%s:%d: the cell's id %q is no name of a folder", path, line,
				c.ID)
		}
		if first, ok := lines[c.ID]; ok {
			return nil, fmt.Errorf("%s:%d: the cell's id %q is that of line %d too, expected "+
				"each once", path, line, c.ID, first)
		}
		lines[c.ID] = line
		plan = append(plan, c)
	}
	return plan, s.Err()
}

// parseCell parses a line of a plan, which is changed.
func parseCell(line []byte) (c PlannedCell, err error) {
	if err = json.Unmarshal(plain(line, false), &c); err == nil {
		err = checkVersion(c.SchemaVersion, SchemaVersion)
	}
	c.Params = paramsOf(c.Kernel, c.Params)
	return c, err
}

// FindCell reads the cell of an index from plan.jsonl of the experiment dir, without the others. ok
// is false where it is not found, as in a plan that is damaged, and [ReadPlan] returns why. Cost: a
// search by halves, since the lines are in the order of their indices.
func FindCell(dir string, index int) (c PlannedCell, ok bool) {
	f, err := textfile.Open(filepath.Join(dir, PlanFile))
	if err != nil {
		return c, false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return c, false
	}
	lineFrom := func(offset int) (line []byte) { // the first that begins there or later
		r := bufio.NewReader(io.NewSectionReader(f, max(0, int64(offset)-1), info.Size()))
		if offset > 0 {
			_, err = r.ReadBytes('\n')
		}
		for err == nil && len(bytes.TrimSpace(line)) == 0 {
			line, err = r.ReadBytes('\n')
		}
		err = nil
		return line
	}
	at := sort.Search(int(info.Size()), func(offset int) bool {
		var of struct{ Index int }
		return json.Unmarshal(lineFrom(offset), &of) != nil || of.Index >= index
	})
	c, err = parseCell(lineFrom(at))
	named := c.ID != "" && c.ID != "." && c.ID != ".." && !strings.ContainsAny(c.ID, `/\`)
	return c, err == nil && c.Index == index && named
}

// paramsOf gives the parameters of a JSON document the types that the kernel declares: a whole
// number is an int and not a float64.
func paramsOf(name string, p kernel.Params) kernel.Params {
	if p == nil {
		return nil
	}
	k, ok := kernels.ByName(name)
	out := kernel.Params{}
	for key, v := range p {
		if f, isFloat := v.(float64); isFloat && f == float64(int(f)) {
			v = int(f)
		}
		out[key] = v
	}
	if ok {
		for _, d := range k.Params {
			if n, isInt := out[d.Name].(int); isInt && d.Kind != kernel.IntParam {
				out[d.Name] = fmt.Sprint(n)
			}
		}
	}
	return out
}

// checkVersion returns an error unless a document is of the one version that is read; 0 is that of
// a document without a version.
func checkVersion(found, want int) error {
	if found != want {
		return failure.New(failure.Data, fmt.Sprintf("schema version %d, expected %d", found, want))
	}
	return nil
}
