package collect

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"krdlab/loi"
	"krdlab/loi/front"
)

// The kinds of events, as package krdagent (loi/front/build/_agent) and the runtime's end record
// them.
const (
	kindAccess = 1 + iota
	kindExtent
	kindMade
	kindMap
	kindKey
	kindWindow
	kindAlloc
	kindType
	kindStamp
	kindRange
	kindOf
	kindEnter
	kindLeave
	kindLoop
	kindLoopEnd
	kindIteration
	kindGoto
	kindEnd
	kindStart
	kindGo
	kindSync
	kindSyncAt
	kindDone
	kindEntry
	kindLabel
	kindText
	kindRepeat
	kindLoose
	kindMode
)

// Marks of addresses that are distances from the top of a goroutine's stack.
const (
	onStack = 1 << 63
	entries = 1 << 62 // of a map whose entries are on the stack too
)

// firstCode is below all code of a program, and above the upper halves of the addresses of types
// that reflection makes.
const firstCode = 1 << 16

// A Class groups objects: allocated at one site, or of one type at one place in the code where no
// site was rewritten, or a variable.
type Class struct {
	Site int    // 0: no site is known
	Type uint64 // address of its type in the program, where the site is not known; 0: not known
	At   uint64 // where the call that allocated it goes on, likewise
	Name string // of a variable, or what else it is
}

// A Group is the accesses of a site to objects of a class. Groups are numbered as they come.
type Group struct {
	Site, Class int
	Moved       bool // the site is an append, which reads them to move them
	Leaf        int  // number of the site's leaf, from 1, where a literal stores several; 0: all
}

// A Batch is accesses in order. Places are in bytes of virtual space; an access of several leaves
// (fields of a struct, elements) is one for each.
type Batch struct {
	Places []uint64
	Real   []uint64 // if they are asked for: addresses in the program, or the places of what has none
	Bytes  []uint32
	Groups []uint32
	Turns  []Turn
	Acts   []Act // in their order
	// Ended are places that nothing accesses behind the batch, if they are asked for: the first byte and
	// the one behind the last of each range.
	Ended []uint64
}

// A Turn is accesses of one goroutine that follow each other, up to index End of the batch, from
// the turn before on. Time, in ticks, is when what it then did began; it ascends.
type Turn struct {
	End       int
	Goroutine uint64
	Time      uint64
	Kernel    int // that the source names: number of Reader.Kernels, from 1; 0: none
	Span
}

// A Span is the ticks between which accesses were made; both are the same where the first is not
// known, since the goroutine had waited for something.
type Span struct{ From, To uint64 }

// A Sink takes what a program did.
type Sink interface {
	// Batch takes accesses; b is valid until it returns.
	Batch(b *Batch) error
}

// A Reader makes accesses of events.
type Reader struct {
	Classes []Class
	Groups  []Group

	// Layout returns what the data are made of that pointers of a type point to, by its address in
	// the program. It is set before the first events.
	Layout func(pointer uint64) *Layout
	// Stack records that accesses to the stack come as events and are handed on.
	Stack bool
	// Regions are those of the sources: number n is Regions[n-1]. They are set likewise.
	Regions []front.Region
	Kernels []string // names that the sources give, as they come
	// Loops takes loops, between batches; if it is nil, their accesses come in those.
	Loops interface {
		// Loop takes a loop; l is valid until it returns.
		Loop(l *Loop) error
	}
	// Operations is how many the sources have (values.go).
	Operations uint64
	// Libraries reads those of a native program; nil: they are left alone.
	Libraries Libraries
	// Sample takes how a sample goes on, between batches and loops; nil: all accesses are recorded.
	Sample Sampler
	// For is after how long the program is interrupted, and killed if it does not end; 0: never.
	For time.Duration
	// Real asks for addresses in the program; it is set before the first events.
	Real bool
	// Goroutines counts those that accessed something: not those of the runtime, which only
	// allocate.
	Goroutines uint64
	// Odd counts events that make no sense: a program that was killed leaves some.
	Odd uint64

	stopped atomic.Bool
	sites   []front.Site
	account []SiteAccount  // by site
	leaves  [][]front.Leaf // by site
	cached  []cached       // by site
	groups  map[Group]uint32
	classes map[Class]uint32
	space   *space
	pages   map[uint64]uint32 // made up objects by page
	rest    []Variable
	loads   []load
	layouts map[uint64]*Layout // by type of pointer
	kernels map[string]int
	numbers uint64            // of regions that have begun
	started map[uint64]uint32 // numbers of goroutines, by the runtime's
	threads map[uint64]*thread
	last    *thread
	batch   Batch
	rate    Rate
	addr    uint64 // of the place that is put next
	moving  bool   // what is read is moved by an append
	byLeaf  bool   // the accesses are in groups by leaf
	loop    Loop
	sink    Sink
}

