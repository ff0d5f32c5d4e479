package graph

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"krdlab/hw/units"
	"krdlab/krd/doc"
	"krdlab/loi"
	"krdlab/loi/dag"
)

// From which share of the run on a wait is a finding, and how often it must have come.
const (
	muchWaiting = 0.05
	manyWaits   = 10
	// mostAlone is from which share of the time of goroutines that do the same the last one is alone, of
	// at least fewAlike.
	mostAlone = 0.25
	fewAlike  = 3
)

// conclude finds what the goroutines lose time to: the answers to who waits for whom.
func (s *goroutineSink) conclude() {
	d, first, last := s.d, int64(0), int64(0)
	for i := range s.g.Ops {
		if o := &s.g.Ops[i]; o.Kind != 0 {
			if first == 0 || o.Begin < first {
				first = o.Begin
			}
			last = max(last, o.End)
		}
	}
	if last <= first {
		return
	}
	for _, x := range s.blocked() {
		share := float64(x.ticks) / float64(last-first)
		if x.times < manyWaits || share < muchWaiting {
			continue
		}
		switch {
		case x.lock:
			d.Conclude(doc.Find(LockWaited, share, x.times, x.most()).About(x.object))
		case x.senders > 0 && float64(min(x.sent, x.ticks-x.sent)) >= muchWaiting*float64(last-first):
			d.Conclude(doc.Find(channelRoom, x.room, float64(x.sent)/float64(last-first),
				float64(x.ticks-x.sent)/float64(last-first)).About(x.object))
		}
	}
	s.alone(last - first)
}

// A block sums up the waiting at one object.
type block struct {
	object      string
	lock        bool
	room        uint32
	times       uint64
	ticks, sent int64 // all, and of senders
	senders     uint64
	by          map[int32]int64 // worker that let it go on
	who         func(int32) string
	first       int
}

// replied reports that what a goroutine does behind a send is to receive from who received that.
func (s *goroutineSink) replied(send, after *dag.Op) bool {
	return after.Sync == loi.SyncReceive && after.Worker == send.Worker && after.Partner >= 0 &&
		s.g.Ops[after.Partner].Worker == s.g.Ops[send.Partner].Worker
}

// most returns the goroutine that was waited for longest.
func (b *block) most() string {
	w := slices.SortedFunc(maps.Keys(b.by), func(x, y int32) int {
		return cmp.Or(cmp.Compare(b.by[y], b.by[x]), cmp.Compare(x, y))
	})
	return b.who(w[0])
}

// blocked adds up the waits at locks and channels, the longest first.
func (s *goroutineSink) blocked() []*block {
	type place struct {
		object loi.ObjectID
		at     uint64
	}
	all := map[place]*block{}
	next := make([]int, len(s.g.Ops)) // of the same goroutine
	for i := range s.g.Ops {
		if o := &s.g.Ops[i]; o.Kind != 0 && o.Previous >= 0 {
			next[o.Previous] = i
		}
	}
	for i := range s.g.Ops {
		o := &s.g.Ops[i]
		ticks, waited := s.g.Blocked(o)
		if waited && o.Sync == loi.SyncSend && s.replied(o, &s.g.Ops[next[i]]) {
			continue // room would not let it go on
		}
		lock := o.Sync == loi.SyncLock || o.Sync == loi.SyncReadLock
		if !waited || o.Timer || !lock && o.Sync != loi.SyncSend && o.Sync != loi.SyncReceive {
			continue
		}
		k := place{o.Object, o.Place}
		b := all[k]
		if b == nil {
			b = &block{object: s.g.Object(o), lock: lock, room: o.Room, by: map[int32]int64{}, who: s.who,
				first: i}
			all[k] = b
		}
		b.times++
		b.ticks += ticks
		b.by[s.g.Ops[o.Partner].Worker] += ticks
		if o.Sync == loi.SyncSend {
			b.sent += ticks
			b.senders++
		}
	}
	return slices.SortedFunc(maps.Values(all), func(a, b *block) int {
		return cmp.Or(cmp.Compare(b.ticks, a.ticks), cmp.Compare(a.first, b.first))
	})
}

// A run is that of a goroutine.
type run struct {
	worker     int32
	begin, end int64
}

// phases splits runs where all before have ended, or are about to: the last to be waited for is still
// ending when others begin.
func phases(runs []run) (all [][]run) {
	slices.SortFunc(runs, func(a, b run) int { return cmp.Or(cmp.Compare(a.begin, b.begin), cmp.Compare(a.worker, b.worker)) })
	from, end := 0, int64(0) // of a phase
	for i, r := range runs {
		if i > from && r.begin >= end-(end-runs[from].begin)/100 {
			all, from, end = append(all, runs[from:i]), i, 0
		}
		end = max(end, r.end)
	}
	return append(all, runs[from:])
}

