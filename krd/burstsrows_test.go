package krd

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"krdlab/hw/hwtest/long"
)

// rowsOf samples n accesses as inBursts does, but bursts begin at random, and returns the rows of
// groups, each a stratum, and their exact shares by column.
func rowsOf(n, groups int, seed uint64, next func(i int) (line uint64, group uint32)) (rows []BurstRow,
	want [][]float64) {
	rng := rand.New(rand.NewPCG(seed, 11))
	var exact recency
	exact.reset()
	var b Bursts
	sizes := make([]uint64, groups)
	want = table(groups, columnLimits+len(RowLimits))
	on, end, small, large := false, 0, 0, 0
	for i := range n {
		if i == end {
			if on = !on; on {
				b.Begin()
				end = i + max(1<<16, i/8)
			} else {
				b.Pause()
				end = i + max(1<<16, i/3)
			}
			small, large = i+rng.IntN(1<<13), i+rng.IntN(1<<17)
		}
		switch {
		case on:
		case i == large:
			b.Burst(false)
			large = i + 1<<16 + rng.IntN(1<<17)
			small = i + 1<<16 + rng.IntN(1<<14)
		case i == small:
			b.Burst(true)
			small = i + 1<<11 + rng.IntN(1<<14)
		}
		line, group := next(i)
		between, _, first := exact.access(line, uint64(i))
		sizes[group]++
		bin := coldBin
		if !first {
			bin = bits.Len64(uint64(between) * StreamLine)
		}
		for c := columnLimits; c < len(want[group]); c++ {
			if first || bin >= bits.Len64(RowLimits[c-columnLimits]) {
				want[group][c]++
			}
		}
		if first {
			want[group][columnCold]++
		}
		b.Count(1)
		b.Dense(line, group)
		h := (line + seed<<40) * 0x9e3779b97f4a7c15
		if h = (h ^ h>>32) * 0xd6e8feb86659fd93; on && h>>60 == 0 {
			b.Watch(line, group, 0)
		}
	}
	var parts []BurstPart
	for g := range groups {
		parts = append(parts, BurstPart{[]uint32{uint32(g)}, []uint64{sizes[g]}})
		for c := range want[g] {
			want[g][c] /= float64(sizes[g])
		}
	}
	return b.Estimate(sizes, func(g uint32) int { return int(g) }, parts...).Rows, want
}

// staged is mixed in stages of random length, each of one of the groups alone.
func staged(seed uint64) func(int) (uint64, uint32) {
	rng, turn := rand.New(rand.NewPCG(seed, 5)), [4]uint64{}
	left, g := 0, 0
	return func(int) (uint64, uint32) {
		if left--; left < 0 {
			left, g = rng.IntN(100_000), rng.IntN(4)
		}
		turn[g]++
		switch t := turn[g]; g {
		case 0:
			return t % 5 * t % 3, 0
		case 1:
			return 1<<20 + rng.Uint64N(1000), 1
		case 2:
			return 1<<21 + t/2%30_000, 2
		}
		if rng.IntN(20) > 0 {
			return 1<<23 + turn[3]/1000, 3
		}
		return 1<<22 + rng.Uint64N(20_000), 3
	}
}

func TestRowsOfBursts(t *testing.T) {
	inside, all, missing, cells := 0, 0, 0, 0
	for name, stream := range map[string]func(uint64) func(int) (uint64, uint32){"mixed": mixed,
		"staged": staged} {
		for seed := range long.Or(uint64(1), 12) {
			rows, want := rowsOf(long.Or(2<<20, 16<<20), 4, seed, stream(seed))
			for g, row := range rows {
				for i, p := range row.Beyond {
					w := want[g][columnLimits+i]
					t.Logf("%s %d: row %d beyond %d: %.2f %% +- %.2f, expected %.2f", name, seed, g, i,
						100*p.Share, 200*p.Error, 100*w)
					if cells++; !p.Known() {
						missing++
					} else if all++; math.Abs(p.Share-w) <= 2*p.Error {
						inside++
					}
				}
			}
		}
	}
	t.Logf("%d of %d shares are within two standard errors; %d of %d are not known", inside, all,
		missing, cells)
	if float64(inside) < 0.9*float64(all) || missing > long.Or(cells/2, cells/20) {
		t.Errorf("%d of %d shares are within two standard errors, and %d of %d are not known", inside,
			all, missing, cells)
	}
}

// A row that too few bursts saw has no share, nor has one whose far accesses no phase saw; one that is
// seen has.
func TestRowsThatAreNotKnown(t *testing.T) {
	var b Bursts
	for i := range 20 {
		b.Burst(true)
		for j := range SmallAccesses {
			group := uint32(0)
			if i < 3 && j%2 == 1 {
				group = 1
			}
			line := uint64(j % 7)
			if i > 10 && j%4 == 0 {
				group, line = 2+3*uint32(j/4%2), uint64(10+j) // or 5, of the same stratum and row
			}
			b.Count(1)
			b.Dense(line, group)
		}
		b.Count(10_000)
	}
	sizes := []uint64{100_000, 50_000, 50_000, 30}
	var parts []BurstPart
	for g, n := range sizes {
		parts = append(parts, BurstPart{[]uint32{uint32(g)}, []uint64{n}})
	}
	parts[2] = BurstPart{[]uint32{2, 5}, []uint64{25_000, 25_000}}
	e := b.Estimate(sizes, func(g uint32) int { // 4 is of none that was counted
		return map[uint32]int{0: 0, 1: 1, 2: 2, 3: 3, 4: 99, 5: 2}[g]
	}, parts...)
	for g, want := range []struct {
		short        string
		seen, needed int
	}{{}, {ShortOfBursts, 3, 4}, {ShortOfLargeBursts, 0, 2}, {ShortOfBursts, 0, 4}} {
		r := e.Rows[g]
		if r.Short != want.short || r.Seen != want.seen || r.Needed != want.needed ||
			r.Beyond[0].Known() != (want.short == "") || r.Accesses != float64(sizes[g]) || r.Error != 0 {
			t.Errorf("row %d: %+v, expected %+v", g, r, want)
		}
	}
	if e.Unseen[3] != 30 || !(e.Errors[3] >= 15) {
		t.Errorf("of what no burst has seen: %g accesses, error %g", e.Unseen[3], e.Errors[3])
	}
}
