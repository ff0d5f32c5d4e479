package approx

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestTableAgainstMap(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, spread := range []uint64{1 << 60, 3, 1} { // hashes of the whole range, and small ones
		tab, want := newTable(), map[uint64]uint32{}
		for i := range uint32(50000) {
			h := r.Uint64N(400) * spread
			e := tab.slot(h)
			unit, ok := want[h]
			if ok != (e.unit != 0) || ok && (e.unit-1 != unit || e.hash != h) {
				t.Fatalf("step %d: hash %d found as %+v, expected unit %d, %v", i, h, *e, unit, ok)
			}
			switch {
			case ok && r.IntN(2) == 0:
				tab.remove(h)
				delete(want, h)
			case !ok && r.IntN(4) != 0:
				tab.put(e, h, i)
				want[h] = i
			}
			if tab.n != len(want) || 2*tab.n > len(tab.entries) {
				t.Fatalf("step %d: %d entries of %d, expected %d", i, tab.n, len(tab.entries),
					len(want))
			}
		}
		for h, unit := range want {
			if e := tab.slot(h); e.unit != unit+1 {
				t.Fatalf("hash %d is %+v at the end, expected unit %d", h, *e, unit)
			}
		}
	}
}

// The filter against one comparison after the other; keys that programs have are sampled at the
// rate, for any seed: 5 standard deviations of a binomial with 200 000 draws.
func TestFilter(t *testing.T) {
	const n = 200000
	at := make([]uint32, n)
	for name, key := range map[string]func(i uint64) uint64{
		"dense":   func(i uint64) uint64 { return i },
		"lines":   func(i uint64) uint64 { return 0x7f0000000000 + i*64 },
		"pages":   func(i uint64) uint64 { return i << 12 },
		"stride":  func(i uint64) uint64 { return i << 40 },
		"squares": func(i uint64) uint64 { return i%512<<32 | i/512<<3 },
		"from -1": func(i uint64) uint64 { return -i },
	} {
		keys := make([]uint64, n)
		for i := range keys {
			keys[i] = key(uint64(i))
		}
		for seed := range uint64(20) {
			m := newMixer(seed)
			for _, rate := range []float64{0.001, 0.01, 0.25} {
				limit := uint64(rate * (1 << 64))
				got := at[:filter(keys, m, limit, at)]
				k := 0
				for i, key := range keys {
					if m.hash(key) <= limit {
						if k == len(got) || got[k] != uint32(i) {
							t.Fatalf("%s, seed %d: key %d is missing at %d", name, seed, i, k)
						}
						k++
					}
				}
				if k != len(got) {
					t.Fatalf("%s, seed %d: %d passed, expected %d", name, seed, len(got), k)
				}
				if sd := math.Sqrt(n * rate * (1 - rate)); math.Abs(float64(k)-n*rate) > 5*sd {
					t.Errorf("%s, seed %d: %d of %d keys pass at rate %v, expected %.0f +- %.0f",
						name, seed, k, n, rate, n*rate, sd)
				}
			}
		}
	}
	if m := newMixer(1); filter([]uint64{1, 2, 3}, m, math.MaxUint64, at) != 3 {
		t.Error("a limit of all ones lets not everything pass")
	}
}
