// Package loops finds what the iterations of a Go program's loops depend on each other by, how
// these are removed, and the class of each loop. The analyses dependences and regions print it.
//
//	events -> flow -> Loops: kinds of dependences, with how often and how far -> Verdicts
//
// A dependence is of three orders: a read behind a write (flow, RAW), a write behind a read (anti,
// WAR), a write behind a write (output, WAW), of a datum in memory or of a variable that has a slot.
// A cell is a value that was written to a place, with the reads of it since. An access depends on the
// cell that is there; the loop that carries the dependence is the one that both are in, entered once,
// in other iterations. Of reads the last of each operand is kept, and the last in another iteration
// of each loop around it: those before are behind these in all that a later write can tell.
//
// What is done with the trace is only to count kinds of dependences: by operations of the source and
// the loops around them. Verdicts are drawn from these (verdict.go).
//
// Variables that are declared in an iteration, and slots without a name (conditions, results of
// calls), do not live longer than it. Sends and receives of a goroutine are writes of one place. The
// structure of a map is none: two entries are independent of each other, though Go's maps may not be
// written by two goroutines at once.
//
// Memory: a cell for each datum, with the last reads of each operand that reads it. Cost: a look-up
// for each access and operand.
package loops

import (
	"krdlab/krd/analysis/flow"
	"krdlab/loi"
)

// Order is which of two accesses is a write. The zero value is invalid.
type Order uint8

// The orders.
const (
	RAW Order = iota + 1 // flow: a read of what was written
	WAR                  // anti: a write of what was read
	WAW                  // output
)

// String returns "RAW", "WAR" or "WAW".
func (o Order) String() string { return [...]string{"", "RAW", "WAR", "WAW"}[o] }

// A Point is a value of an operation; or, beyond the operations of the trace, accesses of the
// function of that kernel without an operation.
type Point struct {
	Operation uint32
	Value     uint16
}

// A Kind are the dependences that a trace does not tell apart but by their number and distances.
type Kind struct {
	Order    Order
	From, To Point
	Operand  uint16 // of the value that reads; 0 of WAW
	Control  bool
	Through  int32 // an object, or a variable: see [Loops.Name]
	// Other: the reader is another goroutine.
	Other bool

	before, after *flow.Context // of both
	same          int           // so many loops are the same iteration of both
	carried       bool          // by the next one
	own           int           // of a WAR: what was read was written in the same iteration of so many
}

// Carrier returns the loop that carries a kind; false: none does.
func (k *Kind) Carrier() (loi.RegionID, bool) {
	if !k.carried {
		return 0, false
	}
	return k.at(k.same), true
}

// at returns a loop around the code behind, by how many are around that; both must be in it.
func (k *Kind) at(depth int) loi.RegionID {
	c := k.after
	for c.Depth > depth {
		c = c.Parent
	}
	return c.Loop
}

// Times is how often a kind was met, and with which distances.
type Times struct {
	N         uint64
	Distances []Distance // the first that were met
	Others    uint64     // met with others
	Least     int64      // distance in the loop that carries it
	Most      int64
}

// A Distance is how many iterations are between, for the loop that carries the dependence and those
// in it, the outermost first, as far as both are in the same in the source.
type Distance struct {
	Vector []int64
	N      uint64
}

// mostDistances is how many distances of a kind are kept apart: an index that is data has any number.
const mostDistances = 8

// Loops takes the values of a trace: see [flow.Flow].
type Loops struct {
	Flow  *flow.Flow[*cell]
	Kinds map[Kind]*Times
	Order []Kind // in which they were met

	registry *loi.Registry
	ahead    map[*loi.Operand]Stepped // see [Ahead]
	memory   map[place]*cell
	talks    []*cell                // of each worker: what it last did with channels
	through  []variable             // by number
	numbers  map[slot]int32         // of variables
	kept     [][]bool               // by operation: slots of its function that not only declarations write
	blind    map[loi.RegionID]Point // loops in which something is not seen, and what
	begins   map[Point]bool         // what a loop begins with, and its head does not write again
	recent   [1 << 10]struct {      // kinds that were counted, to spare the map
		Kind
		*Times
	}
}

