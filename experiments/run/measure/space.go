package measure

import (
	"fmt"
	"runtime"
	"slices"
	"syscall"

	"krdlab/experiments/run/request"
	"krdlab/hw"
	"krdlab/hw/units"
	"krdlab/loi"
	"krdlab/runtimes"
)

// checkSpace compares the memory and the trace files that a run needs with what is free, and
// returns a [*request.Error] where it is not enough. Sizes that the system does not report are not
// compared.
func (s *setup) checkSpace(memory func() (hw.Memory, error),
	disk func(path string) (int64, error)) error {
	if free, err := memory(); err == nil {
		if err := s.checkMemory(free); err != nil {
			return err
		}
	}
	k, folder := s.kernel, s.dir.Partial()
	if !k.Work {
		return nil // there is nothing to trace
	}
	need := s.traceBytes(s.growing)
	if free, err := disk(folder); err == nil && need > uint64(max(free, 0)) {
		return noDiskFor(need, free, folder)
	}
	return nil
}

func (s *setup) checkMemory(free hw.Memory) error {
	have, by := uint64(max(free.FreeBytes, 0)), ""
	if free.LimitedBy != "" {
		by = " under the limit in " + free.LimitedBy
	}
	data, kept := s.plan.Bytes, s.keptBytes()
	what, less := s.kernel.Name, "choose a smaller size"
	if data <= have && s.analysis > 0 {
		data += s.analysis
		what, less = what+" with its KRD", less+", or --trace off"
	}
	if data > have {
		flag, got := "kernel", s.kernel.Name
		if n, ok := s.params[s.kernel.Size]; ok {
			flag, got = s.kernel.Size, fmt.Sprint(n)
		}
		return &request.Error{Flag: flag, Got: got, Want: fmt.Sprintf("%s needs %s of memory, and "+
			"%s is free%s; %s", what, units.Bytes(data), units.Bytes(have), by, less)}
	}
	if kept > have-data {
		return &request.Error{Flag: "reps", Got: fmt.Sprint(s.asked.Reps), Want: fmt.Sprintf(
			"their results need some %s of memory, and %s is free%s; choose fewer",
			units.Bytes(kept), units.Bytes(have-data), by)}
	}
	return nil
}

// Memory of each block in a model of a machine's caches, and in the KRD of each node.
const (
	modelBytes = 200
	krdBytes   = 150
)

// analysisBytes estimates the memory that the KRD of a trace takes, whose nodes are analysed side
// by side.
func (s *setup) analysisBytes() uint64 {
	if s.asked.Trace.None() || !s.kernel.Work {
		return 0
	}
	nodes := slices.Clone(s.place.Nodes)
	slices.Sort(nodes)
	side := min(len(slices.Compact(nodes)), runtime.GOMAXPROCS(0))
	return krdBytes * s.plan.Blocks * uint64(side)
}

// limitHeap keeps Go's heap within the memory that is free, during runs too.
func (s *setup) limitHeap() (end func()) {
	free, err := hw.FreeMemory()
	if err != nil {
		return func() {}
	}
	return hw.LimitHeap((free.FreeBytes - int64(s.analysis)) / 20 * 19)
}

// keptBytes estimates the memory that the results of all repetitions take, the text of their
// document included.
func (s *setup) keptBytes() uint64 {
	const each, aWorker, aKRD = 4 << 10, 2560, 24 << 10
	one := uint64(each + aWorker) // of serial
	for i := range s.schedulers {
		one += each + aWorker*uint64(s.workersOf(&s.schedulers[i]))
		if s.asked.Trace.Each() {
			one += aKRD
		}
	}
	return uint64(s.asked.Reps) * one
}

func noDiskFor(need uint64, free int64, folder string) error {
	return &noDiskError{request.Error{Flag: "out", Got: folder, Want: fmt.Sprintf("the traces "+
		"need up to %s, and %s is free there; choose a folder with more room, --trace profile, a "+
		"coarser or smaller kernel, fewer schedulers, or --trace-limit",
		units.Bytes(need), units.Bytes(uint64(max(free, 0))))}}
}

// A noDiskError is a request that finds too little room on the disk: it wraps what a write would
// have failed with, too.
type noDiskError struct{ request request.Error }

