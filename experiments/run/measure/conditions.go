package measure

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"strings"
	"sync"
	"time"

	"krdlab/experiments/run/result"
	"krdlab/hw"
)

// exchanges is the effort of one comparison of two CPUs beside a repetition: about half a
// millisecond, and no more than this on a machine that others hold.
var exchanges = hw.Effort{Rounds: 500, Time: 10 * time.Millisecond}

// watch sees what the CPUs of one repetition are like: before and after it, and what its workers
// got of them.
type watch struct {
	fsys    fs.FS // where the kernel keeps its accounts
	clock   hw.Clock
	cpus    []int // of the workers; nil if those have none of their own
	workers int

	began       time.Time
	steal       map[int]uint64
	process     map[string]uint64 // waits of all threads, where workers have none of their own
	processRan  uint64
	processErr  error
	before      []hw.Offset
	of          []watched
	attached    sync.WaitGroup
	after       []hw.Offset
	clockErrs   map[int]error // by CPU
	processWall time.Duration
}

// watched holds the readings of one worker, on its own thread.
type watched struct {
	cycleBefore, cycleAfter float64 // ticks
	began                   time.Time
	wall                    time.Duration
	ran, waited             uint64 // ns; at first to the beginning
	ranErr, waitedErr       error
}

func (n *native) newWatch(s *schedule) *watch {
	w := &watch{fsys: os.DirFS("/"), clock: n.clock, workers: s.Workers,
		clockErrs: map[int]error{}}
	if !s.ThreadsOnly() {
		w.cpus = n.place.CPUs[:s.Workers]
	}
	w.of = make([]watched, len(w.cpus))
	w.attached.Add(len(w.cpus))
	return w
}

// begin looks at the CPUs before a repetition, and end after it. Both take about a millisecond for
// each worker but the first.
func (w *watch) begin() {
	w.before = w.compareClocks()
	w.steal = hw.ReadSteal(w.fsys)
	if w.cpus == nil {
		w.process, w.processErr = hw.ReadProcessWait(w.fsys)
		w.processRan = since(&w.processErr, hw.ProcessCPUTime, 0)
	}
	w.began = time.Now()
}

func (w *watch) end() {
	w.processWall = time.Since(w.began)
	if steal := hw.ReadSteal(w.fsys); w.steal != nil {
		maps.DeleteFunc(steal, func(cpu int, ns uint64) bool {
			return ns < w.steal[cpu]+hw.StealTickNS
		})
		for cpu := range steal { // of the first step, some may be from before
			steal[cpu] -= w.steal[cpu] + hw.StealTickNS
		}
		w.steal = steal
	}
	if w.cpus == nil && w.processErr == nil {
		w.processRan = since(&w.processErr, hw.ProcessCPUTime, w.processRan)
		before := w.process
		now, err := hw.ReadProcessWait(w.fsys)
		for name := range now {
			now[name] -= before[name]
		}
		w.process, w.processErr = now, errors.Join(w.processErr, err)
	}
	w.after = w.compareClocks()
}

// compareClocks sets the CPU of each worker against that of the first; nil where that tells
// nothing. Those for which it failed are missing.
func (w *watch) compareClocks() []hw.Offset {
	if len(w.cpus) < 2 {
		return nil
	}
	var list []hw.Offset
	for _, cpu := range w.cpus[1:] {
		o, err := hw.OffsetsWithin(exchanges, []int{w.cpus[0], cpu})
		var moved *hw.ClockError
		switch {
		case errors.As(err, &moved):
			w.clockErrs[cpu] = err
		case err == nil && cpu != w.cpus[0]:
			list = append(list, o[1])
		}
	}
	return list
}

// attach looks at the CPU of the calling thread, that of a worker, begins to count on it, and waits
// until all workers have: what comes next is the run, and what the kernel accounts from then on is
// of the run, but for the moments around it.
func (w *watch) attach(worker int, counters *threadCounters) (detach func(), err error) {
	of := &w.of[worker]
	of.cycleBefore = hw.Cycle()
	uncount, err := counters.attach(worker)
	w.attached.Done()
	if err != nil {
		return nil, err
	}
	w.attached.Wait()
	wait := func() (uint64, error) { return hw.ReadWait(w.fsys) }
	of.waited = since(&of.waitedErr, wait, 0)
	of.ran = since(&of.ranErr, hw.ThreadCPUTime, 0)
	of.began = time.Now()
	return func() {
		of.wall = time.Since(of.began)
		of.ran = since(&of.ranErr, hw.ThreadCPUTime, of.ran)
		of.waited = since(&of.waitedErr, wait, of.waited)
		uncount()
		of.cycleAfter = hw.Cycle()
		// A frequency that changed stays so. Right after a run, while other workers leave, half a
		// millisecond at half the speed was seen, on one CPU in ten of a virtual machine.
		for range 8 {
			if of.cycleAfter < of.cycleBefore*1.02 {
				break
			}
			of.cycleAfter = min(of.cycleAfter, hw.Cycle())
		}
	}, nil
}

