// Package goroutines computes reuse distances over the schedules of a Go program whose trace has
// the operations by which its goroutines wait for each other. Package tasks does so for spawns and
// joins, where the orders are a tree; here they follow from channels, locks and the other rows of
// the table in docs/interleavings.md.
//
//	trace -> Read -> Program -> Explore: schedules, their distances -> Groups
//
// A piece is the accesses of a goroutine between two of its operations. A schedule is an order of
// the pieces and of the acquisitions of locks that the operations allow. An operation that is no
// acquisition takes effect as soon as it can: taking effect later only forbids orders, so that no
// order of the pieces is lost. All goroutines share one LRU stack.
//
// # Rejected
//
//   - A graph with a vertex for a piece and what it ends with: a sender may go on before the value
//     is received, so that the piece behind a send is not ordered before that behind the receive.
//   - Orders of critical sections as recorded, as in [dag.Goroutines]: they are what differs most
//     between schedules.
package goroutines

import (
	"context"
	"fmt"
	"math"
	"regexp"

	"krdlab/hw/failure"
	"krdlab/krd"
	"krdlab/krd/analysis/interleave/engine"
	"krdlab/loi"
	"krdlab/loi/dag"
)

// ErrUnsuitable is wrapped by the error of a trace whose goroutines access nothing.
var ErrUnsuitable = failure.New(failure.Data, "the trace does not suit")

// A Program is the goroutines of a trace.
//
// Memory: 15 bytes an access of a unit, 8 where the next one is another goroutine's, and 34 a unit, 40
// an operation and 12 for each that another follows; while it is read, twice that, and that of [dag.GoroutineBuilder].
type Program struct {
	Objects           []string
	Types             []string // of objects that are named by a type and a place, each once
	Functions         []string
	L2Bytes, LLCBytes uint64
	Goroutines        int // with operations or accesses
	Kept              Kept
	CutAt             int // accesses of the longest piece that is not cut; 0: none is
	LeftOut           int // accesses that depend on unordered conflicts: see [Program.WithoutRaces]

	sizes      []uint64 // of units
	objectOf   []uint16 // of units
	typeOf     []int    // of objects, in Types; -1: none
	functionOf []int    // of kernels, in Functions
	// Piece i is followed by operation i. A goroutine has the operations from first[g] on, to
	// first[g+1], and piece i the accesses from[i] to from[i+1].
	first      []int32
	orphans    []bool  // of goroutines: the trace does not tell who started them; not of the first
	workers    int     // goroutines from here on are joins of wait groups: an operation each
	of         []int32 // the goroutine of an operation
	at         []int64 // when an operation took effect, in ticks
	from       []int
	units      []uint32
	copies     []uint32 // of an access: the number of the pair of its goroutine and its unit
	modes      []loi.Mode
	kernels    []loi.KernelID
	pairs      int
	takes      []access // of a piece: the lock that it begins with
	gives      []access // of an operation: the lock that it releases
	locks      int
	paired     []bool // of a lock: who holds it releases it
	edges      []edge
	after      []int32 // of events, in edges: those of event e from after[e] on, to after[e+1]
	waits      []int32 // of an operation: events that it follows
	turns      []turn  // the accesses in the order of the trace
	part       []bool  // of a piece: another part of it follows; nil: none is cut
	operations int     // in the trace
	choices    int     // pieces that are chosen: with accesses, or a lock that they begin with
}

// An access is a use of a lock: 0 is none, lock n is n+1 to write and -n-1 to read.
type access int32

// A turn is the next so many accesses of a goroutine.
type turn struct {
	by, n int32
}

// An event is that the goroutine of operation o has come to it, 2 o, or that it took effect,
// 2 o + 1.
type event int32

func come(o int32) event { return event(2 * o) }
func done(o int32) event { return event(2*o + 1) }

// An edge is that an operation takes effect after an event.
type edge struct {
	by  event
	to  int32
	why why
}

// A why is the origin of an edge.
type why uint8

const (
	ofGo    why = iota // any schedule has it
	asKept             // another schedule would do something else than the recorded one
	derived            // from these and from locks: a schedule without it cannot end
)

// Kept counts what is kept as recorded, though another schedule may do otherwise: the model is
// narrower than the program there.
type Kept struct {
	// Channels have several senders or receivers: their order, and so who receives what, is kept.
	Channels int `json:"channels"`
	// Selects are operations that a select chose.
	Selects int `json:"selects"`
	// Atomics are variables that several goroutines use and one writes: each read sees the same write.
	Atomics int `json:"atomics"`
	// Onces are used by several goroutines: the same one runs its function.
	Onces int `json:"onces"`
	// Signals wake the same waiters.
	Signals int `json:"signals"`
	// Unmatched operations follow one that is not in the trace, and are taken to follow none.
	Unmatched int `json:"unmatched"`
	// Contradicted constraints would keep the recorded run from ending, and are dropped.
	Contradicted int `json:"contradicted"`
	// Unended goroutines had not ended when the program did: all that they did is in each schedule.
	Unended int `json:"unended"`
}

