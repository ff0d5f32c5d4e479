// Package cilksort sorts keys of 32 bits by parallel mergesort: four quarters are sorted in
// parallel, pairs of them are merged into the other array, and both halves back. A merge is divided
// at the middle of its longer run, until one leaf of its output is left.
//
//	S. G. Akl, N. Santoro: Optimal Parallel Merging and Sorting Without Memory Conflicts. IEEE
//	Transactions on Computers C-36(11), 1987.
//
// It is the sort of Cilk and of BOTS (bsc-pm/bots, omp-tasks/sort, commit 2607a69). Departures: a
// merge is divided where a leaf of its output ends, and not where the middle key happens to fall;
// leaves are sorted by radix, not by quicksort.
//
// # The splits are known from the seed
//
// Where a merge is divided depends on keys, and simulated runs have none. So the splits come first:
// for each merge the seed determines how many keys of each leaf of output are from the left run,
// and the keys are made to fit, from the sorted sequence backwards (splits.go). Native runs search
// the keys and find these splits; simulated ones look them up. The shape is the same.
package cilksort

import (
	"fmt"
	"math/bits"
	"slices"

	"krdlab/hw/ops"
	"krdlab/kernels/blocked"
	"krdlab/kernels/kernel"
	"krdlab/loi"
	"krdlab/runtimes"
)

// Kernel is the line of the table.
var Kernel = kernel.Kernel{
	Name:    "cilksort",
	Summary: "parallel mergesort of 32-bit keys; --dist makes its merges irregular",
	Work:    true,
	Placed:  true,
	Size:    "n",
	Params: []kernel.Param{
		kernel.Int("n", 1<<24, 16, 1<<30, "keys, a multiple of --leaf"),
		kernel.Int("leaf", 4096, 16, 1<<20,
			"keys that one kernel execution sorts or merges, a multiple of 4"),
		kernel.Word("dist", uniform, dists, "where merges find the next keys: uniform (a random "+
			"permutation), skewed (more in one of the two runs), runs (a leaf at a time), sorted, "+
			"reversed"),
	},
	Plan: plan,
	New:  newInstance,
	Small: []kernel.Params{{"n": 16, "leaf": 16}, {"n": 704, "leaf": 64, "dist": skewed},
		{"n": 960, "leaf": 32, "dist": runs}, {"n": 8192, "leaf": 512}},
	Classes: []kernel.Class{
		{Name: "small", Params: kernel.Params{"n": 1 << 21}},
		{Name: "large", Params: kernel.Params{"n": 1 << 27}},
		{Name: "bots", Params: kernel.Params{"n": 1 << 25}},
	},
}

// parts is how many blocks the keys of one execution are. An input of a merge begins anywhere in a
// block, and whole blocks are counted: it reads 4 to 7, and writes 4.
const parts = 4

// The kernels: a copy is a merge whose keys all come from one run. There is one for each number of
// blocks that are read.
const (
	kSort  loi.KernelID = 0
	kCopy  loi.KernelID = 1 // and 2: 4 or 5 blocks
	kMerge loi.KernelID = 3 // to 6: 4 to 7
	kEnd   loi.KernelID = 7
)

// Instructions for each key: a count and four passes of a radix sort, and the counters of each
// pass, a step of a merge, a copy.
const (
	sortOps  = 50
	mergeOps = 12
	copyOps  = 1
)

func plan(p kernel.Params) (kernel.Plan, error) {
	n, leaf := p.Int("n"), p.Int("leaf")
	if leaf%parts != 0 {
		return kernel.Plan{}, p.Errorf("leaf", "it must be a multiple of %d", parts)
	}
	if n%leaf != 0 {
		return kernel.Plan{}, p.Errorf("n", "it must be a multiple of --leaf, which is %d", leaf)
	}
	executions := uint64(n / leaf)
	merges(span{0, int32(n / leaf)}, func(a, b span) { executions += uint64(a.n() + b.n()) })
	return kernel.Plan{Resolved: p, Bytes: 16 * uint64(n), DryBytes: 4 * executions,
		Blocks: 2 * parts * uint64(n/leaf), Executions: executions, Args: 2*parts + 3}, nil
}

// A span is a range of leaves.
type span struct{ lo, hi int32 }

func (s span) n() int32 { return s.hi - s.lo }

// pieces returns how many parts of s are sorted by themselves: four; of two or three leaves two.
func (s span) pieces() int32 {
	if s.n() < 4 {
		return 2
	}
	return 4
}

// piece returns part i of s; the last one has the leaves that are left over.
func (s span) piece(i int) span {
	k := s.pieces()
	size := s.n() / k
	p := span{s.lo + int32(i)*size, s.lo + int32(i+1)*size}
	if int32(i) == k-1 {
		p.hi = s.hi
	}
	return p
}

// merges calls f for each merge in sorting s, with its runs: outer ones before those that made
// them.
func merges(s span, f func(a, b span)) {
	if s.n() < 2 {
		return
	}
	if s.pieces() == 2 {
		f(s.piece(0), s.piece(1))
	} else {
		left, right := span{s.lo, s.piece(1).hi}, span{s.piece(2).lo, s.hi}
		f(left, right)
		f(s.piece(0), s.piece(1))
		f(s.piece(2), s.piece(3))
	}
	for i := range s.pieces() {
		merges(s.piece(int(i)), f)
	}
}

// instance is two arrays of keys; in a task, 0 or 1 is the array of its result.
type instance struct {
	blocked.Space
	last   blocked.Touched      // leaves of both arrays
	both   blocked.Array[int32] // the arrays, one behind the other
	keys   [2][]int32
	input  []int32 // keys[0] before a run
	splits splits
	leaf   int
	leaves int32
}

func newInstance(p kernel.Params, env kernel.Env) (kernel.Instance, error) {
	if _, err := plan(p); err != nil {
		return nil, err
	}
	n, leaf := p.Int("n"), p.Int("leaf")
	in := &instance{Space: blocked.Space{Env: env}, leaf: leaf, leaves: int32(n / leaf)}
	in.both = blocked.NewArray[int32](&in.Space, "keys",
		blocked.Vector{N: 2 * n, Block: leaf / parts, Elem: 4})
	in.input = blocked.Alloc[int32](&in.Space, n)
	if err := in.Err(); err != nil {
		return nil, err
	}
	in.splits = draw(in.leaves, leaf, p.Word("dist"), env.Seed)
	if !env.Dry {
		in.keys = [2][]int32{in.both.Data[:n], in.both.Data[n:]}
		in.fill(env.Seed)
	}
	in.Reset(false)
	return in, nil
}

func (in *instance) Registry() loi.Registry {
	r := loi.Registry{Objects: in.Objects(), Kernels: make([]loi.Kernel, kEnd),
		Regions: []loi.Region{{Name: "sort", Kind: loi.Function, Parent: loi.NoRegion},
			{Name: "merge", Kind: loi.Function, Parent: 0}}}
	// the other array is scratch, or where the result goes
	r.Kernels[kSort] = loi.Kernel{Name: "sort",
		Params: slices.Repeat([]loi.Param{in.both.InOut()}, 2*parts)}
	for k := kCopy; k < kEnd; k++ {
		name, reads := "copy", int(k-kCopy)+parts
		if k >= kMerge {
			name, reads = "merge", int(k-kMerge)+parts
		}
		r.Kernels[k] = loi.Kernel{Name: fmt.Sprintf("%s%d", name, reads), Params: slices.Concat(
			slices.Repeat([]loi.Param{in.both.In()}, reads),
			slices.Repeat([]loi.Param{in.both.Out()}, parts))}
	}
	return r
}

func (in *instance) Reset(hints bool) {
	copy(in.keys[0], in.input)
	in.last.Reset(hints, 2*int(in.leaves))
}

// Work implements [kernel.Modelled].
func (in *instance) Work(k loi.KernelID, _ []uint32) ops.Count {
	of := uint64(mergeOps)
	switch {
	case k == kSort:
		of = sortOps
	case k < kMerge:
		of = copyOps
	}
	return ops.Count{ops.Integer: of * uint64(in.leaf)}
}

