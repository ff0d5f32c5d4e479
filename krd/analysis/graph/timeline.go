package graph

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"krdlab/hw/units"
	"krdlab/krd/doc"
	"krdlab/loi"
	"krdlab/loi/dag"
)

// A Timeline has the states of goroutines over time, from the first event to the last: rows of bins of equal
// length. It has at most mostRows rows and timeBins bins, whatever the program does.
type Timeline struct {
	Bin  doc.Number `json:"bin"`  // its length; ns, or ticks
	Rows []TimeRow  `json:"rows"` // in the order of their first events
}

// A TimeRow is a goroutine or, of a program with more than mostRows, all that ran the same first.
type TimeRow struct {
	Name   string      `json:"name"`
	Count  uint64      `json:"count"`  // goroutines
	States []StateTime `json:"states"` // those that there are, in the order of their constants
}

// A StateTime is how many goroutines of a row are in a state, on average in each bin.
type StateTime struct {
	State State     `json:"state"`
	Bins  []float64 `json:"bins"` // three digits behind the point
}

// A State is an activity of a goroutine. A wait lasts until what is waited for has come; then the goroutine
// is off its thread until it goes on.
type State string

// The states. offThread has no free CPU, waits in the network's poller or helps the garbage collector, which
// no event tells apart; onThread has system calls in it. What is in unknownState is in no operation that was
// recorded, and did not end before the program.
const (
	onThread     State = "on its thread"
	atLock       State = "waits for a lock"
	atChannel    State = "waits at a channel"
	atGroup      State = "waits for a group or condition"
	sleeping     State = "sleeps, or waits for a timer or file"
	offThread    State = "off its thread"
	unknownState State = "not known"
)

// states are all, with the colours that they are drawn in.
var states = []struct {
	State
	colour string
}{{onThread, "#009e73"}, {atLock, "#d55e00"}, {atChannel, "#0072b2"}, {atGroup, "#cc79a7"}, {sleeping, "#56b4e9"},
	{offThread, "#e69f00"}, {unknownState, "#bfbfbf"}}

const (
	mostRows = 12
	timeBins = 300
)

// stateOf returns the state of a goroutine that waits in an operation; unknownState: nobody waits in one.
func stateOf(op loi.SyncOp, timer bool) State {
	switch {
	case timer || op == loi.SyncSleep || op == loi.SyncIO:
		return sleeping
	case op == loi.SyncLock || op == loi.SyncReadLock:
		return atLock
	case op == loi.SyncSend || op == loi.SyncReceive || op == loi.SyncReceiveClosed || op == loi.SyncNever:
		return atChannel
	case op == loi.SyncWait || op == loi.SyncCondWait || op == loi.SyncOnceSeen:
		return atGroup
	}
	return unknownState
}

// A timing adds up the ticks of a row, by state and bin.
type timing struct {
	*Timeline
	first, last int64
	ticks       []map[State][]float64 // by row
}

// add adds a part of the time between two ticks.
func (t *timing) add(row int, state State, from, to int64, part float64) {
	from, to = max(from, t.first), min(to, t.last)
	if to <= from || part <= 0 {
		return
	}
	bins := t.ticks[row][state]
	if bins == nil {
		bins = make([]float64, timeBins)
		t.ticks[row][state] = bins
	}
	per := float64(t.last-t.first) / timeBins
	x, end := float64(from-t.first)/per, float64(to-t.first)/per
	for i := int(x); i < timeBins && float64(i) < end; i++ {
		bins[i] += part * (min(end, float64(i+1)) - max(x, float64(i)))
	}
}

