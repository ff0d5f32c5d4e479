package flow

import (
	"cmp"
	"slices"

	"krdlab/loi"
	"krdlab/loi/dag"
)

// A channel is one of the program.
type channel struct {
	object loi.ObjectID // its class
	place  uint64
}

// A passage is a send or a receive.
type passage[C any] struct {
	at      int64 // ticks of the common clock: when it took effect
	marks   []C
	readers []reader // operands that the operation has of it
}

// A reader is an operation that has an operand of what was received.
type reader struct {
	Step
	operand *loi.Operand
}

// recent lists the acts of an activation since its last operation.
type recent[C any] struct {
	sent     *passage[C]
	received []*passage[C]
}

// channels has the sends and receives of each.
type channels[C any] map[channel]*dag.Channel[*passage[C]]

// sync takes an operation of an activation to a channel; common is by how much its ticks are behind
// those of the common clock.
func (c channels[C]) sync(w *recent[C], x *loi.Sync, common int64) {
	if x.Op > loi.SyncReceiveClosed || x.Object == loi.NoObject && x.Place == 0 {
		return
	}
	p, key := &passage[C]{at: int64(x.At) + common}, channel{x.Object, x.Place}
	t := c[key]
	if t == nil {
		t = &dag.Channel[*passage[C]]{}
		c[key] = t
	}
	switch t.Add(x.Op, x.Timer, p); x.Op {
	case loi.SyncSend:
		w.sent = p
	case loi.SyncReceive, loi.SyncReceiveClosed:
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
func (w *recent[C]) claim(op *loi.Operation) (own []*passage[C]) {
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

// Match matches what was sent with what was received, after the last event.
func (f *Flow[C]) Match() {
	keys := make([]channel, 0, len(f.channels))
	for k := range f.channels {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b channel) int {
		return cmp.Or(cmp.Compare(a.object, b.object), cmp.Compare(a.place, b.place))
	})
	for _, k := range keys {
		t := f.channels[k]
		for _, list := range [][]*passage[C]{t.Sends, t.Receives} {
			slices.SortStableFunc(list, func(a, b *passage[C]) int { return cmp.Compare(a.at, b.at) })
		}
		for r, s := range t.Partners(&passage[C]{}) {
			for j := range s.marks {
				for n := range r.readers {
					x := &r.readers[n]
					f.receiver.Received(&x.Step, x.operand, &s.marks[j], k.object)
				}
			}
		}
	}
}
