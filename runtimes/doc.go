// Package runtimes runs fork-join programs under exchangeable task schedulers.
//
// A program is a tree of tasks. A task is a [Frame]: it never blocks and owns no stack. It has two
// operations ([Task]): run child i of the present phase and, once all have finished, return the
// number of children of the next phase. Because of that the same kernels and the same schedulers
// run on pinned threads ([Run]) and, one event after the other on a single goroutine, in virtual
// time ([Step]).
//
// Policy is apart from mechanism. A [Policy] decides which side of a spawn runs first, where the
// other is queued, who may run the continuation of a join (data, [Rules]) and where an idle worker
// looks next (one method, [Policy.Look]). Queues, locks, mailboxes, steals, parking, joins,
// pinning, tracing and accounting are mechanism, and no policy mentions them.
//
// Order of reading: task.go (frames), policy.go (what a scheduler may decide), the policies
// themselves (workfirst.go, helpfirst.go, shepherd.go), deque.go and queue.go (queues),
// childfirst.go, parentfirst.go and chosen.go (the ways to execute a spawn), idle.go (the search
// for work), place.go, admit.go, request.go and mailbox.go (what some policies add), stamping.go
// (what kernels cost), native.go (the driver on threads), stepper.go, drive.go and steps.go (the
// driver in virtual time), untaped.go (the operations on shared data, which tape.go records in a
// build of its own, so that the other driver can do again a run on threads).
//
// # Rejected
//
//   - Stealing half of a deque by one CAS of its head: an owner takes the last entries but one
//     without a CAS, and would race with it for those in the middle. A thief steals one after the
//     other.
//   - Child first with a queue that is shared, or not the newest first: a child that returns would
//     have to search for its parent there.
//   - One loop for all spawn rules: runChosen is that, and pays for it with an indirect call and a
//     check of what it pops at each phase. The fast loops have neither.
//   - A goroutine for each task, or a task that blocks in a join: a fork costs 786 ns and not 9
//     to 43 (docs/performance.md), and Go's own scheduler then decides the order that is to be
//     studied. It exists as the policy `go`, for comparison.
//   - Recursion for a child that runs at once: the frame is there anyway, for the thief; a loop
//     over frames has nothing to unwind when one was taken from under the worker, and
//     virtual time needs it.
//   - A Chase-Lev deque with all entries public: its pop needs a full fence, about a third of the
//     cost of a spawn. Here the owner's newest entries are private; see deque.go.
//   - Asking a started task how many children it has: its creator has it ([Frame.Fork]), and that
//     saves one of four indirect calls.
//   - A fence behind each push, to look for parked workers: about 3 ns, several times a fork. In
//     its place a worker that parks makes the others pass a fence (idle.go). Longer naps without
//     that, or without wake-ups that are passed on, lose time in proportion to the nap. A worker
//     that counts as parked before its first look at the queues needs a barrier for each try of a
//     search: 13 ms in place of 4 ms for 48 short leaves on 24 workers.
//   - Clearing each reused frame: 4 of the 9 to 17 ns of a fork. [New] does it; [Spare] is for
//     tasks that set all their fields, as those of fib do. Clearing without Go's write barriers is
//     cheaper, but a collector that runs could lose objects.
//   - The number of a worker under the policy `go`: an array by that number would have no bound.
//   - Under `go`, a spin lock that yields the thread and not Go's processor: it hung a traced run.
//     The holder was a preempted goroutine, which waited for the processors of the spinners.
//     Recorders there call runtime.Gosched.
//   - A test of a flag at each of the eleven places where engines call a task, to record events of
//     tasks: it costs every spawn. A frame in between (recorded.go) costs only runs that record.
//   - For the event queue (eventqueue.go): a binary heap, a 4-ary heap, and a wheel of time slots
//     with a bitmap. All were slower than the tournament of minimums, which has no branch on its
//     way up (docs/performance.md, Simulation). To read the next event after putting the event of
//     the worker that ran, in place of before, cost 10 %: the processor waits for the way up.
//   - Searches in virtual time that assume that other idle workers stay idle, or that deques stay
//     empty, and are taken back when this fails: they skip three of four of the steps that are
//     left, and taking back costs more than that saves.
//   - One loop for all of parent first, with tests for places, serial ranks, wait rules and queued
//     last children inlined where they belong: on one worker a fork took 19 % longer under
//     `helpfirst` and 21 % longer under `shepherd-core`, which use none of them, because the tests
//     took registers. They are one flag, and calls behind it that are not inlined.
package runtimes
