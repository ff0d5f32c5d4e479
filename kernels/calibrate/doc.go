// Package calibrate measures on this computer the prices of a simulated machine: the time of a
// spawn, a steal or a lock under each scheduler, and the rate of operations of each kind (package
// ops) on a core. It measures the real deques, shepherds' queues, mailboxes, joins and locks of
// package runtimes, through programs that [runtimes.Run] executes, and loops of package loops; none
// is a kernel of the table.
//
// # How a cost is isolated
//
// On one worker, by difference. A comb (comb.go) is a task of two children, a leaf and another such
// task, 16 levels deep. On the way down every level spawns, on the way up every level takes its
// leaf from the queue and joins. The same comb under the policy serial makes the same frames and
// calls and queues nothing. Way by way, the time that a policy takes longer than serial, by level:
//
//	deques                   down: spawn                        up: pop, with the bookkeeping of the join that needs no atomics
//	locked, parent first     down: lock (append one entry)      up: 3 lock + 2 join (take the leaf, queue the rest, take it; two arrivals)
//	                         down, ten children instead of two: lock + 8 spawn (an entry more in the same operation)
//
// So spawn is not the time to make a frame, which a serial run takes as well: it is the time that a
// simulated run must add to a serial one. How many operations a task consists of under a policy is
// counted by running it in virtual time, so that any queue and join is parted. Where a comb would
// not only queue on its way down (the last child is queued as well, or phases are run in several
// ways), the operations of a task get equal parts of its time. The price that [runtimes.Step] takes
// for the operations of a comb is the time that was measured for it, for each policy.
//
// On two workers, by stamps. A probe (probe.go) is a policy whose Look notes the time when it is
// called and when it returns, so that between them lies one move of the mechanism: an attempt at a
// steal, a rest. In a duel (duel.go) one worker spawns a child and waits until the other has stolen
// it. Where the workers of a node have one queue, the two are set on two nodes:
//
//	steal           from the return of Look to the first instruction of the stolen child: the attempt, its accounting, the cache lines
//	                of the victim's queue and of the frame, which were in the victim's caches
//	                of a thief that asks: from the request; the holder spawns meanwhile, as only then it answers
//	steal_failed    an attempt at a queue that is empty, nothing having changed since the last one; 64 in a row
//	join            of policies with deques: from the end of the child that finished first to the next Look: the atomic addition on a line that
//	                the other worker has, a look at the own queue, the entry of the search
//	mail            from the return of Look to the first instruction of the child that was mailed: the mailbox's lock and the claim
//	rest            the first rests of a search, which pause (idle.go in package runtimes): later ones yield and then park, and are longer
//
// lock_handover comes from two workers that empty one shepherd's queue of children that only note
// the time (handover.go): queue order gives the order in which they had the lock. From a child to
// the next one where the worker changes, and the second worker was waiting all the while that the
// first ran its child, less the lock operation itself. Back-off is part of it, since the lock
// decides how to wait.
//
// kernel is a serial run of empty kernels, by kernel: two stamps and an addition to the profile.
// frame is that of a tree of tasks, by task with children.
//
// # Samples
//
// A sample is a run of thousands of rounds: the mean of the middle four fifths of their times, so
// that interrupted ones do not count and the granularity of the time-stamp counter averages out. A
// round of the calibration takes one sample of everything, and the least of all rounds counts
// ([machine.Rounds]): between two workers less what two stamps in a row show, on one worker that of
// each way. A run has its time from where its frames happen to lie (serial trees took 8.0 to 10.5
// ns a task from one run to the next), and differences of medians came out below zero. The
// difference that counts is that of whole trees of 1023 tasks, where the mixture of spawns and pops
// is that of programs; combs only part it, no part less than a tenth.
//
// # Rejected
//
//   - fib, in all and by policy: gives the sum of spawn and pop, and nothing to part them.
//   - Queues and locks called directly: they belong to package runtimes alone, and what a cost
//     consists of beyond them (the search's accounting, the unwinding, the cold frame) would be
//     missing.
package calibrate
