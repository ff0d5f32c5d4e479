package stack

import "math/bits"

// Dense is the exact engine: weighted inversion counting, chunk by chunk.
//
// Before a chunk the live blocks are renumbered 0..L-1 in the order of their last accesses (the LRU stack, its top last); the
// accesses of the chunk take the positions L, L+1, ... For an access at position t whose previous access is at p, the blocks
// touched in between are each counted at their first access after p, that is at the positions s with p < s < t and
// prev(s) <= p. Every s <= p has prev(s) < p, so with C(p) the sum of the weights at positions 0..p
//
//	D(t) = sum of w(s) over L <= s < t with prev(s) <= p  +  C(L-1) - C(p)
//
// where for p < L the last two terms are the blocks above p in the stack, and for p >= L they take away what the sum counted at
// or before p. First accesses have prev = -inf: they enter every later sum and need no search. For the others the sum is over
// pairs (s, t) with s < t and prev(s) < prev(t), and the prev are distinct: a weighted inversion count, done by radix-64
// passes from the top digit down (inversions.go).
//
// Cost: O((T + L) + T log64(T + L)) time for a chunk of T accesses, all of it sequential or within a cache-sized bucket but for
// one probe by block number and the delivery of the result. Memory: 16 bytes for each block registered (8 of them shared between
// engines), and O(T + L) where T is about the live set: bounded by the live set, not by the trace.
//
// Sources: the reduction to counting inversions is folklore in the literature on stack distances after Bennett and Kruskal
// (IBM J. Res. Dev. 19, 1975), whose tree over time slots is what this replaces; stack distance itself is from Mattson, Gecsei,
// Slutz and Traiger (IBM Syst. J. 9, 1970).
//
// Rejected: a Fenwick tree over time slots (17 dependent steps an access at 32 Ki live blocks); splay and AVL trees (Olken 1981;
// cache misses in proportion to depth).
type Dense struct {
	sizes []uint64
	shift uint // all sizes are multiples of the unit 1<<shift, in which inversions are weighed

	blocks []blockState // by block; the one past the end is a dump
	slot   []uint32     // by position: the block accessed there, or dead if accessed again since
	cum    []uint64     // by position: sum of the sizes at it and before it
	live   int          // positions 0..live-1 hold the LRU stack when a chunk begins
	dead   uint32       // the number that is no block: len(sizes)
	huge   bool         // some size does not fit blockState.w: all are read from sizes

	inv inversions
}

// blockState is all that is looked up by block number, so that an access costs one cache miss and not two.
type blockState struct {
	last uint32 // position of the last access plus 1, 0 if none
	w    uint32 // size in units, if it fits
}

const (
	minChunk = 1 << 15
	maxChunk = 1 << 23 // at most 300 MB for a chunk
)

// NewDense returns an engine for blocks of the given sizes in bytes, which it retains and does not change.
// The sum of the sizes must be below 1<<63 (callers check).
func NewDense(sizes []uint64) *Dense {
	var or uint64
	for _, s := range sizes {
		or |= s
	}
	e := &Dense{sizes: sizes, blocks: make([]blockState, len(sizes)+1), dead: uint32(len(sizes))}
	if or != 0 {
		e.shift = uint(bits.TrailingZeros64(or))
	}
	for b, s := range sizes {
		e.blocks[b].w = uint32(s >> e.shift)
		e.huge = e.huge || s>>e.shift>>32 != 0
	}
	return e
}

// BatchLen is the length of batch that suits the engine now. It changes with the number of live blocks.
// Any other length gives the same distances, more slowly.
func (e *Dense) BatchLen() int {
	return min(max(e.live, minChunk), maxChunk)
}

// Distances consumes the next accesses of the stream. dist[i] becomes the sum of the sizes of the distinct other blocks accessed
// since the last access to blocks[i], or [Cold] if there was none. len(dist) must be at least len(blocks); every block must be
// below the number of sizes. Neither slice is retained. The distances do not depend on where a stream is cut into batches.
func (e *Dense) Distances(blocks []uint32, dist []uint64) {
	for len(blocks) > 0 {
		n := min(len(blocks), maxChunk)
		e.chunk(blocks[:n], dist[:n])
		blocks, dist = blocks[n:], dist[n:]
	}
}

// chunk runs one chunk: it finds the previous access of each access, counts, and renumbers.
func (e *Dense) chunk(blocks []uint32, dist []uint64) {
	live := e.live
	n := live + len(blocks)
	e.slot = grow(e.slot, n)
	e.cum = grow(e.cum, n)
	e.inv.reset(n, len(blocks))

	slot, cum, states := e.slot[live:n], e.cum[live:n], e.blocks
	items, first := e.inv.items, &e.inv.first
	low := e.inv.low
	var top uint64 // C(L-1)
	if live > 0 {
		top = e.cum[live-1]
	}
	var sum, coldSum uint64 // in units
	m := 0
	for i, b := range blocks {
		st := &states[b]
		w, p1 := uint64(st.w), st.last
		st.last = uint32(live+i) + 1
		if e.huge {
			w = e.sizes[b] >> e.shift
		}
		sum += w
		cum[i] = top + sum<<e.shift
		slot[i] = b
		if p1 == 0 {
			dist[i] = Cold
			coldSum += w
			continue
		}
		dist[i] = top + coldSum<<e.shift
		items[m] = item{key: p1 - 1, at: uint32(i), w: uint32(w)}
		first[(p1-1)>>(low&31)&(radix-1)]++
		m++
	}
	e.count(blocks, items[:m], sum, dist)
	e.renumber(n)
}

// count adds to dist[it.at], for each item, what it lacks: the sizes of the earlier items with smaller keys, less C(it.key); and
// marks the position it.key dead. total is the sum of the sizes in the chunk, in units. The counters of a pass are 32 bits
// wide; a chunk that touches more than 2^32 units is counted in several runs, each over as many bits of the sizes as cannot
// overflow, which add up because the count is linear in the weights.
func (e *Dense) count(blocks []uint32, items []item, total uint64, dist []uint64) {
	out := outcome{dist: dist, shift: e.shift, slot: e.slot, cum: e.cum, dead: e.dead}
	if total>>32 == 0 {
		e.inv.run(items, &out)
		return
	}
	width := uint(32 - bits.Len(uint(len(items))))
	first := e.inv.first
	for done := uint(0); total>>done != 0; done += width {
		for i := range items {
			it := &items[i]
			it.w = uint32(e.sizes[blocks[it.at]] >> (e.shift + done) & (1<<width - 1))
			it.acc = 0
		}
		e.inv.first = first
		out.shift = e.shift + done
		e.inv.run(items, &out)
		out.cum, out.slot = nil, nil // taken once
	}
}

// renumber moves the live blocks among the n positions to 0..live-1, in order.
func (e *Dense) renumber(n int) {
	slot, cum, states := e.slot[:n], e.cum[:n], e.blocks
	k := 0
	var before, sum uint64
	for pos, b := range slot {
		c := cum[pos]
		w := c - before
		before = c
		slot[k] = b
		states[b].last = uint32(k) + 1
		if b != e.dead {
			sum += w
			cum[k] = sum
			k++
		}
	}
	e.live = k
}

// grow returns s with length n, keeping its contents.
func grow[E any](s []E, n int) []E {
	if n <= cap(s) {
		return s[:n]
	}
	t := make([]E, n, n+n/4)
	copy(t, s)
	return t
}
