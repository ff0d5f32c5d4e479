package sweep

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/hw/failure"
	"krdlab/hw/machine"
	"krdlab/hw/textfile"
)

// Create makes the experiment folder dir of a plan; it appears with all of the plan in it. If there
// is one already, its plan must be the same, and it stays as it is. An empty folder may be there.
//
// Errors: a [*DifferentPlanError]; dataset.ErrNotAnExperiment, wrapped, where dir is something
// else; those of the file system.
func Create(dir string, plan *Plan, info dataset.Info) (created bool, err error) {
	dir = filepath.Clean(dir)
	if there, err := isThere(dir); err != nil {
		return false, err
	} else if there {
		return false, compare(dir, plan)
	}
	parent := filepath.Dir(dir)
	if err := os.MkdirAll(parent, 0o777); err != nil {
		return false, fmt.Errorf("experiment folder %s: its parent cannot be made: %w; choose "+
			"another with --out", dir, err)
	}
	host, _ := os.Hostname()
	tmp := filepath.Join(parent, fmt.Sprintf(".%s.new-%s-%d", filepath.Base(dir), host,
		os.Getpid()))
	if err := os.Mkdir(tmp, 0o777); err != nil {
		return false, fmt.Errorf(
			"experiment folder %s cannot be made: %w; choose another with --out", dir, err)
	}
	defer os.RemoveAll(tmp) // it is gone after the rename
	if err := plan.write(tmp, info); err != nil {
		return false, fmt.Errorf("experiment folder %s: %w", dir, err)
	}
	// os.Rename refuses an empty folder too
	if err := unix.Rename(tmp, dir); errors.Is(err, unix.EEXIST) || errors.Is(err, unix.ENOTEMPTY) {
		return false, compare(dir, plan) // another process was faster
	} else if err != nil {
		return false, fmt.Errorf("experiment folder %s: %w", dir, err)
	}
	return true, syncPath(parent)
}

// isThere reports whether an experiment is in dir. Something else there is an error.
func isThere(dir string) (bool, error) {
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		return false, &dataset.NoExperimentError{Text: fmt.Sprintf("experiment folder %s: it is "+
			"a file; choose another with --out", dir), Kind: dataset.ErrNotAnExperiment}
	}
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("experiment folder: %w; choose another with --out", err)
	case len(entries) == 0:
		return false, nil
	case slices.ContainsFunc(entries,
		func(e fs.DirEntry) bool { return e.Name() == dataset.PlanFile }):
		return true, nil
	}
	return false, fmt.Errorf("%s: %w: it is not empty and holds no %s; choose another with --out",
		dir, dataset.ErrNotAnExperiment, dataset.PlanFile)
}

// compare returns a *DifferentPlanError unless the experiment in dir has the plan.
func compare(dir string, plan *Plan) error {
	there, err := Read(dir)
	if err != nil {
		return err
	}
	if what := differences(there, plan); len(what) > 0 {
		return &DifferentPlanError{dir, what}
	}
	return nil
}

// write writes everything that is there before the first cell.
func (p *Plan) write(dir string, info dataset.Info) error {
	for _, sub := range []string{dataset.MachinesDir, dataset.CellsDir} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o777); err != nil {
			return err
		}
	}
	for name, m := range p.Machines {
		var b bytes.Buffer
		if err := m.Write(&b); err != nil {
			return fmt.Errorf("machine %s: %w", name, err)
		}
		if err := writeFile(filepath.Join(dir, dataset.MachinesDir, name+".toml"),
			b.Bytes()); err != nil {
			return err
		}
	}
	info.SchemaVersion = dataset.SchemaVersion
	if err := writeJSON(filepath.Join(dir, dataset.InfoFile), info); err != nil {
		return err
	}
	b, err := p.lines()
	if err != nil {
		return err
	}
	if err := writeFile(filepath.Join(dir, dataset.PlanFile), b); err != nil {
		return err
	}
	return syncPath(filepath.Join(dir, dataset.MachinesDir))
}

// Read reads the plan of the experiment in dir, and its machines. Errors: one that wraps
// fs.ErrNotExist where dir is not there, and dataset.ErrNotAnExperiment where it is something else;
// those of reading; a [*DataError].
func Read(dir string) (*Plan, error) {
	if err := noSweep(dir); err != nil {
		return nil, err
	}
	cells, err := dataset.ReadPlan(dir)
	if errors.Is(err, fs.ErrPermission) {
		return nil, err
	} else if err != nil {
		return nil, &DataError{err}
	}
	if len(cells) == 0 {
		return nil, &DataError{fmt.Errorf("%s: it has no cells",
			filepath.Join(dir, dataset.PlanFile))}
	}
	return planOf(dir, cells)
}

