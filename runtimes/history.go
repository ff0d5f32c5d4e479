package runtimes

import (
	"fmt"
	"math"
	"slices"

	"krdlab/hw/failure"
	"krdlab/loi"
)

// A History is the operations of a run in virtual time, in their order, each with its worker, its
// price and the operations that it had to come after: pieces of a program that were queued before
// they were taken, strands that had ended before a join, the lock of a queue that was held before.
// [History.Retime] gives the operations other prices: the steps of each worker, and their order,
// stay.
//
// What an idle worker looks at in vain is no operation: a search lasts as long as what it ends with
// is not there, and costs what it took beyond that. With other prices the search waits for as long as it
// has to, and costs the same.
//
// The zero value is for [StepConfig.History]. Memory: some 80 bytes an operation and 8 and 4 for each
// block an execution of a kernel.
type History struct {
	call     uint64 // Costs.Call
	handover uint64 // Costs.Handover
	workers  int
	steps    [][]pastStep // chunkSteps in each but the last
	searches [][Prices]uint64
	needs    []int32 // of steps, one after the other
	execs    []pastExec
	blocks   []uint32
	locks    []pastLock // in the order in which they were asked for
	pieces   []pastPiece
	joins    []int32 // of pieces, one after the other
	last     int     // the worker that ended the run
	err      error
}

// A Price is a kind of price that [History.Retime] can leave out.
type Price uint8

// The prices of a runtime.
const (
	SpawnPrice  Price = iota // what is queued, taken back from the own queue, or placed
	JoinPrice                // arrivals at joins
	StealPrice               // steals that found something
	SearchPrice              // looks that found nothing, and rests between them
	LockPrice                // waiting for the lock of a queue, and its hand-over
	Prices
)

// pastStep is an operation of a worker. In this order it waits for the steps that it needs, and for a
// lock; computes; and costs.
type pastStep struct {
	worker int32
	needs  int32  // where the steps that it needs end in needs; they begin where those before end
	execs  int32  // where its executions of kernels end
	before int32  // the acquisition that it waits for, or -1
	kind   uint8  // of price; told: it moves no clock
	node   uint16 // told: of the queue
	waited uint64 // for a lock, where none is known that was held before
	gap    uint64 // beside kernels and prices: frames
	search int32  // its costs in searches, or -1
	price  uint64
	end    uint64
}

// chunkSteps is how many steps a chunk has: a list of millions is not copied as it grows.
const chunkSteps = 1 << 14

// length returns the number of steps.
func (h *History) length() int {
	if len(h.steps) == 0 {
		return 0
	}
	return (len(h.steps)-1)*chunkSteps + len(h.steps[len(h.steps)-1])
}

func (h *History) at(n int32) *pastStep { return &h.steps[n/chunkSteps][n%chunkSteps] }

// told is an operation on the lock of a queue that moves no clock, but holds up the memory.
const told = uint8(Prices)

// pastExec is an execution of a kernel.
type pastExec struct {
	kernel loi.KernelID
	piece  int32
	blocks int32 // where its blocks end
}

// pastLock is an acquisition of the lock of a queue.
type pastLock struct {
	step int32  // that held it; -1: a look in vain
	back uint64 // how long before the end of that step it was released
}

// pastPiece is code of the program: a child, or what follows the children of a phase. It begins when
// the pieces before it have ended.
type pastPiece struct{ joins int32 }

// maxHistory bounds the steps of a history: some 5 GB.
const maxHistory = 1 << 26

// ErrHistory is returned by [Step] for a run whose operations are too many to be kept.
var ErrHistory = failure.New(failure.Request, fmt.Sprintf("the run has more than %d operations, too "+
	"many to be kept: take a smaller size, or larger tasks", maxHistory))

// historian writes a history while a run goes on.
type historian struct {
	*History
	under  []underWay // by worker
	frames map[*Frame]*pastFrame
	free   []*pastFrame
	holder []int32 // by queue: the last acquisition of its lock
}

