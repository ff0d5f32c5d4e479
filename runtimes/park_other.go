//go:build !linux

package runtimes

import (
	"runtime"
	"sync/atomic"
	"time"
)

func osYield() { runtime.Gosched() }

// futexSleep polls: there is no portable futex.
func futexSleep(word *atomic.Uint32, d time.Duration) {
	for end := time.Now().Add(d); word.Load() == 1 && time.Now().Before(end); {
		time.Sleep(20 * time.Microsecond)
	}
}

func futexWake(*atomic.Uint32) {}
