package runtimes

import (
	"testing"
	"time"
)

// patience returns the time until which a test waits for something that must happen: half of the
// rest of the limit of go test. A slow machine makes the test slow, and does not fail it.
func patience(t *testing.T) time.Time {
	t.Helper()
	end, ok := t.Deadline()
	if !ok {
		return time.Now().Add(time.Hour)
	}
	return time.Now().Add(time.Until(end) / 2)
}

// eventually waits until ok holds, and returns false if it does not within the patience of t.
func eventually(t *testing.T, ok func() bool) bool {
	t.Helper()
	for end := patience(t); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			return ok()
		}
	}
	return true
}

// runIsStopped returns true once the workers of w's run can see that they must stop.
func runIsStopped(w *Worker) bool {
	if w.gor != nil {
		return w.gor.stopped.Load()
	}
	return w.pool.signal.Load()&signalStop != 0
}
