package experiments

import "fmt"

const (
	// manySwitches is how often in a second a worker may lose its CPU before the warning: at some milliseconds each time that is
	// several per cent of the time. Threads of the kernel come and go a few times a second everywhere, for microseconds.
	manySwitches = 20
	// stampedOverCPU is how far stamped work may exceed the time that the workers had a CPU; the rest of the work then lies
	// in kernels that were stopped in the middle.
	stampedOverCPU = 1.01
	// shortRun is the time, in s, below which a repetition is given the switches of this much: starting and pinning threads costs
	// each of them a few, whatever else the machine does.
	shortRun = 0.5
)

// disturbance says how other programs disturbed repetitions on a number of workers, "" if they did not or it is not known. It looks at
// medians, so that one bad repetition, which the median of time survives as well, is no reason to complain.
func disturbance(reps []Repetition, workers int) string {
	switches := collect(reps, func(r *Repetition) Number {
		seconds := max(float64(r.TimeNS)/1e9, shortRun)
		return Some(SomeInt(r.Counters.InvoluntarySwitches.Value).Float() / (seconds * float64(workers)))
	})
	excess := collect(reps, func(r *Repetition) Number {
		return Some(SomeInt(r.WorkNS).Float() / SomeInt(r.Counters.TaskClockNS.Value).Float())
	})
	switch {
	case len(excess) > 0 && median(excess) > stampedOverCPU:
		return fmt.Sprintf("kernels took %.0f %% longer by their stamps than the workers had a CPU", 100*(median(excess)-1))
	case len(switches) > 0 && median(switches) > manySwitches:
		lost := median(collect(reps, func(r *Repetition) Number { return SomeInt(r.Counters.InvoluntarySwitches.Value) }))
		return fmt.Sprintf("a worker lost its CPU %.0f times in a repetition", lost/float64(workers))
	}
	return ""
}

// flagged says how many kernels were stopped or moved while they ran, in the median over repetitions, "" if none or not known.
func flagged(reps []Repetition) string {
	n := collect(reps, func(r *Repetition) Number { return SomeInt(r.FlaggedKernels) })
	all := collect(reps, func(r *Repetition) Number { return SomeInt(r.Kernels) })
	if len(n) == 0 || len(all) == 0 || median(n) == 0 {
		return ""
	}
	return fmt.Sprintf("%.0f of %.0f kernels were stopped or moved to another CPU while they ran, and their times include that", median(n), median(all))
}
