package tiles

import (
	"krdlab/kernels/blocked"
	"krdlab/loi"
	"krdlab/runtimes"
)

// Steps is a right-looking factorisation: in each step a diagonal kernel, then the edges, then the
// trailing part. Edges of a step may run at once, and so may the updates of its trailing part.
type Steps interface {
	// Fill makes the matrix.
	Fill()
	// Size returns how many edges step k has, and how many rows and columns the trailing part.
	// lower: of the trailing part only the tiles on and below the diagonal are updated.
	Size(k int) (edges, rows, cols int, lower bool)
	Diagonal(w *runtimes.Worker, k int)
	Edge(w *runtimes.Worker, k, e int)
	Update(w *runtimes.Worker, k, i, j int)
	// Target returns the block that edge i (edge) or update i, j writes.
	Target(k, i, j int, edge bool) uint32
}

// Regions of a registry: the factorisation and its loops.
var Regions = []loi.Region{
	{Name: "factor", Kind: loi.Function, Parent: loi.NoRegion},
	{Name: "edges", Kind: loi.Loop, Parent: 0},
	{Name: "updates", Kind: loi.Loop, Parent: 0},
}

// A Factor is a program of N steps.
type Factor struct {
	Steps Steps
	N     int
	Last  blocked.Touched
	// TileBytes is the size of a tile, for hints.
	TileBytes uint64
}

// Root implements [runtimes.Program].
func (f *Factor) Root(w *runtimes.Worker) *runtimes.Frame {
	t := runtimes.New[loop](w, 0)
	t.f = f
	return t.Fork(1)
}

// loop is the task of all steps: of each, up to three phases of one child.
type loop struct {
	runtimes.Frame
	f       *Factor
	k, part int
}

func (t *loop) Run(w *runtimes.Worker, _ int) *runtimes.Frame {
	s := t.f.Steps
	edges, rows, cols, lower := s.Size(t.k)
	switch t.part {
	case 0:
		s.Diagonal(w, t.k)
		return nil
	case 1:
		return t.f.area(w, area{k: t.k, i1: edges, j1: 1, edge: true})
	}
	return t.f.area(w, area{k: t.k, i1: rows, j1: cols, lower: lower})
}

func (t *loop) Next(*runtimes.Worker, int) int {
	for {
		if t.part++; t.part == 3 {
			t.part, t.k = 0, t.k+1
		}
		if t.k == t.f.N {
			return 0
		}
		edges, rows, cols, _ := t.f.Steps.Size(t.k)
		if t.part == 0 || t.part == 1 && edges > 0 || t.part == 2 && rows > 0 && cols > 0 {
			return 1
		}
	}
}

// Region implements [runtimes.Regioned].
func (t *loop) Region(int) loi.RegionID { return 0 }

// area is a rectangle of edges or updates of step k, or the tiles on and below the diagonal in it.
type area struct {
	k, i0, i1, j0, j1 int
	edge, lower       bool
}

// trim leaves out rows and columns that have nothing on or below the diagonal.
func (a area) trim() area {
	if a.lower {
		a.i0, a.j1 = max(a.i0, a.j0), min(a.j1, a.i1)
	}
	return a
}

// half returns a half of a, which is more than one update: of its longer side, rows at a tie. The
// first half is the longer one, and neither is empty.
func (a area) half(second bool) area {
	from, to := &a.i0, &a.i1
	if a.j1-a.j0 > a.i1-a.i0 {
		from, to = &a.j0, &a.j1
	}
	mid := *from + (*to-*from+1)/2
	if second {
		*from = mid
	} else {
		*to = mid
	}
	return a.trim()
}

// count returns the number of updates.
func (a area) count() uint64 {
	if !a.lower || a.j1-1 <= a.i0 {
		return uint64(a.i1-a.i0) * uint64(a.j1-a.j0)
	}
	n := 0
	for i := a.i0; i < a.i1; i++ {
		n += min(i+1, a.j1) - a.j0
	}
	return uint64(n)
}

// split is the task of an area of more than one update.
type split struct {
	runtimes.Frame
	f *Factor
	a area
}

func (f *Factor) area(w *runtimes.Worker, a area) *runtimes.Frame {
	if a.i1-a.i0 == 1 && a.j1-a.j0 == 1 {
		if f.Last.Noting() {
			f.Last.By(w.ID(), f.Steps.Target(a.k, a.i0, a.j0, a.edge))
		}
		if a.edge {
			f.Steps.Edge(w, a.k, a.i0)
		} else {
			f.Steps.Update(w, a.k, a.i0, a.j0)
		}
		return nil
	}
	t := runtimes.New[split](w, 1)
	t.f, t.a = f, a
	return t.Fork(2)
}

func (t *split) Run(w *runtimes.Worker, i int) *runtimes.Frame {
	return t.f.area(w, t.a.half(i == 1))
}

func (t *split) Next(*runtimes.Worker, int) int { return 0 }

// Region implements [runtimes.Regioned].
func (t *split) Region(int) loi.RegionID {
	if t.a.edge {
		return 1
	}
	return 2
}

// Hint gives the number of updates, the bytes of their tiles, and who touched the first of them
// last; earlier steps are more urgent.
func (t *split) Hint(_ *runtimes.Worker, i int) runtimes.Hint {
	f := t.f
	if !f.Last.Noting() {
		return runtimes.Hint{}
	}
	a := t.a.half(i == 1)
	n := a.count()
	rows, cols := uint64(a.i1-a.i0), uint64(a.j1-a.j0)
	return runtimes.Hint{Work: n, Bytes: f.TileBytes * (n + rows + cols),
		Priority: int32(f.N - a.k),
		Near:     f.Last.Near(f.Steps.Target(a.k, a.i0, a.j0, a.edge))}
}
