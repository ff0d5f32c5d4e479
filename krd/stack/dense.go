package stack

import (
	"fmt"
	"runtime"
)

// Dense computes the distances of accesses to blocks that are numbered densely and whose sizes are
// registered: [Keyed] with an array in place of the hash table, on the caller's thread.
//
// Memory: 16 bytes for each block registered (8 of them the caller's), and 24 for each position of
// a chunk, as Keyed.
type Dense struct {
	*machine
	registered []uint64
	blocks     array[blockState]
	used       int // blocks seen
}

// blockState is all that is looked up by block number, so that an access costs one cache miss and
// not two.
type blockState struct {
	last uint32 // position of the last access, 0 if none
	size uint32 // in bytes; bigSize: see registered
}

// NewDense returns an engine for blocks of the given sizes in bytes, which it retains and does not
// change. The sum of the sizes must be below 1<<63 (callers check).
func NewDense(sizes []uint64) *Dense {
	d := &Dense{machine: newMachine(1), registered: sizes}
	runtime.AddCleanup(d, (*machine).free, d.machine)
	blocks := d.blocks.resize(d.mem, len(sizes))
	for b, s := range sizes {
		d.or |= s
		blocks[b].size = uint32(min(s, bigSize))
	}
	return d
}

// Reset empties the stack, for another stream. Cost: a pass over the blocks and the positions of a
// chunk.
func (d *Dense) Reset() {
	for i := range d.blocks.s {
		d.blocks.s[i].last = 0
	}
	clear(d.pos.live.s)
	d.used = 0
	runtime.KeepAlive(d)
}

// BatchLen returns the length of batch that suits the engine now. It changes with the number of
// live blocks. Any other length gives the same distances; much shorter ones more slowly, at a cost
// of a pass over the live blocks each.
func (d *Dense) BatchLen() int { return d.batchLen(d.used) }

// Distances consumes the next accesses of the stream. dist[i] becomes the sum of the sizes of the
// distinct other blocks accessed since the last access to blocks[i], or [Cold] if there was none.
// len(dist) must be at least len(blocks); every block must be below the number of sizes. Neither
// slice is retained. The distances do not depend on where a stream is cut into batches.
func (d *Dense) Distances(blocks []uint32, dist []uint64) {
	for len(blocks) > 0 {
		n := d.next(d.used, len(blocks))
		c := d.enter(blocks[:n], dist[:n])
		s := d.work[0]
		if c.wide() {
			c.countWide(s)
		} else {
			for b := range c.buckets() {
				c.countBucket(b, s)
			}
		}
		blocks, dist = blocks[n:], dist[n:]
	}
	runtime.KeepAlive(d) // its memory is freed when it is unreachable
}

func (d *Dense) enter(blocks []uint32, dist []uint64) *chunk {
	if d.used+len(blocks) > maxPositions {
		panic(fmt.Sprintf("stack distances: %d live blocks: want at most %d", d.used,
			maxPositions-len(blocks)))
	}
	c := d.begin(len(blocks), 0)
	if c.live > 0 {
		d.pos.translate(d.blocks.s)
	}
	d.start(c, nil, dist)
	states := d.blocks.s
	for i := 0; i < len(blocks); i += pushGroup {
		group := blocks[i:min(i+pushGroup, len(blocks))]
		prev, sizes := d.prev[:len(group)], d.sizes[:len(group)]
		at := uint32(c.n + 1)
		for j, b := range group {
			st := &states[b]
			p, size := st.last, uint64(st.size)
			st.last = at + uint32(j)
			if size == bigSize {
				size = d.registered[b]
			}
			prev[j], sizes[j] = p, size
		}
		c.push(d.pos.live.s, i, prev, sizes)
	}
	d.used = c.live + c.firsts
	return c
}
