package exports

import (
	"fmt"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"

	"krdlab/loi"
)

// openEvent begins the packet of an event at a time in ns on a track. Annotations and flows may
// follow, then closeEvent.
func (x *perfetto) openEvent(typ, ns, track uint64) {
	x.packetAt = x.open(tracePacket)
	x.uint(packetTimestamp, ns)
	x.uint(packetSequence, theSequence)
	x.uint(packetFlags, needsState)
	x.eventAt = x.open(packetEvent)
	x.uint(eventType, typ)
	x.uint(eventTrack, track)
}

func (x *perfetto) closeEvent() {
	x.close(x.eventAt)
	x.close(x.packetAt)
}

// named begins an event with an interned name: of kernel k the iid is k + 1, those of eventNames
// come after.
func (x *perfetto) named(typ, ns, track, name uint64) {
	x.openEvent(typ, ns, track)
	x.uint(eventNameID, name)
}

func (x *perfetto) end(ns, track uint64) {
	x.openEvent(sliceEnd, ns, track)
	x.closeEvent()
}

func (x *perfetto) annotateUint(field protowire.Number, name, v uint64) {
	at := x.open(field)
	x.uint(annotationNameID, name)
	x.uint(annotationUint, v)
	x.close(at)
}

func (x *perfetto) annotateBool(name, v uint64) {
	at := x.open(eventAnnotations)
	x.uint(annotationNameID, name)
	x.uint(annotationBool, v)
	x.close(at)
}

func (x *perfetto) annotateString(field protowire.Number, name, id uint64) {
	at := x.open(field)
	x.uint(annotationNameID, name)
	x.uint(annotationStringID, id)
	x.close(at)
}

// event writes one event of a worker.
func (x *perfetto) event(l *lanes, e *loi.Event) {
	worker, start, end := e.Worker, x.clock.at(e.Start), x.clock.at(max(e.Start, e.End))
	if !l.any {
		l.since, l.any = start, true
	}
	if e.Type == loi.EventRecord {
		x.happened(l, e, start)
		return
	}
	name := uint64(e.Kernel) + 1
	if e.Type == loi.TaskRecord {
		name = x.kernels + 1 + eventTask
	}
	track := x.lane(worker, l, start, end)
	x.named(sliceBegin, x.ns(worker, start), track, name)
	if e.Type == loi.TaskRecord {
		x.calls(e)
	} else {
		x.accesses(eventAnnotations, e.Accesses())
	}
	if e.Flags&loi.Preempted != 0 {
		x.annotateBool(namePreempted, 1)
	}
	if e.Flags&loi.Moved != 0 {
		x.annotateBool(nameMoved, 1)
	}
	x.closeEvent()
	x.end(x.ns(worker, end), track)
}

// lane returns the track of a worker on which nothing ends after start, and takes it until end.
func (x *perfetto) lane(worker int, l *lanes, start, end uint64) uint64 {
	track := firstThread + uint64(worker)
	for i := range l.ends {
		if l.ends[i] <= start {
			l.ends[i] = end
			return track + uint64(i)*lanePitch
		}
	}
	n := len(l.ends)
	if n == maxLanes {
		if x.err == nil {
			x.err = &RangeError{Format: "perfetto", Worker: worker, What: fmt.Sprintf(
				"at tick %d more executions overlap, or are not in the order of time, than the "+
					"%d expected at most", start, maxLanes)}
		}
		return track
	}
	l.ends = append(l.ends, end)
	id := track + uint64(n)*lanePitch
	packet, at := x.track(id, track)
	x.text(trackName, x.who(worker)+", overlap "+strconv.Itoa(n))
	x.close(at)
	x.close(packet)
	return id
}

