package exports

import (
	"google.golang.org/protobuf/encoding/protowire"

	"krdlab/loi"
)

// Tracks of a worker beside those of its executions.
const (
	taskTrack   = (maxLanes + 1) * lanePitch
	regionTrack = (maxLanes + 2) * lanePitch

	taskFlows = 1 << 40 // behind those of steals: one for each task, by its number
)

// structure holds the open tasks and regions of a worker.
type structure struct {
	since   uint64 // tick at which the piece of code that runs began
	any     bool   // since is known
	tracked [2]bool
	open    []uint32 // numbers of the regions that are open
}

// side returns a further track of a worker, which it makes when it is first asked for.
func (x *perfetto) side(worker int, l *lanes, which int) uint64 {
	track := firstThread + uint64(worker)
	id := track + [...]uint64{taskTrack, regionTrack}[which]
	if !l.tracked[which] {
		l.tracked[which] = true
		packet, at := x.track(id, track)
		x.text(trackName, x.who(worker)+[...]string{", tasks", ", regions"}[which])
		x.close(at)
		x.close(packet)
	}
	return id
}

// piece writes the piece of code that an event ends, as a slice that begins where the one before it
// ended, or the worker found work; where workers are not ordered it is not known which that is, and
// the event stands alone. An arrow leads from the piece that began a task to the one that ended it.
func (x *perfetto) piece(l *lanes, e *loi.Event, at uint64) {
	worker, r := e.Worker, e.Record
	if len(r.Args) < 3 {
		x.unnamed(e, at)
		return
	}
	name, names := x.kernels+1+eventChild, []uint64{nameTask, namePhase, nameChild}
	var flow protowire.Number
	switch r.Event {
	case loi.EventTask:
		name = x.kernels + 1 + eventNewTask
		names = []uint64{nameTask, nameParent, namePhase, nameChild, nameChildren}
		flow = eventFlows
	case loi.EventPhase:
		name = x.kernels + 1 + eventPhase
		names[2] = nameChildren
		if r.Args[2] == 0 {
			name, flow = x.kernels+1+eventEnd, eventLastFlows
		}
	}
	track, end := x.side(worker, l, 0), x.ns(worker, at)
	if x.t.Header.Unordered {
		x.named(instant, end, track, name)
	} else {
		x.named(sliceBegin, x.ns(worker, min(l.since, at)), track, name)
	}
	x.numbers(r.Args, names...)
	if flow != 0 {
		x.fixed(flow, taskFlows+uint64(r.Args[0]))
	}
	x.closeEvent()
	if !x.t.Header.Unordered {
		x.end(end, track)
	}
	l.since = at
}

// region writes the begin or the end of a region: on a worker they nest.
func (x *perfetto) region(l *lanes, e *loi.Event, at uint64) {
	worker, r := e.Worker, e.Record
	regions := x.t.Header.Registry.Regions
	begins := r.Event == loi.EventRegion && len(r.Args) == 3 && int(r.Args[0]) < len(regions)
	switch n := len(l.open); {
	case x.t.Header.Unordered:
		x.unnamed(e, at)
	case begins:
		l.open = append(l.open, r.Args[1])
		x.named(sliceBegin, x.ns(worker, at), x.side(worker, l, 1), x.regionName(r.Args[0]))
		x.numbers(r.Args[1:], nameNumber, nameParent)
		x.closeEvent()
	case r.Event == loi.EventRegionEnd && len(r.Args) == 1 && n > 0 && l.open[n-1] == r.Args[0]:
		l.open = l.open[:n-1]
		x.end(x.ns(worker, at), x.side(worker, l, 1))
	default:
		x.unnamed(e, at)
	}
}

// regionName returns the number of a region's name: after those of kernels and of events.
func (x *perfetto) regionName(region uint32) uint64 {
	return x.kernels + uint64(len(eventNames)) + 1 + uint64(region)
}

// unnamed writes an event as it stands.
func (x *perfetto) unnamed(e *loi.Event, at uint64) {
	x.openEvent(instant, x.ns(e.Worker, at), firstThread+uint64(e.Worker))
	x.text(eventName, e.Record.Event.String())
	x.numbers(e.Args)
	x.closeEvent()
}
