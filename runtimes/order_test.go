package runtimes

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"krdlab/hw/hwtest"
)

// oracle runs programs on one worker, as simply as can be: it queues all children of a phase, takes
// the entry that comes first in the given order, and goes on after a join at once, or queues that.
type oracle struct {
	w     *Worker
	take  Order
	join  JoinRule
	queue []queued
	age   int
	of    map[*Frame]*running
}

type queued struct {
	f        *Frame
	i        int   // -1: what follows a join
	path     []int // from the root: the order of the serial run
	age      int
	priority int32
}

type running struct {
	parent *Frame
	path   []int
	phase  int
	left   int // children of the phase that have not finished
}

func (o *oracle) sooner(a, b queued) int {
	switch {
	case o.take == TakeOldest:
		return a.age - b.age
	case o.take == TakeSerial:
		return slices.Compare(a.path, b.path)
	case o.take == TakeHighest && a.priority != b.priority:
		return int(b.priority - a.priority)
	}
	return b.age - a.age
}

func (o *oracle) begin(f *Frame) {
	r := o.of[f]
	r.left = int(f.n)
	if f.n == 1 {
		o.run(f, 0)
		return
	}
	for i := range int(f.n) {
		o.add(queued{f: f, i: i, path: slices.Concat(r.path, []int{i}),
			priority: f.task.(Hinted).Hint(o.w, i).Priority})
	}
}

func (o *oracle) add(q queued) {
	o.age++
	q.age = o.age
	o.queue = append(o.queue, q)
}

func (o *oracle) run(f *Frame, i int) {
	if i < 0 {
		o.joined(f)
		return
	}
	c := f.task.Run(o.w, i)
	if c == nil {
		o.done(f)
		return
	}
	o.of[c] = &running{parent: f, path: slices.Concat(o.of[f].path, []int{i})}
	o.begin(c)
}

func (o *oracle) done(f *Frame) {
	r := o.of[f]
	switch r.left--; {
	case r.left > 0:
	case o.join == JoinRequeue && f.n > 1:
		o.add(queued{f: f, i: -1, path: slices.Concat(r.path, []int{math.MaxInt})})
	default:
		o.joined(f)
	}
}

// joined goes on with f, all children of whose phase have finished.
func (o *oracle) joined(f *Frame) {
	r := o.of[f]
	n := f.task.Next(o.w, r.phase)
	r.phase++
	if f.n = int32(n); n > 0 {
		o.begin(f)
	} else if r.parent != nil {
		o.done(r.parent)
	}
}

// orders are the policies that differ by the order of their queue alone, as far as one worker goes.
func orders(take Order, share Sharing) Policy {
	if share == ShareAll {
		return Central{take}
	}
	return anyPolicy{Rules{Spawn: SpawnParent, Last: LastQueue, Queue: share, Take: take,
		Hints: take == TakeHighest}}
}

// A worker alone runs entries in its queue's order, on a thread and in virtual time: first in,
// first out; the highest priority; the one that the serial run would begin first.
func TestOrders(t *testing.T) {
	hwtest.SkipRace(t)
	for take := TakeNewest; take <= TakeSerial; take++ {
		for seed := range treeSeeds() {
			wide := int(seed%3) * 20
			log := func(join JoinRule) []begun {
				prog, log := loggedTree(seed, 4, wide, 1)
				o := &oracle{w: testPool(t, Serial{}, []int{0}, 1).workers[0], take: take,
					join: join, of: map[*Frame]*running{}}
				root := newRoot(prog)
				o.of[root] = &running{}
				o.begin(root)
				for len(o.queue) > 0 {
					next := slices.MinFunc(o.queue, o.sooner)
					o.queue = slices.DeleteFunc(o.queue, func(q queued) bool {
						return q.age == next.age
					})
					o.run(next.f, next.i)
				}
				checkTree(t, prog)
				return log[0]
			}
			want := map[JoinRule][]begun{JoinLast: log(JoinLast), JoinRequeue: log(JoinRequeue)}
			for share := ShareWorker; share <= ShareAll; share++ {
				p := orders(take, share)
				native, nativeLog := loggedTree(seed, 4, wide, 1)
				if _, err := Run(context.Background(), unpinned(Scheduler{Policy: p}, 1, 1, seed),
					native); err != nil {
					t.Fatal(err)
				}
				virtual, virtualLog := loggedTree(seed, 4, wide, 1)
				if _, err := Step(stepConfig(p, 1, 1, seed), virtual); err != nil {
					t.Fatal(err)
				}
				want := want[p.Rules().Join]
				if len(want) == 0 || !slices.Equal(nativeLog[0], want) ||
					!slices.Equal(virtualLog[0], want) {
					t.Fatalf("order %d, sharing %d, seed %d: %d children and phases, %d on a "+
						"thread and %d in virtual time, in another order", take, share, seed,
						len(want), len(nativeLog[0]), len(virtualLog[0]))
				}
			}
		}
	}
}

