package study

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

	"krdlab/experiments/run/result"
	"krdlab/experiments/sweep"
	"krdlab/hw/failure"
)

// A Step is run at once; Do returns its results, which are kept as NAME.json.
type Step struct {
	Name string
	Do   func(context.Context, *Worker) (any, error)
}

// ErrFolder is wrapped by the error of a folder that holds something else.
var ErrFolder = failure.New(failure.Request, "another folder is needed")

// Dir is the folder of what steps left.
const Dir = "steps"

// planDocument describes a folder, in the file KIND.json.
type planDocument struct {
	SchemaVersion int      `json:"schema_version"`
	Kind          string   `json:"kind"`
	Scale         Scale    `json:"scale"`
	Steps         []string `json:"steps"`
}

// Open makes the folder dir of a study, or finds what it did of the same scale: see [Open].
func (s *Study) Open(dir string, scale Scale) (f *Folder, created bool, err error) {
	list, err := s.Steps(scale)
	if err != nil {
		return nil, false, err
	}
	return Open(dir, s.Name, scale, list)
}

// Find finds the folder dir of a study at a scale. Errors: as those of [Open], and [fs.ErrNotExist].
func (s *Study) Find(dir string, scale Scale) (*Folder, error) {
	if _, err := os.Stat(filepath.Join(dir, s.Name+".json")); err != nil {
		return nil, err
	}
	f, _, err := s.Open(dir, scale)
	return f, err
}

// A Folder is the experiment folder of a scale.
type Folder struct {
	Dir   string
	Kind  string // a word
	Scale Scale
	Steps []Step
}

// Open makes the folder dir, or finds one of the same kind and scale: created reports which.
// Errors: [ErrFolder], wrapped; those of the file system.
func Open(dir, kind string, scale Scale, list []Step) (f *Folder, created bool,
	err error) {
	f = &Folder{dir, kind, scale, list}
	p := planDocument{1, kind, scale, nil}
	for _, s := range list {
		p.Steps = append(p.Steps, s.Name)
	}
	path := filepath.Join(dir, kind+".json")
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

// Path returns the file of the results of a step.
func (f *Folder) Path(step string) string {
	return filepath.Join(f.Dir, Dir, step+".json")
}

// has reports whether a step is done.
func (f *Folder) has(name string) bool {
	_, err := os.Stat(f.Path(name))
	return err == nil
}

// Done returns how many of the steps are done.
func (f *Folder) Done() (done, all int) {
	for _, s := range f.Steps {
		if f.has(s.Name) {
			done++
		}
	}
	return done, len(f.Steps)
}

// ErrLeft is wrapped by the error of a step that others can do without: they go on, and the next
// Run tries it again.
var ErrLeft = failure.New(failure.Incomplete, "left out")

// Left returns why a step was left out, "" if it was not.
func (f *Folder) Left(name string) string {
	text, err := os.ReadFile(f.left(name))
	if err != nil {
		return ""
	}
	return string(text)
}

func (f *Folder) left(name string) string { return filepath.Join(f.Dir, Dir, name+".left.txt") }

// Run does the steps that are not done. Before each it calls progress; opt is for the steps. Errors:
// that of the first step that fails, with its name, unless it wraps [ErrLeft]; the cause of ctx.
func (f *Folder) Run(ctx context.Context, opt sweep.Options,
	progress func(done, all int, next string)) error {
	w, err := newWorker(f, opt)
	if err != nil {
		return err
	}
	defer w.work.Remove()
	if err := os.MkdirAll(filepath.Join(f.Dir, Dir), 0o777); err != nil {
		return err
	}
	for _, s := range f.Steps {
		if f.has(s.Name) {
			continue
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		done, all := f.Done()
		progress(done, all, s.Name)
		kept, err := s.Do(ctx, w)
		if ctx.Err() != nil { // an interrupted program may end as if it were done
			return context.Cause(ctx)
		}
		if errors.Is(err, ErrLeft) {
			err = os.WriteFile(f.left(s.Name), []byte(err.Error()), 0o666)
		} else if err == nil {
			if err = writeJSON(f.Path(s.Name), kept); err == nil {
				_ = os.Remove(f.left(s.Name)) // of an earlier run
			}
		}
		if err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
	}
	return nil
}

// ErrStep is wrapped by the error of a file of a step that cannot be read.
var ErrStep = failure.New(failure.Data, "not what a step leaves; remove it, and it is done again")

// Load reads what a step left. Errors: [ErrStep], wrapped; those of the file system.
func Load[T any](f *Folder, name string) (*T, error) {
	text, err := os.ReadFile(f.Path(name))
	if err != nil {
		return nil, err
	}
	x := new(T)
	if err := json.Unmarshal(text, x); err != nil {
		return nil, fmt.Errorf("%s: %w: %v", f.Path(name), ErrStep, err)
	}
	return x, nil
}
