//go:build krdlab_tape

package runtimes

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"krdlab/hw"
	"krdlab/hw/hwtest/long"
)

// A recording is a run on threads with its tape.
type recording struct {
	seed        uint64
	depth, wide int
	nodes       []int
	llc         uint64
	tape        *tapes
	log         [][]begun
}

// record runs a tree on threads. Leaves take some microseconds, and some sleep, so that workers
// take turns whatever the number of CPUs.
func record(t *testing.T, p Scheduler, nodes, each int, seed uint64, depth, wide int) *recording {
	t.Helper()
	c := unpinned(p, nodes, each, seed)
	// of two tasks there is room for one or for both, or some are too large, or nothing is known
	c.LLCBytes = [...]uint64{3000, 1500, 4000, 0}[seed%4]
	r := &recording{seed: seed, depth: depth, wide: wide, nodes: c.Nodes, llc: c.LLCBytes,
		tape: &tapes{name: nameTree}}
	var prog *treeProg
	prog, r.log = loggedTree(seed, depth, wide, len(c.Nodes))
	prog.kernel = func(_ *Worker, place uint64) {
		if place%16 == 0 {
			doze(20 * time.Microsecond)
			return
		}
		for range place % 64 {
			hw.Pause()
		}
	}
	taping = r.tape
	_, err := Run(context.Background(), c, prog)
	taping = nil
	if err != nil {
		t.Fatal(err)
	}
	checkTree(t, prog)
	return r
}

// replay replays the recording under a policy and compares what each worker ran, and what was
// stolen, in order.
func (r *recording) replay(p Policy) error {
	prog, log := loggedTree(r.seed, r.depth, r.wide, len(r.nodes))
	prog.kernel = func(w *Worker, _ uint64) { w.End(0, w.Begin(0)) }
	play, err := newReplay(StepConfig{Policy: p, Nodes: r.nodes, Seed: r.seed,
		LLCBytes: r.llc, Kernels: testKernels}, prog, r.tape)
	if err != nil {
		return err
	}
	if err := play.run(); err != nil {
		return err
	}
	for w := range r.log {
		for i := range max(len(r.log[w]), len(log[w])) {
			want, found := "nothing more", "nothing more"
			if i < len(r.log[w]) {
				want = fmt.Sprintf("%+v", r.log[w][i])
			}
			if i < len(log[w]) {
				found = fmt.Sprintf("%+v", log[w][i])
			}
			if want != found {
				return fmt.Errorf("worker %d, child %d: it ran %s, and in the replay %s", w, i,
					want, found)
			}
		}
	}
	var mine [][]operation
	for _, t := range play.mine.of {
		mine = append(mine, t.events)
	}
	want, found := stealsInOrder(play.want), stealsInOrder(mine)
	for i := range max(len(want), len(found)) {
		if i >= len(want) || i >= len(found) || !same(want[i], found[i]) {
			return fmt.Errorf("steal %d of %d, in the replay of %d: %v, %v", i, len(want),
				len(found), want[i:min(i+1, len(want))], found[i:min(i+1, len(found))])
		}
	}
	return nil
}

// count counts operations with an outcome.
func (r *recording) count(op opKind, out Outcome) (n int) {
	for _, t := range r.tape.of {
		for _, e := range t.events {
			if e.op == op && e.out == out {
				n++
			}
		}
	}
	return n
}

// has reports whether there is such an operation.
func (r *recording) has(such func(operation) bool) bool {
	return slices.ContainsFunc(r.tape.of, func(t *tape) bool {
		return slices.ContainsFunc(t.events, such)
	})
}

// replayShapes are nodes x workers; the nodes are synthetic.
func replayShapes(p Scheduler) [][2]int {
	if p.Serial() {
		return [][2]int{{1, 1}}
	}
	return [][2]int{{1, 1}, {1, 2}, {1, 4}, {2, 2}, {4, 2}}
}

// The stepper does again, operation by operation, a run on threads: each worker runs the same
// children in the same order, steals the same entries, and goes on after the same joins.
func TestReplay(t *testing.T) {
	rounds := long.Or[uint64](1, 4)
	all := slices.Clone(Schedulers)
	for _, p := range Schedulers {
		all = append(all, p.Variants()...)
	}
	for i, p := range all {
		if p.ThreadsOnly() {
			continue
		}
		shapes := replayShapes(p)
		if i >= len(Schedulers) && len(shapes) > 1 { // a variant
			shapes = shapes[len(shapes)-1:]
		}
		for _, s := range shapes {
			t.Run(fmt.Sprintf("%s/%dx%d", p.Name, s[0], s[1]), func(t *testing.T) {
				ops, steals, busy, left := 0, 0, 0, 0
				for seed := range rounds {
					r := record(t, p, s[0], s[1], seed, 3, int(seed%3)*20)
					if err := r.replay(p); err != nil {
						t.Fatalf("seed %d: %v", seed, err)
					}
					for _, tape := range r.tape.of {
						ops += len(tape.events)
					}
					steals += r.count(opSteal, OutcomeDone)
					busy += r.count(opSteal, OutcomeBusy)
					left += r.count(opSteal, OutcomeLeft)
				}
				t.Logf("%d operations; steals: %d, busy %d, left %d", ops, steals, busy, left)
			})
		}
	}
}

// All rules that the drivers carry out can be replayed, so that a scheduler which is new in the
// table can.
func TestReplayAllRules(t *testing.T) {
	valid := validRules()
	if len(valid) < 390 {
		t.Fatalf("%d combinations", len(valid))
	}
	for i, name := range slices.Sorted(maps.Keys(valid)) {
		if i%long.Or(8, 1) != 0 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			p := Scheduler{Policy: anyPolicy{valid[name]}}
			r := record(t, p, 2, 2, uint64(i), 2, 10+i%3*10)
			if err := r.replay(p); err != nil {
				t.Fatalf("seed %d: %v", i, err)
			}
		})
	}
}