// cached is where the last access of a site was: as long as nothing is allocated, the next to the
// same object needs no more.
type cached struct {
	addr, bytes uint64 // the object
	virtual     uint64 // minus addr
	age         uint64 // of the space
	class       uint32
	group       uint32
	leaf        uint32 // its bytes, if it is one; 0: it is not
	known       bool   // group is
}

// A thread holds the state of a goroutine between its events.
type thread struct {
	number uint64
	before event   // the one before, where an Extent or a Type is to come
	of     *Layout // of the data of the event that comes, where its site does not know it
	open   []event // maps that a key follows
	object uint32  // that the last Alloc made

	accessed bool // something

	windows []window // of operations that go on

	started uint32   // of the goroutine, where those that wait are told of; 0: they are not
	waits   *pending // what Done ends
	over    bool     // it has ended

	regions []openRegion // the innermost last
	kernel  int          // as a Turn has it, of the innermost region that has one

	label     int // likewise, of runtime/pprof's label
	text      []byte
	textBytes int
	time      uint64 // of its last events
	waited    bool   // after them
	recent    uint64 // of its last event of a region

	tail []event // the last of those before, for a loop that repeats them
	rest rest    // of a loop that goes on
}

const batchLen = 1 << 14

// NewReader returns a reader for a program with the given sites (site i is sites[i-1]) and
// variables.
func NewReader(sites []front.Site, variables []Variable, sink Sink) *Reader {
	r := &Reader{sink: sink, groups: make(map[Group]uint32),
		classes: make(map[Class]uint32), space: newSpace(), threads: make(map[uint64]*thread),
		pages: make(map[uint64]uint32), account: make([]SiteAccount, 1),
		layouts: make(map[uint64]*Layout), kernels: make(map[string]int),
		started: make(map[uint64]uint32),
		cached:  make([]cached, 1), leaves: make([][]front.Leaf, 1)}
	r.class(Class{})
	r.addSites(sites)
	r.batch = Batch{Places: make([]uint64, 0, batchLen), Bytes: make([]uint32, 0, batchLen),
		Groups: make([]uint32, 0, batchLen), Acts: make([]Act, 0, batchLen+batchLen/8)}
	r.variables(variables, 0)
	return r
}

func (r *Reader) class(c Class) uint32 {
	n, ok := r.classes[c]
	if !ok {
		n = uint32(len(r.Classes))
		r.Classes = append(r.Classes, c)
		r.classes[c] = n
	}
	return n
}

func (r *Reader) group(site, class uint32) uint32 {
	c := &r.cached[site]
	if c.known && c.class == class {
		return c.group
	}
	n := r.Number(Group{Site: int(site), Class: int(class)})
	c.class, c.group, c.known = class, n, true
	return n
}

// Number returns that of a group: a new one, where no access came of it yet.
func (r *Reader) Number(g Group) uint32 {
	n, ok := r.groups[g]
	if !ok {
		n = uint32(len(r.Groups))
		r.Groups = append(r.Groups, g)
		r.groups[g] = n
	}
	return n
}

// Mode returns the mode of a group's accesses.
func (r *Reader) Mode(group uint32) loi.Mode {
	g := &r.Groups[group]
	if g.Moved {
		return loi.In
	}
	return r.sites[g.Site-1].Mode
}

