package krd

import "krdlab/krd/stack"

// naive is the oracle: the LRU stack as a list, searched from the top. O(live) an access.
type naive struct {
	sizes []uint64
	stack []uint32 // top first
}

func newNaive(sizes []uint64) *naive { return &naive{sizes: sizes} }

func (e *naive) distances(blocks []uint32, dist []uint64) {
	for i, b := range blocks {
		dist[i] = stack.Cold
		var above uint64
		depth := len(e.stack)
		for j, other := range e.stack {
			if other == b {
				dist[i], depth = above, j
				break
			}
			above += e.sizes[other]
		}
		if depth == len(e.stack) {
			e.stack = append(e.stack, 0)
		}
		copy(e.stack[1:depth+1], e.stack[:depth])
		e.stack[0] = b
	}
}