// A place is a datum.
type place struct {
	object loi.ObjectID
	block  uint64
}

// A slot is one of a function.
type slot struct {
	function loi.RegionID
	n        uint32
}

type variable struct {
	slot
	name string
}

// channels is the variable that sends and receives write.
const channels = -1

// A cell is a value that was written to a place.
type cell struct {
	at      *flow.Iteration
	by      Point
	worker  int32 // nobody: it is not known who wrote it
	through int32 // of what it is a part
	reads   *read
	// before was at the place before a write whose value is not known yet.
	before *cell
}

const nobody = -1

// A read is the last one of an operand, and the last in other iterations of the loops around it.
type read struct {
	by      Point
	operand uint16
	worker  int32
	past          // the last
	next    *read // of another operand
}

// A past is the iteration of a read, and of those before it, latest first.
type past struct {
	at     *flow.Iteration
	before *past
}

// New returns the loops of a trace.
func New(h *loi.Header) *Loops {
	l := &Loops{Kinds: map[Kind]*Times{}, registry: &h.Registry, ahead: Ahead(&h.Registry), memory: map[place]*cell{},
		talks: make([]*cell, len(h.Workers)), numbers: map[slot]int32{}, begins: map[Point]bool{},
		blind: map[loi.RegionID]Point{}, through: make([]variable, 1)}
	kept := map[loi.RegionID]*[]bool{}
	for i := range h.Registry.Operations {
		o := &h.Registry.Operations[i]
		of := kept[o.Region]
		if of == nil {
			of = new([]bool)
			kept[o.Region] = of
		}
		for n, v := range o.Values {
			if p := (Point{uint32(i), uint16(n)}); v.When == loi.First && l.canonical(p) == p {
				l.begins[p] = true
			}
			if v.To.Kind == loi.Slot && v.Name != "" && !v.New && o.Kind != loi.Entry {
				for uint32(len(*of)) <= v.To.N {
					*of = append(*of, false)
				}
				(*of)[v.To.N] = true
			}
		}
	}
	for i := range h.Registry.Operations {
		l.kept = append(l.kept, *kept[h.Registry.Operations[i].Region])
	}
	l.Flow = flow.New[*cell](h, l)
	return l
}

// Load implements [flow.Analysis].
func (l *Loops) Load(_ int, a *loi.Access, c **cell) {
	at := place{a.Object, a.Block}
	if *c = l.memory[at]; *c == nil {
		*c = &cell{worker: nobody, through: int32(a.Object)}
		l.memory[at] = *c
	}
	if a.Mode&loi.Out != 0 {
		l.memory[at] = &cell{worker: nobody, through: int32(a.Object), before: *c}
	}
}

// Store implements [flow.Analysis].
func (l *Loops) Store(_ int, a *loi.Access, c *cell) {
	at := place{a.Object, a.Block}
	c.through = int32(a.Object)
	was := l.memory[at]
	if was == nil || was.before == nil {
		l.written(was, c)
		l.memory[at] = c
		return
	}
	l.written(was.before, c)
	c.reads = was.reads
	*was = *c
}

// Overwrite implements [flow.Overwriter].
func (l *Loops) Overwrite(old, c *cell) {
	if c.worker == nobody || old == nil {
		return
	}
	if v := l.value(c.by); v.Name != "" && !v.New {
		l.written(old, c)
	}
}

// Value implements [flow.Analysis].
func (l *Loops) Value(s *flow.Step, value uint16, c **cell) {
	at := s.At
	if s.Value.When == loi.First && l.begins[Point{s.Number, value}] {
		at = at.Parent // it stands before the loop
	}
	n := &cell{at: at, by: Point{s.Number, value}, worker: int32(s.Worker), through: channels}
	*c = n
	if s.Value.Blind {
		for in := s.At.In(); in != nil; in = in.Parent {
			if _, known := l.blind[in.Loop]; !known {
				l.blind[in.Loop] = Point{s.Number, value}
			}
		}
	}
	if talks(s.Value) {
		talk := *n
		l.written(l.talks[s.Worker], &talk)
		l.talks[s.Worker] = &talk
	}
	if to := s.Value.To; to.Kind == loi.Slot {
		n.through = l.number(slot{s.Region, to.N}, s.Value.Name)
	}
}

