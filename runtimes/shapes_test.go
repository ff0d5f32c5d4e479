package runtimes

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"krdlab/hw/hwtest"
	"krdlab/hw/hwtest/long"
	"krdlab/loi"
)

// shapeProg is a tree given by functions: how many children a phase of a node has (0 ends it), and
// what a leaf does. Each leaf is counted by number.
type shapeProg struct {
	phases func(depth int) []int // children in each phase of a node at depth
	leafAt func(depth, phase, i int) bool
	leaf   func(w *Worker)
	next   func(w *Worker, t *shapeTask, phase int)
	before func(w *Worker, t *shapeTask, i int) // in Run, of a child that is a frame
	hint   func(w *Worker, t *shapeTask, i int) int

	leaves, early atomic.Int64
}

type shapeTask struct {
	Frame
	p     *shapeProg
	up    *shapeTask
	depth int
	phase int
	shape []int
	done  atomic.Int64
}

func (p *shapeProg) Root(w *Worker) *Frame { return p.task(w, nil, 0) }

func (p *shapeProg) task(w *Worker, up *shapeTask, depth int) *Frame {
	c := New[shapeTask](w, 2)
	c.p, c.up, c.depth, c.phase, c.shape = p, up, depth, 0, p.phases(depth)
	c.done.Store(0)
	return c.Fork(c.shape[0])
}

func (t *shapeTask) Run(w *Worker, i int) *Frame {
	if i < 0 || i >= t.shape[t.phase] {
		panic(fmt.Sprintf("child %d of %d", i, t.shape[t.phase]))
	}
	if !t.p.leafAt(t.depth, t.phase, i) {
		if t.p.before != nil {
			t.p.before(w, t, i)
		}
		return t.p.task(w, t, t.depth+1)
	}
	t.p.leaves.Add(1)
	if t.p.leaf != nil {
		t.p.leaf(w)
	}
	t.done.Add(1)
	return nil
}

func (t *shapeTask) Hint(w *Worker, i int) Hint {
	if t.p.hint == nil {
		return Hint{}
	}
	return Hint{Near: 1 + t.p.hint(w, t, i)}
}

func (t *shapeTask) Next(w *Worker, phase int) int {
	if phase != t.phase || t.done.Load() != int64(t.shape[phase]) {
		t.p.early.Add(1)
	}
	if t.p.next != nil {
		t.p.next(w, t, phase)
	}
	t.done.Store(0)
	t.phase++
	if t.phase < len(t.shape) {
		return t.shape[t.phase]
	}
	if t.up != nil {
		t.up.done.Add(1)
	}
	return 0
}

func flat(n int) *shapeProg {
	return &shapeProg{phases: func(int) []int { return []int{n} }, leafAt: func(int, int,
		int) bool {
		return true
	}}
}

// chain is one task of n phases of one leaf.
func chain(n int) *shapeProg {
	s := make([]int, n)
	for i := range s {
		s[i] = 1
	}
	return &shapeProg{phases: func(int) []int { return s }, leafAt: func(int, int,
		int) bool {
		return true
	}}
}

func virtualKernel(w *Worker) { w.End(0, w.Begin(0)) }

func parallel(p Scheduler) bool {
	return p.Rules().Spawn != SpawnGo &&
		p.Rules().Spawn != SpawnCall
}

func oddShapes() map[string]func() (*shapeProg, int64) {
	alternate := func(ns ...int) func() (*shapeProg, int64) {
		return func() (*shapeProg, int64) {
			p := &shapeProg{phases: func(int) []int { return ns },
				leafAt: func(d, _, i int) bool { return d >= 2 || i%3 == 2 }}
			var count func(d int) int64
			count = func(d int) (n int64) {
				for ph, k := range ns {
					for i := range k {
						if p.leafAt(d, ph, i) {
							n++
						} else {
							n += count(d + 1)
						}
					}
				}
				return n
			}
			return p, count(0)
		}
	}
	return map[string]func() (*shapeProg, int64){
		"flat10000": func() (*shapeProg, int64) { return flat(10_000), 10_000 },
		"flat1":     func() (*shapeProg, int64) { return flat(1), 1 },
		"chain":     func() (*shapeProg, int64) { return chain(5000), 5000 },
		"deep": func() (*shapeProg, int64) { // nested frames of one child each
			return &shapeProg{phases: func(int) []int { return []int{1, 1} },
				leafAt: func(d, ph, _ int) bool { return d == 2000 || ph == 1 }}, 2000 + 2
		},
		"comb": func() (*shapeProg, int64) { // each a leaf and a frame
			return &shapeProg{phases: func(int) []int { return []int{2} },
				leafAt: func(d, _, i int) bool { return d == 2000 || i == 0 }}, 2000 + 2
		},
		"comb2": func() (*shapeProg, int64) { // the frame first
			return &shapeProg{phases: func(int) []int { return []int{2} },
				leafAt: func(d, _, i int) bool { return d == 2000 || i == 1 }}, 2000 + 2
		},
		"alternate": alternate(1, 20, 1, 3, 1, 1, 10),
		"twos":      alternate(2, 1, 2, 1, 2, 1),
		"flatphases": func() (*shapeProg, int64) {
			s := make([]int, 200)
			for i := range s {
				s[i] = []int{50, 1, 2}[i%3]
			}
			var n int64
			for _, k := range s {
				n += int64(k)
			}
			return &shapeProg{phases: func(int) []int { return s }, leafAt: func(int, int,
				int) bool {
				return true
			}}, n
		},
	}
}

