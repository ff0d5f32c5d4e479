package scene

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"krdlab/krd"
	"krdlab/krd/stack"
	"krdlab/loi"
)

// A Class is the cache of its node that serves an access: see [krd.Histogram].
type Class uint8

// The classes of accesses, from that next to the core on.
const (
	Close   Class = iota // distance + size <= L2
	Near                 // not close, distance + size <= LLC
	Far                  // finite, beyond the LLC
	Cold                 // first access on the node
	Reuse                // finite; the caches whose sizes are known do not tell which of these it is
	Classes              // how many there are
)

// ColdBin is the bin of an access that has no distance. Bin 0 is of distance 0, bin k of those in
// [2^(k-1), 2^k) bytes, as those of [krd.Histogram].
const ColdBin = 64

// A Unit is touched by accesses: a registered or keyed block, or an atom of an address space, those
// of an object one after the other as they lie: blocks by number or key, atoms by address.
type Unit = uint32

// A Run is a trace as columns: its kernel executions in the order in which they began ([loi.Order]),
// with the reuse distance of each access on its node.
//
// What an access touches is an item: those below len(Bytes) are single units, the others are lists of
// units that are accessed at once.
type Run struct {
	Header  *loi.Header
	Loss    *loi.LossError // records that are missing
	First   int64          // tick of the common clock that Start and End count from
	Ticks   int64          // from First to the last stamp
	Worker  []uint16
	Kernel  []loi.KernelID
	Start   []int64
	End     []int64
	Task    []bool   // the stamps are of the whole task; nil: none are
	From    []uint32 // by kernel: its first access; one more, the number of accesses
	Items   []uint32 // by access
	Modes   []loi.Mode
	Bins    []uint8
	Classes []Class

	Bytes   []uint64 // by unit
	Lists   [][]Unit // by item, from len(Bytes) on; ascending
	Objects []Area   // that have units, in the order of the registry
	Idle    [][]Span // by worker, ascending: it looked for work
	Steals  []Steal  // ascending
	// Searches and Stealing report whether the trace has these.
	Searches, Stealing bool
	begun              bool
	// Window is from 0 to Ticks, or the window of ReadWindow, up to Ticks.
	Window Span
	Before *Before // nil: the run is whole
}

// An Area is an object of a run.
type Area struct {
	Name   string
	Kind   loi.ObjectKind
	First  Unit
	Units  int
	Bytes  uint64
	Layout Layout
}

// A Span is an interval, in ticks from Run.First.
type Span struct{ From, To int64 }

// A Steal is one that brought work.
type Steal struct {
	At            int64
	Thief, Victim uint16
}

// MaxAccesses is how many accesses a run may have.
const MaxAccesses = 1 << 31

// Read reads a trace as columns. With allowLoss one from which records are missing too. Errors: those
// of [loi.Trace.Ordered], [krd.NewUnits] and [krd.Units.Of]; [krd.ErrTooLarge] beyond MaxAccesses.
// Cost: a pass over the trace, two if it has address spaces; 22 bytes a kernel, 7 an access, and what
// [stack.Online] takes on each node.
func Read(t *loi.Trace, allowLoss bool) (*Run, error) {
	return read(t, Span{math.MinInt64, math.MaxInt64}, allowLoss)
}