func (e *noDiskError) Error() string { return e.request.Error() }

func (e *noDiskError) Unwrap() []error { return []error{&e.request, syscall.ENOSPC} }

// traceBytes returns an upper bound of the size of the trace files, written with options that
// depend on the number of recorders: a file for each traced repetition of each scheduler.
func (s *setup) traceBytes(options func(recorders int) loi.Options) uint64 {
	var all, largest uint64
	records, params := s.recordsOf()
	for i := range s.schedulers {
		recorders := s.recordersOf(&s.schedulers[i])
		size := loi.Size(records, params, recorders, options(recorders))
		all, largest = all+size, max(largest, size)
	}
	switch s.asked.Trace {
	case request.TraceOff, request.TraceProfile:
		return 0
	case request.TraceKRD:
		return largest // one at a time
	case request.TraceFull:
		return all * uint64(s.asked.Reps)
	}
	return all
}

// recordsOf returns how many records a run leaves, and with how many parameters records of that
// size have. At task grain a record is a word with the number of kernels and one for each of them.
func (s *setup) recordsOf() (records uint64, params int) {
	plan := &s.plan
	records, params = plan.Executions, plan.Args
	if s.asked.Grain == request.GrainTask && plan.Tasks > 0 {
		records, params = plan.Tasks, 2*int(1+(plan.Executions+plan.Tasks-1)/plan.Tasks)
	}
	var more uint64 // bytes for each record
	if s.asked.Structure.Tasks {
		more += structureBytes
	}
	if s.asked.Structure.Regions {
		more += regionBytes
	}
	if s.asked.Structure.Decisions {
		more += decisionBytes
	}
	return records + records*more/loi.RecordBytes(params), params
}

// The events of the structure for each child in place (a task has at least two): its end, a task's
// beginning and end; two regions; its hint and its place.
const (
	structureBytes = 32 + 40 + 32
	regionBytes    = 2 * (32 + 24)
	decisionBytes  = 56 + 48
)

// traces reports whether traced repetitions leave anything to keep.
func (s *setup) traces() bool {
	return !s.asked.Trace.None() && (s.kernel.Work || s.asked.Structure.Any())
}

// recordersOf returns how many recorders a trace of a scheduler has: one for each worker; for
// goroutines, whose kernels are recorded by the CPU that they end on, one for each CPU that the
// process may use, and for those numbered below them.
func (s *setup) recordersOf(x *runtimes.Scheduler) int {
	if x.ThreadsOnly() {
		return slices.Max(s.topo.Allowed()) + 1
	}
	return s.workersOf(x)
}

// growing returns the options of a trace that grows as it is written.
func (s *setup) growing(int) loi.Options { return loi.Options{MaxBytes: s.asked.TraceLimit} }

const (
	maxFirstChunk = 256 << 20
	diskShare     = 4 // of the free disk, 1/diskShare at most is taken before a run
)

// traceOptions returns how traces are written where free bytes of disk are free (negative: not
// known). Every recorder gets a first chunk for its share of the records and a quarter more, so
// that the work of getting pages is done before the region that is timed; at most 256 MiB each, and
// all of one trace at most a quarter of the free disk and of the limit. Where all traces would then
// not fit, chunks grow as they are needed.
func (s *setup) traceOptions(free int64) func(recorders int) loi.Options {
	room := uint64(maxFirstChunk) << 20
	if free >= 0 {
		room = uint64(free)
	}
	if limit := s.asked.TraceLimit; limit > 0 {
		room = min(room, limit)
	}
	sized := func(recorders int) loi.Options {
		opt := s.growing(recorders)
		workers := uint64(recorders)
		records, params := s.recordsOf()
		share := records * loi.RecordBytes(params) / workers * 5 / 4
		if first := min(share, maxFirstChunk, room/diskShare/workers); first > defaultFirstChunk {
			opt.FirstChunkBytes = int(first)
		}
		return opt
	}
	if free >= 0 && s.traceBytes(sized) > uint64(free) {
		return s.growing
	}
	return sized
}

// defaultFirstChunk is loi's first chunk without an option.
const defaultFirstChunk = 64 << 10
