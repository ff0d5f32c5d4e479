package runtimes

import "testing"

// The lock of a shepherd's queue in virtual time is held for as long as its holder's operation
// lasts, and goes to those that wait in the order in which they came, each a hand-over after its
// release.
func TestVirtualLock(t *testing.T) {
	const lock, handover, push = 40, 150, 3
	p, _ := SchedulerByName("shepherd-socket")
	pool := testPool(t, p, []int{0, 0, 0, 0}, 0)
	s := &stepper{pool: pool, costs: Costs{Lock: lock, Handover: handover}.orUnits(),
		queues: make([]virtualQueue, 1)}
	at := func(i int, now uint64) *stepWorker {
		w := &stepWorker{virtual: &s.queues[0]}
		w.pool, w.id, w.node = pool, i, pool.workers[i].node
		w.now = now
		return w
	}
	first, second, third, late := at(0, 1000), at(1, 1010), at(2, 1020), at(3, 5000)
	if !s.lockOwn(first, lock+2*push) {
		t.Fatal("a free lock was not had")
	}
	if s.lockOwn(second, lock) || s.lockOwn(third, lock) {
		t.Fatal("a lock was had that another holds")
	}
	const released = 1000 + lock + 2*push
	if want := uint64(released + handover); second.now != want {
		t.Errorf("the first that waits has the lock at %d, expected %d", second.now, want)
	}
	if want := uint64(released + handover + lock + handover); third.now != want {
		t.Errorf("the second that waits has the lock at %d, expected %d", third.now, want)
	}
	for _, w := range []*stepWorker{second, third} {
		now := w.now
		if !s.lockOwn(w, lock) || w.now != now {
			t.Errorf("worker %d was promised the lock at %d and does not have it", w.id, now)
		}
	}
	if !s.lockOwn(late, lock) || late.now != 5000 {
		t.Error("a lock that was released long ago was not had at once")
	}
}
