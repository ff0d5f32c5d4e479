package exports

import (
	"fmt"
	"io"
	"math"
	"math/bits"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"krdlab/loi"
	"krdlab/loi/dag"
)

// maxLanes bounds the executions of one worker that overlap.
const maxLanes = 256

// Numbers of tracks. Processes and threads have identities apart from each other, since Perfetto
// takes a thread whose number is that of its process for its main thread.
const (
	firstThread  = 1              // of worker 0, both track and tid
	firstProcess = 1 << 20        // of node 0, both track and pid
	traceTrack   = 1 << 21        // what is known of the trace as a whole
	firstCounter = traceTrack + 1 // idle workers: all, then those of each node
	lanePitch    = 1 << 22        // between the track of a worker and the next for what overlaps
	theSequence  = 1
)

// Interned names of annotations, by number from 1.
const (
	_ = iota
	nameAccesses
	nameObject
	nameBlock
	nameOffset
	nameBytes
	nameRows
	nameStride
	nameMode
	nameKernels
	nameKernel
	namePreempted
	nameMoved
	nameVictim
	nameThief
	nameOtherNode
	nameEntries
	nameChildren
	nameArgs
	nameTask
	nameParent
	namePhase
	nameChild
	nameNumber
	nameGoroutine
)

var annotationNames = [...]string{nameAccesses: "accesses", nameObject: "object",
	nameBlock: "block", nameOffset: "offset",
	nameBytes: "bytes", nameRows: "rows", nameStride: "stride", nameMode: "mode",
	nameKernels: "unstamped kernels",
	nameKernel:  "kernel", namePreempted: "preempted", nameMoved: "moved", nameVictim: "victim",
	nameThief:     "thief",
	nameOtherNode: "other node", nameEntries: "entries", nameChildren: "children", nameArgs: "args",
	nameTask: "task", nameParent: "parent", namePhase: "phase", nameChild: "child",
	nameNumber: "number", nameGoroutine: "goroutine"}

// The names of events follow those of the kernels, and those of regions follow them.
const (
	eventTask = iota
	eventIdle
	eventSteal
	eventStolen
	eventNewTask
	eventChild
	eventPhase
	eventEnd
	eventGo
	eventStart
	eventGoroutineEnd
	eventGoesOn
)

var eventNames = [...]string{eventTask: "task", eventIdle: "idle", eventSteal: "steal",
	eventStolen:  "stolen from",
	eventNewTask: "new task", eventChild: "child",
	eventPhase: "after phase", eventEnd: "task ends",
	eventGo: loi.EventGo.String(), eventStart: loi.EventStart.String(),
	eventGoroutineEnd: loi.EventEnd.String(), eventGoesOn: "goes on"}

// perfetto writes a trace as a stream of Perfetto's TracePackets.
type perfetto struct {
	message
	t       *loi.Trace
	out     *output
	clock   clock
	num     uint64 // a tick has num / den ns
	den     uint64 // 0: not known
	kernels uint64 // their number, as an iid
	objects uint64
	flow    uint64 // number of the last steal
	idle    bool   // the trace has events of idle workers
	// of a trace of goroutines
	goroutines *goroutines
	err        error

	packetAt, eventAt int // where the open event is
}

// lanes are the tracks of one worker: slices on one track must not overlap, and executions of a
// worker that lost its CPU may.
type lanes struct {
	ends      []uint64 // tick of the end of the last slice, by track
	idle      bool
	idleSince uint64
	structure
}

