package result

import "krdlab/loi"

// beyond is by how much a median without an interval must lie beyond a bound to be called so.
const beyond = 0.05

// impossible warns of ratios of a native run that cores alone cannot give, by more than their
// intervals: a speed-up above the number of cores, kernels faster than in the serial run, and less
// overhead than the serial run has. Each needs a serial run that was slowed down, or caches that do
// better; in virtual time it is the latter.
func (r *Result) impossible() []Warning {
	if r.Substrate != loi.Native {
		return nil
	}
	d := r.Disturbances
	serial := d != nil && d.Serial > 0
	var list []Warning
	add := func(name string, q Quantity, bound float64, is bool) {
		if is {
			list = append(list, Warn(Impossible, name, q.Median, bound, r.Cores, serial))
		}
	}
	s := &r.Summary
	add("speedup", s.Speedup, float64(r.Cores), above(s.Speedup, float64(r.Cores)))
	add("wti", s.WTI, 1, below(s.WTI, 1))
	if floor := r.leastOVR(); floor.Known() {
		add("ovr", s.OVR, floor.Float(), below(s.OVR, floor.Float()))
	}
	return list
}

// leastOVR returns the least OVR, 1 at most, of a run that does between its kernels what the serial
// run does there. With a = W_s / T_s and N T_par >= W_N + T_s - W_s
//
//	OVR = N T_par W_s / (W_N T_s) >= a + (1 - a) / WTI
//
// which is below 1 where kernels became slower: they are then a larger part of the time.
func (r *Result) leastOVR() Number {
	a := r.Serial.WorkNS.Float() / r.Serial.TimeNS.Float()
	floor := Some(a + (1-a)/r.Summary.WTI.Median.Float())
	if floor.Known() && floor.Float() > 1 {
		return Some(1)
	}
	return floor
}

func above(q Quantity, bound float64) bool {
	low, _, ok := q.Bounds()
	return ok && low > bound || !ok && q.Median.Float() > bound*(1+beyond)
}

func below(q Quantity, bound float64) bool {
	_, high, ok := q.Bounds()
	return ok && high < bound || !ok && q.Median.Float() < bound*(1-beyond)
}
