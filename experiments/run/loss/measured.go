package loss

import (
	"slices"

	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/estimate"
	"krdlab/experiments/run/result"
	"krdlab/krd/doc"
)

// measured returns what is measured of a native result. Of each repetition, with P workers and the serial one
// that ran beside it:
//
//	time - serial/P = idle/P + scheduling/P + (work - serial work)/P - (serial - serial work)/P
//
// ok is false where something of it was not measured.
func measured(x *result.Result) (l Loss, ok bool) {
	var idle, sched, inflation, serial, times, ideals, losts []float64
	for i := range x.Repetitions {
		r, s := &x.Repetitions[i], x.Serial.At(i)
		if r.WorkNS == nil || s == nil || s.WorkNS == nil || len(r.Workers) == 0 {
			return l, false
		}
		p := float64(len(r.Workers))
		var waits, schedules float64
		for k := range r.Workers {
			w := &r.Workers[k]
			if w.IdleNS == nil || w.SchedNS == nil {
				return l, false
			}
			waits, schedules = waits+float64(*w.IdleNS), schedules+float64(*w.SchedNS)
		}
		t := float64(r.TimeNS)
		times, ideals = append(times, t), append(ideals, float64(s.TimeNS)/p)
		losts = append(losts, (t-float64(s.TimeNS)/p)/t)
		idle, sched = append(idle, waits/p/t), append(sched, schedules/p/t)
		inflation = append(inflation, float64(*r.WorkNS-*s.WorkNS)/p/t)
		serial = append(serial, float64(s.TimeNS-*s.WorkNS)/p/t)
	}
	of := func(list []float64) doc.Quantity { return estimate.Sample{Values: list}.Quantity() }
	part := func(key string, list []float64) Part {
		p := Part{Key: key, Share: of(list)}
		for i := range list {
			list[i] *= times[i]
		}
		p.NS = of(list)
		return p
	}
	return Loss{Scheduler: x.Scheduler, Workers: len(x.Repetitions[0].Workers), TimeNS: of(times), IdealNS: of(ideals),
		Lost: of(losts), Groups: []Part{part("idle", idle), part("scheduling", sched), part("inflation", inflation)},
		Serial: part("serial_too", serial), Pairs: []Pair{}}, len(x.Repetitions) > 0
}

// ofNative does as [Of] for a native run: the measured parts of each scheduler.
func ofNative(e *dataset.Experiment, schedulers []string) (*Report, error) {
	x := e.Cells[0].Result
	r := &Report{SchemaVersion: result.SchemaVersion, Kernel: x.Kernel, Params: x.Params, Cores: x.Cores,
		Machine: x.Machine.Name, Measured: true, Losses: []Loss{}}
	for i := range e.Cells {
		x := e.Cells[i].Result
		if len(schedulers) > 0 && !slices.Contains(schedulers, x.Scheduler) {
			continue
		}
		if l, ok := measured(x); ok {
			r.Losses, r.Repetitions = append(r.Losses, l), max(r.Repetitions, len(x.Repetitions))
		} else {
			r.Conclude(doc.Find(notMeasured).About(x.Scheduler))
		}
	}
	r.conclude()
	r.Conclude(doc.Find(notSplit))
	return r, nil
}
