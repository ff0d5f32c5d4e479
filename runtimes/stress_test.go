package runtimes

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"krdlab/hw"
	"krdlab/hw/hwtest"
	"krdlab/hw/hwtest/long"
	"krdlab/loi"
)

// Every policy, many more workers than CPUs, fine tasks, several nodes: each leaf exactly once, no
// phase early.
func TestStress(t *testing.T) {
	leaves, rounds := long.Or[uint64](500, 3000), long.Or(2, 4)
	if hwtest.Race {
		rounds = 1
	}
	for i, p := range Schedulers {
		for _, s := range shapesOf(p) {
			t.Run(fmt.Sprintf("%s/%dx%d", p.Name, s[0], s[1]), func(t *testing.T) {
				for round := range rounds {
					seed := uint64(i + round)
					prog := bigTree(8, leaves)
					if seed%2 == 1 { // kernels that last, so that workers park and are woken
						prog.kernel = func(_ *Worker, place uint64) {
							if place%512 == 0 {
								doze(50 * time.Microsecond)
							}
						}
					}
					if _, err := Run(context.Background(), unpinned(p, s[0], s[1], seed),
						prog); err != nil {
						t.Fatal(err)
					}
					checkTree(t, prog)
				}
			})
		}
	}
}

// One deep chain of last entries: the worst case for the race between an owner and a thief. 2
// workers on fib, many times.
func TestStressLastEntry(t *testing.T) {
	for _, p := range Schedulers {
		if p.Rules().Spawn == SpawnCall || p.Rules().Spawn == SpawnGo {
			continue
		}
		rounds := long.Or[uint64](5, 20) // under a lock there is no such race
		if p.Rules().Deque() {
			rounds = long.Or[uint64](25, 100)
		}
		t.Run(p.Name, func(t *testing.T) {
			for seed := range rounds {
				prog := &fibProg{n: 7 + int(seed%9)}
				if _, err := Run(context.Background(), unpinned(p, 2, 1, seed), prog); err != nil {
					t.Fatal(err)
				}
				if prog.out != fib(prog.n) {
					t.Fatalf("fib(%d) = %d, want %d", prog.n, prog.out, fib(prog.n))
				}
			}
		})
	}
}

func threads(t *testing.T) int {
	t.Helper()
	d, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Skip(err)
	}
	return len(d)
}

func TestPanicEndsTheRun(t *testing.T) {
	for _, p := range Schedulers {
		for _, during := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/during=%v", p.Name, during), func(t *testing.T) {
				s := shapesOf(p)
				shape := s[min(1, len(s)-1)]
				c := unpinned(p, shape[0], shape[1], 1)
				c.Tracing = TraceProfile
				var n atomic.Int32
				prog := bigTree(8, 500)
				prog.kernel = func(w *Worker, _ uint64) {
					start := w.Begin(0)
					if during && n.Add(1) == 100 {
						panic("boom")
					}
					w.End(0, start)
					if !during && n.Add(1) == 100 {
						panic("boom")
					}
				}
				_, err := Run(context.Background(), c, prog)
				var pe *PanicError
				if !errors.As(err, &pe) || pe.Kernel != "leaf" || pe.During != during ||
					pe.Value != "boom" {
					t.Fatalf("error %v, want a PanicError that names kernel leaf", err)
				}
				if !strings.Contains(string(pe.Stack), "stress_test.go") {
					t.Errorf("the stack does not show where:\n%s", pe.Stack)
				}
			})
		}
	}
}

func TestStopEndsTheRun(t *testing.T) {
	for _, p := range Schedulers {
		t.Run(p.Name, func(t *testing.T) {
			s := shapesOf(p)
			shape := s[min(1, len(s)-1)]
			ctx, cancel := context.WithCancel(context.Background())
			var n atomic.Int32
			prog := bigTree(10, 100_000)
			prog.kernel = func(*Worker, uint64) {
				if n.Add(1) == 1000 {
					cancel()
				}
			}
			_, err := Run(ctx, unpinned(p, shape[0], shape[1], 1), prog)
			if !errors.Is(err, ErrStopped) {
				t.Fatalf("error %v, want ErrStopped", err)
			}
		})
	}
}

// Pinned threads end with their run.
func TestNoThreadIsLeft(t *testing.T) {
	cpus, err := hw.Affinity()
	if err != nil {
		t.Skip(err)
	}
	run := func() {
		c := unpinned(Schedulers[1], 1, 16, 1)
		for i := range c.CPUs {
			c.CPUs[i] = cpus[i%len(cpus)]
		}
		if _, err := Run(context.Background(), c, &fibProg{n: 15}); err != nil {
			t.Fatal(err)
		}
	}
	run()
	before := threads(t)
	for range 5 {
		run()
	}
	// an ended thread leaves /proc a moment later
	if !eventually(t, func() bool { return threads(t) <= before+2 }) {
		t.Errorf("%d threads after five runs of 16 workers, %d before", threads(t), before)
	}
	now, err := hw.Affinity()
	if err != nil || len(now) != len(cpus) {
		t.Errorf("affinity is %v (%v) after the runs, was %v", now, err, cpus)
	}
}

