package main

import (
	"runtime"
	"sync"
)

// breakLocked leaves a loop with its lock held (of the shape of cockroach#584, double locking).
func breakLocked() {
	var mu sync.Mutex
	stopped := false
	work := func() {
		for range 2 {
			mu.Lock()
			if stopped {
				if mended {
					mu.Unlock()
				}
				break
			}
			mu.Unlock()
		}
	}
	together(work, work, func() { mu.Lock(); stopped = true; mu.Unlock() })
}

// relocked ends on an error by a function that takes the lock again (of the shape of cockroach#9935, double
// locking).
func relocked() {
	var mu sync.Mutex
	full := false
	flush := func() { mu.Lock(); full = false; mu.Unlock() }
	write := func() {
		mu.Lock()
		failed := full
		if failed && !mended {
			flush()
		}
		mu.Unlock()
		if failed {
			flush()
		}
	}
	together(write, func() { mu.Lock(); full = true; mu.Unlock() })
}

// readTwice takes a read lock within itself, and a writer comes between (of the shape of cockroach#16167, which
// GoKer sorts under double locking).
func readTwice() {
	var mu sync.RWMutex
	inner := func() { mu.RLock(); mu.RUnlock() }
	outer := func() {
		mu.RLock()
		if !mended {
			inner()
		}
		mu.RUnlock()
	}
	together(outer, func() { mu.Lock(); mu.Unlock() })
}

// readThroughQueue does so with the lock of a queue between (of the shape of cockroach#3710, RWR).
func readThroughQueue() {
	var store sync.RWMutex
	var queue sync.Mutex
	status := func() { store.RLock(); store.RUnlock() }
	scan := func() {
		store.RLock()
		if mended {
			store.RUnlock()
		}
		queue.Lock()
		status()
		queue.Unlock()
		if !mended {
			store.RUnlock()
		}
	}
	together(scan, scan, func() { store.Lock(); store.Unlock() })
}

// coalesce takes two locks in two orders, one of them several calls down (of the shape of cockroach#10214,
// AB-BA).
func coalesce() {
	var responses, raft sync.Mutex
	add := func() { responses.Lock(); responses.Unlock() }
	tick := func() {
		raft.Lock()
		if !mended {
			add()
		}
		raft.Unlock()
		add()
	}
	send := func() { responses.Lock(); raft.Lock(); raft.Unlock(); responses.Unlock() }
	together(tick, send)
}

// urls takes the lock of an entry with that of the table held, which is needed to unlock the entry (of the
// shape of hugo#3251, AB-BA).
func urls() {
	var table sync.RWMutex
	entries := map[string]*sync.Mutex{}
	get := func() {
		table.Lock()
		if entries["a"] == nil {
			entries["a"] = &sync.Mutex{}
		}
		entry := entries["a"]
		if mended {
			table.Unlock()
			entry.Lock()
		} else {
			entry.Lock()
			table.Unlock()
		}
		table.RLock()
		entries["a"].Unlock()
		table.RUnlock()
	}
	together(get, get)
}

// renew calls a function with the lock held that this function takes (of the shape of etcd#10492, double
// locking).
func renew() {
	var mu sync.Mutex
	var checkpoint func()
	set := func() {
		mu.Lock()
		checkpoint = func() { mu.Lock(); mu.Unlock() }
		mu.Unlock()
	}
	lease := func() {
		mu.Lock()
		f := checkpoint
		if f != nil && !mended {
			f()
		}
		mu.Unlock()
		if f != nil {
			f()
		}
	}
	together(set, lease)
}

// forgotten returns early with the lock held (of the shape of moby#17176, double locking).
func forgotten() {
	var mu sync.Mutex
	deleted := 0
	clean := func() {
		mu.Lock()
		if deleted == 0 {
			if mended {
				mu.Unlock()
			}
			return
		}
		deleted--
		mu.Unlock()
	}
	together(clean, func() { mu.Lock(); deleted++; mu.Unlock() })
}

// devices gives back the outer lock and takes it again with the inner one held (of the shape of moby#4951,
// AB-BA).
func devices() {
	var set, info sync.Mutex
	remove := func() {
		set.Lock()
		info.Lock()
		set.Unlock()
		runtime.Gosched()
		if mended {
			info.Unlock()
			set.Lock()
		} else {
			set.Lock()
			info.Unlock()
		}
		set.Unlock()
	}
	together(remove, remove)
}