// talks reports that a value is sent, or is of what was received.
func talks(v *loi.Value) bool {
	if v.To.Kind == loi.Channel {
		return true
	}
	for i := range v.Operands {
		if v.Operands[i].From.Kind == loi.Channel {
			return true
		}
	}
	return false
}

// number returns that of a variable.
func (l *Loops) number(s slot, name string) int32 {
	n, ok := l.numbers[s]
	if !ok {
		n = int32(-1 - len(l.through))
		l.numbers[s], l.through = n, append(l.through, variable{s, name})
	}
	return n
}

// Operand implements [flow.Analysis].
func (l *Loops) Operand(s *flow.Step, x *loi.Operand, c **cell) {
	if s.Kind == loi.CallSite && s.Value.To.Kind == loi.Slot {
		return // a result of a call: it depends on the arguments, which are values of their own
	}
	value := uint16(0)
	for &s.Values[value] != s.Value {
		value++
	}
	operand := uint16(0)
	for &s.Value.Operands[operand] != x {
		operand++
	}
	keep := x.From.Kind == loi.Memory
	if kept := l.kept[s.Number]; x.From.Kind == loi.Slot && !x.Control {
		keep = int(x.From.N) < len(kept) && kept[x.From.N]
	}
	for *c != nil && (*c).before != nil {
		*c = (*c).before // what the operation is about to write is recorded before what it reads
	}
	if *c == nil {
		if !keep {
			return
		}
		*c = &cell{worker: nobody, through: l.number(slot{s.Region, x.From.N}, "")}
	}
	l.reads(*c, read{by: Point{s.Number, value}, operand: operand, worker: int32(s.Worker),
		past: past{at: s.At}}, x.Control, keep, func(to *flow.Iteration) bool { return s.Decides(x, to) })
}

// Received implements [flow.Receiver].
func (l *Loops) Received(s *flow.Step, x *loi.Operand, c **cell, class loi.ObjectID) {
	sent := **c
	sent.through, sent.reads = int32(class), nil
	at := &sent
	l.Operand(s, x, &at)
}

// Loose implements [flow.Gatherer].
func (l *Loops) Loose(worker int, function loi.KernelID, at *flow.Iteration, a *loi.Access,
	before **cell) {
	by := Point{uint32(len(l.registry.Operations)) + uint32(function), 0}
	if a.Mode&loi.In != 0 {
		l.reads(*before, read{by: by, worker: int32(worker), past: past{at: at}}, false, true,
			func(*flow.Iteration) bool { return true })
	}
	if a.Mode&loi.Out != 0 {
		l.Store(worker, a, &cell{at: at, by: by, worker: int32(worker)})
	}
}

// reads counts that a cell is read.
func (l *Loops) reads(c *cell, r read, control, keep bool, counts func(*flow.Iteration) bool) {
	if c.worker != nobody {
		k := Kind{Order: RAW, From: c.by, To: r.by, Operand: r.operand, Control: control,
			Through: c.through}
		if c.worker != r.worker {
			k.Other, k.before, k.after = true, c.at.In(), r.at.In()
			l.count(k, nil, nil, nil, nil)
		} else if same, from, to := flow.Common(c.at, r.at); from == nil || counts(to) {
			k.same = same
			l.count(k, c.at, r.at, from, to)
		}
	}
	if keep {
		c.read(r)
	}
}

// read keeps a read.
func (c *cell) read(r read) {
	for x := c.reads; x != nil; x = x.next {
		if x.by != r.by || x.operand != r.operand {
			continue
		}
		if x.at == r.at {
			return
		}
		// Of those before, the ones in another iteration of a loop further out stay.
		same, from, _ := flow.Common(x.at, r.at)
		kept := &x.past.before
		for b := x.past.before; b != nil; b = b.before {
			if s, f, _ := flow.Common(b.at, x.at); f != nil && (from == nil || s < same) {
				*kept = b
				kept = &b.before
			}
		}
		*kept = nil
		if from != nil {
			x.past.before = &past{x.at, x.past.before}
		}
		x.at, x.worker = r.at, r.worker
		return
	}
	r.next = c.reads
	c.reads = &r
}

