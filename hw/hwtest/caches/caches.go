// Package caches gives computers caches, for tests.
package caches

import "krdlab/hw"

// Give gives a computer that does not tell its caches, as some virtual ones, those of an
// ordinary one.
func Give(t *hw.Topology) {
	for i := range t.CPUs {
		if c := &t.CPUs[i]; c.L1d.Bytes == 0 && c.L2.Bytes == 0 && c.LLC.Bytes == 0 {
			own := []int{c.ID}
			c.L1d = hw.Cache{Level: 1, Bytes: 32 << 10, Ways: 8, LineBytes: 64, CPUs: own}
			c.L2 = hw.Cache{Level: 2, Bytes: 1 << 20, Ways: 8, LineBytes: 64, CPUs: own}
			c.LLC = hw.Cache{Level: 3, Bytes: 32 << 20, Ways: 16, LineBytes: 64}
		}
	}
	for i := range t.Nodes {
		if n := &t.Nodes[i]; n.LLC.Bytes == 0 {
			n.LLC = hw.Cache{Level: 3, Bytes: 32 << 20, Ways: 16, LineBytes: 64, CPUs: n.CPUs}
		}
	}
}
