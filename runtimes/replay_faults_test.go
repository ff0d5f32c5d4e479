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

// busyRecording records until the run has steals that brought something and steals that did not, if
// the policy tries any. stole: it has such steals.
func busyRecording(t *testing.T, p Scheduler) (r *recording, stole bool) {
	t.Helper()
	for seed := range uint64(20) {
		r = record(t, p, 2, 2, seed, 3, 40)
		done := r.count(opSteal, OutcomeDone) + r.count(opHear, OutcomeDone)
		empty := r.count(opSteal, OutcomeEmpty) + r.count(opHear, OutcomeEmpty)
		charged := !p.Rules().Admit || r.has(func(e operation) bool { return e.op == opCharge })
		if done > 3 && empty > 3 && charged {
			return r, true
		}
		if done+empty == 0 && seed > 2 {
			break
		}
	}
	return r, false
}

// tight is a scheduler whose budgets are used up most of the time.
var tight = Scheduler{Name: "tight", Policy: anyPolicy{Rules{Spawn: SpawnParent, Last: LastQueue,
	Queue: ShareNode, Admit: true, Hints: true}}}

// A record that is not what happened is found out, and the difference is named.
func TestReplayFindsFaults(t *testing.T) {
	anotherQueue := func(p Scheduler, r *recording, e *operation) {
		queues := int32(len(r.nodes))
		if p.Rules().Queue != ShareWorker {
			queues = int32(1 + slices.Max(r.nodes))
		}
		e.whom = (e.whom + 1) % queues
	}
	more := func(_ Scheduler, _ *recording, e *operation) { e.n++ }
	failed := func(_ Scheduler, _ *recording, e *operation) {
		if e.out == OutcomeDone {
			e.out = OutcomeEmpty
		} else {
			e.out = OutcomeDone
		}
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
		{"a child was placed elsewhere", of(opPlace), anotherQueue},
		{"a child was placed for others", of(opPlace), more},
		{"a frame was not taken back", of(opBack), failed},
		{"another rule was chosen", of(opChoose), func(_ Scheduler, _ *recording, e *operation) {
			e.whom = int32(SpawnParent+SpawnChild) - e.whom
		}},
		{"more was queued at a choice", of(opChoose), more},
		{"another thief was seen", of(opThief), anotherQueue},
		{"it stole in a larger range", of(opSeek), more},
		{"others stole there", of(opRange), more},
		{"a range was not given", of(opRange), failed},
		{"more was charged", of(opCharge), more},
		{"more was given back", of(opSettle), more},
		{"a charge was kept", of(opSettle), failed},
		{"more was kept of a steal", of(opKeep), more},
		{"what does not fit was not there", func(e *operation) bool {
			return e.op == opPop && e.out == OutcomeLeft
		}, func(_ Scheduler, _ *recording, e *operation) { e.out = OutcomeEmpty }},
		{"left for another idle worker", of(opIdle), anotherQueue},
		{"a rest was work", of(opRest), func(_ Scheduler, _ *recording,
			e *operation) {
			e.op = opSteal
		}},
	}
	seen := map[string]int{}
	for _, p := range append(slices.Clone(Schedulers), tight) {
		if !parallel(p) {
			continue
		}
		t.Run(p.Name, func(t *testing.T) {
			r, stole := busyRecording(t, p)
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
			if !stole {
				return
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
	// needs records whether the run of the record had to decide that at all; nil: it had.
	needs func(r *recording, rules Rules) bool
	// what the other interfaces of a policy decide; nil: as the original
	choose func(s SpawnRule) SpawnRule
	place  func(p *Placing, at *Placement)
	admit  func(charge uint64, ok bool) (uint64, bool)
	// equal records that under these rules the other decision is none: nothing comes in another
	// order.
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

// Choose implements [Chooser] where the original does, as do Place and Admit.
func (b mutant) Choose(s *Spawn) SpawnRule {
	rule := b.Policy.(Chooser).Choose(s)
	if b.choose != nil {
		rule = b.choose(rule)
	}
	return rule
}

func (b mutant) Place(p *Placing) Placement {
	at := b.Policy.(Placer).Place(p)
	if b.place != nil {
		b.place(p, &at)
	}
	return at
}

func (b mutant) Admit(a *Admission) (charge uint64, ok bool) {
	charge, ok = b.Policy.(Admitter).Admit(a)
	if b.admit != nil {
		charge, ok = b.admit(charge, ok)
	}
	return charge, ok
}

// A policy that decides otherwise than that of the run is found out.
func TestReplayFindsOtherPolicies(t *testing.T) {
	uncached, err := ParseScheduler("shepherd-socket:cache=0")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range append(slices.Clone(Schedulers), uncached, tight) {
		if !parallel(p) {
			continue
		}
		t.Run(p.Name, func(t *testing.T) {
			r, stole := busyRecording(t, p)
			for _, b := range []mutant{
				{name: "steals from one victim only", needs: func(r *recording, rules Rules) bool {
					// of two nodes each has one other
					return stole && rules.Queue == ShareWorker
				}, move: func(s *Search, m Move) Move {
					if m.Kind == MoveSteal || m.Kind == MoveAsk {
						m.Victim = s.Victims[len(s.Victims)-1]
					}
					return m
				}},
				{name: "rests and does not steal", needs: func(*recording, Rules) bool {
					return stole
				}, move: func(_ *Search, m Move) Move {
					if m.Kind == MoveSteal || m.Kind == MoveAsk {
						return Rest
					}
					return m
				}},
				{name: "takes one and not half", needs: func(r *recording, _ Rules) bool {
					return r.has(func(e operation) bool {
						return e.op == opSteal && e.out == OutcomeDone && e.n > 1
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
						*r = Rules{Spawn: SpawnChild, Hints: r.Hints}
					}
				}},
				{name: "chooses the other side", needs: func(_ *recording, rules Rules) bool {
					return rules.Spawn == SpawnChosen
				}, choose: func(s SpawnRule) SpawnRule { return SpawnChild + SpawnParent - s }},
				{name: "places with another", needs: func(_ *recording, rules Rules) bool {
					return rules.Place
				}, place: func(p *Placing, at *Placement) {
					at.Worker = (at.Worker + p.Workers/2) % p.Workers
				}},
				{name: "keeps nothing", needs: func(r *recording, _ Rules) bool {
					return r.has(func(e operation) bool { return e.op == opPlace && e.n&tagKept != 0 })
				}, place: func(_ *Placing, at *Placement) { at.Keep = false }},
				{name: "admits everything", needs: func(r *recording, rules Rules) bool {
					return rules.Admit && r.count(opPop, OutcomeLeft) > 0
				}, admit: func(charge uint64, _ bool) (uint64, bool) { return charge, true }},
				{name: "charges nothing", needs: func(r *recording, _ Rules) bool {
					return r.has(func(e operation) bool { return e.op == opCharge })
				}, admit: func(_ uint64, ok bool) (uint64, bool) { return 0, ok }},
			} {
				b.Policy = p.Policy
				if b.rules != nil && (b.Rules() == p.Rules() || b.Rules().Validate() != nil) ||
					b.needs != nil && !b.needs(r, p.Rules()) {
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
