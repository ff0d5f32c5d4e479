package calibrate

import (
	"math"
	"slices"
	"strings"
	"testing"

	"krdlab/runtimes"
)

// The simulated driver counts for a level of a comb the operations in the package comment.
func TestCombOperations(t *testing.T) {
	const rounds = 3
	prices := runtimes.Costs{Spawn: 1000, Pop: 10_000, Lock: 100_000, Push: 1_000_000,
		Join: 10_000_000}
	virtual := func(p runtimes.Policy, c *comb) int64 {
		r, err := runtimes.Step(runtimes.StepConfig{Policy: p, Nodes: []int{0}, Seed: 1,
			Costs: prices}, c)
		if err != nil {
			t.Fatal(err)
		}
		if len(c.up) != c.rounds {
			t.Fatalf("%d rounds, want %d", len(c.up), c.rounds)
		}
		if c.early != 0 {
			t.Errorf("%d leaves ran on the way down, where nothing but spawns is to be timed",
				c.early)
		}
		return r.TimeNS
	}
	for _, p := range scheduled(runtimes.Schedulers) {
		two, many, tree := int64(1000+10_000), int64((manyWide-1)*11_000), int64(1000+10_000)
		if locked(p.Rules()) {
			two = 4*100_000 + 2*10_000_000 // 1 lock down, 3 up
			tree = two
			// One lock down, with Push for each further entry; up a lock and an arrival for each
			// leaf, and the rest queued and taken.
			many = 100_000 + (manyWide-2)*1_000_000 + (manyWide-1)*(100_000+10_000_000) +
				10_000_000 + 2*100_000
		}
		// Times that do not depend on the number of combs cancel out: the base, the end.
		per := func(more, fewer int64, levels int64) int64 { return (more - fewer) / levels }
		how, err := planOf(p.Policy)
		if err != nil || !how.combs {
			t.Fatalf("%s: %+v, %v", p.Name, how, err)
		}
		of := func(width, rounds int) *comb { return combs(how.nested, width)(rounds) }
		if got := per(virtual(p, of(2, 2*rounds)), virtual(p, of(2, rounds)),
			rounds*combDepth); got != two {
			t.Errorf("%s: a level of a comb takes %d, want %d", p.Name, got, two)
		}
		if got := per(virtual(p, of(manyWide, 2*rounds)), virtual(p, of(manyWide, rounds)),
			rounds*combDepth); got != many {
			t.Errorf("%s: a level of %d children takes %d, want %d", p.Name, manyWide, got, many)
		}
		if got := per(virtual(p, newTree(2*rounds)), virtual(p, newTree(rounds)),
			rounds*treeTasks); got != tree {
			t.Errorf("%s: a task of a tree takes %d, want %d", p.Name, got, tree)
		}
	}
	if got := virtual(runtimes.Serial{}, combs(0, 2)(rounds)); got != 0 {
		t.Errorf("serially a comb takes %d, want 0", got)
	}
}

// made returns the measurements of a policy on a computer where operations take these nanoseconds,
// and a serial level 5.
func made(p runtimes.Scheduler, spawn, pop, lock, push, join float64) series {
	s := series{}
	both := func(way string, base, more float64) {
		for _, noise := range []float64{1.5, 1, 1.2} { // the least is the true one
			s.Add(serial+way, base*noise)
			s.Add(p.Name+way, (base+more)*noise)
		}
	}
	if !locked(p.Rules()) {
		both(wayDown, 5, spawn)
		both(wayUp, 5, pop)
		both(wayTree, 10, spawn+pop)
		both(wayMany, 5, 9*spawn)
		return s
	}
	both(wayDown, 5, lock)
	both(wayUp, 5, 3*lock+2*join)
	both(wayTree, 10, 4*lock+2*join)
	both(wayMany, 5, lock+8*push)
	return s
}

