// Package search runs searches of trees as fork-join programs: above a depth each node is a task
// that forks its children, and each subtree from there is searched serially, as one kernel
// execution.
//
// The upper part is grown when the program is made, so that its subtrees have numbers: records
// name the element that a subtree's result is written to, and a machine model looks its work up.
package search

import (
	"krdlab/hw/ops"
	"krdlab/kernels/blocked"
	"krdlab/kernels/kernel"
	"krdlab/loi"
	"krdlab/runtimes"
)

// A Problem is a tree, and a question about it. S is a node.
type Problem[S any] struct {
	Root S
	// Depth is that of the nodes whose subtrees are searched serially; 0 is the root.
	Depth int
	// Expand emits the children of a node above Depth, in order.
	Expand func(s S, emit func(S))
	// Search searches the tree below s, and returns the result and how many nodes it visited.
	Search func(s S) (result int64, visits uint64)
	// Merge makes one result of two; None is the result of nothing.
	Merge func(a, b int64) int64
	None  int64
	// Ops are the operations of a hundred visits.
	Ops ops.Count

	Kernel string // the name of the kernel
	Result string // and of the object with its results
	// Reads is an object of one block that each execution reads, "" if there is none.
	Reads     string
	ReadBytes int
}

// upper is the part of a tree above and at a depth, breadth first: the children of a node stand
// side by side, and nodes from last on are those at the depth.
type upper[S any] struct {
	states   []S
	first, n []int32
	last     int
	below    []uint64 // nodes at the depth below each node
}

// Subtrees returns how many subtrees p has at its depth. Cost: as many nodes are visited.
func (p *Problem[S]) Subtrees() int {
	u := p.grow()
	return len(u.states) - u.last
}

func (p *Problem[S]) grow() upper[S] {
	u := upper[S]{states: []S{p.Root}}
	for range p.Depth {
		end := len(u.states)
		for _, s := range u.states[u.last:end] {
			from := len(u.states)
			p.Expand(s, func(c S) { u.states = append(u.states, c) })
			u.first = append(u.first, int32(from))
			u.n = append(u.n, int32(len(u.states)-from))
		}
		u.last = end
	}
	u.below = make([]uint64, len(u.states))
	for i := len(u.states) - 1; i >= 0; i-- {
		if i >= u.last {
			u.below[i] = 1
			continue
		}
		for c := range u.n[i] {
			u.below[i] += u.below[u.first[i]+c]
		}
	}
	return u
}

// An Instance is a search with its results. It is a [kernel.Instance] but for Check, and
// [kernel.Modelled] and [kernel.Counted].
type Instance[S any] struct {
	blocked.Space
	p       *Problem[S]
	tree    upper[S]
	results []int64  // by node
	visits  []uint64 // of each subtree; nil if no model will ask
	hints   bool
	object  loi.ObjectID // the results
}

// New makes an instance. With dry each subtree is searched once, here, for the work that it is.
func New[S any](p *Problem[S], dry bool) *Instance[S] {
	in := &Instance[S]{p: p, tree: p.grow()}
	in.results = make([]int64, len(in.tree.states))
	if p.Reads != "" {
		in.Add(p.Reads, blocked.Vector{N: p.ReadBytes, Block: p.ReadBytes, Elem: 1})
	}
	leaves := in.tree.states[in.tree.last:]
	in.object = in.Add(p.Result, blocked.Vector{N: max(len(leaves), 1), Block: 1, Elem: 8})
	if dry {
		in.visits = make([]uint64, len(leaves))
		for i, s := range leaves {
			_, in.visits[i] = p.Search(s)
		}
	}
	return in
}

// Result returns the result of the latest run.
func (in *Instance[S]) Result() int64 { return in.results[0] }

// Verdict compares the result of the latest run with the right one.
func (in *Instance[S]) Verdict(want int64, method string) kernel.Check {
	return kernel.Exact(method, in.Result(), want)
}

// Registry implements [kernel.Instance].
func (in *Instance[S]) Registry() loi.Registry {
	k := loi.Kernel{Name: in.p.Kernel}
	if in.p.Reads != "" {
		k.Params = append(k.Params, loi.Param{Object: 0, Mode: loi.In})
	}
	k.Params = append(k.Params, loi.Param{Object: in.object, Mode: loi.Out})
	return loi.Registry{Objects: in.Objects(), Kernels: []loi.Kernel{k},
		Regions: []loi.Region{{Name: "branch", Kind: loi.Loop, Parent: loi.NoRegion}}}
}

// Reset implements [kernel.Instance].
func (in *Instance[S]) Reset(hints bool) {
	clear(in.results)
	in.hints = hints
}

// Counts implements [kernel.Counted].
func (in *Instance[S]) Counts() (tasks, executions uint64) { return 0, in.tree.below[0] }

// Work implements [kernel.Modelled]: the visits of the subtree, at their price.
func (in *Instance[S]) Work(_ loi.KernelID, blocks []uint32) (n ops.Count) {
	visits := in.visits[blocks[len(blocks)-1]]
	for k, of := range in.p.Ops {
		n[k] = (of*visits + 99) / 100
	}
	return n
}

// branch is the task of a node above the depth.
type branch[S any] struct {
	runtimes.Frame
	in   *Instance[S]
	node int32
}

// Root implements [runtimes.Program].
func (in *Instance[S]) Root(w *runtimes.Worker) *runtimes.Frame { return in.enter(w, 0) }

// enter searches a subtree in place, and makes a task of a node above.
func (in *Instance[S]) enter(w *runtimes.Worker, node int32) *runtimes.Frame {
	t := &in.tree
	if leaf := int(node) - t.last; leaf >= 0 {
		start := w.Begin(0)
		if w.Computes() {
			in.results[node], _ = in.p.Search(t.states[node])
		}
		if in.p.Reads != "" {
			w.End2(0, start, 0, uint32(leaf))
		} else {
			w.End(0, start, uint32(leaf))
		}
		return nil
	}
	if t.n[node] == 0 {
		in.results[node] = in.p.None
		return nil
	}
	b := runtimes.New[branch[S]](w, 0)
	b.in, b.node = in, node
	return b.Fork(int(t.n[node]))
}

func (b *branch[S]) Run(w *runtimes.Worker, i int) *runtimes.Frame {
	return b.in.enter(w, b.in.tree.first[b.node]+int32(i))
}

func (b *branch[S]) Next(*runtimes.Worker, int) int {
	in, first := b.in, b.in.tree.first[b.node]
	sum := in.p.None
	for _, r := range in.results[first : first+in.tree.n[b.node]] {
		sum = in.p.Merge(sum, r)
	}
	in.results[b.node] = sum
	return 0
}

// Region implements [runtimes.Regioned].
func (b *branch[S]) Region(int) loi.RegionID { return 0 }

// Hint returns how many subtrees are below child i, and how many bytes of results. The size of a
// subtree is not known before it is searched.
func (b *branch[S]) Hint(_ *runtimes.Worker, i int) runtimes.Hint {
	in := b.in
	if !in.hints {
		return runtimes.Hint{}
	}
	n := in.tree.below[in.tree.first[b.node]+int32(i)]
	return runtimes.Hint{Work: n, Bytes: 8*n + uint64(in.p.ReadBytes)}
}
