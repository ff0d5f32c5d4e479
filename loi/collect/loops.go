package collect

import "krdlab/loi/gofront"

// A Loop is iterations that follow each other, in each of which a goroutine makes the same accesses,
// each moved by as much as in the one before.
type Loop struct {
	Goroutine uint64
	Times     uint64 // iterations
	Accesses  []Strided
}

// A Strided is an access of a [Loop]: in iteration i, from 0, to the Bytes at Place + i Step.
type Strided struct {
	Place uint64
	Step  int64
	Bytes uint32
	Group uint32
}

// fewest is how many accesses a loop has at least to be handed on as one: with fewer, a batch that
// is not full costs more.
const fewest = 64

// repeat takes the event that the two iterations are repeated which stand before, in events and,
// what is not there, in those that came before them.
func (r *Reader) repeat(t *thread, e event, events []event, at uint64) error {
	k, n := e.rest(), e[0]
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
	l := &r.loop
	l.Goroutine, l.Times, l.Accesses = t.number, n, l.Accesses[:0]
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
			l.Accesses = append(l.Accesses, Strided{from + virtual + leaf.Offset, int64(step),
				uint32(leaf.Bytes), g})
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
			r.put(a.Place+i*uint64(a.Step), uint64(a.Bytes), a.Group)
		}
		if err := r.turnIfFull(t, at); err != nil {
			return err
		}
	}
	return nil
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
	maxRepeat = gofront.SteadyMost
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
