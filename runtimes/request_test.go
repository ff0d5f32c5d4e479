package runtimes

import (
	"context"
	"testing"
	"time"
)

// Workers get work only by asking, on threads and in virtual time.
func TestRequests(t *testing.T) {
	p := PrivateDeques{}
	for _, native := range []bool{false, true} {
		for _, shape := range [][2]int{{1, 1}, {1, 2}, {2, 3}} {
			got := uint64(0)
			end := patience(t) // threads may be slow to ask
			for seed := uint64(0); seed < treeSeeds() || native && shape[1] > 1 && got == 0 &&
				time.Now().Before(end); seed++ {
				prog := newTree(seed, 6)
				var r *Result
				var err error
				if native {
					prog.kernel = func(_ *Worker, place uint64) {
						if place%16 == 0 {
							doze(20 * time.Microsecond)
						}
					}
					r, err = Run(context.Background(), unpinned(Scheduler{Policy: p}, shape[0],
						shape[1], seed), prog)
				} else {
					r, err = Step(stepConfig(p, shape[0], shape[1], seed), withKernel(prog))
				}
				if err != nil {
					t.Fatal(err)
				}
				checkTree(t, prog)
				for _, w := range r.Workers {
					got += w.Steals.Local + w.Steals.Remote
				}
			}
			if (got > 0) != (shape[0]*shape[1] > 1) {
				t.Errorf("native %v, %dx%d: %d requests were granted", native, shape[0], shape[1],
					got)
			}
		}
	}
}

// A victim answers at its next spawn, with its oldest entry, once; a request to one that has
// nothing is refused; two at a time are not made.
func TestRequestIsAnswered(t *testing.T) {
	pool := testPool(t, PrivateDeques{},
		[]int{0, 0, 0}, 1)
	victim, thief, other := pool.workers[0], pool.workers[1], pool.workers[2]
	move := func(w *Worker, k MoveKind) (found, Outcome) { return w.move(Move{Kind: k, Victim: 0}) }
	want := func(what string, w *Worker, k MoveKind, out Outcome) {
		t.Helper()
		if _, got := move(w, k); got != out {
			t.Errorf("%s: outcome %d, want %d", what, got, out)
		}
	}
	f := flat(10).task(victim, nil, 0)
	want("to hear without having asked", thief, MoveHear, OutcomeEmpty)
	want("to ask", thief, MoveAsk, OutcomeDone)
	want("to ask again", thief, MoveAsk, OutcomeBusy)
	want("to ask as another", other, MoveAsk, OutcomeBusy)
	want("to hear too early", thief, MoveHear, OutcomeLeft)
	victim.spawnChildren(f, 5)
	if got, out := move(thief, MoveHear); out != OutcomeDone || got.e.f != f || got.e.i != 0 ||
		!got.stolen {
		t.Errorf("the answer is %+v, outcome %d: want the oldest entry", got, out)
	}
	want("to hear twice", thief, MoveHear, OutcomeEmpty)
	want("to ask as another, later", other, MoveAsk, OutcomeDone)
	if e, ok := victim.takeOwn(); !ok || e.i != 4 {
		t.Errorf("the victim has %+v, %v: want its newest entry", e, ok)
	}
	if got, out := move(other, MoveHear); out != OutcomeDone || got.e.i != 1 {
		t.Errorf("the second answer is %+v, outcome %d", got, out)
	}
	for _, ok := victim.takeOwn(); ok; _, ok = victim.takeOwn() {
	}
	want("to ask for nothing", thief, MoveAsk, OutcomeDone)
	victim.answer()
	want("to hear that there is nothing", thief, MoveHear, OutcomeEmpty)
	if thief.steals.Local != 1 || other.steals.Local != 1 || thief.steals.LocalFailed != 1 {
		t.Errorf("counted %+v and %+v", thief.steals, other.steals)
	}
}