// read reads the part of a trace that overlaps a window.
func read(t *loi.Trace, window Span, allowLoss bool) (*Run, error) {
	units, err := krd.NewUnits(t)
	if err != nil {
		return nil, err
	}
	r := &Run{Header: &t.Header, Idle: make([][]Span, len(t.Header.Workers)), Window: window}
	if l := t.Loss(); l.Total() > 0 {
		r.Loss = l
	}
	d := &reader{run: r, units: units, nodes: make([]*stack.Online, t.Header.Nodes),
		since: make([]int64, len(t.Header.Workers)), lists: map[string]uint32{}}
	if window.From != math.MinInt64 {
		r.Before = &Before{}
	}
	for i := range d.nodes {
		d.nodes[i] = stack.NewOnline()
	}
	for i := range d.since {
		d.since[i] = -1
	}
	for _, n := range t.Records() {
		d.records += int(n)
	}
	for e, err := range t.Ordered(loi.Order{Events: true, AllowLoss: allowLoss}) {
		if err != nil {
			return nil, err
		}
		if err := d.event(e); err != nil {
			return nil, err
		}
	}
	if r.Before != nil && len(r.Start) == 0 {
		return nil, &WindowError{r.Window, r.Ticks, d.seen}
	}
	r.Window.From, r.Window.To = max(0, r.Window.From), min(r.Ticks, r.Window.To)
	d.end(t)
	return r, nil
}

// A reader makes a run of events.
type reader struct {
	run   *Run
	units *krd.Units
	nodes []*stack.Online
	// of the trace, at most as many as executions but where one stands for several
	records int
	seen    int     // executions until now
	past    past    // before the window
	since   []int64 // by worker: when the search began that has no end yet, or -1
	place   []place // by unit as it is numbered: where it lies
	lists   map[string]uint32
	listed  [][]uint32 // what accesses of several units touch, by their numbers
	key     []byte
	bytes   []uint64
	dist    []uint64
}

// A place is where a unit lies.
type place struct {
	object loi.ObjectID
	known  bool
	at     uint64
}

// listed items have this bit until all units are known.
const aList = 1 << 31

func (d *reader) event(e *loi.Event) error {
	r := d.run
	start, end := r.lasts(e)
	if e.Type == loi.EventRecord {
		d.told(e, start)
		return nil
	}
	d.seen++
	list, early := e.Accesses(), start < r.Window.From
	if start > r.Window.To {
		return d.later(list)
	}
	if early {
		if end <= r.Window.From {
			return d.unseen(e, list)
		}
		if err := d.begun(e, list); err != nil {
			return err
		}
	}
	if len(r.Start) == someExecutions && r.Before == nil {
		d.reserve()
	}
	r.Worker = append(r.Worker, uint16(e.Worker))
	r.Kernel = append(r.Kernel, e.Kernel)
	r.Start, r.End = append(r.Start, start), append(r.End, end)
	r.From = append(r.From, uint32(len(r.Items)))
	if task := e.Flags&loi.Unstamped != 0; task || r.Task != nil {
		for len(r.Task) < len(r.Start) {
			r.Task = append(r.Task, false)
		}
		r.Task[len(r.Start)-1] = task
	}
	if len(r.Items)+len(list) > MaxAccesses {
		return fmt.Errorf("%w: more than %d accesses", krd.ErrTooLarge, MaxAccesses)
	}
	for i := range list {
		found, far, needs, err := d.access(e, &list[i])
		if err != nil {
			return err
		}
		item := uint32(0)
		if len(found) == 1 {
			item = found[0]
		} else {
			item = d.list(found)
		}
		if early {
			d.past.touch(e, list[i].Mode, found, far, r.Header)
		}
		r.Items, r.Modes = append(r.Items, item), append(r.Modes, list[i].Mode)
		r.Bins, r.Classes = append(r.Bins, binOf(far)), append(r.Classes, r.class(needs))
	}
	return nil
}

// someExecutions are as many as tell how large a run will be.
const someExecutions = 1 << 16

// reserve makes room for the rest of the run: appending would copy all of it some ten times, and take
// twice the memory.
func (d *reader) reserve() {
	r, n := d.run, max(0, d.records-someExecutions)
	accesses := int(float64(len(r.Items)) / someExecutions * 1.01 * float64(n))
	r.Worker, r.Kernel, r.From = slices.Grow(r.Worker, n), slices.Grow(r.Kernel, n), slices.Grow(r.From, n+1)
	r.Start, r.End = slices.Grow(r.Start, n), slices.Grow(r.End, n)
	r.Items, r.Modes = slices.Grow(r.Items, accesses), slices.Grow(r.Modes, accesses)
	r.Bins, r.Classes = slices.Grow(r.Bins, accesses), slices.Grow(r.Classes, accesses)
}

