package collect

import "krdlab/loi/front"

// A Loop is a run of iterations. In each, a goroutine makes the same accesses, moved by as much as
// in the one before.
type Loop struct {
	Goroutine uint64
	Times     uint64 // iterations
	Accesses  []Strided
	Span
}

// A Strided is an access of a [Loop]: in iteration i, from 0, to the Bytes at Place + i Step.
type Strided struct {
	Place uint64
	Real  uint64 // the address in the program
	Step  int64
	Bytes uint32
	Group uint32
}

// fewest is how many accesses a loop has at least to be handed on as one: with fewer, a batch that
// is not full costs more.
const fewest = 64

// repeat takes the event that the two iterations before it are repeated. They are in events and,
// for the part that is not there, in the events that came before these.
func (r *Reader) repeat(t *thread, e event, events []event, at uint64) error {
	k, mask, n := e.rest()%256, e.rest()/256, e[0]
	if k == 0 || k > maxRepeat || n > 1<<31 {
		r.Odd++
		return nil
	}
	if uint64(len(events)) < 2*k+1 {
		events = append(t.tail[:len(t.tail):len(t.tail)], events...)
	}
	for len(events) > 0 && events[len(events)-1].kind() == kindStamp {
		events = events[:len(events)-1] // the goroutine rested just before it recorded e
	}
	if uint64(len(events)) < 2*k {
		r.Odd++
		return nil
	}
	two := events[uint64(len(events))-2*k:]
	if mask != 0 {
		return r.begin(t, two, mask, n)
	}
	l := &r.loop
	l.Goroutine, l.Times, l.Accesses, l.Span = t.number, n, l.Accesses[:0], t.span(at)
	if l.From == l.To {
		l.From -= min(l.From, n/2) // an iteration takes a cycle at least, which is half a tick or more
	}
	for j := range k {
		first, second := two[j], two[k+j]
		site := second[1] & siteMask
		if first[1] != second[1] || second.kind() != kindAccess || site == 0 ||
			site >= uint64(len(r.leaves)) {
			r.Odd++
			return nil
		}
		step := second[0] - first[0]
		from := second[0] + step
		o, unknown := r.object(from)
		if last := second[0] + n*step; last-o.addr >= o.bytes && step != 0 {
			return r.each(t, two[k:], two[:k], n, at) // it goes on in another object
		}
		if unknown {
			r.account[site].Unknown += n * uint64(len(r.leaves[site]))
		}
		g, virtual := r.group(uint32(site), o.class), o.virtual-o.addr&^(granule-1)
		for _, leaf := range r.leaves[site] {
			l.Accesses = append(l.Accesses, Strided{from + virtual + leaf.Offset,
				from + leaf.Offset, int64(step), uint32(leaf.Bytes), g})
		}
	}
	if r.Loops != nil && n*uint64(len(l.Accesses)) >= fewest {
		if err := r.turn(t, at); err != nil {
			return err
		}
		if err := r.flush(); err != nil {
			return err
		}
		if !t.accessed {
			t.accessed = true
			r.Goroutines++
		}
		return r.Loops.Loop(l)
	}
	for i := range n {
		for j := range l.Accesses {
			a := &l.Accesses[j]
			r.addr = a.Real + i*uint64(a.Step)
			r.put(a.Place+i*uint64(a.Step), uint64(a.Bytes), a.Group)
		}
		if err := r.turnIfFull(t, at); err != nil {
			return err
		}
	}
	return nil
}

// A rest is the iterations of a loop that are to come with some of their accesses.
type rest struct {
	times    uint64
	at       int // in accesses: what comes next
	accesses []repeated
	last     int // of accesses: the last that comes as an event
}

// A repeated is an access of a rest.
type repeated struct {
	site, addr, step uint64 // of the next
	event            bool   // it comes as one

	// where its object is, of one that does not
	virtual uint64
	group   uint32
	bytes   uint32 // 0: nothing is known
}