// accesses writes an array of dictionaries, one for each access.
func (x *perfetto) accesses(field protowire.Number, list []loi.Access) {
	if len(list) == 0 {
		return
	}
	array := x.open(field)
	x.uint(annotationNameID, nameAccesses)
	for i := range list {
		a := &list[i]
		dict := x.open(annotationArray)
		x.annotateString(annotationDict, nameObject, uint64(a.Object)+1)
		place := uint64(nameBlock)
		if x.t.Header.Registry.Objects[a.Object].Kind == loi.Span {
			place = nameOffset
		}
		x.annotateUint(annotationDict, place, a.Block)
		x.annotateUint(annotationDict, nameBytes, a.Bytes)
		if a.Rows > 1 {
			x.annotateUint(annotationDict, nameRows, uint64(a.Rows))
			x.annotateUint(annotationDict, nameStride, a.Stride)
		}
		x.annotateString(annotationDict, nameMode, x.modeID(a.Mode))
		x.close(dict)
	}
	x.close(array)
}

// calls writes the kernels of a task as an array of dictionaries, each with the name of the kernel
// and its accesses.
func (x *perfetto) calls(e *loi.Event) {
	list := e.Calls
	if len(list) == 0 {
		return
	}
	array := x.open(eventAnnotations)
	x.uint(annotationNameID, nameKernels)
	for i := range list {
		dict := x.open(annotationArray)
		x.annotateString(annotationDict, nameKernel, x.objects+1+uint64(list[i].Kernel))
		x.accesses(annotationDict, e.CallAccesses(&list[i]))
		x.close(dict)
	}
	x.close(array)
}

// happened writes an event of the runtime at a tick.
func (x *perfetto) happened(l *lanes, e *loi.Event, at uint64) {
	worker := e.Worker
	_, _, goroutine := e.Goroutine()
	if _, sync := e.Sync(); goroutine || sync {
		x.operation(l, e)
		return
	}
	switch e.Record.Event {
	case loi.EventIdle:
		x.idle = true
		if !l.idle {
			l.idle, l.idleSince = true, at
		}
	case loi.EventBusy:
		x.idle = true
		l.since = at
		if l.idle {
			l.idle = false
			end := max(l.idleSince, at)
			track := x.lane(worker, l, l.idleSince, end)
			x.named(sliceBegin, x.ns(worker, l.idleSince), track, x.kernels+1+eventIdle)
			x.closeEvent()
			x.end(x.ns(worker, end), track)
		}
	case loi.EventSteal:
		x.steal(worker, x.ns(worker, at), e.Args)
	case loi.EventTask, loi.EventChild, loi.EventPhase:
		x.piece(l, e, at)
	case loi.EventRegion, loi.EventRegionEnd:
		x.region(l, e, at)
	case loi.EventOf: // of what the record before it is, which has been written
	default:
		x.unnamed(e, at)
	}
}

// steal writes an event on the track of the thief and, before it, one on that of the victim at the
// same time, with an arrow from the latter: Perfetto draws it from the earlier event, or from the
// first one in the file.
func (x *perfetto) steal(thief int, ns uint64, args []uint32) {
	arrow := len(args) > 0 && int(args[0]) < len(x.t.Header.Workers)
	if arrow {
		x.flow++
		x.named(instant, ns, firstThread+uint64(args[0]), x.kernels+1+eventStolen)
		x.annotateUint(eventAnnotations, nameThief, uint64(thief))
		x.fixed(eventFlows, x.flow)
		x.closeEvent()
	}
	x.named(instant, ns, firstThread+uint64(thief), x.kernels+1+eventSteal)
	x.numbers(args, nameVictim, nameOtherNode, nameEntries)
	if arrow {
		x.fixed(eventLastFlows, x.flow)
	}
	x.closeEvent()
}

// numbers writes the arguments of an event: those with a name under it, the others as an array.
func (x *perfetto) numbers(args []uint32, names ...uint64) {
	for i := range min(len(args), len(names)) {
		if names[i] == nameOtherNode {
			x.annotateBool(nameOtherNode, uint64(min(args[i], 1)))
		} else {
			x.annotateUint(eventAnnotations, names[i], uint64(args[i]))
		}
	}
	if len(args) <= len(names) {
		return
	}
	array := x.open(eventAnnotations)
	x.uint(annotationNameID, nameArgs)
	for _, a := range args[len(names):] {
		at := x.open(annotationArray)
		x.uint(annotationUint, uint64(a))
		x.close(at)
	}
	x.close(array)
}
