package scene

import (
	"math/rand/v2"
	"slices"
	"testing"

	"krdlab/loi"
)

// nested adds executions of a worker between two ticks that nest at random; now and then one is
// several of a task. It writes what the worker does at each tick into list.
func nested(r *rand.Rand, run *Run, worker, from, to int, list []Doing) {
	for at := from + r.IntN(4); at < to; at += r.IntN(6) {
		end := min(to, at+1+r.IntN(40))
		if at == from && end == to { // it would not be told from what it is in
			end--
		}
		n, each := 1, [][]Class{nil, nil, nil}
		if r.IntN(4) == 0 {
			n = 1 + r.IntN(3)
		}
		for i := range n {
			what := NoAccess
			for range r.IntN(3) {
				c := Class(r.IntN(int(Cold) + 1))
				if what == NoAccess || c > Class(what) { // they are ordered, but for Reuse
					what = Doing(c)
				}
				each[i] = append(each[i], c)
			}
			for t := at + (end-at)*i/n; t < at+(end-at)*(i+1)/n; t++ {
				list[t] = what
			}
		}
		first := r.IntN(2) == 0 // of two that begin at once, either may come first
		if first && end-at > 8 && n == 1 {
			nested(r, run, worker, at, end, list)
		}
		for _, classes := range each[:n] {
			run.Worker, run.Kernel = append(run.Worker, uint16(worker)), append(run.Kernel, 0)
			run.Start, run.End = append(run.Start, int64(at)), append(run.End, int64(end))
			run.Task = append(run.Task, n > 1)
			run.Classes = append(run.Classes, classes...)
			run.From = append(run.From, uint32(len(run.Classes)))
		}
		if !first && end-at > 8 && n == 1 {
			nested(r, run, worker, at, end, list)
		}
		at = end
	}
}

// Each column has what took most of its ticks, kernels together, and of these the class that did: of
// nested executions the innermost, of those of a task
// one after the other; a search counts where nothing is executed, and the rest is scheduling.
func TestStrip(t *testing.T) {
	var seen [Doings]int
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		run := &Run{Header: &loi.Header{Workers: make([]loi.Worker, 2)}, From: []uint32{0},
			Idle: make([][]Span, 2), Searches: true}
		run.Ticks = int64(20 + r.IntN(180))
		ticks, columns := int(run.Ticks)+r.IntN(60), 1+r.IntN(40)
		var want Strip
		for w := range 2 {
			list := make([]Doing, ticks)
			for i := range list {
				list[i] = Scheduling
				if i >= int(run.Ticks) {
					list[i] = Ended
				}
			}
			for at := int64(r.IntN(20)); at < run.Ticks; at += 5 {
				end := min(run.Ticks, at+int64(r.IntN(50)))
				run.Idle[w] = append(run.Idle[w], Span{at, end})
				for i := at; i < end; i++ {
					list[i] = Searching
				}
				at = end
			}
			nested(r, run, w, 0, int(run.Ticks), list)
			cells := make([]Doing, columns)
			for c := range slices.Backward(cells) {
				if ticks*c/columns == ticks*(c+1)/columns {
					cells[c] = cells[c+1]
				}
				var counts [Doings]int
				for _, what := range list[ticks*c/columns : ticks*(c+1)/columns] {
					counts[what]++
				}
				work, least := 0, Doing(0)
				for what, n := range counts {
					want.Ticks[what] += int64(n)
					if Doing(what) <= NoAccess {
						work += n
						if n > counts[least] {
							least = Doing(what)
						}
					}
				}
				if ticks*c/columns < ticks*(c+1)/columns {
					cells[c] = least
				}
				for _, what := range []Doing{Searching, Scheduling, Ended} {
					if counts[what] > work {
						work, cells[c] = counts[what], what
					}
				}
				seen[cells[c]]++
			}
			want.Cells = append(want.Cells, cells)
		}
		got := run.Strip(columns, int64(ticks))
		if got.Ticks != want.Ticks {
			t.Fatalf("seed %d: ticks %d, expected %d", seed, got.Ticks, want.Ticks)
		}
		for w := range 2 {
			if !slices.Equal(got.Cells[w], want.Cells[w]) {
				t.Fatalf("seed %d, worker %d of %d ticks: %d\nexpected %d", seed, w, ticks,
					got.Cells[w], want.Cells[w])
			}
		}
	}
	for what, n := range seen {
		if n == 0 && Doing(what) != Doing(Reuse) {
			t.Errorf("no column is of %d", what)
		}
	}
}

