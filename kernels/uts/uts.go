// Package uts counts the nodes of an unbalanced tree, which nobody knows before he has seen them: a
// node has m children with probability q and none otherwise, as a hash says that is made of its
// parent's hash and its own number among the siblings. Subtrees of one depth differ in size without
// bound, and no hint can tell.
//
//	S. Olivier, J. Huan, J. Liu, J. Prins, J. Dinan, P. Sadayappan, C.-W. Tseng: UTS: An Unbalanced
//	Tree Search Benchmark. Languages and Compilers for Parallel Computing (LCPC) 2006.
//
// The trees are those of BOTS (bsc-pm/bots, omp-tasks/uts, commit 2607a69): binomial, by SHA-1. Each
// node is a task, and its hash one kernel execution. There the hashes of all children are made by
// their parent, before it spawns any; here each child makes its own, so that the 2000 of the root
// are no sequential start. An execution touches nothing but the task.
//
// The shape is the result of hashes. Natively tasks make them. An instance for a machine model has
// walked the tree when it was made, and tasks look their children up.
package uts

import (
	"crypto/sha1"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"sync/atomic"

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
		{Name: "root", Kind: kernel.IntParam, Default: 2000, Min: 1, Max: 1 << 20,
			Help: "children of the root"},
		{Name: "m", Kind: kernel.IntParam, Default: 8, Min: 1, Max: 100,
			Help: "children of another node that has any"},
		{Name: "q", Kind: kernel.WordParam, Default: "0.124875", Parse: probability,
			Help: "the probability of that; m q < 1, and the nearer to 1 the larger the tree"},
		{Name: "tree", Kind: kernel.IntParam, Default: 42, Min: 0, Max: math.MaxInt32,
			Help: "which tree: the hash of the root is made of this number"},
		{Name: "granularity", Kind: kernel.IntParam, Default: 1, Min: 1, Max: 1 << 20,
			Help: "how often each hash is made"},
	},
	Plan: func(p kernel.Params) (kernel.Plan, error) {
		t, err := read(p)
		if err != nil {
			return kernel.Plan{}, err
		}
		out := kernel.Plan{Resolved: p}
		if n := known[t]; n != 0 {
			out.Executions = n - 1
			out.DryBytes = 4 * n
		}
		return out, nil
	},
	New: func(p kernel.Params, env kernel.Env) (kernel.Instance, error) {
		t, err := read(p)
		if err != nil {
			return nil, err
		}
		in := &instance{tree: t, times: p.Int("granularity")}
		if env.Dry {
			if in.first, err = t.shape(); err != nil {
				return nil, err
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
// tiny also says 30 399 116, in a comment, which cannot be: a tree has 1 + 2000 + 3 k nodes.
var known = map[tree]uint64{
	{2000, 8, 0.124875, 42}: 4_112_897,
	{2000, 3, 0.333332, 8}:  30_399_117,
	{2000, 5, 0.200014, 7}:  111_345_631,
	{2000, 3, 0.333344, 23}: 1_606_963_542,
}

// maxShape is how many nodes a tree has at most that is walked for a machine model.
const maxShape = 1 << 25

// opsPerHash is what a hash of one block costs, in operations at the rate of a machine's core: some
// 700 cycles of the paper's machine, which has no instructions for it and does 4 operations a cycle.
const opsPerHash = 2800

func probability(s string) error {
	if v, err := strconv.ParseFloat(s, 64); err != nil || !(v >= 0 && v < 1) {
		return fmt.Errorf("it must be a number from 0 to less than 1")
	}
	return nil
}

// A tree is what decides every node.
type tree struct {
	root, m int
	q       float64
	id      int
}

func read(p kernel.Params) (tree, error) {
	q, _ := strconv.ParseFloat(p.Word("q"), 64)
	t := tree{p.Int("root"), p.Int("m"), q, p.Int("tree")}
	if float64(t.m)*q >= 1 && known[t] == 0 {
		return t, &kernel.ParamError{Name: "q", Got: p.Word("q"), Want: fmt.Sprintf("it must be "+
			"less than 1/m = %.6g, or the tree may have no end", 1/float64(t.m))}
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

// shape walks t breadth first, and returns for each node the number of its first child, 0 if it has
// none. The root is 0, and children of a node stand side by side.
func (t tree) shape() ([]uint32, error) {
	level, first := []hash{t.origin()}, []uint32{1}
	for n := t.root; len(level) > 0; n = t.m {
		var next []hash
		from := uint32(len(first))
		for v := range level {
			if first[int(from)-len(level)+v] == 0 {
				continue
			}
			first[int(from)-len(level)+v] = uint32(len(first))
			for i := range n {
				c := level[v].child(uint32(i), 1)
				next = append(next, c)
				first = append(first, uint32(t.children(&c)))
			}
			if len(first) > maxShape {
				return nil, &kernel.ParamError{Name: "root", Got: strconv.Itoa(t.root),
					Want: fmt.Sprintf("the tree has more than %d nodes, too many for a machine "+
						"model; add --machine native", maxShape)}
			}
		}
		level = next
	}
	return first, nil
}

// count walks t depth first on one goroutine, and returns its nodes.
func (t tree) count() (n uint64) {
	type some struct { // siblings from next on are to be seen
		of   hash
		next uint32
		all  uint32
	}
	stack := []some{{t.origin(), 0, uint32(t.root)}}
	for n = 1; len(stack) > 0; {
		s := &stack[len(stack)-1]
		if s.next == s.all {
			stack = stack[:len(stack)-1]
			continue
		}
		c := s.of.child(s.next, 1)
		s.next++
		n++
		if m := t.children(&c); m > 0 {
			stack = append(stack, some{c, 0, uint32(m)})
		}
	}
	return n
}

type instance struct {
	blocked.Space // empty
	tree          tree
	times         int
	first         []uint32 // the shape, if nothing is computed
	size          uint64   // nodes, by the latest run
	want          uint64   // once it is known
}

func (in *instance) Registry() loi.Registry {
	return loi.Registry{Kernels: []loi.Kernel{{Name: "hash"}},
		Regions: []loi.Region{{Name: "children", Kind: loi.Loop, Parent: loi.NoRegion}}}
}

func (in *instance) Reset(bool)   { in.size = 0 }
func (in *instance) Close() error { return nil }

// Work implements [kernel.Modelled].
func (in *instance) Work(loi.KernelID, []uint32) uint64 { return opsPerHash * uint64(in.times) }

// Counts implements [kernel.Counted]; 0 for a tree that nobody has walked.
func (in *instance) Counts() (tasks, executions uint64) {
	if in.first != nil {
		return 0, uint64(len(in.first) - 1)
	}
	return 0, max(known[in.tree], 1) - 1
}

func (in *instance) Check() kernel.Check {
	c := kernel.Check{Method: "against the published number of nodes, exact"}
	if in.want == 0 {
		in.want = known[in.tree]
	}
	if known[in.tree] == 0 {
		c.Method = "against a serial walk, exact"
		if in.want == 0 {
			in.want = in.tree.count()
		}
	}
	if c.Passed = in.size == in.want; !c.Passed {
		c.Error = math.Abs(float64(in.size) - float64(in.want))
		c.Detail = fmt.Sprintf("the run counted %d nodes, want %d", in.size, in.want)
	}
	return c
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
