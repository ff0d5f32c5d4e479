package stack

import (
	"slices"
	"testing"

	"krdlab/hw/hwtest"
)

// TestPortable runs the engines as on a CPU without AVX2.
func TestPortable(t *testing.T) {
	hwtest.SkipRace(t)
	if !wraps {
		t.Skip("this CPU has no AVX2, BMI1 and BMI2: the other tests are of the portable code")
	}
	blocks, sizes := randomTrace(3, 200_000, 20_000, 64, 0)
	run := func() [][]uint64 {
		k := newKeyedEngine(sizes, 2)
		k.limits.minChunk, k.limits.topBits = 1<<14, 1
		return [][]uint64{distancesOf(k, blocks, 40_000), distancesOf(NewDense(sizes), blocks, 0),
			distancesOf(newFilteredEngine(sizes, 2, FilterSlots), blocks, 40_000)}
	}
	want := run()
	wraps = false
	defer func() { wraps = true }()
	for i, got := range run() {
		if !slices.Equal(got, want[i]) {
			t.Errorf("engine %d: the portable passes give other distances", i)
		}
	}
	TestCounterWidth(t)
	TestWrap(t)
	TestKeyedExtremes(t)
	TestKeyedSizeChange(t)
	TestTableFull(t)
	TestWeights(t)
}
