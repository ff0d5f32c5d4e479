package runtimes

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"krdlab/hw/hwtest"
)

// Allocations of a run do not grow with the number of tasks, but with the entries that wait in
// queues, on threads and in virtual time, with hints and without. Exceptions are schedulers marked
// as breadth first, and runs where each task is a goroutine.
func TestMemory(t *testing.T) {
	hwtest.SkipRace(t)
	const perTask = 1.0 // bytes
	alloc := func(t *testing.T, s Scheduler, cores int, native bool, prog Program) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		var err error
		if native {
			c := unpinned(s, 1, cores, 1)
			c.LLCBytes, c.Kernels = 1<<12, halvesKernels
			_, err = Run(context.Background(), c, prog)
		} else {
			c := stepConfig(s, 1, cores, 1)
			c.LLCBytes, c.Kernels = 1<<12, halvesKernels
			_, err = Step(c, prog)
		}
		if err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	for _, s := range Schedulers {
		if s.ThreadsOnly() || s.BreadthFirst {
			continue
		}
		for _, cores := range []int{1, 2} {
			if s.Serial() && cores > 1 {
				continue
			}
			for _, native := range []bool{true, false} {
				t.Run(fmt.Sprintf("%s/cores=%d/native=%v", s.Name, cores, native), func(t *testing.T) {
					few := alloc(t, s, cores, native, &fibProg{n: 14})
					many := alloc(t, s, cores, native, &fibProg{n: 22})
					tasks := float64(fib(23) - fib(15))
					if more := float64(many) - float64(few); more > perTask*tasks {
						t.Errorf("fib: %.0f bytes more for %.0f tasks more: %.1f each", more, tasks,
							more/tasks)
					}
					few = alloc(t, s, cores, native, &halvesProg{blocks: 256, sweeps: 8})
					many = alloc(t, s, cores, native, &halvesProg{blocks: 256, sweeps: 256})
					tasks = 255 * 248
					if more := float64(many) - float64(few); more > perTask*tasks {
						t.Errorf("sweeps: %.0f bytes more for %.0f tasks more: %.1f each", more,
							tasks, more/tasks)
					}
				})
			}
		}
	}
}
