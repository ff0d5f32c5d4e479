package cachemodel

import (
	"hash/fnv"
	"testing"

	"krdlab/hw/machine"
)

// TestGolden runs pseudo-random accesses and lock operations on two machines and compares a hash of
// all stalls and counts with what it was on linux/amd64. It is equal on every computer, and changes
// only with the model, on purpose: then take the new hash from the message.
func TestGolden(t *testing.T) {
	m := small(4, 6, 4096, 1)
	m.L2.Ways, m.LLC.Ways, m.LLC.Bytes = 8, 16, 18<<17
	m.Memory.PageBytes, m.Memory.OverlapMisses, m.Memory.BytesPerSecond = 4096, 10, 19_200_000_000
	m.Costs.LockDelayPS = 77_777
	today := *m
	today.LLC.Inclusive = false
	today.Nodes, today.CoresPerNode, today.NodesPerSocket = 4, 5, 2
	today.Memory.NodesPerDomain, today.Memory.NodeBytesPerSecond, today.Memory.Placement = 2,
		47_000_000_000, machine.Interleave
	today.L2.Bytes, today.LLC.Bytes = 512<<10, 2<<20
	today.Memory.RemotePS = remote(&today, 130_000)
	for _, g := range []struct {
		name string
		m    *machine.Machine
		opt  Options
		want uint64
	}{
		{"blocks", m, Options{}, 0x963b510fd1eeefee},
		{"lines", m, Options{Granularity: Lines, Seed: 3}, 0xfc8195277c41991f},
		{"victim cache, blocks", &today, Options{}, 0x48f633bcc541ccc7},
		{"victim cache, lines", &today, Options{Granularity: Lines}, 0x6b40a7aba0f12652},
	} {
		l := &Layout{}
		l.AddMatrix(Matrix{Rows: 512, Cols: 1024, ElementBytes: 4, TileRows: 32, TileCols: 64},
			4096)
		l.AddMatrix(Matrix{Rows: 1000, Cols: 1000, ElementBytes: 4, TileRows: 64, TileCols: 32,
			Tiled: true}, 4096)
		for i := range uint64(2000) {
			l.Add(1+i*i%9000, 8)
		}
		model, err := New(g.m, l, g.opt)
		if err != nil {
			t.Fatal(err)
		}
		for round := range 2 { // the second after Reset
			h := fnv.New64a()
			add := func(values ...uint64) {
				for _, v := range values {
					var b [8]byte
					for i := range b {
						b[i] = byte(v >> (8 * i))
					}
					h.Write(b[:])
				}
			}
			now, state := uint64(0), uint64(12345)
			draw := func(n uint64) uint64 {
				state += 0x9e3779b97f4a7c15
				return mix(state) >> 20 % n
			}
			cores, blocks := uint64(g.m.Cores()), uint64(len(l.Blocks))
			for range 6000 {
				now += draw(2_000_000)
				if draw(6) == 0 {
					add(model.LockOperation(int(draw(uint64(g.m.Nodes))), now))
				}
				near := draw(blocks - 100)
				add(model.Kernel(int(draw(cores)), 0, now, draw(50_000_000),
					[]Access{{Block: uint32(near + draw(100))}, {Block: uint32(draw(blocks)),
						Gather: draw(4) == 0}, {Block: uint32(near), Write: draw(2) == 0}}))
			}
			for c := range g.m.Cores() {
				x := model.Core(c)
				add(x.Accesses, x.Lines, x.L2Hits, x.LLCHits, x.Siblings, x.LLCMisses, x.Local,
					x.Remote, x.Transfers, x.Upgrades,
					x.Invalidations, x.BackInvalid, x.WriteBacks, x.StallPS, x.BandwidthPS,
					x.LockDelaysPS)
			}
			if got := h.Sum64(); got != g.want {
				t.Errorf("%s: hash %#x, want %#x (round %d, %+v)", g.name, got, g.want, round,
					model.Total())
			}
			model.Reset()
		}
	}
}
