package machine

import (
	"bytes"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"krdlab/hw"
	"krdlab/hw/hwtest"
)

// topologyOf reads a snapshot of a real machine.
func topologyOf(t *testing.T, name string) *hw.Topology {
	t.Helper()
	top, err := hw.ReadTopology(hwtest.Snapshot(t, name), nil)
	if err != nil {
		t.Fatal(err)
	}
	return top
}

// Host of real machines: nodes, memories, caches.
func TestHostOfSnapshots(t *testing.T) {
	for _, c := range []struct {
		name                               string
		nodes, cores, perSocket, perMemory int
		l1, l2, llc                        uint64 // KiB
		ways                               int    // of the LLC
		far                                uint64 // largest latency from node 0, ps
		path, note                         string // part of a source
	}{
		{"48amd64-4pa2n6c-sparse", 8, 6, 2, 1, 64, 512, 5118, 48, 220_000, "nodes", fromSystem},
		{"96em64t-4no4pa3ca2co", 16, 6, 1, 4, 32, 3072, 16384, 16, 260_000,
			"memory.nodes_per_domain", fromSystem},
		{"40intel64-4n10c+pci-conflicts", 4, 10, 1, 1, 32, 256, 30720, 24, 200_000, "memory.remote",
			NotCalibrated},
		// one CPU is offline, so that memories have not equally many
		{"16amd64-8n2c-cpusets", 15, 1, 1, 1, 64, 64, 1024, 16, 200_000, "l2",
			"none between L1 and LLC"},
		{"16em64t-4s2c2t-offlines", 4, 2, 1, 4, 16, 1024, 4096, 16, 100_000, "cores_per_node",
			"7 cores in all"},
		{"8em64t-2s4c-asymcaches", 5, 2, 1, 5, 32, 32, 4096, 16, 100_000, "cores_per_node",
			"8 cores in all"},
		{"20em64t-hybrid-1p6c2t+2ca4co1t", 1, 14, 1, 1, 32, 1280, 24576, 12, 100_000, "l2",
			"smallest of several"},
		{"32amd64-4s2n4c-cgroup2", 8, 4, 2, 1, 64, 512, 5118, 48, 220_000, "costs", NotCalibrated},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := Host(topologyOf(t, c.name))
			if err != nil {
				t.Fatal(err)
			}
			if m.Nodes != c.nodes || m.CoresPerNode != c.cores || m.NodesPerSocket != c.perSocket ||
				m.Memory.NodesPerDomain != c.perMemory {
				t.Errorf("%d nodes of %d cores, %d a socket and %d a memory", m.Nodes,
					m.CoresPerNode, m.NodesPerSocket, m.Memory.NodesPerDomain)
			}
			if m.L1.Bytes != c.l1<<10 || m.L2.Bytes != c.l2<<10 || m.LLC.Bytes != c.llc<<10 ||
				m.LLC.Ways != c.ways {
				t.Errorf("caches %+v, %+v, %+v", m.L1, m.L2, m.LLC)
			}
			if far := slices.Max(m.Memory.RemotePS[0]); far != c.far {
				t.Errorf("the farthest memory is %d ps away", far)
			}
			if s := m.Sources[c.path]; !strings.Contains(s, c.note) {
				t.Errorf("%s is from %q", c.path, s)
			}
			for _, path := range []string{"l1.latency", "memory.local", "rates.fused",
				"costs.spawn"} {
				if !m.Guessed(path) {
					t.Errorf("%s is said to be known: %q", path, m.Source(path))
				}
			}
			var b bytes.Buffer
			if err := m.Write(&b); err != nil {
				t.Fatal(err)
			}
			if again, err := Parse("written", b.Bytes()); err != nil || !reflect.DeepEqual(again,
				m) {
				t.Errorf("written and read, it is another (%v):\n%s", err, b.Bytes())
			}
		})
	}
}

// A machine's own topology becomes the same nodes, memories and caches again.
func TestHostOfMachines(t *testing.T) {
	for _, name := range Names() {
		m := named(t, name)
		top, err := m.Topology()
		if err != nil {
			t.Fatal(err)
		}
		h, err := Host(top)
		if err != nil {
			t.Fatal(err)
		}
		if h.Nodes != m.Nodes || h.CoresPerNode != m.CoresPerNode ||
			h.NodesPerSocket != m.NodesPerSocket ||
			h.Memory.NodesPerDomain != m.Memory.NodesPerDomain ||
			h.LLC.Bytes != m.LLC.Bytes || h.L2.Ways != m.L2.Ways {
			t.Errorf("%s becomes %+v", name, h)
		}
	}
}

// Caches that do not divide, or whose associativity is not known, are taken as fully associative;
// memories of 4 and 2 nodes as three of 2.
func TestHostOddTopology(t *testing.T) {
	m := named(t, "westmere-ex-4s")
	m.Nodes, m.CoresPerNode, m.NodesPerSocket = 6, 1, 6
	m.Memory.NodesPerDomain = 6
	m.setRemote(nil)
	m.Ranges = nil
	top, err := m.Topology()
	if err != nil {
		t.Fatal(err)
	}
	for i := range top.CPUs {
		top.CPUs[i].LLC.Ways = 0
		top.CPUs[i].L2.Ways = 7
		top.CPUs[i].L1d.LineBytes = 0
	}
	top.NUMA = append(top.NUMA, hw.NUMANode{ID: 1, Distance: []int{21, 10}})
	top.NUMA[0].Distance = []int{10, 21}
	top.Nodes[4].NUMA, top.Nodes[5].NUMA = []int{1}, []int{1}
	h, err := Host(top)
	if err != nil {
		t.Fatal(err)
	}
	if h.LLC.Ways != 18<<20/64 || h.L2.Ways != 256<<10/64 || h.L1.Ways != 8 ||
		h.L1.LineBytes != 64 {
		t.Errorf("%+v, %+v, %+v", h.L1, h.L2, h.LLC)
	}
	for _, path := range []string{"llc.ways", "l2.ways", "l1.line"} {
		if !h.Guessed(path) {
			t.Errorf("%s is from %q", path, h.Source(path))
		}
	}
	if h.Guessed("l1.ways") || h.Memory.NodesPerDomain != 2 || !slices.Equal(h.Memory.RemotePS[0],
		[]uint64{100_000, 100_000, 100_000, 100_000, 210_000, 210_000}) {
		t.Errorf("%d nodes a memory, latencies %v", h.Memory.NodesPerDomain, h.Memory.RemotePS[0])
	}
}

func TestHostUnknown(t *testing.T) {
	top, err := hw.Synthetic("2x2")
	if err != nil {
		t.Fatal(err)
	}
	_, err = Host(top)
	if want := "describe this computer: the size of l1 is not known: not reported by the " +
		"operating system or the processor"; !errors.Is(err, ErrNotKnown) || err.Error() != want {
		t.Errorf("the error is %v", err)
	}
}
