package result

import (
	"math"

	"krdlab/experiments/run/estimate"
)

const (
	// leastShare is the share of a CPU below which a repetition is disturbed: a twentieth of the
	// time is more than most differences between schedulers.
	leastShare = 0.95
	// mostMoved is by how much the clock cycle of a core may differ from one end of a repetition to
	// the other, and from the median of all. Between undisturbed repetitions it was seen to differ
	// by 1 %.
	mostMoved = 0.05
	// mostHandover is the ratio of the longest hand-over of a run to the shortest beyond which
	// there is a warning.
	mostHandover = 2
)

// Judge sets Disturbed of repetitions of one scheduler on a number of workers, all on the same
// CPUs, cpus in number (0: not known). Workers with fewer CPUs than workers take them from each
// other, which is no disturbance. A repetition without records is not judged.
func Judge(reps []Repetition, workers, cpus int) {
	var cycles []float64 // of each worker the median over all repetitions
	for i := range workers {
		cycles = append(cycles, medianCycle(reps, i))
	}
	for i := range reps {
		r := &reps[i]
		r.Disturbed = nil
		if r.CPUTime == nil {
			continue
		}
		known := false
		found := []Warning{}
		if s := r.CPUTime.Share; s.Known() && (cpus == 0 || workers <= cpus) {
			known = true
			if s.Float() < leastShare {
				found = append(found, Warn(CPUTaken, s))
			}
		}
		for j := range r.Workers {
			c := r.Workers[j].Conditions
			if c == nil || j >= len(cycles) {
				continue
			}
			if w, ok := c.moved(r.Workers[j].CPU, cycles[j]); ok {
				found = append(found, w)
			}
			known = known || c.CycleNSBefore.Known() && c.CycleNSAfter.Known()
		}
		if known {
			r.Disturbed = found
		}
	}
}

// medianCycle returns the median clock cycle of a worker over repetitions, in ns, NaN if none is
// known.
func medianCycle(reps []Repetition, worker int) float64 {
	var v []float64
	for i := range reps {
		if worker >= len(reps[i].Workers) {
			continue
		}
		if c := reps[i].Workers[worker].Conditions; c != nil {
			for _, n := range []Number{c.CycleNSBefore, c.CycleNSAfter} {
				if n.Known() {
					v = append(v, n.Float())
				}
			}
		}
	}
	if len(v) == 0 {
		return math.NaN()
	}
	return estimate.Median(v)
}

// moved returns what moved beneath a worker in a repetition: its frequency, from one end to the
// other or against that of all repetitions, or its clock.
func (c *Conditions) moved(cpu int, cycle float64) (Warning, bool) {
	before, after := c.CycleNSBefore.Float(), c.CycleNSAfter.Float()
	most := 0.0
	for _, pair := range [][2]float64{{before, after}, {cycle, before}, {cycle, after}} {
		if by := pair[1]/pair[0] - 1; math.Abs(by) > math.Abs(most) { // false if one is not known
			most = by
		}
	}
	if math.Abs(most) > mostMoved {
		return Warn(FrequencyMoved, cpu, most), true
	}
	if c.ClockError != "" {
		return Warn(ClockMoved, cpu, nil), true
	}
	by := c.ClockNSAfter.Float() - c.ClockNSBefore.Float()
	if math.Abs(by) > c.ClockBoundNSBefore.Float()+c.ClockBoundNSAfter.Float() {
		return Warn(ClockMoved, cpu, Some(by)), true
	}
	return Warning{}, false
}

// handoverMoved warns where the hand-over between two CPUs was more than twice as long at some time
// of the run as at another.
func handoverMoved(reps []Repetition) []Warning {
	type extremes struct{ least, most float64 }
	of := map[int]extremes{} // by worker
	worst, worstCPU := 0.0, 0
	for i := range reps {
		for j := range reps[i].Workers {
			c := reps[i].Workers[j].Conditions
			if c == nil {
				continue
			}
			for _, n := range []Number{c.HandoverNSBefore, c.HandoverNSAfter} {
				if !n.Known() || n.Float() <= 0 {
					continue
				}
				e, seen := of[j]
				if !seen {
					e = extremes{n.Float(), n.Float()}
				}
				e = extremes{min(e.least, n.Float()), max(e.most, n.Float())}
				if of[j] = e; e.most/e.least > worst {
					worst, worstCPU = e.most/e.least, j
				}
			}
		}
	}
	if worst <= mostHandover {
		return nil
	}
	e, workers := of[worstCPU], reps[0].Workers
	return []Warning{Warn(HandoverMoved, workers[0].CPU, workers[worstCPU].CPU, e.least, e.most)}
}

// disturbed returns how many repetitions stay disturbed, why the first of them is, and how many
// were done again.
func (m *Measured) disturbed() (list []Warning) {
	for _, run := range []struct {
		what           string
		reps, setAside []Repetition
	}{{Parallel, m.Repetitions, m.SetAside}, {SerialRun, m.Serial, m.SerialSetAside}} {
		n, cause := 0, Warning{}
		for i := range run.reps {
			if d := run.reps[i].Disturbed; len(d) > 0 {
				if n++; n == 1 || worse(d[0], cause) {
					cause = d[0]
				}
			}
		}
		if n > 0 {
			list = append(list, Warn(DisturbedRuns, append([]any{run.what, n, len(run.reps),
				string(cause.Code)}, cause.Args...)...))
		}
		if again := len(run.setAside); again > 0 {
			list = append(list, Warn(DoneAgain, run.what, again))
		}
	}
	return list
}

// worse reports whether a is about less of a CPU than b.
func worse(a, b Warning) bool {
	x, ok := shareOf(a)
	y, other := shareOf(b)
	return ok && (!other || x < y)
}

func shareOf(w Warning) (float64, bool) {
	if w.Code != CPUTaken || len(w.Args) == 0 {
		return 0, false
	}
	switch v := w.Args[0].(type) {
	case Number:
		return v.Float(), true
	case float64: // of a document that was read
		return v, true
	}
	return 0, false
}
