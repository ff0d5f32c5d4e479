package goroutines

import (
	"cmp"
	"fmt"
	"slices"

	"krdlab/hw/failure"
	"krdlab/loi"
	"krdlab/loi/dag"
)

// constraints finds what each operation follows.
type constraints struct {
	*Program
	g     *dag.Goroutines
	place []int32 // of an operation of g in that of the program

	chosen map[int32]bool // operations of the program that a select chose
}

// find finds the edges of all operations: of go statements, and object by object in the order in
// which they took effect.
func (c *constraints) find() {
	n := len(c.of)
	c.takes, c.gives = make([]access, n+1), make([]access, n)
	g := c.g
	for w := range g.Goroutines {
		if by := g.Goroutines[w].Started; by >= 0 {
			// the start is the first operation
			c.follow(c.first[w], done(c.place[by]), ofGo)
		}
	}
	var list []int32
	for i := range g.Ops {
		if o := &g.Ops[i]; o.Kind == loi.EventSync && (o.Object != loi.NoObject || o.Place != 0) {
			list = append(list, int32(i))
		}
	}
	same := func(a, b int32) int {
		x, y := &g.Ops[a], &g.Ops[b]
		return cmp.Or(cmp.Compare(x.Place, y.Place), cmp.Compare(x.Object, y.Object))
	}
	slices.SortFunc(list, func(a, b int32) int {
		x, y := &g.Ops[a], &g.Ops[b]
		return cmp.Or(same(a, b), cmp.Compare(x.At, y.At), cmp.Compare(waits(x.Sync), waits(y.Sync)),
			cmp.Compare(a, b))
	})
	for i := 0; i < len(list); {
		n := i
		for n < len(list) && same(list[i], list[n]) == 0 {
			n++
		}
		c.object(list[i:n])
		i = n
	}
	c.link()
}

// waits is 1 of the operations that follow others of the same tick.
func waits(op loi.SyncOp) int {
	switch op {
	case loi.SyncReceiveClosed, loi.SyncWait, loi.SyncCondWait, loi.SyncOnceSeen, loi.SyncLoad:
		return 1
	}
	return 0
}

// follow makes an operation follow an event of another goroutine; those of its own come first anyway.
func (c *constraints) follow(to int32, by event, why why) {
	if c.chosen[to] {
		why = asKept // another case may be chosen
	}
	if c.of[to] != c.of[by/2] {
		c.edges = append(c.edges, edge{by, to, why})
	}
}

// several reports whether operations are of more than one goroutine.
func (c *constraints) several(list []int32) bool {
	return slices.ContainsFunc(list, func(i int32) bool { return c.of[i] != c.of[list[0]] })
}

// object finds what the operations of one object follow.
func (c *constraints) object(list []int32) {
	var channel dag.Channel[int32]
	var all, senders, receivers, closed, dones, once, signals []int32
	for _, n := range list {
		switch c.g.Ops[n].Sync {
		case loi.SyncSend:
			senders = append(senders, c.place[n])
		case loi.SyncReceive, loi.SyncReceiveClosed:
			receivers = append(receivers, c.place[n])
		}
	}
	values := ofGo // who receives what
	if c.several(senders) || c.several(receivers) {
		values = asKept
	}
	var loads []int32 // since the last store
	stored, joined := int32(-1), int32(-1)
	stores, room, unmatched, onces := 0, uint32(0), 0, false
	lock := access(0)
	signalAt := int64(0)
	must := func(to int32, by []int32, why why) {
		if len(by) == 0 {
			unmatched++
		}
		for _, b := range by {
			c.follow(to, done(b), why)
		}
	}
	for _, n := range list {
		o, i := &c.g.Ops[n], c.place[n]
		room = max(room, o.Room)
		all = append(all, i)
		channel.Add(o.Sync, o.Timer, i)
		switch o.Sync {
		case loi.SyncLock, loi.SyncUnlock, loi.SyncReadLock, loi.SyncReadUnlock:
			if lock == 0 {
				c.locks++
				lock = access(c.locks)
			}
		}
		switch o.Sync {
		case loi.SyncLock:
			c.acquire(i, lock)
		case loi.SyncReadLock:
			c.acquire(i, -lock)
		case loi.SyncUnlock:
			c.gives[i] = lock
		case loi.SyncReadUnlock:
			c.gives[i] = -lock
		case loi.SyncClose:
			closed = append(closed, i)
			if n := len(channel.Sends); n > 0 {
				c.follow(i, done(channel.Sends[n-1]), asKept)
			}
		case loi.SyncReceiveClosed:
			must(i, closed, values)
			if n := len(channel.Receives); n > 0 {
				c.follow(i, done(channel.Receives[n-1]), asKept)
			}
		case loi.SyncDone:
			dones = append(dones, i)
		case loi.SyncWait:
			if len(dones) > 0 {
				joined = c.join(joined, dones, o.At)
				dones = dones[:0]
			}
			if joined >= 0 {
				c.follow(i, done(joined), ofGo)
			}
		case loi.SyncSignal:
			if o.At != signalAt {
				signals = signals[:0]
			}
			signals, signalAt = append(signals, i), o.At
		case loi.SyncCondWait:
			if o.At != signalAt {
				signals = signals[:0]
			}
			must(i, signals, asKept)
			for _, s := range signals {
				c.follow(s, come(i), asKept)
				c.Kept.Signals++
			}
		case loi.SyncOnce:
			once = append(once[:0], i)
			onces = onces || !o.Timer
		case loi.SyncOnceSeen:
			if o.Timer {
				must(i, once, ofGo)
			} else {
				must(i, once, asKept)
			}
		case loi.SyncLoad:
			if stored >= 0 {
				c.follow(i, done(stored), asKept)
			}
			loads = append(loads, i)
		case loi.SyncStore, loi.SyncUpdate:
			if stored >= 0 {
				c.follow(i, done(stored), asKept)
			}
			for _, l := range loads {
				c.follow(i, done(l), asKept)
			}
			loads, stored = loads[:0], i
			stores++
		}
	}
	c.channel(&channel, room, values, &unmatched)
	if len(channel.Sends) > 0 && values == asKept {
		c.Kept.Channels++
	}
	c.Kept.Unmatched += unmatched
	switch {
	case stores > 0 && c.several(all):
		c.Kept.Atomics++
	case onces && c.several(all):
		c.Kept.Onces++
	}
}

