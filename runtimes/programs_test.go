package runtimes

import (
	"math/bits"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"krdlab/hw/hwtest"
	"krdlab/hw/hwtest/long"
	"krdlab/loi"
)

// fibProg is fib without cut-off: the cost of a spawn and a join.
type fibProg struct {
	n   int
	out int
}

type fibTask struct {
	Frame
	n   int
	out *int
	r   [2]int
}

func (p *fibProg) Root(w *Worker) *Frame { return newFib(w, p.n, &p.out) }

func newFib(w *Worker, n int, out *int) *Frame {
	c, _ := w.Spare(0).(*fibTask)
	if c == nil {
		c = New[fibTask](w, 0)
	}
	c.n, c.out = n, out
	return c.Fork(2)
}

func (t *fibTask) Run(w *Worker, i int) *Frame {
	n := t.n - 1 - i
	if n < 2 {
		t.r[i&1] = n
		return nil
	}
	return newFib(w, n, &t.r[i&1])
}

func (t *fibTask) Next(*Worker, int) int {
	*t.out = t.r[0] + t.r[1]
	return 0
}

func fib(n int) int {
	a, b := 0, 1
	for range n {
		a, b = b, a+b
	}
	return a
}

// doze is a kernel that leaves the CPU to others for d, and some 50 us more. It is the thread that
// sleeps: Go's own timers end a sleep of microseconds after a millisecond.
func doze(d time.Duration) {
	t := unix.NsecToTimeval(d.Nanoseconds())
	_, _ = unix.Select(0, nil, nil, nil, &t) // a signal may end it early
}

// treeProg is a random tree of many shapes: several phases, of 1 to 9 children; some are leaves.
// Every leaf is numbered by its place, and must run exactly once; a phase must find all of the
// previous one done.
type treeProg struct {
	seed   uint64
	depth  int
	leaves []atomic.Uint32 // by hash of the place; how often each slot was hit, and
	sum    atomic.Uint64   // the sum of all places: order-independent, exact
	count  atomic.Uint64
	early  atomic.Uint64 // phases begun before the previous one was complete
	kernel func(w *Worker, place uint64)
	// children in each phase of the root task; 0: as elsewhere
	wide  int
	order func(w *Worker, t *treeTask, i int) // child i begins, or with i = -1 a phase ends
}

type treeTask struct {
	Frame
	p     *treeProg
	place uint64
	depth int
	phase int

	done atomic.Uint64 // children of the present phase that are complete
	up   *treeTask
}

func mix(x uint64) uint64 {
	x ^= x >> 32
	x *= 0xd6e8feb86659fd93
	x ^= x >> 32
	x *= 0xd6e8feb86659fd93
	return x ^ x>>32
}

func (p *treeProg) Root(w *Worker) *Frame { return p.task(w, nil, mix(p.seed), p.depth) }

func (p *treeProg) task(w *Worker, up *treeTask, place uint64, depth int) *Frame {
	c := New[treeTask](w, 1)
	c.p, c.place, c.depth, c.phase, c.up = p, place, depth, 0, up
	c.done.Store(0)
	return c.Fork(c.children(0))
}

func (t *treeTask) phases() int { return 1 + int(mix(t.place^0xabc)%3) }

func (t *treeTask) children(phase int) int {
	if t.up == nil && t.p.wide > 0 {
		return t.p.wide
	}
	n := int(mix(t.place+uint64(phase)*77) % 9)
	if n > 5 {
		return 1
	}
	return 1 + n
}

func (t *treeTask) child(i int) uint64 { return mix(t.place*31 + uint64(t.phase)*1009 + uint64(i)) }

// frameAt reports whether the child at a place is a frame, and not a leaf.
func (t *treeTask) frameAt(place uint64) bool {
	return t.depth > 0 && bits.OnesCount64(place)%5 != 0
}

// Hint depends on the place, so that of the same children the same is known in every run.
func (t *treeTask) Hint(w *Worker, i int) Hint {
	place := t.child(i)
	return Hint{
		Near: int(place % uint64(w.Workers()+1)), Priority: int32(place % 100),
		Work: 1 << min(t.depth, 60), Bytes: 1000 + place%1000,
	}
}

