// Package planned carries out what krdlab regions plans: tests of the examples execute a loop of a
// serial program in parallel, and measure how much faster that makes the program.
package planned

import (
	"runtime"
	"sync"
	"testing"
	"time"
)

// Cores is how many goroutines execute a planned loop.
const Cores = 2

// A Loop executes the iterations from, from+1, ... to-1 of a loop. do executes a range of them.
type Loop func(from, to int, do func(from, to int))

// Split executes a loop in Cores goroutines, each with as many iterations in a row, and waits for
// all of them. It is a [Loop].
func Split(from, to int, do func(from, to int)) {
	var all sync.WaitGroup
	for c := range Cores {
		all.Go(func() { do(from+(to-from)*c/Cores, from+(to-from)*(c+1)/Cores) })
	}
	all.Wait()
}

// Compare times a serial program, and a copy of it that executes the planned loop by what it is
// passed: serially, which tells the loop's share of the time, and by [Split]. It reports
//
//	ms/serial, ms/parallel   a run of the program, and of the copy by Split
//	share                    what of the time of the copy, serially, is the loop's
//	predicted                the speed-up that the share allows on Cores cores
//	speedup                  of the copy by Split, over the program
//	speedup/copy             likewise, over the copy serially: the same instructions
func Compare(b *testing.B, serial func(), program func(loop Loop)) {
	var whole, copied, within, parallel time.Duration
	timed := func(from, to int, do func(from, to int)) {
		defer func(began time.Time) { within += time.Since(began) }(time.Now())
		do(from, to)
	}
	program(Split) // grows the heap
	for b.Loop() {
		whole += took(serial)
		copied += took(func() { program(timed) })
		parallel += took(func() { program(Split) })
	}
	share := float64(within) / float64(copied)
	ms := func(d time.Duration) float64 { return d.Seconds() * 1e3 / float64(b.N) }
	b.ReportMetric(ms(whole), "ms/serial")
	b.ReportMetric(ms(parallel), "ms/parallel")
	b.ReportMetric(share, "share")
	b.ReportMetric(1/(1-share+share/Cores), "predicted")
	b.ReportMetric(float64(whole)/float64(parallel), "speedup")
	b.ReportMetric(float64(copied)/float64(parallel), "speedup/copy")
	b.ReportMetric(0, "ns/op") // of the three together: left out
}

// took returns the time of a call, which begins with a heap of what is in use.
func took(f func()) time.Duration {
	runtime.GC()
	began := time.Now()
	f()
	return time.Since(began)
}
