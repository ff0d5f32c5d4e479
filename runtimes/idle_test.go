package runtimes

import (
	"context"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// cpuTime returns the CPU time of the process.
func cpuTime(tb testing.TB) time.Duration {
	tb.Helper()
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// BenchmarkIdle measures the CPU time of 24 workers; 23 have nothing to do while a leaf sleeps for
// half a second.
func BenchmarkIdle(b *testing.B) {
	eachParallel(b, func(b *testing.B, p Scheduler) {
		var used time.Duration
		for range b.N {
			prog := flat(1)
			prog.leaf = func(*Worker) {
				before := cpuTime(b)
				time.Sleep(500 * time.Millisecond)
				used += cpuTime(b) - before
			}
			if _, err := Run(context.Background(), unpinned(p, 1, 24, 1), prog); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(used.Microseconds())/1e3/float64(b.N), "CPU-ms")
	})
}

// BenchmarkWake is the time from the begin of a phase of two leaves on one worker to the begin of
// the second leaf on the other, which is parked.
func BenchmarkWake(b *testing.B) {
	eachParallel(b, func(b *testing.B, p Scheduler) {
		n := make([]int, 2*b.N)
		for i := range n {
			n[i] = 1 + i%2 // the one leaf is the time to park
		}
		var begins [2]time.Time
		var child atomic.Int32
		var late time.Duration
		prog := flat(1)
		prog.phases = func(int) []int { return n }
		phase := 0
		prog.leaf = func(*Worker) {
			if phase%2 == 1 {
				begins[child.Add(1)&1] = time.Now()
			}
			time.Sleep(2 * time.Millisecond)
		}
		prog.next = func(*Worker, *shapeTask, int) {
			if phase%2 == 1 {
				late += begins[0].Sub(begins[1]).Abs()
			}
			phase++
		}
		if _, err := Run(context.Background(), unpinned(p, 1, 2, 1), prog); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(late.Nanoseconds())/1e3/float64(b.N), "us/wake")
	})
}

// BenchmarkWakeAll is 48 leaves that sleep for 0.3 ms, on 24 workers that are parked at first.
func BenchmarkWakeAll(b *testing.B) {
	eachParallel(b, func(b *testing.B, p Scheduler) {
		var took time.Duration
		for range b.N {
			var from time.Time
			phase := 0
			prog := flat(1)
			prog.phases = func(int) []int { return []int{1, 48} }
			prog.leaf = func(*Worker) {
				if phase == 0 {
					time.Sleep(5 * time.Millisecond)
					return
				}
				time.Sleep(300 * time.Microsecond)
			}
			prog.next = func(*Worker, *shapeTask, int) {
				if phase++; phase == 1 {
					from = time.Now()
				} else {
					took += time.Since(from)
				}
			}
			if _, err := Run(context.Background(), unpinned(p, 1, 24, 1), prog); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(took.Microseconds())/1e3/float64(b.N), "ms/48-leaves")
	})
}

func eachParallel(b *testing.B, f func(*testing.B, Scheduler)) {
	for _, p := range Schedulers {
		if parallel(p) {
			b.Run("sched="+p.Name, func(b *testing.B) { f(b, p) })
		}
	}
}
