package runtimes

import "krdlab/hw"

// spinLock is a test-and-test-and-set lock for critical sections of some 10 ns, in which nothing
// sleeps. A sync.Mutex would park the goroutine, and with it the locked thread, for microseconds.
type spinLock struct {
	state hw.Int32 // 0 free, 1 held; CAS by any worker, cleared by the holder
	// constant; in virtual time all workers are one thread, and the stepper decides who waits
	virtual bool
}

// try takes the lock if it is free.
func (l *spinLock) try() bool {
	return l.virtual || l.state.Load() == 0 && l.state.CompareAndSwap(0, 1)
}

// acquire waits for the lock by pausing and, once that has lasted longer than any holder needs, by
// giving up the CPU, since the holder may have been preempted.
func (l *spinLock) acquire() {
	if l.virtual || l.state.CompareAndSwap(0, 1) {
		return
	}
	l.contend()
}

// contend backs off, so that the holder can take the lock several times in a row while its cache
// line, and those of what it guards, stay where they are; see docs/performance.md.
func (l *spinLock) contend() {
	pauses := 1
	for tries := 1; ; tries++ {
		for range pauses {
			hw.Pause()
		}
		if l.try() {
			return
		}
		pauses = min(2*pauses, maxPauses)
		if tries%yieldTries == 0 {
			osYield() // the holder may have been preempted
		}
	}
}

const (
	maxPauses  = 16 // some 0.8 us on a Zen 5
	yieldTries = 50 // some 40 us
)

func (l *spinLock) release() { l.state.StoreRelease(0) }