// lasts returns when e begins and ends, and makes the run last until then.
func (r *Run) lasts(e *loi.Event) (start, end int64) {
	if !r.begun {
		r.begun, r.First = true, e.Start
		if r.Header.Substrate == loi.Simulated { // it begins at 0
			r.First = min(0, e.Start)
		}
	}
	start, end = e.Start-r.First, max(e.Start, e.End)-r.First
	r.Ticks = max(r.Ticks, end)
	return start, end
}

// told takes an event of the runtime.
func (d *reader) told(e *loi.Event, at int64) {
	r := d.run
	switch e.Event {
	case loi.EventIdle:
		r.Searches = true
		if d.since[e.Worker] < 0 {
			d.since[e.Worker] = at
		}
	case loi.EventBusy:
		r.Searches = true
		if from := d.since[e.Worker]; from >= 0 {
			d.since[e.Worker] = -1
			d.searched(e.Worker, Span{from, max(from, at)})
		}
	case loi.EventSteal:
		r.Stealing = true
		if len(e.Args) > 0 && int(e.Args[0]) < len(r.Header.Workers) && at >= r.Window.From && at <= r.Window.To {
			r.Steals = append(r.Steals, Steal{at, uint16(e.Worker), uint16(e.Args[0])})
		}
	}
}

// searched takes note of a search, of the window.
func (d *reader) searched(worker int, s Span) {
	r := d.run
	if r.Before != nil {
		if s = (Span{max(s.From, r.Window.From), min(s.To, r.Window.To)}); s.From >= s.To {
			return
		}
	}
	r.Idle[worker] = append(r.Idle[worker], s)
}

// access does an access on its node. It returns the units, the distance and the size of the cache that
// serves it; units are valid until the next access.
func (d *reader) access(e *loi.Event, a *loi.Access) (found []uint32, far, needs uint64, err error) {
	if found, err = d.units.Of(a); err != nil {
		return nil, 0, 0, err
	}
	node := d.nodes[nodeOf(d.run.Header, e.Worker)]
	d.bytes = d.bytes[:0]
	var size uint64
	for _, u := range found {
		b := d.units.Bytes(u)
		d.bytes = append(d.bytes, b)
		size += b
		d.lies(u, a)
	}
	if len(found) == 1 {
		d.dist = append(d.dist[:0], node.Access(found[0], size))
	} else {
		d.dist = slices.Grow(d.dist[:0], len(found))[:len(found)]
		node.AccessAll(found, d.bytes, d.dist)
	}
	far, needs = krd.WholeDistance(d.bytes, d.dist)
	return found, far, needs, nil
}

// binOf returns the bin of a distance.
func binOf(distance uint64) uint8 {
	if distance == stack.Cold {
		return ColdBin
	}
	return uint8(bits.Len64(distance))
}

// nodeOf returns the node of a worker.
func nodeOf(h *loi.Header, worker int) int { return h.Workers[worker].Node }

// class returns that of an access which a cache of needs bytes serves.
func (r *Run) class(needs uint64) Class {
	h := r.Header
	switch {
	case needs == stack.Cold:
		return Cold
	case h.L2Bytes != 0 && needs <= h.L2Bytes:
		return Close
	case h.LLCBytes != 0 && needs > h.LLCBytes:
		return Far
	case h.L2Bytes != 0 && h.LLCBytes != 0:
		return Near
	}
	return Reuse
}

// lies takes note of where a unit lies that a touches.
func (d *reader) lies(u uint32, a *loi.Access) {
	for int(u) >= len(d.place) {
		d.place = append(d.place, place{})
	}
	if p := &d.place[u]; !p.known {
		*p = place{object: a.Object, known: true, at: a.Block}
	}
}

