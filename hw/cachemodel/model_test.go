package cachemodel

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"krdlab/hw/hwtest/long"
	"krdlab/hw/machine"
)

// small returns a machine with caches of so many lines, fully associative unless ways are given.
func small(nodes, perNode, l2Lines, llcLines int) *machine.Machine {
	m := &machine.Machine{Name: "small", Nodes: nodes, CoresPerNode: perNode, NodesPerSocket: 1,
		CoreHz: 1e9,
		L1:     machine.Cache{Bytes: 64, Ways: 1, LineBytes: 64, LatencyPS: 1000},
		L2: machine.Cache{Bytes: uint64(64 * l2Lines), Ways: l2Lines, LineBytes: 64,
			LatencyPS: 2000, BytesPerSecond: 64e9},
		LLC: machine.Cache{Bytes: uint64(64 * llcLines), Ways: llcLines, LineBytes: 64,
			LatencyPS: 9000, BytesPerSecond: 32e9, Inclusive: true},
		Memory: machine.Memory{NodesPerDomain: 1, LocalPS: 50_000, BytesPerSecond: 64e9,
			CoreBytesPerSecond: 4e9, PageBytes: 64, Placement: machine.Node0, OverlapMisses: 1,
			GatherMisses: 1},
		// the model has no use for them, but a machine is refused without
		Costs: machine.Costs{PopPS: 1000, StealFailedPS: 1000, MailPS: 1000, JoinPS: 1000,
			RestPS: 1000, LockPS: 1000}}
	for k := range m.Rates {
		m.Rates[k] = 1e9
	}
	m.Memory.RemotePS = remote(m, 80_000)
	return m
}

func remote(m *machine.Machine, ps uint64) [][]uint64 {
	r := make([][]uint64, m.Nodes)
	for a := range r {
		r[a] = make([]uint64, m.Nodes)
		for b := range r[a] {
			r[a][b] = m.Memory.LocalPS
			if m.Domain(a) != m.Domain(b) {
				r[a][b] = ps + uint64(1000*(m.Domain(a)+2*m.Domain(b)))
			}
		}
	}
	return r
}

// randomMachine returns a small machine.
func randomMachine(r *rand.Rand) *machine.Machine {
	perDomain := 1 + r.IntN(2)
	nodes := perDomain * (1 + r.IntN(3))
	perNode := 1 + r.IntN(3)
	if r.IntN(8) == 0 {
		perNode = 17 + r.IntN(24) // entries of the directory of several words
		if r.IntN(3) == 0 {
			perNode = 65 + r.IntN(100) // and nodes
		}
	}
	l2Ways, l2Sets := 1+r.IntN(9), 1+r.IntN(4)
	if r.IntN(2) == 0 {
		l2Ways, l2Sets = 1+r.IntN(3), 8
	}
	m := small(nodes, perNode, l2Ways*l2Sets, 1)
	m.L2.Ways = l2Ways
	m.LLC.Ways = 1 + r.IntN(20)
	m.LLC.Bytes = 64 * uint64(m.LLC.Ways*(1+r.IntN(6)))
	m.LLC.Inclusive = r.IntN(2) == 0
	for m.LLC.Bytes < m.L2.Bytes*uint64(perNode) {
		m.LLC.Bytes *= 2
	}
	m.Memory.NodesPerDomain, m.NodesPerSocket = perDomain, perDomain
	m.Memory.RemotePS = remote(m, 80_000)
	m.Memory.PageBytes = 64 << r.IntN(4)
	m.Memory.OverlapMisses, m.Memory.GatherMisses = 1+r.IntN(4), 1+r.IntN(9)
	m.L2.BytesPerSecond, m.LLC.BytesPerSecond = 60e9/uint64(1+r.IntN(9)), 60e9/uint64(1+r.IntN(9))
	m.Memory.CoreBytesPerSecond = 20e9 / uint64(1+r.IntN(9))
	m.Memory.BytesPerSecond = 64e9 / uint64(1+r.IntN(40))
	if r.IntN(2) == 0 {
		m.Memory.NodeBytesPerSecond = 30e9 / uint64(1+r.IntN(20))
	}
	if r.IntN(2) == 0 {
		m.Memory.Placement = machine.Interleave
	}
	m.Costs.LockDelayPS = uint64(r.IntN(2)) * 33_333
	return m
}

