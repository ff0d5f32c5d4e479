package scene

import (
	"cmp"
	"slices"
)

// An Arc is accesses of a class, on one node, to what was touched before in an earlier column of
// time.
type Arc struct {
	Node     int
	From, To int // columns of the executions that touched it before and again, by their beginning
	Class    Class
	Accesses int
}

// Arcs are those of a run.
type Arcs struct {
	List   []Arc // by node, From, To and class
	Within int   // accesses to what was touched in the same column before
	Cold   int   // to what was not touched before on the node
	All    int
}

// Arcs cuts the first ticks of the run, of which it has no more, into columns, and counts where each
// access finds what it touches: see [Run.Previous].
// Cost: that of Previous; memory for the arcs, at most columns^2/2 a node and class.
func (r *Run) Arcs(columns int, ticks int64) *Arcs {
	type pair struct {
		node, from, to int
		class          Class
	}
	a, counts, before := &Arcs{All: len(r.Items)}, map[pair]int{}, r.Previous()
	column := make([]int32, len(r.Items))
	for k, start := range r.Start {
		at := partAt(ticks, start, columns)
		for i := r.From[k]; i < r.From[k+1]; i++ {
			column[i] = int32(at)
			switch p := before[i]; {
			case p < 0:
				a.Cold++
			case column[p] == column[i]:
				a.Within++
			default:
				counts[pair{r.Node(k), int(column[p]), at, r.Classes[i]}]++
			}
		}
	}
	for p, n := range counts {
		a.List = append(a.List, Arc{p.node, p.from, p.to, p.class, n})
	}
	slices.SortFunc(a.List, func(a, b Arc) int {
		return cmp.Or(a.Node-b.Node, a.From-b.From, a.To-b.To, cmp.Compare(a.Class, b.Class))
	})
	return a
}
