package graph

import (
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"

	"krdlab/krd/doc"
	"krdlab/loi"
	"krdlab/loi/dag"
)

const (
	// maxShapes are distinguished while events come; later ones go by their height alone.
	maxShapes = 1 << 16
	// MaxNodes are drawn at most, and readable of graphs that are folded further.
	MaxNodes, readable = 200, 40
)

// kids are how many children there are of a shape.
type kids struct {
	shape int
	n     uint64
}

// building is the shape of a task that is alive.
type building struct {
	key     []byte // of what has ended
	present []kids // children of the present phase
	all     []kids // of the phases before
	kernels uint64
	kernel  loi.KernelID
	phases  int
	height  int // of the highest child
}

// A shape is tasks, or pieces, that are alike: the same kernels in the same pieces, and phase by
// phase as many children of each shape.
type shape struct {
	task    bool
	coarse  bool // kids are those of all tasks together
	kernels uint64
	kernel  loi.KernelID
	phases  int
	height  int
	kids    []kids
	count   uint64
	work    uint64
}

// shapes numbers the shapes of a run from the leaves up, so that equal ones are one.
type shapes struct {
	list   []shape
	number map[string]int
	key    []byte
}

func newShapes() *shapes { return &shapes{number: map[string]int{}} }

// piece counts the kernels of a piece of the task.
func (b *building) piece(p *dag.Piece) {
	b.kernels += p.Kernels
	if p.Kernels > 0 {
		b.kernel = p.Kernel
	}
	b.key = appendPiece(b.key, p)
}

func appendPiece(key []byte, p *dag.Piece) []byte {
	key = binary.AppendUvarint(key, p.Kernels)
	if p.Kernels > 0 {
		key = binary.AppendUvarint(key, uint64(p.Kernel))
	}
	return key
}

// add counts a child of the present phase.
func (b *building) add(shape, height int) {
	b.height = max(b.height, height)
	b.present = addKids(b.present, kids{shape, 1})
}

func addKids(list []kids, k kids) []kids {
	i, there := slices.BinarySearchFunc(list, k.shape, func(a kids, shape int) int {
		return cmp.Compare(a.shape, shape)
	})
	if there {
		list[i].n += k.n
		return list
	}
	return slices.Insert(list, i, k)
}

func (b *building) endPhase(after *dag.Piece) {
	for _, k := range b.present {
		b.key = binary.AppendUvarint(binary.AppendUvarint(b.key, uint64(k.shape)+1), k.n)
		b.all = addKids(b.all, k)
	}
	b.key = append(b.key, 0)
	b.present = b.present[:0]
	b.phases++
	b.piece(after)
}

// piece returns the shape of a child that is no task.
func (s *shapes) piece(p *dag.Piece, work uint64) int {
	s.key = appendPiece(append(s.key[:0], 'p'), p)
	i, known := s.number[string(s.key)]
	if !known {
		i = s.intern(string(s.key), &shape{kernels: p.Kernels, kernel: p.Kernel})
	}
	s.list[i].count++
	s.list[i].work += work
	return i
}

// task returns the shape of a task that has ended.
func (s *shapes) task(b *building, work uint64) int {
	s.key = append(append(s.key[:0], 't'), b.key...)
	i, known := s.number[string(s.key)]
	if !known {
		i = s.intern(string(s.key), &shape{task: true, kernels: b.kernels, kernel: b.kernel,
			phases: b.phases, height: b.height + 1, kids: slices.Clone(b.all)})
	}
	x := &s.list[i]
	x.count++
	x.work += work
	if x.coarse {
		for _, k := range b.all {
			x.kids = addKids(x.kids, k)
		}
		x.kernels += b.kernels
	}
	return i
}

// intern adds a shape. Where there are too many, it is that of all which are as high.
func (s *shapes) intern(key string, x *shape) int {
	if len(s.list) >= maxShapes {
		key = string(binary.AppendUvarint([]byte{'h'}, uint64(x.height)))
		if i, known := s.number[key]; known {
			return i
		}
		x.coarse, x.kids, x.kernels = true, nil, 0
	}
	s.number[key] = len(s.list)
	s.list = append(s.list, *x)
	return len(s.list) - 1
}

