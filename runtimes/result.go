package runtimes

import "krdlab/loi"

// A Result holds the time of one run and the counts of its workers.
type Result struct {
	TimeNS int64 // from the start of the root task to its end
	// WorkNS is the sum of all kernel execution times; -1 if they were not stamped.
	WorkNS  int64
	Tasks   uint64 // children run, leaves included
	Spawns  uint64 // of these, queued or started ahead of their parent
	Kernels []KernelResult
	Workers []WorkerResult // empty under the policy go
	// Disturbed counts kernels that the operating system or Go's scheduler interrupted or moved to
	// another CPU. Policy go only.
	Disturbed uint64
	// Open is how many executions of kernels began and did not end, less those that ended and did not
	// begin. On threads only the last execution of a worker is known to be open.
	Open int64
	// Drawn, in virtual time: a worker drew a number out of several, or tried to steal in a
	// shuffled order, so that another seed may give another run. If not, every seed gives this one.
	Drawn bool
}

// KernelResult is one kernel, all workers together.
type KernelResult struct {
	Name    string
	Count   uint64
	TotalNS int64  // -1 if not stamped
	Sampled uint64 // TotalNS is an estimate from so many executions; 0: it is not
}

// WorkerResult is one worker. Work, scheduling and idle time add up to the time of the run;
// scheduling is the remainder.
type WorkerResult struct {
	CPU  int // -1: not pinned
	Node int

	WorkNS  int64 // -1 if kernels were not stamped
	SchedNS int64 // -1 if kernels were not stamped
	IdleNS  int64

	Tasks, Spawns, Kernels uint64
	// Frames are those that the worker made, as none was free: the collector rests. The run
	// allocated those of all workers. 0 in virtual time.
	Frames     uint64
	Steals     Steals
	StealsFrom []uint64 // the successful ones by the node of the victim
}

// Steals counts a worker's attempts at stealing, by whether the queue was of its own node, and by
// whether they got something: one entry or several.
type Steals struct {
	Local, Remote             uint64
	LocalFailed, RemoteFailed uint64
}

// result sums up a run that has ended.
func (p *pool) result(c Config) *Result {
	ns := c.Clock.NS
	total := p.ended.Load() - p.began.Load()
	r := &Result{TimeNS: ns(total), Kernels: make([]KernelResult, len(c.Kernels))}
	stamped := c.Tracing != TraceOff
	ticks := make([]uint64, len(c.Kernels))
	var work uint64
	var samples []*loi.Profile
	for i, w := range p.workers {
		out := WorkerResult{
			CPU: c.CPUs[i], Node: w.node, WorkNS: -1, SchedNS: -1, IdleNS: ns(w.idleTicks),
			Tasks: w.ran(), Spawns: w.spawns,
			Steals: w.steals, StealsFrom: w.stolenFrom, Frames: w.frames,
		}
		var own uint64
		for k := range c.Kernels {
			t := w.prof.Kernel(loi.KernelID(k))
			if w.inTask != nil {
				t.Count = w.inTask.counts[k]
			}
			out.Kernels += t.Count
			r.Kernels[k].Count += t.Count
			ticks[k] += t.Ticks
			own += t.Ticks
		}
		if w.inTask != nil {
			own = w.inTask.ticks
			samples = append(samples, w.inTask.sampled)
		}
		if stamped {
			out.WorkNS = ns(own)
			out.SchedNS = r.TimeNS - out.WorkNS - out.IdleNS
			if out.SchedNS < 0 { // each was rounded
				out.IdleNS += out.SchedNS
				out.SchedNS = 0
			}
			work += own
		}
		r.Tasks += w.ran()
		r.Spawns += w.spawns
		r.Workers = append(r.Workers, out)
	}
	r.countOpen(p.workers)
	r.finishKernels(c.Kernels, ticks, stamped, ns)
	r.estimateKernels(samples, ns)
	r.WorkNS = -1
	if stamped {
		r.WorkNS = ns(work)
	}
	return r
}

// countOpen adds up the executions that have not ended.
func (r *Result) countOpen(workers []*Worker) {
	for _, w := range workers {
		if w.mode >= stampVirtual {
			r.Open += w.unended
		} else if w.kernel >= 0 {
			r.Open++
		}
	}
}

func (r *Result) finishKernels(kernels []loi.Kernel, ticks []uint64, stamped bool,
	ns func(uint64) int64) {
	for k := range r.Kernels {
		r.Kernels[k].Name = kernels[k].Name
		r.Kernels[k].TotalNS = -1
		if stamped {
			r.Kernels[k].TotalNS = ns(ticks[k])
		}
	}
}

// estimateKernels replaces the times of kernels by estimates from samples, if there are any workers
// with samples.
func (r *Result) estimateKernels(samples []*loi.Profile, ns func(uint64) int64) {
	if samples == nil {
		return
	}
	for k := range r.Kernels {
		ticks, n := estimate(samples, loi.KernelID(k), r.Kernels[k].Count)
		r.Kernels[k].TotalNS, r.Kernels[k].Sampled = -1, n
		if n > 0 {
			r.Kernels[k].TotalNS = ns(ticks)
		}
	}
}