// Uniform implements [kernel.Uniform].
func (in *instance) Uniform(loi.KernelID) bool { return true }

func (in *instance) Check() kernel.Check {
	return blocked.Exact("each key", len(in.keys[0]), func(i int) (got, want float64) {
		return float64(in.keys[0][i]), float64(key(i, len(in.keys[0])))
	})
}

// sorting is the task of sorting some leaves, more than one.
type sorting struct {
	runtimes.Frame
	in    *instance
	s     span
	to    int // the array that the result goes to; the other one holds it before the last merge
	phase int
}

// Root implements [runtimes.Program].
func (in *instance) Root(w *runtimes.Worker) *runtimes.Frame {
	return in.sort(w, span{0, in.leaves}, 0)
}

// sort sorts a leaf in place, and makes a task of more.
func (in *instance) sort(w *runtimes.Worker, s span, to int) *runtimes.Frame {
	if s.n() == 1 {
		in.sortLeaf(w, s.lo, to)
		return nil
	}
	t := runtimes.New[sorting](w, 0)
	t.in, t.s, t.to = in, s, to
	return t.Fork(int(s.pieces()))
}

// Run implements [runtimes.Task]: quarters, then two merges into the other array, then one back.
func (t *sorting) Run(w *runtimes.Worker, i int) *runtimes.Frame {
	s, four := t.s, t.s.pieces() == 4
	switch {
	case t.phase == 0 && four:
		return t.in.sort(w, s.piece(i), t.to)
	case t.phase == 0:
		return t.in.sort(w, s.piece(i), 1-t.to)
	case t.phase == 1 && four:
		return t.in.join(w, s.piece(2*i), s.piece(2*i+1), 1-t.to)
	case four:
		return t.in.join(w, span{s.lo, s.piece(1).hi}, span{s.piece(2).lo, s.hi}, t.to)
	}
	return t.in.join(w, s.piece(0), s.piece(1), t.to)
}

func (t *sorting) Next(_ *runtimes.Worker, phase int) int {
	t.phase = phase + 1
	switch merges := int(t.s.pieces()) / 2; {
	case phase == 0:
		return merges
	case phase == 1:
		return merges - 1
	}
	return 0
}

// Region implements [runtimes.Regioned].
func (t *sorting) Region(phase int) loi.RegionID { return loi.RegionID(min(phase, 1)) }

// Hint implements [runtimes.Hinted]: Work is in leaves that are sorted or merged.
func (t *sorting) Hint(_ *runtimes.Worker, i int) runtimes.Hint {
	s, levels := t.s, 1
	switch {
	case !t.in.last.Noting():
		return runtimes.Hint{}
	case t.phase == 0:
		s = s.piece(i)
		levels = 1 + bits.Len32(uint32(s.n()-1))
	case t.phase == 1 && s.pieces() == 4:
		s = span{s.piece(2 * i).lo, s.piece(2*i + 1).hi}
	}
	return t.in.hint(uint64(s.n())*uint64(levels), s, t.to)
}

func (in *instance) hint(work uint64, s span, array int) runtimes.Hint {
	return runtimes.Hint{Work: work, Bytes: 8 * uint64(s.n()) * uint64(in.leaf),
		Near: in.last.Near(uint32(int32(array)*in.leaves + s.lo))}
}

// merging is the task of merging leaves out of the output of a merge, more than one.
type merging struct {
	runtimes.Frame
	of    merge
	out   span
	split int32 // where out is divided
}

// merge is shared by all parts of a merge.
type merge struct {
	in   *instance
	a, b span
	to   int
	left []int32 // its line of the splits, if nothing is computed
}

// join makes a task of a merge.
func (in *instance) join(w *runtimes.Worker, a, b span, to int) *runtimes.Frame {
	m := merge{in: in, a: a, b: b, to: to}
	if !w.Computes() {
		m.left = in.splits[span{a.lo, b.hi}]
	}
	return m.part(w, span{a.lo, b.hi})
}

