// Package uts counts the nodes of an unbalanced tree, whose shape is not known in advance: a node
// has m children with probability q and none otherwise, by a hash of its parent's hash and its own
// number among the siblings. Subtrees of one depth differ in size without bound, and no hint can
// tell.
//
//	S. Olivier, J. Huan, J. Liu, J. Prins, J. Dinan, P. Sadayappan, C.-W. Tseng: UTS: An Unbalanced
//	Tree Search Benchmark. Languages and Compilers for Parallel Computing (LCPC) 2006.
//
// The trees are those of BOTS (bsc-pm/bots, omp-tasks/uts, commit 2607a69): binomial, by SHA-1.
// Each node is a task, and its hash one kernel execution. There the hashes of all children are made
// by their parent, before it spawns any; here each child makes its own, so that the 2000 of the
// root are no sequential start. An execution touches nothing but the task.
//
// The shape is the result of hashes. Natively tasks make them. An instance for a machine model has
// walked the tree when it was made, and tasks look their children up.
package uts

import (
	"crypto/sha1"
	"encoding/binary"
	"math"
	"sync/atomic"

	"krdlab/hw/ops"
	"krdlab/kernels/blocked"
	"krdlab/kernels/kernel"
	"krdlab/loi"
	"krdlab/runtimes"
)

// Kernel is the line of the table.
var Kernel = kernel.Kernel{
	Name:    "uts",
	Summary: "nodes of an unbalanced tree that hashes make: irregular, no data, no hints",
	Work:    true,
	Size:    "root",
	Params: []kernel.Param{
		kernel.Int("root", 2000, 1, 1<<20, "children of the root"),
		kernel.Int("m", 8, 1, 100, "children of another node that has any"),
		kernel.Real("q", "0.124875", 0, 1,
			"the probability of that; m q < 1, and the nearer to 1 the larger the tree"),
		kernel.Int("tree", 42, 0, math.MaxInt32,
			"which tree: the hash of the root is made of this number"),
		kernel.Int("granularity", 1, 1, 1<<20, "how often each hash is made"),
	},
	Plan: func(p kernel.Params) (kernel.Plan, error) {
		t, err := read(p)
		n := known[t] // 0: nobody has counted them
		return kernel.Plan{Resolved: p, Executions: max(n, 1) - 1, DryBytes: 4 * n}, err
	},
	New: func(p kernel.Params, env kernel.Env) (kernel.Instance, error) {
		t, err := read(p)
		if err != nil {
			return nil, err
		}
		in := &instance{tree: t, times: p.Int("granularity")}
		if env.Dry {
			if in.first, in.want = t.walk(true); in.want > maxShape {
				return nil, p.Errorf("root", "the tree has more than %d nodes, too many for a "+
					"machine model; add --machine native", maxShape)
			}
		}
		return in, nil
	},
	Small: []kernel.Params{{"root": 1, "q": "0"}, {"root": 20, "m": 3, "q": "0.3"},
		{"root": 5, "m": 2, "q": "0.45", "granularity": 3}},
	Classes: []kernel.Class{
		{Name: "small", Params: kernel.Params{"root": 250, "m": 4, "q": "0.2475"}},
		{Name: "large", Params: kernel.Params{"root": 2000, "m": 3, "q": "0.333332", "tree": 8}},
		{Name: "bots", Params: kernel.Params{"root": 2000, "m": 5, "q": "0.200014", "tree": 7}},
	},
}

// known are the nodes of the trees that BOTS has as inputs: test, tiny, small, medium. Its file of
// tiny also has 30 399 116, in a comment, which cannot be: a tree has 1 + 2000 + 3 k nodes.
var known = map[tree]uint64{
	{2000, 8, 0.124875, 42}: 4_112_897,
	{2000, 3, 0.333332, 8}:  30_399_117,
	{2000, 5, 0.200014, 7}:  111_345_631,
	{2000, 3, 0.333344, 23}: 1_606_963_542,
}

// maxShape is how many nodes a tree has at most that is walked for a machine model.
const maxShape = 1 << 25

// aroundHash are about the instructions of crypto/sha1.Sum beside the block that is hashed: its
// state is made, the block filled up, the result put into order. Not counted: the time of a hash
// beyond its block's on a Zen 4.
const aroundHash = 350

// A tree holds the parameters that decide every node.
type tree struct {
	root, m int
	q       float64
	id      int
}

func read(p kernel.Params) (tree, error) {
	t := tree{p.Int("root"), p.Int("m"), p.Real("q"), p.Int("tree")}
	if float64(t.m)*t.q >= 1 && known[t] == 0 {
		return t, p.Errorf("q", "it must be less than 1/m = %.6g, or the tree may have no end",
			1/float64(t.m))
	}
	return t, nil
}

