package graph

import (
	"math"
	"strings"
	"testing"

	"krdlab/loi"
)

// ticks returns the time of a row of a timeline in a state, in ticks of a ns.
func (t *Timeline) ticks(name string, state State) (n float64) {
	for _, r := range t.Rows {
		for _, s := range r.States {
			if strings.HasSuffix(r.Name, name) && s.State == state {
				for _, v := range s.Bins {
					n += v * t.Bin.Float()
				}
			}
		}
	}
	return n
}

// A goroutine that holds a lock is on its thread, one that needs it waits until that is given back, and
// what did not end is in the operation that it had begun, or not known.
func TestTimeline(t *testing.T) {
	type want map[string]map[State]float64
	for name, x := range map[string]struct {
		do   func(p *waiters)
		want want
	}{
		"one waits for the other": {func(p *waiters) {
			p.start(1, 100)
			p.start(2, 100)
			p.sync(1, loi.SyncLock, 110, 110)
			p.sync(1, loi.SyncUnlock, 400, 400)
			p.away[2] -= 30
			p.sync(2, loi.SyncLock, 120, 430)
			p.event(2, loi.EventSync, 430, (&loi.Sync{Op: loi.SyncUnlock, Object: p.object, Place: 1, Begin: 430,
				At: 430, Away: p.away[2]}).Args()...)
			p.end(1, 700)
			p.end(2, 700)
		}, want{"2, main.work": {onThread: 600}, "3, main.work": {onThread: 20 + 270, atLock: 280, offThread: 30}}},
		"nobody waits": {func(p *waiters) {
			p.start(1, 100)
			p.start(2, 100)
			p.sync(1, loi.SyncLock, 110, 110)
			p.sync(1, loi.SyncUnlock, 400, 400)
			p.sync(2, loi.SyncLock, 400, 400)
			p.sync(2, loi.SyncUnlock, 500, 500)
			p.end(1, 700)
			p.end(2, 700)
		}, want{"2, main.work": {onThread: 600}, "3, main.work": {onThread: 600}}},
		"one sleeps, off its thread before and behind": {func(p *waiters) {
			p.event(0, loi.EventGo, 100, loi.GoArgs(2, 0)...)
			p.event(1, loi.EventStart, 150, 2, 0)
			p.away[1] = 40
			p.sync(1, loi.SyncSleep, 300, 500)
			p.end(1, 700)
		}, want{"2, main.work": {offThread: 50 + 40, onThread: 110 + 200, sleeping: 200}}},
		"one has not ended": {func(p *waiters) {
			p.start(1, 100)
			p.start(2, 100)
			p.event(1, loi.EventBegun, 200, (&loi.Begun{Sync: loi.Sync{Op: loi.SyncReceive, Object: p.object,
				Place: 1}, Cases: 1}).Args()...)
			p.event(2, loi.EventBegun, 300)
			p.end(0, 700)
		}, want{"2, main.work": {onThread: 100, atChannel: 500}, "3, main.work": {onThread: 200, unknownState: 400},
			"1": {onThread: 600}}},
	} {
		d := did(t, x.do)
		for row, all := range x.want {
			for _, k := range states {
				got := d.Goroutines.Timeline.ticks(row, k.State)
				if math.Abs(got-all[k.State]) > 1 {
					t.Errorf("%s: goroutine %s %s for %.1f ticks, expected %.0f", name, row, k.State, got, all[k.State])
				}
			}
		}
	}
}

// Of many goroutines those of a function are a row, which is as high as those that are alive.
func TestTimelineOfMany(t *testing.T) {
	d := did(t, func(p *waiters) {
		var runs [][2]uint64
		for i := range uint64(18) {
			runs = append(runs, [2]uint64{100 + i/9*300, 399 + i/9*301})
		}
		ending(runs...)(p)
	})
	rows := d.Goroutines.Timeline.Rows
	if len(rows) != 2 || rows[1].Name != "18 goroutines, main.work" || rows[1].Count != 18 ||
		math.Abs(rows[1].most()-9) > 0.1 {
		t.Fatalf("%+v", rows)
	}
	if lines := rows[1].lines(10, rows[1].most()); len(lines) != 1 || lines[0] != stripLines {
		t.Errorf("%v lines, expected %d", lines, stripLines)
	}
	r := &TimeRow{States: []StateTime{{onThread, []float64{2, 0.01}}, {atLock, []float64{6, 0}}}}
	if a, b := r.lines(0, 8), r.lines(1, 8); a[0] != 2 || a[1] != 6 || b[0] != 1 || b[1] != 0 {
		t.Errorf("%v and %v lines, expected 2 and 6, and 1 of what is least", a, b)
	}
}
