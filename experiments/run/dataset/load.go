package dataset

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/hw/failure"
	"krdlab/hw/machine"
	"krdlab/hw/textfile"
	"krdlab/kernels/kernel"
	"krdlab/krd/doc"
)

// An Experiment holds the readable parts of an experiment folder.
type Experiment struct {
	Dir      string
	Name     string // the folder's
	Info     *Info  // nil: a single run, or the document is lost
	Plan     []PlannedCell
	Cells    []Cell // that can be used, in the order of the plan and of each cell's schedulers
	Problems []Problem
	// what must be known of the whole to read it: which computers are taken as one machine, and
	// which are not
	Notes []string
	// UnusedInPart: of a cell that [Experiment.Unused] returns some schedulers are used.
	UnusedInPart bool

	unused []Problem
	named  func(*Cell) // names the machine of a cell among all
}

// A Cell is one configuration under one scheduler.
type Cell struct {
	ID       string // of the planned cell; the folder's name of a single run
	Dir      string // its run directory
	Manifest *result.Manifest
	Result   *result.Result

	machine string // its name where the result's own would be that of several computers
}

// A ProblemKind is a kind of fault of a cell.
type ProblemKind string

// The kinds of problems.
const (
	Missing    ProblemKind = "missing"    // it has not been run
	Partial    ProblemKind = "partial"    // its run did not finish
	Failed     ProblemKind = "failed"     // its run failed
	Unreadable ProblemKind = "unreadable" // a document is damaged or of another version
	// fewer repetitions than planned; it is used all the same
	Interrupted ProblemKind = "interrupted"
)

// A Problem is a part of an experiment that is not as it should be.
type Problem struct {
	Cell string // its ID, "" for the whole experiment
	Kind ProblemKind
	// Scheduler is that of the result that it is about, Unnamed where that does not say it; "" if
	// it is about no single result.
	Scheduler string
	Detail    string // for a person
}

// Unnamed stands for the scheduler of a result that names none.
const Unnamed = "?"

func (p Problem) String() string { return p.Finding().Sentence() }

// problem is the code of a part of an experiment: the cell, "" for the whole; a [ProblemKind]; the detail.
const problem doc.Code = "experiment_part"

func init() {
	doc.Catalogue(map[doc.Code]doc.Entry{problem: {Level: doc.Limit, Example: []any{"0001-fib-c6",
		string(Missing), "it has not been run"}, Say: func(a doc.Args) string {
		if cell := a.Text(0); cell != "" {
			return fmt.Sprintf("cell %s %s: %s", cell, a.Text(1), a.Text(2))
		}
		return a.Text(1) + ": " + a.Text(2)
	}}})
}

// Finding returns p as one of the catalogue.
func (p Problem) Finding() doc.Finding { return doc.Find(problem, p.Cell, string(p.Kind), p.Detail) }

// Doubts returns the problems of the experiment, about a subject.
func (e *Experiment) Doubts(subject string) (list []doc.Finding) {
	for _, p := range e.Problems {
		list = append(list, p.Finding().About(subject))
	}
	return list
}

// AllDoubts returns the notes of the experiment, its problems and the doubts of its results, each of
// these once with how many have it, all about a subject.
func (e *Experiment) AllDoubts(subject, of string) (list []doc.Finding) {
	for _, n := range e.Notes {
		list = append(list, doc.Find(doc.Uncoded, n).About(subject))
	}
	list = append(list, e.Doubts(subject)...)
	var results []doc.Finding
	for i := range e.Cells {
		r := e.Cells[i].Result
		for _, f := range doc.Recorded(r.Warnings, r.WarningCodes) {
			results = append(results, f.About(subject))
		}
	}
	return append(list, doc.Once(of, results)...)
}