// timeline returns what goroutines do over time, nil where no time passes.
func (s *goroutineSink) timeline() *Timeline {
	t := &timing{Timeline: &Timeline{Bin: doc.Some(float64(s.last-s.first) / timeBins * s.tick())}, first: s.first,
		last: s.last}
	if s.last <= s.first {
		return nil
	}
	row, ended := s.timeRows(t), make([]int64, len(s.g.Goroutines))
	for i := range s.g.Ops {
		if o := &s.g.Ops[i]; o.Kind != 0 {
			ended[o.Worker] = max(o.End, ended[o.Worker])
			s.piece(t, row[o.Worker], o)
		}
	}
	told := make([]bool, len(ended))
	for i := range s.g.Waits {
		w := &s.g.Waits[i]
		told[w.Worker] = len(w.Cases) > 0
		if told[w.Worker] && row[w.Worker] >= 0 {
			t.add(row[w.Worker], offThread, ended[w.Worker], w.Since, 1)
			t.add(row[w.Worker], stateOf(w.Cases[0].Op, w.Cases[0].Timer), max(w.Since, ended[w.Worker]), t.last, 1)
		}
	}
	for w := range s.g.Goroutines {
		if x := &s.g.Goroutines[w]; row[w] >= 0 && !x.Ended && !told[w] {
			t.add(row[w], unknownState, ended[w], t.last, 1)
		}
	}
	for i := range t.Rows {
		for _, k := range states {
			if bins := t.ticks[i][k.State]; bins != nil {
				for j := range bins {
					bins[j] = math.Round(bins[j]*1000) / 1000
				}
				t.Rows[i].States = append(t.Rows[i].States, StateTime{k.State, bins})
			}
		}
	}
	return t.Timeline
}

// piece adds the time between two operations of a goroutine, with that of the second.
func (s *goroutineSink) piece(t *timing, row int, o *dag.Op) {
	if o.Kind == loi.EventStart {
		if by := s.g.Goroutines[o.Worker].Started; by >= 0 {
			t.add(row, offThread, s.g.Ops[by].End, o.At, 1)
		}
		return
	}
	if o.Previous < 0 {
		return
	}
	from := s.g.Ops[o.Previous].End
	begin, came, state := o.End, o.End, unknownState
	if o.Kind == loi.EventSync {
		state = stateOf(o.Sync, o.Timer)
	}
	if state != unknownState {
		ticks, waited := s.g.Blocked(o)
		switch {
		case waited:
			begin = max(o.Begin, from)
			came = max(o.Begin+ticks, begin)
		case o.Partner < 0 && (state == sleeping || o.Sync == loi.SyncReceive || o.Sync == loi.SyncCondWait):
			begin = max(o.Begin, from) // who let it go on is not known
		}
	}
	if begin > from {
		on := min(1, float64(o.Ticks)/float64(begin-from))
		t.add(row, onThread, from, begin, on)
		t.add(row, offThread, from, begin, 1-on)
	}
	t.add(row, state, begin, came, 1)
	t.add(row, offThread, came, o.End, 1)
}

// timeRows makes the rows, and returns that of each worker: -1 of one without operations.
func (s *goroutineSink) timeRows(t *timing) []int {
	row := slices.Repeat([]int{-1}, len(s.g.Goroutines))
	var order []int32 // workers, by their first operations
	for i := range s.g.Ops {
		if o := &s.g.Ops[i]; o.Kind != 0 && row[o.Worker] < 0 {
			row[o.Worker] = len(order)
			order = append(order, o.Worker)
		}
	}
	name := s.who
	if len(order) > mostRows {
		count := map[string]int{}
		for _, w := range order {
			count[s.firstRan(w)]++
		}
		most := slices.SortedFunc(maps.Keys(count), func(a, b string) int {
			return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a, b))
		})
		if len(most) > mostRows {
			most = most[:mostRows-1]
		}
		name = func(w int32) string {
			switch n := s.firstRan(w); {
			case !slices.Contains(most, n):
				return "others"
			case count[n] == 1:
				return s.who(w)
			default:
				return fmt.Sprintf("%s, %s", units.Count(count[n], "goroutine"), n)
			}
		}
	}
	at := map[string]int{}
	for _, w := range order {
		n := name(w)
		i, ok := at[n]
		if !ok {
			i = len(t.Rows)
			at[n] = i
			t.Rows, t.ticks = append(t.Rows, TimeRow{Name: n}), append(t.ticks, map[State][]float64{})
		}
		row[w] = i
		t.Rows[i].Count++
	}
	return row
}

// firstRan names what a goroutine ran first.
func (s *goroutineSink) firstRan(w int32) string {
	return cmp.Or(s.g.Name(s.g.Goroutines[w].Name), "function not known")
}
