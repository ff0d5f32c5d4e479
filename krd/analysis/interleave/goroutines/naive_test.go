package goroutines

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"krdlab/loi"
)

// A naive program: goroutines do one action after the other, as Go defines them. Goroutine 0 is
// main.
type naive struct {
	code  [][]action
	rooms []int // of channels
}

// An action is accesses, or an operation on the object of a number.
type action struct {
	do       doing
	on       int
	accesses []use
	selected bool
}

type use struct {
	unit  int
	write bool
}

type doing int

const (
	access0 doing = iota // accesses
	spawn                // goroutine on
	send
	receive // what comes, or that the channel is closed and empty
	closing
	lock
	unlock
	readLock
	readUnlock
	doneOf // of a wait group
	waitFor
	onceBegin // the accesses behind it up to onceEnd are its function
	onceEnd
	load
	store
	update
)

// A machine is the state of a naive program.
type machine struct {
	pc       []int // -1: not spawned
	queue    [][]int
	sent     []int
	received []int
	closed   []bool
	writer   []bool
	readers  []int
	left     []int // of wait groups
	once     []int // 0 not begun, 1 running, 2 done
	stores   []int
	loads    []int    // since the last store
	orders   []string // of pieces with accesses
}

const objects = 3 // of each kind at most

func (n *naive) begin() *machine {
	m := &machine{pc: slices.Repeat([]int{-1}, len(n.code)), queue: make([][]int, objects),
		sent: make([]int, objects), received: make([]int, objects), closed: make([]bool, objects),
		writer: make([]bool, objects), readers: make([]int, objects), left: make([]int, objects),
		once: make([]int, objects), stores: make([]int, objects),
		loads: make([]int, objects)}
	m.pc[0] = 0
	for _, list := range n.code {
		for _, a := range list {
			if a.do == doneOf {
				m.left[a.on]++
			}
		}
	}
	return m
}

func (m *machine) clone() *machine {
	c := *m
	c.pc, c.sent, c.received = slices.Clone(m.pc), slices.Clone(m.sent), slices.Clone(m.received)
	c.queue = slices.Clone(m.queue)
	for i := range c.queue {
		c.queue[i] = slices.Clone(m.queue[i])
	}
	c.closed, c.writer, c.readers = slices.Clone(m.closed), slices.Clone(m.writer), slices.Clone(m.readers)
	c.left, c.once, c.stores = slices.Clone(m.left), slices.Clone(m.once), slices.Clone(m.stores)
	c.loads, c.orders = slices.Clone(m.loads), slices.Clone(m.orders)
	return &c
}

// key returns a text that only equal states have.
func (m *machine) key() string {
	var b []byte
	for _, list := range append([][]int{m.pc, m.sent, m.received, m.readers, m.left, m.once, m.stores, m.loads},
		m.queue...) {
		for _, n := range list {
			b = append(b, byte(n+1))
		}
		b = append(b, 255)
	}
	for i := range m.closed {
		b = fmt.Append(b, m.closed[i], m.writer[i])
	}
	return string(b) + strings.Join(m.orders, " ")
}

// at returns the next action of a goroutine, if it has one.
func (n *naive) at(m *machine, g int) (action, bool) {
	if m.pc[g] < 0 || m.pc[g] == len(n.code[g]) {
		return action{}, false
	}
	return n.code[g][m.pc[g]], true
}

// A did is what an action did to its object: what another schedule is to keep.
type did struct {
	g, pc, result int
	other         int // of a meeting: the goroutine that received; -1
}

// step lets a goroutine do its next action; false if it has to wait.
func (n *naive) step(m *machine, g int) (d did, ok bool) {
	a, ok := n.at(m, g)
	if !ok {
		return d, false
	}
	d = did{g: g, pc: m.pc[g], other: -1}
	switch a.do {
	case access0:
		m.orders = append(m.orders, fmt.Sprintf("%d.%d", g, m.pc[g]))
	case spawn:
		m.pc[a.on] = 0
	case send:
		if m.closed[a.on] {
			return d, false // it would panic
		}
		if n.rooms[a.on] == 0 {
			return d, false // the receiver has the meeting
		}
		if len(m.queue[a.on]) == n.rooms[a.on] {
			return d, false
		}
		m.queue[a.on] = append(m.queue[a.on], m.sent[a.on])
		d.result = m.sent[a.on]
		m.sent[a.on]++
	case closing:
		m.closed[a.on] = true
		d.result = m.sent[a.on]
	case lock:
		if m.writer[a.on] || m.readers[a.on] > 0 {
			return d, false
		}
		m.writer[a.on] = true
	case unlock:
		m.writer[a.on] = false
	case readLock:
		if m.writer[a.on] {
			return d, false
		}
		m.readers[a.on]++
	case readUnlock:
		m.readers[a.on]--
	case doneOf:
		m.left[a.on]--
	case waitFor:
		if m.left[a.on] > 0 {
			return d, false
		}
	case onceBegin:
		switch m.once[a.on] {
		case 0:
			m.once[a.on], d.result = 1, 1
		case 1:
			return d, false
		case 2:
			for n.code[g][m.pc[g]].do != onceEnd {
				m.pc[g]++
			}
		}
	case onceEnd:
		m.once[a.on] = 2
	case load:
		d.result = m.stores[a.on]
		m.loads[a.on]++
	case store, update:
		d.result = 100*m.stores[a.on] + m.loads[a.on]
		m.stores[a.on]++
		m.loads[a.on] = 0
	case receive:
		if m.closed[a.on] && len(m.queue[a.on]) == 0 {
			d.result = -1
			break
		}
		if len(m.queue[a.on]) == 0 {
			return d, false
		}
		m.queue[a.on] = m.queue[a.on][1:]
		d.result = m.received[a.on]
		m.received[a.on]++
	}
	m.pc[g]++
	return d, true
}