// Events takes events of a goroutine, which ended at the given tick.
func (r *Reader) Events(goroutine, at uint64, events []event) error {
	t := r.last
	if t == nil || t.number != goroutine {
		t = r.threads[goroutine]
		if t == nil {
			t = &thread{number: goroutine}
			r.threads[goroutine] = t
		}
		r.last = t
	}
	for i, e := range events {
		if t.before[1] != 0 && e.kind() != kindExtent && e.kind() != kindStamp {
			r.pending(t)
		}
		if t.rest.times != 0 && e.kind() != kindLoose && e.kind() != kindStamp {
			r.abandon(t)
		}
		switch e.kind() {
		case kindAccess:
			site := e[1] & siteMask
			if site >= uint64(len(r.cached)) {
				r.Odd++
				continue
			}
			c, b := &r.cached[site], &r.batch
			n := len(b.Places)
			if off := e[0] - c.addr; off < c.bytes && c.age == r.space.age && c.leaf != 0 &&
				n < batchLen {
				b.Places, b.Bytes, b.Groups = b.Places[:n+1], b.Bytes[:n+1], b.Groups[:n+1]
				b.Places[n], b.Bytes[n], b.Groups[n] = e[0]+c.virtual, c.leaf, c.group
				if r.Real {
					b.Real = append(b.Real, e[0])
				}
				continue
			}
			if err := r.turn(t, at); err != nil {
				return err
			}
			r.access(t, e[0], site)
		case kindOf:
			t.of = r.layout(e[0])
		case kindExtent:
			r.extent(t, e)
		case kindMade:
			if site := e[1] & siteMask; site == 0 || site > uint64(len(r.sites)) {
				r.Odd++
			} else if r.made(t, e[0], site); t.of != nil || r.sites[site-1].Element > 0 ||
				r.sites[site-1].Kind == "append" {
				t.before = e // an Extent follows
			} else {
				r.initial(t, e[0], site)
			}
		case kindWindow, kindRange:
			t.before = e
		case kindMap:
			t.open = opened(t.open, e)
		case kindKey:
			r.key(t, e)
		case kindAlloc:
			if t.object = 0; e[0]&onStack != 0 && e.rest() > 0 {
				t.object = r.space.below(e[0] &^ onStack)
			} else if e[0]&onStack != 0 {
				r.space.above(e[0] &^ onStack)
			} else if e.rest() > 0 {
				t.object = r.space.add(e[0], e.rest(), 0)
			} else {
				t.object = r.space.split(e[0], tinyBytes)
			}
		case kindType:
			if t.object != 0 {
				c := Class{Type: e[0]}
				if e[0]>>32 >= firstCode {
					c = Class{Type: e[0] & (1<<32 - 1), At: e[0] >> 32}
				}
				r.space.objects.at(t.object).class = r.class(c)
				r.space.age++
				t.object = 0
			}
		case kindStamp:
			if err := r.turnUntil(t, at, min(e[0], at)); err != nil {
				return err
			}
			t.time, t.waited = max(t.time, min(e[0], at)), true
		case kindEnter, kindLeave, kindLoop, kindLoopEnd, kindIteration, kindGoto:
			if err := r.region(t, e, min(e[0], at)); err != nil {
				return err
			}
		case kindValue:
			if err := r.operation(t, e); err != nil {
				return err
			}
		case kindEnd:
			if err := r.turn(t, at); err != nil {
				return err
			}
			r.cut(t, 0, min(e[0], at))
			r.ended(t, e, min(e[0], at))
			t.open, t.windows = nil, nil
		case kindLabel:
			t.text, t.textBytes = t.text[:0], int(e[0])
			if err := r.label(t, at); err != nil {
				return err
			}
		case kindText:
			t.text = binary.NativeEndian.AppendUint64(t.text, e[0])
			if err := r.label(t, at); err != nil {
				return err
			}
		case kindEntry, kindStart, kindGo, kindSync, kindSyncAt, kindDone:
			if err := r.sync(t, e, at); err != nil {
				return err
			}
		case kindMode:
			if err := r.mode(t, e, at); err != nil {
				return err
			}
		case kindLibrary:
			if err := r.turn(t, at); err != nil {
				return err
			}
			if err := r.library(e); err != nil {
				return err
			}
		case kindLoose:
			if err := r.loose(t, e, at); err != nil {
				return err
			}
		case kindRepeat:
			if err := r.repeat(t, e, events[:i], at); err != nil {
				return err
			}
		default:
			r.Odd++
		}
	}
	t.keep(events)
	err := r.turn(t, at)
	t.time = at
	if n := len(events); n > 0 && events[n-1].kind() != kindStamp {
		t.waited = false
	}
	return err
}

// turn notes who made the accesses since the last turn, and when, and hands them on if there are
// enough.
func (r *Reader) turn(t *thread, at uint64) error { return r.turnUntil(t, at, at) }

