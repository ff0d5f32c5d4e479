//go:build !krdlab_tape

package runtimes

import "sync/atomic"

// These are the operations on shared data, by the names that workers call them by. In a build with
// the tag krdlab_tape those of tape.go take their place and note what each worker did; all else is
// the code that ships.

// taped is empty: no tape keeps anything in a worker.
type taped struct{}

// parks: workers in virtual time may park.
const parks = true

func (p *pool) watch() {}

// headBehind returns the head as it is read behind a push, or a pop, to see whether to open
// entries. Owner only.
func (d *deque) headBehind() int64 { return d.head.Load() }

func (d *deque) expose(h int64) bool      { return d.open(h) }
func (d *deque) popShared() (entry, bool) { return d.takeBack() }

func (w *Worker) decide() Move                          { return w.pool.policy.Look(&w.search) }
func (w *Worker) seesIdle(to int) bool                  { return w.pool.workers[to].idle.Load() }
func (w *Worker) stealFrom(m Move) (entry, Outcome)     { return w.stealOldest(m) }
func (w *Worker) send(p *proxy, to *Worker) (tell bool) { return w.post(p, to) }
func (w *Worker) takeMail() (entry, bool)               { return w.openMail() }
func (w *Worker) openOwn(popped entry) (entry, bool)    { return w.openNewest(popped) }
func (w *Worker) takeBackFrame(f *Frame) bool           { return w.takeOthers(f) }
func (w *Worker) choose(f *Frame)                       { w.chooseRule(f) }
func (w *Worker) ask(victim int) Outcome                { return w.putRequest(victim) }
func (w *Worker) asked() bool                           { return w.requests.asked.Load() != 0 }
func (w *Worker) hear() (entry, Outcome)                { return w.takeAnswer() }
func (w *Worker) give()                                 { w.giveOldest() }
func (w *Worker) claim(p *proxy) (won bool)             { return p.claimed.CompareAndSwap(0, 1) }
func (w *Worker) pushChildren(f *Frame, n int32)        { w.addChildren(f, n) }
func (w *Worker) pushRest(f *Frame)                     { w.shared.push(entry{f: f, i: entryRest}) }
func (w *Worker) popQueue() (entry, bool)               { return w.shared.pop() }
func (w *Worker) flush(es []entry)                      { w.shared.pushAll(es) }
func (w *Worker) sees() bool                            { return w.shared.size.Load() > 0 }
func (w *Worker) pushAt(queue int, e entry)             { w.pool.shared[queue].push(e) }
func (w *Worker) keep(es []entry)                       { w.keepEntries(es) }
func (w *Worker) claimToken() Outcome                   { return w.shared.claimToken() }
func (w *Worker) releaseToken()                         { w.shared.releaseToken() }

func (w *Worker) popFitting() (entry, Outcome)  { return w.shared.popAdmitted(w.admits, false) }
func (w *Worker) moveCharge(c *Frame, n uint64) { w.pool.budgets.settle(c, w.node, n) }
func (w *Worker) dropCharge(f *Frame)           { w.pool.budgets.drop(f) }
func (w *Worker) stealWithin(f *Frame, on bool) { w.setRange(f, on) }

// seesEmpty looks at a queue without its lock.
func (s *stepper) seesEmpty(v *stepWorker) bool { return s.ownSeemsEmpty(v) }
func (s *stepper) sees(v *stepWorker) bool      { return s.size(v.queue) > 0 }
func (s *stepper) seesNothing(_ *stepWorker, victim int) bool {
	return s.size(victim) == 0
}

// completes reports whether the phase of f, on top of the worker's stack, is complete. JoinStarter.
func (w *Worker) completes(f *Frame) bool { return f.complete() }

// arrive adds n to the join of f and returns whether that made it 0: whether no strand is left.
// Holder of a strand of f.
func (w *Worker) arrive(f *Frame, n int32) (last bool) { return f.arrive(n) }

// report adds a child of f that finished on this worker, which did not start f. JoinStarter.
func (w *Worker) report(f *Frame) { atomic.AddInt32(&f.join, 1) }

// reopen makes the join of f, which is complete, ready for the next phase. JoinStarter; by the
// owner of f.
func (w *Worker) reopen(f *Frame) { f.reset() }