// part merges a leaf in place, and makes a task of more.
func (m merge) part(w *runtimes.Worker, out span) *runtimes.Frame {
	if out.n() == 1 {
		m.leaf(w, out.lo)
		return nil
	}
	t := runtimes.New[merging](w, 1)
	t.of, t.out, t.split = m, out, m.divide(out)
	return t.Fork(2)
}

func (t *merging) child(i int) span {
	if i == 0 {
		return span{t.out.lo, t.split}
	}
	return span{t.split, t.out.hi}
}

func (t *merging) Run(w *runtimes.Worker, i int) *runtimes.Frame { return t.of.part(w, t.child(i)) }
func (t *merging) Next(*runtimes.Worker, int) int                { return 0 }

// Region implements [runtimes.Regioned].
func (t *merging) Region(int) loi.RegionID { return 1 }

// Hint implements [runtimes.Hinted].
func (t *merging) Hint(_ *runtimes.Worker, i int) runtimes.Hint {
	if !t.of.in.last.Noting() {
		return runtimes.Hint{}
	}
	s := t.child(i)
	return t.of.in.hint(uint64(s.n()), s, 1-t.of.to)
}

// sortLeaf executes a kernel: it sorts the leaf of the first array into array to.
func (in *instance) sortLeaf(w *runtimes.Worker, leaf int32, to int) {
	start := w.Begin(kSort)
	if w.Computes() {
		from, end := int(leaf)*in.leaf, int(leaf+1)*in.leaf
		radix(in.keys[0][from:end], in.keys[1][from:end])
		if to == 1 {
			copy(in.keys[1][from:end], in.keys[0][from:end])
		}
	}
	args := in.outputs(in.outputs(nil, leaf, 0), leaf, 1)
	in.end(w, kSort, start, leaf, to, args)
}

// leaf executes a kernel: it makes a leaf of the output.
func (m *merge) leaf(w *runtimes.Worker, out int32) {
	in := m.in
	i0, i1 := m.fromLeft(out), m.fromLeft(out+1)
	j0, j1 := in.leaf*int(out-m.a.lo)-i0, in.leaf*int(out+1-m.a.lo)-i1
	i0, i1 = i0+in.leaf*int(m.a.lo), i1+in.leaf*int(m.a.lo)
	j0, j1 = j0+in.leaf*int(m.b.lo), j1+in.leaf*int(m.b.lo)
	var room [2*parts + 3]uint32
	args := in.inputs(in.inputs(room[:0], 1-m.to, i0, i1), 1-m.to, j0, j1)
	k := kMerge + loi.KernelID(len(args)-parts)
	if i0 == i1 || j0 == j1 {
		k -= kMerge - kCopy
	}
	start := w.Begin(k)
	if w.Computes() {
		from, to := in.keys[1-m.to], in.keys[m.to][int(out)*in.leaf:int(out+1)*in.leaf]
		mergeRuns(from[i0:i1], from[j0:j1], to)
	}
	in.end(w, k, start, out, m.to, in.outputs(args, out, m.to))
}

func (in *instance) end(w *runtimes.Worker, k loi.KernelID, start uint64, leaf int32, array int,
	args []uint32) {
	if in.last.Noting() {
		in.last.By(w.ID(), uint32(int32(array)*in.leaves+leaf))
	}
	w.End(k, start, args...)
}

// inputs appends the blocks of keys i to j-1 of an array.
func (in *instance) inputs(args []uint32, array, i, j int) []uint32 {
	if i == j {
		return args
	}
	block, base := in.leaf/parts, parts*array*int(in.leaves)
	for b := i / block; b <= (j-1)/block; b++ {
		args = append(args, uint32(base+b))
	}
	return args
}

// outputs appends the blocks of a leaf of an array.
func (in *instance) outputs(args []uint32, leaf int32, array int) []uint32 {
	return in.inputs(args, array, int(leaf)*in.leaf, int(leaf+1)*in.leaf)
}
