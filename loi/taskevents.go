package loi

import (
	"math"
	"unsafe"
)

// The structure of a run is recorded as events. A task has phases, one after the other, and in each
// a number of children, which may run in parallel; a child is a task, or a piece of code in place.
// Each event ends a piece of code, and what its worker has recorded since the one before it, of
// these three kinds, belongs to that piece: the beginning of a task, a child in place, or what
// follows a phase. Where recorders are not those of workers ([Header].Unordered), each record is
// followed by an [EventOf] instead. Package dag rebuilds the graph.
//
// Regions are scopes of the program's source ([Registry].Regions). Their events nest on each worker
// like brackets; its records between two of them belong to the innermost region that is open.
//
// Tasks and regions that begin have numbers, from 1, unique in the trace; a recorder hands them
// out. 0 is the program itself, or a number beyond the 2^32 that there are.

// number returns a number that no other recorder of the trace gives, or 0 if there are no more.
func (r *Recorder) number() uint32 {
	n := r.numbers
	if n > math.MaxUint32 {
		return 0
	}
	r.numbers = n + uint64(len(r.w.recorders))
	return uint32(n)
}

// BeginTask records that a child of a phase of task parent, or of the program if that is 0, is a
// task, which begins with so many children in its first phase. It returns the number of the task.
func (r *Recorder) BeginTask(at uint64, parent, phase, child, children uint32) uint32 {
	task := r.number()
	if r.off+40 > r.size {
		r.Event(EventTask, at, task, parent, phase, child, children)
		return task
	}
	p := (*[5]uint64)(unsafe.Add(r.base, r.off))
	p[0] = at
	p[2] = uint64(task) | uint64(parent)<<32
	p[3] = uint64(phase) | uint64(child)<<32
	p[4] = uint64(children)
	commit(&p[1], uint64(EventTask)<<idShift|uint64(EventRecord)<<typeShift|5<<countShift)
	r.off += 40
	return task
}

// EndChild records that a child that is no task has ended.
func (r *Recorder) EndChild(at uint64, task, phase, child uint32) {
	r.event3(EventChild, at, task, phase, child)
}

// EndPhase records that all children of a phase of a task have ended, and so has the code that
// follows; the next phase has so many children, or the task has ended if there are none.
func (r *Recorder) EndPhase(at uint64, task, phase, children uint32) {
	r.event3(EventPhase, at, task, phase, children)
}

// Of records that the record before this one is of a child of a phase of a task, whatever its
// recorder records later; of what follows the phase, if child is [AfterPhase].
func (r *Recorder) Of(at uint64, task, phase, child uint32) {
	r.event3(EventOf, at, task, phase, child)
}

// AfterPhase is the number of a child in an [EventOf] that means what follows a phase.
const AfterPhase = math.MaxUint32

// BeginRegion records that a region of the registry begins. parent is the number of the one that it
// is part of, 0 for the innermost that is open on this worker. It returns the number of this one.
func (r *Recorder) BeginRegion(at uint64, region RegionID, parent uint32) uint32 {
	n := r.number()
	r.event3(EventRegion, at, uint32(region), n, parent)
	return n
}

// EndRegion records that the region with a number that BeginRegion returned ends.
func (r *Recorder) EndRegion(at uint64, number uint32) {
	if r.off+24 > r.size {
		r.Event(EventRegionEnd, at, number)
		return
	}
	p := (*[3]uint64)(unsafe.Add(r.base, r.off))
	p[0] = at
	p[2] = uint64(number)
	commit(&p[1], uint64(EventRegionEnd)<<idShift|uint64(EventRecord)<<typeShift|1<<countShift)
	r.off += 24
}

// event3 records an event with three arguments.
func (r *Recorder) event3(kind EventKind, at uint64, a, b, c uint32) {
	if r.off+32 > r.size {
		r.Event(kind, at, a, b, c)
		return
	}
	p := (*[4]uint64)(unsafe.Add(r.base, r.off))
	p[0] = at
	p[2] = uint64(a) | uint64(b)<<32
	p[3] = uint64(c)
	commit(&p[1], uint64(kind)<<idShift|uint64(EventRecord)<<typeShift|3<<countShift)
	r.off += 32
}
