package sweep

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"krdlab/experiments"
	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/measure"
	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/hw"
	"krdlab/hw/failure"
)

// Options of [Run] and [RunCell].
type Options struct {
	Argv []string     // the command as typed, for the manifests of cells
	Host *hw.Topology // this computer
	// Measure measures; nil is measure.Run.
	Measure measure.Func
	// ExitCode is that of an error, for dataset.Failure. It must not be nil.
	ExitCode func(error) int
	Progress func(Progress) // told of each repetition; may be nil
	Finished func(Finished) // told of each cell that was run; may be nil
}

// Progress is how far a sweep is.
type Progress struct {
	Cell         *dataset.PlannedCell
	Done, Cells  int     // finished or failed, of the whole plan
	Reps, OfReps int     // of this cell, over its schedulers and the serial run
	Scheduler    string  // that is measured next
	Share        float64 // of the cells of the plan, 0 to 1
	Left         Left
}

// Finished is how a cell ended.
type Finished struct {
	Cell        *dataset.PlannedCell
	Done, Cells int
	Took        time.Duration
	Left        Left
	Err         error // why it failed
}

// A Summary lists the cells of a sweep by outcome, by IDs in the order of the plan.
type Summary struct {
	Before   []string          // finished when it began
	Unused   []string          // finished when it began, but not as planned: not run again
	Done     []string          // by this process
	Busy     []string          // in the hands of other processes
	Failures []dataset.Failure // of this process
}

// ErrCheck is wrapped by the failure of a cell whose result was computed wrongly.
var ErrCheck = failure.New(failure.Check, "the check failed")

// ErrLost is wrapped by the failure of a cell whose traces lost records, though no limit of their
// size was set.
var ErrLost = failure.New(failure.Failed, "records of a trace were lost")

// An Outcome is the state of a cell after a sweep.
type Outcome int

// The outcomes.
const (
	WasDone Outcome = iota // it was finished before
	IsBusy                 // another process has it
	IsDone                 // it was run
	HasFailed
	WasEnded // the sweep cannot go on: it was interrupted, or the disk is full
)

// Run works through the plan of the experiment in dir: every cell that is not finished and that
// nobody else works on is run, and what a dead process left of one is removed first. A cell that
// fails is recorded and the sweep goes on; one that failed earlier is run again.
//
// Errors: a *[BusyError] where another process works through dir; a *[FolderError]; [ErrNoLocks];
// context.Cause(ctx); what makes going on pointless, such as a full disk. The summary is valid in
// any case.
func Run(ctx context.Context, dir string, plan *Plan, opt Options) (*Summary, error) {
	sum, w := &Summary{}, newWork(dir, plan)
	for i := range plan.Cells {
		switch c := &plan.Cells[i]; {
		case !w.done[i]:
		case w.unused[i] != nil:
			sum.Unused = append(sum.Unused, c.ID)
		default:
			sum.Before = append(sum.Before, c.ID)
		}
	}
	lock, err := take(filepath.Join(dir, sweepLock), "the sweep in "+dir)
	if err != nil {
		return sum, err
	}
	defer lock.release()
	for i := range plan.Cells {
		if w.done[i] {
			continue
		}
		id := plan.Cells[i].ID
		outcome, failure, err := w.cell(ctx, i, opt)
		switch outcome {
		case WasDone:
			sum.Before = append(sum.Before, id)
		case IsBusy:
			sum.Busy = append(sum.Busy, id)
		case IsDone:
			sum.Done = append(sum.Done, id)
		case HasFailed:
			sum.Failures = append(sum.Failures, *failure)
		case WasEnded:
			return sum, err
		}
	}
	return sum, nil
}

// RunCell runs the cell of a plan of one, see [ReadCell], into the experiment in dir, as Run does, as
// an element of a job array. A cell that is finished is left alone. The error is that of a cell that
// failed too, and a *[BusyError] for one that another process has.
func RunCell(ctx context.Context, dir string, plan *Plan, opt Options) (Outcome, error) {
	w := newWork(dir, plan)
	w.element = true
	outcome, _, err := w.cell(ctx, 0, opt)
	return outcome, err
}

// work is a process at a plan.
type work struct {
	dir     string
	plan    *Plan
	done    []bool
	unused  []*dataset.Problem // of cells that are done
	failed  []bool             // of this process
	element bool               // its cells are elements of a job array
	pace    pace
}

// newWork looks at what is done. Cost: a pass over the results; those that are not sound are parsed.
func newWork(dir string, plan *Plan) *work {
	n := len(plan.Cells)
	w := &work{dir: dir, plan: plan, done: make([]bool, n), unused: make([]*dataset.Problem, n),
		failed: make([]bool, n)}
	hashes := map[string]string{}
	for name, m := range plan.Machines {
		hashes[name] = m.Hash()
	}
	for i := range plan.Cells {
		if w.done[i] = w.finished(i); !w.done[i] {
			continue
		}
		c := &plan.Cells[i]
		sound, took := c.Sound(dir, hashes[c.Machine])
		if took > 0 {
			w.pace.learn(took)
		}
		if !sound {
			w.unused[i] = c.Unused(dir, plan.Machines[c.Machine])
		}
	}
	return w
}

func (w *work) path(i int) string {
	return filepath.Join(w.dir, dataset.CellsDir, w.plan.Cells[i].ID)
}

func (w *work) finished(i int) bool { return w.plan.Finished(w.dir, i) }