// Most makes each number the larger one of two.
func (k *Kept) Most(o *Kept) {
	for _, x := range [][2]*int{{&k.Channels, &o.Channels}, {&k.Selects, &o.Selects}, {&k.Atomics, &o.Atomics},
		{&k.Onces, &o.Onces}, {&k.Signals, &o.Signals}, {&k.Unmatched, &o.Unmatched},
		{&k.Contradicted, &o.Contradicted}, {&k.Unended, &o.Unended}} {
		*x[0] = max(*x[0], *x[1])
	}
}

// Pieces returns the number of pieces that are chosen, one after the other: those with accesses,
// and acquisitions of locks.
func (p *Program) Pieces() int { return p.choices }

// Operations returns the number of operations, with starts and ends of goroutines.
func (p *Program) Operations() int { return p.operations }

// Accesses returns the number of accesses.
func (p *Program) Accesses() int { return len(p.units) }

// Longest returns the accesses of the longest piece: no schedule interrupts it.
func (p *Program) Longest() (most int) {
	for i := range p.of {
		most = max(most, p.from[i+1]-p.from[i])
	}
	return most
}

// Bytes returns the bytes of all data that is accessed.
func (p *Program) Bytes() (sum uint64) {
	for _, n := range p.sizes {
		sum += n
	}
	return sum
}

// Bytes of memory, about: see [Program].
const (
	bytesPerAccess    = 3*15 + 8
	bytesPerUnit      = 3 * 34
	bytesPerOperation = 2*88 + 2*(40+12)
)

// strand has the accesses and operations of a worker of the trace.
type strand struct {
	units   []uint32
	modes   []loi.Mode
	kernels []loi.KernelID
	ends    []int   // of pieces, in units
	chosen  []int32 // which of them a select chose
	begun   []int   // accesses, in units, that an [loi.EventLines] may still tell the lines of
}

// reader reads a trace.
type reader struct {
	*Program
	memory  *engine.Account
	numbers *krd.Units
	number  []uint32 // of a unit of numbers, plus 1
	strands []strand
	total   int
	lines   []loi.KernelID // of the last event that tells them
	known   bool           // there are such events
}

// Read reads a trace with operations of goroutines. A range of an address space is taken for an
// access to each of its parts. It takes what it allocates from memory, about. Errors:
// [engine.ErrLimit], [ErrUnsuitable], [dag.ErrGoroutines], those of [krd.NewUnits] and
// [loi.Trace.Ordered], and of ctx. Cost: a pass over the trace, and another over one with address
// spaces; O(n log n) for n operations.
func Read(ctx context.Context, t *loi.Trace, memory *engine.Account) (*Program, error) {
	r := &reader{Program: &Program{L2Bytes: t.Header.L2Bytes, LLCBytes: t.Header.LLCBytes}, memory: memory,
		strands: make([]strand, len(t.Header.Workers)), known: t.Tells(loi.EventLines)}
	types, functions := map[string]int{}, map[string]int{}
	for i := range t.Header.Registry.Objects {
		name := t.Header.Registry.Objects[i].Name
		r.Objects = append(r.Objects, name)
		of := -1
		if m := madeAt.FindStringSubmatch(name); m != nil {
			of = numberOf(&r.Types, types, m[1])
		}
		r.typeOf = append(r.typeOf, of)
	}
	for i := range t.Header.Registry.Kernels {
		name := t.Header.Registry.Kernels[i].Name
		if m := atLine.FindStringSubmatch(name); m != nil {
			name = m[1]
		}
		r.functionOf = append(r.functionOf, numberOf(&r.Functions, functions, name))
	}
	var err error
	if r.numbers, err = krd.NewUnits(t); err != nil {
		return nil, err
	}
	b := dag.NewGoroutines(&t.Header)
	n := 0
	for e, err := range t.Ordered(loi.Order{Events: true, AllowLoss: true}) {
		if n++; err == nil && n%checkEvery == 0 {
			err = ctx.Err()
		}
		if err == nil {
			err = b.Event(e)
		}
		if err == nil {
			err = r.event(e)
		}
		if err != nil {
			return nil, err
		}
	}
	if r.total == 0 {
		return nil, fmt.Errorf("%w: its goroutines access nothing", ErrUnsuitable)
	}
	return r.end(b.End())
}

