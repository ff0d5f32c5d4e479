package exports

import (
	"krdlab/loi"
	"krdlab/loi/dag"
)

const (
	goroutineFlows = 1 << 41 // behind those of tasks: one for each operation that an arrow leads to
	lastOperation  = loi.SyncSleep
)

// goroutines holds the goroutines of a trace, nil where it has none.
type goroutines struct {
	*dag.Goroutines
	told int32 // operations until now
	// arrows lead from an operation to leads[i], and then to after[leads[i]] and so on; -1: no more
	leads, after []int32
}

// findGoroutines goes through t once if it has goroutines. Memory: that of [dag.GoroutineBuilder],
// and 8 bytes an operation.
func (x *perfetto) findGoroutines() error {
	if !x.t.Tells(loi.EventStart, loi.EventGo, loi.EventEnd, loi.EventSync) {
		return nil
	}
	b := dag.NewGoroutines(&x.t.Header)
	for e, err := range x.t.Ordered(everything(nil)) {
		if err == nil {
			err = b.Event(e)
		}
		if err != nil {
			return err
		}
	}
	g := &goroutines{Goroutines: b.End()}
	n := len(g.Ops)
	g.leads, g.after = make([]int32, n), make([]int32, n)
	for i := range g.leads {
		g.leads[i], g.after[i] = -1, -1
	}
	x.goroutines = g
	for i := range g.Ops {
		if o := &g.Ops[i]; x.arrow(int32(i)) {
			g.after[i] = g.leads[o.Partner]
			g.leads[o.Partner] = int32(i)
		}
	}
	return nil
}

// arrow reports whether an arrow leads to an operation: to starts, to what was received, and to
// what waited. None leads back in time, or in the file at one time.
func (x *perfetto) arrow(i int32) bool {
	o := &x.goroutines.Ops[i]
	if o.Kind == 0 || o.Partner < 0 {
		return false
	}
	_, waited := x.goroutines.Waited(o)
	if !waited && o.Kind != loi.EventStart && o.Sync != loi.SyncReceive || o.Meets() &&
		o.Sync == loi.SyncSend {
		return false
	}
	p := &x.goroutines.Ops[o.Partner]
	from := x.ns(int(p.Worker), x.clock.at(x.began(p)))
	to := x.ns(int(o.Worker), x.clock.at(o.End))
	return from < to || from == to && o.Partner < i
}

// began returns when an operation began, in ticks, but not before the end of the one before it.
func (x *perfetto) began(o *dag.Op) int64 {
	if o.Previous < 0 {
		return o.End
	}
	return min(max(o.Begin, x.goroutines.Ops[o.Previous].End), o.End)
}

// operation writes an event of a goroutine: an operation that took time as a slice, with an arrow
// from its begin to each operation that it let go on, and one from the operation that it waited for
// to its end.
func (x *perfetto) operation(l *lanes, e *loi.Event) {
	g, i := x.goroutines, x.goroutines.told
	g.told++
	o := &g.Ops[i]
	worker := e.Worker
	start, end := x.clock.at(x.began(o)), x.clock.at(o.End)
	track, name := firstThread+uint64(worker), x.operationName(o)
	came := x.arrow(i)
	if start < end {
		track = x.lane(worker, l, start, end)
		x.named(sliceBegin, x.ns(worker, start), track, name)
	} else {
		x.named(instant, x.ns(worker, end), track, name)
	}
	if number, _, ok := e.Goroutine(); ok {
		x.annotateUint(eventAnnotations, nameGoroutine, uint64(number))
	} else {
		if int(o.Object) < len(x.t.Header.Registry.Objects) {
			x.annotateString(eventAnnotations, nameObject, uint64(o.Object)+1)
		}
		x.annotateUint(eventAnnotations, nameNumber, o.Place)
	}
	for j := g.leads[i]; j >= 0; j = g.after[j] {
		x.fixed(eventFlows, goroutineFlows+uint64(j))
	}
	if came && start == end {
		x.fixed(eventLastFlows, goroutineFlows+uint64(i))
	}
	x.closeEvent()
	if start == end {
		return
	}
	if came { // to a slice it would lead to its begin
		x.named(instant, x.ns(worker, end), track, x.kernels+1+eventGoesOn)
		x.fixed(eventLastFlows, goroutineFlows+uint64(i))
		x.closeEvent()
	}
	x.end(x.ns(worker, end), track)
}

// operationName returns the number of an operation's name: those of [loi.SyncOp] are after the
// regions'.
func (x *perfetto) operationName(o *dag.Op) uint64 {
	switch o.Kind {
	case loi.EventGo:
		return x.kernels + 1 + eventGo
	case loi.EventStart:
		return x.kernels + 1 + eventStart
	case loi.EventEnd:
		return x.kernels + 1 + eventGoroutineEnd
	}
	return x.regionName(uint32(len(x.t.Header.Registry.Regions))) + uint64(o.Sync)
}