// alone finds functions whose last goroutine runs on when all others that ran with it have ended,
// for a time that matters to all; once for each function.
func (s *goroutineSink) alone(all int64) {
	alike := map[int][]run{}
	at := map[int32]*run{}
	for i := range s.g.Ops {
		o := &s.g.Ops[i]
		switch r := at[o.Worker]; {
		case o.Kind == loi.EventStart:
			at[o.Worker] = &run{o.Worker, o.At, o.At}
		case o.Kind == loi.EventEnd && r != nil:
			r.end = o.At
			name := s.g.Goroutines[o.Worker].Name
			alike[name] = append(alike[name], *r)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(alike)) {
		most, found := int64(muchWaiting*float64(all)), doc.Finding{}
		for _, runs := range phases(alike[name]) {
			if len(runs) < fewAlike || name < 0 {
				continue
			}
			begin := runs[0].begin
			slices.SortFunc(runs, func(a, b run) int { return cmp.Compare(a.end, b.end) })
			last, before := runs[len(runs)-1], runs[len(runs)-2]
			alone := last.end - max(before.end, last.begin)
			share := float64(alone) / float64(last.end-begin)
			// one that began when the others had ended is no straggler of theirs
			if last.begin < runs[0].end && share >= mostAlone && alone >= most && s.works(last.worker, before.end, last.end) {
				most, found = alone, doc.Find(endsAlone, s.who(last.worker), 100*share, len(runs)-1).About(s.g.Name(name))
			}
		}
		if found.Code != "" {
			s.d.Conclude(found)
		}
	}
}

// works reports that a goroutine is on its thread for half of a time at least, and the others all
// together for no more than a tenth.
func (s *goroutineSink) works(worker int32, from, to int64) bool {
	var own, others float64
	for i := range s.g.Ops {
		o := &s.g.Ops[i]
		if o.Kind == 0 || o.Previous < 0 {
			continue
		}
		began, ended := s.g.Ops[o.Previous].End, max(o.Begin, s.g.Ops[o.Previous].End)
		within := float64(min(ended, to) - max(began, from))
		if within <= 0 || ended == began {
			continue
		}
		ticks := float64(o.Ticks) * within / float64(ended-began)
		if o.Worker == worker {
			own += ticks
		} else {
			others += ticks
		}
	}
	return own >= float64(to-from)/2 && others <= float64(to-from)/10
}

// The codes of answers, with what their arguments are.
const (
	// LockWaited: how many wait on average, times, who was waited for; where accesses are recorded,
	// also the data accessed most while it is held, its percent of the accesses then, and theirs of
	// all.
	LockWaited doc.Code = "lock_waited_for"
	// channelRoom: room, how many senders wait on average, and receivers.
	channelRoom doc.Code = "channel_without_room"
	// endsAlone: who, percent of the time of all alike, how many others.
	endsAlone doc.Code = "ends_alone"
)

func init() {
	doc.Catalogue(map[doc.Code]doc.Entry{
		LockWaited: {Level: doc.Answer, Example: []any{1.2, 340, "goroutine 4, main.hot", "main.node.v (main.go:9)", 80., 12.},
			Say: func(a doc.Args) string {
				s := fmt.Sprintf("on average %.2g goroutines wait for this lock (%s, mostly for %s)", a.Number(0),
					units.Count(a.Whole(1), "time"), a.Text(2))
				if a.Text(3) != "" {
					s += fmt.Sprintf("; %.3g %% of all accesses are made with it, %.3g %% of these to %s", a.Number(5),
						a.Number(4), a.Text(3))
				}
				return s
			}},
		channelRoom: {Level: doc.Answer, Example: []any{0, 0.2, 0.15}, Say: func(a doc.Args) string {
			return fmt.Sprintf("its capacity is %d, and on average %.2g senders and %.2g receivers "+
				"wait: with a larger one both could go on", a.Whole(0), a.Number(1), a.Number(2))
		}},
		endsAlone: {Level: doc.Answer, Example: []any{"goroutine 9, main.work", 40., 7}, Say: func(a doc.Args) string {
			return fmt.Sprintf("%s runs alone for the last %.3g %% of the time, when %s of this function have ended",
				a.Text(0), a.Number(1), units.Count(a.Whole(2), "other"))
		}},
	})
}
