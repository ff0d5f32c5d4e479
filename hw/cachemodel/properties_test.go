package cachemodel

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"krdlab/hw/hwtest/long"
	"krdlab/hw/machine"
)

// lineBlocks is a layout of n blocks of one line each.
func lineBlocks(n int) *Layout {
	l := &Layout{}
	for range n {
		l.Add(64, 64)
	}
	return l
}

func build(t *testing.T, m *machine.Machine, l *Layout, opt Options) *Model {
	t.Helper()
	x, err := New(m, l, opt)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func both(t *testing.T, f func(*testing.T, Options)) {
	t.Run("blocks", func(t *testing.T) { f(t, Options{}) })
	t.Run("lines", func(t *testing.T) { f(t, Options{Granularity: Lines}) })
}

// TestCapacity: a working set that fits a cache never misses it again, and one line more always
// does.
func TestCapacity(t *testing.T) {
	both(t, func(t *testing.T, opt Options) {
		for _, extra := range []int{0, 1} {
			x := build(t, small(1, 1, 32, 100), lineBlocks(200), opt)
			for range 10 {
				for b := range uint32(32 + extra) {
					x.Kernel(0, 0, 0, 0, []Access{{Block: b}})
				}
			}
			want := uint64(9 * 32)
			if extra == 1 {
				want = 0
			}
			if c := x.Core(0); c.L2Hits != want || c.LLCMisses != uint64(32+extra) {
				t.Errorf("L2 of 32 lines, %d in use: %d hits, want %d; %d misses of the LLC",
					32+extra, c.L2Hits, want, c.LLCMisses)
			}
			x = build(t, small(1, 1, 32, 100), lineBlocks(200), opt)
			for range 10 {
				for b := range uint32(100 + extra) {
					x.Kernel(0, 0, 0, 0, []Access{{Block: b}})
				}
			}
			want = 100
			if extra == 1 {
				want = 10 * 101
			}
			if c := x.Core(0); c.LLCMisses != want {
				t.Errorf("LLC of 100 lines, %d in use: %d misses, want %d", 100+extra, c.LLCMisses,
					want)
			}
		}
	})
}

// TestPingPong: a block that two nodes write by turns misses each time but the first, and comes
// from the other node.
func TestPingPong(t *testing.T) {
	both(t, func(t *testing.T, opt Options) {
		m := small(2, 2, 32, 100)
		x := build(t, m, lineBlocks(1), opt)
		for i := range 100 {
			stall := x.Kernel(i%2*2, 0, uint64(i)*1e9, 0, []Access{{Write: true}})
			want := m.Memory.RemotePS[i%2][1-i%2]
			if i == 0 {
				want = m.Memory.LocalPS
			}
			if stall != want {
				t.Errorf("write %d stalls for %d ps, want %d", i, stall, want)
			}
		}
		// Each write takes one copy from the other node's L2 and one from its LLC.
		if c := x.Total(); c.LLCMisses != 100 || c.Transfers != 99 || c.Invalidations != 2*99 {
			t.Errorf("%+v", c)
		}
		// Within a node the LLC is not missed.
		x.Reset()
		for i := range 100 {
			x.Kernel(i%2, 0, uint64(i)*1e9, 0, []Access{{Write: true}})
		}
		if c := x.Total(); c.LLCMisses != 1 || c.Siblings != 99 || c.Invalidations != 99 {
			t.Errorf("within a node: %+v", c)
		}
	})
}

// TestBandwidth: two cores that ask for more than a memory serves get what it serves, to a window.
func TestBandwidth(t *testing.T) {
	both(t, func(t *testing.T, opt Options) {
		m := small(1, 2, 2, 4)
		m.Memory.BytesPerSecond = 640e6 // 100 ns for a line, twice the latency
		x := build(t, m, lineBlocks(10_000), opt)
		clock := []uint64{0, 0}
		for i := range uint32(10_000) {
			core := 0
			if clock[1] < clock[0] {
				core = 1
			}
			clock[core] += x.Kernel(core, 0, clock[core], 0, []Access{{Block: i}})
		}
		const want, window = 10_000 * 100_000, 1 << 20
		if end := max(clock[0], clock[1]); end+window < want || end > want+window {
			t.Errorf("10 000 lines of 100 ns each took %d ps", end)
		}
		// Each waits for as long as it is served.
		if c := x.Total(); c.BandwidthPS+2*window < want || c.BandwidthPS > want+2*window {
			t.Errorf("waits of %d ps", c.BandwidthPS)
		}
	})
}

// TestBandwidthAhead: a core that asks for later does not hold up another one before that time, nor
// has it more than the memory serves when others have asked before it.
func TestBandwidthAhead(t *testing.T) {
	both(t, func(t *testing.T, opt Options) {
		m := small(1, 2, 2, 4)
		m.Memory.BytesPerSecond = 640e6
		x := build(t, m, lineBlocks(2000), opt)
		const later = 500_000_000
		ask := func(core int, from, to uint32, now uint64) (end, waits uint64) {
			before := x.Core(core).BandwidthPS
			for i := from; i < to; i++ {
				now += x.Kernel(core, 0, now, 0, []Access{{Block: i}})
			}
			return now, x.Core(core).BandwidthPS - before
		}
		if end, waits := ask(0, 0, 1000, later); end != later+1000*100_000 || waits != 0 {
			t.Errorf("alone: 1000 lines end at %d, waits of %d ps", end, waits)
		}
		if end, waits := ask(1, 1000, 1500, 0); end != 500*100_000 || waits != 0 {
			t.Errorf("before: 500 lines end at %d, waits of %d ps", end, waits)
		}
		const window = 1 << 20
		if end, waits := ask(1, 1500, 2000, later); end+window < later+1500*100_000 ||
			waits < 1000*100_000-window {
			t.Errorf("at the same time: 500 lines end at %d, waits of %d ps", end, waits)
		}
	})
}

// TestServer: a request is spread over its time, and what does not fit comes later.
func TestServer(t *testing.T) {
	const window = 1 << 17
	s := newServer(10_000, 50_000)
	for i, c := range []struct{ at, lines, over, wait uint64 }{
		// 100 000 ps over four windows: 25 000 in each
		{0, 10, 4 * window, 0},
		// 100 000 in each: 125 000 of 131 072 are taken
		{0, 40, 4 * window, 0},
		// 10 000 in each; 6072 fit: the rest of 40 000 comes in the fifth
		{0, 4, 4 * window, 15_712},
		// 81 072 in the rest of the fifth window, and 8928 in the sixth
		{4*window + 50_000, 9, 0, 0},
		// 200 000 ps as fast as they come: all of one window, and 68 928 of the next
		{10 * window, 20, 0, 0},
		{10 * window, 20, 0, 200_000}, // and 200 000 behind them
		// three windows are full, and 6784 of the fourth
		{10*window + 60_000, 10, 2 * window, 177_856},
	} {
		if got := s.serve(c.at, c.lines, c.over); got != c.wait {
			t.Errorf("request %d: waits for %d ps, want %d", i, got, c.wait)
		}
	}
	s.serve((keptWindows+20)*window, 1, 0)
	if got := s.serve(10*window, 20, 0); got != 0 {
		t.Errorf("longer ago than what is kept: waits for %d ps", got)
	}
	if s.reset(); s.serve(0, 13, 0) != 0 || s.serve(0, 13, 0) == 0 {
		t.Error("reset")
	}
}

// TestPrices: the cost of a block of four lines, two lines at a time, by its last holder.
func TestPrices(t *testing.T) {
	m := small(2, 2, 32, 100)
	m.Memory.OverlapMisses = 2
	l := &Layout{}
	l.Add(256, 64)
	const l2, llc, local = 2000, 9000, 50_000
	away := func(a, b int) uint64 { return m.Memory.RemotePS[a][b] }
	both(t, func(t *testing.T, opt Options) {
		x := build(t, m, l, opt)
		for i, c := range []struct {
			core  int
			write bool
			line  uint64 // latency of one line
			what  string
		}{
			{0, false, local, "nobody: memory, the first touch"},
			{0, false, l2, "itself"},
			{1, false, llc, "a sibling, which read it"},
			{1, true, l2 + llc, "itself, and a sibling has it too: L2, and the sibling's copy " +
				"must go"},
			{0, false, llc + l2, "a sibling, which wrote it: through the LLC from its L2"},
			{2, false, away(1, 0), "another node, which wrote it"},
			{3, false, llc, "a sibling, which read it"},
			{3, true, l2 + away(1, 0), "itself, a sibling and another node: the farthest must " +
				"say that its copy is gone"},
			{2, true, llc + l2, "a sibling, which wrote it"},
			{0, true, away(0, 1), "another node, which wrote it, to write"},
			{0, true, l2, "itself, alone"},
		} {
			if got := x.Kernel(c.core, 0, uint64(i)*1e9, 0,
				[]Access{{Write: c.write}}); got != 4*c.line/2 {
				t.Errorf("access %d, of what had last %s: %d ps, want %d", i, c.what, got,
					4*c.line/2)
			}
		}
	})
}

// TestLocks: a lock operation delays those who miss in its node.
func TestLocks(t *testing.T) {
	both(t, func(t *testing.T, opt Options) {
		m := small(2, 1, 4, 8)
		m.Costs.LockDelayPS = 1_000_000
		x := build(t, m, lineBlocks(20), opt)
		for b := range uint32(6) { // 0 and 1 are then in the LLC only
			x.Kernel(0, 0, 0, 0, []Access{{Block: b}})
		}
		x.Kernel(1, 0, 0, 0, []Access{{Block: 10}})
		const now = 1e9
		if wait := x.LockOperation(0, now); wait != 0 {
			t.Errorf("the first operation waits for %d ps", wait)
		}
		if wait := x.LockOperation(0, now+400_000); wait != 600_000 {
			t.Errorf("the second operation waits for %d ps, want 600000", wait)
		}
		got := []uint64{
			x.Kernel(0, 0, now+500_000, 0, []Access{{Block: 5}}),    // in the L2
			x.Kernel(0, 0, now+500_000, 0, []Access{{Block: 0}}),    // in the LLC
			x.Kernel(0, 0, now+1_000_000, 0, []Access{{Block: 12}}), // in no cache
			x.Kernel(1, 0, now+1_000_000, 0, []Access{{Block: 13}}), // on the other node
		}
		if want := []uint64{2000, 9000, 50_000 + 1_000_000, 50_000}; !slices.Equal(got, want) {
			t.Errorf("stalls %d, want %d", got, want)
		}
	})
}

// TestModesAgree: blocks of one line in fully associative caches are lines.
func TestModesAgree(t *testing.T) {
	for trial := range uint64(60) {
		r := rand.New(rand.NewPCG(trial, 9))
		m := randomMachine(r)
		m.L2.Ways, m.LLC.Ways = int(m.L2.Bytes/64), int(m.LLC.Bytes/64)
		l := lineBlocks(1 + r.IntN(150))
		a, b := build(t, m, l, Options{}), build(t, m, l, Options{Granularity: Lines, Seed: trial})
		for step := range uint64(2000) {
			core, list := r.IntN(m.Cores()),
				[]Access{{Block: uint32(r.IntN(len(l.Blocks))), Write: r.IntN(4) == 0},
					{Block: uint32(r.IntN(len(l.Blocks)))}}
			if x, y := a.Kernel(core, 0, step*30_000, 0, list), b.Kernel(core, 0, step*30_000, 0,
				list); x != y {
				t.Fatalf("trial %d, step %d: stalls %d and %d", trial, step, x, y)
			}
		}
		if a.Total() != b.Total() {
			t.Fatalf("trial %d: %+v and %+v", trial, a.Total(), b.Total())
		}
	}
}

// TestShort goes through all sequences of three or four accesses of two cores on two nodes to three lines,
// read and written.
func TestShort(t *testing.T) {
	m, length, codes := small(2, 1, 1, 2), long.Or(3, 4), long.Or(12*12*12, 12*12*12*12)
	for _, inclusive := range []bool{true, false} {
		m.LLC.Inclusive = inclusive
		for _, opt := range []Options{{}, {Granularity: Lines}} {
			l := lineBlocks(3)
			fast := build(t, m, l, opt)
			for code := range codes {
				fast.Reset()
				slow := newNaive(m, l, opt)
				for i, rest := 0, code; i < length; i, rest = i+1, rest/12 {
					a := []Access{{Block: uint32(rest / 2 % 3), Write: rest%2 == 1}}
					core, now := rest/6%2, uint64(i)*10_000
					got, want := fast.Kernel(core, 0, now, 7000, a), slow.kernel(core, 0, now, 7000, a)
					if got != want || fast.Counters(core, 0) != *slow.count[[2]int{core, 0}] {
						t.Fatalf("sequence %d, access %d: stall %d, want %d; %+v, want %+v", code,
							i, got, want, fast.Counters(core, 0), *slow.count[[2]int{core, 0}])
					}
				}
			}
		}
	}
}

// TestPlace: pages are where they were put, or where they were touched first.
func TestPlace(t *testing.T) {
	m := small(2, 1, 4, 8)
	x := build(t, m, lineBlocks(4), Options{})
	x.Place(1, 0, 1)
	x.Kernel(0, 0, 0, 0, []Access{{Block: 0}, {Block: 2}})
	x.Kernel(1, 0, 1e9, 0, []Access{{Block: 1}, {Block: 2}})
	if a, b := x.Core(0), x.Core(1); a.Remote != 1 || a.Local != 1 || b.Local != 1 ||
		b.Remote != 1 {
		t.Errorf("core 0 %+v\ncore 1 %+v", a, b)
	}
}

// TestLinesOfBlocks: rows that share a line have it once; a page-sized stride matters in line mode.
func TestLinesOfBlocks(t *testing.T) {
	l := &Layout{Blocks: []Block{
		{Base: 0, RowBytes: 256, Rows: 1},
		{Base: 60, RowBytes: 8, Rows: 1},
		{Base: 0, RowBytes: 16, Stride: 32, Rows: 4},
		{Base: 48, RowBytes: 32, Stride: 128, Rows: 3},
	}}
	want := []uint64{4, 2, 2, 6}
	both(t, func(t *testing.T, opt Options) {
		x := build(t, small(1, 1, 16, 16), l, opt)
		for b, lines := range want {
			before := x.Total().Lines
			x.Kernel(0, 0, 0, 0, []Access{{Block: uint32(b)}})
			if got := x.Total().Lines - before; got != lines {
				t.Errorf("block %d has %d lines, want %d", b, got, lines)
			}
		}
	})
	// 16 rows a set's span apart compete for the same sets; the same bytes in a row do not.
	m := small(1, 1, 64, 4096)
	m.L2.Ways = 8
	for _, stride := range []uint64{64, 512} {
		x := build(t, m, &Layout{Blocks: []Block{{RowBytes: 64, Stride: stride, Rows: 16}}},
			Options{Granularity: Lines, Pages: PagesIdentity})
		x.Kernel(0, 0, 0, 0, []Access{{}, {}})
		hits := uint64(16)
		if stride == 512 {
			hits = 0
		}
		if got := x.Total().L2Hits; got != hits {
			t.Errorf("16 rows %d bytes apart: %d hits at the second access, want %d", stride, got,
				hits)
		}
	}
}

// TestMatrix: tiles cover the matrix, each byte once.
func TestMatrix(t *testing.T) {
	for _, tiled := range []bool{false, true} {
		l := &Layout{End: 100}
		if first := l.AddMatrix(Matrix{Rows: 100, Cols: 70, ElementBytes: 4, TileRows: 32,
			TileCols: 64, Tiled: tiled}, 256); first != 0 || len(l.Blocks) != 8 {
			t.Fatalf("first tile %d, %d tiles", first, len(l.Blocks))
		}
		seen := map[uint64]bool{}
		for _, b := range l.Blocks {
			for r := range uint64(b.Rows) {
				for a := range b.RowBytes {
					at := b.Base + r*b.Stride + a
					if seen[at] || at < 256 || at >= 256+100*70*4 {
						t.Fatalf("tiled %v: byte %d twice or outside", tiled, at)
					}
					seen[at] = true
				}
			}
		}
		if len(seen) != 100*70*4 || l.End != 256+100*70*4 {
			t.Errorf("tiled %v: %d bytes, end %d", tiled, len(seen), l.End)
		}
	}
}

func TestRefusals(t *testing.T) {
	large := small(64, 1, 4, 8)
	for name, c := range map[string]struct {
		m     *machine.Machine
		l     *Layout
		opt   Options
		limit bool
	}{
		"nodes":       {large, lineBlocks(1), Options{}, true},
		"empty block": {small(1, 1, 4, 8), &Layout{Blocks: []Block{{}}}, Options{}, false},
		"overlap": {small(1, 1, 4, 8),
			&Layout{Blocks: []Block{{RowBytes: 64, Stride: 32, Rows: 2}}}, Options{}, false},
		"far away": {small(1, 1, 4, 8),
			&Layout{Blocks: []Block{{Base: 1 << 60, RowBytes: 64, Rows: 1}}}, Options{}, true},
		"wraps": {small(1, 1, 4, 8),
			&Layout{Blocks: []Block{{RowBytes: 64, Stride: 1 << 63, Rows: 4}}}, Options{}, true},
		"names":   {small(1, 1, 4, 8), lineBlocks(70_000), Options{Granularity: Lines}, true},
		"machine": {&machine.Machine{}, lineBlocks(1), Options{}, false},
	} {
		if _, err := New(c.m, c.l, c.opt); err == nil || errors.Is(err, ErrLimit) != c.limit {
			t.Errorf("%s: %v", name, err)
		}
	}
}
