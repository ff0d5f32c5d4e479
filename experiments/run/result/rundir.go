package result

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"krdlab/hw/failure"
	"krdlab/hw/machine"
	"krdlab/runtimes"
)

// RunsDir is the folder under which runs without --out are written.
const RunsDir = "krdlab-runs"

// The files in a run directory, beside its traces.
const (
	ManifestFile = "manifest.json"
	ResultFile   = "result.json"
	MachinesDir  = "machines" // the file of the simulated machine
)

const partialSuffix = ".partial"

// ErrExists records that a run directory is there already. It is never overwritten.
var ErrExists = failure.New(failure.Request,
	"it exists already, and a run never overwrites another")

// A RunDir is a run directory that is being written. It is NAME.partial until [RunDir.Commit]
// renames it to NAME, so that a directory without that suffix is complete. One goroutine at a time
// may use it.
type RunDir struct {
	final   string
	partial string
}

// CreateRunDir makes the directory path.partial, and its parents. It returns an error that wraps
// [ErrExists] where path or path.partial is there already, in whatever form; the file system's own
// error where it cannot be made.
func CreateRunDir(path string) (*RunDir, error) {
	d := &RunDir{final: filepath.Clean(path)}
	d.partial = d.final + partialSuffix
	if err := os.MkdirAll(filepath.Dir(d.final), 0o777); err != nil {
		return nil, fmt.Errorf("run directory %s: its parent cannot be made: %w; choose another "+
			"with --out", path, err)
	}
	if err := os.Mkdir(d.partial, 0o777); errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("run directory %s: %s is left of an unfinished run%s: %w; remove it, "+
			"or choose another --out",
			path, d.partial, Ended(d.partial), ErrExists)
	} else if err != nil {
		return nil, fmt.Errorf("run directory %s cannot be made: %w; choose another with --out",
			path, err)
	}
	// Only now look for the finished one: another process that had this name has either renamed its
	// directory, and is seen here, or still held the partial one, and was seen above.
	if _, err := os.Lstat(d.final); !errors.Is(err, fs.ErrNotExist) {
		rmErr := os.Remove(d.partial)
		if err == nil {
			err = ErrExists
		}
		return nil, errors.Join(fmt.Errorf("run directory %s: %w; choose another --out", path, err),
			rmErr)
	}
	return d, nil
}

// Ended returns how the run in a directory ended without being completed, by its manifest, as the
// end of a sentence: "" where that is not known or it was completed.
func Ended(dir string) string {
	var m struct {
		Finished *time.Time
		Error    *string
	}
	b, err := os.ReadFile(filepath.Join(dir, ManifestFile))
	switch {
	case err != nil || json.Unmarshal(b, &m) != nil:
		return ""
	case m.Error != nil:
		return " (it ended with: " + strings.ReplaceAll(*m.Error, "\n", "; ") + ")"
	case m.Finished == nil:
		return " (it is at work, or its process ended before the run: by a signal, a loss of power, or " +
			"an exit in a kernel)"
	}
	return ""
}

// CreateNamedRunDir makes a new directory under [RunsDir] in the current folder, named after the
// date and name. Runs of the same second are numbered.
func CreateNamedRunDir(name string, now time.Time) (*RunDir, error) {
	name = now.Format("20060102-150405") + "-" + name
	path := filepath.Join(RunsDir, name)
	for i := 2; ; i++ {
		d, err := CreateRunDir(path)
		if !errors.Is(err, ErrExists) || i > 1000 {
			return d, err
		}
		path = filepath.Join(RunsDir, fmt.Sprintf("%s-%d", name, i))
	}
}

// Begin makes the directory of a run and writes its manifest, so that a killed run is described,
// with the machine that is simulated, if one is. out is where; "" is a new directory under
// [RunsDir] with that name.
func Begin(out, name string, m *Manifest, simulated *machine.Machine) (d *RunDir, err error) {
	if out != "" {
		d, err = CreateRunDir(out)
	} else {
		d, err = CreateNamedRunDir(name, m.Started.Local())
	}
	if err != nil {
		return nil, err
	}
	if simulated != nil {
		m.ModelHash = simulated.Hash()
		err = d.keepMachine(simulated)
	}
	if err == nil {
		err = d.WriteJSON(ManifestFile, m)
	}
	if err != nil {
		d.Discard()
		return nil, err
	}
	return d, nil
}

func (d *RunDir) keepMachine(m *machine.Machine) error {
	var text bytes.Buffer
	err := errors.Join(m.Write(&text), os.Mkdir(d.Path(MachinesDir), 0o777))
	if err == nil {
		err = os.WriteFile(d.Path(filepath.Join(MachinesDir, m.Name+".toml")), text.Bytes(), 0o666)
	}
	if err != nil {
		return fmt.Errorf("run directory: keep the machine: %w", err)
	}
	return nil
}

