package result

import "krdlab/experiments/run/estimate"

const (
	// manySwitches is how often in a second a worker may lose its CPU before the warning: at some
	// milliseconds each time that is several per cent of the time. Threads of the kernel come and
	// go a few times a second everywhere, for microseconds.
	manySwitches = 20
	// stampedOverCPU is how far stamped work may exceed the time that the workers had a CPU; the
	// rest of the work then lies in kernels that were stopped in the middle.
	stampedOverCPU = 1.01
	// shortRun is the time, in s, below which a repetition is given the switches of this much:
	// starting and pinning threads costs each of them a few, whatever else the machine does.
	shortRun = 0.5
)

// disturbance returns how other programs disturbed repetitions on a number of workers; nothing if
// they did not or it is not known. It looks at medians, so that one bad repetition, which the
// median of time survives as well, is no reason to complain.
func disturbance(what string, reps []Repetition, workers int) []Warning {
	switches := collect(reps, func(r *Repetition) Number {
		seconds := max(float64(r.TimeNS)/1e9, shortRun)
		lost := SomeInt(r.Counters.InvoluntarySwitches.Value).Float()
		return Some(lost / (seconds * float64(workers)))
	})
	excess := collect(reps, func(r *Repetition) Number {
		return Some(SomeInt(r.WorkNS).Float() / SomeInt(r.Counters.TaskClockNS.Value).Float())
	})
	switch {
	case len(excess) > 0 && estimate.Median(excess) > stampedOverCPU:
		return []Warning{Warn(StampedOverCPU, what, 100*(estimate.Median(excess)-1))}
	case len(switches) > 0 && estimate.Median(switches) > manySwitches:
		lost := estimate.Median(collect(reps, func(r *Repetition) Number {
			return SomeInt(r.Counters.InvoluntarySwitches.Value)
		}))
		return []Warning{Warn(LostCPU, what, lost/float64(workers))}
	}
	return nil
}

// flagged returns how many kernels were stopped or moved while they ran, in the median over
// repetitions; nothing if none or not known.
func flagged(reps []Repetition) []Warning {
	n := collect(reps, func(r *Repetition) Number { return SomeInt(r.FlaggedKernels) })
	all := collect(reps, func(r *Repetition) Number { return SomeInt(r.Kernels) })
	if len(n) == 0 || len(all) == 0 || estimate.Median(n) == 0 {
		return nil
	}
	return []Warning{Warn(FlaggedKernels, estimate.Median(n), estimate.Median(all))}
}