// Load reads the experiment, or the single run, in the folder dir. Missing, failed and damaged
// cells are in Problems; an error means that nothing can be used: the folder cannot be read, is
// neither (ErrNotAnExperiment), or its plan cannot be read.
func Load(dir string) (*Experiment, error) {
	e, err := newExperiment(dir), error(nil)
	dir = e.Dir
	if err := noFolder(dir); err != nil {
		return nil, err
	}
	if _, err := os.ReadDir(dir); err != nil {
		return nil, err
	}
	if exists(filepath.Join(dir, PlanFile)) {
		if e.Plan, err = ReadPlan(dir); err != nil {
			return e, err
		}
		return e, e.loadPlanned(func(e *Experiment, cells []Cell) error {
			e.Cells = append(e.Cells, cells...)
			return nil
		})
	}
	if exists(filepath.Join(dir, result.ResultFile)) ||
		exists(filepath.Join(dir, result.ManifestFile)) {
		cells, problems := readRun(e.Name, dir)
		e.Cells, e.Problems = cells, problems
		if len(cells) == 0 {
			return nil, fmt.Errorf("%s: %s%s", dir, problems[0].Detail, result.Ended(dir))
		}
		return e, nil
	}
	if exists(filepath.Join(dir, InfoFile)) || exists(filepath.Join(dir, CellsDir)) {
		return nil, fmt.Errorf("%s: %w: there is no %s, which a sweep writes before anything else",
			dir, ErrNotAnExperiment, PlanFile)
	}
	return nil, fmt.Errorf("%s: %w: it holds neither %s nor %s", dir, ErrNotAnExperiment, PlanFile,
		result.ResultFile)
}

func newExperiment(dir string) *Experiment {
	dir = filepath.Clean(dir)
	e := &Experiment{Dir: dir, Name: filepath.Base(dir)}
	if abs, err := filepath.Abs(dir); err == nil {
		e.Name = filepath.Base(abs)
	}
	return e
}

// Scan reads the planned experiment in the folder dir as Load does, and calls do with the cells that
// can be used of each planned one, in their order. The experiment that it returns has no more cells
// than two of each machine, and counts are as in all. An error of do ends it.
func Scan(dir string, plan []PlannedCell, do func(cells []Cell) error) (*Experiment, error) {
	e := newExperiment(dir)
	e.Plan = plan
	of := map[string]int{}
	return e, e.loadPlanned(func(e *Experiment, cells []Cell) error {
		for i := range cells {
			c := &cells[i]
			if key := c.machineKey(); of[key] < 2 {
				of[key]++
				e.Cells = append(e.Cells, *c)
			}
		}
		return do(cells)
	})
}

// Rename gives a cell that [Scan] has read the name of its machine among all of the experiment, as
// cells that [Load] returns have it.
func (e *Experiment) Rename(c *Cell) { e.named(c) }

// noFolder returns what dir is if it is no folder.
func noFolder(dir string) error {
	const want = "expected the folder of a sweep or of a run"
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist) && exists(dir+PartialSuffix):
		return &NoExperimentError{fmt.Sprintf("%s: there is no such folder; but %s%s is there, "+
			"of a run that did not finish%s", dir, dir, PartialSuffix, result.Ended(dir+PartialSuffix)), fs.ErrNotExist}
	case errors.Is(err, fs.ErrNotExist):
		return &NoExperimentError{fmt.Sprintf("%s: there is no such folder; %s", dir, want),
			fs.ErrNotExist}
	case err != nil || info.IsDir():
		return nil // reading it returns the error
	}
	switch filepath.Base(dir) {
	case PlanFile, InfoFile, result.ResultFile, result.ManifestFile:
		return &NoExperimentError{fmt.Sprintf("%s is a file in the folder %s; %s", dir,
			filepath.Dir(dir), want), ErrNotAnExperiment}
	}
	return &NoExperimentError{fmt.Sprintf("%s is a file; %s", dir, want), ErrNotAnExperiment}
}

// A NoExperimentError is something else in place of an experiment. It wraps fs.ErrNotExist or
// ErrNotAnExperiment.
type NoExperimentError struct {
	Text string
	Kind error
}