const checkEvery = 1 << 16

// Names of objects of Go programs have a type and the place where they were made, those of kernels may
// have a line (see [loi.LinesArgs]).
var (
	madeAt = regexp.MustCompile(`^(.+), (?:\w+ at \S+:\d+|made where nothing was rewritten)$`)
	atLine = regexp.MustCompile(`^(.+), \S+:\d+$`)
)

// numberOf returns the number of a name in a list, to which it is added when it is first seen.
func numberOf(list *[]string, seen map[string]int, name string) int {
	n, ok := seen[name]
	if !ok {
		n = len(*list)
		seen[name] = n
		*list = append(*list, name)
	}
	return n
}

func (r *reader) event(e *loi.Event) error {
	s := &r.strands[e.Worker]
	switch e.Type {
	case loi.EventRecord:
		var ok bool
		if r.lines, ok = e.Record.Lines(r.lines[:0]); ok {
			s.place(r.lines)
			return nil
		}
		sync, ok := e.Record.Sync()
		if sync.Selected {
			r.Kept.Selects++
			s.chosen = append(s.chosen, int32(len(s.ends)))
		}
		if _, _, goroutine := e.Goroutine(); ok || goroutine {
			s.ends = append(s.ends, len(s.units))
			return r.take(bytesPerOperation)
		}
	case loi.TaskRecord:
		for i := range e.Calls {
			if err := r.add(e.Worker, e.Calls[i].Kernel, e.CallAccesses(&e.Calls[i])); err != nil {
				return err
			}
		}
	default:
		return r.add(e.Worker, e.Kernel, e.Accesses())
	}
	return nil
}

// place puts lines in the place of functions: those of the accesses since the event before.
func (s *strand) place(lines []loi.KernelID) {
	for i, from := range s.begun {
		to := len(s.kernels)
		if i+1 < len(s.begun) {
			to = s.begun[i+1]
		}
		for ; i < len(lines) && lines[i] != loi.NoKernel && from < to; from++ {
			s.kernels[from] = lines[i]
		}
	}
	s.begun = s.begun[:0]
}

func (r *reader) take(bytes float64) error {
	if r.memory.Has(bytes) {
		return nil
	}
	return r.memory.Take(0, "its first %d accesses fill the memory; ask for more --memory", r.total)
}

func (r *reader) add(worker int, kernel loi.KernelID, list []loi.Access) error {
	s, begun := &r.strands[worker], r.total
	defer func() {
		if n := len(r.turns); n > 0 && int(r.turns[n-1].by) == worker && r.turns[n-1].n < math.MaxInt32/2 {
			r.turns[n-1].n += int32(r.total - begun)
		} else {
			r.turns = append(r.turns, turn{int32(worker), int32(r.total - begun)})
		}
	}()
	for i := range list {
		of, err := r.numbers.Of(&list[i])
		if err != nil {
			return err
		}
		if r.known {
			s.begun = append(s.begun, len(s.units))
		}
		for _, old := range of {
			for int(old) >= len(r.number) {
				r.number = append(r.number, 0)
			}
			bytes := float64(bytesPerAccess)
			if r.number[old] == 0 {
				r.sizes = append(r.sizes, r.numbers.Bytes(old))
				r.objectOf = append(r.objectOf, uint16(list[i].Object))
				r.number[old] = uint32(len(r.sizes))
				bytes += bytesPerUnit
			}
			if err := r.take(bytes); err != nil {
				return err
			}
			if r.total++; r.total > math.MaxUint32 {
				return fmt.Errorf("%w: 2^32 accesses or more", engine.ErrLimit)
			}
			s.units = append(s.units, r.number[old]-1)
			s.modes = append(s.modes, list[i].Mode)
			s.kernels = append(s.kernels, kernel)
		}
	}
	return nil
}