func TestRunRejects(t *testing.T) {
	for _, c := range []Config{
		{Policy: WorkFirst{}},
		{Policy: WorkFirst{}, CPUs: []int{-1}, Nodes: []int{0, 0}},
		{Policy: Serial{}, CPUs: []int{-1, -1}, Nodes: []int{0, 0}},
		{Policy: WorkFirst{}, CPUs: []int{1 << 14}, Nodes: []int{0}},
	} {
		if _, err := Run(context.Background(), c, &fibProg{n: 5}); err == nil {
			t.Errorf("%+v ran", c)
		}
	}
}

// The go policy writes per-CPU recorders that many goroutines share: nothing is lost.
func TestGoRecords(t *testing.T) {
	cpus := runtime.NumCPU()
	h := loi.Header{
		Registry: loi.Registry{
			Objects: []loi.Object{{Name: "o", Blocks: []loi.SizeRun{{Count: 1, Bytes: 1}}}},
			Kernels: []loi.Kernel{{Name: "leaf", Params: []loi.Param{{Object: 0, Mode: loi.In}}}},
		},
		Clock: loi.Clock{Source: "tsc", Hz: 1e9}, Substrate: loi.Native, Grain: "kernel",
	}
	for i := range cpus {
		h.Workers = append(h.Workers, loi.Worker{CPU: i})
	}
	// Small chunks, made by whoever needs one: a recorder's lock is often held by a goroutine that
	// waits for the file system.
	w, err := loi.Create(t.TempDir()+"/go.loi", h, loi.Options{ChunkBytes: 4096,
		FirstChunkBytes: 4096, NoBackground: true})
	if err != nil {
		t.Fatal(err)
	}
	p, _ := SchedulerByName("go")
	c := unpinned(p, 1, 2, 1)
	c.Tracing, c.Kernels = TraceFull, h.Registry.Kernels
	for i := range cpus {
		c.Recorders = append(c.Recorders, w.Recorder(i))
	}
	prog := bigTree(8, 20_000)
	prog.kernel = func(w *Worker, _ uint64) { w.End(0, w.Begin(0), 0) }
	r, err := Run(context.Background(), c, prog)
	if err != nil {
		t.Fatal(err)
	}
	checkTree(t, prog)
	stats, err := w.Close()
	if err != nil {
		t.Fatal(err)
	}
	var records uint64
	for _, n := range stats.Records {
		records += n
	}
	if count, _ := prog.serial(); records != count || r.Kernels[0].Count != count {
		t.Errorf("%d records and %d kernels, want %d", records, r.Kernels[0].Count, count)
	}
	if r.WorkNS < 0 || len(r.Workers) != 0 {
		t.Errorf("work %d, %d workers; want work and no workers", r.WorkNS, len(r.Workers))
	}
}

var randomRuns = flag.Uint64("runs", 0, "runs of TestRandomRuns; 0: 20, or 100 with KRDLAB_LONG=1")

// Random programs under random policies, on 1 to 24 workers of random nodes, some of them cancelled
// and some with a panic in a leaf: each ends as it should. -runs 1000 is worth a look with -race,
// and with GODEBUG=asyncpreemptoff=1.
func TestRandomRuns(t *testing.T) {
	runs := *randomRuns
	if runs == 0 {
		runs = long.Or[uint64](20, 100)
	}
	for seed := range runs {
		r := NewRand(seed, 0)
		p := Schedulers[r.N(len(Schedulers))]
		shape := [2]int{1, 1}
		if p.Rules().Spawn != SpawnCall {
			shape[0] = 1 + r.N(4)
			shape[1] = 1 + r.N(24/shape[0])
		}
		prog := newTree(seed, 3+r.N(5))
		leaves, _ := prog.serial()
		what, at := r.N(4), int64(r.N(int(leaves)+1))
		ctx, cancel := context.WithCancel(context.Background())
		var n atomic.Int64
		prog.kernel = func(*Worker, uint64) {
			if n.Add(1) != at {
				return
			}
			switch what {
			case 0:
				cancel()
			case 1:
				panic("boom")
			}
		}
		_, err := Run(ctx, unpinned(p, shape[0], shape[1], seed), prog)
		cancel()
		var pe *PanicError
		met := n.Load() >= at && at > 0
		switch {
		case what == 1 && met:
			if !errors.As(err, &pe) {
				t.Errorf("seed %d, %s, %v: error %v, want the panic", seed, p.Name, shape, err)
			}
		case what == 0 && met: // the end may have been nearer
			if err != nil && !errors.Is(err, ErrStopped) {
				t.Errorf("seed %d, %s, %v: error %v, cancelled", seed, p.Name, shape, err)
			}
		case err != nil:
			t.Errorf("seed %d, %s, %v: %v", seed, p.Name, shape, err)
		default:
			checkTree(t, prog)
		}
		if t.Failed() {
			return
		}
	}
}