// writePerfetto writes one process for each node and one thread for each worker, kernel executions
// as slices with their accesses as annotations, a task whose kernels have no stamps as one slice
// that lists them, steals as arrows from victim to thief, and counters of idle workers. Tasks and
// regions stand on further tracks of each worker; a worker that is a goroutine has its number, and
// its operations are slices from their begin to their end, with arrows to those that they let go
// on. Slices that overlap on a worker go to further tracks of it; an execution that ends before it
// began is shown without duration. Stamps are in nanoseconds; where the rate of the clock is not
// known, a tick is one, with a note on the track "trace".
func writePerfetto(w io.Writer, t *loi.Trace, p *loi.Progress) error {
	clock, err := newClock(t, "perfetto")
	if err != nil {
		return err
	}
	x := &perfetto{t: t, out: newOutput(w), clock: clock}
	x.num, x.den = rate(t.Header.Clock.Hz)
	x.kernels, x.objects = uint64(len(t.Header.Registry.Kernels)),
		uint64(len(t.Header.Registry.Objects))
	if err := x.findGoroutines(); err != nil {
		return err
	}
	x.names()
	x.tracks()
	if err := x.about(); err != nil {
		return err
	}
	list := make([]lanes, len(t.Header.Workers))
	for i := range list {
		list[i].ends = make([]uint64, 1)
	}
	for e, err := range t.Ordered(everything(p)) {
		if err == nil {
			x.event(&list[e.Worker], e)
			err = x.spill()
		}
		if err != nil {
			return err
		}
	}
	for i := range list {
		if l := &list[i]; l.idle && l.idleSince >= l.ends[0] { // until the end of the run
			x.named(sliceBegin, x.ns(i, l.idleSince), firstThread+uint64(i), x.kernels+1+eventIdle)
			x.closeEvent()
		}
	}
	if x.idle {
		if err := x.counters(); err != nil {
			return err
		}
	}
	if err := x.spill(); err != nil {
		return err
	}
	return x.out.flush()
}

// spill hands the packets over that are complete.
func (x *perfetto) spill() error {
	if x.err != nil {
		return x.err
	}
	x.out.b = append(x.out.b, x.b...)
	x.b = x.b[:0]
	return x.out.spill()
}

// rate returns the nanoseconds of a tick as a fraction. den is 0 for a clock whose rate is not
// known. Rates are taken to be whole mHz, from 1e15 Hz on whole Hz.
func rate(hz float64) (num, den uint64) {
	switch {
	case hz == 0:
		return 0, 0
	case hz < 1e15:
		return 1e12, max(uint64(math.Round(hz*1e3)), 1)
	}
	return 1e9, uint64(min(hz, math.MaxInt64))
}

// ns returns a tick in nanoseconds. One that needs more than 63 bits, as Perfetto has them, is a
// RangeError in x.err.
func (x *perfetto) ns(worker int, tick uint64) uint64 {
	v := tick
	if x.den != 0 {
		hi, lo := bits.Mul64(v, x.num)
		if hi >= x.den {
			v = math.MaxUint64
		} else {
			v, _ = bits.Div64(hi, lo, x.den)
		}
	}
	if v > math.MaxInt64 && x.err == nil {
		x.err = &RangeError{Format: "perfetto", Worker: worker, What: fmt.Sprintf(
			"tick %d at %v Hz, expected at most 2^63-1 ns", tick, x.t.Header.Clock.Hz)}
	}
	return v
}

// names writes the packet that numbers all names.
func (x *perfetto) names() {
	packet := x.open(tracePacket)
	x.uint(packetSequence, theSequence)
	x.uint(packetFlags, stateCleared)
	x.uint(packetFirstOfSequence, 1)
	data := x.open(packetInterned)
	intern := func(field protowire.Number, id uint64, text string) {
		at := x.open(field)
		x.uint(internedID, id)
		x.text(internedText, text)
		x.close(at)
	}
	objects, kernels := names(&x.t.Header.Registry)
	for i, s := range kernels {
		intern(internedEventNames, uint64(i)+1, s)
	}
	for i, s := range eventNames {
		intern(internedEventNames, x.kernels+1+uint64(i), s)
	}
	for i := range x.t.Header.Registry.Regions {
		intern(internedEventNames, x.regionName(uint32(i)),
			strings.ToValidUTF8(x.t.Header.Registry.Regions[i].Name, "\uFFFD"))
	}
	for op := loi.SyncOp(1); x.goroutines != nil && op <= lastOperation; op++ {
		intern(internedEventNames, x.operationName(&dag.Op{Kind: loi.EventSync, Sync: op}),
			op.String())
	}
	for i, s := range annotationNames[1:] {
		intern(internedAnnotationNames, uint64(i)+1, s)
	}
	for i, s := range objects {
		intern(internedStrings, uint64(i)+1, s)
	}
	for i, s := range kernels {
		intern(internedStrings, x.objects+1+uint64(i), s)
	}
	for m := loi.In; m <= loi.InOut; m++ {
		intern(internedStrings, x.modeID(m), letters(m))
	}
	x.close(data)
	x.close(packet)
}

