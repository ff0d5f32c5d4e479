package hw

import (
	"reflect"
	"testing"
)

// Given values replace known ones: sizes, the sharing of an LLC, and the warnings on sizes; the
// rest of the topology stays.
func TestWithCaches(t *testing.T) {
	c := Caches{L1d: Cache{Bytes: 48 * kib, Ways: 12, LineBytes: 64, Known: Given},
		L2:  Cache{Bytes: mib, Ways: 16, LineBytes: 64, Known: Given},
		LLC: Cache{Bytes: 8 * mib, Ways: 16, LineBytes: 64, Known: Given}}
	all := CachesKnown{Given, Given, Given}
	check := func(name string, top *Topology, nodes [][]int) {
		t.Helper()
		consistent(t, top)
		m := top.Machine()
		if m.L1dBytes != 48*kib || m.L2Bytes != mib || m.LLCBytes != 8*mib || m.CachesKnown != all {
			t.Errorf("%s: %s", name, m.Caches())
		}
		if got := nodesOf(top); !reflect.DeepEqual(got, nodes) {
			t.Errorf("%s: nodes %v, want %v", name, got, nodes)
		}
	}
	told := mustRead(t, complexes()) // cores 0,4 1,5 | 2,6 3,7
	two := [][]int{{0, 1, 4, 5}, {2, 3, 6, 7}}
	check("told", told.WithCaches(c), two)
	if got := told.WithCaches(Caches{}); !reflect.DeepEqual(got.CPUs, told.CPUs) ||
		!reflect.DeepEqual(got.Nodes, told.Nodes) || !reflect.DeepEqual(got.Cores, told.Cores) {
		t.Errorf("nothing given: %+v, want %+v", got, told)
	}
	c.Cores = 1
	check("an LLC for each core", told.WithCaches(c), [][]int{{0, 4}, {1, 5}, {2, 6}, {3, 7}})
	c.Cores = 3
	check("of three cores", told.WithCaches(c), [][]int{{0, 1, 2, 4, 5, 6}, {3, 7}})
	c.Cores = 0
	doubted, err := ReadTopology(cpuinfo(0, 1).fs(), turin.leaves())
	if err != nil {
		t.Fatal(err)
	}
	given := doubted.WithCaches(c)
	check("assumed", given, [][]int{{0, 1}})
	if len(given.Warnings) != len(doubted.Warnings)-1 {
		t.Errorf("warnings %q, before %q", given.Warnings, doubted.Warnings)
	}
	unknown, err := ReadTopology(cpuinfo(0, 1).fs(), nil)
	if err != nil {
		t.Fatal(err)
	}
	check("unknown", unknown.WithCaches(c), [][]int{{0, 1}})
	synthetic, err := Synthetic("2x2")
	if err != nil {
		t.Fatal(err)
	}
	check("synthetic", synthetic.WithCaches(c), [][]int{{0, 1}, {2, 3}})
}