// since returns what an account has grown to beyond before, 0 and an error where it cannot be read.
func since(failed *error, account func() (uint64, error), before uint64) uint64 {
	now, err := account()
	if *failed = errors.Join(*failed, err); *failed != nil {
		return 0
	}
	return now - before
}

// report writes what was seen to a repetition.
func (w *watch) report(r *result.Repetition) {
	r.CPUTime = &result.CPUTime{}
	if w.cpus == nil {
		w.reportProcess(r.CPUTime)
		return
	}
	least, all, ran := result.Some(1), int64(0), true
	for i := range w.of {
		of := &w.of[i]
		c := &result.Conditions{CycleNSBefore: w.cycleNS(of.cycleBefore),
			CycleNSAfter: w.cycleNS(of.cycleAfter)}
		w.handovers(c, w.cpus[i])
		if ran = ran && of.ranErr == nil; of.ranErr == nil {
			ns := int64(of.ran)
			c.CPUNS = &ns
			all += ns
		}
		if of.waitedErr != nil {
			least, r.CPUTime.Reason = result.Number{}, reasonOf(of.waitedErr)
		} else if c.CPUShare = share(of.waited+w.steal[w.cpus[i]], of.wall,
			r.TimeNS); c.CPUShare.Float() < least.Float() {
			least = c.CPUShare
		}
		r.Workers[i].Conditions = c
	}
	if ran {
		r.CPUTime.NS = &all
	}
	if least.Known() {
		r.CPUTime.Share, r.CPUTime.Source = least, result.ShareFromSchedstat
	} else {
		fallBack(r)
	}
}

// share returns the part of timeNS that was not lost, where lostNS were lost in wall, which is a
// little more than timeNS: as much as possible is taken to have been lost outside it.
func share(lostNS uint64, wall time.Duration, timeNS int64) result.Number {
	lost := float64(lostNS) - float64(wall.Nanoseconds()-timeNS)
	return result.Some(1 - min(max(lost, 0)/float64(timeNS), 1))
}

// reportProcess does as report where workers have no threads of their own: it takes all threads of
// the process together, as if they were as many as there are workers.
func (w *watch) reportProcess(c *result.CPUTime) {
	if w.processErr != nil {
		c.Reason = reasonOf(w.processErr)
		return
	}
	ran, lost := int64(w.processRan), uint64(0)
	for _, ns := range w.process {
		lost += ns
	}
	for _, ns := range w.steal {
		lost += ns
	}
	c.NS, c.Source = &ran, result.ShareFromSchedstat
	// with what Run does before it, a collection of garbage
	c.Share = share(lost/uint64(w.workers), w.processWall, w.processWall.Nanoseconds())
}

// fallBack sets the CPU time of all workers against the time in which they worked or looked for
// work, where the kernel does not account how long threads wait for a CPU.
func fallBack(r *result.Repetition) {
	c := r.CPUTime.NS
	if c == nil {
		return
	}
	var busy int64
	for i := range r.Workers {
		w := &r.Workers[i]
		if w.WorkNS == nil || w.SchedNS == nil {
			return
		}
		busy += *w.WorkNS + *w.SchedNS
	}
	r.CPUTime.Source = result.ShareFromTaskClock
	if r.CPUTime.Share = result.Some(float64(*c) / float64(busy)); r.CPUTime.Share.Float() > 1 {
		r.CPUTime.Share = result.Some(1)
	}
}

func (w *watch) cycleNS(ticks float64) result.Number {
	return result.Some(ticks * 1e9 / w.clock.Hz)
}

// handovers writes what the exchanges with the first worker's CPU told of cpu.
func (w *watch) handovers(c *result.Conditions, cpu int) {
	if err := w.clockErrs[cpu]; err != nil {
		c.ClockError = reasonOf(err)
	}
	for _, at := range []struct {
		list                    []hw.Offset
		handover, offset, bound *result.Number
	}{
		{w.before, &c.HandoverNSBefore, &c.ClockNSBefore, &c.ClockBoundNSBefore},
		{w.after, &c.HandoverNSAfter, &c.ClockNSAfter, &c.ClockBoundNSAfter},
	} {
		for _, o := range at.list {
			if o.CPU == cpu {
				if o.Rounds == exchanges.Rounds { // otherwise others held one of the CPUs
					*at.handover = result.Some(w.clock.Nanoseconds(o.RoundTrip))
				}
				*at.offset = result.Some(float64(o.Ticks) * 1e9 / w.clock.Hz)
				*at.bound = result.Some(w.clock.Nanoseconds(o.Bound))
			}
		}
	}
}

func reasonOf(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }
