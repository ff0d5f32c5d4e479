// Package tasks computes reuse distances over the schedules of a task-parallel program: over all
// orders that its spawns and joins allow, and over who runs what. The question and the names of
// samplers are those of the disconpro paper, which asks it of threads.
//
//	trace with task events -> Build -> DAG -> Explore: schedules, their distances -> Groups
//
// A vertex is a piece of code with its kernels, run by one worker without a break, between a spawn
// or join and the next. A schedule is an order of the vertices in which none comes before one that
// it follows from, and a worker for each. It has no times: a worker may be as slow as it likes. The
// kernels of a vertex are taken to follow each other on their node; in a real run those of another
// may begin between them.
//
// # Rejected
//
//   - Kernels as vertices: a worker that has begun a piece of code ends it, so orders of kernels
//     are equally likely only if each is weighed by the free workers at each of its beginnings. A
//     piece has one kernel in all programs here but fmm and strassen.
//   - A search that changes orders vertex by vertex: one of 16 384 moves no number visibly.
package tasks

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"slices"

	"krdlab/hw/failure"
	"krdlab/krd"
	"krdlab/krd/analysis/interleave/engine"
	"krdlab/loi"
	"krdlab/loi/dag"
)

// ErrUnsuitable is wrapped by the error of a trace whose tasks run no kernel.
var ErrUnsuitable = failure.New(failure.Data, "the trace does not suit")

// A DAG is the vertices of a program in the order in which one worker alone would run them, with
// what they access, and how they depend on each other.
type DAG struct {
	Objects  []string
	Kernels  int // executions
	LLCBytes uint64

	sizes    []uint64 // of each unit: a block, or an atom of an address space
	objectOf []uint16
	units    []uint32 // of the accesses, one after the other
	from     []int    // vertex v has the units from from[v] on, to from[v+1]
	// by unit, how many units of the same access follow; nil: each access has one unit
	more     []uint32
	accesses int
	ticks    []uint64 // of each vertex, in the trace
	nodes    []node
	kids     []int32
	root     int32
	graph    *dag.Graph
	places   []piece // of each vertex
}

// A piece is code of a task: a child of a phase, or what follows the phase.
type piece struct{ task, phase, child uint32 }

// A node is a vertex, or nodes that follow each other, or that may run at the same time.
type node struct {
	kind kind
	at   int32 // the vertex; or where its nodes begin in kids
	n    int32 // how many nodes there are
	size int32 // vertices below
}

type kind uint8

const (
	leaf kind = iota
	series
	parallel
)

func (d *DAG) of(x *node) []int32 { return d.kids[x.at : x.at+x.n] }

// Vertices returns the number of vertices.
func (d *DAG) Vertices() int { return len(d.ticks) }

// Bytes returns the bytes of all blocks, or atoms, that are accessed.
func (d *DAG) Bytes() (sum uint64) {
	for _, n := range d.sizes {
		sum += n
	}
	return sum
}

// Accesses returns the number of accesses.
func (d *DAG) Accesses() int { return d.accesses }

// Bytes of memory that a unit of an access needs: itself, in the trace's order and in that of the
// vertices; an execution; and an event of a task, with its nodes; about.
const (
	bytesPerUnit      = 4 * (4 + 4)
	bytesPerExecution = 100
	bytesPerTaskEvent = 600
)

// Build makes the DAG of a trace with task events, and the schedule of its run: the order in which
// the pieces began and who ran them. It takes what it allocates from memory, about. Whether records
// may be missing is the caller's to say. Errors: [engine.ErrLimit], [ErrUnsuitable],
// [dag.ErrIncomplete], those of [loi.Trace.Ordered].
func Build(t *loi.Trace, memory *engine.Account) (*DAG, *Schedule, error) {
	d := &DAG{LLCBytes: t.Header.LLCBytes}
	numbers, err := krd.NewUnits(t)
	if err != nil {
		return nil, nil, err
	}
	b := &builder{DAG: d, numbers: numbers, memory: memory}
	for i := range t.Header.Registry.Objects {
		d.Objects = append(d.Objects, t.Header.Registry.Objects[i].Name)
	}
	if d.graph, err = dag.Build(t, true, b.event); err != nil {
		return nil, nil, err
	}
	b.vertex = make([]int32, len(b.ends))
	d.from = []int{0}
	if d.root = b.task(0); d.root == nobody {
		return nil, nil, fmt.Errorf("%w: it has no kernel that is part of a task", ErrUnsuitable)
	}
	b.renumber()
	return d, b.schedule(), nil
}