// turnUntil works like turn, for accesses that were made before a tick.
func (r *Reader) turnUntil(t *thread, at, until uint64) error {
	b := &r.batch
	if n := len(b.Turns); len(b.Places) > 0 && (n == 0 || b.Turns[n-1].End < len(b.Places)) {
		b.Turns = append(b.Turns, Turn{len(b.Places), t.number, at, cmp.Or(t.kernel, t.label),
			t.span(until)})
		if !t.accessed {
			t.accessed = true
			r.Goroutines++
		}
	}
	return r.full()
}

// span returns the time from the last events of t, or from the end of their waiting, until a tick.
func (t *thread) span(until uint64) Span {
	if t.waited || t.time == 0 || t.time > until {
		return Span{until, until}
	}
	return Span{t.time, until}
}

// full hands on what was collected, if it is enough.
func (r *Reader) full() error {
	if len(r.batch.Places) < batchLen && len(r.batch.Acts) < batchLen {
		return nil
	}
	return r.flush()
}

// tinyBytes is the size of the blocks in which the runtime puts several tiny objects.
const tinyBytes = 16

const siteMask = 1<<32 - 1

// pending gives up what an event began that no Extent followed.
func (r *Reader) pending(t *thread) {
	t.before, t.of = event{}, nil
	r.Odd++
}

func (r *Reader) extent(t *thread, e event) {
	b, of := t.before, t.of
	t.before, t.of = event{}, nil
	site := e[1] & siteMask
	if b[1]&siteMask != site || b[1] == 0 || site == 0 || site > uint64(len(r.sites)) {
		r.Odd++
		return
	}
	w := window{b[0], e[0], site, of}
	switch b.kind() {
	case kindRange:
		r.elements(t, w)
	case kindMade:
		if r.sites[site-1].Kind == "append" {
			r.appended(t, b[0], e[0], site)
			break
		}
		if r.Stack && b[0]&onStack != 0 {
			r.space.add(r.real(t, b[0]), e[0], r.class(Class{Site: int(site)}))
		}
		r.initialOf(t, w)
	case kindWindow:
		r.window(t, w)
	}
}

// A window is the elements of a slice or string that an operation is about to work on.
type window struct {
	addr, bytes, site uint64
	of                *Layout // of an element, nil where the site has it
}

// window takes a window: one that is cleared, the source of a copy whose destination is known, or
// one that others follow.
func (r *Reader) window(t *thread, w window) {
	switch r.sites[w.site-1].Kind {
	case "clear", "convert":
		r.elements(t, w)
	case "copy-from":
		to, ok := t.last("copy-to", r)
		if !ok {
			r.Odd++
			return
		}
		w.bytes = min(to.bytes, w.bytes)
		to.bytes = w.bytes
		r.elements(t, w)
		r.elements(t, to)
	default:
		t.windows = opened(t.windows, w)
	}
}

// last takes the last window of a kind of site away, and those that were opened in it.
func (t *thread) last(kind string, r *Reader) (window, bool) {
	for i, w := range slices.Backward(t.windows) {
		if r.sites[w.site-1].Kind == kind {
			t.windows = t.windows[:i]
			return w, true
		}
	}
	return window{}, false
}

// appended records what an append did whose result is at an address and has room for so many bytes:
// elements that moved are read and written.
func (r *Reader) appended(t *thread, addr, room, site uint64) {
	for i, w := range slices.Backward(t.windows) {
		if w.site != site {
			continue
		}
		s := &r.sites[site-1]
		added := w
		added.bytes = s.Bytes
		if w.of != nil {
			added.bytes = uint64(s.Items) * w.of.Bytes
		}
		if source := t.windows[min(i+1, len(t.windows)-1)]; s.Items == 0 &&
			r.sites[source.site-1].Kind == "append-from" {
			added.bytes = source.bytes
			r.elements(t, source)
		}
		moved := w
		moved.addr = addr
		if r.Stack && w.addr != addr && addr&onStack != 0 {
			r.space.add(r.real(t, addr), room, r.class(Class{Site: int(site)}))
		}
		if w.addr != addr && w.bytes > 0 {
			r.moving = true
			r.elements(t, w)
			r.moving = false
			r.elements(t, moved)
		}
		if added.addr = addr + w.bytes; addr&onStack != 0 {
			added.addr = addr - w.bytes
		}
		r.elements(t, added)
		t.windows = t.windows[:i]
		return
	}
	r.Odd++
}

