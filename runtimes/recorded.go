package runtimes

import (
	"errors"

	"krdlab/hw"
	"krdlab/loi"
)

// Structure records which events of its structure a run records, besides its kernels: see
// [loi.Recorder.BeginTask]. The zero value is none.
type Structure struct {
	Tasks bool `json:"trace_tasks,omitempty"` // who spawned whom, in which phase, and where each ran
	// in which region of the program children ran, of tasks that are [Regioned]
	Regions bool `json:"trace_regions,omitempty"`
	// what schedulers decided, and what they knew: hints of children, where each was placed or
	// mailed, how phases are run, charges, requests and their answers; with Tasks, whose numbers
	// they tell
	Decisions bool `json:"trace_decisions,omitempty"`
}

// errNoRecorders is the error of a run whose structure is to be recorded, and nothing is.
var errNoRecorders = errors.New("the structure of a run is recorded with its kernels, or not at " +
	"all: it has no recorders")

// Any reports whether there is anything to record.
func (s Structure) Any() bool { return s.Tasks || s.Regions || s.Decisions }

// Regioned is a task that stands in regions of the program's source ([loi.Registry].Regions).
type Regioned interface {
	// Region returns the region of the children of a phase.
	Region(phase int) loi.RegionID
}

// recorded stands for a task whose structure is recorded: schedulers see it, and it hands to the
// task whatever they ask. So a run that records no structure has nothing to test for it.
type recorded struct {
	Frame
	inner *Frame
	id    uint32 // in the trace
}

const kindRecorded = rootKind + 1

// recordedProgram is a program whose structure is recorded.
type recordedProgram struct{ p Program }

// Root implements [Program].
func (r recordedProgram) Root(w *Worker) *Frame {
	w.of = piece{}
	return w.record(r.p.Root(w), noRegion)
}

// Run implements [Task].
func (t *recorded) Run(w *Worker, i int) *Frame {
	w.of = piece{t.id, uint32(t.phase), uint32(i)}
	if w.decides() {
		w.tellChild(t, i)
	}
	open := noRegion
	if w.pool.structure.Regions {
		open = w.beginRegion(t)
	}
	return w.record(t.inner.task.Run(w, i), open)
}

// Next implements [Task].
func (t *recorded) Next(w *Worker, phase int) int {
	w.of = piece{t.id, uint32(phase), loi.AfterPhase}
	n := t.inner.task.Next(w, phase)
	if w.pool.structure.Tasks {
		r, at, cpu := w.recorderNow()
		r.EndPhase(at, t.id, uint32(phase), uint32(n))
		cpu.release()
	}
	if n == 0 {
		w.done(t.inner)
	}
	return n
}

// Hint implements [Hinted], for those that are.
func (t *recorded) Hint(w *Worker, i int) Hint {
	if h, ok := t.inner.task.(Hinted); ok {
		return h.Hint(w, i)
	}
	return Hint{}
}

// A piece is code of a program: a child of a phase of a task, or what follows the phase. Task 0 is
// the program.
type piece struct{ task, phase, child uint32 }

// noRegion: no region is open.
const noRegion uint32 = 0

// beginRegion records that a child of t begins in its region, if t has any.
func (w *Worker) beginRegion(t *recorded) (open uint32) {
	in, ok := t.inner.task.(Regioned)
	if !ok {
		return noRegion
	}
	r, at, cpu := w.recorderNow()
	defer cpu.release()
	return r.BeginRegion(at, in.Region(int(t.phase)), 0)
}

// record records that the piece w.of has ended, and so has the region that was opened for it. c is
// its result: nil, or a task, which record returns as the scheduler is to see it.
func (w *Worker) record(c *Frame, open uint32) *Frame {
	if open == noRegion && !w.pool.structure.Tasks {
		return w.stand(c, 0)
	}
	r, at, cpu := w.recorderNow()
	if open != noRegion {
		r.EndRegion(at, open)
	}
	var id uint32
	if w.pool.structure.Tasks {
		if of := &w.of; c == nil {
			r.EndChild(at, of.task, of.phase, of.child)
		} else {
			id = r.BeginTask(at, of.task, of.phase, of.child, uint32(c.n))
		}
	}
	cpu.release()
	return w.stand(c, id)
}

// stand returns what stands for task c, whose number is id.
func (w *Worker) stand(c *Frame, id uint32) *Frame {
	if c == nil {
		return nil
	}
	if w.free[kindRecorded] == nil {
		w.refill(kindRecorded)
	}
	t, _ := w.Spare(kindRecorded).(*recorded)
	if t == nil {
		t = new(recorded)
		t.bind(t, kindRecorded)
	}
	t.inner, t.id = c, id
	return t.Fork(int(c.n))
}

// recorderNow returns where the worker records now, and the time. cpu is to be released afterwards.
func (w *Worker) recorderNow() (r *loi.Recorder, at uint64, cpu *goCPU) {
	switch {
	case w.gor != nil:
		at, cpu, _ = w.gor.enter()
		return cpu.rec, at, cpu
	case w.mode == stampVirtual:
		return w.rec, w.now, nil
	}
	return w.rec, hw.TSC(), nil
}
