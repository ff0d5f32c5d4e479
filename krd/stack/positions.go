package stack

import "math/bits"

// A chunk is what one chunk of accesses needs to be counted, which another thread may do while the next one is entered.
//
// Positions are numbered from 1. Those up to live are the LRU stack before the chunk, its top last; the accesses follow.
type chunk struct {
	cum   array[uint64] // by position: sum of the sizes at it and before it; 0 at 0
	items array[item]   // those of top digit d begin at d<<low, in order of time
	ends  []uint32      // by top digit: where its items end
	tally *tally        // of the pass that deals by the top digit

	live, n int  // the stack; positions in use
	low     uint // the top digit is key>>low
	shift   uint // weights are in units of 1<<shift bytes
	cold    uint64
	dist    []uint64
	buf     [pushGroup]item
}

// rankWord is 64 positions of which some are live.
type rankWord struct {
	live   uint64 // bit i: the block accessed at position 64*word+i has not been accessed since
	before uint32 // how many live positions are in the words before
}

const pushGroup = 1 << 10

// positions is the numbering of the accesses of the chunk at hand.
type positions struct {
	words array[rankWord]
	n     int
}

// renumber prepares the chunk to for accesses at most: the live positions, weighed by from (which may be to), become 1, 2, ...;
// words keeps the translation until reset. It returns memory to release when nobody reads from any more.
func (p *positions) renumber(m *arena, from, to *chunk, accesses int) (old []byte, err error) {
	live := 0
	words := p.words.s
	for i := range words {
		words[i].before = uint32(live)
		live += bits.OnesCount64(words[i].live)
	}
	cum := from.cum.s
	n := live + accesses
	if from == to {
		n = max(n, len(cum)) // not to lose what is still read
	}
	if old, err = to.cum.room(m, n+1); err != nil {
		return nil, err
	}
	next := to.cum.s
	if len(cum) > 0 {
		compact(words, cum, next)
	}
	next[0] = 0
	to.live, to.n = live, live
	to.cold = 0
	levels := uint(max(0, bits.Len(uint(live+accesses))-tallyBits))
	to.low = tallyBits
	if levels > topBits {
		to.low += levels - topBits
	}
	tops := (live+accesses)>>to.low + 1
	spare, err := to.items.room(m, tops<<to.low)
	m.release(spare)
	if err != nil {
		return old, err
	}
	to.ends = to.ends[:0]
	for d := range tops {
		to.ends = append(to.ends, uint32(d<<to.low))
	}
	if to.tally == nil {
		to.tally = newTally()
	}
	to.tally.reset(tops)
	return old, nil
}

// compact writes the cumulative sums of the live positions only. It may write over what it reads.
func compact(words []rankWord, cum, to []uint64) {
	k := 0
	var sum uint64
	for i := range words {
		for live := words[i].live; live != 0; live &= live - 1 {
			pos := i<<6 + bits.TrailingZeros64(live)
			sum += cum[pos] - cum[pos-1]
			k++
			to[k] = sum
		}
	}
}

// reset makes positions 1..n all live, after the translation was used.
func (p *positions) reset(m *arena, n int) error {
	old, err := p.words.room(m, n>>6+1)
	m.release(old)
	if err != nil {
		return err
	}
	words := p.words.s
	for i := range words {
		words[i].live = ^uint64(0)
	}
	words[0].live = ^uint64(1)
	words[n>>6].live &= 1<<(n&63)<<1 - 1
	p.n = n
	return nil
}

// push enters the next accesses of a chunk, at most pushGroup of them, whose previous positions are prev (0: none).
// first is the number of the first in the chunk.
func (c *chunk) push(words []rankWord, first int, prev []uint32, sizes []uint64) {
	sizes = sizes[:len(prev)]
	cum := c.cum.s[c.n+1:][:len(prev)]
	dist := c.dist[first:][:len(prev)]
	top, shift := c.cum.s[c.live], c.shift&63
	sum, cold := c.cum.s[c.n], c.cold
	base := uint32((top + cold) >> shift)
	m := 0
	for i, p := range prev {
		size := sizes[i]
		sum += size
		cum[i] = sum
		if p == 0 {
			dist[i] = Cold
			cold += size
			base = uint32((top + cold) >> shift)
			continue
		}
		words[p>>6].live &^= 1 << (p & 63)
		c.buf[m&(pushGroup-1)] = item{key: p, at: uint32(first + i), w: uint32(size >> shift), acc: base}
		m++
	}
	c.n += len(prev)
	c.cold = cold
	deal(c.buf[:m], c.low, 1<<tallyBits-1, c.items.s, c.ends, c.tally)
}
