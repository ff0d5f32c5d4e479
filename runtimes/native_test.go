package runtimes

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"krdlab/hw"
	"krdlab/hw/hwtest/long"
)

// unpinned is a configuration of nodes x each workers that may run anywhere.
func unpinned(p Scheduler, nodes, each int, seed uint64) Config {
	c := Config{Policy: p, Seed: seed, Clock: hw.CalibrateClock(), Kernels: testKernels}
	for i := range nodes * each {
		c.CPUs = append(c.CPUs, -1)
		c.Nodes = append(c.Nodes, i/each)
	}
	return c
}

func shapesOf(p Scheduler) [][2]int {
	if p.Rules().Spawn == SpawnCall {
		return [][2]int{{1, 1}}
	}
	return [][2]int{{1, 1}, {1, 2}, {1, 6}, {4, 6}}
}

func TestRunFib(t *testing.T) {
	for _, p := range Schedulers {
		for _, s := range shapesOf(p) {
			t.Run(fmt.Sprintf("%s/%dx%d", p.Name, s[0], s[1]), func(t *testing.T) {
				prog := &fibProg{n: 20}
				r, err := Run(context.Background(), unpinned(p, s[0], s[1], 1), prog)
				if err != nil {
					t.Fatal(err)
				}
				if prog.out != fib(20) {
					t.Errorf("fib(20) = %d, want %d", prog.out, fib(20))
				}
				forks := uint64(fib(21) - 1) // calls of fib with n >= 2
				if r.Tasks != 2*forks+1 {
					t.Errorf("%d tasks, want %d", r.Tasks, 2*forks+1)
				}
				want := forks
				if p.Rules().Last == LastQueue {
					want *= 2
				}
				if p.Rules().Place && r.Spawns <= want { // what is serial is called
					want = r.Spawns
				}
				if p.Rules().Spawn != SpawnCall && r.Spawns != want {
					t.Errorf("%d spawns, want %d", r.Spawns, want)
				}
			})
		}
	}
}

func checkTree(t *testing.T, prog *treeProg) {
	t.Helper()
	count, sum := prog.serial()
	if got := prog.count.Load(); got != count {
		t.Errorf("%d leaves ran, want %d", got, count)
	}
	if got := prog.sum.Load(); got != sum {
		t.Errorf("sum of places %x, want %x", got, sum)
	}
	if n := prog.early.Load(); n != 0 {
		t.Errorf("%d phases began before the previous one was complete", n)
	}
}

func TestRunTree(t *testing.T) {
	for _, p := range Schedulers {
		for _, s := range shapesOf(p) {
			t.Run(fmt.Sprintf("%s/%dx%d", p.Name, s[0], s[1]), func(t *testing.T) {
				for seed := range long.Or[uint64](2, 12) {
					prog := newTree(seed, 5)
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

func BenchmarkSpawn(b *testing.B) {
	clock := hw.CalibrateClock()
	topo := []int{0, 1}
	for _, p := range Schedulers {
		for _, cores := range []int{1, 2} {
			if p.Rules().Spawn == SpawnCall && cores > 1 {
				continue
			}
			b.Run(fmt.Sprintf("sched=%s/cores=%d", p.Name, cores), func(b *testing.B) {
				c := Config{Policy: p, CPUs: topo[:cores], Nodes: make([]int, cores), Clock: clock,
					Tracing: TraceProfile, Kernels: testKernels}
				n := 30
				if r := p.Rules(); r.Spawn == SpawnGo || r.Take == TakeOldest && r.Queue == ShareAll {
					n = 24 // memory grows with the number of calls
				}
				var ns int64
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				for i := range b.N {
					c.Seed = uint64(i)
					prog := &fibProg{n: n}
					r, err := Run(context.Background(), c, prog)
					if err != nil {
						b.Fatal(err)
					}
					if prog.out != fib(n) {
						b.Fatalf("fib(%d) = %d", n, prog.out)
					}
					ns += r.TimeNS
				}
				runtime.ReadMemStats(&after)
				b.ReportMetric(float64(ns)/float64(b.N)/float64(fib(n+1)-1), "ns/fork")
				b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/float64(b.N)/1024,
					"KiB/run")
			})
		}
	}
}

// BenchmarkSharedQueue is a push and a pop by each of two workers that share a queue of some
// length.
func BenchmarkSharedQueue(b *testing.B) {
	for _, threads := range []int{1, 2} {
		b.Run(fmt.Sprintf("workers=%d", threads), func(b *testing.B) {
			q := newQueue(Rules{})
			f := &Frame{}
			for range 100 {
				q.push(entry{f: f})
			}
			var wg sync.WaitGroup
			for range threads {
				wg.Go(func() {
					for range b.N {
						q.push(entry{f: f})
						q.pop()
					}
				})
			}
			wg.Wait()
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*threads), "ns/op-x")
		})
	}
}

// A worker alone allocates no more frames than are alive at a time: depth first as many as the tree
// is deep, breadth first its width.
func TestFramesAreReused(t *testing.T) {
	for _, p := range Schedulers {
		if p.Rules().Spawn == SpawnGo {
			continue
		}
		least, most := uint64(1), uint64(20)
		if p.BreadthFirst {
			least, most = 1000, uint64(fib(21))
		}
		r, err := Run(context.Background(), unpinned(p, 1, 1, 1), &fibProg{n: 20})
		if err != nil {
			t.Fatal(err)
		}
		if n := r.Workers[0].Frames; n < least || n > most {
			t.Errorf("%s: %d frames for fib(20), want %d to %d", p.Name, n, least, most)
		}
	}
}