// renumber numbers units in the order in which vertices access them, whatever the order of the run
// was: two runs of a program have the same DAG.
func (b *builder) renumber() {
	number := make([]uint32, len(b.object)) // plus 1
	for i, old := range b.units {
		if number[old] == 0 {
			b.sizes, b.objectOf = append(b.sizes, b.numbers.Bytes(old)), append(b.objectOf, b.object[old])
			number[old] = uint32(len(b.sizes))
		}
		b.units[i] = number[old] - 1
	}
	for _, more := range b.more {
		if more == 0 {
			b.accesses++
		}
	}
	if b.accesses == len(b.units) {
		b.more = nil
	}
}

// Same reports whether two DAGs are of the same program: pieces, their order, and what they access.
func (d *DAG) Same(o *DAG) bool {
	return slices.Equal(d.Objects, o.Objects) && slices.Equal(d.places, o.places) &&
		slices.Equal(d.from, o.from) && slices.Equal(d.units, o.units) &&
		slices.Equal(d.more, o.more) && slices.Equal(d.sizes, o.sizes) &&
		slices.Equal(d.nodes, o.nodes) && slices.Equal(d.kids, o.kids)
}

const nobody = -1

// A builder makes a DAG of what came in the order of time.
type builder struct {
	*DAG
	memory  *engine.Account
	numbers *krd.Units
	object  []uint16 // by number of a unit
	list    []uint32 // units of the executions
	rest    []uint32 // as DAG.more
	ends    []int    // of each execution, in list
	worker  []uint16 // of each execution
	took    []uint64
	vertex  []int32 // of each execution
}

// event takes an execution, a task record, or an event of a task.
func (b *builder) event(e *loi.Event) error {
	if e.Type == loi.EventRecord {
		return b.take(bytesPerTaskEvent)
	}
	if err := b.take(bytesPerExecution); err != nil {
		return err
	}
	if len(b.ends) == math.MaxInt32 {
		return fmt.Errorf("%w: 2^31 executions or more", engine.ErrLimit)
	}
	var err error
	if e.Type == loi.TaskRecord {
		for i := range e.Calls {
			err = cmp.Or(err, b.add(e.CallAccesses(&e.Calls[i])))
		}
	} else {
		err = b.add(e.Accesses())
	}
	if err != nil {
		return err
	}
	b.ends = append(b.ends, len(b.list))
	b.worker = append(b.worker, uint16(e.Worker))
	b.took = append(b.took, uint64(max(e.End, e.Start)-e.Start))
	return nil
}

func (b *builder) take(bytes float64) error {
	if b.memory.Has(bytes) {
		return nil
	}
	return b.memory.Take(0, "its first %d executions fill the memory; ask for a smaller problem, "+
		"coarser leaves, or more --memory", len(b.ends))
}

func (b *builder) add(list []loi.Access) error {
	for i := range list {
		of, err := b.numbers.Of(&list[i])
		if err == nil {
			err = b.take(bytesPerUnit * float64(len(of)))
		}
		if err != nil {
			return err
		}
		for k, u := range of {
			for int(u) >= len(b.object) {
				b.object = append(b.object, 0)
			}
			b.object[u] = uint16(list[i].Object)
			b.list, b.rest = append(b.list, u), append(b.rest, uint32(len(of)-k-1))
		}
	}
	return nil
}

// task makes the nodes of a task, and numbers its vertices.
func (b *builder) task(i int) int32 {
	t := &b.graph.Tasks[i]
	var list []int32
	add := func(x int32) {
		if x != nobody {
			list = append(list, x)
		}
	}
	if i != 0 {
		add(b.leaf(&t.Begin, piece{uint32(t.Parent), uint32(t.Phase), uint32(t.Child)}))
	}
	for p := range t.Phases {
		ph := &t.Phases[p]
		var side []int32
		for c := range ph.Children {
			x := &ph.Children[c]
			of := int32(nobody)
			if x.Task >= 0 {
				of = b.task(x.Task)
			} else {
				of = b.leaf(&x.Piece, piece{uint32(i), uint32(p), uint32(c)})
			}
			if of != nobody {
				side = append(side, of)
			}
		}
		add(b.join(parallel, side))
		add(b.leaf(&ph.After, piece{uint32(i), uint32(p), loi.AfterPhase}))
	}
	return b.join(series, list)
}

// leaf makes a vertex of a piece, if it has kernels.
func (b *builder) leaf(p *dag.Piece, at piece) int32 {
	if p.First == 0 {
		return nobody
	}
	v := int32(len(b.places))
	ticks := uint64(0)
	for e := range b.graph.Executions(p) {
		begin := 0
		if e > 1 {
			begin = b.ends[e-2]
		}
		b.units = append(b.units, b.list[begin:b.ends[e-1]]...)
		b.more = append(b.more, b.rest[begin:b.ends[e-1]]...)
		b.vertex[e-1] = v
		ticks += b.took[e-1]
	}
	b.Kernels += int(p.Kernels)
	b.places = append(b.places, at)
	b.from = append(b.from, len(b.units))
	b.ticks = append(b.ticks, ticks)
	b.nodes = append(b.nodes, node{kind: leaf, at: v, size: 1})
	return int32(len(b.nodes) - 1)
}

// join makes one node of several. Those of the same kind become part of it, and are empty.
func (d *DAG) join(k kind, list []int32) int32 {
	switch len(list) {
	case 0:
		return nobody
	case 1:
		return list[0]
	}
	x := node{kind: k, at: int32(len(d.kids))}
	for _, i := range list {
		y := d.nodes[i]
		x.size += y.size
		if y.kind == k {
			d.kids = append(d.kids, d.of(&y)...)
			d.nodes[i] = node{kind: k}
		} else {
			d.kids = append(d.kids, i)
		}
	}
	x.n = int32(len(d.kids)) - x.at
	d.nodes = append(d.nodes, x)
	return int32(len(d.nodes) - 1)
}

// schedule returns the schedule of the run.
func (b *builder) schedule() *Schedule {
	s := newSchedule(b.Vertices())
	seen := make([]bool, b.Vertices())
	for e, v := range b.vertex {
		if !seen[v] {
			seen[v] = true
			s.Worker[v] = b.worker[e]
			s.Order = append(s.Order, v)
		}
	}
	return s
}

// A Schedule is vertices in their order, and the worker of each vertex.
type Schedule struct {
	Order  []int32
	Worker []uint16
}

func newSchedule(vertices int) *Schedule {
	return &Schedule{make([]int32, 0, vertices), make([]uint16, vertices)}
}

func (s *Schedule) clone() *Schedule {
	return &Schedule{slices.Clone(s.Order), slices.Clone(s.Worker)}
}

// Log10 returns the logarithm of the number of orders of the vertices: of n vertices in parallel
// parts of n1, n2, ... it is n! / (n1! n2! ...) times the product of those of the parts. Cost: a
// look at each node.
func (d *DAG) Log10() float64 {
	sum := 0.0
	factorial := func(n int32) float64 { v, _ := math.Lgamma(float64(n) + 1); return v }
	for i := range d.nodes {
		if x := &d.nodes[i]; x.kind == parallel {
			sum += factorial(x.size)
			for _, k := range d.of(x) {
				sum -= factorial(d.nodes[k].size)
			}
		}
	}
	return sum / math.Ln10
}

// Orders returns the number of orders. Cost: that of numbers of so many digits.
func (d *DAG) Orders() *big.Int {
	n := big.NewInt(1)
	for i := range d.nodes {
		if x := &d.nodes[i]; x.kind == parallel {
			left := int64(x.size)
			for _, k := range d.of(x) {
				size := int64(d.nodes[k].size)
				n.Mul(n, new(big.Int).Binomial(left, size))
				left -= size
			}
		}
	}
	return n
}