// ReadCell reads the plan of one cell of the experiment in dir, and its machine: the other lines of
// the plan are not parsed. Errors: those of [Read]; a [*request.Error] where there is no such cell.
func ReadCell(dir string, index int) (*Plan, error) {
	if err := noSweep(dir); err != nil {
		return nil, err
	}
	if c, ok := dataset.FindCell(dir, index); ok {
		return planOf(dir, []dataset.PlannedCell{c})
	}
	p, err := Read(dir)
	if err != nil {
		return nil, err
	}
	if index < 0 || index >= len(p.Cells) {
		return nil, &request.Error{Flag: "index", Got: fmt.Sprint(index),
			Want: fmt.Sprintf("the plan in %s has cells 0 to %d", dir, len(p.Cells)-1)}
	}
	p.Cells = p.Cells[index : index+1]
	return p, nil
}

// planOf returns the plan of cells with their machines, which are files of the experiment in dir.
func planOf(dir string, cells []dataset.PlannedCell) (*Plan, error) {
	p := &Plan{Cells: cells, Machines: map[string]*machine.Machine{}}
	for _, c := range cells {
		if c.Machine == dataset.Native || p.Machines[c.Machine] != nil {
			continue
		}
		m, err := machine.Load(filepath.Join(dir, dataset.MachinesDir, c.Machine+".toml"))
		if err != nil {
			return nil, &DataError{fmt.Errorf("cell %s: %w", c.ID, err)}
		}
		p.Machines[c.Machine] = m
	}
	return p, nil
}

// noSweep returns why there is no sweep in dir, if there is none.
func noSweep(dir string) error {
	no := func(kind error, format string, args ...any) error {
		return &dataset.NoExperimentError{Text: fmt.Sprintf(format, args...) +
			"; expected the folder of a sweep, with " + dataset.PlanFile + " in it", Kind: kind}
	}
	info, err := os.Stat(dir)
	switch {
	case dir == "":
		return no(fs.ErrNotExist, "no folder is named")
	case errors.Is(err, fs.ErrNotExist):
		return no(fs.ErrNotExist, "%s: there is no such folder", dir)
	case err != nil:
		return err
	case !info.IsDir() && filepath.Base(dir) == dataset.PlanFile:
		return no(dataset.ErrNotAnExperiment, "%s is a file in the folder %s", dir,
			filepath.Dir(dir))
	case !info.IsDir():
		return no(dataset.ErrNotAnExperiment, "%s is a file", dir)
	}
	switch _, err := os.Stat(filepath.Join(dir, dataset.PlanFile)); {
	case !errors.Is(err, fs.ErrNotExist):
		return nil // reading it returns the error
	case exists(filepath.Join(dir, result.ResultFile)):
		return no(dataset.ErrNotAnExperiment, "%s holds a single run, no sweep", dir)
	}
	return no(dataset.ErrNotAnExperiment, "%s: there is no sweep in it", dir)
}

// A FolderError is a folder of an experiment that cannot be written.
type FolderError struct {
	Dir string
	Err error // of the system
}

func (e *FolderError) Error() string {
	return fmt.Sprintf("the folder %s cannot be written: %v", e.Dir, e.Err)
}

// Class implements [failure.Classed].
func (*FolderError) Class() failure.Class { return failure.Failed }

func (e *FolderError) Unwrap() error { return e.Err }

// A DataError is a document of an experiment that cannot be used.
type DataError struct{ Err error }

func (e *DataError) Error() string { return e.Err.Error() }

// Class implements [failure.Classed].
func (*DataError) Class() failure.Class { return failure.Data }

func (e *DataError) Unwrap() error { return e.Err }

func writeJSON(path string, v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return writeFile(path, append(b, '\n'))
}

// readFailure reads why a cell failed. The failure of an unreadable record is its read error.
func readFailure(path, id string) dataset.Failure {
	var f dataset.Failure
	b, err := textfile.Read(path)
	if err == nil {
		err = json.Unmarshal(b, &f)
	}
	if err != nil {
		return dataset.Failure{SchemaVersion: dataset.SchemaVersion, ID: id,
			Error: "the record of the failure cannot be read: " + err.Error()}
	}
	return f
}

// writeFile replaces a file: afterwards, whatever happens, it has its old content or the new one.
// One process at a time.
func writeFile(path string, b []byte) error {
	f, err := createFile(path)
	if err != nil {
		return err
	}
	f.Write(b) // commit has its error
	return f.commit()
}

// A newFile is written in the place of another.
type newFile struct {
	*bufio.Writer
	file *os.File
	path string
}

func createFile(path string) (*newFile, error) {
	f, err := os.OpenFile(path+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return nil, err
	}
	return &newFile{bufio.NewWriterSize(f, 1<<16), f, path}, nil
}

// commit puts the file in its place.
func (f *newFile) commit() error {
	err := errors.Join(f.Flush(), f.file.Sync(), f.file.Close())
	if err == nil {
		err = os.Rename(f.file.Name(), f.path)
	}
	if err != nil {
		os.Remove(f.file.Name())
		return fmt.Errorf("write %s: %w", f.path, err)
	}
	return syncPath(filepath.Dir(f.path))
}

func (f *newFile) discard() {
	f.file.Close()
	os.Remove(f.file.Name())
}

func syncPath(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