// underWay is the state of the step that a worker is in.
type underWay struct {
	from     uint64 // the end of its last step
	kernels  uint64 // time of those in this step
	ran      bool   // there are some
	gap      uint64
	needs    []int32
	piece    int32 // that runs
	lock     int32 // the last acquisition, -1
	released uint64
	before   int32
	waited   uint64
	waits    bool
	// since the search began: looks, one after the other; those of a price that follow each other are one
	looks    []look
	answered int32 // the step that answered its request
}

// look is a part of a search.
type look struct {
	until uint64
	price Price
}

// pastFrame is the record of a frame that has begun.
type pastFrame struct {
	queued  []int32 // by child: the step that queued it
	others  int32   // child-first: that queued the rest; otherwise: all children of the phase
	rest    int32   // that queued what follows the join
	arrived []int32 // steps in which strands of the phase ended
	phase   int32   // the piece that began the phase
	ends    []int32 // pieces with which its children ended
}

func newHistorian(h *History, s *stepper) *historian {
	*h = History{call: s.costs.Call, handover: s.costs.Handover, workers: len(s.all)}
	r := &historian{History: h, under: make([]underWay, len(s.all)), frames: map[*Frame]*pastFrame{},
		holder: slices.Repeat([]int32{-1}, len(s.queues))}
	for i := range r.under {
		r.under[i] = underWay{lock: -1, before: -1, answered: -1, piece: -1}
	}
	return r
}

// of returns the record of f.
func (h *historian) of(f *Frame) *pastFrame {
	p := h.frames[f]
	if p == nil {
		if n := len(h.free); n > 0 {
			p, h.free = h.free[n-1], h.free[:n-1]
			*p = pastFrame{queued: p.queued[:0], arrived: p.arrived[:0], ends: p.ends[:0]}
		} else {
			p = new(pastFrame)
		}
		p.others, p.rest, p.phase = -1, -1, -1
		h.frames[f] = p
	}
	return p
}

// next returns the number of the step that is under way.
func (h *historian) next() int32 { return int32(h.length()) }

// kernel notes an execution that takes ticks and begins now.
func (h *historian) kernel(worker int, now, ticks uint64, k loi.KernelID, blocks []uint32) {
	if h == nil {
		return
	}
	w := &h.under[worker]
	w.gap += now - h.call - w.from - w.kernels - w.gap
	w.kernels += h.call + ticks
	w.ran = true
	h.blocks = append(h.blocks, blocks...)
	h.execs = append(h.execs, pastExec{k, w.piece, int32(len(h.blocks))})
}

// touched is the kernel of an access to a structure of the runtime, whose blocks are the structure and
// whether it is written, the ticks that it took, or notCharged, and the worker.
const touched = loi.KernelID(math.MaxUint16)

// notCharged stands for the ticks of a look in vain, whose price holds them.
const notCharged = math.MaxUint32

// touches notes that a worker accesses a structure of the runtime, in ticks that are part of a price.
func (h *historian) touches(worker int, structure uint32, write bool, ticks uint32) {
	if h == nil {
		return
	}
	h.blocks = append(h.blocks, structure<<1|uint32(btoi(write)), ticks, uint32(worker))
	h.execs = append(h.execs, pastExec{touched, -1, int32(len(h.blocks))})
}

// runs notes that v begins child i of f.
func (h *historian) runs(v *stepWorker, f *Frame) {
	if h == nil {
		return
	}
	if p := h.of(f).phase; p >= 0 {
		h.joins = append(h.joins, p)
	}
	h.begin(v)
}

// begin makes v begin a piece behind those that were appended to joins.
func (h *historian) begin(v *stepWorker) {
	h.under[v.id].piece = int32(len(h.pieces))
	h.pieces = append(h.pieces, pastPiece{int32(len(h.joins))})
}

// ran notes that the child of f that v runs has returned c, nil if it has ended.
func (h *historian) ran(v *stepWorker, f, c *Frame) {
	if h == nil {
		return
	}
	piece := h.under[v.id].piece
	if c == nil {
		p := h.of(f)
		p.ends = append(p.ends, piece)
		return
	}
	h.of(c).phase = piece
}

