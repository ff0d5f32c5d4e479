package graph

import (
	"path/filepath"
	"slices"
	"testing"

	"krdlab/krd/doc"
	"krdlab/loi"
)

// waiting is how many goroutines there may be.
const waiting = 20

// Waiters lists acts of goroutines at ticks, of a ns each.
type waiters struct {
	t      *testing.T
	b      *loi.Builder
	object loi.ObjectID
	away   [waiting]uint64
}

func (p *waiters) event(worker int, kind loi.EventKind, at uint64, args ...uint32) {
	p.t.Helper()
	if err := p.b.Event(worker, kind, at, args...); err != nil {
		p.t.Fatal(err)
	}
}

func (p *waiters) start(worker int, at uint64) {
	p.event(0, loi.EventGo, at, loi.GoArgs(uint32(worker+1), p.away[0])...)
	p.event(worker, loi.EventStart, at, uint32(worker+1), 0)
}

func (p *waiters) end(worker int, at uint64) {
	p.event(worker, loi.EventEnd, at, loi.GoArgs(uint32(worker+1), p.away[worker])...)
}

func (p *waiters) sync(worker int, op loi.SyncOp, begin, at uint64) {
	p.away[worker] += at - begin
	p.event(worker, loi.EventSync, at, (&loi.Sync{Op: op, Object: p.object, Place: 1, Begin: begin, At: at,
		Away: p.away[worker]}).Args()...)
}

// locks makes two goroutines take a lock in turn, each 20 times, one waiting for the other for some
// ticks of 60.
func locks(wait uint64) func(p *waiters) {
	return func(p *waiters) {
		p.start(1, 100)
		p.start(2, 100)
		now := uint64(100)
		for i := range 40 {
			w := 1 + i%2
			if i > 0 {
				p.sync(w, loi.SyncLock, now-wait, now+1)
			} else {
				p.sync(w, loi.SyncLock, now, now+1)
			}
			now += 60
			p.sync(w, loi.SyncUnlock, now, now)
		}
		p.end(1, now+20)
		p.end(2, now+20)
	}
}

// channel makes one goroutine send to another, which comes later by some ticks, or earlier, in
// turn.
func channel(late, early uint64) func(p *waiters) {
	return func(p *waiters) {
		p.start(1, 100)
		p.start(2, 100)
		now := uint64(100)
		for i := range 40 {
			now += 20
			if i%2 == 0 {
				p.sync(1, loi.SyncSend, now-late, now)
				p.sync(2, loi.SyncReceive, now, now)
			} else {
				p.sync(1, loi.SyncSend, now, now)
				p.sync(2, loi.SyncReceive, now-early, now)
			}
		}
		p.end(1, now+20)
		p.end(2, now+20)
	}
}

// request makes one goroutine send to another over a channel, and wait for a reply over the same.
func request(p *waiters) {
	p.start(1, 100)
	p.start(2, 100)
	for now := uint64(100); now < 2000; now += 60 {
		p.sync(1, loi.SyncSend, now, now+20)
		p.sync(2, loi.SyncReceive, now+20, now+20)
		p.sync(2, loi.SyncSend, now+40, now+40)
		p.sync(1, loi.SyncReceive, now+20, now+40)
		p.sync(2, loi.SyncReceive, now+40, now+60)
		p.sync(1, loi.SyncSend, now+60, now+60)
	}
	p.end(1, 2100)
	p.end(2, 2100)
}

// asleep keeps the last of four goroutines off its thread.
func asleep(p *waiters) {
	p.away[4] = 190
	ending([2]uint64{100, 200}, [2]uint64{100, 210}, [2]uint64{100, 200}, [2]uint64{101, 400})(p)
}

// beside makes another goroutine, of another function, work while the last of four does.
func beside(p *waiters) {
	p.event(0, loi.EventGo, 100, loi.GoArgs(6, 0)...)
	p.event(5, loi.EventStart, 100, 6, 1)
	ending([2]uint64{100, 200}, [2]uint64{100, 210}, [2]uint64{100, 200}, [2]uint64{101, 400})(p)
	p.event(5, loi.EventEnd, 400, loi.GoArgs(6, 0)...)
}

// ending has goroutines of one function that begin and end at these ticks.
func ending(runs ...[2]uint64) func(p *waiters) {
	return func(p *waiters) {
		for i, r := range runs {
			p.start(i+1, r[0])
		}
		for i, r := range runs {
			p.end(i+1, r[1])
		}
	}
}

// did returns the document of a program in which the first goroutine begins at tick 100.
func did(t *testing.T, do func(p *waiters)) *Document {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.loi")
	b, err := loi.NewBuilder(path)
	if err != nil {
		t.Fatal(err)
	}
	p := &waiters{t: t, b: b}
	for _, name := range []string{"main.work", "main.other"} {
		if err == nil {
			_, err = b.Kernel(name)
		}
	}
	if err == nil {
		p.object, err = b.Object("main.x", loi.Keyed)
	}
	if err != nil {
		t.Fatal(err)
	}
	p.event(0, loi.EventStart, 100, 1)
	do(p)
	if err := b.Close(loi.Header{Substrate: loi.Native, Clock: loi.Clock{Source: "tsc", Hz: 1e9},
		Workers: slices.Repeat([]loi.Worker{{CPU: -1}}, waiting)}); err != nil {
		t.Fatal(err)
	}
	tr, err := loi.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	d, _ := look(t, tr, Options{})
	tr.Close()
	return d
}

// Each answer about waits is found where it was planted, and nowhere else.
func TestWaitsThatCost(t *testing.T) {
	for name, x := range map[string]struct {
		do   func(p *waiters)
		want []doc.Code
	}{
		"hot lock":               {locks(15), []doc.Code{LockWaited}},
		"lock that nobody wants": {locks(0), nil},
		"short waits for a lock": {locks(1), nil},
		"channel without room":   {channel(15, 15), []doc.Code{channelRoom}},
		"slow receiver":          {channel(15, 0), nil},
		"slow sender":            {channel(0, 15), nil},
		"request and reply":      {request, nil},
		"the last one sleeps":    {asleep, nil},
		"others work beside":     {beside, nil},
		"one ends last": {ending([2]uint64{100, 200}, [2]uint64{100, 210}, [2]uint64{100, 200},
			[2]uint64{101, 400}), []doc.Code{endsAlone}},
		"all end at once": {ending([2]uint64{100, 200}, [2]uint64{100, 210}, [2]uint64{100, 200},
			[2]uint64{101, 220}), nil},
		"a later round": {ending([2]uint64{100, 200}, [2]uint64{100, 210}, [2]uint64{100, 200},
			[2]uint64{220, 400}), nil},
		"only two": {ending([2]uint64{100, 200}, [2]uint64{100, 400}), nil},
	} {
		d := did(t, x.do)
		var found []doc.Code
		for _, f := range d.Findings {
			if e, _ := f.Code.In(); e.Level == doc.Answer {
				found = append(found, f.Code)
			}
		}
		if !slices.Equal(found, x.want) {
			t.Errorf("%s: %q, expected %q of %q", name, found, x.want, d.Warnings)
		}
		// Two goroutines that wait for each other at a lock are one row for people.
		if one, w := d.Goroutines.AtOne, d.Goroutines.Waits; name == "hot lock" && (len(one) != 1 || len(w) != 2 ||
			one[0].Times != w[0].Times+w[1].Times || one[0].Goroutine != "2 goroutines, main.work") {
			t.Errorf("%+v in one, of %+v", one, w)
		}
	}
}
