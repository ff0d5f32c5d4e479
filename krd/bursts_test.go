package krd

import (
	"krdlab/hw/hwtest/long"
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"
)

// inBursts gives n accesses to Bursts as a program that is sampled does, and returns its estimate
// and the exact bins.
func inBursts(n int, seed uint64, next func(i int) (line uint64, group uint32)) (*BurstEstimate,
	[coldBin + 1]float64) {
	var exact recency
	exact.reset()
	var want [coldBin + 1]float64
	var b Bursts
	change := func(i, from, to int) bool { return i == from+(to-from)/2 }
	on, from, end := false, 0, 0
	for i := range n {
		if i == end {
			on = !on
			from, end = i, i+max(1<<16, i/4)
			if on {
				b.Begin()
			} else {
				b.Pause()
			}
			b.Burst(false)
		} else if change(i, from, end) || i%(1<<17) == 5 {
			b.Burst(true)
		}
		line, group := next(i)
		between, _, first := exact.access(line, uint64(i))
		if first {
			want[coldBin]++
		} else {
			want[bits.Len64(uint64(between)*StreamLine)]++
		}
		b.Count(1)
		b.Dense(line, group)
		h := (line + seed<<40) * 0x9e3779b97f4a7c15
		if h = (h ^ h>>32) * 0xd6e8feb86659fd93; on && h>>60 == 0 {
			b.Watch(line, group, 0)
		}
	}
	return b.Estimate([]uint64{uint64(n)}, oneStratum), want
}

func oneStratum(uint32) int { return 0 }

// mixed is a stream of accesses to the same line, to a small set, to lines in turn and at random.
func mixed(seed uint64) func(int) (uint64, uint32) {
	rng := rand.New(rand.NewPCG(seed, 7))
	last, turn := uint64(0), uint64(0)
	return func(int) (uint64, uint32) {
		switch p := rng.IntN(100); {
		case p < 40:
			return last, 0
		case p < 70:
			last = 1<<20 + rng.Uint64N(300)
			return last, 1
		case p < 90:
			turn++
			last = 1<<21 + turn%8000
			return last, 2
		}
		last = 1<<22 + rng.Uint64N(15000)
		return last, 3
	}
}

func TestBurstsOfAKnownStream(t *testing.T) {
	const n = 3 << 20
	inside, all, sum := 0, 0, 0.0
	for seed := range long.Or(uint64(2), 12) {
		e, want := inBursts(n, seed, mixed(seed))
		if e == nil || e.Accesses != n {
			t.Fatalf("seed %d: %+v, expected %d accesses", seed, e, n)
		}
		total := 0.0
		for bin, w := range want {
			total += e.Bins[bin]
			if w < n/100 || bin == coldBin {
				continue
			}
			off := math.Abs(e.Bins[bin] - w)
			sum += off / n
			if all++; off <= 2*e.Errors[bin] {
				inside++
			} else {
				t.Logf("seed %d, bin %d: %.2f %% +- %.2f, expected %.2f", seed, bin, 100*e.Bins[bin]/n,
					200*e.Errors[bin]/n, 100*w/n)
			}
			if off > 0.03*n {
				t.Errorf("seed %d: bin %d has %.0f, expected %.0f", seed, bin, e.Bins[bin], w)
			}
		}
		if math.Abs(total-n) > 1e-3*n {
			t.Errorf("seed %d: the bins are %.0f, expected %d", seed, total, n)
		}
		report, groups, err := e.Report(StreamOptions{})
		if err != nil {
			t.Fatal(err)
		}
		whole := uint64(0)
		for _, g := range groups {
			whole += g.Accesses
		}
		if whole != n || report.Accesses != n {
			t.Errorf("seed %d: groups have %d, the report %d, expected %d", seed, whole,
				report.Accesses, n)
		}
	}
	t.Logf("%d of %d bins are within two standard errors; off by %.3f points on average", inside, all,
		100*sum/float64(all))
	if float64(inside) < 0.85*float64(all) {
		t.Errorf("%d of %d bins are within two standard errors, expected about 95 %%", inside, all)
	}
}