func (e *NoExperimentError) Error() string { return e.Text }

func (e *NoExperimentError) Unwrap() error { return e.Kind }

// Class returns the class of the kind: a missing folder is no bad data.
func (e *NoExperimentError) Class() failure.Class { return failure.Of(e.Kind) }

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// loadPlanned reads what there is of each cell of the plan, and calls visit with it.
func (e *Experiment) loadPlanned(visit func(e *Experiment, cells []Cell) error) error {
	var info Info
	if err := readJSON(filepath.Join(e.Dir, InfoFile), &info); err != nil {
		e.Problems = append(e.Problems, Problem{Kind: Unreadable, Detail: err.Error()})
	} else if err := checkVersion(info.SchemaVersion, SchemaVersion); err != nil {
		e.Problems = append(e.Problems, Problem{Kind: Unreadable, Detail: InfoFile + ": " +
			err.Error()})
	} else {
		e.Info = &info
	}
	machines := map[string]*simulated{}
	for i := range e.Plan {
		p := &e.Plan[i]
		if _, read := machines[p.Machine]; !read {
			machines[p.Machine] = p.readMachine(e.Dir)
		}
		cells, problems := p.read(e.Dir, machines[p.Machine])
		if q := p.unused(cells, problems); q != nil {
			e.unused = append(e.unused, *q)
			e.UnusedInPart = e.UnusedInPart || len(cells) > 0
		}
		e.Problems = append(e.Problems, problems...)
		if err := visit(e, cells); err != nil {
			return err
		}
	}
	e.named = nameMachines(e)
	return nil
}

// readMachine reads the machine that the cell is simulated on; nil if it is native, or if the
// machine cannot be read: who runs the plan is told.
func (p *PlannedCell) readMachine(experiment string) *simulated {
	if p.Machine == Native {
		return nil
	}
	m, err := machine.Load(filepath.Join(experiment, MachinesDir, p.Machine+".toml"))
	if err != nil {
		return nil
	}
	return &simulated{Machine: m}
}

// A simulated machine keeps its hash.
type simulated struct {
	*machine.Machine
	hash string
}

func (s *simulated) Hash() string {
	if s.hash == "" {
		s.hash = s.Machine.Hash()
	}
	return s.hash
}

// read reads what there is of a planned cell. One that failed first and was then run again is as it
// was run.
func (p *PlannedCell) read(experiment string, m *simulated) ([]Cell, []Problem) {
	dir := filepath.Join(experiment, CellsDir, p.ID)
	switch {
	case exists(dir):
		cells, problems := readRun(p.ID, dir)
		return p.check(m, cells, problems)
	case exists(dir + FailedSuffix):
		var f Failure
		if err := readJSON(dir+FailedSuffix, &f); err != nil {
			return nil, []Problem{{Cell: p.ID, Kind: Failed, Detail: "and " + err.Error()}}
		}
		return nil, []Problem{{Cell: p.ID, Kind: Failed, Detail: f.Error}}
	case exists(dir + PartialSuffix):
		return nil, []Problem{{Cell: p.ID, Kind: Partial,
			Detail: "its run did not finish; sweep again to run it anew"}}
	}
	return nil, []Problem{{Cell: p.ID, Kind: Missing, Detail: "it has not been run"}}
}

// Unused returns why a planned cell that is finished in the folder of an experiment cannot be used,
// or not for each of its schedulers: its first problem. nil if it can, or is not finished. m is the
// machine that it is simulated on, nil of a native one.
func (p *PlannedCell) Unused(experiment string, m *machine.Machine) *Problem {
	if !exists(filepath.Join(experiment, CellsDir, p.ID)) {
		return nil
	}
	var s *simulated
	if m != nil {
		s = &simulated{Machine: m}
	}
	return p.unused(p.read(experiment, s))
}

