package virda

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"krdlab/experiments/reproduce"
	"krdlab/experiments/result"
	"krdlab/hw"
	"krdlab/hw/failure"
)

// ErrFolder is wrapped by the error of a folder that holds something else.
var ErrFolder = failure.New(failure.Request, "another folder is needed")

// StepsDir is the folder of what steps left.
const StepsDir = "steps"

// planFile says what a folder is.
const planFile = "virda.json"

type planDocument struct {
	SchemaVersion int             `json:"schema_version"`
	Kind          string          `json:"kind"`
	Scale         reproduce.Scale `json:"scale"`
	Steps         []string        `json:"steps"`
}

// A Folder is the experiment folder of a scale.
type Folder struct {
	Dir   string
	Scale reproduce.Scale
	steps []step
}

// Open makes the folder dir, or finds what it did of the same scale: created says which. Errors:
// [ErrFolder], wrapped; those of the file system.
func Open(dir string, scale reproduce.Scale) (f *Folder, created bool, err error) {
	f = &Folder{dir, scale, plan(scale)}
	p := planDocument{1, "virda", scale, nil}
	for _, s := range f.steps {
		p.Steps = append(p.Steps, s.name)
	}
	path := filepath.Join(dir, planFile)
	switch entries, err := os.ReadDir(dir); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, false, err
	case len(entries) > 0:
		var there planDocument
		text, err := os.ReadFile(path)
		if err != nil || json.Unmarshal(text, &there) != nil || there.Kind != p.Kind {
			return nil, false, fmt.Errorf("%s holds something else than this experiment: %w", dir,
				ErrFolder)
		}
		if there.Scale != scale || !slices.Equal(there.Steps, p.Steps) {
			return nil, false, fmt.Errorf("%s holds the scale %s, or another plan of it, expected scale "+
				"%s: %w", dir, there.Scale, scale, ErrFolder)
		}
		return f, false, nil
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, false, err
	}
	return f, true, writeJSON(path, &p)
}

func writeJSON(path string, v any) error {
	return result.Rewrite(path, func(w io.Writer) error { return encode(w, v) })
}

func encode(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

func (f *Folder) path(step string) string {
	return filepath.Join(f.Dir, StepsDir, step+".json")
}

// has reports whether a step is done.
func (f *Folder) has(name string) bool {
	_, err := os.Stat(f.path(name))
	return err == nil
}

// Done returns how many of the steps are done.
func (f *Folder) Done() (done, all int) {
	for _, s := range f.steps {
		if f.has(s.name) {
			done++
		}
	}
	return done, len(f.steps)
}

// Run does the steps that are not done. Before each it calls progress. host is this computer, argv
// the command as typed. Errors: that of the first step that fails, with its name; the cause of ctx.
func (f *Folder) Run(ctx context.Context, host *hw.Topology, argv []string,
	progress func(done, all int, next string)) error {
	w, err := newWorker(host, argv)
	if err != nil {
		return err
	}
	defer w.work.Remove()
	if err := os.MkdirAll(filepath.Join(f.Dir, StepsDir), 0o777); err != nil {
		return err
	}
	for _, s := range f.steps {
		if f.has(s.name) {
			continue
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		done, all := f.Done()
		progress(done, all, s.name)
		kept, err := s.do(ctx, w)
		if ctx.Err() != nil { // an interrupted program may end as if it were done
			return context.Cause(ctx)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		if err := writeJSON(f.path(s.name), kept); err != nil {
			return err
		}
	}
	return nil
}

// ErrStep is wrapped by the error of a file of a step that cannot be read.
var ErrStep = failure.New(failure.Data, "not what a step leaves; remove it, and it is done again")

// load reads what a step left.
func load[T any](f *Folder, name string) (*T, error) {
	text, err := os.ReadFile(f.path(name))
	if err != nil {
		return nil, err
	}
	x := new(T)
	if err := json.Unmarshal(text, x); err != nil {
		return nil, fmt.Errorf("%s: %w: %v", f.path(name), ErrStep, err)
	}
	return x, nil
}