// end puts together what the workers did, each after the other, and finds what orders it.
func (r *reader) end(g *dag.Goroutines) (*Program, error) {
	p := r.Program
	p.Kept.Unended = int(g.Unended)
	// operations by worker, in program order
	place, next := make([]int32, len(g.Ops)), make([]int32, len(g.Goroutines))
	n := int32(0)
	p.first = make([]int32, len(g.Goroutines)+1)
	for w := range g.Goroutines {
		p.first[w], next[w] = n, n
		p.orphans = append(p.orphans, g.Goroutines[w].Started < 0 && !g.Goroutines[w].Timed && g.Goroutines[w].Number > 1)
		if n += int32(g.Goroutines[w].Ops); g.Goroutines[w].Ops > 0 {
			p.Goroutines++
		}
	}
	p.first[len(g.Goroutines)] = n
	p.workers, p.operations = len(g.Goroutines), int(n)
	for i := range g.Ops {
		if w := g.Ops[i].Worker; w >= 0 {
			place[i] = next[w]
			next[w]++
		}
	}
	p.of, p.at = make([]int32, n), make([]int64, n)
	for i := range g.Ops {
		if o := &g.Ops[i]; o.Worker >= 0 {
			p.of[place[i]], p.at[place[i]] = o.Worker, o.At
		}
	}
	c := &constraints{Program: p, g: g, place: place, chosen: map[int32]bool{}}
	seen := make([]uint32, len(p.sizes)) // by unit: 1 + the pair, of the worker
	p.from = make([]int, 1, n+1)
	for w := range r.strands {
		s := &r.strands[w]
		base, begin := len(p.units), uint32(p.pairs)
		for k := range int(p.first[w+1] - p.first[w]) {
			end := len(s.units) // of what has no operation behind it
			if k < len(s.ends) {
				end = s.ends[k]
			}
			p.from = append(p.from, base+end)
		}
		p.units, p.modes = append(p.units, s.units...), append(p.modes, s.modes...)
		p.kernels = append(p.kernels, s.kernels...)
		for _, u := range s.units {
			if seen[u] <= begin {
				p.pairs++
				seen[u] = uint32(p.pairs)
			}
			p.copies = append(p.copies, seen[u]-1)
		}
		for _, k := range s.chosen {
			c.chosen[p.first[w]+k] = true
		}
		*s = strand{}
	}
	c.find()
	p.choose()
	order, err := c.settle()
	if err == nil {
		p.derive(order, r.memory)
	}
	return p, err
}

// choose counts the pieces that schedules have.
func (p *Program) choose() {
	p.choices = 0
	for i := range p.of {
		if p.chosen(int32(i)) {
			p.choices++
		}
	}
}

// Cut returns the program with pieces of no more than so many accesses: schedules may interrupt it
// there. The programs share accesses.
func (p *Program) Cut(most int) *Program {
	q := *p
	q.CutAt = most
	q.first, q.of, q.at, q.from = make([]int32, 0, len(p.first)), nil, nil, []int{0}
	q.takes, q.gives, q.part = nil, nil, nil
	number := make([]int32, len(p.of))
	for g := range len(p.first) - 1 {
		q.first = append(q.first, int32(len(q.of)))
		for i := p.first[g]; i < p.first[g+1]; i++ {
			begin, takes := p.begin(i), p.takes[i]
			for from := p.from[i] + most; from < p.from[i+1]; from += most {
				// in the trace about as far as its accesses are
				done := float64(from-p.from[i]) / float64(p.from[i+1]-p.from[i])
				q.of, q.at = append(q.of, int32(g)), append(q.at, begin+int64(done*float64(p.at[i]-begin)))
				q.from, q.gives, q.takes = append(q.from, from), append(q.gives, 0), append(q.takes, takes)
				q.part, takes = append(q.part, true), 0
			}
			number[i], q.part = int32(len(q.of)), append(q.part, false)
			q.of, q.at = append(q.of, int32(g)), append(q.at, p.at[i])
			q.from, q.gives, q.takes = append(q.from, p.from[i+1]), append(q.gives, p.gives[i]), append(q.takes, takes)
		}
	}
	q.first = append(q.first, int32(len(q.of)))
	q.takes = append(q.takes, 0)
	q.edges = make([]edge, len(p.edges))
	for k, e := range p.edges {
		q.edges[k] = edge{event(2*number[e.by/2]) + e.by%2, number[e.to], e.why}
	}
	q.link()
	q.choose()
	return &q
}

// chosen reports whether a schedule has piece i: it has accesses, or begins with a lock.
func (p *Program) chosen(i int32) bool { return p.from[i] < p.from[i+1] || p.takes[i] != 0 }

// Rows returns how many rows outcomes have: objects, types, functions, and all.
func (p *Program) Rows() int { return len(p.Objects) + len(p.Types) + len(p.Functions) + 1 }

// ByRow returns the accesses of each row of an outcome.
func (p *Program) ByRow() []int {
	n := make([]int, p.Rows())
	for k, u := range p.units {
		o := int(p.objectOf[u])
		n[o]++
		if t := p.typeOf[o]; t >= 0 {
			n[len(p.Objects)+t]++
		}
		n[len(p.Objects)+len(p.Types)+p.functionOf[p.kernels[k]]]++
	}
	n[len(n)-1] = len(p.units)
	return n
}
