package scene

import (
	"cmp"
	"math/bits"
	"slices"
)

// An Arc is accesses of a class, on one node, that find what they touch in an earlier column of time.
type Arc struct {
	Node     int
	Class    Class
	From, To float64 // when the executions that touched it before and again began, in ticks: means
	Accesses int
}

// Arcs are those of a run.
type Arcs struct {
	List   []Arc // by node, From, To and class
	Within int   // accesses to what was touched in the same column before
	Cold   int   // to what was not touched before on the node
	All    int
}

// Arcs cuts the first ticks of the run, at most all, into columns, and adds up where each access
// finds what it touches: see [Run.Previous]. The farther apart in time two uses are, the coarser
// are the places that are told apart: those 2^k to 2^(k+1)-1 columns apart are one arc if both
// their ends are in the same 2^k columns, on a node and of a class. Cost: that of Previous; memory
// for the arcs, at most 4 times as many as columns on a node and of a class.
func (r *Run) Arcs(columns int, ticks int64) *Arcs {
	type key struct {
		node, scale, from, to int
		class                 Class
	}
	a, sums, before := &Arcs{All: len(r.Items)}, map[key]*Arc{}, r.Previous()
	of := make([]int32, len(r.Items)) // the execution of an access
	column := make([]int32, len(r.Start))
	for k, start := range r.Start {
		at := partAt(ticks, start, columns)
		column[k] = int32(at)
		for i := r.From[k]; i < r.From[k+1]; i++ {
			of[i] = int32(k)
			if before[i] < 0 {
				a.Cold++
				continue
			}
			p := of[before[i]]
			from := int(column[p])
			if from == at {
				a.Within++
				continue
			}
			scale := bits.Len(uint(at-from)) - 1
			to := key{r.Node(k), scale, from >> scale, at >> scale, r.Classes[i]}
			if sums[to] == nil {
				sums[to] = &Arc{Node: to.node, Class: to.class}
			}
			sums[to].From += float64(r.Start[p])
			sums[to].To += float64(start)
			sums[to].Accesses++
		}
	}
	for _, sum := range sums {
		n := float64(sum.Accesses)
		a.List = append(a.List, Arc{sum.Node, sum.Class, sum.From / n, sum.To / n, sum.Accesses})
	}
	slices.SortFunc(a.List, func(a, b Arc) int {
		return cmp.Or(a.Node-b.Node, cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To),
			cmp.Compare(a.Class, b.Class), a.Accesses-b.Accesses)
	})
	return a
}