// root returns the shape of the only child of the program.
func (s *shapes) root(program *building) int { return program.present[0].shape }

// A class is shapes that are drawn as one.
type class struct {
	task           bool
	height, phases int
	kernels        bool
	kernel         loi.KernelID
}

// fold makes nodes of the shapes, node 0 of the root: one of each if there are no more than MaxNodes;
// else one of all that are as high and have as many phases and the same kernel, or are as high, or
// about as high. folded: shapes were put together.
func (s *shapes) fold(root int, r *loi.Registry, scale float64) (nodes []Node, edges []Edge,
	folded bool) {
	levels := []func(i int, x *shape) class{
		func(i int, x *shape) class { return class{phases: i} },
		func(_ int, x *shape) class {
			return class{x.task, x.height, x.phases, x.kernels > 0, x.kernel}
		},
		func(_ int, x *shape) class { return class{height: x.height} },
		func(_ int, x *shape) class { return class{height: bits.Len(uint(x.height))} },
	}
	var of []int // by shape
	for i, level := range levels {
		n, most := 0, readable
		if i == 0 {
			most = MaxNodes
		}
		if of, n = s.classes(root, level); n <= most || i == len(levels)-1 {
			folded = i > 0
			break
		}
	}
	count := map[[2]int]uint64{}
	var work []uint64
	for i := range s.list {
		x, c := &s.list[i], of[i]
		for c >= len(nodes) {
			nodes, work = append(nodes, Node{}), append(work, 0)
		}
		n := &nodes[c]
		n.Task = n.Task || x.task
		n.Count += x.count
		n.Phases = max(n.Phases, x.phases)
		own := x.kernels
		if !x.coarse {
			own *= x.count
		}
		if n.Kernels += own; own > 0 {
			n.Kernel = r.Kernels[x.kernel].Name
		}
		work[c] += x.work
	}
	for i := range s.list {
		x := &s.list[i]
		for _, k := range x.kids {
			n := k.n
			if !x.coarse {
				n *= x.count
			}
			nodes[of[i]].Children += float64(n)
			if from, to := of[i], of[k.shape]; from != to {
				count[[2]int{from, to}] += n
			}
		}
	}
	for i := range nodes {
		nodes[i].Children /= float64(nodes[i].Count)
		nodes[i].Work = doc.Some(float64(work[i]) * scale)
	}
	for e, n := range count {
		edges = append(edges, Edge{From: e[0], To: e[1], Count: n})
	}
	slices.SortFunc(edges, func(a, b Edge) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	depths(nodes, edges)
	return nodes, edges, folded
}

// classes numbers the classes of the shapes by their distance from the root, and counts them.
func (s *shapes) classes(root int, level func(int, *shape) class) (of []int, n int) {
	of = make([]int, len(s.list))
	seen := make([]bool, len(s.list))
	number := map[class]int{}
	queue := []int{root}
	seen[root] = true
	for len(queue) > 0 {
		i := queue[0]
		queue = queue[1:]
		c := level(i, &s.list[i])
		if _, known := number[c]; !known {
			number[c] = len(number)
		}
		of[i] = number[c]
		for _, k := range slices.Backward(s.list[i].kids) {
			if !seen[k.shape] {
				seen[k.shape] = true
				queue = append(queue, k.shape)
			}
		}
	}
	return of, len(number)
}

// depths sets the depth of each node, 0 of the first: one more than the deepest node above it. There
// are no cycles, since a child is less high.
func depths(nodes []Node, edges []Edge) {
	for changed := true; changed; {
		changed = false
		for _, e := range edges {
			if d := nodes[e.From].Depth + 1; d > nodes[e.To].Depth {
				nodes[e.To].Depth, changed = d, true
			}
		}
	}
}
