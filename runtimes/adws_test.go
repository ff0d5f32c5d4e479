package runtimes

import (
	"testing"

	"krdlab/hw/hwtest"
	"krdlab/loi"
)

// placements is which worker ran each block in each sweep.
func placements(t *testing.T, p Policy, blocks, sweeps int, seed uint64) []int {
	t.Helper()
	ran := make([]int, blocks*sweeps)
	prog := &halvesProg{blocks: blocks, sweeps: sweeps}
	prog.leaf = func(w *Worker, sweep, block int) { ran[sweep*blocks+block] = w.id }
	c := stepConfig(p, 4, 6, seed)
	c.Kernels, c.Costs = halvesKernels, noisy(seed)
	if _, err := Step(c, prog); err != nil {
		t.Fatal(err)
	}
	return ran
}

// alike is the share of blocks that ran where they did in the first run, over 20 seeds and times of
// kernels that differ by 10 % up and down.
func alike(t *testing.T, p Policy) float64 {
	const blocks, sweeps, seeds = 2048, 2, 20
	first := placements(t, p, blocks, sweeps, 0)
	same := 0
	for seed := uint64(1); seed < seeds; seed++ {
		for i, w := range placements(t, p, blocks, sweeps, seed) {
			if w == first[i] {
				same++
			}
		}
	}
	return float64(same) / float64((seeds-1)*len(first))
}

// Stolen tasks stay within the range that was divided last: with a first half that takes four times
// as long as by its hint, its workers steal among themselves, and when the second half has ended
// its workers help. A task for several workers runs where it was placed.
func TestSteadyRanges(t *testing.T) {
	hwtest.SkipRace(t)
	const blocks = 2048
	within, helped := 0, 0
	prog := &halvesProg{blocks: blocks, sweeps: 1}
	prog.begin = func(w *Worker, up *halvesTask, n int) {
		if n > blocks/24 && w.id != up.lo*24/blocks && w.id != (up.lo+n)*24/blocks {
			t.Errorf("worker %d of 24 divides %d of %d blocks from %d on", w.id, n, blocks, up.lo)
		}
	}
	prog.leaf = func(w *Worker, _, block int) {
		switch home := block * 24 / blocks; {
		case home == w.id:
		case home < 12 == (w.id < 12):
			within++
		case home < 12:
			helped++
		default:
			t.Errorf("block %d ran on worker %d: none of the second half has to be helped", block,
				w.id)
		}
	}
	c := stepConfig(ADWS{}, 4, 6, 1)
	c.Kernels = halvesKernels
	c.Costs.Kernel = func(_ int, _ uint64, _ loi.KernelID, blocks []uint32) uint64 {
		if blocks[0] < 1024 {
			return 4000 + 400*uint64(blocks[0]/64)
		}
		return 1000
	}
	r, err := Step(c, prog)
	if err != nil {
		t.Fatal(err)
	}
	busy := float64(r.WorkNS) / float64(r.TimeNS)
	t.Logf("%d blocks were stolen within the half, %d for the other; %.1f workers were busy",
		within, helped, busy)
	if within == 0 || helped < 100 || busy < 18 {
		t.Error("nobody helps")
	}
}

// At least 90 % of the leaves run where they ran, under other seeds and noise; under random
// stealing, less than half.
func TestAlmostDeterministic(t *testing.T) {
	hwtest.SkipRace(t)
	adws, random := alike(t, ADWS{}), alike(t, WorkFirst{})
	t.Logf("the same placement: %.1f %%, under random stealing %.1f %%", 100*adws, 100*random)
	if adws < 0.9 || random >= 0.5 {
		t.Errorf("%.1f %% of the leaves are placed alike, under random stealing %.1f %%", 100*adws,
			100*random)
	}
}