// made notes that a site made the datum at an address; on the stack, it is an object from now on.
func (r *Reader) made(t *thread, addr, site uint64) {
	if addr&onStack != 0 {
		if s := &r.sites[site-1]; s.Kind != "append" && (r.Stack || strings.HasSuffix(s.Kind, "-map")) {
			r.space.add(r.real(t, addr), max(s.Bytes, granule), r.class(Class{Site: int(site)}))
		}
		return
	}
	n := r.space.find(addr)
	if n == 0 {
		return // not on the heap: a constant, or of no bytes
	}
	if r.space.objects.at(n).addr != addr && r.sites[site-1].Kind == "variable" {
		if n = r.space.split(addr, tinyBytes); n == 0 { // the compiler has allocated several at once
			return
		}
	}
	o := r.space.objects.at(n)
	if c := r.Classes[o.class]; o.addr == addr && c.Site == 0 && c.Name == "" {
		o.class = r.class(Class{Site: int(site), Type: c.Type})
		r.space.age++
	}
}

// real returns where an address is in the space: those on the stack of a goroutine, which may move,
// have a place for the goroutine and their distance from its top.
func (r *Reader) real(t *thread, addr uint64) uint64 {
	if addr&onStack == 0 {
		return addr
	}
	depth := addr &^ (onStack | entries)
	if depth < 1<<shallow {
		return stacks + (t.number+1)<<shallow - depth
	}
	return deepStacks + (t.number+1)<<deep - depth
}

// Where stacks are in the space, beyond all addresses of a program: close together, since most are
// small.
const (
	stacks     = 1 << 60
	deepStacks = 1 << 61
	shallow    = 20
	deep       = 30 // the runtime's limit of a stack
)

// initial records the stores of initial values to what a site has allocated: those in its source.
// Zeros are no store, as in virda's JVM, where constructors store and allocation does not.
func (r *Reader) initial(t *thread, addr, site uint64) {
	if s := &r.sites[site-1]; s.Mode != 0 && s.Bytes > 0 && (addr&onStack != 0 ||
		r.space.find(addr) != 0) {
		r.byLeaf = len(s.Leaves) > 0 && s.Leaves[0].Object != s.Object
		r.access(t, addr, site)
		r.byLeaf = false
	}
}

// initialOf works like initial, for data with an extent: the elements of a slice, or a datum whose
// layout the site does not know.
func (r *Reader) initialOf(t *thread, w window) {
	s := &r.sites[w.site-1]
	switch {
	case s.Mode == 0 || w.addr&onStack == 0 && r.space.find(w.addr) == 0:
	case w.of == nil || s.Kind == "literal":
		r.elements(t, w)
	default:
		r.leavesOf(t, w.addr, w.site, w.of.stored(s))
	}
}

// elements records accesses to all elements of a range.
func (r *Reader) elements(t *thread, w window) {
	s := &r.sites[w.site-1]
	step := s.Element
	leaves := r.leaves[w.site]
	if w.of != nil {
		step, leaves = w.of.Bytes, w.of.Leaves
	}
	n := uint64(1)
	if step > 0 {
		n = w.bytes / step
	} else if leaves = []front.Leaf{{Bytes: w.bytes}}; w.bytes == 0 {
		return
	}
	if w.addr&onStack != 0 && !r.Stack {
		r.account[w.site].Stack += n * uint64(len(leaves))
		return
	}
	at := r.real(t, w.addr)
	for ; n > 0; n-- {
		r.leavesOf(t, at, w.site, leaves)
		at += step
	}
}

// access records what a site touches at an address.
func (r *Reader) access(t *thread, addr, site uint64) {
	if site == 0 || site >= uint64(len(r.leaves)) {
		r.Odd++
		return
	}
	r.leavesOf(t, addr, site, r.leaves[site])
}

// leavesOf records accesses of a site to the leaves of the datum at an address.
func (r *Reader) leavesOf(t *thread, addr, site uint64, leaves []front.Leaf) {
	if addr&onStack != 0 {
		if !r.Stack {
			r.account[site].Stack += uint64(len(leaves))
			return
		}
		addr = r.real(t, addr)
	}
	o, unknown := r.object(addr)
	if unknown {
		r.account[site].Unknown += uint64(len(leaves))
	}
	virtual := o.virtual - o.addr&^(granule-1)
	var g uint32
	if r.moving {
		g = r.Number(Group{Site: int(site), Class: int(o.class), Moved: true})
	} else if g = r.group(uint32(site), o.class); o != r.space.objects.at(r.pages[addr/pageBytes]) {
		c := &r.cached[site] // but for those that are counted
		c.addr, c.bytes, c.virtual, c.age = o.addr, o.bytes, virtual, r.space.age
	}
	for i, l := range leaves {
		if r.byLeaf {
			g = r.Number(Group{Site: int(site), Class: int(o.class), Leaf: i + 1})
		}
		r.addr = addr + l.Offset
		r.put(addr+virtual+l.Offset, l.Bytes, g)
	}
}

