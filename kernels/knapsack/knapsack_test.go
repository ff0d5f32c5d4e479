package knapsack

import (
	"testing"

	"krdlab/hw/ops"
	"krdlab/kernels/kernel"
)

// The search with either bound finds what trying all fillings finds, and pruning prunes.
func TestAgainstAllFillings(t *testing.T) {
	pruned := false
	for seed := range uint64(30) {
		for _, dist := range []string{weak, strong} {
			k := draw(int(seed%13)+1, dist, seed)
			want := int64(0)
			for set := range 1 << len(k.items) {
				value, weight := int64(0), int32(0)
				for i, x := range k.items {
					if set>>i&1 != 0 {
						value, weight = value+int64(x.value), weight+x.weight
					}
				}
				if weight <= k.room {
					want = max(want, value)
				}
			}
			if k.best() != want || k.bound > want {
				t.Fatalf("seed %d: the optimum is %d, want %d; greedy gives %d", seed, k.best(),
					want, k.bound)
			}
			greedy, all := k.search(node{room: k.room})
			k.bound = want
			best, few := k.search(node{room: k.room})
			if greedy != want || best != want || few > all {
				t.Errorf("seed %d: found %d and %d, want %d; %d and %d visits", seed, greedy, best,
					want, all, few)
			}
			pruned = pruned || few < all
			if k.bound++; k.bound > want {
				if best, _ := k.search(node{room: k.room}); best != -1 {
					t.Errorf("seed %d: %d is above the optimum", seed, best)
				}
			}
		}
	}
	if !pruned {
		t.Error("the better bound never pruned more")
	}
}

// The tree does not depend on anything but the seed; another seed is another tree.
func TestSeedDecides(t *testing.T) {
	visits := map[uint64]int{}
	for _, seed := range []uint64{1, 1, 2} {
		in, err := Kernel.New(Kernel.With(kernel.Params{"items": 30}), kernel.Env{Seed: seed, Dry: true})
		if err != nil {
			t.Fatal(err)
		}
		var sum uint64
		_, n := in.(kernel.Counted).Counts()
		for i := range uint32(n) {
			sum += in.(kernel.Modelled).Work(0, []uint32{0, i})[ops.Integer]
		}
		visits[sum]++
	}
	if len(visits) != 2 {
		t.Errorf("the trees of seeds 1, 1 and 2 have %v operations", visits)
	}
}

func BenchmarkSearch(b *testing.B) {
	k := draw(40, weak, 1)
	k.bound = k.best()
	var visits uint64
	for b.Loop() {
		_, v := k.search(node{room: k.room})
		visits += v
	}
	b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(visits), "ns/visit")
}
