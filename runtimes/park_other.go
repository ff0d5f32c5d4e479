//go:build !linux

package runtimes

import (
	"runtime"
	"sync/atomic"
	"time"
)

func osYield() { runtime.Gosched() }

// barriers returns false: no portable call makes other threads pass a fence.
func barriers() bool    { return false }
func fenceOthers() bool { return false }

// futexSleep polls: there is no portable futex.
func futexSleep(word *atomic.Uint32, d time.Duration) {
	for end := time.Now().Add(d); word.Load() == 1 && time.Now().Before(end); {
		time.Sleep(20 * time.Microsecond)
	}
}

func futexWake(*atomic.Uint32) {}