// A queue of each order gives its entries as a list does that is searched, thieves included.
func TestQueueOrders(t *testing.T) {
	root := &Frame{n: 1 << 20}
	for take := TakeNewest; take <= TakeSerial; take++ {
		r := rand.New(rand.NewPCG(1, uint64(take)))
		q := newQueue(Rules{Take: take})
		var list []queued
		age := 0
		o := &oracle{take: take}
		check := func(got entry, want queued) {
			t.Helper()
			if got.f != want.f || int(got.i) != want.i {
				t.Fatalf("order %d: entry %p %d, want %p %d", take, got.f, got.i, want.f, want.i)
			}
		}
		remove := func(k int) []queued { // in the order of a thief
			slices.SortFunc(list, func(a, b queued) int {
				if take == TakeNewest {
					return a.age - b.age
				}
				return o.sooner(a, b)
			})
			out := slices.Clone(list[:k])
			list = list[k:]
			return out
		}
		for range 5000 {
			switch r.IntN(5) {
			case 0, 1:
				at := age * 7919 % 5000 // anywhere among its siblings
				f, i := &Frame{parent: root}, r.IntN(10)
				f.begins(root, int32(at))
				path := []int{at}
				for range r.IntN(3) { // deeper
					c := &Frame{parent: f}
					c.begins(f, int32(r.IntN(2)))
					path = append(path, int(c.next))
					f = c
				}
				age++
				e := entry{f: f, i: int32(i), tag: int32(r.IntN(5))}
				q.push(e)
				list = append(list, queued{f, i, append(path, i), age, e.tag})
			case 2, 3:
				e, ok := q.pop()
				if ok != (len(list) > 0) {
					t.Fatalf("order %d: an entry: %v, of %d", take, ok, len(list))
				}
				if ok {
					want := slices.MinFunc(list, o.sooner)
					list = slices.DeleteFunc(list, func(x queued) bool { return x.age == want.age })
					check(e, want)
				}
			case 4:
				half := r.IntN(2) == 0
				n := len(list)
				batch, _, out := q.steal(nil, half)
				k := min(n, 1)
				if half {
					k = max(n/2, k)
				}
				if len(batch) != k || (out == OutcomeDone) != (n > 0) {
					t.Fatalf("order %d: stole %d of %d, half %v", take, len(batch), n, half)
				}
				for i, want := range remove(k) {
					check(batch[i], want)
				}
			}
		}
		if age < 1000 {
			t.Fatal("nothing was tried")
		}
	}
}

// A thief that takes half of a deque gets the older half, oldest first, and none is lost or there
// twice.
func TestStealHalfOfADeque(t *testing.T) {
	for n := range int32(40) {
		pool := testPool(t, StealHalf{}, []int{0, 0}, 1)
		v, thief := pool.workers[0], pool.workers[1]
		f := flat(100).task(v, nil, 0)
		v.spawnChildren(f, n)
		_, out := thief.stealFrom(StealHalf{}.Look(&thief.search))
		if (out == OutcomeDone) != (n > 0) {
			t.Fatalf("%d entries: outcome %d", n, out)
		}
		if n == 0 {
			continue
		}
		if len(thief.batch) != max(int(n/2), 1) {
			t.Errorf("%d of %d entries", len(thief.batch), n)
		}
		for i, e := range thief.batch {
			if e.i != int32(i) {
				t.Errorf("entry %d is child %d", i, e.i)
			}
		}
		thief.keepBatch()
		seen := make([]int, n)
		seen[thief.batch[0].i]++
		for _, w := range pool.workers {
			for e, ok := w.pop(); ok; e, ok = w.pop() {
				seen[e.i]++
			}
		}
		if slices.Max(seen) != 1 || slices.Min(seen) != 1 {
			t.Errorf("of %d entries each came so often: %v", n, seen)
		}
	}
}

// Groups end where the distance changes, Victims nearest first.
func TestGroups(t *testing.T) {
	nodes := []int{0, 0, 1, 1, 2, 2, 3, 3}
	far := func(a, b int) int { return (a - b) * (a - b) }
	for seed := range uint64(20) {
		p, err := newPool(WorkFirst{}, places{nodes: nodes, distance: far}, seed, 1)
		if err != nil {
			t.Fatal(err)
		}
		for i, w := range p.workers {
			s := w.search
			if s.Worker != i || s.Workers != 8 || len(s.Victims) != 7 || s.Local != 1 {
				t.Fatalf("worker %d: %+v", i, s)
			}
			from, last := 0, -1
			for _, to := range s.Groups {
				d := far(nodes[i], nodes[s.Victims[from]])
				for _, v := range s.Victims[from:to] {
					if far(nodes[i], nodes[v]) != d {
						t.Errorf("worker %d: group %d to %d is not of one distance", i, from, to)
					}
				}
				if d <= last {
					t.Errorf("worker %d: distance %d after %d", i, d, last)
				}
				from, last = to, d
			}
			if from != 7 {
				t.Errorf("worker %d: the groups %v end before the victims", i, s.Groups)
			}
		}
	}
}