// joined notes that v begins what follows the join of f.
func (h *historian) joined(v *stepWorker, f *Frame) {
	if h == nil {
		return
	}
	p := h.of(f)
	h.joins = append(h.joins, p.ends...)
	h.begin(v)
	p.phase, p.ends, p.arrived = h.under[v.id].piece, p.ends[:0], p.arrived[:0]
	p.others, p.rest, p.queued = -1, -1, p.queued[:0]
}

// ended notes that f, a child of parent, has ended.
func (h *historian) ended(v *stepWorker, f, parent *Frame) {
	if h == nil {
		return
	}
	if parent != nil {
		p := h.of(parent)
		p.ends = append(p.ends, h.under[v.id].piece)
	}
	if p := h.frames[f]; p != nil {
		h.free = append(h.free, p)
		delete(h.frames, f)
	}
}

// queued notes that the step under way makes an entry of f known to others.
func (h *historian) queued(f *Frame, i int32) {
	if h == nil {
		return
	}
	switch p := h.of(f); {
	case i == entryRest:
		p.rest = h.next()
	case i == entryOthers:
		p.others = h.next()
	case i >= 0:
		for int(i) >= len(p.queued) {
			p.queued = append(p.queued, -1)
		}
		p.queued[i] = h.next()
	}
}

// queuedAll works like queued, for n children.
func (h *historian) queuedAll(f *Frame, n int32) {
	if h == nil {
		return
	}
	p := h.of(f)
	p.others = h.next()
	if n > 0 {
		p.queued = p.queued[:0]
	}
}

// takes notes that v has taken an entry.
func (h *historian) takes(v *stepWorker, e entry) {
	if h == nil {
		return
	}
	w, p := &h.under[v.id], h.of(e.f)
	step := p.others
	switch {
	case e.i == entryTop:
		w.needs = append(w.needs, p.arrived...)
		return
	case e.i == entryRest:
		step = p.rest
	case e.i >= 0 && int(e.i) < len(p.queued) && p.queued[e.i] >= 0:
		step = p.queued[e.i]
	}
	if step >= 0 {
		w.needs = append(w.needs, step)
	}
}

// arrives notes that a strand of f ends; last: no other is left.
func (h *historian) arrives(v *stepWorker, f *Frame, last bool) {
	if h == nil {
		return
	}
	w, p := &h.under[v.id], h.of(f)
	if last {
		w.needs = append(w.needs, p.arrived...)
		p.arrived = p.arrived[:0]
		return
	}
	p.arrived = append(p.arrived, h.next())
}

// keeps notes that the step under way queues what v stole, but for its first entry.
func (h *historian) keeps(v *stepWorker) {
	if h == nil {
		return
	}
	for _, e := range v.batch[1:] {
		if e.i != entryProxy {
			h.queued(e.f, e.i)
		}
	}
}

// finish notes that v has ended the run.
func (h *historian) finish(v *stepWorker) error {
	if h == nil {
		return nil
	}
	h.last = v.id
	return h.err
}

// answers notes that the step under way answers a request of another worker.
func (h *historian) answers(thief int) {
	if h != nil {
		h.under[thief].answered = h.next()
	}
}

// asks notes that v asks for the lock of a queue, which it has in wait, and gives back then.
func (h *historian) asks(v *stepWorker, queue int, wait, released uint64) {
	if h == nil {
		return
	}
	w := &h.under[v.id]
	w.lock, w.released = int32(len(h.locks)), released
	w.before, w.waited, w.waits = h.holder[queue], wait, wait > 0
	h.holder[queue] = w.lock
	h.locks = append(h.locks, pastLock{step: -1})
}

// tells records that v is at the lock of a queue of a node.
func (h *historian) tells(v *stepWorker, node int) {
	if h == nil {
		return
	}
	h.append(pastStep{worker: int32(v.id), kind: told, node: uint16(node), before: -1,
		search: -1, end: v.now, waited: v.now - h.under[v.id].from})
}

// frame notes what a frame costs beside its kernels.
func (h *historian) frame(v *stepWorker, ticks uint64) {
	if h != nil {
		h.under[v.id].gap += ticks
	}
}

