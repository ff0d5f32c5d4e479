package measure

import (
	"krdlab/experiments/run/result"
	"krdlab/kernels/kernel"
	"krdlab/runtimes"
)

// check returns the verdict on a run: that of the numerical check, unless the run itself departed
// from the kernel's plan. Both substrates ask it; computed is nil where nothing was computed, and
// the verdict then nil unless it failed.
func (s *setup) check(in kernel.Instance, r *runtimes.Result, computed *kernel.Check) *result.Check {
	var ended uint64
	for _, k := range r.Kernels {
		ended += k.Count
	}
	began := ended + uint64(r.Open)
	planned := s.plan.Executions
	if counted, ok := in.(kernel.Counted); ok && planned == 0 {
		_, planned = counted.Counts()
	}
	if !s.kernel.Work || planned == 0 { // not known
		planned = began
	}
	for _, c := range []kernel.Check{
		kernel.Exact("executions of kernels that ended, of those that began", ended, began),
		kernel.Exact("executions of kernels, of those in the plan", ended, planned),
	} {
		if !c.Passed {
			computed = &c
			break
		}
	}
	if computed == nil {
		return nil
	}
	return &result.Check{Passed: computed.Passed, Error: result.Some(computed.Error),
		Tolerance: result.Some(computed.Tolerance), Method: computed.Method,
		Detail: computed.Detail, Lines: computed.Lines}
}

// repetitionFrom returns the work of the workers of a run, without counters.
func repetitionFrom(r *runtimes.Result, s runtimes.Scheduler) *result.Repetition {
	rep := &result.Repetition{TimeNS: r.TimeNS, Tasks: count(r.Tasks), Flags: []string{},
		Workers: []result.Worker{}, KernelTimes: []result.KernelTime{}}
	var executions uint64
	for _, k := range r.Kernels {
		executions += k.Count
		if r.WorkNS >= 0 {
			t := result.KernelTime{Name: k.Name, Count: int64(k.Count), Sampled: int64(k.Sampled)}
			if k.TotalNS >= 0 {
				t.TotalNS = &k.TotalNS
			}
			rep.KernelTimes = append(rep.KernelTimes, t)
		}
	}
	rep.Kernels = count(executions)
	if r.WorkNS >= 0 && executions > 0 {
		rep.WorkNS = &r.WorkNS
	}
	for _, w := range r.Workers {
		out := result.Worker{
			CPU: w.CPU, Node: w.Node, IdleNS: &w.IdleNS, Spawns: count(w.Spawns),
			Tasks: count(w.Tasks), Kernels: count(w.Kernels),
			StealsLocal: count(w.Steals.Local), StealsRemote: count(w.Steals.Remote),
			StealsFailed:       count(w.Steals.LocalFailed + w.Steals.RemoteFailed),
			StealsRemoteFailed: count(w.Steals.RemoteFailed),
		}
		if w.Frames > 0 {
			out.Frames = count(w.Frames)
		}
		for _, n := range w.StealsFrom {
			out.StealsFrom = append(out.StealsFrom, int64(n))
		}
		if w.WorkNS >= 0 {
			out.WorkNS, out.SchedNS = &w.WorkNS, &w.SchedNS
		}
		rep.Workers = append(rep.Workers, out)
	}
	if s.ThreadsOnly() && r.WorkNS >= 0 {
		rep.FlaggedKernels = count(r.Disturbed)
	}
	return rep
}

func count(n uint64) *int64 {
	v := int64(n)
	return &v
}
