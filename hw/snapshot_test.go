package hw

import (
	"reflect"
	"slices"
	"testing"

	"krdlab/hw/hwtest"
)

func seq(first, last, step int) []int {
	var out []int
	for i := first; i <= last; i += step {
		out = append(out, i)
	}
	return out
}

// snapshots gives for each machine the facts that are ours and not hwloc's: nodes, offline CPUs,
// warnings.
var snapshots = []struct {
	name     string
	nodes    [][]int
	numa     []int // the NUMA node of each node
	allowed  []int
	offline  []int
	packages int
	cores    int
	machine  Machine
	warnings []string // parts of all warnings
	odd      func(cpu int, level string) bool
}{
	{
		name: "48amd64-4pa2n6c-sparse",
		nodes: [][]int{seq(0, 5, 1), seq(6, 11, 1), seq(12, 17, 1), seq(18, 23, 1), seq(24, 29, 1),
			seq(30, 35, 1), seq(36, 41, 1), seq(42, 47, 1)},
		numa: []int{0, 1, 2, 33, 34, 45, 72, 73}, allowed: seq(0, 47, 1), packages: 4, cores: 48,
		machine: Machine{Nodes: 8, CoresPerNode: 6, Cores: 48, CPUs: 48, L1dBytes: 64 << 10,
			L2Bytes: 512 << 10, LLCBytes: 5118 << 10, LineBytes: 64},
	},
	{
		name: "96em64t-4no4pa3ca2co",
		nodes: func() (out [][]int) {
			for first := range 96 {
				if first%24 < 4 {
					out = append(out, seq(first, first+20, 4))
				}
			}
			return out
		}(),
		numa: []int{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3}, allowed: seq(0, 95, 1),
		packages: 16, cores: 96,
		machine: Machine{Nodes: 16, CoresPerNode: 6, Cores: 96, CPUs: 96, L1dBytes: 32 << 10,
			L2Bytes: 3 << 20, LLCBytes: 16 << 20, LineBytes: 64},
	},
	{
		name: "16amd64-8n2c-cpusets", // no L3, private L2: each core is a node
		nodes: [][]int{{0}, {1}, {2}, {3}, {5}, {6}, {7}, {8}, {9}, {10}, {11}, {12}, {13}, {14},
			{15}},
		numa: []int{0, 0, 1, 1, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7}, allowed: []int{0, 1, 2, 3, 5, 6,
			12, 13, 14, 15}, offline: []int{4}, packages: 8, cores: 15,
		machine: Machine{Nodes: 15, CoresPerNode: 1, Cores: 15, CPUs: 15, L1dBytes: 64 << 10,
			L2Bytes: 1 << 20, LLCBytes: 1 << 20, LineBytes: 64},
		warnings: []string{"each of 15 cores has an L2 cache of its own"},
	},
	{
		name: "32amd64-4s2n4c-cgroup2",
		nodes: [][]int{seq(0, 3, 1), seq(4, 7, 1), seq(8, 11, 1), seq(12, 15, 1), seq(16, 19, 1),
			seq(20, 23, 1), seq(24, 27, 1), seq(28, 31, 1)},
		numa: []int{0, 1, 2, 3, 4, 5, 6, 7}, allowed: seq(0, 5, 1), packages: 4, cores: 32,
		machine: Machine{Nodes: 8, CoresPerNode: 4, Cores: 32, CPUs: 32, L1dBytes: 64 << 10,
			L2Bytes: 512 << 10, LLCBytes: 5118 << 10, LineBytes: 64},
	},
	{
		name:  "16em64t-4s2c2t-offlines",
		nodes: [][]int{{0, 4, 8, 12}, {1, 9}, {3, 7, 11, 15}, {6, 10}},
		numa:  []int{0, 0, 0, 0}, allowed: []int{0, 1, 3, 4, 6, 7, 8, 9, 10, 11, 12, 15},
		offline: []int{2, 5, 13, 14}, packages: 4, cores: 7,
		machine: Machine{Nodes: 4, CoresPerNode: 2, Cores: 7, CPUs: 12, L1dBytes: 16 << 10,
			L2Bytes: 1 << 20, LLCBytes: 4 << 20, LineBytes: 64},
	},
	{
		name:  "20em64t-hybrid-1p6c2t+2ca4co1t",
		nodes: [][]int{seq(0, 19, 1)},
		numa:  []int{0}, allowed: seq(0, 19, 1), packages: 1, cores: 14,
		machine: Machine{Nodes: 1, CoresPerNode: 14, Cores: 14, CPUs: 20, L1dBytes: 32 << 10,
			L2Bytes: 1280 << 10, LLCBytes: 24 << 20, LineBytes: 64},
	},
	{
		name:  "8em64t-2s4c-asymcaches",
		nodes: [][]int{{0}, {2, 6}, {4}, {1, 5}, {3, 7}},
		numa:  []int{0, 0, 0, 0, 0}, allowed: seq(0, 7, 1), packages: 2, cores: 8,
		machine: Machine{Nodes: 5, CoresPerNode: 2, Cores: 8, CPUs: 8, L1dBytes: 32 << 10,
			L2Bytes: 4 << 20, LLCBytes: 4 << 20, LineBytes: 64},
		warnings: []string{"CPUs 0,4 have no files of a cache beyond L1"},
	},
	{
		name:  "40intel64-4n10c+pci-conflicts",
		nodes: [][]int{seq(0, 36, 4), seq(1, 37, 4), seq(2, 38, 4), seq(3, 39, 4)},
		numa:  []int{0, 1, 2, 3}, allowed: seq(0, 39, 1), packages: 4, cores: 40,
		machine: Machine{Nodes: 4, CoresPerNode: 10, Cores: 40, CPUs: 40, L1dBytes: 32 << 10,
			L2Bytes: 256 << 10, LLCBytes: 30 << 20, LineBytes: 64},
		warnings: []string{"cpu2/cache/index3/shared_cpu_list has 2,6,10,14,18,22,26,30,34,38, " +
			"but shared_cpu_map has 0-3; the map is believed", "CPU 2 has 0-3 as those that share its L3 " +
			"cache, and others contradict it; taken as 2,6,10,14,18,22,26,30,34,38"},
		// hwloc reads the planted map alone and drops what it contradicts: the third L3, the fourth
		// package
		odd: func(cpu int, what string) bool {
			return what == "L3" && cpu%4 == 2 ||
				what == "package" && cpu%4 == 3
		},
	},
}

