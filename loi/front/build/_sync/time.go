package time

import "unsafe"

// The tracer's end in this package: that a timer is set is recorded as a once, and that its function
// begins as one that was found done.
const (
	krdOnce     = 13
	krdOnceSeen = 14
)

//go:linkname krdOn runtime.krdOn
func krdOn() bool

//go:linkname krdTimed runtime.krdTimed
func krdTimed(op uint64, t unsafe.Pointer)

// AfterFunc waits for the duration to elapse and then calls f in its own goroutine. The timer is set when
// its address is known and recorded.
func AfterFunc(d Duration, f func()) *Timer {
	if !krdOn() {
		return krdAfterFunc(d, f)
	}
	var t *Timer
	t = krdAfterFunc(1<<63-1, func() {
		krdTimed(krdOnceSeen, unsafe.Pointer(t))
		f()
	})
	t.Reset(d)
	return t
}

// Reset changes the timer to expire after duration d.
func (t *Timer) Reset(d Duration) bool {
	if t.C == nil && t.initTimer && krdOn() {
		krdTimed(krdOnce, unsafe.Pointer(t))
	}
	return t.krdReset(d)
}
