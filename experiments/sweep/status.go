package sweep

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/result"
	"krdlab/krd/doc"
)

// A Status is how far an experiment is: the document of `krdlab sweep status --json`. Cells are
// named by their IDs, in the order of the plan; each is in one of the lists.
type Status struct {
	SchemaVersion int               `json:"schema_version"`
	Dir           string            `json:"dir"`
	Cells         int               `json:"cells"`
	Done          []string          `json:"done"`
	Failed        []dataset.Failure `json:"failed"`
	InFlight      []InFlight        `json:"in_flight"`
	// begun by a process that is gone: will be run anew
	Partial []string `json:"partial"`
	Missing []string `json:"missing"`
	// finished, and cannot be read; not run again unless removed
	Damaged []Damage `json:"damaged"`
	// the process that works through the plan; null: none
	Sweeping *Holder `json:"sweeping"`
	// SecondsLeft is for one process, as if each cell took the mean of those that are done; null:
	// none is.
	SecondsLeft result.Number `json:"seconds_left"`
	// Ended are elements of Slurm's arrays that ended without a cell of theirs.
	Ended []EndedElement `json:"ended,omitempty"`
	// Unrun are the indices of cells that are unfinished or missing.
	Unrun []int `json:"-"`
	doc.Concluded
}

// An EndedElement is an element of a job array that left cells as they were; others of its array that
// did alike are counted with it.
type EndedElement struct {
	Element  string `json:"element"` // the job's number and its own
	Elements int    `json:"elements"`
	Cells    int    `json:"cells"` // that they did not finish
	// State is that of Slurm's accounting, with the exit code; "" where none is kept.
	State  string `json:"state"`
	Output string `json:"output"` // its last line; "" where there is none
}

// AddEnded adds an element to the status.
func (s *Status) AddEnded(e EndedElement) {
	s.Ended = append(s.Ended, e)
	s.Conclude(doc.Find(ended, e.Elements, e.Cells, cmp.Or(e.State, "n/a"), cmp.Or(e.Output, "nothing")).
		About("element " + e.Element))
}

// Damage is why a finished cell cannot be used as it was planned.
type Damage struct {
	ID    string `json:"id"`
	Error string `json:"error"`
}

// InFlight is a cell that a living process works on.
type InFlight struct {
	ID string `json:"id"`
	Holder
}

// NewStatus looks at the experiment in dir. It takes no lock for longer than a moment, and writes
// nothing.
func NewStatus(dir string) (*Status, error) {
	plan, err := Read(dir)
	if err != nil {
		return nil, err
	}
	s := &Status{
		SchemaVersion: dataset.SchemaVersion, Dir: dir, Cells: len(plan.Cells), Done: []string{},
		Failed: []dataset.Failure{}, InFlight: []InFlight{},
		Partial: []string{}, Missing: []string{}, Damaged: []Damage{},
	}
	if by, ok, err := held(filepath.Join(dir, sweepLock)); err != nil {
		return nil, err
	} else if ok {
		s.Sweeping = &by
	}
	w := newWork(dir, plan)
	for i, c := range plan.Cells {
		path := w.path(i)
		by, busy, err := held(path + LockSuffix)
		if err != nil {
			return nil, err
		}
		switch {
		case w.unused[i] != nil:
			s.Damaged = append(s.Damaged, Damage{c.ID, w.unused[i].Detail})
		case w.done[i]:
			s.Done = append(s.Done, c.ID)
		case busy:
			s.InFlight = append(s.InFlight, InFlight{c.ID, by})
		case exists(path + dataset.FailedSuffix):
			s.Failed = append(s.Failed, readFailure(path+dataset.FailedSuffix, c.ID))
		case exists(path + dataset.PartialSuffix):
			s.Partial, s.Unrun = append(s.Partial, c.ID), append(s.Unrun, i)
		default:
			s.Missing, s.Unrun = append(s.Missing, c.ID), append(s.Unrun, i)
		}
	}
	if left := w.left(0); left.Known {
		s.SecondsLeft = result.Some(left.Time.Seconds())
	}
	s.conclude()
	return s, nil
}

// Complete reports whether nothing is left to run.
func (s *Status) Complete() bool { return len(s.Done)+len(s.Damaged) == s.Cells }

func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}
