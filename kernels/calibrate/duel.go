package calibrate

import (
	"sync/atomic"

	"krdlab/hw"
	"krdlab/runtimes"
)

// duel is a program for two workers: rounds of a phase with two children, of which the other worker
// gets one by the probe's move. The first to run, the holder, waits until the other, the guest, has
// begun elsewhere; then the one whose arrival at the join is to be measured, ends first, and the
// other one a little later.
//
//	field  writer                                 readers
//	begun  the guest, at its beginning            the holder
//	ended  whoever ends first, as its last act    the other
//
// Both hold the number of the round, so that nobody resets them.
type duel struct {
	probe  *probe
	rounds int
	limit  uint64 // ticks that a holder waits before it gives a round up
	pause  uint64 // ticks from the first end to the second
	rules  runtimes.Rules

	lost atomic.Int64 // rounds without a guest
	_    [128]byte
	// in a round: see the table above
	begun atomic.Int64
	_     [128]byte
	ended atomic.Int64
	_     [128]byte
}

type duelTask struct {
	runtimes.Frame
	d     *duel
	round int64
	first int32 // the worker that holds
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

func (t *duelTask) Run(w *runtimes.Worker, i int) *runtimes.Frame {
	now := stamp()
	d := t.d
	childFirst := d.rules.Spawn == runtimes.SpawnChild
	if holds := (i == 0) == childFirst; holds {
		atomic.StoreInt32(&t.first, int32(w.ID()))
		for d.begun.Load() < t.round {
			if hw.TSC()-now > d.limit {
				d.lost.Add(1)
				d.ended.Store(t.round)
				return nil
			}
		}
		if childFirst {
			d.endFirst(w, t.round)
		} else {
			d.ended.Store(t.round)
		}
		return nil
	}
	if int(atomic.LoadInt32(&t.first)) == w.ID() { // nobody came
		d.begun.Store(t.round)
		return nil
	}
	d.probe.got(w, now)
	d.begun.Store(t.round)
	for d.ended.Load() < t.round {
	}
	for from := hw.TSC(); hw.TSC()-from < d.pause; {
	}
	if !childFirst {
		d.probe.by[w.ID()].ended = stamp()
	}
	return nil
}

// endFirst ends a child whose arrival is measured.
func (d *duel) endFirst(w *runtimes.Worker, round int64) {
	d.ended.Store(round)
	d.probe.by[w.ID()].ended = stamp()
}

func (t *duelTask) Next(*runtimes.Worker, int) int {
	t.round++
	atomic.StoreInt32(&t.first, -1)
	if t.round > int64(t.d.rounds) {
		return 0
	}
	return 2
}