// A hash is a node.
type hash [sha1.Size]byte

// origin returns the hash of the root.
func (t tree) origin() hash {
	var seed [sha1.Size]byte
	binary.BigEndian.PutUint32(seed[16:], uint32(t.id))
	return sha1.Sum(seed[:])
}

// child returns the hash of child i of h, made so many times.
func (h *hash) child(i uint32, times int) (c hash) {
	var in [sha1.Size + 4]byte
	copy(in[:], h[:])
	binary.BigEndian.PutUint32(in[sha1.Size:], i)
	for range times {
		c = sha1.Sum(in[:])
	}
	return c
}

// children returns how many the node h has, which is not the root.
func (t tree) children(h *hash) int {
	if v := binary.BigEndian.Uint32(h[16:]) & math.MaxInt32; float64(v)/(1<<31) < t.q {
		return t.m
	}
	return 0
}

// walk counts the nodes of t, depth first. With shape it also returns for each node the number of
// its first child, 0 if it has none, and ends once there are more than maxShape. Nodes are numbered
// as they are found: the root is 0, and children of a node stand side by side.
func (t tree) walk(shape bool) (first []uint32, nodes uint64) {
	type parent struct {
		hash   hash
		number uint64
		n      int
	}
	stack := []parent{{t.origin(), 0, t.root}}
	for nodes = 1; len(stack) > 0 && !(shape && nodes > maxShape); {
		p := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for i := range p.n {
			c := p.hash.child(uint32(i), 1)
			if n := t.children(&c); n > 0 {
				stack = append(stack, parent{c, nodes + uint64(i), n})
			}
		}
		if shape {
			first = append(first, make([]uint32, int(nodes)+p.n-len(first))...)
			first[p.number] = uint32(nodes)
		}
		nodes += uint64(p.n)
	}
	return first, nodes
}

type instance struct {
	blocked.Space // empty
	tree          tree
	times         int
	first         []uint32 // the shape, if nothing is computed
	size          uint64   // nodes, by the latest run
	want          uint64   // of a tree that is not known, once it was walked
}

func (in *instance) Registry() loi.Registry {
	return loi.Registry{Kernels: []loi.Kernel{{Name: "hash"}},
		Regions: []loi.Region{{Name: "children", Kind: loi.Loop, Parent: loi.NoRegion}}}
}

func (in *instance) Reset(bool) { in.size = 0 }

// Work implements [kernel.Modelled].
func (in *instance) Work(loi.KernelID, []uint32) ops.Count {
	n := uint64(in.times)
	return ops.Count{ops.Hash: n, ops.Integer: aroundHash * n}
}

// Uniform implements [kernel.Uniform].
func (in *instance) Uniform(loi.KernelID) bool { return true }

// Counts implements [kernel.Counted]; 0 for a tree not walked before.
func (in *instance) Counts() (tasks, executions uint64) {
	return 0, max(uint64(len(in.first)), known[in.tree], 1) - 1
}

func (in *instance) Check() kernel.Check {
	if known[in.tree] != 0 {
		return kernel.Exact("against the published number of nodes", in.size, known[in.tree])
	}
	if in.want == 0 {
		_, in.want = in.tree.walk(false)
	}
	return kernel.Exact("against a serial walk", in.size, in.want)
}

// node is the task of a node that has children.
type node struct {
	runtimes.Frame
	in     *instance
	of     *node // its parent; nil for the root
	hash   hash
	number uint32 // in the shape
	size   uint64 // it and what is below; finished children add theirs
}

// Root implements [runtimes.Program].
func (in *instance) Root(w *runtimes.Worker) *runtimes.Frame {
	n := runtimes.New[node](w, 0)
	n.in, n.hash, n.size = in, in.tree.origin(), 1
	return n.Fork(in.tree.root)
}

func (n *node) Run(w *runtimes.Worker, i int) *runtimes.Frame {
	in := n.in
	var c hash
	children, number := 0, uint32(0)
	start := w.Begin(0)
	if w.Computes() {
		c = n.hash.child(uint32(i), in.times)
		children = in.tree.children(&c)
	} else {
		number = in.first[n.number] + uint32(i)
		if in.first[number] != 0 {
			children = in.tree.m
		}
	}
	w.End(0, start)
	if children == 0 {
		atomic.AddUint64(&n.size, 1)
		return nil
	}
	x := runtimes.New[node](w, 0)
	x.in, x.of, x.hash, x.number, x.size = in, n, c, number, 1
	return x.Fork(children)
}

func (n *node) Next(*runtimes.Worker, int) int {
	if n.of == nil {
		n.in.size = n.size
	} else {
		atomic.AddUint64(&n.of.size, n.size)
	}
	return 0
}

// Region implements [runtimes.Regioned].
func (n *node) Region(int) loi.RegionID { return 0 }