// Finished reports whether cell i of the plan, in the experiment folder dir, is done.
func (p *Plan) Finished(dir string, i int) bool {
	_, err := os.Stat(filepath.Join(dir, dataset.CellsDir, p.Cells[i].ID))
	return err == nil
}

// cell runs a cell, unless it is finished or in other hands.
func (w *work) cell(ctx context.Context, i int, opt Options) (Outcome, *dataset.Failure, error) {
	cell, path := &w.plan.Cells[i], w.path(i)
	if w.finished(i) {
		w.done[i] = true
		return WasDone, nil, nil
	}
	if ctx.Err() != nil {
		return WasEnded, nil, context.Cause(ctx)
	}
	lock, err := take(path+LockSuffix, "cell "+cell.ID)
	var busy *BusyError
	if errors.As(err, &busy) {
		return IsBusy, nil, err
	} else if err != nil {
		return WasEnded, nil, err
	}
	defer lock.release()
	if w.finished(i) { // between the look and the lock
		w.done[i] = true
		return WasDone, nil, nil
	}
	if err := os.RemoveAll(path + dataset.PartialSuffix); err != nil {
		return WasEnded, nil, fmt.Errorf("cell %s: what an ended run left cannot be removed: %w",
			cell.ID, err)
	}
	start := time.Now()
	err = w.run(ctx, i, opt)
	took := time.Since(start)
	switch {
	case err == nil:
		w.done[i] = true
		w.pace.learn(took)
		if err := os.Remove(path + dataset.FailedSuffix); err != nil &&
			!errors.Is(err, os.ErrNotExist) {
			return WasEnded, nil, fmt.Errorf("cell %s is done, and the record of its failure "+
				"before cannot be removed: %w", cell.ID, err)
		}
		w.tell(opt, i, took, nil)
		return IsDone, nil, nil
	case ctx.Err() != nil:
		return WasEnded, nil, context.Cause(ctx)
	case pointless(err):
		os.RemoveAll(path + dataset.PartialSuffix) // give back the room that it took
		return WasEnded, nil, fmt.Errorf("cell %s: %w", cell.ID, err)
	}
	failure := &dataset.Failure{SchemaVersion: dataset.SchemaVersion, ID: cell.ID,
		Error: err.Error(), ExitCode: opt.ExitCode(err), At: time.Now().UTC().Truncate(time.Second)}
	if werr := writeJSON(path+dataset.FailedSuffix, failure); werr != nil {
		return WasEnded, nil, errors.Join(fmt.Errorf("cell %s: %w", cell.ID, err), werr)
	}
	w.failed[i] = true
	w.tell(opt, i, took, err)
	return HasFailed, failure, fmt.Errorf("cell %s: %w", cell.ID, err)
}

func (w *work) tell(opt Options, i int, took time.Duration, err error) {
	if opt.Finished != nil {
		opt.Finished(Finished{&w.plan.Cells[i], w.settled(), len(w.plan.Cells), took, w.left(0), err})
	}
}

// run does the `krdlab run` of the cell.
func (w *work) run(ctx context.Context, i int, opt Options) error {
	r, t, err := w.plan.Request(i, w.dir, opt.Host)
	if err != nil {
		return err
	}
	r.Element = w.element
	var progress measure.Progress
	if opt.Progress != nil {
		progress = func(done, total int, scheduler, _ string) {
			part, settled, n := float64(done)/float64(max(total, 1)), w.settled(), len(w.plan.Cells)
			opt.Progress(Progress{&w.plan.Cells[i], settled, n, done, total, scheduler,
				(float64(settled) + part) / float64(n), w.left(part)})
		}
	}
	_, err = experiments.Run(ctx, r, opt.Argv, t, strict(opt.Measure), progress)
	return err
}

// strict fails where the numbers of do must not be used: `krdlab run` completes such a run and
// prints a warning, but in a sweep nobody looks.
func strict(do measure.Func) measure.Func {
	if do == nil {
		do = measure.Run
	}
	return func(ctx context.Context, r *request.Request, t *hw.Topology, dir *result.RunDir,
		progress measure.Progress) ([]*result.Measured, error) {
		list, err := do(ctx, r, t, dir, progress)
		// a simulated run with each repetition traced has no limit but the disk
		all := r.Kernel.Work && r.Machine != nil && r.Trace == request.TraceKRD
		for _, m := range list {
			if err != nil {
				break
			}
			if m.Check != nil && !m.Check.Passed {
				err = fmt.Errorf("%w under %s: %s", ErrCheck, m.Scheduler, m.Check)
			} else if pointless(m.NoRoom) {
				err = fmt.Errorf("%s: %w: %w", m.Scheduler, ErrLost, m.NoRoom)
			} else if r.TraceLimit == 0 && lost(m, all) {
				err = fmt.Errorf("%s: %w, probably for want of room on the disk", m.Scheduler,
					ErrLost)
			}
		}
		return list, err
	}
}

// lost reports whether traces of m lost records; all repetitions should have a KRD, or not.
func lost(m *result.Measured, all bool) bool {
	if m.Trace != nil && m.Trace.Discarded > 0 {
		return true
	}
	return all && slices.ContainsFunc(m.Repetitions,
		func(r result.Repetition) bool { return r.KRD == nil })
}

// pointless reports whether the next cell would fail in the same way.
func pointless(err error) bool {
	for _, target := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS, syscall.EIO} {
		if errors.Is(err, target) {
			return true
		}
	}
	return false
}
