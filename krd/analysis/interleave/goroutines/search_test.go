package goroutines

import (
	"context"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"krdlab/krd/analysis/interleave/tasks"
)

// TestSearch checks that the search finds the ends of a range that drawn schedules do not come to: two
// goroutines access their own data piece by piece, and only in strict turns each distance is that of the
// other's data. The result is the same on one and two threads.
func TestSearch(t *testing.T) {
	const pieces = 100
	p := read(t, traceOf(t, 0, "0go "+strings.Repeat("0a 0sleep 0a 0sleep 1b 1sleep 1b 1sleep ", pieces/2)))
	explore := func(threads int) *Exploration {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
		x, err := Explore(context.Background(), p, Options{Samplers: Samplers, Runs: 200, Search: 800, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	x := explore(1)
	most, reuses := uint64(0), uint64(2*pieces-2)
	for _, g := range x.Groups {
		r := g.Total.Ranges[Distance]
		switch g.Kind {
		case tasks.KindSampler:
			most = max(most, r.Maximum)
		case tasks.KindSearch:
			if r.Minimum != 0 || r.Maximum <= most || r.Maximum != 64*reuses {
				t.Errorf("distances of %d to %d, expected 0 to %d; drawn schedules have up to %d", r.Minimum, r.Maximum,
					64*reuses, most)
			}
		}
	}
	if y := explore(2); !reflect.DeepEqual(x.Groups, y.Groups) {
		t.Error("two threads find other ranges than one")
	}
}

// TestSearchFor checks that a search goes on until its time is over, with other seeds: there are more schedules,
// and the range is no narrower.
func TestSearchFor(t *testing.T) {
	p := read(t, traceOf(t, 0, "0go "+strings.Repeat("0a 0sleep 0c 0sleep 1b 1sleep 1a 1sleep ", 20)))
	found := func(of time.Duration) *Group {
		x, err := Explore(t.Context(), p, Options{Search: 30, Seed: 1, For: of})
		if err != nil {
			t.Fatal(err)
		}
		return x.Groups[slices.IndexFunc(x.Groups, func(g *Group) bool { return g.Kind == tasks.KindSearch })]
	}
	one := found(0)
	began := time.Now()
	more := found(200 * time.Millisecond)
	a, b := one.Total.Ranges[Distance], more.Total.Ranges[Distance]
	if time.Since(began) < 200*time.Millisecond || more.Runs <= one.Runs ||
		b.Minimum > a.Minimum || b.Maximum < a.Maximum {
		t.Errorf("%d schedules with %v, %d with %v", one.Runs, a, more.Runs, b)
	}
}

// TestRecordedPlaces checks that the search begins with the recorded order.
func TestRecordedPlaces(t *testing.T) {
	p := read(t, traceOf(t, 0, "0go 0a 0sleep 1b 1sleep 0c 0lock 0unlock 1d 1lock 1e 1unlock 0f"))
	s := &searcher{drawer: newSession(&Exploration{Program: p}, t.Context(), Options{}, 1).drawers[0],
		measure: Distance, add: func([]Outcome) {}}
	s.shifted(&plan{})
	order := ""
	for _, i := range s.order {
		for _, u := range p.units[p.from[i]:p.from[i+1]] {
			order += string(rune('a' + u)) // units are numbered as they are first seen
		}
	}
	if order != "abcdef" {
		t.Errorf("the order is %s", order)
	}
}
