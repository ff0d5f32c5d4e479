package collect

import "krdlab/loi"

// pending holds an operation of a goroutine that has not ended, or a goroutine that it makes, as
// far as its events have come.
type pending struct {
	kind uint64 // kindSync, kindGo; 0: nothing
	addr uint64 // or the runtime's number of the goroutine, or of what a goroutine runs
	away uint64
	loi.Sync
}

// Of a kindSync.
const (
	syncOpShift  = 48
	syncSelected = 1 << 47
	syncTimer    = 1 << 46
	syncRoom     = 1<<46 - 1
)

// sync takes an event of what goroutines wait for. Those of a goroutine that has not begun are of
// the runtime's own.
func (r *Reader) sync(t *thread, e event, at uint64) error {
	if t.waits == nil {
		t.waits = new(pending)
	}
	w := t.waits
	switch rest := e.rest(); e.kind() {
	case kindEntry:
		w.addr = e[0]
	case kindStart:
		if t.started != 0 {
			r.Odd++
			return nil
		}
		t.started = r.goroutine(e[0])
		t.time, t.waited = max(t.time, min(rest, at)), false
		r.act(t, Act{Time: min(rest, at), Kind: loi.EventStart, Number: t.started,
			Waited: &Waited{Entry: w.addr}})
	case kindGo:
		*w = pending{kind: kindGo, addr: e[0], away: rest}
	case kindSync:
		*w = pending{kind: kindSync, addr: e[0], Sync: syncOf(rest)}
	case kindSyncAt:
		w.Begin, w.At = e[0], rest
	case kindDone:
		return r.done(t, e, min(e[0], at))
	}
	return nil
}

// syncOf decodes the second word of a kindSync.
func syncOf(rest uint64) loi.Sync {
	return loi.Sync{Op: loi.SyncOp(rest >> syncOpShift), Selected: rest&syncSelected != 0,
		Timer: rest&syncTimer != 0, Room: uint32(min(rest&syncRoom, 1<<32-1))}
}

// atomicSite returns the number of the site of an atomic operation, which stands for its room.
func atomicSite(s loi.Sync) (site int, room uint32) {
	if s.Op.Atomic() {
		return int(s.Room), 0
	}
	return 0, s.Room
}

// waiting notes what a goroutine was waiting for when the program ended.
func (r *Reader) waiting(number uint64, w *wait) {
	t := r.threads[number]
	if t == nil || t.started == 0 || t.over {
		return
	}
	at := max(t.time, w.at)
	open := Act{Time: at, Kind: loi.EventBegun, Waited: &Waited{Class: -1}}
	if w.what == 0 {
		open.Time = t.time
		r.act(t, open)
		return
	}
	for _, pc := range w.pcs {
		if pc != 0 {
			open.PCs = append(open.PCs, pc)
		}
	}
	op, n := loi.SyncOp(w.what), w.what>>8
	for _, c := range w.cases[:min(n, uint64(len(w.cases)))] {
		x, one := open, *open.Waited
		s := syncOf(c[1])
		x.Waited = &one
		x.Class, s.Place = r.subject(t, c[0])
		x.Begun = &loi.Begun{Sync: s, Cases: uint32(min(n, 1<<32-1))}
		r.act(t, x)
	}
	if n == 0 {
		open.Begun = &loi.Begun{Sync: loi.Sync{Op: op}}
		r.act(t, open)
	}
}

// subject returns the class of what stands at an address, as events have it, and its place.
func (r *Reader) subject(t *thread, addr uint64) (class int, place uint64) {
	addr = r.real(t, addr)
	o, _ := r.object(addr)
	return int(o.class), o.virtual + addr - o.addr
}

// done ends the pending operation.
func (r *Reader) done(t *thread, e event, at uint64) error {
	w := *t.waits
	t.waits.kind = 0
	if t.started == 0 {
		return nil
	}
	if err := r.turn(t, at); err != nil {
		return err
	}
	switch w.kind {
	case kindGo:
		r.act(t, Act{Time: at, Kind: loi.EventGo, Number: r.goroutine(w.addr),
			Waited: &Waited{Away: w.away}})
	case kindSync:
		a := Act{Time: at, Kind: loi.EventSync,
			Waited: &Waited{Sync: &w.Sync, Class: -1, Span: t.span(at)}}
		if w.Away = e.rest(); w.addr != 0 {
			a.Class, w.Place = r.subject(t, w.addr)
			a.Real = r.real(t, w.addr)
		}
		if a.Site, w.Room = atomicSite(w.Sync); a.Site > len(r.sites) {
			r.Odd++
			return nil
		}
		r.act(t, a)
		t.time, t.waited = max(t.time, at), false
	default:
		r.Odd++
	}
	return r.full()
}

// ended notes the end of a goroutine.
func (r *Reader) ended(t *thread, e event, at uint64) {
	if t.over = true; t.started != 0 {
		r.act(t, Act{Time: at, Kind: loi.EventEnd, Number: t.started,
			Waited: &Waited{Away: e.rest()}})
	}
}

func (r *Reader) act(t *thread, a Act) {
	a.After, a.Goroutine = len(r.batch.Places), t.number
	r.batch.Acts = append(r.batch.Acts, a)
}

// goroutine numbers those of the program, by the runtime's numbers.
func (r *Reader) goroutine(id uint64) uint32 {
	n, ok := r.started[id]
	if !ok {
		n = uint32(len(r.started) + 1)
		r.started[id] = n
	}
	return n
}