func TestPart(t *testing.T) {
	for _, p := range scheduled(runtimes.Schedulers) {
		how, err := planOf(p.Policy)
		if err != nil {
			t.Fatal(err)
		}
		o := how.task
		if want := (operations{spawn: 1, pop: 1}); !locked(p.Rules()) && o != want {
			t.Errorf("%s: a task of a tree has %+v, want %+v", p.Name, o, want)
		}
		if want := (operations{lock: 4, join: 2}); p.Rules().Join == runtimes.JoinRequeue &&
			o != want {
			t.Errorf("%s: a task of a tree has %+v, want %+v", p.Name, o, want)
		}
		s := made(p, 7, 3, 6, 0.5, 4)
		s.Add(familyPath(p)+"lock_handover", 50)
		part(s, p, how)
		want := map[string]float64{"spawn": 7, "pop": 3}
		if locked(p.Rules()) {
			want = map[string]float64{"spawn": 0.5, "lock": 6, "join": 4, "lock_handover": 44}
		}
		for name, v := range want {
			if got := s[familyPath(p)+name]; len(got) != 1 || math.Abs(got[0]-v) > 1e-9 {
				t.Errorf("%s: %s is %v, want %v", p.Name, name, got, v)
			}
		}
		// Where combs are no more than noise the sum is parted all the same, and all parts are more
		// than nothing.
		s = made(p, 0, 0, 0, 0, 0)
		for i := range s[p.Name+wayTree] {
			s[p.Name+wayTree][i] += 12
		}
		part(s, p, how)
		sum := 0.0
		for name, times := range map[string]float64{"spawn": 1, "pop": 1, "lock": 4, "join": 2} {
			v := s[familyPath(p)+name]
			if len(v) == 1 && v[0] <= 0 {
				t.Errorf("%s: %s is %v", p.Name, name, v)
			}
			if len(v) == 1 {
				sum += times * v[0]
			}
		}
		if math.Abs(sum-12) > 1e-9 {
			t.Errorf("%s: the parts of 12 make %v", p.Name, sum)
		}
		// No tree that is slower than serial: nothing was measured.
		s = made(p, 7, 3, 6, 0.5, 4)
		for i := range s[p.Name+wayTree] {
			s[p.Name+wayTree][i] = 1
		}
		part(s, p, how)
		for _, name := range []string{"spawn", "pop", "lock", "join"} {
			if v := s[familyPath(p)+name]; v != nil {
				t.Errorf("%s: %s is %v of a tree that is faster than serial", p.Name, name, v)
			}
		}
	}
}

func TestHandovers(t *testing.T) {
	c := &crowd{children: 9, seen: [][]taken{{
		// by child: the newest entry is the last
		{100, 1}, {90, 1}, {70, 0}, {60, 0}, {55, 1}, {30, 0}, {20, 0}, {10, 0},
		{5, 1}, // called, not queued
	}}}
	from := c.handovers()
	if want := [2][]uint64{{25, 20}, nil}; !slices.Equal(from[0], want[0]) || !slices.Equal(from[1],
		want[1]) {
		t.Errorf("%v, want %v: the queue is taken from its end, and a worker that has just had "+
			"the lock did not wait", from, want)
	}
}

func TestMidmean(t *testing.T) {
	if got := midmean([]uint64{3, 1, 1000, 2, 4, 5, 6, 7, 8, 0}); got != 4.5 {
		t.Errorf("%v, want 4.5: neither the 0 nor the 1000", got)
	}
	if got := midmean(nil); got != 0 {
		t.Errorf("%v of nothing", got)
	}
}

// A price below the least that a machine may have is raised to it, and its source notes that.
func TestLeastPrice(t *testing.T) {
	p := scheduled(runtimes.Schedulers)[0]
	for _, tt := range []struct {
		name   string
		ps     float64
		want   uint64
		raised bool
	}{{"pop", 300, 1000, true}, {"pop", 1500, 1500, false}, {"spawn", 300, 300, false}} {
		path := familyPath(p) + tt.name
		c := calibration{samplesOf: series{path: {tt.ps, tt.ps}}}
		ps, why := c.price(cost{name: tt.name}, &p)
		source := c.source(path, "test")
		if ps != tt.want || why != "" || strings.Contains(source, "raised") != tt.raised {
			t.Errorf("%s of %v ps is %d (%s), %q; want %d, raised: %v", tt.name, tt.ps, ps, why,
				source, tt.want, tt.raised)
		}
	}
}
