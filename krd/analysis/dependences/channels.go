package dependences

import (
	"cmp"
	"slices"

	"krdlab/loi"
)

// A channel is one of the program.
type channel struct {
	object loi.ObjectID // its class
	place  uint64
}

// A passage is a send or a receive.
type passage struct {
	at      int64 // ticks of the common clock: when it took effect
	cells   []cell
	readers []reader // operands that the operation has of it
}

// A reader is an operation that has an operand of what was received.
type reader struct {
	operation uint32
	operand   *loi.Operand
	worker    int
	at        *node
}

// traffic is what went through a channel.
type traffic struct{ sends, receives []*passage }

// recent is what an activation has done since its last operation.
type recent struct {
	sent     *passage
	received []*passage
}

// channels matches sends and receives: the k-th receive of a channel has what the k-th send sent,
// both in the order in which they took effect. Of what the runtime sends nothing is known.
type channels map[channel]*traffic

// sync takes an operation of an activation to a channel; common is what its ticks are behind those
// of the common clock.
func (c channels) sync(w *recent, x *loi.Sync, common int64) {
	if x.Op > loi.SyncReceiveClosed || x.Object == loi.NoObject && x.Place == 0 {
		return
	}
	p, key := &passage{at: int64(x.At) + common}, channel{x.Object, x.Place}
	t := c[key]
	if t == nil {
		t = &traffic{}
		c[key] = t
	}
	switch x.Op {
	case loi.SyncSend:
		t.sends, w.sent = append(t.sends, p), p
	case loi.SyncReceive, loi.SyncReceiveClosed:
		if x.Op == loi.SyncReceive && !x.Timer {
			t.receives = append(t.receives, p)
		}
		if len(w.received) == 2*mostReceives {
			w.received = slices.Delete(w.received, 0, mostReceives)
		}
		w.received = append(w.received, p)
	}
}

// mostReceives is how many receives of an activation an operation may have.
const mostReceives = 1 << 8

// claim returns the receives of an operation, by their numbers, nil if the trace has not all; and
// takes them away, or everything unless it is a call, which others of its statement may stand
// around.
func (w *recent) claim(op *loi.Operation) (own []*passage) {
	count := 0
	for i := range op.Values {
		for _, x := range op.Values[i].Operands {
			if x.From.Kind == loi.Channel {
				count = max(count, int(min(x.From.N, mostReceives*2))+1)
			}
		}
	}
	if n := len(w.received) - count; n >= 0 {
		own, w.received = w.received[n:], w.received[:n:n]
	}
	if !op.Kind.Calls() {
		w.received, w.sent = nil, nil
	}
	return own
}

// A crossing is a dependence of an operation of a goroutine on one of another.
type crossing struct {
	from, to uint32 // operations
	name     string // of the value; "": it has none
	object   int32  // datum or channel that it went through; -1: the start of the goroutine
	channel  bool
	control  bool
}

// crosses counts that an operand of an operation was written by another goroutine's.
func (s *sink) crosses(x crossing) {
	if s.between[x] == 0 {
		s.crossed = append(s.crossed, x)
	}
	s.between[x]++
}

// receives counts that an operand was received which a cell's operation sent.
func (s *sink) receives(k channel, c cell, x reader) {
	if c.worker == int32(x.worker) {
		c.object = int32(k.object)
		s.depends(x.worker, x.operation, &s.in.Header.Registry.Operations[x.operation], x.operand, c,
			x.at)
		return
	}
	s.crosses(crossing{from: c.operation - 1, to: x.operation, name: s.name(c),
		object: int32(k.object), channel: true})
}

// match matches what was sent with what was received.
func (s *sink) match() {
	keys := make([]channel, 0, len(s.channels))
	for k := range s.channels {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b channel) int {
		return cmp.Or(cmp.Compare(a.object, b.object), cmp.Compare(a.place, b.place))
	})
	for _, k := range keys {
		t := s.channels[k]
		for _, list := range [][]*passage{t.sends, t.receives} {
			slices.SortStableFunc(list, func(a, b *passage) int { return cmp.Compare(a.at, b.at) })
		}
		for i, r := range t.receives[:min(len(t.receives), len(t.sends))] {
			for _, c := range t.sends[i].cells {
				for _, x := range r.readers {
					s.receives(k, c, x)
				}
			}
		}
	}
}
