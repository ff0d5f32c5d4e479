package goroutines

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"krdlab/hw/hwtest/long"
	"krdlab/krd/analysis/interleave/engine"
	"krdlab/krd/analysis/interleave/tasks"
	"krdlab/loi"
)

func read(t testing.TB, tr *loi.Trace) *Program {
	t.Helper()
	p, err := Read(context.Background(), tr, engine.NewAccount(0))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// names returns what the naive program calls the pieces with accesses; "" of others.
func names(p *Program, n *naive, recorded []did) []string {
	// the actions with accesses that were done, of each goroutine
	did := make([][]int, len(n.code))
	for _, d := range recorded {
		if a := n.code[d.g][d.pc]; a.do == access0 {
			did[d.g] = append(did[d.g], d.pc)
		}
	}
	name := make([]string, len(p.of))
	for g := range n.code {
		k := 0
		for i := p.first[g]; i < p.first[g+1]; i++ {
			if p.from[i] < p.from[i+1] {
				name[i] = fmt.Sprintf("%d.%d", g, did[g][k])
				k++
			}
		}
	}
	return name
}

// schedules are all of a program.
type schedules struct {
	orders                  map[string]bool // of the pieces with accesses
	ended, deadlocks, stuck int
}

func allOf(p *Program, n *naive, recorded []did) *schedules {
	name := names(p, n, recorded)
	s := &schedules{orders: map[string]bool{}}
	e, r := &enumerator{}, newRunner(p)
	for more := true; more; {
		switch {
		case r.run(e.choose):
			s.ended++
			var words []string
			for _, i := range r.order {
				if name[i] != "" {
					words = append(words, name[i])
				}
			}
			s.orders[strings.Join(words, " ")] = true
		case r.deadlocked():
			s.deadlocks++
		default:
			s.stuck++
		}
		more = e.next()
	}
	return s
}

// underived returns a program without what was derived from locks.
func underived(p *Program) *Program {
	q := *p
	q.edges = slices.DeleteFunc(slices.Clone(p.edges), func(e edge) bool { return e.why == derived })
	q.link()
	return &q
}

// some returns accesses to units from 0 to 5; no two pieces stand one behind the other.
func some(r *rand.Rand) action {
	a := action{}
	for range 1 + r.IntN(2) {
		a.accesses = append(a.accesses, use{r.IntN(6), r.IntN(2) == 0})
	}
	return a
}

// random returns a program of two to four goroutines. Each access has an operation before and behind it.
func random(r *rand.Rand) *naive {
	n := &naive{rooms: []int{0, 1, 2}, code: make([][]action, 2+r.IntN(3))}
	add := func(g int, a ...action) {
		list := n.code[g]
		if last := len(list) - 1; a[0].do != access0 && r.IntN(2) == 0 && (last < 0 || list[last].do != access0) {
			list = append(list, some(r))
		}
		n.code[g] = append(list, a...)
	}
	for other := 1; other < len(n.code); other++ {
		add(0, action{do: spawn, on: other})
	}
	any := func() int { return r.IntN(len(n.code)) }
	joins, closed, locks := r.IntN(3) == 0, r.IntN(3) == 0, r.IntN(3) == 0
	for range 2 + r.IntN(3) {
		g, on := any(), r.IntN(2)
		kind := r.IntN(8)
		if locks {
			kind = 8
		}
		switch kind {
		case 8:
			for range 2 + r.IntN(2) {
				what := action{do: []doing{load, store, update}[r.IntN(3)], on: 1}
				if r.IntN(3) == 0 {
					what = action{do: lock, on: 1 - on}
				}
				g := any()
				add(g, action{do: lock, on: on}, what, some(r))
				if what.do == lock {
					add(g, action{do: unlock, on: 1 - on})
				}
				add(g, action{do: unlock, on: on})
			}
		case 0:
			add(g, action{do: lock, on: on}, some(r), action{do: unlock, on: on})
		case 1:
			add(g, action{do: readLock, on: on}, some(r), action{do: readUnlock, on: on})
		case 2:
			for _, g := range []int{g, any()} {
				add(g, action{do: lock, on: on}, action{do: lock, on: 1 - on}, some(r), action{do: unlock, on: on},
					action{do: unlock, on: 1 - on})
				on = 1 - on
			}
		case 3:
			for _, g := range []int{g, any()} {
				// the trace does not have the beginning of its function: the piece before ends here
				add(g, action{do: load, on: 2}, action{do: onceBegin, on: on}, some(r), action{do: onceEnd, on: on})
			}
		case 4:
			for range 3 {
				add(any(), action{do: []doing{load, load, store, update}[r.IntN(4)], on: 0})
			}
		default:
			on = r.IntN(3)
			for range 1 + r.IntN(3) {
				add(any(), action{do: send, on: on, selected: r.IntN(2) == 0})
				add(any(), action{do: receive, on: on, selected: r.IntN(2) == 0})
			}
			if closed && on == r.IntN(3) {
				closed = false
				add(any(), action{do: closing, on: on})
				add(any(), action{do: receive, on: on})
			}
		}
	}
	for g := range n.code {
		if joins {
			add(g, action{do: doneOf})
			if g < 2 {
				add(g, action{do: waitFor})
			}
		}
		if list := n.code[g]; len(list) == 0 || list[len(list)-1].do != access0 {
			add(g, some(r))
		}
	}
	return n
}

// TestRandomPrograms checks that random programs have the schedules that an interpreter finds which
// knows Go's operations alone, and the ranges that lists give.
func TestRandomPrograms(t *testing.T) {
	compared, stuckOnes, many, wide, conflicts, lockedUp, before, after := 0, 0, 0, 0, 0, 0, 0, 0
	for seed := range long.Or[uint64](150, 3000) {
		r := rand.New(rand.NewPCG(seed, 1))
		n := random(r)
		recorded := n.record(r)
		for try := 0; recorded == nil && try < 5; try++ {
			recorded = n.record(r)
		}
		if recorded == nil {
			continue
		}
		orders, stuck, deadlock := n.orders(recorded, 4000)
		if orders == nil {
			continue
		}
		p := read(t, n.trace(t, recorded))
		if c := p.Kept.Contradicted + p.Kept.Unmatched; c > 0 {
			t.Fatalf("seed %d: %+v", seed, p.Kept)
		}
		if count, few := p.count(context.Background(), 5000); !few || count < 1 {
			continue
		}
		found, loose := allOf(p, n, recorded), &schedules{}
		got := found.orders
		if q := underived(p); len(q.edges) == len(p.edges) {
			loose = found
		} else if count, few := q.count(context.Background(), 50_000); few && count > 0 {
			loose = allOf(q, n, recorded)
			before, after = before+loose.stuck, after+found.stuck
			if found.ended != loose.ended {
				t.Fatalf("seed %d: %v\nrecorded %v: %d schedules, %d without what is derived", seed, n.code, recorded, found.ended,
					loose.ended)
			}
		}
		for o := range orders {
			if !got[o] {
				t.Fatalf("seed %d: %v\nrooms %v, recorded %v: no schedule %s", seed, n.code, n.rooms, recorded, o)
			}
		}
		for o := range got {
			if !orders[o] {
				t.Fatalf("seed %d: %v\nrooms %v, recorded %v: schedule %s", seed, n.code, n.rooms, recorded, o)
			}
		}
		kept := slices.ContainsFunc(p.edges, func(e edge) bool { return e.why == asKept })
		switch {
		case !stuck && found.deadlocks+found.stuck > 0, stuck && !kept && found.deadlocks == 0, !kept && found.stuck > 0,
			!deadlock && found.deadlocks > 0:
			t.Fatalf("seed %d: %v\nrecorded %v: %d schedules get stuck, expected %t; %d deadlocks, expected %t; kept %t",
				seed, n.code, recorded, found.stuck, stuck, found.deadlocks, deadlock, kept)
		}
		if found.deadlocks > 0 {
			lockedUp++
		}
		compared++
		repeats(t, p)
		conflicts += compareConflicts(t, p, n, recorded, orders)
		if stuck {
			stuckOnes++
		}
		if len(orders) > 10 {
			many++
		}
		if compareRanges(t, p, n, orders) {
			wide++
		}
	}
	if conflicts < 20 {
		t.Errorf("%d unordered conflicts: too few", conflicts)
	}
	t.Logf("%d programs, %d may get stuck, %d in a deadlock, %d with more than 10 orders, %d with a range; %d schedules "+
		"contradict what is kept, %d without what is derived", compared, stuckOnes, lockedUp, many, wide, after, before)
	if before < 20 || after > before/20 || lockedUp < 2 {
		t.Errorf("%d schedules contradict what is kept, %d without what is derived; %d programs with a deadlock",
			after, before, lockedUp)
	}
	if compared < 40 || stuckOnes < 2 || many < 20 || wide < 20 {
		t.Errorf("%d programs, %d may get stuck, %d with more than 10 orders, %d with a range: too few", compared,
			stuckOnes, many, wide)
	}
}

// compareRanges compares all ranges of an exploration; it reports whether one has a width.
func compareRanges(t *testing.T, p *Program, n *naive, orders map[string]bool) (wide bool) {
	t.Helper()
	x, err := Explore(context.Background(), p, Options{Enumerate: 100_000, All: true, Samplers: Samplers})
	if err != nil {
		t.Fatal(err)
	}
	g := x.Groups[0]
	want := newGroup("", tasks.KindAll, &Program{Objects: objectNames, Types: typeNames,
		Functions: functionNames})
	for o := range orders {
		want.add(n.outcomes(o))
	}
	for i := range want.rows {
		got, o := g.Total, &want.rows[i]
		switch types, functions := len(objectNames), len(objectNames)+len(typeNames); {
		case i < types:
			got = &g.Objects[slices.Index(p.Objects, objectNames[i])]
		case i < functions:
			got = &g.Types[slices.Index(p.Types, typeNames[i-types])]
		case i < len(want.rows)-1:
			got = &g.Functions[slices.Index(p.Functions, functionNames[i-functions])]
		}
		for k, r := range append(o.Ranges[:], o.Reuses) {
			a := got.Reuses
			if k < len(got.Ranges) {
				a = got.Ranges[k]
			}
			if a.Minimum != r.Minimum || a.Maximum != r.Maximum {
				t.Fatalf("%v: row %d, measure %d: %v, expected %v", n.code, i, k, a, r)
			}
			wide = wide || r.Minimum < r.Maximum
		}
		if got.Least != o.Least || got.Most != o.Most || got.Near != o.Near || got.Far != o.Far {
			t.Fatalf("%v: row %d: %+v, expected %+v", n.code, i, got, o)
		}
	}
	if !x.Complete || g.Runs == 0 {
		t.Fatalf("%+v", g)
	}
	return wide
}

// compareConflicts compares the conflicts of the recorded schedule whose accesses another one has the
// other way round. With locks more may be found: where schedules get stuck, the rest of them has an order
// that no operation gives. It returns how many there are.
func compareConflicts(t *testing.T, p *Program, n *naive, recorded []did, orders map[string]bool) int {
	t.Helper()
	last, reads := map[int]string{}, map[int]map[int]string{} // pieces: that wrote; by goroutine, that read since
	count := 0
	name, run := names(p, n, recorded), newRunner(p)
	run.run(p.recorded)
	for _, i := range run.order {
		piece := name[i]
		if piece == "" {
			continue
		}
		var g, pc int
		if _, err := fmt.Sscanf(piece, "%d.%d", &g, &pc); err != nil {
			t.Fatal(err)
		}
		turns := func(before string) {
			if before != "" && slices.ContainsFunc(slices.Collect(maps.Keys(orders)), func(o string) bool {
				words := strings.Fields(o)
				return slices.Index(words, piece) < slices.Index(words, before)
			}) {
				count++
			}
		}
		for _, u := range n.code[g][pc].accesses {
			turns(last[u.unit])
			if reads[u.unit] == nil {
				reads[u.unit] = map[int]string{}
			}
			if !u.write {
				reads[u.unit][g] = piece
				continue
			}
			for _, before := range reads[u.unit] {
				turns(before)
			}
			last[u.unit], reads[u.unit] = piece, nil
		}
	}
	r, ok := p.Unordered(engine.NewAccount(0))
	if !ok {
		t.Fatal("not enough memory")
	}
	if got := int(r.Unordered + r.ByLocks); got < count || got > count && p.locks == 0 {
		t.Fatalf("%v\nrecorded %v: %d unordered conflicts, expected %d", n.code, recorded, got, count)
	}
	if p.locks == 0 && r.ByLocks > 0 {
		t.Fatalf("%d conflicts are ordered by locks, and there are none", r.ByLocks)
	}
	return count
}
