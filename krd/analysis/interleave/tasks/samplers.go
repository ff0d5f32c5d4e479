package tasks

import (
	"cmp"
	"container/heap"
	"math"
	"slices"
)

// A Sampler is a way to draw schedules.
type Sampler string

// The samplers. Where a worker is drawn, each has the same probability.
const (
	// Uniform draws each order of the vertices, and each choice of workers, with the same
	// probability.
	Uniform Sampler = "uniform"
	// Walk draws the next vertex among those that may begin, and its worker.
	Walk Sampler = "walk"
	// PCT gives chains of vertices random priorities and lowers that of the running one at each of
	// depth - 1 random steps; of those that may begin the vertex of the highest comes next (Burckhardt
	// and others, ASPLOS 2010; for tasks Ozkan and others, OOPSLA 2018). The first child of a phase
	// goes on with the chain of its parent, the others begin one each, whose worker is drawn.
	PCT Sampler = "pct"
	// Greedy: workers are never idle while a vertex may begin: the next is drawn by the worker that
	// is free first, and takes as long as in the trace.
	Greedy Sampler = "greedy"
	// DepthFirst runs the parts of a phase one after the other, in an order that is drawn, and gives
	// each worker an equal share of the vertices, in one piece.
	DepthFirst Sampler = "depth-first"
)

// Samplers are all of them. There is no POS, as there is for threads: for all vertices that share a
// block with the last one it would draw anew, and where all tasks read one block that is all of
// them at each step.
var Samplers = []Sampler{Uniform, Walk, PCT, Greedy, DepthFirst}

// A drawer draws schedules of a DAG for a number of workers.
type drawer struct {
	*DAG
	workers int
	depth   int // of PCT
	*progress
	riffler *riffler
	queue   queue
}

func newDrawer(d *DAG, workers, depth int) *drawer {
	return &drawer{DAG: d, workers: workers, depth: depth, progress: newProgress(d),
		riffler: newRiffler(d, random{})}
}

// draw sets s to the schedule of a sampler with these random numbers. Cost: O(n log n) for n
// vertices.
func (d *drawer) draw(by Sampler, r random, s *Schedule) {
	s.Order = s.Order[:0]
	switch by {
	case Uniform:
		d.riffler.random = r
		d.riffler.draw(s)
	case Walk:
		d.walk(r, s)
	case PCT:
		d.pct(r, s)
		return
	case Greedy:
		d.greedy(r, s)
		return
	case DepthFirst:
		d.depthFirst(d.root, r, s)
		for i, v := range s.Order {
			s.Worker[v] = uint16(uint64(i) * uint64(d.workers) / uint64(len(s.Order)))
		}
		return
	}
	for v := range s.Worker {
		s.Worker[v] = uint16(r.below(uint64(d.workers)))
	}
}

// walk goes on from the vertices that s has.
func (d *drawer) walk(r random, s *Schedule) {
	ready := d.begin(nil)
	if len(s.Order) > 0 {
		has := make([]bool, d.Vertices())
		for _, v := range s.Order {
			has[v] = true
			ready = d.end(v, ready)
		}
		ready = slices.DeleteFunc(ready, func(v int32) bool { return has[v] })
	}
	for len(ready) > 0 {
		k := r.below(uint64(len(ready)))
		v := ready[k]
		ready[k] = ready[len(ready)-1]
		s.Order = append(s.Order, v)
		ready = d.end(v, ready[:len(ready)-1])
	}
}

// depthFirst appends the vertices of a node.
func (d *drawer) depthFirst(i int32, r random, s *Schedule) {
	x := &d.nodes[i]
	switch x.kind {
	case leaf:
		s.Order = append(s.Order, x.at)
	case series:
		for _, k := range d.of(x) {
			d.depthFirst(k, r, s)
		}
	case parallel:
		list := slices.Clone(d.of(x))
		for k := range list {
			other := k + int(r.below(uint64(len(list)-k)))
			list[k], list[other] = list[other], list[k]
			d.depthFirst(list[k], r, s)
		}
	}
}

