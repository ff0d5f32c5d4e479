package dag

import (
	"cmp"
	"iter"
	"slices"
)

// source returns the operation from whose end the edge leads: where they meet, that before the
// partner; -1 if there is none.
func (g *Goroutines) source(e *edge) int32 {
	if e.by >= 0 && e.meets {
		return g.Ops[e.by].Previous
	}
	return e.by
}

// time orders operations as they ended; a wait comes after the operations that it follows.
func (g *Goroutines) time(i int32) int64 {
	if o := &g.Ops[i]; o.Kind == 0 {
		return 2 * int64(o.wait)
	}
	return 2*int64(i) + 1
}

// before returns the k-th operation that operation i follows, -1 for none; ok is false if there are
// no more.
func (g *Goroutines) before(i, k int32) (j int32, ok bool) {
	if k == 0 {
		return g.Ops[i].Previous, true
	}
	if at := g.first[i] + k - 1; at < g.first[i+1] {
		return g.source(&g.edges[at]), true
	}
	return -1, false
}

// sort puts all operations behind what they follow. Those that wait for each other are in the order
// of time, and what would lead back in it is dropped: components are found by Tarjan's algorithm
// (Depth-first search and linear graph algorithms, SIAM J. Comput. 1, 1972), without recursion.
// Cost: linear, but for the order of time within a component.
func (g *Goroutines) sort() {
	n := len(g.Ops)
	g.first = make([]int32, n+1)
	for i := range g.edges {
		g.first[g.edges[i].to+1]++
	}
	for i := range n {
		g.first[i+1] += g.first[i]
	}
	sorted, next := make([]edge, len(g.edges)), slices.Clone(g.first)
	for _, e := range g.edges {
		sorted[next[e.to]] = e
		next[e.to]++
	}
	g.edges = sorted
	type frame struct{ op, next int32 }
	var (
		number = make([]int32, n) // 1 + in the order of the search; 0: not seen
		low    = make([]int32, n) // the lowest number that is reached; -1: its component is done
		count  int32
		open   []int32 // whose component is not done
		stack  []frame
	)
	g.order = make([]int32, 0, n)
	for root := range int32(n) {
		if number[root] != 0 {
			continue
		}
		stack = append(stack, frame{op: root})
		for len(stack) > 0 {
			f := &stack[len(stack)-1]
			v := f.op
			if number[v] == 0 {
				count++
				number[v], low[v] = count, count
				open = append(open, v)
			}
			j, more := g.before(v, f.next)
			f.next++
			switch {
			case more && (j < 0 || low[j] == -1):
			case more && number[j] == 0:
				stack = append(stack, frame{op: j})
			case more:
				low[v] = min(low[v], low[j])
			default:
				stack = stack[:len(stack)-1]
				if len(stack) > 0 {
					up := stack[len(stack)-1].op
					low[up] = min(low[up], low[v])
				}
				if low[v] == number[v] {
					at := len(open) - 1
					for open[at] != v {
						at--
					}
					g.component(open[at:], low)
					open = open[:at]
				}
			}
		}
	}
}

// component adds operations that wait for each other, or a single one, to the order.
func (g *Goroutines) component(list, low []int32) {
	const present, done = -2, -1
	slices.SortFunc(list, func(a, b int32) int { return cmp.Compare(g.time(a), g.time(b)) })
	for _, i := range list {
		low[i] = present
	}
	for _, i := range list {
		for k := g.first[i]; k < g.first[i+1]; k++ {
			e := &g.edges[k]
			if j := g.source(e); j >= 0 && low[j] == present && g.time(j) >= g.time(i) {
				e.by = -1
				g.Dropped++
			}
		}
	}
	for _, i := range list {
		low[i] = done
	}
	g.order = append(g.order, list...)
}

// A Longest is the longest path of a graph, with pieces weighed.
type Longest struct {
	Work uint64 // of all pieces
	Span uint64 // of those on the path
	// Finish is, by operation, the weight of the longest path that ends with it.
	Finish []uint64

	g      *Goroutines
	weight func(*Op) uint64
	by     []int32 // by operation: the edge that it waited for longest; -1: its own piece
	last   int32   // operation of the path, or -1
}

// Longest weighs the piece of each operation, and finds the longest path. Cost: linear, 12 bytes an
// operation.
func (g *Goroutines) Longest(weight func(*Op) uint64) *Longest {
	l := &Longest{Finish: make([]uint64, len(g.Ops)), g: g, by: make([]int32, len(g.Ops)), last: -1,
		weight: weight}
	end := func(i int32) uint64 {
		if i < 0 {
			return 0
		}
		return l.Finish[i]
	}
	for _, i := range g.order {
		o, w := &g.Ops[i], l.of(i)
		l.Work += w
		finish, by := end(o.Previous)+w, int32(-1)
		for k := g.first[i]; k < g.first[i+1]; k++ {
			e := &g.edges[k]
			if e.by < 0 {
				continue
			}
			came := end(g.source(e))
			if e.meets {
				came += l.of(e.by)
			}
			if came > finish {
				finish, by = came, k
			}
		}
		l.Finish[i], l.by[i] = finish, by
		if l.last < 0 || finish > l.Span {
			l.Span, l.last = finish, i
		}
	}
	return l
}

// of returns the weight of an operation's piece.
func (l *Longest) of(i int32) uint64 {
	if o := &l.g.Ops[i]; o.Kind != 0 {
		return l.weight(o)
	}
	return 0
}

// A PathPiece is a piece on the longest path.
type PathPiece struct {
	Op     int    // that ended it
	Weight uint64 // of it
	To     int    // the operation of another goroutine that then went on, or -1
}

// Path yields the pieces of the longest path, the last first.
func (l *Longest) Path() iter.Seq[PathPiece] {
	return func(yield func(PathPiece) bool) {
		to := -1
		for i := l.last; i >= 0; {
			real := l.g.Ops[i].Kind != 0
			if k := l.by[i]; k < 0 && !real {
				return
			} else if k >= 0 {
				e := &l.g.edges[k]
				if real {
					to = int(i)
				}
				if i = e.by; !e.meets {
					continue
				}
			}
			if !yield(PathPiece{int(i), l.of(i), to}) {
				return
			}
			to, i = -1, l.g.Ops[i].Previous
		}
	}
}