// meet lets two goroutines meet at a channel without room.
func (n *naive) meet(m *machine, g, other int) (d did, ok bool) {
	a, sends := n.at(m, g)
	b, receives := n.at(m, other)
	if !sends || !receives || a.do != send || b.do != receive || a.on != b.on || n.rooms[a.on] > 0 ||
		m.closed[a.on] {
		return d, false
	}
	d = did{g, m.pc[g], m.sent[a.on], other}
	m.sent[a.on]++
	m.received[a.on]++
	m.pc[g]++
	m.pc[other]++
	return d, true
}

// successors calls do with each state that may come next.
func (n *naive) successors(m *machine, do func(*machine, did)) {
	for g := range n.code {
		next := m.clone()
		if d, ok := n.step(next, g); ok {
			do(next, d)
		}
		for other := range n.code {
			next := m.clone()
			if d, ok := n.meet(next, g, other); ok {
				do(next, d)
			}
		}
	}
}

func (n *naive) ended(m *machine) bool {
	for g := range n.code {
		if m.pc[g] != len(n.code[g]) {
			return false
		}
	}
	return true
}

// record runs the program once and returns what it did; nil if it did not end.
func (n *naive) record(r *rand.Rand) (all []did) {
	m := n.begin()
	for {
		var next []*machine
		var list []did
		n.successors(m, func(x *machine, d did) { next, list = append(next, x), append(list, d) })
		if len(next) == 0 {
			if n.ended(m) {
				return all
			}
			return nil
		}
		k := r.IntN(len(next))
		m, all = next[k], append(all, list[k])
	}
}

// orders returns all orders of the pieces with accesses in runs that do the same as the recorded
// one, whether one may get stuck, and whether it does even if it may do something else from there on; nil
// if they are more than limit states.
func (n *naive) orders(recorded []did, limit int) (orders map[string]bool, stuck, deadlock bool) {
	type at struct{ g, pc int }
	want := map[at]did{}
	for _, d := range recorded {
		want[at{d.g, d.pc}] = d
	}
	orders, seen := map[string]bool{}, map[string]bool{}
	list := []*machine{n.begin()}
	for len(list) > 0 {
		m := list[len(list)-1]
		list = list[:len(list)-1]
		any := false
		n.successors(m, func(x *machine, d did) {
			if w, ok := want[at{d.g, d.pc}]; !ok || w != d {
				return
			}
			any = true
			if key := x.key(); !seen[key] {
				seen[key] = true
				list = append(list, x)
			}
		})
		if len(seen) > limit {
			return nil, false, false
		}
		switch {
		case any:
		case n.ended(m):
			orders[strings.Join(m.orders, " ")] = true
		default:
			stuck = true
			deadlock = deadlock || !n.ends(m)
		}
	}
	return orders, stuck, deadlock
}

// ends reports whether a state has a run that ends, whatever it does.
func (n *naive) ends(m *machine) bool {
	seen, list := map[string]bool{}, []*machine{m}
	for len(list) > 0 {
		m := list[len(list)-1]
		list = list[:len(list)-1]
		if n.ended(m) {
			return true
		}
		n.successors(m, func(x *machine, _ did) {
			x.orders = nil
			if key := x.key(); !seen[key] {
				seen[key] = true
				list = append(list, x)
			}
		})
	}
	return false
}

// Goroutines have functions in turn, and units are of objects of a type in turn.
var (
	objectNames   = []string{"A", "T, made at a.go:2"}
	typeNames     = []string{"T"}
	functionNames = []string{"main.f", "main.g[a, b]"}
	lineNames     = []string{"main.f, a.go:3", "main.g[a, b], a.go:4"}
)

