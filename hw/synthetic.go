package hw

import (
	"fmt"
	"strconv"
	"strings"
)

// Synthetic returns a made-up machine: spec is NODESxCORES or NODESxCORESxTHREADS, as "4x6". CPUs
// are numbered node by node and core by core, as the paper's server is filled; all are allowed;
// each node is a package and a NUMA node; cache sizes are unknown. With at most 8192 CPUs.
//
// It serves two ends: tests, and running few CPUs as if they were many nodes: take the CPUs from
// the real machine's [Topology.Place] and the nodes from this one's.
func Synthetic(spec string) (*Topology, error) {
	parts := strings.Split(spec, "x")
	dims := []int{0, 0, 1}
	bad := len(parts) < 2 || len(parts) > 3
	for i, p := range parts {
		n, err := strconv.ParseUint(p, 10, 14)
		if bad || err != nil || n == 0 {
			return nil, fmt.Errorf("topology %q: want NODESxCORES like 4x6, each at least 1", spec)
		}
		dims[i] = int(n)
	}
	nodes, cores, threads := dims[0], dims[1], dims[2]
	if nodes*cores*threads > maxCPU+1 {
		return nil, fmt.Errorf("topology %q: has %d CPUs, at most %d are supported", spec,
			nodes*cores*threads, maxCPU+1)
	}
	t := &Topology{Name: "synthetic " + spec, Synthetic: true, Packages: nodes, Dies: nodes}
	for n := range nodes {
		node := Node{Package: n, NUMA: []int{n}}
		for range cores {
			core := Core{Node: n}
			for thread := range threads {
				id := len(t.CPUs)
				t.CPUs = append(t.CPUs, CPU{ID: id, Core: len(t.Cores), Node: n, Thread: thread,
					Package: n, NUMA: n, Allowed: true})
				core.CPUs = append(core.CPUs, id)
				node.CPUs = append(node.CPUs, id)
			}
			node.Cores = append(node.Cores, len(t.Cores))
			t.Cores = append(t.Cores, core)
		}
		t.Nodes = append(t.Nodes, node)
		t.NUMA = append(t.NUMA, NUMANode{ID: n, CPUs: node.CPUs})
	}
	return t, nil
}

// flat returns one node of n cores, with nothing more known.
func flat(n int) *Topology {
	t, err := Synthetic(fmt.Sprintf("1x%d", min(max(n, 1), maxCPU+1)))
	if err != nil {
		panic(err) // the spec above is well formed
	}
	t.Synthetic = false
	return t
}
