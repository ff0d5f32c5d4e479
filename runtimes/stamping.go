package runtimes

import (
	"math"

	"krdlab/hw"
	"krdlab/loi"
)

// A stamper is the part of a [Worker] that notes which kernels it runs and how long they take. Its
// exported methods are the worker's. Owner only.
type stamper struct {
	mode stampMode
	// the kernel k that is running, or ^k if it has ended, or noKernel: named when a task panics
	kernel int32
	id     int // of the worker
	prof   *loi.Profile
	rec    *loi.Recorder

	inTask *taskCalls // nil: kernels are stamped; otherwise tasks are: see taskgrain.go
	wait   uint32     // stampTask: kernels until the next that is stamped

	now     uint64   // virtual time in ticks
	sim     *stepper // stampVirtual: who prices the kernels
	unended int64    // of the slow modes: executions that began and have not ended
	dry     bool     // kernels are not computed

	gor  *goRun // the run, under the policy go; it keeps the records
	cpu0 int    // the CPU that Begin, or BeginTask, ran on there

	of piece // what is being run, where the run's structure is recorded
}

// noKernel: the worker has not run any.
const noKernel = math.MinInt32

// stampMode records what Begin and End do.
type stampMode uint8

const (
	stampOff     stampMode = iota // count kernels, no stamps
	stampProfile                  // and sum their times
	stampTrace                    // and record their accesses
	stampTask                     // task grain on threads: list kernels, stamp a few of them
	// the others are the slow ones
	stampVirtual // prices for times, in virtual time; records or lists if there is a recorder
	stampGo      // the policy go: records by CPU
)

func newStamper(worker, kernels int) stamper {
	return stamper{id: worker, kernel: noKernel, prof: loi.NewProfile(kernels)}
}

// Computes reports whether kernels are to be computed. In a dry run, whose times come from a model,
// they are not, and their results are undefined; data that decide the shape of the program must be
// computed all the same.
func (s *stamper) Computes() bool { return !s.dry }

// Begin stamps the start of kernel k, which must end on the same worker before any other begins.
// Cost: one [hw.TSC].
func (s *stamper) Begin(k loi.KernelID) uint64 {
	s.kernel = int32(k)
	if s.mode == stampTask {
		if s.wait--; s.wait != 0 {
			return 0
		}
		s.pause()
		return hw.TSC()
	}
	if s.mode == stampProfile || s.mode == stampTrace {
		return hw.TSC()
	}
	return s.beginSlow()
}

func (s *stamper) beginSlow() uint64 {
	s.unended++
	switch s.mode {
	case stampVirtual:
		s.now += s.sim.costs.Call
		return s.now
	case stampGo:
		t, cpu := hw.TSCP()
		s.cpu0 = cpu
		return t
	}
	return 0
}

// End stamps the end of kernel k, which began at start, and records it with the numbers of the
// blocks that it touched: one for each of the kernel's declared parameters ([loi.Kernel]), in their
// order. Cost: one [hw.TSC], an addition in profile mode, a record in trace mode.
func (s *stamper) End(k loi.KernelID, start uint64, blocks ...uint32) {
	s.kernel = ^int32(k)
	if s.mode == stampTask {
		s.inTask.count(k, start)
		if s.inTask.record {
			s.inTask.note(k, blocks)
		}
		return
	}
	if s.mode >= stampVirtual {
		s.endSlow(k, start, blocks)
		return
	}
	if s.mode == stampOff {
		s.prof.Add(k, 0, 0)
		return
	}
	end := hw.TSC()
	s.prof.Add(k, start, end)
	if s.mode == stampTrace {
		if len(blocks) == 3 {
			s.rec.Kernel3(k, start, end, blocks[0], blocks[1], blocks[2])
		} else {
			s.rec.Kernel(k, start, end, blocks...)
		}
	}
}

// End2 works like [Worker.End], for a kernel with two blocks. At task grain it costs an addition,
// and in trace mode 8 bytes, about 2 ns.
func (s *stamper) End2(k loi.KernelID, start uint64, a, b uint32) {
	if s.mode != stampTask {
		s.end2(k, start, a, b)
		return
	}
	s.kernel = ^int32(k)
	c := s.inTask
	if c.record && !c.list.TryAdd2(k, a, b) {
		c.list.Add(k, a, b)
	}
	c.count(k, start)
}

// end2 stands apart because its list of blocks is on the stack.
//
//go:noinline
func (s *stamper) end2(k loi.KernelID, start uint64, a, b uint32) { s.End(k, start, a, b) }

func (s *stamper) endSlow(k loi.KernelID, start uint64, blocks []uint32) {
	s.unended--
	if s.mode == stampGo {
		s.gor.record(s, k, start, blocks)
		return
	}
	s.now += s.sim.price(s.id, s.now, k, blocks)
	s.prof.Add(k, start, s.now)
	switch {
	case s.rec == nil:
	case s.inTask != nil:
		s.inTask.note(k, blocks)
	default:
		s.rec.Kernel(k, start, s.now, blocks...)
	}
}