// stressNodes are the nodes x workers on which scheduler p, number i of the table, runs a program
// of that name: all in the long shape, else one, so that the programs share them out.
func stressNodes(p Scheduler, i int, name string) [][2]int {
	all := [][2]int{{1, 1}, {1, 2}, {2, 1}, {1, 6}, {6, 1}, {4, 6}}
	if p.Serial() {
		return all[:1]
	}
	program := slices.Index(slices.Sorted(maps.Keys(oddShapes())), name)
	at := (i + program) % len(all)
	return long.Or(all[at:at+1], all)
}

func TestStressShapesNative(t *testing.T) {
	t.Parallel()
	for i, p := range Schedulers {
		for name, mk := range oddShapes() {
			for _, sh := range stressNodes(p, i, name) {
				t.Run(fmt.Sprintf("%s/%dx%d/%s", p.Name, sh[0], sh[1], name), func(t *testing.T) {
					for round := range long.Or(1, 2) {
						seed := uint64(i+round) % 2 // with 1 leaves doze
						prog, want := mk()
						prog.hint = func(w *Worker, _ *shapeTask,
							i int) int {
							return i % (w.Workers() + 1)
						}
						if seed == 1 {
							var k atomic.Int64
							prog.leaf = func(*Worker) {
								if k.Add(1)%512 == 0 {
									doze(100 * time.Microsecond)
								}
							}
						}
						c := unpinned(p, sh[0], sh[1], seed)
						if _, err := Run(context.Background(), c, prog); err != nil {
							t.Fatal(err)
						}
						if got := prog.leaves.Load(); got != want || prog.early.Load() != 0 {
							t.Fatalf("%d leaves, want %d; %d early", got, want, prog.early.Load())
						}
					}
				})
			}
		}
	}
}

func TestStressShapesStep(t *testing.T) {
	t.Parallel()
	hwtest.SkipRace(t)
	for i, p := range Schedulers {
		if p.Rules().Spawn == SpawnGo {
			continue
		}
		for name, mk := range oddShapes() {
			for _, sh := range stressNodes(p, i, name) {
				t.Run(fmt.Sprintf("%s/%dx%d/%s", p.Name, sh[0], sh[1], name), func(t *testing.T) {
					for seed := range uint64(2) {
						prog, want := mk()
						prog.leaf = virtualKernel
						prog.hint = func(w *Worker, _ *shapeTask,
							i int) int {
							return i % (w.Workers() + 1)
						}
						c := stepConfig(p, sh[0], sh[1], seed)
						c.MaxSteps = 1 << 23
						c.Costs.Kernel = func(int, uint64, loi.KernelID,
							[]uint32) uint64 {
							return 37
						}
						r, err := Step(c, prog)
						if err != nil {
							t.Fatalf("%v; %d of %d leaves", err, prog.leaves.Load(), want)
						}
						if got := prog.leaves.Load(); got != want || prog.early.Load() != 0 {
							t.Fatalf("%d leaves, want %d; %d early", got, want, prog.early.Load())
						}
						for i, w := range r.Workers {
							if w.SchedNS < 0 || w.IdleNS < 0 || w.WorkNS+w.SchedNS+
								w.IdleNS != r.TimeNS {
								t.Errorf("worker %d: %+v, time %d", i, w, r.TimeNS)
							}
						}
					}
				})
			}
		}
	}
}
