//go:build krdlab_tape

package runtimes

import (
	"errors"
	"slices"
	"testing"
)

// altered is the recording with one operation changed by f; nil if there is none for which f
// returns true.
func (r *recording) altered(f func(worker int, e *operation) bool) *recording {
	out := *r
	out.tape = &tapes{name: r.tape.name}
	done := false
	for w, t := range r.tape.of {
		c := &tape{events: slices.Clone(t.events)}
		for i := range c.events {
			if !done && f(w, &c.events[i]) {
				done = true
			}
		}
		out.tape.of = append(out.tape.of, c)
	}
	if !done {
		return nil
	}
	return &out
}

// busyRecording records until the run has steals that brought something and steals that did not.
func busyRecording(t *testing.T, p Scheduler) *recording {
	t.Helper()
	for seed := range uint64(20) {
		r := record(t, p, 2, 2, seed, 3, 40)
		if r.count(opSteal, OutcomeDone)+r.count(opHear, OutcomeDone) > 3 &&
			r.count(opSteal, OutcomeEmpty)+r.count(opHear, OutcomeEmpty) > 3 {
			return r
		}
	}
	t.Skip("in 20 runs the threads never had to steal")
	return nil
}

// stealsOnTape says that p steals, and that tapes can have its runs done again.
func stealsOnTape(p Scheduler) bool {
	return len(replayShapes(p)) > 1 && p.Rules().Queue != ShareAll
}

// A record that is not what happened is found out, and the difference is named.
func TestReplayFindsFaults(t *testing.T) {
	anotherQueue := func(p Scheduler, r *recording, e *operation) {
		queues := int32(len(r.nodes))
		if p.Rules().Queue != ShareWorker {
			queues = int32(1 + slices.Max(r.nodes))
		}
		e.whom = (e.whom + 1) % queues
	}
	steal := func(out Outcome) func(e *operation) bool {
		return func(e *operation) bool { return (e.op == opSteal || e.op == opHear) && e.out == out }
	}
	of := func(op opKind) func(e *operation) bool { return func(e *operation) bool { return e.op == op } }
	type fault struct {
		name   string
		where  func(e *operation) bool
		change func(p Scheduler, r *recording, e *operation)
	}
	faults := []fault{
		{"another victim, with success", steal(OutcomeDone), anotherQueue},
		{"another victim, without", steal(OutcomeEmpty), anotherQueue},
		{"a steal that failed brought something", steal(OutcomeEmpty),
			func(_ Scheduler, _ *recording, e *operation) { e.out, e.n = OutcomeDone, 1 }},
		{"a steal that succeeded found nothing", steal(OutcomeDone), func(_ Scheduler, _ *recording,
			e *operation) {
			e.out, e.n, e.frame, e.child = OutcomeEmpty, 0, 0, 0
		}},
		{"a steal that succeeded was disturbed", steal(OutcomeDone), func(_ Scheduler, _ *recording,
			e *operation) {
			e.out, e.n, e.frame, e.child = OutcomeBusy, 0, 0, 0
		}},
		{"another entry came", steal(OutcomeDone), func(_ Scheduler, _ *recording,
			e *operation) {
			e.child++
		}},
		{"the last at a join was not", func(e *operation) bool {
			return e.op == opArrive &&
				e.out == OutcomeDone
		}, func(_ Scheduler, _ *recording, e *operation) { e.out = OutcomeNone }},
		{"one at a join was the last", func(e *operation) bool {
			return e.op == opArrive &&
				e.out == OutcomeNone
		}, func(_ Scheduler, _ *recording, e *operation) { e.out = OutcomeDone }},
		{"another join was complete", of(opComplete), func(_ Scheduler, _ *recording,
			e *operation) {
			e.frame++
		}},
		{"a join was complete later", of(opComplete), func(_ Scheduler, _ *recording,
			e *operation) {
			e.ran++
		}},
		{"a report to another", of(opReport), func(_ Scheduler, r *recording,
			e *operation) {
			e.whom = (e.whom + 1) % int32(len(r.nodes))
		}},
		{"more was opened", of(opExpose), func(_ Scheduler, _ *recording, e *operation) { e.n++ }},
		{"it was opened later", of(opExpose), func(_ Scheduler, _ *recording,
			e *operation) {
			e.ran += 2
		}},
		{"the steal token was taken", func(e *operation) bool {
			return e.op == opToken &&
				e.out == OutcomeDone
		}, func(_ Scheduler, _ *recording, e *operation) { e.out = OutcomeBusy }},
		{"a proxy was claimed before", func(e *operation) bool {
			return e.op == opClaim &&
				e.out == OutcomeDone
		}, func(_ Scheduler, _ *recording, e *operation) { e.out = OutcomeEmpty }},
		{"mailed to another", of(opMail), func(_ Scheduler, r *recording,
			e *operation) {
			e.whom = (e.whom + 1) % int32(len(r.nodes))
		}},
		{"another was asked", of(opAsk), anotherQueue},
		{"another was answered", of(opAnswer), anotherQueue},
		{"it was answered later", of(opAnswer), func(_ Scheduler, _ *recording, e *operation) {
			e.ran += 2
		}},
		{"a rest was work", of(opRest), func(_ Scheduler, _ *recording,
			e *operation) {
			e.op = opSteal
		}},
	}
	seen := map[string]int{}
	for _, p := range Schedulers {
		if !stealsOnTape(p) {
			continue
		}
		t.Run(p.Name, func(t *testing.T) {
			r := busyRecording(t, p)
			if err := r.replay(p); err != nil {
				t.Fatal(err)
			}
			for _, fault := range faults {
				for _, nth := range []int{0, 2} { // the first of its kind, and the third
					n := 0
					bad := r.altered(func(_ int, e *operation) bool {
						if !fault.where(e) {
							return false
						}
						if n++; n <= nth {
							return false
						}
						fault.change(p, r, e)
						return true
					})
					if bad == nil {
						continue
					}
					seen[fault.name]++
					err := bad.replay(p)
					if err == nil {
						t.Errorf("%s, number %d of its kind: the replay finds no difference",
							fault.name, nth)
					} else if nth == 0 {
						t.Logf("%s: %v", fault.name, err)
					}
				}
			}
			swapped := r.altered(func(_ int, e *operation) bool { return steal(OutcomeDone)(e) })
			// a worker's first successful steal never happened
			for _, tape := range swapped.tape.of {
				if i := slices.IndexFunc(tape.events,
					func(e operation) bool { return steal(OutcomeDone)(&e) }); i >= 0 {
					tape.events = slices.Delete(tape.events, i, i+1)
					break
				}
			}
			var differs *replayError
			if err := swapped.replay(p); !errors.As(err, &differs) {
				t.Errorf("a steal left out: %v, want a *replayError", err)
			}
		})
	}
	for _, fault := range faults {
		t.Logf("%-40s tried %d times", fault.name, seen[fault.name])
	}
}