func (t *treeTask) Run(w *Worker, i int) *Frame {
	if t.p.order != nil {
		t.p.order(w, t, i)
	}
	place := t.child(i)
	if t.frameAt(place) {
		return t.p.task(w, t, place, t.depth-1)
	}
	t.p.leaf(w, place)
	t.done.Add(1)
	return nil
}

func (p *treeProg) leaf(w *Worker, place uint64) {
	p.count.Add(1)
	p.sum.Add(place)
	p.leaves[place%uint64(len(p.leaves))].Add(1)
	if p.kernel != nil {
		p.kernel(w, place)
	}
}

func (t *treeTask) Next(w *Worker, phase int) int {
	if t.p.order != nil {
		t.p.order(w, t, -1)
	}
	if t.phase != phase || t.done.Load() != uint64(t.children(phase)) {
		t.p.early.Add(1)
	}
	t.done.Store(0)
	t.phase++
	if t.phase < t.phases() {
		return t.children(t.phase)
	}
	if t.up != nil {
		t.up.done.Add(1)
	}
	return 0
}

// serial counts what a run of the tree must give: once for each tree.
func (p *treeProg) serial() (count, sum uint64) {
	type tree struct {
		seed        uint64
		depth, wide int
	}
	type counts struct{ count, sum uint64 }
	name := tree{p.seed, p.depth, p.wide}
	if c, ok := serials.Load(name); ok {
		return c.(counts).count, c.(counts).sum
	}
	defer func() { serials.Store(name, counts{count, sum}) }()
	var walk func(t *treeTask)
	walk = func(t *treeTask) {
		for t.phase = 0; t.phase < t.phases(); t.phase++ {
			for i := range t.children(t.phase) {
				place := t.child(i)
				if t.frameAt(place) {
					walk(&treeTask{p: p, up: t, place: place, depth: t.depth - 1})
					continue
				}
				count++
				sum += place
			}
		}
	}
	walk(&treeTask{p: p, place: mix(p.seed), depth: p.depth})
	return count, sum
}

func newTree(seed uint64, depth int) *treeProg {
	return &treeProg{seed: seed, depth: depth, leaves: make([]atomic.Uint32, 1024)}
}

var testKernels = []loi.Kernel{{Name: "leaf"}}

// bigTree is the first tree of that depth with at least leaves leaves.
func bigTree(depth int, leaves uint64) *treeProg {
	type size struct {
		depth  int
		leaves uint64
	}
	if seed, ok := bigTrees.Load(size{depth, leaves}); ok {
		return newTree(seed.(uint64), depth)
	}
	for seed := uint64(1); ; seed++ {
		p := newTree(seed, depth)
		if n, _ := p.serial(); n >= leaves {
			bigTrees.Store(size{depth, leaves}, seed)
			return p
		}
	}
}

var bigTrees, serials sync.Map // seeds found, and what is known of trees

// treeSeeds is how many random trees a test tries.
func treeSeeds() uint64 {
	if hwtest.Race {
		return 3
	}
	return long.Or[uint64](4, 12)
}

// begun is a child that began, or with child -1 a phase that ended.
type begun struct {
	frame uint64
	child int
}

// nameTree names the tasks of a treeProg, by place and phase.
func nameTree(f *Frame) uint64 {
	if t, ok := f.task.(*treeTask); ok {
		return mix(t.place + uint64(t.phase)*7 + 1) // the place of the root of tree 0 is 0
	}
	return 1 // the root's parent
}

// loggedTree makes a program that notes what each worker does in order.
func loggedTree(seed uint64, depth, wide, workers int) (*treeProg, [][]begun) {
	log := make([][]begun, workers)
	prog := newTree(seed, depth)
	prog.wide = wide
	prog.order = func(w *Worker, t *treeTask, i int) {
		log[w.id] = append(log[w.id], begun{nameTree(&t.Frame), i})
	}
	return prog, log
}