// The previous use of an access is the one found by a search backwards, and accesses without one
// are the cold ones; arcs are their sums.
func TestPrevious(t *testing.T) {
	lists := 0
	for seed := range uint64(5) {
		run, err := Read(mixed(t, seed), false)
		if err != nil {
			t.Fatal(err)
		}
		got := run.Previous()
		if len(got) != len(run.Items) {
			t.Fatalf("%d, of %d accesses", len(got), len(run.Items))
		}
		of := make([]int, len(run.Items)) // the execution of an access
		for k := range run.Start {
			for i := run.From[k]; i < run.From[k+1]; i++ {
				of[i] = k
			}
		}
		const columns = 13
		column := func(k int) (c int) {
			for c+1 < columns && run.Ticks*int64(c+1)/columns <= run.Start[k] {
				c++
			}
			return c
		}
		want := map[[5]int][3]int64{} // by node, length, ends and class: sums of ends, accesses
		within, cold := 0, 0
		for i, item := range run.Items {
			units := run.Units(item)
			if len(units) > 1 {
				lists++
			}
			before := int32(i)
			for _, u := range units {
				last := int32(i) - 1
				for last >= 0 && (run.Node(of[last]) != run.Node(of[i]) ||
					!slices.Contains(run.Units(run.Items[last]), u)) {
					last--
				}
				before = min(before, last)
			}
			if got[i] != before || (before < 0) != (run.Classes[i] == Cold) {
				t.Fatalf("seed %d: access %d, of class %d, comes after %d, expected %d", seed, i,
					run.Classes[i], got[i], before)
			}
			if before < 0 {
				cold++
				continue
			}
			from, to := column(of[before]), column(of[i])
			if from == to {
				within++
				continue
			}
			long := 1
			for 2*long <= to-from {
				long *= 2
			}
			at := [5]int{run.Node(of[i]), long, from / long, to / long, int(run.Classes[i])}
			sum := want[at]
			want[at] = [3]int64{sum[0] + run.Start[of[before]], sum[1] + run.Start[of[i]], sum[2] + 1}
		}
		arcs := run.Arcs(columns, run.Ticks)
		if arcs.Within != within || arcs.Cold != cold || arcs.All != len(run.Items) ||
			len(arcs.List) != len(want) || len(want) < columns {
			t.Errorf("%d within a column, %d cold, of %d; %d arcs; expected %d, %d, %d", arcs.Within,
				arcs.Cold, arcs.All, len(arcs.List), within, cold, len(want))
		}
		for i, a := range arcs.List {
			if i > 0 && arcs.List[i-1].Node > a.Node {
				t.Errorf("arc %d of node %d comes after one of node %d", i, a.Node, arcs.List[i-1].Node)
			}
		}
		for at, sum := range want {
			n := float64(sum[2])
			if !slices.Contains(arcs.List, Arc{at[0], Class(at[4]), float64(sum[0]) / n,
				float64(sum[1]) / n, int(sum[2])}) {
				t.Errorf("no arc of %v: %v", at, sum)
			}
		}
	}
	if lists == 0 {
		t.Error("no access is to several units")
	}
}

// A run is as long as it is when it is read.
func TestLength(t *testing.T) {
	trace := mixed(t, 3)
	run, err := Read(trace, false)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := Length(trace, false); n != run.Ticks || n < 100 || err != nil {
		t.Errorf("%d ticks, %v; expected %d", n, err, run.Ticks)
	}
}