// mutant is a policy that differs from its original in one decision.
type mutant struct {
	Policy
	name  string
	rules func(r *Rules)
	move  func(s *Search, m Move) Move
	// needs says whether the run of the record had to decide that at all; nil: it had.
	needs func(r *recording, rules Rules) bool
	// equal says that under these rules the other decision is none: nothing comes in another order.
	equal func(rules Rules) bool
}

func (b mutant) Rules() Rules {
	r := b.Policy.Rules()
	if b.rules != nil {
		b.rules(&r)
	}
	return r
}

func (b mutant) Look(s *Search) Move {
	m := b.Policy.Look(s)
	if b.move != nil {
		m = b.move(s, m)
	}
	return m
}

// A policy that decides otherwise than that of the run is found out.
func TestReplayFindsOtherPolicies(t *testing.T) {
	uncached, err := ParseScheduler("shepherd-socket:cache=0")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range append(slices.Clone(Schedulers), uncached) {
		if !stealsOnTape(p) {
			continue
		}
		t.Run(p.Name, func(t *testing.T) {
			r := busyRecording(t, p)
			for _, b := range []mutant{
				{name: "steals from one victim only", needs: func(r *recording, rules Rules) bool {
					return rules.Queue == ShareWorker // of two nodes each has one other
				}, move: func(s *Search, m Move) Move {
					if m.Kind == MoveSteal || m.Kind == MoveAsk {
						m.Victim = s.Victims[len(s.Victims)-1]
					}
					return m
				}},
				{name: "rests and does not steal", move: func(_ *Search, m Move) Move {
					if m.Kind == MoveSteal || m.Kind == MoveAsk {
						return Rest
					}
					return m
				}},
				{name: "takes one and not half", needs: func(r *recording, _ Rules) bool {
					return slices.ContainsFunc(r.tape.of, func(t *tape) bool {
						return slices.ContainsFunc(t.events,
							func(e operation) bool {
								return e.op == opSteal && e.out == OutcomeDone && e.n > 1
							})
					})
				}, move: func(_ *Search, m Move) Move { m.Half = false; return m }},
				{name: "another goes on after a join", equal: func(rules Rules) bool {
					return rules.Cache // it is the only entry there, and the next to be taken
				}, rules: func(r *Rules) {
					if r.Join == JoinRequeue {
						r.Join = JoinLast
					} else if r.Spawn == SpawnParent {
						r.Join = JoinLast
					}
				}},
				{name: "the other side of a spawn first", rules: func(r *Rules) {
					switch {
					case r.Spawn == SpawnChild:
						r.Spawn, r.Push = SpawnParent, 0
					case r.Deque():
						r.Spawn, r.Join = SpawnChild, JoinLast
					}
				}},
			} {
				b.Policy = p.Policy
				if b.rules != nil && b.Rules() == p.Rules() || b.needs != nil &&
					!b.needs(r, p.Rules()) {
					continue // workfirst goes on like that; a shepherd cannot run the child first
				}
				err := r.replay(b)
				if equal := b.equal != nil && b.equal(p.Rules()); equal != (err == nil) {
					t.Errorf("%s: the replay finds %v, none expected: %v", b.name, err, equal)
				}
				t.Logf("%s: %v", b.name, err)
			}
		})
	}
}
