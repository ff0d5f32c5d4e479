package runtimes

import (
	"math"
	"sync/atomic"

	"krdlab/hw"
	"krdlab/loi"
)

// A Worker executes tasks. Kernels get one in every call and use it for [Worker.Spare], [Worker.Begin] and [Worker.End]; it is
// valid for that call only.
//
// Its first part belongs to the thread that runs the worker. What other workers read or write stands behind padding, on
// cache lines of its own: without it two workers cost twice as much.
type Worker struct {
	deque // its own part first; see deque.go for who touches what

	signal *atomic.Uint32 // of the pool: not 0 when workers are parked or the run must stop
	top    *Frame         // JoinStarter: the stack of started frames, linked by Frame.link
	free   [16]*Frame     // finished frames by kind, then proxies, then roots; a power of two saves the test of the index

	spawns uint64 // children queued, or started ahead of their parent
	calls  uint64 // child-first: children that were the last of their phase
	tasks  uint64 // otherwise: children run

	id   int
	node int
	rand Rand

	stamps stampMode
	now    uint64 // virtual time, ticks of 1 ns (stampVirtual)
	kernel int32  // the kernel k that is running, or ^k if it has ended, or noKernel: named when a task panics
	prof   *loi.Profile
	rec    *loi.Recorder
	sim    *stepper // stampVirtual: who prices the kernels
	cpu0   int      // stampGo: the CPU that Begin, or BeginTask, ran on
	dry    bool     // kernels are not computed
	grain  bool     // tasks are stamped and not kernels: see taskgrain.go
	inTask *taskCalls
	wait   uint32 // task grain: kernels until the next that is stamped
	gor    *goRun // stampGo

	shared *lifo    // QueueCore, QueueNode: the queue of this worker's shepherd
	mail   *mailbox // Rules.Affinity
	rules  Rules
	pool   *pool
	search Search
	loot   []entry // of a steal of several; reused
	robbed robbery // the steal of this search

	idleTicks  uint64
	steals     Steals
	stolenFrom []uint64 // successful steals by the victim's node

	_      [cacheLine]byte
	parked atomic.Uint32 // the futex word: see idle.go
	idle   atomic.Bool   // searching; written by the owner, read by thieves (Rules.LeaveIdle)
	_      [cacheLine]byte
}

// ran is how many children the worker has run. Child-first, each was either spawned or called.
func (w *Worker) ran() uint64 {
	if w.rules.Spawn == SpawnChild {
		return w.spawns + w.calls
	}
	return w.tasks
}

// ID is the number of the worker in its run, from 0.
func (w *Worker) ID() int { return w.id }

// Workers is the number of workers of the run.
func (w *Worker) Workers() int { return w.pool.n }

// robbery is a successful steal as it is recorded; see [loi.EventSteal]. entries is 0 if there was none.
type robbery struct{ victim, remote, entries uint32 }

// Computes says whether kernels are to be computed. In a dry run, whose times come from a model, they are not, and their results
// are undefined; what decides the shape of the program must be computed all the same.
func (w *Worker) Computes() bool { return !w.dry }

// noKernel: the worker has not run any.
const noKernel = math.MinInt32

// stampMode says what Begin and End do.
type stampMode uint8

const (
	stampOff     stampMode = iota // count kernels, no stamps
	stampProfile                  // and sum their times
	stampTrace                    // and record their accesses
	stampVirtual                  // virtual time: as stampTrace, with prices for times; rec may be nil
	stampGo                       // the go policy: per-CPU recorders
	stampTask                     // grain: tasks are stamped, and recorded if there is a recorder
)

// Begin stamps the start of kernel k, which must end on the same worker before any other begins. Cost: one [hw.TSC].
func (w *Worker) Begin(k loi.KernelID) uint64 {
	w.kernel = int32(k)
	if w.stamps == stampTask {
		if w.wait--; w.wait != 0 {
			return 0
		}
		w.inTask.pause(w)
		return hw.TSC()
	}
	if w.stamps == stampProfile || w.stamps == stampTrace {
		return hw.TSC()
	}
	return w.beginSlow()
}

func (w *Worker) beginSlow() uint64 {
	if w.grain {
		return w.inTask.begin(w)
	}
	switch w.stamps {
	case stampVirtual:
		return w.now
	case stampGo:
		t, cpu := hw.TSCP()
		w.cpu0 = cpu
		return t
	}
	return 0
}

// End stamps the end of kernel k, which began at start, and records it with the numbers of the blocks that it touched: one
// for each of the kernel's declared parameters ([loi.Kernel]), in their order. Cost: one [hw.TSC], an addition in profile
// mode, a record in trace mode.
func (w *Worker) End(k loi.KernelID, start uint64, blocks ...uint32) {
	w.kernel = ^int32(k)
	if w.stamps == stampTask {
		c := w.inTask
		c.counts[k]++
		if start != 0 {
			c.sample(k, start)
		}
		if c.record {
			c.note(k, blocks)
		}
		return
	}
	if w.stamps >= stampVirtual {
		w.endSlow(k, start, blocks)
		return
	}
	if w.stamps == stampOff {
		w.prof.Add(k, 0, 0)
		return
	}
	end := hw.TSC()
	w.prof.Add(k, start, end)
	if w.stamps == stampTrace {
		if len(blocks) == 3 {
			w.rec.Kernel3(k, start, end, blocks[0], blocks[1], blocks[2])
		} else {
			w.rec.Kernel(k, start, end, blocks...)
		}
	}
}

// End2 is [Worker.End] of a kernel with two blocks. At task grain it costs an addition, and in trace mode 8 bytes, about 2 ns.
func (w *Worker) End2(k loi.KernelID, start uint64, a, b uint32) {
	if w.stamps != stampTask {
		w.end2(k, start, a, b)
		return
	}
	w.kernel = ^int32(k)
	c := w.inTask
	if c.record && !c.list.TryAdd2(k, a, b) {
		c.list.Add(k, a, b)
	}
	c.counts[k]++
	if start != 0 {
		c.sample(k, start)
	}
}

func (w *Worker) end2(k loi.KernelID, start uint64, a, b uint32) {
	if w.stamps == stampOff {
		w.kernel = ^int32(k)
		w.prof.Add(k, 0, 0)
		return
	}
	w.End(k, start, a, b)
}

func (w *Worker) endSlow(k loi.KernelID, start uint64, blocks []uint32) {
	if w.grain {
		w.inTask.end(w, k, start, blocks)
		return
	}
	if w.stamps == stampGo {
		w.gor.record(w, k, start, blocks)
		return
	}
	w.now += w.sim.price(w, k, blocks)
	w.prof.Add(k, start, w.now)
	if w.rec != nil {
		w.rec.Kernel(k, start, w.now, blocks...)
	}
}