// End writes the documents, and completes the directory unless the run failed with runErr. It
// returns the directory's name, and runErr with what went wrong here.
func (d *RunDir) End(m *Manifest, results []Result, several bool, runErr error) (string, error) {
	m.Finish(results, runErr, time.Now())
	doc, err := json.Marshal(Document(results, several))
	if err == nil {
		m.ResultSHA256 = Checksum(doc)
	}
	err = errors.Join(err, d.WriteJSON(ManifestFile, m),
		d.WriteJSON(ResultFile, json.RawMessage(doc)))
	switch {
	case err != nil:
	case runErr != nil:
		err = d.Keep()
	default:
		if err = d.Commit(); err == nil {
			return d.final, nil
		}
	}
	return d.partial, errors.Join(runErr, err)
}

// Finish adds what is known at the end. err is nil for a run that did all it was asked.
func (m *Manifest) Finish(results []Result, err error, now time.Time) {
	now = now.UTC().Truncate(time.Millisecond)
	m.Finished = &now
	if err != nil {
		s := err.Error()
		m.Error = &s
		if p, ok := errors.AsType[*runtimes.PanicError](err); ok {
			stack := string(p.Stack)
			m.Stack = &stack
		}
	}
	for i := range results {
		if t := results[i].Trace; t != nil {
			m.Tracer = append(m.Tracer, TracerCost{results[i].Scheduler, *t})
		}
	}
}

// Document returns what is written as JSON: the result, or the array of results where several
// schedulers were asked for.
func Document(results []Result, several bool) any {
	if !several && len(results) == 1 {
		return results[0]
	}
	return results
}

// Path returns where a file of the directory is to be written.
func (d *RunDir) Path(file string) string { return filepath.Join(d.partial, file) }

// Partial returns the directory's present name.
func (d *RunDir) Partial() string { return d.partial }

// TraceFile returns the name of the trace of a scheduler, to be passed to [RunDir.Path].
func TraceFile(scheduler string) string { return scheduler + ".loi" }

// WriteJSON writes v, indented, to a file of the directory and syncs it. After an error, an earlier
// version of the file is still there, or no file: never a part of one.
func (d *RunDir) WriteJSON(file string, v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	path := d.Path(file)
	f, err := os.OpenFile(path+partialSuffix, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return fmt.Errorf("run directory: %w", err)
	}
	_, err = f.Write(append(b, '\n'))
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(path+partialSuffix, path)
	}
	if err != nil {
		os.Remove(path + partialSuffix)
		return fmt.Errorf("run directory: writing %s: %w", file, err)
	}
	return nil
}

// Commit syncs every file, renames the directory to its final name and syncs its parent. After an
// error the partial directory is still there.
func (d *RunDir) Commit() error {
	if err := d.Keep(); err != nil {
		return err
	}
	if _, err := os.Lstat(d.final); err == nil {
		return fmt.Errorf("run directory %s: %w; what was done is kept in %s", d.final, ErrExists,
			d.partial)
	}
	if err := os.Rename(d.partial, d.final); err != nil {
		return fmt.Errorf("run directory: %w; what was done is kept in %s", err, d.partial)
	}
	return syncPath(filepath.Dir(d.final))
}

// Keep syncs what is there and leaves it under its partial name: what an interrupted or failed run
// has done.
func (d *RunDir) Keep() error {
	var dirs []string
	err := filepath.WalkDir(d.partial, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir():
			dirs = append(dirs, path)
			return nil
		case e.Type().IsRegular():
			return syncPath(path)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("run directory: %w", err)
	}
	for _, dir := range slices.Backward(dirs) { // children before their parents
		if err := syncPath(dir); err != nil {
			return err
		}
	}
	return nil
}

// Discard removes a partial directory that holds nothing but its manifest and its machine, and
// reports whether it did.
func (d *RunDir) Discard() bool {
	entries, err := os.ReadDir(d.partial)
	if err != nil || slices.ContainsFunc(entries,
		func(e fs.DirEntry) bool {
			return e.Name() != ManifestFile && e.Name() != MachinesDir
		}) {
		return false
	}
	if os.RemoveAll(d.partial) != nil {
		return false
	}
	if parent := filepath.Dir(d.final); parent == RunsDir {
		os.Remove(parent) // goes only if this run made it
	}
	return true
}

func syncPath(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("run directory: %w", err)
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("run directory: syncing %s: %w", path, err)
	}
	return nil
}
