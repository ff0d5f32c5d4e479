package krd

import (
	"cmp"
	"slices"

	"krdlab/krd/causes"
	"krdlab/loi"
)

// paths are the paths of calls that lead to the accesses of one node: of an access, the regions
// that are open on its worker, outermost first, and then its kernel, unless that has the name of
// the innermost function. Iterations are no frames. Recursion is folded: where a function is on the
// path already, the path is cut back to its first frame, so that f > g > f is f, and a recursion of
// any depth one frame. Loops are not folded by themselves: f > loop > f is f.
//
// A path is a frame and the path before it, so that paths are a tree. Memory: 16 bytes for each
// path and some 40 for each pair of a path and what was opened there; in an Unordered trace some 30
// for each begin of a region too. Cost: a look-up in a map for each execution and begin of a
// region.
type paths struct {
	registry *loi.Registry
	tree     []path // an earlier one is before a later one; 0 has no frames
	next     map[path]int
	open     [][]opened     // by worker, innermost last; nil: begin has seen all events
	of       map[uint32]int // in an Unordered trace: the path of each region, by its number
}

// A path is a frame behind another path.
type path struct {
	before int
	frame  int // the number of a region; of a kernel, -1 minus its number
}

// opened is a region that is open.
type opened struct {
	number uint32
	path   int
}

func newPaths(h *loi.Header) *paths {
	return &paths{registry: &h.Registry, tree: make([]path, 1), next: map[path]int{},
		open: make([][]opened, len(h.Workers))}
}

// begin looks at the regions of a trace whose records may be out of the order of their stamps: the
// open regions are those when they were recorded.
func (p *paths) begin(t *loi.Trace, workers []int) error {
	if !t.Header.Unordered {
		return nil
	}
	p.of = map[uint32]int{}
	for x, err := range t.Ordered(loi.Order{Workers: workers, ByWorker: true, Events: true,
		NoKernels: true, AllowLoss: true}) {
		if err != nil {
			return err
		}
		p.event(x)
	}
	p.open = nil
	return nil
}

// event takes an event of the trace. A region that ends and is not the innermost ends those within.
func (p *paths) event(x *loi.Event) {
	if p.open == nil {
		return
	}
	open := &p.open[x.Worker]
	switch a := x.Args; {
	case x.Event == loi.EventRegion && len(a) == 3 && int(a[0]) < len(p.registry.Regions):
		to := p.innermost(x.Worker)
		if p.registry.Regions[a[0]].Kind != loi.Iteration {
			to = p.step(to, int(a[0]))
		}
		*open = append(*open, opened{a[1], to})
		if p.of != nil {
			p.of[a[1]] = to
		}
	case x.Event == loi.EventRegionEnd && len(a) == 1:
		for i, o := range slices.Backward(*open) {
			if o.number == a[0] {
				*open = (*open)[:i]
				break
			}
		}
	}
}

func (p *paths) innermost(worker int) int {
	if open := p.open[worker]; len(open) > 0 {
		return open[len(open)-1].path
	}
	return 0
}

// at returns the path of an execution.
func (p *paths) at(x *loi.Event) int {
	if p.open == nil {
		return p.step(p.of[x.Region], ^int(x.Kernel))
	}
	return p.step(p.innermost(x.Worker), ^int(x.Kernel))
}

// step returns the path from another one on.
func (p *paths) step(from, frame int) int {
	key := path{from, frame}
	to, seen := p.next[key]
	if !seen {
		if to = p.folded(key); to < 0 {
			to = len(p.tree)
			p.tree = append(p.tree, key)
		}
		p.next[key] = to
	}
	return to
}

// folded returns the path that a frame leads back to, of a function or a kernel, or -1.
func (p *paths) folded(key path) int {
	kernel := key.frame < 0
	for at := key.before; at != 0; at = p.tree[at].before {
		frame := p.tree[at].frame
		if p.registry.Regions[frame].Kind != loi.Function {
			continue
		}
		switch {
		case frame == key.frame:
			return at
		case kernel && p.frame(frame).Name == p.frame(key.frame).Name:
			return key.before
		case kernel:
			return -1
		}
	}
	return -1
}

// add adds the paths of another node and returns what number each has here.
func (p *paths) add(other *paths) []int {
	to := make([]int, len(other.tree))
	for i, x := range other.tree[1:] {
		to[i+1] = p.step(to[x.before], x.frame)
	}
	return to
}

// frame returns what a number stands for.
func (p *paths) frame(n int) causes.Frame {
	if n < 0 {
		return causes.Frame{Name: p.registry.Kernels[^n].Name, Kind: ByKernel}
	}
	r := &p.registry.Regions[n]
	return causes.Frame{Name: r.Name, Kind: r.Kind.String()}
}

// rows returns the paths that have accesses, in descending order of those in the range, then by
// their frames.
func (p *paths) rows(c *causes.Counter) []causes.PathRow {
	rows := []causes.PathRow{}
	for i := range p.tree {
		counts, bytes := c.InGroup(i)
		if counts.AllAccesses == 0 {
			continue
		}
		row := causes.PathRow{Counts: counts, BytesInRange: bytes}
		for at := i; at != 0; at = p.tree[at].before {
			row.Frames = append(row.Frames, p.frame(p.tree[at].frame))
		}
		slices.Reverse(row.Frames)
		rows = append(rows, row)
	}
	slices.SortStableFunc(rows, func(a, b causes.PathRow) int {
		return cmp.Or(cmp.Compare(b.Accesses, a.Accesses), slices.CompareFunc(a.Frames, b.Frames,
			func(a, b causes.Frame) int {
				return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Kind, b.Kind))
			}))
	})
	return rows
}
