package runtimes

import (
	"fmt"
	"testing"

	"krdlab/hw/hwtest"
	"krdlab/loi"
)

// A run keeps its time to the digit where its prices are the same, whatever the scheduler; a
// history changes nothing in its run. Kernels have prices that depend on when, where and in which
// order they begin.
func TestRetime(t *testing.T) {
	t.Parallel()
	hwtest.SkipRace(t)
	for _, p := range Schedulers {
		if p.Rules().Spawn == SpawnGo {
			continue
		}
		for _, s := range [][2]int{{1, 1}, {1, 2}, {1, 6}, {4, 6}, {3, 25}} {
			if p.Rules().Spawn == SpawnCall && s != [2]int{1, 1} {
				continue
			}
			t.Run(fmt.Sprintf("%s/%dx%d", p.Name, s[0], s[1]), func(t *testing.T) {
				t.Parallel()
				for seed := range treeSeeds() {
					retime(t, p, s, seed)
				}
			})
		}
	}
}

func retime(t *testing.T, p Policy, shape [2]int, seed uint64) {
	t.Helper()
	want := stepTree(t, pricedConfig(p, shape, seed, false), 5)
	c := pricedConfig(p, shape, seed, false)
	var h History
	c.History = &h
	if got := stepTree(t, c, 5); got.TimeNS != want.TimeNS {
		t.Fatalf("seed %d: %d ns with a history, %d without", seed, got.TimeNS, want.TimeNS)
	}
	took := make([]uint64, h.Executions())
	same := Retiming{Kernel: pricedConfig(p, shape, seed, false).Costs.Kernel, Took: took}
	if got := h.Retime(&same); int64(got) != want.TimeNS {
		t.Errorf("seed %d: %d ticks at the prices of the run, expected %d", seed, got, want.TimeNS)
	}
	again := func(free ...Price) uint64 {
		n := 0
		r := Retiming{Kernel: func(int, uint64, loi.KernelID, []uint32) uint64 { n++; return took[n-1] }}
		for _, f := range free {
			r.Free[f] = true
		}
		return h.Retime(&r)
	}
	all := []Price{SpawnPrice, JoinPrice, StealPrice, SearchPrice, LockPrice}
	least := again(all...)
	for i := range all {
		if one := again(all[i]); one > uint64(want.TimeNS) || one < least {
			t.Errorf("seed %d: %d ticks without price %d, expected at most %d, and at least the %d without any",
				seed, one, i, want.TimeNS, least)
		}
	}
	var work uint64
	for _, ticks := range took {
		work += ticks + c.Costs.Call
	}
	span := h.Span(took)
	if span > least || least > work || uint64(shape[0]*shape[1])*least < work {
		t.Errorf("seed %d: %d ticks without prices, expected at least the span, %d, and at most the work, %d, of %d workers",
			seed, least, span, work, shape[0]*shape[1])
	}
}
