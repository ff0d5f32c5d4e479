package regions

import (
	"cmp"
	"slices"

	"krdlab/loi"
)

// The kinds of regions, beside those of [loi.RegionKind].
const (
	kindKernel = "kernel"
	kindTask   = "task"
)

// A frame is a step of a path: a region of the source, a kernel, or the tasks that begin in a
// region.
type frame struct {
	kind   string
	number int // of the region or kernel
}

const recentLen = 16

// A node is a static region by the path of those around it, with the sums over its instances.
type node struct {
	frame
	parent    int
	children  map[frame]int
	recent    [recentLen]child // some of them, by their numbers, to spare the map
	instances uint64
	unended   uint64 // of them
	work      uint64
	touched   [lanes]uint64 // data that instances touched, or bytes where sizes differ
	most      uint64        // of one instance, of data
	first     uint64        // data touched first in an instance
	paths     paths
}

// paths are sums over the instances of a region.
type paths struct {
	critical uint64
	serial   float64 // work / self-parallelism
}

// tree has all nodes; 0 is the program, in which all others are.
type tree struct{ nodes []node }

func newTree() *tree { return &tree{nodes: []node{{parent: -1}}} }

type child struct {
	frame
	node int
}

// step returns the node of a frame below another.
func (t *tree) step(from int, f frame) int {
	c := &t.nodes[from].recent[uint(f.number)%recentLen]
	if c.node == 0 || c.number != f.number || c.kind != f.kind {
		to := t.find(from, f) // may move the nodes
		c = &t.nodes[from].recent[uint(f.number)%recentLen]
		*c = child{f, to}
	}
	return c.node
}

func (t *tree) find(from int, f frame) int {
	if to, ok := t.nodes[from].children[f]; ok {
		return to
	}
	to := len(t.nodes)
	if t.nodes[from].children == nil {
		t.nodes[from].children = map[frame]int{}
	}
	t.nodes[from].children[f] = to
	t.nodes = append(t.nodes, node{frame: f, parent: from})
	return to
}

// walk calls do for every node below the program, outer ones first, those of one around them in
// descending order of work.
func (t *tree) walk(name func(frame) string, do func(n *node, path []string)) {
	var below func(at int, path []string)
	below = func(at int, path []string) {
		list := make([]int, 0, len(t.nodes[at].children))
		for _, to := range t.nodes[at].children {
			list = append(list, to)
		}
		slices.SortFunc(list, func(a, b int) int {
			x, y := &t.nodes[a], &t.nodes[b]
			return cmp.Or(cmp.Compare(y.work, x.work), cmp.Compare(name(x.frame), name(y.frame)),
				cmp.Compare(x.kind, y.kind), cmp.Compare(x.number, y.number))
		})
		for _, to := range list {
			here := append(slices.Clip(path), name(t.nodes[to].frame))
			do(&t.nodes[to], here)
			below(to, here)
		}
	}
	below(0, nil)
}

// name returns the function that names a frame in the program of a trace.
func name(h *loi.Header) func(frame) string {
	return func(f frame) string {
		switch {
		case f.kind == kindKernel:
			return h.Registry.Kernels[f.number].Name
		case f.number >= 0:
			return h.Registry.Regions[f.number].Name
		case f.number == theProgram && h.Kernel != "":
			return h.Kernel
		}
		return kindTask
	}
}

// Numbers of tasks that begin in no region that is known.
const (
	anyTask    = -1
	theProgram = -2
)
