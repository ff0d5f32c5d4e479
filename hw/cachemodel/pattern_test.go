package cachemodel

import (
	"math/rand/v2"
	"testing"

	"krdlab/hw/hwtest/long"
	"krdlab/hw/machine"
)

// TestPatterns: streams, rows and words, by where blocks lie.
func TestPatterns(t *testing.T) {
	for i, c := range []struct {
		block Block
		want  way
	}{
		{Block{RowBytes: 4096, Rows: 1}, way{pattern: Stream, starts: 3 << 10 / 64}},
		{Block{RowBytes: 449, Rows: 1}, way{pattern: Stream, starts: 3 << 10 / 8}},
		{Block{RowBytes: 448, Rows: 1}, way{}},
		{Block{RowBytes: 128, Stride: 4096, Rows: 32}, way{}},
		{Block{RowBytes: 2048, Stride: 32_768, Rows: 32}, way{pattern: Stream, starts: 3 << 10 / 32}},
		// less than a line apart
		{Block{RowBytes: 200, Stride: 256, Rows: 50}, way{pattern: Stream, starts: 3 << 10 / 200}},
		{Block{RowBytes: 8, Stride: 8192, Rows: 30}, way{pattern: Gather, starts: 0}},
		{Block{RowBytes: 8, Rows: 1}, way{}},
	} {
		if got := waysOf([]Block{c.block}, 64)[0]; got != c.want {
			t.Errorf("block %d, %+v: %+v, want %+v", i, c.block, got, c.want)
		}
	}
}

// TestOverlap: of a stream the first lines are waited for and the others come beside the work; rows
// come before it; gathered words beside it.
func TestOverlap(t *testing.T) {
	m := small(1, 1, 16, 4096)
	m.Memory.OverlapMisses, m.Memory.GatherMisses = 2, 8
	l := &Layout{}
	l.Add(64*64, 64) // 61 lines of 16 ns, and three of 25
	l.Add(64*4, 64)
	for _, c := range []struct {
		work, want uint64
		list       []Access
	}{
		{0, 75_000 + 61*16_000, []Access{{Block: 0}}},
		{500_000, 75_000 + 61*16_000, []Access{{Block: 0}}},
		{1_500_000, 75_000 + 1_500_000, []Access{{Block: 0}}},
		{500_000, 600_000, []Access{{Block: 1}}},
		{500_000, 500_000, []Access{{Block: 0, Gather: true}}},
		{100_000, 400_000, []Access{{Block: 0, Gather: true}}},
		{1_500_000, 75_000 + 100_000 + 1_500_000, []Access{{Block: 0}, {Block: 1}}},
	} {
		if got := build(t, m, l, Options{}).Kernel(0, 0, 0, c.work, c.list); got != c.want {
			t.Errorf("%+v and work of %d ps take %d, want %d", c.list, c.work, got, c.want)
		}
	}
}

// flood runs random executions on all cores of m, each core's one after the other, and returns when
// the last ends. check, if not nil, sees each.
func flood(t *testing.T, m *machine.Machine, seed uint64, steps int,
	check func(x *Model, core int, work, takes uint64, before Counters)) (end uint64, x *Model) {
	r := rand.New(rand.NewPCG(seed, 11))
	l := &Layout{}
	for range 60 {
		switch r.IntN(3) {
		case 0:
			l.Add(1+r.Uint64N(20_000), 64)
		case 1:
			l.AddMatrix(Matrix{Rows: 8, Cols: 16 + r.Uint64N(300), ElementBytes: 8, TileRows: 8,
				TileCols: 16 + r.Uint64N(300), RowBytes: 8192}, 4096)
		default:
			l.Add(1+r.Uint64N(300), 64)
		}
	}
	x = build(t, m, l, Options{Granularity: Granularity(seed % 2)})
	clock := make([]uint64, m.Cores())
	for step := range steps {
		core := step % m.Cores()
		list := make([]Access, 1+r.IntN(3))
		for i := range list {
			list[i] = Access{uint32(r.IntN(len(l.Blocks))), r.IntN(3) == 0, r.IntN(6) == 0}
		}
		work, before := r.Uint64N(2_000_000), x.Core(core)
		takes := x.Kernel(core, 0, clock[core], work, list)
		if check != nil {
			check(x, core, work, takes, before)
		}
		clock[core] += takes
		end = max(end, clock[core])
	}
	return end, x
}

// TestBounds: an execution takes no less than its work, nor than the memory needs for its lines; a
// memory serves no more than its bandwidth; and every line comes from one place.
func TestBounds(t *testing.T) {
	for seed := range uint64(long.Or(40, 400)) {
		r := rand.New(rand.NewPCG(seed, 12))
		m := small(1, 1+r.IntN(4), 64, 256*4)
		m.Memory.OverlapMisses, m.Memory.GatherMisses = 1+r.IntN(8), 1+r.IntN(20)
		m.Memory.BytesPerSecond = 1e9 + r.Uint64N(20e9)
		m.Memory.CoreBytesPerSecond = 1e9 + r.Uint64N(20e9)
		line := linePS(m, m.Memory.BytesPerSecond)
		end, x := flood(t, m, seed, 400, func(x *Model, core int, work, takes uint64,
			before Counters) {
			c := x.Core(core)
			lines := c.Local + c.Remote - before.Local - before.Remote
			if takes < work || takes < lines*line || takes-work != c.StallPS-before.StallPS {
				t.Fatalf("seed %d: %d ps for work of %d and %d lines of %d, stall %d", seed, takes,
					work, lines, line, c.StallPS-before.StallPS)
			}
		})
		c := x.Total()
		if c.Lines != c.L2Hits+c.LLCHits+c.Siblings+c.LLCMisses ||
			c.LLCMisses != c.Local+c.Remote+c.Transfers {
			t.Errorf("seed %d: %+v does not add up", seed, c)
		}
		if window := uint64(1) << 20; (c.Local+c.Remote)*line > end+window {
			t.Errorf("seed %d: %d lines of %d ps in %d", seed, c.Local+c.Remote, line, end)
		}
	}
}

// TestTwice: twice the bandwidth of any level, or twice the misses under way, never makes a core
// slower, by more than two of the windows in which a memory is shared out.
func TestTwice(t *testing.T) {
	for seed := range uint64(long.Or(40, 400)) {
		m := small(1, 1, 64, 256)
		m.Memory.OverlapMisses, m.Memory.GatherMisses = 2, 5
		m.Memory.BytesPerSecond = 3e9 + 1e9*(seed%7)
		before, _ := flood(t, m, seed, 300, nil)
		before += 2 << leastWindow
		for what, at := range map[string]*uint64{"L2": &m.L2.BytesPerSecond,
			"LLC": &m.LLC.BytesPerSecond, "a core": &m.Memory.CoreBytesPerSecond,
			"memory": &m.Memory.BytesPerSecond} {
			*at *= 2
			if after, _ := flood(t, m, seed, 300, nil); after > before {
				t.Errorf("seed %d: %d ps, with twice the bandwidth of %s %d", seed, before, what,
					after)
			}
			*at /= 2
		}
		for what, at := range map[string]*int{"rows": &m.Memory.OverlapMisses,
			"gathering": &m.Memory.GatherMisses} {
			*at *= 2
			if after, _ := flood(t, m, seed, 300, nil); after > before {
				t.Errorf("seed %d: %d ps, with twice the misses in %s %d", seed, before, what,
					after)
			}
			*at /= 2
		}
	}
}