// randomLayout returns a layout of some blocks: contiguous ones that share lines or do not, rows
// that share lines or do not.
func randomLayout(r *rand.Rand) *Layout {
	l := &Layout{}
	switch r.IntN(5) {
	case 0: // lines
		for range 1 + r.IntN(80) {
			l.Add(64, 64)
		}
	case 1: // sizes and places of all kinds
		most := uint64(700)
		if r.IntN(3) == 0 {
			most = 5000
		}
		for range 1 + r.IntN(30) {
			l.Add(1+r.Uint64N(most), 1<<r.IntN(8))
		}
	case 2:
		l.AddMatrix(Matrix{Rows: 1 + r.Uint64N(30), Cols: 1 + r.Uint64N(60), ElementBytes: 4,
			TileRows: 1 + r.Uint64N(8), TileCols: 1 + r.Uint64N(32), Tiled: true}, 64)
	case 3: // rows of groups of lines
		m := Matrix{Rows: 1 + r.Uint64N(20), ElementBytes: 64 << r.IntN(4), TileRows: 1 +
			r.Uint64N(4), TileCols: 1 + r.Uint64N(3), Tiled: r.IntN(2) == 0}
		m.Cols = m.TileCols * (1 + r.Uint64N(4))
		for range 1 + r.IntN(2) {
			l.AddMatrix(m, 512)
		}
	default:
		l.AddMatrix(Matrix{Rows: 1 + r.Uint64N(30), Cols: 1 + r.Uint64N(60), ElementBytes: 4,
			TileRows: 1 + r.Uint64N(8), TileCols: 1 + r.Uint64N(32), RowBytes: 240 +
				r.Uint64N(300)}, 64)
	}
	return l
}

// TestAgainstNaive compares counts and stalls, access by access, with the plain model, which also
// checks its protocol.
func TestAgainstNaive(t *testing.T) {
	trials := long.Or(100, 600)
	grouped := 0
	for trial := range trials {
		r := rand.New(rand.NewPCG(uint64(trial), 6))
		m, l := randomMachine(r), randomLayout(r)
		opt := Options{Granularity: Granularity(trial % 2), Kernels: 2, Pages: Pages(r.IntN(2)),
			Seed: r.Uint64()}
		fast, err := New(m, l, opt)
		if err != nil {
			t.Fatal(err)
		}
		if fast.group > 1 {
			grouped++
		}
		slow := newNaive(m, l, opt)
		name := fmt.Sprintf("trial %d, %+v", trial, opt)
		writes := r.IntN(60)
		pool := min(1+r.IntN(40), len(l.Blocks))
		for step, now := 0, uint64(0); step < 120; step++ {
			now += r.Uint64N(100_000)
			if r.IntN(10) == 0 {
				node := r.IntN(m.Nodes)
				if got, want := fast.LockOperation(node, now), slow.lockOperation(node,
					now); got != want {
					t.Fatalf("%s: step %d: lock operation waits for %d ps, want %d", name, step,
						got, want)
				}
				continue
			}
			core, kernel := r.IntN(m.Cores()), r.IntN(2)
			list := make([]Access, 1+r.IntN(3))
			for i := range list {
				list[i] = Access{uint32(r.IntN(pool)), r.IntN(100) < writes, r.IntN(8) == 0}
			}
			work := r.Uint64N(300_000)
			got, want := fast.Kernel(core, kernel, now, work, list), slow.kernel(core, kernel, now,
				work, list)
			if g, w := fast.Counters(core, kernel), *slow.count[[2]int{core, kernel}]; g != w ||
				got != want {
				t.Fatalf("%s: step %d: core %d, %v: stall %d, want %d\n got %+v\nwant %+v", name,
					step, core, list, got, want, g, w)
			}
			if step%10 == 9 {
				fast.checkInside(t, name)
			}
		}
		for core := range m.Cores() {
			c := fast.Core(core)
			if c.Lines != c.L2Hits+c.LLCHits+c.Siblings+c.LLCMisses || c.LLCMisses != c.Local+
				c.Remote+c.Transfers {
				t.Fatalf("%s: core %d: %+v does not add up", name, core, c)
			}
		}
	}
	if grouped < trials/50 {
		t.Errorf("%d trials of %d had groups of lines", grouped, trials)
	}
}

