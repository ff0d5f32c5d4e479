//go:build krdlab_tape

package runtimes

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"math"
	"runtime/debug"
	"slices"
)

// A replay makes the stepper do again the operations of a tape. Whose turn it is comes from the
// tickets and not from virtual time.
//
// Each worker takes its steps in a coroutine of its own, which stops before each operation until
// that is the next of all. Between two operations on its tape a worker does only things that no
// other can see or hinder: it runs children, pushes and pops private entries. So it may do that as
// soon as it can, and finds no entry stolen that it did not find stolen then.
//
// The stepper's decisions are compared and never imposed, with four exceptions that no state of the
// stepper could bring about. A thief that met another in the middle of an operation: the replay has
// it meet one. An entry that was left to a worker that was just idle: the replay makes it idle. A
// starter that looked for a report while it was being made: it has not seen it. A victim that had
// looked for a request just before it came: it is not there yet.
type replay struct {
	s    *stepper
	mine *tapes
	want [][]operation
	at   []int // how many of them are done

	order []int // whose turns, one after the other
	turns int   // how many of them are over
	err   error

	resume []func() (struct{}, bool) // by worker: has it go on until it waits for a turn
	pause  []func(struct{}) bool     // of resume's coroutine: has it wait
	stop   []func()
}

// abandoned unwinds a worker of a replay that ends.
var abandoned = errors.New("the replay is over")

// A replayError is the first difference.
type replayError struct {
	worker, position int // of the worker's tape
	want, found      string
}

func (e *replayError) Error() string {
	return fmt.Sprintf("worker %d, operation %d: the record has %s, the replay %s", e.worker,
		e.position, e.want, e.found)
}

var opKindNames = [...]string{"expose", "take back", "back", "mail", "take mail", "claim",
	"steal", "idle", "push", "pop", "flush", "see", "place", "keep", "token", "release", "ask", "hear",
	"answer", "arrive", "choose", "thief", "seek", "range", "charge", "settle", "report", "complete",
	"rest"}

func (o opKind) String() string { return opKindNames[o] }

func (e operation) String() string {
	out := [...]string{"no outcome", "empty", "busy", "left", "done"}[e.out]
	return fmt.Sprintf("%v (%s, whom %d, n %d, frame %x child %d; ran %d, tail %d, moves %d)", e.op,
		out, e.whom, e.n, e.frame, e.child, e.ran, e.tail, e.moves)
}

func same(a, b operation) bool {
	a.ticket, a.until, b.ticket, b.until = 0, 0, 0, 0
	return a == b
}

func newReplay(c StepConfig, prog Program, tape *tapes) (*replay, error) {
	r := &replay{mine: &tapes{name: tape.name}, at: make([]int, len(c.Nodes))}
	r.mine.play = r
	type turn struct {
		ticket uint64
		worker int
	}
	var turns []turn
	for w, t := range tape.of {
		r.want = append(r.want, t.events)
		for i, e := range t.events {
			if i == 0 || e.ticket != t.events[i-1].ticket {
				turns = append(turns, turn{e.ticket, w})
			}
		}
	}
	slices.SortStableFunc(turns, func(a, b turn) int { return cmp.Compare(a.ticket, b.ticket) })
	for _, t := range turns {
		r.order = append(r.order, t.worker)
	}
	c.plain = true
	var err error
	taping = r.mine
	r.s, err = newStepper(c, prog)
	taping = nil
	return r, err
}

// run replays the whole tape.
func (r *replay) run() error {
	n := len(r.s.all)
	r.resume, r.stop = make([]func() (struct{}, bool), n), make([]func(), n)
	r.pause = make([]func(struct{}) bool, n)
	for w := range n {
		r.resume[w], r.stop[w] = iter.Pull(func(pause func(struct{}) bool) {
			r.pause[w] = pause
			r.work(r.s.all[w])
		})
		defer r.stop[w]()
	}
	for w := 0; w < n && r.err == nil; w++ {
		r.resume[w]()
	}
	for r.err == nil && r.turns < len(r.order) {
		w, turns := r.order[r.turns], r.turns
		r.resume[w]()
		if r.err == nil && r.turns == turns {
			r.err = r.differs(w, r.want[w][r.at[w]].String(), "the end")
		}
	}
	if r.err == nil && !r.s.finished {
		return fmt.Errorf("the record is at its end, and the root task not complete")
	}
	return r.err
}