// unused returns why p cannot be used, from its cells and problems.
func (p *PlannedCell) unused(cells []Cell, problems []Problem) *Problem {
	lacks := func(s string) bool {
		return !slices.ContainsFunc(cells, func(c Cell) bool { return c.Result.Scheduler == s })
	}
	i := slices.IndexFunc(problems, func(q Problem) bool { return q.Kind == Unreadable })
	if i < 0 || !slices.ContainsFunc(p.Schedulers, lacks) {
		return nil
	}
	return &problems[i]
}

// Unused returns the problem of each planned cell that is finished and cannot be used, or not for
// each of its schedulers.
func (e *Experiment) Unused() []Problem { return e.unused }

// Sound reports whether the planned cell is finished in the folder of an experiment, and its results
// are those that a run of it wrote: the manifest is as planned and has the checksum of them. false
// leaves it open: [PlannedCell.Unused] returns why it cannot be used, if so. modelHash is that of the
// machine that the cell is simulated on, "" of a native one. took is how long the run was, 0 if the
// manifest does not say. Cost: a pass over the results, which are not parsed.
func (p *PlannedCell) Sound(experiment, modelHash string) (ok bool, took time.Duration) {
	dir := filepath.Join(experiment, CellsDir, p.ID)
	var m struct {
		SchemaVersion int              `json:"schema_version"`
		Seed          uint64           `json:"seed"`
		Kernel        string           `json:"kernel"`
		Params        kernel.Params    `json:"params"`
		Schedulers    []string         `json:"schedulers"`
		Cores         int              `json:"cores"`
		Settings      request.Settings `json:"settings"`
		Started       time.Time        `json:"started"`
		Finished      *time.Time       `json:"finished"`
		ModelHash     string           `json:"model_hash"`
		ResultSHA256  string           `json:"result_sha256"`
	}
	if err := readJSON(filepath.Join(dir, result.ManifestFile), &m); err != nil {
		return false, 0
	}
	if m.Finished != nil {
		took = m.Finished.Sub(m.Started)
	}
	planned := m.SchemaVersion == result.SchemaVersion && m.Seed == p.Seed && m.Kernel == p.Kernel &&
		m.Cores == p.Cores && m.ModelHash == modelHash && slices.Equal(m.Schedulers, p.Schedulers) &&
		firstDifference(paramsOf(m.Kernel, m.Params), p.Params) == "" &&
		reflect.DeepEqual(m.Settings, p.Settings)
	if !planned || m.Finished == nil || m.ResultSHA256 == "" {
		return false, took
	}
	text, err := readText(filepath.Join(dir, result.ResultFile))
	return err == nil && result.Checksum(text) == m.ResultSHA256, took
}

// readRun reads a run directory: a cell for each scheduler.
func readRun(id, dir string) ([]Cell, []Problem) {
	resultPath := filepath.Join(dir, result.ResultFile)
	text, err := readText(resultPath)
	var sum string
	var results []*result.Result
	var broken []error
	if err == nil {
		sum = result.Checksum(text)
		results, broken, err = readResults(resultPath, text)
	}
	if err != nil {
		return nil, []Problem{{Cell: id, Kind: Unreadable, Detail: err.Error()}}
	}
	var problems []Problem
	bad := func(scheduler, detail string) {
		problems = append(problems, Problem{id, Unreadable, scheduler, detail})
	}
	for _, err := range broken {
		bad(Unnamed, err.Error())
	}
	manifest := &result.Manifest{}
	path := filepath.Join(dir, result.ManifestFile)
	if err := readJSON(path, manifest); err != nil {
		manifest = nil
		bad("", err.Error()+"; the results are used all the same")
	} else if err := checkVersion(manifest.SchemaVersion, result.SchemaVersion); err != nil {
		manifest = nil
		bad("", path+": "+err.Error()+"; the results are used all the same")
	}
	var changed error
	if manifest != nil && manifest.ResultSHA256 != "" && manifest.ResultSHA256 != sum {
		changed = fmt.Errorf("it was changed after the run: found SHA-256 %s, expected %s as %s has it",
			sum, manifest.ResultSHA256, result.ManifestFile)
	}
	var cells []Cell
	for _, r := range results {
		if err := checkVersion(r.SchemaVersion, result.SchemaVersion); err != nil {
			bad(unreadable(r, err))
			continue
		}
		if len(r.Repetitions) == 0 {
			bad(r.Scheduler, fmt.Sprintf("%s: %s has no repetition", result.ResultFile,
				r.Scheduler))
			continue
		}
		err := valid(r)
		if err == nil {
			err = changed
		}
		if err != nil {
			bad(unreadable(r, err))
			continue
		}
		r.SummariseAgain()
		r.Params = paramsOf(r.Kernel, r.Params)
		r.Resolved = paramsOf(r.Kernel, r.Resolved)
		if r.Interrupted {
			problems = append(problems, Problem{id, Interrupted, r.Scheduler,
				fmt.Sprintf("%s has %d of %d repetitions", r.Scheduler, len(r.Repetitions),
					r.Settings.Reps)})
		}
		cells = append(cells, Cell{ID: id, Dir: dir, Manifest: manifest, Result: r})
	}
	return cells, problems
}