// TestGroups: lines that all blocks have together, and that lie in the sets of caches alike, are
// one unit.
func TestGroups(t *testing.T) {
	m := small(1, 1, 64, 1024)
	m.L2.Ways, m.LLC.Ways, m.Memory.PageBytes = 4, 8, 4096 // 16 and 128 sets
	row := func(bytes, stride uint64) Block {
		return Block{Base: 4096, RowBytes: bytes,
			Stride: stride, Rows: 4}
	}
	for _, c := range []struct {
		blocks []Block
		want   uint64
	}{
		{[]Block{row(4096, 4096)}, 16},
		{[]Block{row(256, 4096)}, 4},
		{[]Block{row(250, 4096)}, 4}, // the last line in part
		{[]Block{row(256, 4096), row(128, 4096)}, 2},
		{[]Block{row(256, 4096), {Base: 64, RowBytes: 64, Rows: 1}}, 1},
		{[]Block{row(256, 4128)}, 1},
		{[]Block{{Base: 32, RowBytes: 96, Rows: 1}}, 1},
	} {
		x := build(t, m, &Layout{Blocks: c.blocks}, Options{Granularity: Lines})
		if x.group != c.want {
			t.Errorf("%+v: groups of %d lines, want %d", c.blocks, x.group, c.want)
		}
	}
}

// checkInside checks what must hold between calls: directory and caches agree, caches are not
// overfull, inclusion.
func (m *Model) checkInside(t *testing.T, name string) {
	t.Helper()
	units := len(m.entries) / m.stride
	used := make([]uint64, m.cores+m.nodes)
	for u := range uint32(units) {
		e := m.entry(u)
		for core := range m.cores {
			node := core / m.perNode
			bit := e[m.coreWord[core]]&m.coreBit[core] != 0
			held := m.holds(core, u)
			if held {
				used[core] += m.linesOf(u)
			}
			if held && !bit || bit && !held && !m.inclusive {
				t.Fatalf("%s: unit %d: core %d holds it: %v, the directory says %v", name, u, core,
					held, bit)
			}
			if held && m.inclusive && e[0]&(1<<node) == 0 {
				t.Fatalf("%s: unit %d is in the L2 of core %d and not in its LLC", name, u, core)
			}
			if held && m.ownerOf(e[0]) >= 0 && m.ownerOf(e[0])/m.perNode != node {
				t.Fatalf("%s: unit %d belongs to core %d, and core %d has a copy", name, u,
					m.ownerOf(e[0]), core)
			}
		}
		for node := range m.nodes {
			if e[0]&(1<<node) != 0 {
				used[m.cores+node] += m.linesOf(u)
			}
			if c := &m.shared[node]; c.place != nil {
				if set, line := c.where(u); c.holds(set, line) != (e[0]&(1<<node) != 0) {
					t.Fatalf("%s: line %d: LLC %d and the directory differ", name, u, node)
				}
			}
		}
	}
	if !m.byBlocks {
		return
	}
	for i, n := range used {
		var c *cacheOf
		if i < m.cores {
			c = &m.private[i]
		} else {
			c = &m.shared[i-m.cores]
		}
		if n != c.used || n > c.capacity {
			t.Fatalf("%s: cache %d has %d lines, says %d, of %d", name, i, n, c.used, c.capacity)
		}
	}
}