func TestBurstsOfOddStreams(t *testing.T) {
	var none Bursts
	if e := none.Estimate([]uint64{100}, oneStratum); e != nil {
		t.Errorf("no access is estimated as %+v", e)
	}
	none.Count(100)
	if e := none.Estimate([]uint64{100}, oneStratum); e != nil {
		t.Errorf("no burst is estimated as %+v", e)
	}
	none.Burst(true)
	none.Dense(1, 0) // too short
	if e := none.Estimate([]uint64{100}, oneStratum); e != nil {
		t.Errorf("a burst of one access is estimated as %+v", e)
	}
	// every line is new: all is beyond
	e, _ := inBursts(1<<20, 0, func(i int) (uint64, uint32) { return uint64(i), 9 })
	if e == nil || e.Bins[coldBin] < 0.98*(1<<20) {
		t.Errorf("new lines are estimated as %+v", e)
	}
	// one line: all is at distance 0
	if e, _ = inBursts(1<<20, 0, func(int) (uint64, uint32) { return 5, 9 }); e == nil ||
		e.Bins[0] != 1<<20 {
		t.Errorf("one line is estimated as %+v", e)
	}
}

// No error is 0, and none is known of far bins from one phase, nor of those that no phase could see.
func TestErrorsOfBursts(t *testing.T) {
	e, _ := inBursts(1<<17, 0, mixed(0))
	if e == nil || e.Phases > 1 || !math.IsNaN(e.Errors[19]) || !(e.Errors[0] > 0) {
		t.Errorf("of one phase: %+v", e)
	}
	if e, _ = inBursts(3<<20, 0, mixed(0)); e == nil || e.Phases < 2 || !math.IsNaN(e.Errors[30]) {
		t.Fatalf("of phases over 2 MiB: %+v", e)
	}
	for bin := range 20 {
		if !(e.Errors[bin] > 0) {
			t.Errorf("bin %d: the error is %g", bin, e.Errors[bin])
		}
	}
}

// TestBurstsBegin makes stages of near and far accesses, of half of all each. Bursts that begin
// anywhere estimate that; those that begin with a stage do not, and the test would see it.
func TestBurstsBegin(t *testing.T) {
	const n, stage, far = 8 << 20, 20_000, 3000
	for _, anywhere := range []bool{true, false} {
		rng, next := rand.New(rand.NewPCG(3, 4)), 0
		var b Bursts
		for i := range n {
			if i == next {
				b.Burst(false)
				if next += 1 << 17; anywhere {
					next += rng.IntN(2 * stage)
				} else {
					next += 2*stage - next%(2*stage)
				}
			}
			b.Count(1)
			if line := uint64(i % far); i/stage%2 == 1 {
				b.Dense(line, 0)
			} else {
				b.Dense(far+line%4, 0)
			}
		}
		e := b.Estimate([]uint64{n}, oneStratum)
		share, off := 1-e.Bins[8]/n, e.Errors[8]/n // of near ones, three others between
		t.Logf("begin anywhere: %t: %.1f %% +- %.1f", anywhere, 100*share, 200*off)
		if near := math.Abs(share-0.5) < max(0.04, 2*off); near != anywhere {
			t.Errorf("begin anywhere: %t: %.1f %% are far, of 50", anywhere, 100*share)
		}
	}
}

// TestBurstsLines gives a phase as many lines as it may have: it ends there, and keeps what it saw.
func TestBurstsLines(t *testing.T) {
	b := Bursts{Lines: 10}
	b.Count(5)
	b.Begin()
	for line := range uint64(100) {
		b.Count(1)
		b.Watch(line, 0, 0)
	}
	if p := &b.phases[0]; p.begin != 5 || p.end != 15 || b.far.known != 10 {
		t.Errorf("a phase of accesses %d to %d, with %d lines, expected 5 to 15 with 10", p.begin, p.end,
			b.far.known)
	}
	b.Begin()
	b.Count(1)
	if b.Watch(7, 0, 0); b.far.known != 1 {
		t.Errorf("%d lines after another began", b.far.known)
	}
}