// written counts that a cell is overwritten by another; old may be nil.
func (l *Loops) written(old, c *cell) {
	if old == nil || c.worker == nobody {
		return
	}
	if old.worker == c.worker {
		if same, from, to := flow.Common(old.at, c.at); from != nil {
			l.count(Kind{Order: WAW, From: old.by, To: c.by, Through: c.through, same: same}, old.at,
				c.at, from, to)
		}
	}
	for r := old.reads; r != nil; r = r.next {
		if r.worker != c.worker {
			continue
		}
		for p := &r.past; p != nil; p = p.before {
			l.overwritten(old, r, p.at, c)
		}
	}
}

// overwritten counts that what was read of a cell in an iteration is overwritten: in the same one too,
// for what that had not written itself.
func (l *Loops) overwritten(old *cell, r *read, at *flow.Iteration, c *cell) {
	same, from, to := flow.Common(at, c.at)
	k := Kind{Order: WAR, From: r.by, To: c.by, Operand: r.operand, Through: c.through, same: same}
	if old.worker == c.worker {
		k.own, _, _ = flow.Common(old.at, at)
		k.own = min(k.own, same+1) // more adds nothing
	}
	if from != nil || k.own < same {
		l.count(k, at, c.at, from, to)
	}
}

// count counts a dependence between two iterations, from and to, of the loop that carries it, and
// in others; nil: none does.
func (l *Loops) count(k Kind, before, after, from, to *flow.Iteration) {
	if !k.Other {
		k.before, k.after, k.carried = before.In(), after.In(), from != nil
	}
	r := &l.recent[(5*k.From.Operation+7*k.To.Operation+uint32(3*k.From.Value+11*k.To.Value)+
		uint32(13*k.Operand)+uint32(k.Order)+uint32(17*k.same))%uint32(len(l.recent))]
	if k != r.Kind || r.Times == nil {
		if r.Kind, r.Times = k, l.Kinds[k]; r.Times == nil {
			r.Times = &Times{}
			l.Kinds[k] = r.Times
			l.Order = append(l.Order, k)
		}
	}
	t := r.Times
	t.N++
	if from == nil {
		return
	}
	d := to.Number - from.Number
	if t.Least == 0 || d < t.Least {
		t.Least = d
	}
	t.Most = max(t.Most, d)
	var room [8]int64
	vector := distance(room[:0], before, after, from, to)
	for i := range t.Distances {
		if equal(t.Distances[i].Vector, vector) {
			t.Distances[i].N++
			return
		}
	}
	if len(t.Distances) == mostDistances {
		t.Others++
		return
	}
	t.Distances = append(t.Distances, Distance{append([]int64(nil), vector...), 1})
}

func equal(a, b []int64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// distance appends how many iterations are between w and r, for the carrier and the loops in it,
// the outermost first, as far as both are in the same in the source.
func distance(vector []int64, w, r, from, to *flow.Iteration) []int64 {
	a, b := w.Context.Loops(), r.Context.Loops()
	top := from.Context.Loops()
	for ; a > b; a-- {
		w = w.Parent
	}
	for ; b > a; b-- {
		r = r.Parent
	}
	for ; w.Context != r.Context; a-- {
		w, r = w.Parent, r.Parent
	}
	n := a - top + 1
	for range n {
		vector = append(vector, 0)
	}
	for i := n - 1; i >= 0; i-- {
		vector[i] = r.Number - w.Number
		w, r = w.Parent, r.Parent
	}
	return vector
}

// canonical returns a point, or the one by which a loop's head steps a variable, if the point is
// the variable's first value in the loop.
func (l *Loops) canonical(p Point) Point {
	v := l.value(p)
	if v.When != loi.First {
		return p
	}
	for i, x := range l.registry.Operations[p.Operation].Values {
		if x.When == loi.Later && x.To == v.To {
			return Point{p.Operation, uint16(i)}
		}
	}
	return p
}

// value returns that of a point of an operation.
func (l *Loops) value(p Point) *loi.Value {
	if int(p.Operation) >= len(l.registry.Operations) {
		return &loi.Value{}
	}
	return &l.registry.Operations[p.Operation].Values[p.Value]
}