// trace writes the trace of the recorded run.
func (n *naive) trace(t testing.TB, recorded []did) *loi.Trace {
	t.Helper()
	path, b, fail := builder(t)
	var data, kernels [2]int
	for i := range data {
		o, err := b.Object(objectNames[i], loi.Keyed)
		fail(err)
		k, err := b.Kernel(lineNames[i])
		fail(err)
		data[i], kernels[i] = int(o), int(k)
	}
	classes := map[string]loi.ObjectID{}
	now := uint64(100)
	began := make([]uint64, len(n.code))
	sync := func(g int, op loi.SyncOp, a action) {
		kind := map[doing]string{send: "channel", receive: "channel", closing: "channel", lock: "lock", unlock: "lock",
			readLock: "lock", readUnlock: "lock", doneOf: "group", waitFor: "group", onceBegin: "once", onceEnd: "once",
			load: "atomic", store: "atomic", update: "atomic"}[a.do]
		if _, ok := classes[kind]; !ok {
			o, err := b.Object(kind, loi.Keyed)
			fail(err)
			classes[kind] = o
		}
		s := &loi.Sync{Op: op, Object: classes[kind], Place: uint64(1 + a.on), Begin: began[g], At: now,
			Selected: a.selected}
		if kind == "channel" {
			s.Room = uint32(n.rooms[a.on])
		}
		fail(b.Event(g, loi.EventSync, now, s.Args()...))
		began[g] = now + 1
	}
	fail(b.Event(0, loi.EventStart, now, 1))
	for _, d := range recorded {
		now += 10
		a := n.code[d.g][d.pc]
		switch a.do {
		case access0:
			for _, u := range a.accesses {
				mode := loi.In
				if u.write {
					mode = loi.Out
				}
				fail(b.Access(d.g, loi.KernelID(kernels[d.g%2]), now, loi.Access{Object: loi.ObjectID(data[u.unit%2]), Block: uint64(u.unit), Bytes: 64,
					Mode: mode}))
				now++
			}
		case spawn:
			fail(b.Event(d.g, loi.EventGo, now, loi.GoArgs(uint32(a.on+1), 0)...))
			now++
			fail(b.Event(a.on, loi.EventStart, now, uint32(a.on+1)))
		case send:
			sync(d.g, loi.SyncSend, a)
			if d.other >= 0 {
				sync(d.other, loi.SyncReceive, a)
			}
		case receive:
			sync(d.g, map[bool]loi.SyncOp{true: loi.SyncReceiveClosed, false: loi.SyncReceive}[d.result < 0], a)
		case onceBegin:
			if d.result == 0 {
				sync(d.g, loi.SyncOnceSeen, a)
			}
		default:
			sync(d.g, map[doing]loi.SyncOp{closing: loi.SyncClose, lock: loi.SyncLock, unlock: loi.SyncUnlock,
				readLock: loi.SyncReadLock, readUnlock: loi.SyncReadUnlock, doneOf: loi.SyncDone, waitFor: loi.SyncWait,
				onceEnd: loi.SyncOnce, load: loi.SyncLoad, store: loi.SyncStore, update: loi.SyncUpdate}[a.do], a)
		}
	}
	for g := range n.code {
		now += 10
		fail(b.Event(g, loi.EventEnd, now, loi.GoArgs(uint32(g+1), 0)...))
	}
	fail(b.Close(loi.Header{Substrate: loi.Native, Cores: 2, Clock: loi.Clock{Source: "tsc", Hz: 1e9},
		Workers: slices.Repeat([]loi.Worker{{CPU: -1}}, len(n.code)), L2Bytes: 128, LLCBytes: 256}))
	tr, err := loi.Open(path)
	fail(err)
	t.Cleanup(func() { tr.Close() })
	return tr
}

// outcomes returns what an order of pieces comes to for objects, types, functions and all, by lists.
func (n *naive) outcomes(order string) []Outcome {
	out := make([]Outcome, 6)
	for i := range out {
		out[i].Least = math.MaxUint64
	}
	type at struct{ g, unit int }
	var stack []int // the most recent first
	stale, had := map[at]bool{}, map[at]bool{}
	for _, word := range strings.Fields(order) {
		var g, pc int
		if _, err := fmt.Sscanf(word, "%d.%d", &g, &pc); err != nil {
			panic(err)
		}
		for _, u := range n.code[g][pc].accesses {
			of := []*Outcome{&out[u.unit%2], &out[3+g%2], &out[5]}
			if u.unit%2 == 1 {
				of = append(of, &out[2])
			}
			for _, o := range of {
				if k := slices.Index(stack, u.unit); k >= 0 {
					d := uint64(64 * k)
					o.Reuses++
					o.Values[Distance] += d
					o.Least, o.Most = min(o.Least, d), max(o.Most, d)
					if d+64 > 128 {
						o.Values[BeyondL2]++
					}
					if d+64 > 256 {
						o.Values[BeyondLLC]++
					}
				}
				if stale[at{g, u.unit}] {
					o.Values[Invalidated]++
				}
			}
			if k := slices.Index(stack, u.unit); k >= 0 {
				stack = slices.Delete(stack, k, k+1)
			}
			stack = slices.Insert(stack, 0, u.unit)
			had[at{g, u.unit}], stale[at{g, u.unit}] = true, false
			for other := range n.code {
				if u.write && other != g && had[at{other, u.unit}] {
					stale[at{other, u.unit}] = true
				}
			}
		}
	}
	return out
}