// step ends the step that v is in, at v.now.
func (h *historian) step(v *stepWorker, label pc) {
	w := &h.under[v.id]
	if v.idleFrom != notIdle {
		price := SearchPrice
		switch {
		case w.waits:
			price, w.waits = LockPrice, false
		case v.pc == pcBatch:
			price = StealPrice
		}
		if n := len(w.looks); n > 0 && w.looks[n-1].price == price {
			w.looks[n-1].until = v.now
		} else {
			w.looks = append(w.looks, look{v.now, price})
		}
		return
	}
	if w.waits { // the operation itself comes next
		w.waits = false
		return
	}
	if v.now == w.from && len(w.needs) == 0 && int(h.execsEnd()) == len(h.execs) {
		return
	}
	s := pastStep{worker: int32(v.id), before: w.before, search: -1, waited: w.waited, gap: w.gap,
		kind: uint8(priceOf(label)), end: v.now}
	s.price = v.now - w.from - w.kernels - w.gap - w.waited
	if w.lock >= 0 {
		h.locks[w.lock] = pastLock{step: h.next(), back: v.now - w.released}
	}
	h.close(v, s)
}

// priceOf returns the price of a step that began at a label and found no work.
func priceOf(label pc) Price {
	switch label {
	case pcGone, pcJoined, pcArrive, pcReport, pcRequeue, pcTop, pcNext:
		return JoinPrice
	}
	return SpawnPrice
}

func (h *historian) execsEnd() int32 {
	if n := h.next(); n > 0 {
		return h.at(n - 1).execs
	}
	return 0
}

func (h *historian) close(v *stepWorker, s pastStep) {
	w := &h.under[v.id]
	h.needs = append(h.needs, w.needs...)
	h.append(s)
	w.needs, w.looks, w.from, w.kernels, w.gap = w.needs[:0], w.looks[:0], v.now, 0, 0
	w.lock, w.before, w.waited, w.ran = -1, -1, 0, false
}

func (h *historian) append(s pastStep) {
	n := len(h.steps)
	if n*chunkSteps > maxHistory {
		h.err = ErrHistory // the run ends soon
	}
	if n == 0 || len(h.steps[n-1]) == chunkSteps {
		h.steps = append(h.steps, make([]pastStep, 0, chunkSteps))
		n++
	}
	s.needs, s.execs = int32(len(h.needs)), int32(len(h.execs))
	if s.kind == told {
		s.execs = h.execsEnd()
	}
	h.steps[n-1] = append(h.steps[n-1], s)
}

// found ends a search of v, at v.now, with an operation that took price.
func (h *historian) found(v *stepWorker, got found, price uint64) {
	if h == nil {
		return
	}
	w := &h.under[v.id]
	if w.ran { // kernels that took no time
		h.close(v, pastStep{worker: int32(v.id), before: -1, search: -1, gap: w.gap, end: v.idleFrom})
		w.from = v.idleFrom
	}
	if w.answered >= 0 && got.stolen {
		w.needs = append(w.needs, w.answered)
		w.answered = -1
	} else {
		h.takes(v, got.e)
	}
	there := v.idleFrom
	for _, n := range w.needs {
		x := h.at(n)
		there = max(there, x.end-x.price)
	}
	s := pastStep{worker: int32(v.id), before: -1, kind: uint8(StealPrice), end: v.now, gap: w.gap}
	if !got.stolen {
		s.kind = uint8(SpawnPrice)
	}
	if got.e.i == entryTop {
		s.kind = uint8(JoinPrice)
	}
	done := v.now - price // when what was found was taken
	if done < there {
		done, price = there, v.now-there
	}
	s.price = price
	var search [Prices]uint64
	at := v.idleFrom
	for _, l := range w.looks {
		from, to := max(at, there), min(l.until, done)
		if to > from {
			search[l.price] += to - from
		}
		at = l.until
	}
	if from := max(at, there); done > from { // the part of the last step that is not its price
		search[SearchPrice] += done - from
	}
	if s.search = -1; search != [Prices]uint64{} {
		s.search = int32(len(h.searches))
		h.searches = append(h.searches, search)
	}
	if w.lock >= 0 && w.released >= there && w.released <= v.now {
		h.locks[w.lock] = pastLock{step: h.next(), back: v.now - w.released}
	}
	w.waits = false
	h.close(v, s)
}
