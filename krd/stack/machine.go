package stack

import "math/bits"

// machine is the common part of Dense and Keyed: all but finding the previous position of an
// access.
type machine struct {
	mem    *arena
	work   []*scratch // by thread, 0 the caller
	limits limits
	pos    positions
	chunks [2]chunk
	turn   int    // of chunks: the last one entered; with one thread always 0
	or     uint64 // of all sizes
	prev   [pushGroup]uint32
	sizes  [pushGroup]uint64
	left   [pushGroup]uint64
}

// minBatch is the least number of accesses for several threads at a time.
const minBatch = 1 << 20

// limits are made small by tests.
type limits struct {
	minChunk, maxChunk int  // accesses
	topBits            uint // the pass by the top digit writes to at most 1<<topBits streams
}

func newMachine(cores int) *machine {
	m := &machine{mem: &arena{}, limits: limits{minChunk: 1 << 16, maxChunk: 1 << 23, topBits: 11}}
	for range cores {
		m.work = append(m.work, &scratch{tally: newTally()})
	}
	return m
}

// free gives back the memory.
func (m *machine) free() {
	m.mem.close()
	for _, s := range m.work {
		s.mem.close()
	}
}

// chunkLen returns the number of accesses entered at a time where live blocks are in the stack.
func (m *machine) chunkLen(live int) int {
	perLive := 3
	if len(m.work) > 1 {
		perLive = 2 // there are two chunks at a time
	}
	return min(max(perLive*live, m.limits.minChunk), m.limits.maxChunk)
}

// next returns the length of the next chunk where rest accesses are at hand: not to leave a small
// one for the end.
func (m *machine) next(live, rest int) int {
	n := m.chunkLen(live)
	if rest <= n+n/4 {
		return rest
	}
	return n
}

// batchLen returns the length of batch that suits.
func (m *machine) batchLen(live int) int {
	if len(m.work) > 1 {
		return max(4*m.chunkLen(live), minBatch) // the first chunk is entered alone
	}
	return m.chunkLen(live)
}

// begin returns the chunk for the next accesses, with the positions renumbered and some held before
// theirs; the caller translates those that it has by their ranks and then calls start.
func (m *machine) begin(accesses, held int) *chunk {
	from := &m.chunks[m.turn]
	if len(m.work) > 1 {
		m.turn ^= 1
	}
	c := &m.chunks[m.turn]
	if c.late = len(m.work) > 1; c.late {
		c.queue.resize(m.mem, accesses+pushGroup)
		c.queued = 0
	}
	m.pos.renumber(m.mem, from, c, held, accesses, m.limits.topBits)
	return c
}

// start makes the chunk ready to be entered, of accesses with these sizes.
func (m *machine) start(c *chunk, sizes, dist []uint64) {
	m.pos.reset(m.mem, c.n+len(dist))
	for _, s := range sizes {
		m.or |= s
	}
	c.shift = 0
	if m.or != 0 {
		c.shift = uint(bits.TrailingZeros64(m.or))
	}
	c.sizes, c.dist = sizes, dist
}
