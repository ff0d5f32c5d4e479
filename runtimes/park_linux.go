package runtimes

import (
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// osYield gives up the CPU to another thread. It is not runtime.Gosched, which on a locked thread
// costs a hand-over between threads; and not a raw system call: a thread that waits by yielding can
// be stopped here by Go's collector, also where Go interrupts no loops (asyncpreemptoff).
func osYield() { _, _, _ = unix.Syscall(unix.SYS_SCHED_YIELD, 0, 0, 0) }

// Commands of membarrier(2).
const (
	membarrierPrivate         = 1 << 3
	membarrierRegisterPrivate = 1 << 4
)

// barriers records whether [fenceOthers] works: the system may lack the call, or forbid it.
var barriers = sync.OnceValue(func() bool {
	_, _, e := unix.RawSyscall(unix.SYS_MEMBARRIER, membarrierRegisterPrivate, 0, 0)
	return e == 0 && fenceOthers()
})

// fenceOthers makes each thread of the process that runs now pass a full fence, and returns when
// all have: the other half of a fence that they need not pay for themselves. Cost: some 0.6 us.
func fenceOthers() bool {
	_, _, e := unix.RawSyscall(unix.SYS_MEMBARRIER, membarrierPrivate, 0, 0)
	return e == 0
}

const (
	futexWaitPrivate = 0 | 128
	futexWakePrivate = 1 | 128
)

// futexSleep waits until *word is no longer 1 and it is woken, but no longer than d.
func futexSleep(word *atomic.Uint32, d time.Duration) {
	ts := unix.NsecToTimespec(d.Nanoseconds())
	unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(word)), futexWaitPrivate, 1,
		uintptr(unsafe.Pointer(&ts)), 0, 0)
}

// futexWake wakes the worker that sleeps on word.
func futexWake(word *atomic.Uint32) {
	unix.RawSyscall(unix.SYS_FUTEX, uintptr(unsafe.Pointer(word)), futexWakePrivate, 1)
}