// pct draws the priorities of chains above those of depth - 1 steps, which are below all.
func (d *drawer) pct(r random, s *Schedule) {
	chains := d.chains()
	n := 0
	for _, c := range chains {
		n = max(n, int(c)+1)
	}
	priority, worker := make([]uint64, n), make([]uint16, n)
	for c := range priority {
		priority[c] = r.Uint64()>>1 | 1<<63
		worker[c] = uint16(r.below(uint64(d.workers)))
	}
	changes := map[int]uint64{} // by step
	for k := 1; k < d.depth; k++ {
		changes[int(r.below(uint64(d.Vertices())))] = uint64(d.depth - k)
	}
	d.queue = d.queue[:0]
	fresh := d.begin(nil)
	for step := 0; ; step++ {
		for _, v := range fresh {
			heap.Push(&d.queue, waiting{priority[chains[v]], v})
		}
		fresh = fresh[:0]
		if len(d.queue) == 0 {
			return
		}
		if p, change := changes[step]; change {
			c := chains[d.queue[0].vertex]
			priority[c] = p
			for i := range d.queue {
				d.queue[i].priority = priority[chains[d.queue[i].vertex]]
			}
			heap.Init(&d.queue)
		}
		v := heap.Pop(&d.queue).(waiting).vertex
		s.Order = append(s.Order, v)
		s.Worker[v] = worker[chains[v]]
		fresh = d.end(v, fresh)
	}
}

// chains gives each vertex the number of its chain.
func (d *DAG) chains() []int32 {
	of := make([]int32, d.Vertices())
	next := int32(1)
	var walk func(i, chain int32)
	walk = func(i, chain int32) {
		x := &d.nodes[i]
		if x.kind == leaf {
			of[x.at] = chain
			return
		}
		for n, k := range d.of(x) {
			c := chain
			if x.kind == parallel && n > 0 {
				c = next
				next++
			}
			walk(k, c)
		}
	}
	walk(d.root, 0)
	return of
}

// greedy lets virtual time pass: a vertex that ends at a time lets others begin at that time.
func (d *drawer) greedy(r random, s *Schedule) {
	d.queue = d.queue[:0] // of workers that run, by the time at which they end
	var idle []uint16
	for w := range d.workers {
		idle = append(idle, uint16(w))
	}
	running := make([]int32, d.workers)
	ready := d.begin(nil)
	now := uint64(0)
	for {
		for len(ready) > 0 && len(idle) > 0 {
			k, w := r.below(uint64(len(ready))), r.below(uint64(len(idle)))
			v, worker := ready[k], idle[w]
			ready[k], idle[w] = ready[len(ready)-1], idle[len(idle)-1]
			ready, idle = ready[:len(ready)-1], idle[:len(idle)-1]
			s.Order = append(s.Order, v)
			s.Worker[v], running[worker] = worker, v
			heap.Push(&d.queue, waiting{math.MaxUint64 - (now + max(d.ticks[v], 1)), int32(worker)})
		}
		if len(d.queue) == 0 {
			return
		}
		x := heap.Pop(&d.queue).(waiting)
		now = math.MaxUint64 - x.priority
		idle = append(idle, uint16(x.vertex))
		ready = d.end(running[x.vertex], ready)
	}
}

// A waiting vertex has a priority.
type waiting struct {
	priority uint64
	vertex   int32
}

// A queue is a heap, the highest priority first, at the same one the lowest number.
type queue []waiting

func (q queue) Len() int { return len(q) }
func (q queue) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(q[j].priority, q[i].priority), cmp.Compare(q[i].vertex, q[j].vertex)) < 0
}
func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)   { *q = append(*q, x.(waiting)) }
func (q *queue) Pop() any {
	x := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return x
}

// A progress lists the vertices that may begin.
type progress struct {
	d      *DAG
	parent []int32
	leaf   []int32 // the node of each vertex
	left   []int32 // of each node, parts that have not ended
}

func newProgress(d *DAG) *progress {
	p := &progress{d, make([]int32, len(d.nodes)), make([]int32, d.Vertices()),
		make([]int32, len(d.nodes))}
	p.parent[d.root] = nobody
	var link func(i int32)
	link = func(i int32) {
		x := &d.nodes[i]
		if x.kind == leaf {
			p.leaf[x.at] = i
			return
		}
		for _, k := range d.of(x) {
			p.parent[k] = i
			link(k)
		}
	}
	link(d.root)
	return p
}

// begin appends the vertices that may begin first.
func (p *progress) begin(ready []int32) []int32 { return p.open(p.d.root, ready) }

func (p *progress) open(i int32, ready []int32) []int32 {
	x := &p.d.nodes[i]
	p.left[i] = x.n
	switch x.kind {
	case leaf:
		return append(ready, x.at)
	case series:
		return p.open(p.d.kids[x.at], ready)
	}
	for _, k := range p.d.of(x) {
		ready = p.open(k, ready)
	}
	return ready
}

// end appends the vertices that may begin as v has ended.
func (p *progress) end(v int32, ready []int32) []int32 {
	for i := p.parent[p.leaf[v]]; i != nobody; i = p.parent[i] {
		x := &p.d.nodes[i]
		if p.left[i]--; p.left[i] > 0 {
			if x.kind == series {
				ready = p.open(p.d.kids[x.at+x.n-p.left[i]], ready)
			}
			return ready
		}
	}
	return ready
}
