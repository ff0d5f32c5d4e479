package krd

import "math"

// cold is the distance of a first access, INF in the papers.
const cold = math.MaxUint64

// An engine computes exact byte-weighted LRU stack distances, batch by batch, of one stream of accesses to blocks that are
// numbered densely from 0 and whose sizes are known when it is built.
//
// The batch is the unit so that engines may sort, renumber and parallelise inside it; the distances do not depend on where a
// stream is cut into batches.
type engine interface {
	// batchLen is the length of batch that suits the engine now. It changes with the number of live blocks.
	// Any other length gives the same distances, more slowly.
	batchLen() int

	// distances consumes the next accesses of the stream. dist[i] becomes the sum of the sizes of the distinct other
	// blocks accessed since the last access to blocks[i], or cold if there was none. len(dist) must be at least
	// len(blocks); every block must be below the number of sizes. Neither slice is retained.
	distances(blocks []uint32, dist []uint64)
}
