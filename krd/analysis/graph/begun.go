package graph

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/graph"
	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/graph/topo"

	"krdlab/hw/units"
	"krdlab/krd/doc"
	"krdlab/loi"
	"krdlab/loi/dag"
)

// A Begun is an operation in which goroutines were when the program ended.
type Begun struct {
	Goroutine string     `json:"goroutine"` // the first of them
	Count     uint64     `json:"count"`     // goroutines that did the same
	Operation string     `json:"operation"` // "running" where it was in none
	Object    string     `json:"object"`    // "": not known
	Where     string     `json:"where"`     // function and line; "": not known
	Since     doc.Number `json:"since"`     // when the first of them began; ns, or ticks, of the trace
	For       []string   `json:"for"`       // who could have let it go on, as far as is known
}

// A Circle is a ring of goroutines: each waits for the next, and the last for the first.
type Circle struct {
	// Sure is true where each waits for a lock that the next holds, or asked for before. Else some
	// only may be waited for, by Steps.
	Sure  bool     `json:"sure"`
	Steps []string `json:"steps"`
}

// left is a role beside those of package dag: one of the goroutines that are left, with no known
// waker behind them.
const left dag.Role = 0

// roles is how those are called that others wait for.
var roles = map[dag.Role]string{dag.Holds: "which holds it", dag.Asked: "which asked to lock it first",
	dag.Started: "which it started"}

// wakes describes an earlier act of a waker, by the operation that waits.
var wakes = map[loi.SyncOp]string{loi.SyncSend: "received from it", loi.SyncReceive: "sent to it",
	loi.SyncWait: "was done before", loi.SyncCondWait: "signalled it"}

// begun finds what goroutines were in when the program ended, and the circles in it.
func (s *goroutineSink) begun() {
	out := s.d.Goroutines
	type key struct{ name, operation, object, where, by string }
	rows := map[key]int{}
	out.Begun, out.Untold = []Begun{}, s.g.Unended-uint64(len(s.g.Waits))
	for i := range s.g.Waits {
		w := &s.g.Waits[i]
		b := Begun{Goroutine: s.who(w.Worker), Count: 1, Operation: "running",
			Since: doc.Some(float64(w.Since-s.first) * s.tick()), For: []string{}}
		if len(w.Cases) > 0 {
			b.Operation, b.Object = s.caseOf(w)
			b.Where = s.g.Name(s.where(w))
		} else {
			out.Running++
			b.Since = doc.Number{}
		}
		if !ends(w) && len(w.Wakers) == 0 {
			b.For = []string{"nobody that is known"}
		}
		for _, k := range w.Wakers {
			b.For = append(b.For, s.waker(w, k))
		}
		k := key{s.g.Name(s.g.Goroutines[w.Worker].Name), b.Operation, b.Object, b.Where,
			strings.Join(b.For, ";")}
		if n, ok := rows[k]; ok {
			x := &out.Begun[n]
			if x.Count++; b.Since.Known() {
				x.Since = doc.Some(min(x.Since.Float(), b.Since.Float()))
			}
			continue
		}
		rows[k] = len(out.Begun)
		out.Begun = append(out.Begun, b)
	}
	out.Circles = s.circles()
	// Go ends a program so when all wait, timers included. A panic ends it so, too, in a goroutine
	// that runs or that the trace does not have
	out.Deadlock = len(s.g.Waits) > 0 && out.Untold == 0 && s.g.Unstarted == 0 &&
		slices.Contains(s.in.Header.Meta, loi.KV{Key: "exit_code", Value: "2"}) &&
		!slices.ContainsFunc(s.g.Waits, func(w dag.Wait) bool { return ends(&w) }) &&
		!slices.ContainsFunc(s.g.Goroutines, func(g dag.Goroutine) bool { return g.Number == 1 && g.Ended })
}

// where returns the kernel that names the place of w; -1: none does.
func (s *goroutineSink) where(w *dag.Wait) int {
	if k := w.Cases[0].Where; int(k) < len(s.in.Header.Registry.Kernels) {
		return int(k)
	}
	return -1
}

// caseOf names the operation that a goroutine is in, and what it is about.
func (s *goroutineSink) caseOf(w *dag.Wait) (operation, object string) {
	var names []string
	for i := range w.Cases {
		c := &w.Cases[i]
		name := c.Op.String()
		object = s.g.Object(&dag.Op{Kind: loi.EventSync, Object: c.Object})
		if c.Cases == 0 && (c.Op == loi.SyncSend || c.Op == loi.SyncReceive) {
			object = "a nil channel"
		}
		if c.Selected && object != "" {
			name += " of " + object
		}
		names = append(names, name)
	}
	if c := w.Cases[0]; c.Selected {
		if n := int(c.Cases) - len(w.Cases); n > 0 {
			names = append(names, units.Count(n, "case")+" more")
		}
		return "select: " + strings.Join(names, ", or "), ""
	}
	return names[0], object
}

