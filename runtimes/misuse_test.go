package runtimes

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"krdlab/hw/hwtest/long"
)

// A context that has ended before the run ends it before its root task begins.
func TestCancelledBeforehand(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, p := range Schedulers {
		s := shapesOf(p)[0]
		for range 50 {
			prog := flat(1)
			_, err := Run(ctx, unpinned(p, s[0], s[1], 1), prog)
			if !errors.Is(err, ErrStopped) || prog.leaves.Load() != 0 {
				t.Fatalf("%s: error %v after %d leaves, want ErrStopped and none", p.Name, err,
					prog.leaves.Load())
			}
		}
	}
}

// A context that ends behind the root task leaves the result as it is, and one that ends before it
// does not wait for the result.
func TestCancelledBehindTheEnd(t *testing.T) {
	p := testPool(t, WorkFirst{}, []int{0}, 0)
	p.finish()
	p.cancel()
	if err := p.failure(); err != nil || p.ended.Load() == 0 {
		t.Errorf("cancelled behind its end: error %v, ended at %d", err, p.ended.Load())
	}
	p = testPool(t, WorkFirst{}, []int{0}, 0)
	p.cancel()
	p.finish()
	if err := p.failure(); !errors.Is(err, ErrStopped) || p.ended.Load() != 0 {
		t.Errorf("cancelled before its end: error %v, ended at %d", err, p.ended.Load())
	}
}

// A run inside a task waits for the one that the task belongs to, but not beyond its own deadline.
func TestRunInsideARun(t *testing.T) {
	var inner error
	prog := flat(1)
	prog.leaf = func(*Worker) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
		defer cancel()
		_, inner = Run(ctx, unpinned(Schedulers[0], 1, 1, 1), flat(1))
	}
	if _, err := Run(context.Background(), unpinned(Schedulers[0], 1, 1, 1), prog); err != nil {
		t.Fatal(err)
	}
	if !errors.Is(inner, ErrStopped) {
		t.Errorf("the inner run: error %v, want ErrStopped", inner)
	}
}

func TestMissingArguments(t *testing.T) {
	ctx, prog := context.Background(), flat(1)
	var noContext context.Context
	c := Config{Policy: WorkFirst{}, CPUs: []int{-1}, Nodes: []int{0}}
	none, empty := c, c
	none.Policy, empty.Policy = nil, Scheduler{Name: "empty"}
	for name, run := range map[string]func() (*Result, error){
		"context":         func() (*Result, error) { return Run(noContext, c, prog) },
		"policy":          func() (*Result, error) { return Run(ctx, none, prog) },
		"empty scheduler": func() (*Result, error) { return Run(ctx, empty, prog) },
		"program":         func() (*Result, error) { return Run(ctx, c, nil) },
		"virtual policy":  func() (*Result, error) { return Step(stepConfig(nil, 1, 1, 1), prog) },
		"virtual empty": func() (*Result, error) {
			return Step(stepConfig(Scheduler{}, 1, 1, 1), prog)
		},
		"virtual program": func() (*Result, error) {
			return Step(stepConfig(WorkFirst{}, 1, 1, 1), nil)
		},
	} {
		if _, err := run(); err == nil || !strings.Contains(err.Error(), "needed") {
			t.Errorf("no %s: error %v, want what is needed", name, err)
		}
	}
}

// move is a policy that makes one move again and again, or chooses and places as it should not.
type move struct {
	rules Rules
	move  Move
}

func (p move) Rules() Rules { return p.rules }
func (p move) Look(s *Search) Move {
	if s.Step++; s.Step%2 == 1 && s.Worker == 1 {
		return p.move
	}
	return Rest
}
func (move) Choose(*Spawn) SpawnRule  { return SpawnGo }
func (move) Place(*Placing) Placement { return Placement{Worker: 7, To: 1} }

// A move that the rules do not allow ends the run with an error that names it, on both substrates.
func TestMovesThatAreNotAllowed(t *testing.T) {
	deque, locked := Rules{Spawn: SpawnParent}, Rules{Spawn: SpawnParent, Locked: true}
	asks := Rules{Spawn: SpawnParent, Requests: true}
	for _, p := range []move{
		{deque, Move{Kind: MoveMail}},
		{deque, Move{Kind: MoveClaim}},
		{deque, Move{Kind: MoveRelease}},
		{deque, Move{Kind: MoveAsk, Victim: 0}},
		{deque, Move{Kind: MoveHear}},
		{deque, Move{Kind: MoveSteal, Victim: 0, Half: true}},
		{deque, Move{Kind: MoveSteal, Victim: 1}}, // the worker itself
		{deque, Move{Kind: MoveSteal, Victim: 2}},
		{deque, Move{Kind: MoveSteal, Victim: -1}},
		{deque, Move{Kind: MoveHear + 1}},
		{locked, Move{Kind: MoveMail}},
		{locked, Move{Kind: MoveSteal, Victim: 0, Half: true}},
		{locked, Move{Kind: MoveSteal, Victim: 2}},
		{asks, Move{Kind: MoveSteal, Victim: 0}},
		{Rules{Spawn: SpawnChosen}, Rest}, // it chooses and places badly
		{Rules{Spawn: SpawnParent, Locked: true, Place: true}, Rest},
	} {
		prog := func() Program {
			prog := flat(100)
			prog.leaf = virtualKernel
			return prog
		}
		_, virtual := Step(stepConfig(p, 1, 2, 1), prog())
		c := unpinned(Scheduler{Name: "bad", Policy: p}, 1, 2, 1)
		slow := flat(1000)
		slow.leaf = func(w *Worker) { // worker 1 may take its time to move
			if !eventually(t, func() bool { return runIsStopped(w) }) {
				t.Error("the run was not told to stop")
			}
		}
		_, native := Run(context.Background(), c, slow)
		for substrate, err := range map[string]error{"virtual": virtual, "native": native} {
			var pe *PolicyError
			if !errors.As(err, &pe) {
				t.Errorf("%s: move %+v with rules %+v: error %v, want a PolicyError", substrate,
					p.move, p.rules, err)
			}
		}
	}
}

