package sync

import "unsafe"

// The tracer's end in this package. Operations are numbered as in krdlab/loi (SyncOp).
const (
	krdLocked = 5 + iota
	krdUnlocked
	krdReadLocked
	krdReadUnlocked
	krdDone
	krdWaited
	krdCondWaited
	krdSignaled
	krdOnce
	krdOnceSeen
)

//go:linkname krdOn runtime.krdOn
func krdOn() bool

//go:linkname krdStep runtime.krdStep
func krdStep(at uintptr)

//go:linkname krdTicks runtime.krdTicks
func krdTicks() uint64

//go:linkname krdBegins runtime.krdBegins
func krdBegins(op uint64, p unsafe.Pointer) uint64

//go:linkname krdSyncOf runtime.krdSyncOf
func krdSyncOf(op uint64, p unsafe.Pointer, begin uint64)

//go:linkname krdMark runtime.krdMark
func krdMark()

//go:linkname krdMarked runtime.krdMarked
func krdMarked(op uint64, p unsafe.Pointer, begin uint64)

// krdNote notes an operation that takes no time.
func krdNote(op uint64, p unsafe.Pointer) {
	krdStep(uintptr(p))
	if krdOn() {
		krdSyncOf(op, p, krdTicks())
	}
}

// Lock locks m.
// If the lock is already in use, the calling goroutine
// blocks until the mutex is available.
func (m *Mutex) Lock() {
	krdStep(uintptr(unsafe.Pointer(m)))
	if !krdOn() {
		m.mu.Lock()
		return
	}
	begin := krdBegins(krdLocked, unsafe.Pointer(m))
	m.mu.Lock()
	krdSyncOf(krdLocked, unsafe.Pointer(m), begin)
}

// TryLock tries to lock m and reports whether it succeeded.
func (m *Mutex) TryLock() bool {
	krdStep(uintptr(unsafe.Pointer(m)))
	begin := krdTicks()
	ok := m.mu.TryLock()
	if ok && krdOn() {
		krdSyncOf(krdLocked, unsafe.Pointer(m), begin)
	}
	return ok
}

// Unlock unlocks m.
// It is a run-time error if m is not locked on entry to Unlock.
func (m *Mutex) Unlock() {
	krdNote(krdUnlocked, unsafe.Pointer(m))
	m.mu.Unlock()
}

// RLock locks rw for reading.
func (rw *RWMutex) RLock() {
	krdStep(uintptr(unsafe.Pointer(rw)))
	begin := krdBegins(krdReadLocked, unsafe.Pointer(rw))
	rw.krdRLock()
	if krdOn() {
		krdSyncOf(krdReadLocked, unsafe.Pointer(rw), begin)
	}
}

// TryRLock tries to lock rw for reading and reports whether it succeeded.
func (rw *RWMutex) TryRLock() bool {
	krdStep(uintptr(unsafe.Pointer(rw)))
	begin := krdTicks()
	ok := rw.krdTryRLock()
	if ok && krdOn() {
		krdSyncOf(krdReadLocked, unsafe.Pointer(rw), begin)
	}
	return ok
}

// Lock locks rw for writing.
func (rw *RWMutex) Lock() {
	krdStep(uintptr(unsafe.Pointer(rw)))
	begin := krdBegins(krdLocked, unsafe.Pointer(rw))
	rw.krdLock()
	if krdOn() {
		krdSyncOf(krdLocked, unsafe.Pointer(rw), begin)
	}
}

// TryLock tries to lock rw for writing and reports whether it succeeded.
func (rw *RWMutex) TryLock() bool {
	krdStep(uintptr(unsafe.Pointer(rw)))
	begin := krdTicks()
	ok := rw.krdTryLock()
	if ok && krdOn() {
		krdSyncOf(krdLocked, unsafe.Pointer(rw), begin)
	}
	return ok
}

// Wait blocks until the WaitGroup task counter is zero.
func (wg *WaitGroup) Wait() {
	krdStep(uintptr(unsafe.Pointer(wg)))
	begin := krdBegins(krdWaited, unsafe.Pointer(wg))
	wg.krdWait()
	if krdOn() {
		krdSyncOf(krdWaited, unsafe.Pointer(wg), begin)
	}
}

// krdWait waits for a condition.
func krdWait(c *Cond, t uint32) {
	krdStep(uintptr(unsafe.Pointer(c)))
	if !krdOn() {
		runtime_notifyListWait(&c.notify, t)
		return
	}
	begin := krdBegins(krdCondWaited, unsafe.Pointer(c))
	krdMark() // where it was signaled already
	runtime_notifyListWait(&c.notify, t)
	krdMarked(krdCondWaited, unsafe.Pointer(c), begin)
}

// krdSignal signals a condition, or broadcasts.
func krdSignal(c *Cond, notify func(*notifyList)) {
	krdStep(uintptr(unsafe.Pointer(c)))
	if !krdOn() {
		notify(&c.notify)
		return
	}
	begin := krdTicks()
	krdMark()
	notify(&c.notify)
	krdMarked(krdSignaled, unsafe.Pointer(c), begin)
}