func TestSnapshots(t *testing.T) {
	for _, want := range snapshots {
		t.Run(want.name, func(t *testing.T) {
			top, err := ReadTopology(hwtest.Snapshot(t, want.name), nil)
			if err != nil {
				t.Fatal(err)
			}
			compareListing(t, top, readListing(t, want.name), want.odd)
			if len(top.Nodes) != len(want.nodes) {
				t.Fatalf("%d nodes, want %d", len(top.Nodes), len(want.nodes))
			}
			for i, n := range top.Nodes {
				if !slices.Equal(n.CPUs, want.nodes[i]) || !slices.Equal(n.NUMA, want.numa[i:i+1]) {
					t.Errorf("node %d: CPUs %v, NUMA %v, want %v, %d", i, n.CPUs, n.NUMA,
						want.nodes[i], want.numa[i])
				}
			}
			if got := top.Allowed(); !slices.Equal(got, want.allowed) {
				t.Errorf("allowed %v, want %v", got, want.allowed)
			}
			if !slices.Equal(top.Offline, want.offline) {
				t.Errorf("offline %v, want %v", top.Offline, want.offline)
			}
			if top.Packages != want.packages || len(top.Cores) != want.cores {
				t.Errorf("%d packages, %d cores, want %d, %d", top.Packages, len(top.Cores),
					want.packages, want.cores)
			}
			got := top.Machine()
			want.machine.Name = got.Name
			want.machine.CachesKnown = CachesKnown{Told, Told, Told}
			if got.Name == "unknown CPU" || !reflect.DeepEqual(got, want.machine) {
				t.Errorf("machine %+v, want %+v", got, want.machine)
			}
			warned(t, top, want.warnings...)
			consistent(t, top)
		})
	}
}