// waker takes note that a goroutine is waited for, and why.
func (s *goroutineSink) waker(w *dag.Wait, k dag.Waker) string {
	switch why := roles[k.Role]; {
	case k.Worker == w.Worker:
		return "itself, " + why
	case k.Role == dag.Before:
		for _, c := range w.Cases {
			why = cmp.Or(why, wakes[c.Op])
		}
		return s.who(k.Worker) + ", which " + why
	case k.Role == left:
		return s.who(k.Worker)
	default:
		return s.who(k.Worker) + ", " + why
	}
}

// ends reports whether a wait can end by itself: by what no goroutine of the program does.
func ends(w *dag.Wait) bool {
	return len(w.Cases) == 0 || slices.ContainsFunc(w.Cases, func(c loi.Begun) bool {
		return c.Op == loi.SyncSleep || c.Op == loi.SyncIO || c.Timer
	})
}

// circles finds one circle among those that wait for each other, first among those that wait for
// locks, then among all. A wait without a known waker is one for all those that are left and wait
// for it in turn.
func (s *goroutineSink) circles() []Circle {
	waits := s.g.Waits
	at := make(map[int32]int, len(waits))
	for i := range waits {
		at[waits[i].Worker] = i
	}
	next := make([][]dag.Waker, len(waits))
	for i := range waits {
		for _, k := range waits[i].Wakers {
			if _, ok := at[k.Worker]; ok && !ends(&waits[i]) {
				next[i] = append(next[i], k)
			}
		}
	}
	out := []Circle{}
	used := make([]bool, len(waits))
	for _, sure := range []bool{true, false} {
		if !sure {
			s.leave(next, at)
		}
		g := simple.NewDirectedGraph()
		for i := range waits {
			g.AddNode(simple.Node(i))
		}
		follows := func(i int, k dag.Waker) bool {
			return !used[i] && !used[at[k.Worker]] && (!sure || k.Role == dag.Holds || k.Role == dag.Asked)
		}
		for i, all := range next {
			for _, k := range all {
				if !follows(i, k) {
					continue
				}
				if to := at[k.Worker]; to != i {
					g.SetEdge(g.NewEdge(simple.Node(i), simple.Node(to)))
				} else {
					used[i] = true
					out = append(out, s.circle(sure, next, at, []int{i, i}))
				}
			}
		}
		for _, c := range topo.TarjanSCC(g) {
			if len(c) < 2 {
				continue
			}
			first := int(slices.MinFunc(c, func(a, b graph.Node) int {
				return cmp.Compare(a.ID(), b.ID())
			}).ID())
			way := shortest(first, func(i int) (to []int) {
				for _, k := range next[i] {
					if j := at[k.Worker]; follows(i, k) && i != j {
						to = append(to, j)
					}
				}
				return to
			})
			for _, n := range c {
				used[n.ID()] = true
			}
			out = append(out, s.circle(sure, next, at, way))
		}
	}
	return out
}

// leave makes waits whose waker is not known wait for those that wait for them, by way of others
// too.
func (s *goroutineSink) leave(next [][]dag.Waker, at map[int32]int) {
	behind := make([][]int, len(next))
	for i, all := range next {
		for _, k := range all {
			behind[at[k.Worker]] = append(behind[at[k.Worker]], i)
		}
	}
	for i := range next {
		w := &s.g.Waits[i]
		if len(w.Wakers) > 0 || ends(w) || w.Cases[0].Cases == 0 {
			continue
		}
		seen := map[int]bool{i: true}
		for list := []int{i}; len(list) > 0 && len(seen) < 1000; list = list[1:] {
			for _, j := range behind[list[0]] {
				if !seen[j] {
					seen[j] = true
					list = append(list, j)
					next[i] = append(next[i], dag.Waker{Worker: s.g.Waits[j].Worker, Role: left})
				}
			}
		}
	}
}

// shortest returns the shortest way from a node back to it, with both ends.
func shortest(from int, next func(int) []int) []int {
	before := map[int]int{}
	for list := []int{from}; len(list) > 0; list = list[1:] {
		for _, to := range next(list[0]) {
			if _, ok := before[to]; ok {
				continue
			}
			if before[to] = list[0]; to != from {
				list = append(list, to)
				continue
			}
			way := []int{from}
			for i := before[from]; i != from; i = before[i] {
				way = append(way, i)
			}
			way = append(way, from)
			slices.Reverse(way)
			return way
		}
	}
	return nil
}

// circle describes a way that leads back to its begin.
func (s *goroutineSink) circle(sure bool, next [][]dag.Waker, at map[int32]int, way []int) Circle {
	c := Circle{Sure: sure}
	for n, i := range way[1:] {
		w := &s.g.Waits[way[n]]
		operation, object := s.caseOf(w)
		if object != "" {
			operation += " of " + object
		}
		if where := s.g.Name(s.where(w)); where != "" {
			operation += " (" + where + ")"
		}
		k := next[way[n]][slices.IndexFunc(next[way[n]], func(k dag.Waker) bool {
			return at[k.Worker] == i
		})]
		form := "%s is in %s and waits for %s"
		if k.Role == left {
			form = "%s is in %s and waits, if for anyone, for %s"
		}
		c.Steps = append(c.Steps, fmt.Sprintf(form, s.who(w.Worker), operation, s.waker(w, k)))
	}
	return c
}
