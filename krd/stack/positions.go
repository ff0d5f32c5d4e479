package stack

import (
	"math/bits"
	"unsafe"
)

// A chunk is one chunk of accesses, which another thread may count while the next one is entered.
//
// Positions are numbered from 1. Those up to live are the LRU stack before the chunk, its top last;
// the accesses follow.
type chunk struct {
	cum   array[uint64] // by position: sum of the sizes at it and before it; 0 at 0
	items array[item]   // those of top digit d begin at d<<low, in order of time
	ends  []uint32      // by top digit: where its items end
	tally *tally        // of the pass that deals by the top digit

	live, n int      // the stack; positions in use
	low     uint     // the top digit is key>>low
	shift   uint     // weights are in units of 1<<shift bytes
	before  int      // positions before those of the accesses
	held    uint64   // sum of the sizes of what a filter holds before them
	cold    uint64   // sum of the sizes of first accesses
	entered uint64   // and of all; without a filter 0
	firsts  int      // how many first accesses there are
	sizes   []uint64 // of the accesses, or one; nil: what lies at their positions
	dist    []uint64
	buf     [pushGroup]item

	late   bool // the pass by the top digit is left to whoever counts
	queue  array[item]
	queued int
}

// item is an access that has a previous one, on its way through the passes. The assembly has the
// same layout (gen/passes.go).
type item struct {
	key uint32 // position of the previous access
	at  uint32 // number in the chunk
	w   uint32 // size in units
	acc uint32 // units found so far, modulo 1<<32
}

// Layout of item in the assembly (gen/passes.go).
var (
	_ [0]byte  = [unsafe.Offsetof(item{}.key)]byte{}
	_ [4]byte  = [unsafe.Offsetof(item{}.at)]byte{}
	_ [8]byte  = [unsafe.Offsetof(item{}.w)]byte{}
	_ [12]byte = [unsafe.Offsetof(item{}.acc)]byte{}
	_ [16]byte = [unsafe.Sizeof(item{})]byte{}
)

const pushGroup = 1 << 10

// positions is the numbering of the accesses of the chunk at hand, 64 positions a word.
type positions struct {
	// bit i of word j: the block accessed at position 64*j+i has not been accessed since
	live   array[uint64]
	before array[uint32] // how many live positions are in the words before
}

// renumber prepares the chunk to for accesses at most: the live positions, weighed by from (which
// may be to), become 1, 2, ..., and some are held between them and the accesses; translate is to be
// called before reset. The top digit has at most topBits bits.
func (p *positions) renumber(m *arena, from, to *chunk, held, accesses int, topBits uint) {
	live := 0
	before := p.before.resize(m, len(p.live.s))
	for i, word := range p.live.s {
		before[i] = uint32(live)
		live += bits.OnesCount64(word)
	}
	n := live + held + accesses
	cum := from.cum.s
	old := to.cum.room(m, n+1)
	compact(p.live.s, cum, to.cum.s[:cap(to.cum.s)])
	m.release(old)
	to.cum.s[0] = 0
	to.live, to.before, to.n = live, live+held, live+held
	for i := live + 1; i <= to.n; i++ {
		to.cum.s[i] = to.cum.s[live]
	}
	to.held, to.cold, to.entered, to.firsts = 0, 0, 0, 0
	to.low = tallyBits
	if above := uint(bits.Len(uint(n))); above > tallyBits+topBits {
		to.low = above - topBits
	}
	tops := n>>to.low + 1
	to.items.resize(m, tops<<to.low)
	to.ends = to.ends[:0]
	for d := range tops {
		to.ends = append(to.ends, uint32(d<<to.low))
	}
	if to.tally == nil {
		to.tally = newTally()
	}
	to.tally.reset(tops)
}

// translate gives states the ranks of their positions among the live ones.
func (p *positions) translate(states []blockState) {
	live, before := p.live.s, p.before.s
	before = before[:len(live)]
	for i := range states {
		st := &states[i]
		st.last = rank(live, before, st.last)
	}
}

// rank returns the number of live positions up to at; of 0, which is none, it is 0.
func rank(live []uint64, before []uint32, at uint32) uint32 {
	w := at >> 6
	return before[w] + uint32(bits.OnesCount64(live[w]<<(^at&63)))
}

// kill makes a position one where nothing lies.
func (p *positions) kill(at uint32) { p.live.s[at>>6] &^= 1 << (at & 63) }

// compact writes the cumulative sums of the live positions only. It may write over what it reads.
func compact(words, cum, to []uint64) {
	k := 0
	var sum uint64
	for i, live := range words {
		for ; live != 0; live &= live - 1 {
			pos := i<<6 + bits.TrailingZeros64(live)
			sum += cum[pos] - cum[pos-1]
			k++
			to[k] = sum
		}
	}
}

// reset makes positions 1..n all live, after the translation was used.
func (p *positions) reset(m *arena, n int) {
	live := p.live.resize(m, n>>6+1)
	for i := range live {
		live[i] = ^uint64(0)
	}
	live[0] &^= 1
	live[n>>6] &= 1<<(n&63)<<1 - 1
}

// push enters the next accesses of a chunk, at most pushGroup of them, whose previous positions are
// prev (0: none). first is the number of the first in the chunk.
func (c *chunk) push(live []uint64, first int, prev []uint32, sizes []uint64) {
	sizes = sizes[:len(prev)]
	cum := c.cum.s[c.n+1:][:len(prev)]
	dist := c.dist[first:][:len(prev)]
	top, shift := c.cum.s[c.live]+c.held, c.shift&63
	sum, cold := c.cum.s[c.n], c.cold
	base := uint32((top + cold) >> shift)
	buf := &c.buf
	if c.late {
		buf = (*[pushGroup]item)(c.queue.s[c.queued:])
	}
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
		buf[m&(pushGroup-1)] = item{key: p, at: uint32(first + i), w: uint32(size >> shift),
			acc: base}
		m++
	}
	c.n += len(prev)
	c.cold = cold
	c.firsts += len(prev) - m
	for i := range buf[:m] {
		p := buf[i].key
		live[p>>6] &^= 1 << (p & 63)
	}
	if c.late {
		c.queued += m
	} else {
		c.deal(buf[:m])
	}
}

// deal makes the pass by the top digit.
func (c *chunk) deal(items []item) {
	deal(items, c.low, 1<<tallyBits-1, c.items.s, c.ends, c.tally)
}

// dealQueued deals what push left to be dealt.
func (c *chunk) dealQueued() {
	if c.late {
		c.deal(c.queue.s[:c.queued])
	}
}
