package runtimes

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"krdlab/hw"
	"krdlab/hw/hwtest"
	"krdlab/hw/hwtest/long"
	"krdlab/loi"
)

// A loop of 10 000 leaves keeps all workers busy.
func TestFlatLoopSpreads(t *testing.T) {
	hwtest.SkipRace(t)
	for _, p := range Schedulers {
		if !parallel(p) {
			continue
		}
		for _, s := range [][2]int{{1, 2}, {1, 6}, {4, 6}} {
			t.Run(fmt.Sprintf("%s/%dx%d", p.Name, s[0], s[1]), func(t *testing.T) {
				prog := flat(10_000)
				prog.leaf = virtualKernel
				r, err := Step(stepConfig(p, s[0], s[1], 1), prog)
				if err != nil {
					t.Fatal(err)
				}
				n := s[0] * s[1]
				sp := float64(r.WorkNS) / float64(r.TimeNS)
				t.Logf("speed-up %.2f", sp)
				// random victims, one at a time, cost that much when a single queue has work
				want := 0.23 * float64(n)
				if p.Rules().Requests { // the loop's worker gives away one leaf for each that it runs
					want = min(want, 1.9)
				}
				if sp < want {
					t.Errorf("speed-up %.2f on %d workers", sp, n)
				}
			})
		}
	}
}

