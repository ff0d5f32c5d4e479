package scene

import (
	"cmp"
	"slices"
	"sort"
)

// A Doing is the state of a worker at a time: it executes a kernel whose class ([Run.Farthest]) is
// Doing(class), or one of the others.
type Doing uint8

// The states of a worker that executes no kernel of a class.
const (
	NoAccess   = Doing(Classes) + iota // it executes a kernel that accesses nothing
	Searching                          // it looks for work
	Scheduling                         // none of these, or Searching where the trace has no searches
	Ended                              // the run is over
	Doings                             // how many there are
)

// Looks are how doings but Ended are called and coloured wherever people see them: classes the
// darker the farther, in hues that nodes, schedulers and kernels ([plot.Palette]) do not have, what is no work in greys.
var Looks = [Ended]struct{ Name, Colour string }{
	{"close", "#efe350"}, {"near", "#b9a3e3"}, {"far", "#9157c9"}, {"cold", "#b01657"},
	{"reused", "#8a6d3b"}, {"no access", "#c9b99a"}, {"idle", "#e4e4e4"}, {"scheduling", "#8c8c8c"}}

// A Strip holds the states of the workers of a run, in columns of equal time.
type Strip struct {
	// by worker and column: what took most of its time, executions together or one of the others; of
	// executions the class that did; of several the least
	Cells [][]Doing
	Ticks [Doings]int64 // over all columns and workers
}

// Strip cuts the first ticks of the run into columns; both are at least 1. Where executions nest, the
// time is of the innermost. Those with the stamps of one task share its time in equal parts, in their
// order. A column of less than a tick is as the next.
// Cost: a sort of the executions of each worker.
func (r *Run) Strip(columns int, ticks int64) *Strip {
	s := &Strip{Cells: make([][]Doing, len(r.Header.Workers))}
	for w, executions := range r.ByWorker() {
		slices.SortStableFunc(executions, func(a, b int32) int { // what nests after what it is in
			return cmp.Or(cmp.Compare(r.Start[a], r.Start[b]), cmp.Compare(r.End[b], r.End[a]))
		})
		row := &stripRow{run: r, worker: w, ticks: ticks, time: make([][Doings]int64, columns)}
		row.fill(executions)
		s.Cells[w] = row.most(&s.Ticks)
	}
	return s
}

// A stripRow collects the time of a worker, by column.
type stripRow struct {
	run    *Run
	worker int
	ticks  int64
	time   [][Doings]int64
	now    int64  // until here all is known
	open   []task // innermost last
	search int    // searches before are over
}

// A task is executions that have its stamps: one, or all of a task.
type task struct{ of []int32 }

func (t task) in(r *Run) (from, to int64) { return r.Start[t.of[0]], r.End[t.of[0]] }

// fill takes the executions of the worker, in their order.
func (c *stripRow) fill(list []int32) {
	r := c.run
	for len(list) > 0 {
		n := 1
		for r.Task != nil && n < len(list) && r.Task[list[n]] && r.Task[list[0]] &&
			r.Start[list[n]] == r.Start[list[0]] && r.End[list[n]] == r.End[list[0]] {
			n++
		}
		c.until(r.Start[list[0]])
		c.open = append(c.open, task{list[:n]})
		list = list[n:]
	}
	c.until(r.Ticks)
}

// until goes on to a time at which the next execution begins.
func (c *stripRow) until(to int64) {
	for len(c.open) > 0 {
		top := c.open[len(c.open)-1]
		_, end := top.in(c.run)
		if from := c.now; from < min(end, to) {
			c.execute(top, from, min(end, to))
			c.now = min(end, to)
		}
		if end > to {
			return
		}
		c.open = c.open[:len(c.open)-1]
	}
	idle := c.run.Idle[c.worker]
	for ; c.search < len(idle) && idle[c.search].From < to; c.search++ {
		span := idle[c.search]
		c.add(Searching, max(span.From, c.now), min(span.To, to))
		if span.To > to {
			break
		}
	}
	c.now = max(c.now, to)
}

// execute adds the time of a task between two moments.
func (c *stripRow) execute(t task, from, to int64) {
	start, end := t.in(c.run)
	edge := func(i int) int64 { return part(end-start, i, len(t.of)) + start }
	first := sort.Search(len(t.of)-1, func(i int) bool { return edge(i+1) > from })
	for i := first; i < len(t.of) && edge(i) < to; i++ {
		c.add(Doing(c.run.Farthest(int(t.of[i]))), max(from, edge(i)), min(to, edge(i+1)))
	}
}

// part returns where part i of n begins, of something cut into equal ones.
func part(whole int64, i, n int) int64 {
	return whole/int64(n)*int64(i) + whole%int64(n)*int64(i)/int64(n)
}

// partAt returns which of n parts holds a moment.
func partAt(whole, moment int64, n int) int {
	return max(0, sort.Search(n, func(i int) bool { return part(whole, i, n) > moment })-1)
}

// add adds an interval to the columns that it is in.
func (c *stripRow) add(what Doing, from, to int64) {
	if to = min(to, c.ticks); from >= to {
		return
	}
	edge := c.edge
	for i := partAt(c.ticks, from, len(c.time)); i < len(c.time) && edge(i) < to; i++ {
		c.time[i][what] += min(to, edge(i+1)) - max(from, edge(i))
	}
}

// edge returns where a column begins.
func (c *stripRow) edge(column int) int64 { return part(c.ticks, column, len(c.time)) }

// most returns what took most of the time of each column, as [Strip].Cells has it, and adds up the
// time.
func (c *stripRow) most(sum *[Doings]int64) []Doing {
	list := make([]Doing, len(c.time))
	for i := range slices.Backward(c.time) {
		t, from, to := &c.time[i], c.edge(i), c.edge(i+1)
		if from == to { // less than a tick
			list[i] = list[i+1]
			continue
		}
		rest := to - from
		for _, ticks := range t {
			rest -= ticks
		}
		t[Ended] = to - max(from, min(to, c.run.Ticks))
		t[Scheduling] = rest - t[Ended]
		work, class := int64(0), Doing(0)
		for what, ticks := range t {
			sum[what] += ticks
			if Doing(what) > NoAccess {
				continue
			}
			if work += ticks; ticks > t[class] {
				class = Doing(what)
			}
		}
		list[i] = class
		for what := Searching; what < Doings; what++ {
			if t[what] > work {
				work, list[i] = t[what], what
			}
		}
	}
	return list
}
