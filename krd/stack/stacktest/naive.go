// Package stacktest has the oracle of the tests of stack distances.
package stacktest

import "math"

// Naive is the LRU stack as a list, searched from the top. An access costs O(live).
type Naive struct {
	sizes []uint64 // bytes, by block
	stack []uint32 // top first
}

// NewNaive returns an empty stack of blocks of those sizes.
func NewNaive(sizes []uint64) *Naive { return &Naive{sizes: sizes} }

// BatchLen returns the number of accesses that a caller may hand over at a time.
func (*Naive) BatchLen() int { return 64 }

// Distances writes to dist the distance of each access, or the greatest uint64 where it is cold.
func (e *Naive) Distances(blocks []uint32, dist []uint64) {
	for i, b := range blocks {
		dist[i] = math.MaxUint64
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