// work is the life of a worker.
func (r *replay) work(v *stepWorker) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case *PolicyError: // a policy that is not that of the run
			r.err = e
		default:
			if e != abandoned {
				panic(fmt.Sprintf("worker %d: %v\n%s", v.id, e, debug.Stack()))
			}
		}
	}()
	if v.id == 0 {
		r.s.start(v, r.s.root)
	}
	for !r.s.finished || v.pc != pcNext { // there finished by v
		clear(r.s.queues) // all locks are free
		r.s.steps, r.s.pause, r.s.limit = 0, 1, 1
		_ = r.s.drive(v) // a step: its error is that the run has not ended, if it has not
	}
}

// turn implements [player].
func (r *replay) turn(w *Worker) {
	for r.err != nil || r.turns == len(r.order) || r.order[r.turns] != w.id {
		if r.err != nil || !r.pause[w.id](struct{}{}) {
			panic(abandoned)
		}
	}
}

// done implements [player]: it compares the operation with the record.
func (r *replay) done(w *Worker) {
	if r.err != nil {
		return
	}
	at, mine := r.at[w.id], r.mine.of[w.id]
	want, found := r.want[w.id][at:], mine.events[at:]
	n := 1
	for n < len(want) && want[n].ticket == want[0].ticket {
		n++
	}
	for i := range n {
		if i >= len(found) || !same(want[i], found[i]) {
			f := "nothing more"
			if i < len(found) {
				f = found[i].String()
			}
			r.fail(r.differs(w.id, want[i].String(), f))
		}
	}
	// An operation that the end of the run cut short is the last on its tape.
	if len(found) > n {
		if len(want) > n {
			r.fail(r.differs(w.id, "nothing more of the same operation", found[n].String()))
		}
		mine.events = mine.events[:at+n]
	}
	r.at[w.id] += n
	r.turns++
}

func (r *replay) fail(err error) {
	r.err = err
	panic(abandoned)
}

// next implements [player].
func (r *replay) next(w *Worker) (operation, bool) {
	if i := len(w.tape.events); i < len(r.want[w.id]) {
		return r.want[w.id][i], true
	}
	return operation{}, false
}

func (r *replay) differs(w int, want, found string) error {
	return &replayError{w, r.at[w], want, found}
}

// unseen implements [player]: a report must have been in progress then.
func (r *replay) unseen(w *Worker, f *Frame) {
	since := uint64(0)
	if i := r.at[w.id]; i > 0 {
		since = r.want[w.id][i-1].ticket
	}
	name := r.mine.name(f)
	for v, events := range r.want {
		for _, e := range slices.Backward(events[:r.at[v]]) {
			if e.op == opReport && e.frame == name && e.until > since {
				return
			}
		}
	}
	want := "nothing more"
	if e, ok := r.next(w); ok {
		want = e.String()
	}
	r.fail(r.differs(w.id, want, fmt.Sprintf("a complete join of frame %x", name)))
}

// stealsInOrder lists what steals brought, in the order of their tickets: victim, entries, and the
// first of them.
func stealsInOrder(tapes [][]operation) []operation {
	var all []operation
	for w, events := range tapes {
		for _, e := range events {
			if e.op == opSteal && e.out == OutcomeDone {
				e.ran, e.tail = uint64(w), math.MaxInt64
				all = append(all, e)
			}
		}
	}
	slices.SortFunc(all, func(a, b operation) int { return cmp.Compare(a.ticket, b.ticket) })
	for i := range all {
		all[i].ticket = 0
	}
	return all
}