// list returns the item of several units.
func (d *reader) list(found []uint32) uint32 {
	d.key = d.key[:0]
	for _, u := range found {
		d.key = append(d.key, byte(u), byte(u>>8), byte(u>>16), byte(u>>24))
	}
	n, ok := d.lists[string(d.key)]
	if !ok {
		n = aList | uint32(len(d.listed))
		d.lists[string(d.key)] = n
		d.listed = append(d.listed, slices.Clone(found))
	}
	return n
}

// end numbers units as they lie, and closes searches that the end of the run did.
func (d *reader) end(t *loi.Trace) {
	r := d.run
	r.From = append(r.From, uint32(len(r.Items)))
	for w, from := range d.since {
		if from >= 0 && from < r.Ticks {
			d.searched(w, Span{from, r.Ticks})
		}
	}
	objects := t.Header.Registry.Objects
	for i := range objects { // blocks that nothing touches lie there too
		if o := &objects[i]; o.Kind == loi.Partition {
			base := t.BlockBase(loi.ObjectID(i))
			for b := range o.Len() {
				u := base + uint32(b)
				d.lies(u, &loi.Access{Object: loi.ObjectID(i), Block: uint64(b)})
			}
		}
	}
	order := make([]uint32, 0, len(d.place))
	for u := range d.place {
		if d.place[u].known {
			order = append(order, uint32(u))
		}
	}
	slices.SortFunc(order, func(a, b uint32) int { // atoms are numbered as they lie
		p, q := &d.place[a], &d.place[b]
		if c := cmp.Compare(p.object, q.object); c != 0 {
			return c
		}
		if objects[p.object].Kind == loi.Keyed {
			return cmp.Compare(p.at, q.at)
		}
		return cmp.Compare(a, b)
	})
	layout := layouts(t)
	to := make([]uint32, len(d.place))
	for i, u := range order {
		to[u] = uint32(i)
		bytes, o := d.units.Bytes(u), d.place[u].object
		r.Bytes = append(r.Bytes, bytes)
		if i == 0 || o != d.place[order[i-1]].object {
			r.Objects = append(r.Objects, Area{Name: objects[o].Name, Kind: objects[o].Kind,
				First: Unit(i), Layout: layout(o)})
		}
		last := &r.Objects[len(r.Objects)-1]
		last.Units++
		last.Bytes += bytes
	}
	if r.Before != nil {
		d.past.end(r, to)
	}
	for _, l := range d.listed {
		for i, u := range l {
			l[i] = to[u]
		}
		slices.Sort(l)
	}
	r.Lists = d.listed
	for i, item := range r.Items {
		if item&aList != 0 {
			r.Items[i] = uint32(len(r.Bytes)) + item&^aList
		} else {
			r.Items[i] = to[item]
		}
	}
}

// Units returns those of an item.
func (r *Run) Units(item uint32) []Unit {
	if int(item) < len(r.Bytes) {
		return []Unit{item}
	}
	return r.Lists[int(item)-len(r.Bytes)]
}

// ByWorker returns the numbers of the executions of each worker, in the order in which they began.
func (r *Run) ByWorker() [][]int32 {
	list := make([][]int32, len(r.Header.Workers))
	for k, w := range r.Worker {
		list[w] = append(list[w], int32(k))
	}
	return list
}

// Node returns that of a kernel's worker.
func (r *Run) Node(kernel int) int { return nodeOf(r.Header, int(r.Worker[kernel])) }

// Length returns how long the run is that [Read] reads, in ticks. Errors: those of
// [loi.Trace.Ordered]. Cost: a pass over the trace.
func Length(t *loi.Trace, allowLoss bool) (int64, error) {
	r := &Run{Header: &t.Header}
	for e, err := range t.Ordered(loi.Order{Events: true, AllowLoss: allowLoss}) {
		if err != nil {
			return 0, err
		}
		r.lasts(e)
	}
	return r.Ticks, nil
}
