package cachemodel

import (
	"math/rand/v2"
	"testing"

	"krdlab/hw/machine"
)

// Without a cause, the events of it alone do not happen, and nothing takes longer; without all of
// them each node fetches each line once, from its own memory.
func TestFree(t *testing.T) {
	m, err := machine.ByName("westmere-ex-4s")
	if err != nil {
		t.Fatal(err)
	}
	for _, granularity := range []Granularity{Blocks, Lines} {
		for _, inclusive := range []bool{true, false} {
			x := *m
			x.LLC.Inclusive = inclusive
			x.L2.Bytes, x.LLC.Bytes = 32<<10, 256<<10
			var l Layout
			const blocks, bytes = 64, 8 << 10
			for range blocks {
				l.Add(bytes, 4096)
			}
			model, err := New(&x, &l, Options{Granularity: granularity, Pages: PagesIdentity})
			if err != nil {
				t.Fatal(err)
			}
			pairs := map[[2]int]bool{}
			run := func(f Free) (ps uint64, c Counters) {
				model.Reset()
				model.Place(0, identity32(blocks)...)
				list := make([]Free, blocks)
				for i := range list {
					list[i] = f
				}
				model.Free(list, 0)
				r := rand.New(rand.NewPCG(1, 2))
				now := uint64(0)
				clear(pairs)
				for range 6000 {
					now += 300_000
					core, block := r.IntN(24), r.IntN(blocks)
					pairs[[2]int{core, block}] = true
					ps += model.Kernel(core, 0, now, 0, []Access{{Block: uint32(block), Write: r.IntN(8) == 0}})
				}
				return ps, model.Total()
			}
			const lines = blocks * bytes / 64
			whole, all := run(0)
			if all.Transfers == 0 || all.Remote == 0 || all.L2Hits == all.Lines || all.BandwidthPS == 0 {
				t.Fatalf("%+v: the accesses do not suffer from all causes", all)
			}
			for f := FreeL2; f <= FreeBandwidth; f <<= 1 {
				ps, c := run(f)
				if ps >= whole && f != FreeCoherence && f != FreeL2 {
					t.Errorf("granularity %d, inclusive %v: %d ps without cause %d, expected less than %d",
						granularity, inclusive, ps, f, whole)
				}
				switch f {
				case FreeL2: // what is hit there is not touched in an inclusive LLC, and may leave it sooner
					if c.L2Hits <= all.L2Hits {
						t.Errorf("%d hits of an L2 without limit, expected more than %d", c.L2Hits, all.L2Hits)
					}
				case FreeLLC:
					if c.BackInvalid != 0 {
						t.Errorf("an LLC without limit evicts %d lines", c.BackInvalid)
					}
				case FreeCoherence:
					if c.Transfers+c.Invalidations+c.Upgrades != 0 {
						t.Errorf("without coherence: %+v", c)
					}
				case FreeBandwidth:
					if c.BandwidthPS != 0 {
						t.Errorf("%d ps are waited for memories that serve at once", c.BandwidthPS)
					}
					fallthrough
				case FreeLatency:
					if c.Remote+c.Local != all.Remote+all.Local || c.L2Hits != all.L2Hits {
						t.Errorf("cause %d changes what misses: %+v, expected %+v", f, c, all)
					}
				}
			}
			_, none := run(FreeL2 | FreeLLC | FreeCoherence | FreeLatency | FreeBandwidth)
			if want := uint64(4 * lines); inclusive && none.LLCMisses != want {
				t.Errorf("granularity %d: %d lines from memory without any cause, expected %d: once by each node",
					granularity, none.LLCMisses, want)
			}
			if want := uint64(len(pairs) * bytes / 64); none.Lines-none.L2Hits != want {
				t.Errorf("granularity %d: %d lines miss an L2 without any cause, expected %d: once by each core",
					granularity, none.Lines-none.L2Hits, want)
			}
			if back, _ := run(0); back != whole {
				t.Errorf("%d ps once all causes are back, expected %d", back, whole)
			}
		}
	}
}

// Causes taken from one block are not taken from others: a block that stays in the L2 beside it
// leaves the others their room.
func TestFreeOfOne(t *testing.T) {
	m, err := machine.ByName("westmere-ex-4s")
	if err != nil {
		t.Fatal(err)
	}
	x := *m
	x.L2.Bytes, x.L2.Ways = 32<<10, 8
	for _, granularity := range []Granularity{Blocks, Lines} {
		var l Layout
		for range 3 {
			l.Add(12<<10, 4096)
		}
		model, err := New(&x, &l, Options{Granularity: granularity, Pages: PagesIdentity, Kernels: 3})
		if err != nil {
			t.Fatal(err)
		}
		hits := func(list []Free) (by [3]uint64) {
			model.Reset()
			model.Free(list, 0)
			for i := range 30 {
				model.Kernel(0, i%3, uint64(i)*1_000_000, 0, []Access{{Block: uint32(i % 3)}})
			}
			for k := range by {
				by[k] = model.Counters(0, k).L2Hits
			}
			return by
		}
		const each = 12 << 10 / 64
		if got := hits([]Free{FreeL2, 0, 0}); got != [3]uint64{9 * each, 9 * each, 9 * each} {
			t.Errorf("granularity %d: %v hits, expected %d of each: two blocks fit, the third has no limit",
				granularity, got, 9*each)
		}
		if got := hits(nil); got[0] != 0 && granularity == Blocks {
			t.Errorf("%v hits of three blocks in turn that do not fit, expected none", got)
		}
	}
}

func identity32(n int) (list []uint32) {
	for i := range n {
		list = append(list, uint32(i))
	}
	return list
}