// unreadable returns which result of result.json cannot be used, and why.
func unreadable(r *result.Result, err error) (scheduler, detail string) {
	if r.Scheduler == "" {
		return Unnamed, fmt.Sprintf("%s: a result: %v", result.ResultFile, err)
	}
	return r.Scheduler, fmt.Sprintf("%s: %s: %v", result.ResultFile, r.Scheduler, err)
}

// readResults parses result.json: a result, or an array of them. An element that is none is a
// problem, and the others are read. The text is changed.
func readResults(path string, text []byte) (list []*result.Result, bad []error, err error) {
	text = plain(text, false)
	if json.Unmarshal(text, &list) == nil && len(list) > 0 && !slices.Contains(list, nil) {
		return list, nil, nil
	}
	list = nil
	var raw json.RawMessage
	if err := json.Unmarshal(text, &raw); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	each := []json.RawMessage{raw}
	if strings.HasPrefix(strings.TrimSpace(string(raw)), "[") {
		if err := json.Unmarshal(raw, &each); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	for i, raw := range each {
		var r *result.Result
		err := json.Unmarshal(raw, &r)
		if err == nil && r == nil {
			err = errors.New("it is null, expected a result")
		}
		if err != nil {
			bad = append(bad, fmt.Errorf("%s: result %d: %w", path, i+1, err))
			continue
		}
		list = append(list, r)
	}
	if len(each) == 0 {
		return nil, nil, fmt.Errorf("%s: it holds no result", path)
	}
	return list, bad, nil
}

// readText reads a document.
func readText(path string) ([]byte, error) {
	b, err := textfile.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is not there", path)
	}
	return b, err
}

func readJSON(path string, v any) error {
	b, err := readText(path)
	if err != nil {
		return err
	}
	_, lines := v.(*Failure) // a stack may be in it
	if err := json.Unmarshal(plain(b, lines), v); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// Substrates returns those of the cells, sorted: "native", "simulated".
func (e *Experiment) Substrates() []string {
	var list []string
	for _, c := range e.Cells {
		list = append(list, c.Result.Substrate)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// MachineOf returns the simulated machine of a result, nil where it is native or neither a file of
// the experiment nor what is built in has the numbers that it was made with.
func (e *Experiment) MachineOf(r *result.Result) *machine.Machine {
	if r.Machine.Model == nil {
		return nil
	}
	m, err := machine.Load(filepath.Join(e.Dir, MachinesDir, r.Machine.Name+".toml"))
	if err != nil {
		m, err = machine.ByName(r.Machine.Name)
	}
	if err != nil || m.Hash() != r.Machine.Model.Hash {
		return nil
	}
	return m
}
