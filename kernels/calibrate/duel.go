package calibrate

import (
	"sync/atomic"

	"krdlab/hw"
	"krdlab/runtimes"
)

// enough rounds without a guest, and half of all, are the end: the policy lets none come.
const enough = 50

// duel is a program for two workers: rounds of a phase with two children; the other worker gets one
// of them by the probe's move. The first to run, the holder, waits until the other, the guest, has
// begun elsewhere; then the holder ends, and the guest a little later. The join is measured at the
// arrival behind which a worker has to look for work at once: the first one or, where the starter
// goes on, that of the other worker.
//
//	field  writer                                 readers
//	first  whoever begins first, by CAS           the other
//	begun  the guest, at its beginning            the holder
//	ended  the holder, as its last act            the guest
//
// Both hold the number of the round, so that they need no reset.
type duel struct {
	probe  *probe
	rounds int
	limit  uint64 // ticks that a holder waits before it gives a round up
	pause  uint64 // ticks from the first end to the second

	lost atomic.Int64 // rounds without a guest
	_    [128]byte
	// in a round: see the table above
	first atomic.Int64 // 2 rounds, and the number of the worker
	_     [128]byte
	begun atomic.Int64
	_     [128]byte
	ended atomic.Int64
	_     [128]byte
}

type duelTask struct {
	runtimes.Frame
	d     *duel
	round int64
}

func (d *duel) Root(*runtimes.Worker) *runtimes.Frame {
	t := &duelTask{d: d, round: 1}
	t.Bind(t, 0)
	return t.Fork(2)
}

// Hint mails the guest to the other worker.
func (t *duelTask) Hint(w *runtimes.Worker, i int) runtimes.Hint {
	if t.d.probe.move == runtimes.MoveMail {
		return runtimes.Hint{Near: 2 - w.ID()}
	}
	return runtimes.Hint{}
}

func (t *duelTask) Run(w *runtimes.Worker, _ int) *runtimes.Frame {
	now := stamp()
	d, me := t.d, int64(w.ID())
	got := d.probe.begins(w)
	if before := d.first.Load(); before>>1 < t.round &&
		d.first.CompareAndSwap(before, t.round<<1|me) {
		if got {
			d.probe.got(w, now)
		}
		if d.probe.rules.Requests { // who only waits answers nobody
			a := &answering{d: d, round: t.round, from: now}
			a.Bind(a, 1)
			return a.Fork(2)
		}
		for d.waits(t.round, now) {
		}
		d.ends(w, t.round, got)
		return nil
	}
	if d.first.Load()&1 == me { // nobody came
		d.begun.Store(t.round)
		return nil
	}
	if got {
		d.probe.got(w, now)
	}
	d.begun.Store(t.round)
	for d.ended.Load() < t.round {
	}
	for from := hw.TSC(); hw.TSC()-from < d.pause; {
	}
	if d.starterWaits() && got {
		d.probe.by[me].ended = stamp()
	}
	return nil
}

// waits reports whether the holder must wait on.
func (d *duel) waits(round int64, from uint64) bool {
	if d.begun.Load() >= round {
		return false
	}
	if hw.TSC()-from > d.limit {
		d.lost.Add(1)
		return false
	}
	return true
}

func (d *duel) starterWaits() bool { return d.probe.rules.Join == runtimes.JoinStarter }

// ends ends the holder. got: it is not with the worker that started the task.
func (d *duel) ends(w *runtimes.Worker, round int64, got bool) {
	lost := d.begun.Load() < round
	d.ended.Store(round)
	if !lost && (got || !d.starterWaits()) {
		d.probe.by[w.ID()].ended = stamp()
	}
}

// answering is a holder of thieves that ask: it spawns until the guest has begun.
type answering struct {
	runtimes.Frame
	d     *duel
	round int64
	from  uint64
}

func (a *answering) Run(w *runtimes.Worker, _ int) *runtimes.Frame {
	a.d.probe.begins(w)
	return nil
}

func (a *answering) Next(w *runtimes.Worker, _ int) int {
	if a.d.waits(a.round, a.from) {
		return 2
	}
	a.d.ends(w, a.round, false)
	return 0
}

func (t *duelTask) Next(*runtimes.Worker, int) int {
	lost := t.d.lost.Load()
	if t.round++; t.round > int64(t.d.rounds) || lost > enough && 2*lost > t.round {
		return 0
	}
	return 2
}