// acquire makes the piece behind an operation begin with a lock. Without one the program had ended.
func (c *constraints) acquire(i int32, a access) {
	if i+1 < c.first[c.of[i]+1] {
		c.takes[i+1] = a
	}
}

// join adds an operation without a goroutine, which takes effect after all of a wait group that are
// done, and another one; so the next wait need not follow each.
func (c *constraints) join(before int32, dones []int32, at int64) int32 {
	i := int32(len(c.of))
	c.of, c.at = append(c.of, int32(len(c.first)-1)), append(c.at, at)
	c.first, c.from = append(c.first, i+1), append(c.from, len(c.units))
	c.takes, c.gives = append(c.takes, 0), append(c.gives, 0)
	if before >= 0 {
		c.follow(i, done(before), ofGo)
	}
	for _, d := range dones {
		c.follow(i, done(d), ofGo)
	}
	return i
}

// channel finds what sends and receives follow: each the one before it, which keeps who receives
// what, and each other.
func (c *constraints) channel(x *dag.Channel[int32], room uint32, values why, unmatched *int) {
	for _, list := range [][]int32{x.Sends, x.Receives} {
		for k := 1; k < len(list); k++ {
			c.follow(list[k], done(list[k-1]), asKept)
		}
	}
	for k, r := range x.Receives {
		switch {
		case k >= len(x.Sends):
			*unmatched++
		case room == 0:
			c.follow(r, come(x.Sends[k]), values)
		default:
			c.follow(r, done(x.Sends[k]), values)
		}
	}
	for k, s := range x.Sends {
		switch before := k - int(room); {
		case before < 0:
		case before >= len(x.Receives):
			*unmatched++
		case room == 0:
			c.follow(s, come(x.Receives[k]), values)
		default:
			c.follow(s, done(x.Receives[before]), values)
		}
	}
}

// link sorts the edges by their events.
func (p *Program) link() {
	slices.SortFunc(p.edges, func(a, b edge) int {
		return cmp.Or(cmp.Compare(a.by, b.by), cmp.Compare(a.to, b.to), cmp.Compare(a.why, b.why))
	})
	p.edges = slices.CompactFunc(p.edges, func(a, b edge) bool { return a.by == b.by && a.to == b.to })
	p.after, p.waits = make([]int32, 2*len(p.of)+1), make([]int32, len(p.of))
	for _, e := range p.edges {
		p.after[e.by+1]++
		p.waits[e.to]++
	}
	for e := range len(p.after) - 1 {
		p.after[e+1] += p.after[e]
	}
}

// settle drops the constraints that keep the recorded run from ending: clocks may differ, and
// operations may be missing. It returns the order of its pieces.
func (c *constraints) settle() ([]int32, error) {
	p := c.Program
	r := newRunner(p)
	r.force = true
	if !r.run(p.recorded) {
		return nil, failure.Errorf(failure.Data, "the operations of its goroutines contradict each other: %d of %d "+
			"pieces could not be put into an order", p.choices-len(r.order), p.choices)
	}
	if p.Kept.Contradicted = len(r.dropped) + len(r.freed); p.Kept.Contradicted > 0 {
		p.edges = slices.DeleteFunc(p.edges, func(e edge) bool { return r.dropped[e] })
		for _, i := range r.freed {
			p.takes[i] = 0
		}
		c.link()
		if r = newRunner(p); !r.run(p.recorded) {
			return nil, fmt.Errorf("%w: the recorded run cannot be repeated", ErrUnsuitable)
		}
	}
	return r.order, nil
}