func (x *perfetto) modeID(m loi.Mode) uint64 { return x.objects + x.kernels + uint64(m) }

// tracks writes a process for each node and a thread for each worker.
func (x *perfetto) tracks() {
	h := &x.t.Header
	for n := range h.Nodes {
		packet, track := x.track(firstProcess+uint64(n), 0)
		at := x.open(trackProcess)
		x.uint(processPID, firstProcess+uint64(n))
		x.uint(processSort, uint64(n))
		x.text(processName, "node "+strconv.Itoa(n))
		x.close(at)
		x.close(track)
		x.close(packet)
	}
	for i, w := range h.Workers {
		packet, track := x.track(firstThread+uint64(i), firstProcess+uint64(w.Node))
		at := x.open(trackThread)
		x.uint(threadPID, firstProcess+uint64(w.Node))
		x.uint(threadTID, firstThread+uint64(i))
		x.uint(threadSort, uint64(i))
		name := x.who(i)
		if w.CPU >= 0 {
			name += ", cpu " + strconv.Itoa(w.CPU)
		}
		x.text(threadName, name)
		x.close(at)
		x.close(track)
		x.close(packet)
	}
}

// who names a worker.
func (x *perfetto) who(worker int) string {
	if g := x.goroutines; g != nil && g.Goroutines.Goroutines[worker].Number != 0 {
		return "goroutine " + strconv.FormatUint(uint64(g.Goroutines.Goroutines[worker].Number), 10)
	}
	return "worker " + strconv.Itoa(worker)
}

// track begins the packet of a track; the caller closes track and packet.
func (x *perfetto) track(uuid, parent uint64) (packet, track int) {
	packet = x.open(tracePacket)
	x.uint(packetSequence, theSequence)
	track = x.open(packetTrack)
	x.uint(trackUUID, uuid)
	if parent != 0 {
		x.uint(trackParent, parent)
	}
	return packet, track
}

// about writes the known facts of the trace as a whole, on a track of its own at the first stamp.
func (x *perfetto) about() error {
	packet, track := x.track(traceTrack, 0)
	x.text(trackName, "trace")
	x.close(track)
	x.close(packet)
	first, any := uint64(0), false
	for i := range x.t.Header.Workers {
		o := everything(nil)
		o.Workers = []int{i}
		for e, err := range x.t.Ordered(o) {
			if err != nil {
				return err
			}
			if at := x.ns(i, x.clock.at(e.Start)); !any || at < first {
				first, any = at, true
			}
			break
		}
	}
	x.openEvent(instant, first, traceTrack)
	x.text(eventName, "krdlab trace")
	list := describe(x.t)
	if x.den == 0 {
		list = append(list, loi.KV{Key: "note", Value: "the rate of the clock is not known: a " +
			"tick is shown as 1 ns"})
	}
	for _, kv := range list {
		at := x.open(eventAnnotations)
		x.text(annotationName, strings.ToValidUTF8(kv.Key, "\uFFFD"))
		x.text(annotationString, strings.ToValidUTF8(kv.Value, "\uFFFD"))
		x.close(at)
	}
	x.closeEvent()
	return x.spill()
}
