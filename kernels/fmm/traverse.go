package fmm

import (
	"krdlab/loi"
	"krdlab/runtimes"
)

// span is a range of cells: all or some children of one, or a single one.
type span struct{ lo, hi int32 }

func one(i int32) span { return span{i, i + 1} }

func (s span) single() bool { return s.hi-s.lo == 1 }

func (s span) first() span { return span{s.lo, (s.lo + s.hi) / 2} }
func (s span) last() span  { return span{(s.lo + s.hi) / 2, s.hi} }

// bodies counts those of the cells of s, which are adjacent like their cells.
func (in *instance) bodiesOf(s span) int { return int(in.cells[s.hi-1].hi - in.cells[s.lo].lo) }

func (c *cell) span() span { return span{c.child, c.child + c.children} }

// verdict is the treatment of a pair of two different cells.
type verdict uint8

const (
	far       verdict = iota // expansions meet: M2L
	near                     // two leaves: P2P
	openFirst                // the children of the first with the second
	openSecond
	openBoth
)

// few pairs of bodies are summed directly even where expansions would do: that is as fast, and
// exact.
const few = 16

// accept reports whether a and b are far enough apart for their expansions to meet.
func accept(a, b *cell) bool {
	r := a.reach + b.reach
	return dot(a.x-b.x, a.y-b.y, a.z-b.z) > float64(r*r)
}

// judge decides about the cells a and b: the dual tree traversal (Yokota 2013; Dehnen 2002, 3.2).
// In a direction that is not mutual a is the target, and the verdict is the same.
func (in *instance) judge(a, b *cell) verdict {
	if accept(a, b) {
		if a.children|b.children == 0 && a.bodies()*b.bodies() <= few {
			return near
		}
		return far
	}
	switch {
	case a.children == 0 && b.children == 0:
		return near
	case b.children == 0:
		return openFirst
	case a.children == 0:
		return openSecond
	case a.bodies()+b.bodies() >= in.split:
		return openBoth
	case a.reach >= b.reach:
		return openFirst
	}
	return openSecond
}

// walk runs the kernels of pairs of cells one after the other, or, in dry runs, names them to its
// worker, or counts them where it has none.
type walk struct {
	in   *instance
	w    *runtimes.Worker
	live bool // kernels are computed: a worker is there, and computes
	n    counts
}

// product treats every cell of i with every cell of j, which are either the same cells or have none
// in common. Mutual, each pair is treated once for both sides.
func (t *walk) product(i, j span) {
	if i == j && t.in.mutual {
		for a := i.lo; a < i.hi; a++ {
			t.self(a)
			for b := a + 1; b < i.hi; b++ {
				t.pair(a, b)
			}
		}
		return
	}
	for a := i.lo; a < i.hi; a++ {
		for b := j.lo; b < j.hi; b++ {
			if a == b {
				t.self(a)
			} else {
				t.pair(a, b)
			}
		}
	}
}

// self treats cell i with itself.
func (t *walk) self(i int32) {
	c := &t.in.cells[i]
	if c.children == 0 {
		t.within(i, c)
		return
	}
	t.product(c.span(), c.span())
}

// pair treats two different cells; none holds the other.
func (t *walk) pair(i, j int32) {
	a, b := &t.in.cells[i], &t.in.cells[j]
	switch t.in.judge(a, b) {
	case far:
		t.m2l(i, j)
	case near:
		t.p2p(i, j, a, b)
	case openFirst:
		for k := a.child; k < a.child+a.children; k++ {
			t.pair(k, j)
		}
	case openSecond:
		for k := b.child; k < b.child+b.children; k++ {
			t.pair(i, k)
		}
	case openBoth:
		t.product(a.span(), b.span())
	}
}

// m2l executes the kernel of two cells that are far from each other.
func (t *walk) m2l(i, j int32) {
	if !t.live {
		t.n.m2l++
		t.name(kernM2L, i, j)
		return
	}
	in, w := t.in, t.w
	start := w.Begin(kernM2L)
	if in.mutual {
		in.ops.M2LMutual(in.exp, int(i), int(j))
	} else {
		in.ops.M2L(in.exp, int(i), int(j))
	}
	w.End2(kernM2L, start, uint32(i), uint32(j))
	in.meet(i, j)
}

// p2p executes the kernel of two leaves that are near to each other.
func (t *walk) p2p(i, j int32, a, b *cell) {
	in, w := t.in, t.w
	if !t.live {
		t.n.p2p++
		pairs := uint64(a.bodies()) * uint64(b.bodies())
		if in.mutual {
			pairs *= 2
		}
		t.n.pairs += pairs
		t.name(kernP2P, a.leaf, b.leaf)
		return
	}
	start := w.Begin(kernP2P)
	switch {
	case in.fine != nil && (in.fine[i] || in.fine[j]):
		in.directly(a, b, in.mutual)
	case in.mutual:
		in.ops.P2PMutual(in.soa, int(a.lo), int(a.hi), int(b.lo), int(b.hi))
	default:
		in.ops.P2P(in.soa, int(a.lo), int(a.hi), int(b.lo), int(b.hi))
	}
	w.End2(kernP2P, start, uint32(a.leaf), uint32(b.leaf))
	in.meet(i, j)
}

// within executes the kernel of a leaf with itself.
func (t *walk) within(i int32, c *cell) {
	in, w := t.in, t.w
	if !t.live {
		t.n.self++
		t.n.pairs += uint64(c.bodies()) * uint64(c.bodies()-1)
		t.name(kernSelf, c.leaf)
		return
	}
	start := w.Begin(kernSelf)
	switch {
	case c.radius == 0: // one body, or all in one point: they give each other nothing
	case in.isFine(i):
		in.directly(c, c, false)
	default:
		in.ops.P2PSelf(in.soa, int(c.lo), int(c.hi))
	}
	w.End(kernSelf, start, uint32(c.leaf))
	in.met[i] += in.ids[i]
}

// name records a kernel that is not computed, if there is a worker.
func (t *walk) name(k loi.KernelID, args ...int32) {
	if t.w == nil {
		return
	}
	var blocks [2]uint32
	for i, a := range args {
		blocks[i] = uint32(a)
	}
	t.w.End(k, t.w.Begin(k), blocks[:len(args)]...)
}

// meet notes down that the bodies of two cells have met.
func (in *instance) meet(i, j int32) {
	in.met[i] += in.ids[j]
	if in.mutual {
		in.met[j] += in.ids[i]
	}
}