// begin takes the rest of a loop after its first two iterations, with a bit for each of its
// accesses that is to come as an event.
func (r *Reader) begin(t *thread, two []event, mask, n uint64) error {
	l, k := &t.rest, len(two)/2
	*l = rest{times: n, accesses: l.accesses[:0]} // n is at least 2
	for j := range k {
		first, second := two[j], two[k+j]
		step := second[0] - first[0]
		site := second[1] & siteMask
		if first[1] != second[1] || second.kind() != kindAccess || site == 0 ||
			site >= uint64(len(r.leaves)) {
			l.times = 0
			r.Odd++
			return nil
		}
		a := repeated{site: site, addr: second[0] + step, step: step, event: mask>>j&1 != 0}
		if a.event {
			l.last = j
		} else if leaves := r.leaves[site]; len(leaves) == 1 && leaves[0].Offset == 0 {
			o, unknown := r.object(a.addr)
			if last := second[0] + n*step; !unknown && last-o.addr < o.bytes {
				a.virtual, a.group = o.virtual-o.addr&^(granule-1), r.group(uint32(site), o.class)
				a.bytes = uint32(leaves[0].Bytes)
			}
		}
		l.accesses = append(l.accesses, a)
	}
	return nil
}

// loose takes an access of a loop that goes on, and those that stand around it.
func (r *Reader) loose(t *thread, e event, at uint64) error {
	l, site := &t.rest, e[1]&siteMask
	if l.times == 0 {
		r.Odd++
		return nil
	}
	for ; ; l.at++ {
		if l.at == len(l.accesses) {
			r.Odd++
			l.times = 0
			return nil
		}
		a := &l.accesses[l.at]
		if a.event {
			if a.site == site {
				break
			}
			continue
		}
		r.next(t, a)
	}
	r.access(t, e[0], site)
	if l.at++; l.at <= l.last {
		return nil
	}
	for ; l.at < len(l.accesses); l.at++ {
		r.next(t, &l.accesses[l.at])
	}
	l.at, l.times = 0, l.times-1
	return r.turnIfFull(t, at)
}

// abandon takes what a loop has accessed that goes on no more: the access that comes as an event has
// panicked.
func (r *Reader) abandon(t *thread) {
	l := &t.rest
	for ; l.at < len(l.accesses) && !l.accesses[l.at].event; l.at++ {
		r.next(t, &l.accesses[l.at])
	}
	l.times, l.at = 0, 0
}

// next records an access that does not come as an event.
func (r *Reader) next(t *thread, a *repeated) {
	if a.bytes != 0 {
		r.addr = a.addr
		r.put(a.addr+a.virtual, uint64(a.bytes), a.group)
	} else {
		r.access(t, a.addr, a.site)
	}
	a.addr += a.step
}

// each records n iterations access by access; one is the last that was, before the one before.
func (r *Reader) each(t *thread, one, before []event, n, at uint64) error {
	for i := range n {
		for j, e := range one {
			r.access(t, e[0]+(i+1)*(e[0]-before[j][0]), e[1]&siteMask)
		}
		if err := r.turnIfFull(t, at); err != nil {
			return err
		}
	}
	return nil
}

// turnIfFull hands on what was collected, if it is enough.
func (r *Reader) turnIfFull(t *thread, at uint64) error {
	if len(r.batch.Places) < batchLen {
		return nil
	}
	return r.turn(t, at)
}

// maxRepeat is how many accesses an iteration of a repeated loop has at most; tailLen is how many
// events are kept for those that stand in the piece before.
const (
	maxRepeat = front.SteadyMost
	tailLen   = 2*maxRepeat + 2
)

// keep keeps the last of events for those that follow.
func (t *thread) keep(events []event) {
	if n := len(events); n >= tailLen {
		t.tail = append(t.tail[:0], events[n-tailLen:]...)
	} else {
		if over := len(t.tail) + n - tailLen; over > 0 {
			t.tail = t.tail[:copy(t.tail, t.tail[over:])]
		}
		t.tail = append(t.tail, events...)
	}
}
