//go:build krdlab_tape

package runtimes

import (
	"context"
	"sync/atomic"
	"testing"
	"time"
)

// lateOwner is a run of three workers at whose end the entries of worker 0, all private, stand for
// children that have gone by mail. It would open them at its next pop, but is held up there until
// the root task is complete, while worker 2 tries to steal them.
//
// Worker 0 queues children that are mailed to worker 1, and calls the last.
type lateOwner struct {
	Frame
	anyPolicy
	live               bool // on threads
	called, last, held atomic.Bool
	looks              atomic.Int32
}

const lateChildren = 20

func (p *lateOwner) Root(*Worker) *Frame {
	p.bind(p, 0)
	return p.Fork(lateChildren + 1)
}

func (p *lateOwner) Next(*Worker, int) int { return 0 }

func (p *lateOwner) Hint(_ *Worker, i int) Hint { return Hint{Near: 2} }

func (p *lateOwner) Run(w *Worker, i int) *Frame {
	switch {
	case !p.live:
	case i == lateChildren:
		p.called.Store(true)
		await(func() bool { return p.last.Load() && w.seemsEmpty() })
	case i == lateChildren-1:
		p.last.Store(true)
		await(func() bool { return p.looks.Load() > 10 })
	default:
		await(p.called.Load)
	}
	return nil
}

func (p *lateOwner) lag(w *Worker) {
	if w.id == 0 && p.called.Load() {
		p.held.Store(true)
		await(func() bool { return w.pool.ended.Load() != 0 })
	}
}

// Look makes worker 1 look for mail and the others steal from worker 0.
func (p *lateOwner) Look(s *Search) Move {
	if p.held.Load() {
		p.looks.Add(1)
	}
	s.Step++
	switch {
	case s.Step%2 == 0 || s.Worker == 0:
		return Rest
	case s.Worker == 1:
		return Move{Kind: MoveMail}
	}
	return Move{Kind: MoveSteal, Victim: 0}
}

func await(done func() bool) {
	for !done() {
		doze(20 * time.Microsecond)
	}
}

// A worker that came to an operation only after the end of the run does not do it in a replay,
// where others would see it.
func TestReplayLateOwner(t *testing.T) {
	rules := anyPolicy{Rules{Spawn: SpawnParent, Hints: true, Mail: true}}
	p := &lateOwner{live: true, anyPolicy: rules}
	tape := &tapes{name: func(*Frame) uint64 { return 0 }, lag: p.lag}
	c := unpinned(Scheduler{Policy: p}, 1, 3, 1)
	taping = tape
	_, err := Run(context.Background(), c, p)
	taping = nil
	if err != nil {
		t.Fatal(err)
	}
	p = &lateOwner{anyPolicy: rules}
	play, err := newReplay(StepConfig{Policy: p, Nodes: c.Nodes, Seed: 1, Kernels: testKernels}, p,
		tape)
	if err != nil {
		t.Fatal(err)
	}
	if err := play.run(); err != nil {
		t.Fatal(err)
	}
}