// The same natively, whatever else the CPUs do: while the first two leaves of worker 0 last, others
// run the entries open to them: at first a few, and once worker 0 has seen that these are gone,
// many. A worker that is asked while its first leaf lasts gives one away before its second.
func TestFlatLoopSpreadsNatively(t *testing.T) {
	for _, p := range Schedulers {
		if !parallel(p) {
			continue
		}
		t.Run(p.Name, func(t *testing.T) {
			prog := flat(400)
			var own, others atomic.Int64
			prog.leaf = func(w *Worker) {
				if w.ID() != 0 {
					others.Add(1)
					return
				}
				n := own.Add(1)
				if n > 2 {
					return
				}
				want := [...]int64{1: 3, 2: 100}[n]
				switch {
				case p.Rules().Requests:
					want = n - 1
				case n == 1 && p.Rules().Cache: // the last child, called: the others are still cached
					want = 0
				}
				asked := func() bool { return w.requests == nil || w.requests.asked.Load() != 0 }
				if !eventually(t, func() bool {
					return others.Load() >= want && (n > 1 || asked())
				}) {
					t.Errorf("others ran %d leaves beside leaf %d of worker 0, want %d",
						others.Load(), n, want)
				}
			}
			if _, err := Run(context.Background(), unpinned(p, 1, 8, 1), prog); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// Cancellation is seen in a loop of leaves, and in a chain of phases of one child.
func TestCancel(t *testing.T) {
	for _, p := range Schedulers {
		for name, mk := range map[string]func() *shapeProg{"flat": func() *shapeProg {
			return flat(
				2000)
		}, "chain": func() *shapeProg { return chain(2000) }} {
			for _, n := range []int{1, 2} {
				if n == 2 && p.Rules().Spawn == SpawnCall {
					continue
				}
				t.Run(fmt.Sprintf("%s/%s/%d", p.Name, name, n), func(t *testing.T) {
					ctx, cancel := context.WithCancel(context.Background())
					defer cancel()
					prog := mk()
					var k atomic.Int64
					prog.leaf = func(w *Worker) {
						n := k.Add(1)
						if n == 20 {
							cancel()
						}
						if n >= 20 && !eventually(t, func() bool { return runIsStopped(w) }) {
							t.Error("the run was not told to stop")
						}
						time.Sleep(time.Millisecond)
					}
					_, err := Run(ctx, unpinned(p, 1, n, 1), prog)
					// Goroutines that have begun before the cancellation end; that may be all of a
					// loop's.
					begun := p.Rules().Spawn == SpawnGo && name == "flat"
					if got := prog.leaves.Load(); got == 2000 && !begun ||
						!errors.Is(err, ErrStopped) {
						t.Errorf("%d leaves of 2000 ran, cancelled after 20; error %v", got, err)
					}
				})
			}
		}
	}
}

// A panic ends the run although the other workers are in a loop of leaves.
func TestPanicStopsOthers(t *testing.T) {
	for _, p := range Schedulers {
		if p.Rules().Spawn == SpawnCall {
			continue
		}
		t.Run(p.Name, func(t *testing.T) {
			prog := flat(2000)
			var k atomic.Int64
			prog.leaf = func(w *Worker) {
				n := k.Add(1)
				if n == 20 {
					panic("boom")
				}
				if n > 20 && !eventually(t, func() bool { return runIsStopped(w) }) {
					t.Error("the run was not told to stop")
				}
				time.Sleep(time.Millisecond)
			}
			_, err := Run(context.Background(), unpinned(p, 1, 2, 1), prog)
			var pe *PanicError
			if got := prog.leaves.Load(); got > 900 || !errors.As(err, &pe) {
				t.Errorf("%d leaves of 2000 ran, panic in number 20; error %v", got, err)
			}
		})
	}
}

// A proxy that was claimed through the mailbox does not stop thieves.
func TestStaleProxy(t *testing.T) {
	p := testPool(t, &HelpFirst{Locality: true}, []int{0, 0, 0}, 1)
	v, x, th := p.workers[0], p.workers[1], p.workers[2]
	f := flat(10).task(v, nil, 0)
	v.mailChild(f, 0, x)
	v.push(f, 1)
	if got, out := x.move(Move{Kind: MoveMail}); out != OutcomeDone || got.e.i != 0 {
		t.Fatal(got, out)
	}
	x.idle.Store(true) // it has run the child and searches again
	for range 10 {
		if got, out := th.move(Move{Kind: MoveSteal, Victim: 0}); out == OutcomeDone &&
			got.e.f != nil {
			return
		}
	}
	t.Errorf("a proxy that nobody can run any more hides child 1 from thieves")
}

// An attempt counts once.
func TestStealsCountOnce(t *testing.T) {
	p := testPool(t, &HelpFirst{Locality: true}, []int{0, 0, 0}, 1)
	v, x, th := p.workers[0], p.workers[1], p.workers[2]
	f := flat(10).task(v, nil, 0)
	v.mailChild(f, 0, x)
	if _, out := x.move(Move{Kind: MoveMail}); out != OutcomeDone {
		t.Fatal(out)
	}
	_, out := th.move(Move{Kind: MoveSteal, Victim: 0})
	if th.steals != (Steals{LocalFailed: 1}) {
		t.Errorf("outcome %d, %+v: want one attempt, that got nothing", out, th.steals)
	}
}

// A thief may see the frame of one entry with the number of another: it must not take that for a
// proxy.
func TestTornSlot(t *testing.T) {
	p := testPool(t, &HelpFirst{Locality: true}, []int{0, 0}, 1)
	th := p.workers[1]
	d := newDeque(4)
	plain := flat(4).task(p.workers[0], nil, 0)
	prox := &p.workers[0].newProxy(plain, 0, 0).Frame
	var stop atomic.Bool
	var stolen atomic.Int64
	var torn atomic.Pointer[string]
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			defer func() {
				if v := recover(); v != nil {
					s := fmt.Sprint(v)
					torn.Store(&s)
				}
			}()
			for !stop.Load() {
				if _, out := d.steal(th.leaves); out == OutcomeDone {
					stolen.Add(1)
				}
			}
		})
	}
	want := long.Or[int64](100, 20_000)
	for end := patience(t); stolen.Load() < want && torn.Load() == nil &&
		time.Now().Before(end); {
		for range 1000 { // five entries for four slots: each slot holds now the one, now the other
			for range 2 {
				d.push(plain, 0)
				d.pop()
			}
			for range 3 {
				d.push(prox, entryProxy)
				d.pop()
			}
		}
	}
	stop.Store(true)
	wg.Wait()
	if v := torn.Load(); v != nil {
		t.Error(*v)
	}
	t.Logf("%d steals", stolen.Load())
	if n := stolen.Load(); torn.Load() == nil && n < want {
		t.Errorf("%d steals, want %d", n, want)
	}
}

// A context that ends while the run ends stops the run or leaves its result whole. The error of the
// run is read while the context's watcher may write it, which -race would see.
func TestErrRace(t *testing.T) {
	p, _ := SchedulerByName("workfirst")
	for i := range long.Or(80, 400) {
		ctx, cancel := context.WithCancel(context.Background())
		prog := &fibProg{n: 5}
		c := unpinned(p, 1, 1, 1)
		c.Attach = func(int) (func(), error) {
			return func() {
				go func() {
					time.Sleep(time.Duration(i%40) * time.Microsecond)
					cancel()
				}()
			}, nil
		}
		switch _, err := Run(ctx, c, prog); {
		case err == nil && prog.out != fib(prog.n):
			t.Errorf("run %d ended with fib(%d) = %d, want %d", i, prog.n, prog.out, fib(prog.n))
		case err != nil && !errors.Is(err, ErrStopped):
			t.Errorf("run %d: error %v, want none or ErrStopped", i, err)
		}
		cancel()
	}
}

// In virtual time no worker sees the effects of Next, or Run, ahead of time.
func TestNoFuture(t *testing.T) {
	hwtest.SkipRace(t)
	for _, p := range Schedulers {
		if !parallel(p) {
			continue
		}
		t.Run(p.Name+"/next", func(t *testing.T) {
			prog := &shapeProg{phases: func(int) []int { return []int{8, 8} },
				leafAt: func(int, int, int) bool { return true }}
			var ready uint64
			bad := 0
			prog.next = func(w *Worker, _ *shapeTask, phase int) {
				if phase == 0 {
					w.End(0, w.Begin(0))
					ready = w.now
				}
			}
			prog.leaf = func(w *Worker) {
				b := w.Begin(0)
				if ready > 0 && b < ready {
					bad++
				}
				w.End(0, b)
			}
			r, err := Step(stepConfig(p, 1, 6, 1), prog)
			if err != nil || bad > 0 {
				t.Errorf("%d kernels of phase 1 began before the kernel in Next had ended; %v, %v",
					bad, r, err)
			}
		})
		t.Run(p.Name+"/run", func(t *testing.T) {
			prog := &shapeProg{phases: func(d int) []int { return []int{8} },
				leafAt: func(d, _, _ int) bool { return d > 0 }}
			bad := 0
			ends := map[*shapeTask]uint64{}
			var last uint64
			prog.before = func(w *Worker, _ *shapeTask,
				_ int) {
				w.End(0, w.Begin(0))
				last = w.now
				_ = ends
			}
			prog.phases = func(d int) []int { return []int{[]int{1, 8}[min(d, 1)]} }
			prog.leaf = func(w *Worker) {
				b := w.Begin(0)
				if b < last {
					bad++
				}
				w.End(0, b)
			}
			_, err := Step(stepConfig(p, 1, 6, 1), prog)
			if err != nil || bad > 0 {
				t.Errorf("%d kernels of the child began before the kernel in Run had ended; %v",
					bad, err)
			}
		})
	}
}

// Queues do not keep what was taken from them.
func TestQueuesDoNotGrow(t *testing.T) {
	q := newQueue(Rules{})
	q.push(entry{f: &Frame{}})
	var batch []entry
	for range 1 << 18 {
		q.push(entry{f: &Frame{}})
		batch, _, _ = q.steal(batch[:0], false)
	}
	if n := cap(q.entries); n > 1024 {
		t.Errorf("queue: room for %d entries, 1 in it", n)
	}
	m := &mailbox{}
	w := testPool(t, &HelpFirst{Locality: true}, []int{0}, 0).workers[0]
	m.put(w, &proxy{})
	for range 1 << 18 {
		m.put(w, &proxy{})
		m.take()
	}
	if n := cap(m.items); n > 1024 {
		t.Errorf("mailbox: room for %d proxies, 1 in it", n)
	}
}

// Kernel numbers out of range.
func TestUnknownKernel(t *testing.T) {
	if os.Getenv("KRDLAB_TEST_CHILD") == "1" {
		p, _ := SchedulerByName("workfirst")
		prog := flat(4)
		prog.leaf = func(w *Worker) { w.End(7, w.Begin(7)) }
		_, err := Run(context.Background(), unpinned(p, 1, 1, 1), prog)
		var pe *PanicError
		if !errors.As(err, &pe) {
			t.Fatal(err)
		}
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestUnknownKernel$")
	cmd.Env = append(os.Environ(), "KRDLAB_TEST_CHILD=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("the process died: %v\n%.600s", err, out)
	}
}

// runtime.Goexit in a task (t.Fatal in a kernel of a test) ends the run.
func TestGoexit(t *testing.T) {
	if os.Getenv("KRDLAB_TEST_CHILD") == "1" {
		p, _ := SchedulerByName(os.Getenv("KRDLAB_TEST_SCHED"))
		prog := flat(4)
		prog.leaf = func(*Worker) { runtime.Goexit() }
		if _, err := Run(context.Background(), unpinned(p, 1, 2, 1), prog); err == nil {
			t.Error("no error")
		}
		return
	}
	for _, p := range Schedulers { // in virtual time the caller's goroutine goes on
		prog := flat(4)
		prog.leaf = func(w *Worker) { w.Begin(0); runtime.Goexit() }
		_, err := Step(stepConfig(p, 1, 1, 1), prog)
		want := &PanicError{Kernel: testKernels[0].Name, During: true, Value: Goexit}
		if got, ok := errors.AsType[*PanicError](err); p.Rules().Spawn != SpawnGo && (!ok ||
			got.Error() != want.Error()) {
			t.Errorf("%s: error %v, want %v", p.Name, err, want)
		}
	}
	for _, s := range []string{"workfirst", "helpfirst", "shepherd-core", "go"} {
		ctx, cancel := context.WithDeadline(context.Background(), patience(t)) // it may hang
		defer cancel()
		cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestGoexit$")
		cmd.Env = append(os.Environ(), "KRDLAB_TEST_CHILD=1", "KRDLAB_TEST_SCHED="+s)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v, %v\n%.400s", s, err, ctx.Err(), out)
		}
	}
}

// Executions that have not ended are counted: all in virtual time, the last of a worker on threads.
func TestOpen(t *testing.T) {
	for name, c := range map[string]struct {
		leaf          func(*Worker)
		step, threads int64
	}{
		"ended":  {func(w *Worker) { w.End(0, w.Begin(0)) }, 0, 0},
		"open":   {func(w *Worker) { w.Begin(0) }, 4, 1},
		"double": {func(w *Worker) { w.End(0, w.Begin(0)); w.End(0, 0) }, -4, 0},
	} {
		prog := flat(4)
		prog.leaf = c.leaf
		r, err := Step(stepConfig(WorkFirst{}, 1, 1, 1), prog)
		if err != nil || r.Open != c.step {
			t.Errorf("%s in virtual time: %+v, %v, want %d", name, r, err, c.step)
		}
		cfg := unpinned(Scheduler{Policy: WorkFirst{}}, 1, 1, 1)
		cfg.Kernels = testKernels
		if r, err = Run(context.Background(), cfg, prog); err != nil || r.Open != c.threads {
			t.Errorf("%s on threads: %+v, %v, want %d", name, r, err, c.threads)
		}
	}
}

// A worker that cannot be pinned: nothing of the program runs.
func TestPinFails(t *testing.T) {
	for _, p := range Schedulers {
		if p.Rules().Spawn == SpawnGo {
			continue
		}
		prog := chain(100)
		c := unpinned(p, 1, 1, 1)
		c.CPUs[0] = 1 << 14
		_, err := Run(context.Background(), c, prog)
		if n := prog.leaves.Load(); err == nil || n != 0 {
			t.Errorf("%s: %d leaves ran, error %v", p.Name, n, err)
		}
	}
}

// Too few recorders.
func TestTooFewRecorders(t *testing.T) {
	p, _ := SchedulerByName("workfirst")
	before := runtime.NumGoroutine()
	c := unpinned(p, 1, 3, 1)
	c.Tracing, c.Recorders = TraceFull, make([]*loi.Recorder, 1)
	func() {
		defer func() {
			if v := recover(); v != nil {
				t.Errorf("Run panicked: %v", v)
			}
		}()
		_, err := Run(context.Background(), c, flat(4))
		if err == nil {
			t.Error("no error")
		}
	}()
	if !eventually(t, func() bool { return runtime.NumGoroutine() <= before }) {
		t.Errorf("%d goroutines left, spinning", runtime.NumGoroutine()-before)
	}
}

// A frame without children is refused.
func TestForkZero(t *testing.T) {
	for _, p := range Schedulers {
		prog := &zeroProg{}
		_, err := Run(context.Background(), unpinned(p, 1, 1, 1), prog)
		if pe, ok := errors.AsType[*PanicError](err); !ok || len(prog.got) > 0 {
			t.Errorf("%s: Run called with %v, error %v (%v)", p.Name, prog.got, err, pe)
		}
	}
}

type zeroProg struct{ got []int }
type zeroTask struct {
	Frame
	p *zeroProg
}

func (p *zeroProg) Root(*Worker) *Frame {
	z := &zeroTask{p: p}
	z.Bind(z, 3)
	return z.Fork(0)
}
func (z *zeroTask) Run(_ *Worker, i int) *Frame { z.p.got = append(z.p.got, i); return nil }
func (z *zeroTask) Next(*Worker, int) int       { return 0 }

// In virtual time the owner of a queue gets its lock in the end.
func TestLockStarvation(t *testing.T) {
	hwtest.SkipRace(t)
	for _, name := range []string{"shepherd-core:cache=0", "shepherd-socket:cache=0"} {
		p, err := ParseScheduler(name) // with a cache the owner seldom needs the lock
		if err != nil {
			t.Fatal(err)
		}
		for _, sh := range [][2]int{{1, 2}, {1, 6}, {1, 12}, {1, 24}, {4, 6}, {1, 96}, {8, 12}} {
			for _, phases := range []int{1, 10, 100} {
				s := make([]int, phases)
				for i := range s {
					s[i] = 2
				}
				prog := &shapeProg{phases: func(int) []int { return s }, leafAt: func(int, int,
					int) bool {
					return true
				}, leaf: virtualKernel}
				c := stepConfig(p, sh[0], sh[1], 1)
				c.MaxSteps = 1 << 20
				r, err := Step(c, prog)
				if err != nil {
					t.Errorf("%s %v %d phases of 2: %v (%d leaves ran)", name, sh, phases, err,
						prog.leaves.Load())
					continue
				}
				if least := int64(100 * phases); r.TimeNS < least {
					t.Errorf("%s %v: %d phases of kernels of 100 in a time of %d", name, sh, phases,
						r.TimeNS)
				}
			}
		}
	}
}

// The remainder is never negative.
func TestSchedNotNegative(t *testing.T) {
	p := testPool(t, WorkFirst{}, []int{0}, 1)
	p.began.Store(1000)
	p.ended.Store(1000 + 4)
	p.workers[0].prof.Add(0, 0, 2)
	p.workers[0].idleTicks = 2
	r := p.result(Config{CPUs: []int{-1}, Tracing: TraceProfile, Kernels: testKernels,
		Clock: hw.Clock{Hz: 2.9e9 * 4 / 4}})
	if w := r.Workers[0]; w.SchedNS < 0 {
		t.Errorf("time %d, work %d, idle %d, scheduling %d", r.TimeNS, w.WorkNS, w.IdleNS,
			w.SchedNS)
	}
}

// Proxies left in a mailbox do not pile up.
func TestMailboxDropsClaimedProxies(t *testing.T) {
	p := testPool(t, &HelpFirst{Locality: true}, []int{0, 0}, 0)
	w, to := p.workers[0], p.workers[1]
	f := flat(10).task(w, nil, 0)
	for range 10_000 {
		w.mailChild(f, 0, to)
		if _, ok := w.takeOwn(); !ok {
			t.Fatal("the child was not taken")
		}
	}
	if n := len(to.mail.items); n > 200 {
		t.Errorf("%d claimed proxies in the mailbox", n)
	}
}
