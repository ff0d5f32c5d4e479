package machine

import (
	"fmt"

	"krdlab/hw"
)

// Topology returns the CPUs of m in hw's form: one for each core, numbered node by node, all
// allowed; a node for each last-level cache and a NUMA node for each memory, whose distances are
// the latencies of memory with the local one as 10. It is Synthetic. Errors: those of
// [Machine.Validate].
func (m *Machine) Topology() (*hw.Topology, error) {
	if err := m.Validate(); err != nil {
		return nil, fmt.Errorf("topology of machine %q: %w", m.Name, err)
	}
	t := &hw.Topology{Name: m.Name, Synthetic: true, Packages: m.Nodes / m.NodesPerSocket,
		Dies: m.Nodes}
	cpus := func(from, n int) []int {
		list := make([]int, n)
		for i := range list {
			list[i] = from + i
		}
		return list
	}
	for n := range m.Nodes {
		first := n * m.CoresPerNode
		node := hw.Node{CPUs: cpus(first, m.CoresPerNode), Cores: cpus(first, m.CoresPerNode),
			Package: n / m.NodesPerSocket, NUMA: []int{m.Domain(n)}}
		node.LLC = m.LLC.on(3, node.CPUs)
		for _, id := range node.CPUs {
			own := []int{id}
			t.CPUs = append(t.CPUs, hw.CPU{ID: id, Core: id, Node: n, Package: node.Package,
				Die: n % m.NodesPerSocket, NUMA: m.Domain(n), Allowed: true,
				L1d: m.L1.on(1, own), L2: m.L2.on(2, own), LLC: node.LLC})
			t.Cores = append(t.Cores, hw.Core{CPUs: own, Node: n})
		}
		t.Nodes = append(t.Nodes, node)
	}
	x := &m.Memory
	for d := range m.Domains() {
		numa := hw.NUMANode{ID: d, CPUs: cpus(d*x.NodesPerDomain*m.CoresPerNode,
			x.NodesPerDomain*m.CoresPerNode)}
		for e := range m.Domains() {
			numa.Distance = append(numa.Distance, x.distance(d*x.NodesPerDomain,
				e*x.NodesPerDomain))
		}
		t.NUMA = append(t.NUMA, numa)
	}
	return t, nil
}

// distance returns what firmware would report between the memories of two nodes: 10 for the same
// one, more for others.
func (x *Memory) distance(a, b int) int {
	if a/x.NodesPerDomain == b/x.NodesPerDomain {
		return 10
	}
	return int(max(11, (10*x.RemotePS[a][b]+x.LocalPS/2)/x.LocalPS))
}

// on returns c as hw describes the one that cpus share.
func (c *Cache) on(level int, cpus []int) hw.Cache {
	return hw.Cache{Level: level, Bytes: hw.Size(c.Bytes), Ways: c.Ways, LineBytes: c.LineBytes,
		CPUs: cpus}
}