// Rules that no driver carries out are refused by both.
func TestRulesThatAreNotCarriedOut(t *testing.T) {
	for _, r := range []Rules{
		{Spawn: 17},
		{Spawn: SpawnChild, Locked: true},
		{Spawn: SpawnChild, Queue: ShareNode},
		{Spawn: SpawnChild, Join: JoinStarter},
		{Spawn: SpawnChild, Join: JoinRequeue},
		{Spawn: SpawnParent, Join: 9},
	} {
		p := anyPolicy{r}
		_, native := Run(context.Background(),
			unpinned(Scheduler{Name: "bad", Policy: p}, 1, 1, 1), flat(1))
		_, virtual := Step(stepConfig(p, 1, 1, 1), flat(1))
		if native == nil || virtual == nil {
			t.Errorf("rules %+v: errors %v on a thread, %v in virtual time", r, native, virtual)
		}
	}
	// once a nil dereference
	r := Rules{Spawn: SpawnParent, Join: JoinRequeue}
	if _, err := Run(context.Background(),
		unpinned(Scheduler{Name: "deque", Policy: anyPolicy{r}}, 1, 2, 1), flat(10)); err != nil {
		t.Errorf("rules %+v: %v", r, err)
	}
}

// kindTask is a task of a given kind.
type kindTask struct {
	Frame
	kind  Kind
	stale int
	then  func(*Worker)
}

func (k *kindTask) Root(w *Worker) *Frame {
	t := New[kindTask](w, k.kind)
	t.then = k.then
	return t.Fork(1)
}
func (k *kindTask) Run(w *Worker, _ int) *Frame {
	if k.then != nil {
		k.then(w)
	}
	return nil
}
func (k *kindTask) Next(*Worker, int) int { return 0 }

// Kinds beyond those of programs are those of the mechanism's own frames.
func TestKindsOutOfRange(t *testing.T) {
	for kind := Kinds - 1; kind < 20; kind++ {
		_, err := Run(context.Background(), unpinned(Schedulers[0], 1, 1, 1),
			&kindTask{kind: Kind(kind)})
		if ok := kind < Kinds; (err == nil) != ok {
			t.Errorf("kind %d: error %v", kind, err)
		}
	}
	for kind := range Kind(Kinds) {
		k := new(kindTask)
		if k.Bind(k, kind); k.Frame.kind != kind {
			t.Errorf("kind %d is bound as %d", kind, k.Frame.kind)
		}
	}
}

// A task that is reused is like a new one.
func TestNewIsEmpty(t *testing.T) {
	w := testPool(t, WorkFirst{}, []int{0}, 0).workers[0]
	a := New[kindTask](w, 3)
	a.stale, a.Frame.steals, a.Frame.parent = 1, 2, &Frame{}
	w.retire(&a.Frame)
	b := New[kindTask](w, 3)
	if a != b {
		t.Fatal("the finished task was not reused")
	}
	fresh := kindTask{}
	fresh.Bind(b, 3)
	if b.stale != 0 || b.Frame != fresh.Frame {
		t.Errorf("%+v, want %+v", *b, fresh)
	}
}

// Under the policy go a worker has no number that a counter could be kept by.
func TestNoIDUnderGo(t *testing.T) {
	p, _ := SchedulerByName("go")
	_, err := Run(context.Background(), unpinned(p, 1, 2, 1),
		&kindTask{then: func(w *Worker) { w.ID() }})
	var pe *PanicError
	if !errors.As(err, &pe) || !strings.Contains(err.Error(), "Worker.ID") {
		t.Errorf("error %v, want one that names Worker.ID", err)
	}
}

// Workers that wait can be stopped for the collector where Go interrupts no loops.
func TestWithoutAsyncPreemption(t *testing.T) {
	const marker = "KRDLAB_TEST_PREEMPT"
	if os.Getenv(marker) == "" {
		ctx, cancel := context.WithDeadline(context.Background(), patience(t)) // it may hang
		defer cancel()
		cmd := exec.CommandContext(ctx, os.Args[0], "-test.run", "^"+t.Name()+"$", "-test.v")
		cmd.Env = append(os.Environ(), marker+"=1", "GODEBUG=asyncpreemptoff=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", err, ctx.Err(), out)
		}
		return
	}
	done := make(chan struct{})
	stopped := make(chan int)
	go func() {
		for n := 0; ; n++ {
			select {
			case <-done:
				stopped <- n
				return
			default:
				var m runtime.MemStats
				runtime.ReadMemStats(&m) // it stops the world
			}
		}
	}()
	runs := long.Or[uint64](3, 15)
	for seed := range runs {
		for _, p := range Schedulers {
			s := [2]int{1, 4}
			if p.Rules().Spawn == SpawnCall {
				s[1] = 1
			}
			if _, err := Run(context.Background(), unpinned(p, s[0], s[1], seed),
				&fibProg{n: 12}); err != nil {
				t.Fatal(err)
			}
		}
	}
	close(done)
	if n := <-stopped; n == 0 {
		t.Error("the world was never stopped")
	}
}
