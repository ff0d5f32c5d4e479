package runtimes

import (
	"krdlab/hw"
	"krdlab/loi"
)

// taskCalls are the notes of a worker at task grain, where kernels are too short to carry two
// stamps each: the task is stamped, its kernels are listed in order, and one in about `every` of
// them is stamped to estimate their mean times.
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

// byTask makes s stamp tasks and not kernels. record keeps the lists of their kernels; every is one
// in how many kernels is sampled, 0 for the default.
func (s *stamper) byTask(kernels int, every uint32, record bool, r Rand) {
	if every == 0 {
		every = DefaultSampleEvery
	}
	s.inTask = &taskCalls{record: record, every: every, sampled: loi.NewProfile(kernels), rand: r,
		counts: make([]uint64, kernels)}
	s.pause()
}

// pause draws the distance to the next sample: uniform with mean every, so that no period of the
// program meets it.
func (s *stamper) pause() { s.wait = 1 + uint32(s.inTask.rand.N(int(2*s.inTask.every-1))) }

// BeginTask stamps, at task grain, the start of a piece of work that runs kernels one after the
// other on this worker and spawns nothing; elsewhere it does nothing. Begin and End go around each
// kernel as ever, whatever the grain.
func (s *stamper) BeginTask() uint64 {
	c := s.inTask
	switch {
	case c == nil:
		return 0
	case s.mode == stampVirtual:
		return s.now
	case s.gor != nil:
		t, cpu := hw.TSCP()
		s.cpu0 = cpu
		return t
	}
	if c.record {
		s.rec.Place(&c.list)
	}
	return hw.TSC()
}

// EndTask stamps the end of what began at start, and records it with its kernels. A piece of work
// without kernels is work too, and leaves no record.
func (s *stamper) EndTask(start uint64) {
	c := s.inTask
	if c == nil {
		return
	}
	if s.gor != nil {
		s.gor.recordTask(s, start)
		return
	}
	end := s.now
	if s.mode != stampVirtual {
		end = hw.TSC()
		c.ticks += end - start
	}
	if c.record && c.list.Len() > 0 {
		s.rec.Task(start, end, &c.list)
	}
}

// count counts an execution of k, and stamps its end if it is a sample, which began at start.
func (c *taskCalls) count(k loi.KernelID, start uint64) {
	c.counts[k]++
	if start != 0 {
		c.sample(k, start)
	}
}

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

// estimate returns the ticks of n executions of k from the samples of some workers, and how many
// samples there were.
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