func (r *Reader) put(place, bytes uint64, group uint32) {
	b := &r.batch
	b.Places = append(b.Places, place)
	b.Bytes = append(b.Bytes, uint32(bytes))
	b.Groups = append(b.Groups, group)
	if r.Real {
		b.Real = append(b.Real, r.addr)
	}
}

// object returns the object at an address; where none is known, a made-up object for the page.
// unknown: the kind of the memory is not known either.
func (r *Reader) object(addr uint64) (o *object, unknown bool) {
	n := r.space.find(addr)
	if n == 0 {
		name := UnknownOrigin
		if addr >= stacks {
			name = UnknownStack
		}
		for _, v := range r.rest {
			if addr-v.Address < v.Bytes {
				name = v.Name
			}
		}
		unknown = name == UnknownOrigin || name == UnknownStack
		page := addr / pageBytes
		if n = r.pages[page]; n == 0 {
			n = r.space.place(page*pageBytes, pageBytes, r.class(Class{Name: name}))
			r.pages[page] = n
		}
	}
	return r.space.objects.at(n), unknown
}

// UnknownOrigin is the name of the class of what was accessed and never allocated, as far as can be
// seen: memory that was mapped by the program, or belongs to the runtime.
const UnknownOrigin = "memory of unknown origin"

// UnknownStack is that of what no variable or allocation on the stack is known for.
const UnknownStack = "memory of unknown origin, on the stack"

// key records the access to an entry of a map.
func (r *Reader) key(t *thread, e event) {
	site := e[1] & siteMask
	for i := len(t.open) - 1; i >= 0; i-- {
		m := t.open[i]
		if m.kind() != kindMap || m[1]&siteMask != site {
			continue
		}
		t.open = t.open[:i]
		r.entry(t, m[0], e[0], site)
		return
	}
	r.Odd++
}

// entry records the access of a site to a map and to the entry of a key in it. Where the map is on
// the stack, its entries are on the heap once they are many.
func (r *Reader) entry(t *thread, m, hash, site uint64) {
	if site == 0 || site >= uint64(len(r.leaves)) {
		return
	}
	if m == 0 {
		return // nil: it has no entries
	}
	o, unknown := r.object(r.real(t, m))
	if unknown {
		r.account[site].Unknown += 2
	}
	g := r.group(uint32(site), o.class)
	observed := m&onStack == 0 || r.Stack
	if observed {
		r.addr = m &^ entries
		r.put(o.virtual, 8, g)
	} else {
		r.account[site].Stack++
	}
	if observed || m&entries == 0 {
		place := entrySpace | (hash^o.virtual*0x9e3779b97f4a7c15)&(entrySpace-1)&^(lineBytes-1)
		r.addr = place
		r.put(place, max(1, r.sites[site-1].Bytes), g)
	} else {
		r.account[site].Stack++
	}
}

// entrySpace is where the entries of maps have their places, by the hash of map and key.
const entrySpace = 1 << 55

// End takes what goroutines have begun as whole, and hands on what was collected.
func (r *Reader) End() error {
	for _, n := range slices.Sorted(maps.Keys(r.threads)) {
		t := r.threads[n]
		if t.before[1] != 0 {
			r.pending(t)
		}
		r.cut(t, 0, t.time) // the program has ended in them
	}
	return r.flush()
}

// flush hands on what was collected.
func (r *Reader) flush() error {
	b := &r.batch
	if len(b.Places) == 0 && len(b.Acts) == 0 {
		return nil
	}
	b.Ended = r.space.ended
	if err := r.sink.Batch(b); err != nil {
		return fmt.Errorf("accesses of the program: %w", err)
	}
	r.space.ended = r.space.ended[:0]
	b.Places, b.Bytes, b.Groups, b.Turns = b.Places[:0], b.Bytes[:0], b.Groups[:0], b.Turns[:0]
	b.Acts, b.Real = b.Acts[:0], b.Real[:0]
	return nil
}
