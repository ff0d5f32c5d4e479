package runtimes

import (
	"krdlab/hw"
	"krdlab/loi"
)

// taskCalls is what a worker notes down at task grain, where kernels are too short to carry two stamps each: the task is stamped, its
// kernels are listed in order, and one in about `every` of them is stamped to estimate their mean times.
type taskCalls struct {
	list    loi.TaskList
	record  bool     // keep the list
	counts  []uint64 // by kernel
	ticks   uint64
	every   uint32
	sampled *loi.Profile // those
	rand    Rand
}

// DefaultSampleEvery is one in how many kernels is stamped at task grain.
const DefaultSampleEvery = 64

func newTaskCalls(kernels int, every uint32, record bool, r Rand) *taskCalls {
	if every == 0 {
		every = DefaultSampleEvery
	}
	c := &taskCalls{record: record, every: every, sampled: loi.NewProfile(kernels), rand: r, counts: make([]uint64, kernels)}
	return c
}

// pause draws the distance to the next sample of w: uniform with mean every, so that no period of the program meets it.
func (c *taskCalls) pause(w *Worker) { w.wait = 1 + uint32(c.rand.N(int(2*c.every-1))) }

// BeginTask stamps, at task grain, the start of a piece of work that runs kernels one after the other on this worker and spawns
// nothing; elsewhere it does nothing. Begin and End go around each kernel as ever, whatever the grain.
func (w *Worker) BeginTask() uint64 {
	if !w.grain {
		return 0
	}
	switch w.stamps {
	case stampVirtual:
		return w.now
	case stampGo:
		t, cpu := hw.TSCP()
		w.cpu0 = cpu
		return t
	}
	if c := w.inTask; c.record {
		w.rec.Place(&c.list)
	}
	return hw.TSC()
}

// EndTask stamps the end of what began at start, and records it with its kernels. A piece of work without kernels is work too, and
// leaves no record.
func (w *Worker) EndTask(start uint64) {
	if !w.grain {
		return
	}
	c := w.inTask
	switch w.stamps {
	case stampGo:
		w.gor.recordTask(w, start, c)
		return
	case stampVirtual:
		if w.rec != nil && c.list.Len() > 0 {
			w.rec.Task(start, w.now, &c.list)
		}
		return
	}
	end := hw.TSC()
	c.ticks += end - start
	if c.record && c.list.Len() > 0 {
		w.rec.Task(start, end, &c.list)
	}
}

// begin is Begin at task grain, but on threads of our own, where Begin does it by itself.
func (c *taskCalls) begin(w *Worker) uint64 {
	if w.stamps == stampVirtual {
		return w.now
	}
	if w.wait--; w.wait != 0 {
		return 0
	}
	c.pause(w)
	return hw.TSC()
}

// end is End at task grain, likewise.
func (c *taskCalls) end(w *Worker, k loi.KernelID, start uint64, blocks []uint32) {
	c.counts[k]++
	if w.stamps == stampVirtual {
		w.now += w.sim.price(w, k, blocks)
		w.prof.Add(k, start, w.now)
	} else if start != 0 {
		c.sample(k, start)
	}
	if c.record {
		c.note(k, blocks)
	}
}

// sample stamps the end of the execution of k that began at start.
func (c *taskCalls) sample(k loi.KernelID, start uint64) { c.sampled.Add(k, start, hw.TSC()) }

// note lists an execution.
func (c *taskCalls) note(k loi.KernelID, blocks []uint32) {
	switch len(blocks) {
	case 1:
		c.list.Add1(k, blocks[0])
	case 2:
		c.list.Add2(k, blocks[0], blocks[1])
	default:
		c.list.Add(k, blocks...)
	}
}

// estimate returns the ticks of n executions of k from the samples of some workers, and how many samples there were.
func estimate(samples []*loi.Profile, k loi.KernelID, n uint64) (ticks, sampled uint64) {
	var sum uint64
	for _, p := range samples {
		t := p.Kernel(k)
		sampled += t.Count
		sum += t.Ticks
	}
	if sampled == 0 {
		return 0, 0
	}
	return uint64(float64(sum) / float64(sampled) * float64(n)), sampled
}