// compareListing holds every listed CPU against the oracle. hwloc lists allowed CPUs only. odd
// lists its errors.
func compareListing(t *testing.T, top *Topology, oracle map[int]listed,
	odd func(int, string) bool) {
	t.Helper()
	if odd == nil {
		odd = func(int, string) bool { return false }
	}
	allowed := top.Allowed()
	if len(oracle) != len(allowed) {
		t.Errorf("%d CPUs are allowed, the listing has %d", len(allowed), len(oracle))
	}
	for _, id := range allowed {
		l, ok := oracle[id]
		if !ok {
			t.Errorf("CPU %d is not in the listing", id)
			continue
		}
		c := top.find(id)
		if c.Package != l.pkg && !odd(id, "package") {
			t.Errorf("CPU %d: package %d, listed %d", id, c.Package, l.pkg)
		}
		var siblings []int
		for other, o := range oracle {
			if o.core == l.core {
				siblings = append(siblings, other)
			}
		}
		slices.Sort(siblings)
		if got := intersect(top.Cores[c.Core].CPUs, allowed); !slices.Equal(got, siblings) {
			t.Errorf("CPU %d: core of %v, listed %v", id, got, siblings)
		}
		for level, cache := range map[string]Cache{"L1": c.L1d, "L2": c.L2, "L3": {}} {
			if level == "L3" && c.LLC.Level == 3 {
				cache = c.LLC
			}
			cache.CPUs = intersect(cache.CPUs, allowed)
			if (cache.Known == Told) != (cache.Bytes > 0) {
				t.Errorf("CPU %d: %s of %v is known as %q", id, level, cache.Bytes, cache.Known)
			}
			cache.Known = ""
			if want := l.caches[level]; !reflect.DeepEqual(cache, want) && !odd(id, level) {
				t.Errorf("CPU %d: %s %+v, listed %+v", id, level, cache, want)
			}
		}
	}
}

// consistent checks what must hold for every topology, however odd the files.
func consistent(t *testing.T, top *Topology) {
	t.Helper()
	inNode, inCore := map[int]int{}, map[int]int{}
	for n, node := range top.Nodes {
		for _, id := range node.CPUs {
			inNode[id]++
			if top.NodeOf(id) != n {
				t.Errorf("CPU %d is in node %d, NodeOf says %d", id, n, top.NodeOf(id))
			}
		}
		for _, core := range node.Cores {
			if top.Cores[core].Node != n {
				t.Errorf("core %d is in node %d and says %d", core, n, top.Cores[core].Node)
			}
		}
	}
	for i, core := range top.Cores {
		for thread, id := range core.CPUs {
			inCore[id]++
			if c := top.find(id); c.Core != i || c.Thread != thread || c.Node != core.Node {
				t.Errorf("CPU %d is thread %d of core %d in node %d, and says %+v", id, thread, i,
					core.Node, c)
			}
		}
	}
	for _, c := range top.CPUs {
		if inNode[c.ID] != 1 || inCore[c.ID] != 1 {
			t.Errorf("CPU %d is in %d nodes and %d cores, want 1 and 1", c.ID, inNode[c.ID],
				inCore[c.ID])
		}
	}
	if len(inNode) != len(top.CPUs) || len(inCore) != len(top.CPUs) {
		t.Errorf("%d CPUs in nodes, %d in cores, want %d", len(inNode), len(inCore), len(top.CPUs))
	}
	for a := range top.Nodes {
		for b := range top.Nodes {
			if d := top.Distance(a, b); (d == 0) != (a == b) || d < 0 {
				t.Errorf("distance from node %d to %d is %d", a, b, d)
			}
		}
	}
}

func TestSnapshotDistances(t *testing.T) {
	top, err := ReadTopology(hwtest.Snapshot(t, "48amd64-4pa2n6c-sparse"), nil)
	if err != nil {
		t.Fatal(err)
	}
	// the first row of the matrix that hwloc prints; its own node is 0 here
	want := []int{0, 16, 16, 22, 16, 22, 16, 22}
	for b, d := range want {
		if got := top.Distance(0, b); got != d {
			t.Errorf("distance from node 0 to %d is %d, want %d", b, got, d)
		}
	}
	if got := top.NUMA[0].Bytes; got != 8386460<<10 {
		t.Errorf("NUMA node 0 has %d bytes, want 8386460 KiB", got)
	}
}
