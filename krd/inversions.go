package krd

import "math/bits"

const (
	digitBits = 6 // radix 64: the digit's counters fit half a kilobyte, its write streams half of a small L1
	radix     = 1 << digitBits
)

// An item of a weighted inversion count. The keys of one run are distinct.
type item struct {
	key uint32 // bits above the current digit are the same throughout a bucket and no longer matter
	at  uint32 // index of the item's result
	w   uint32
	acc uint32 // weights found so far
}

// inversions computes, for every item of a sequence with distinct keys, the sum of the weights of the items before it whose
// keys are smaller.
//
// One pass deals the items of a bucket, in order, into 64 buckets by one digit of the key; an item first collects the weights of
// the smaller digits seen so far in its bucket. Two items are compared in the one pass that tells their keys apart, and there
// they are still in the order of the sequence, because dealing is stable. The passes go depth first, from the top digit down,
// so that after the first one or two everything happens in cache. A bucket of a pass is never larger than its range of keys,
// because keys are distinct.
type inversions struct {
	items  []item   // the sequence of a run, length fixed by reset, filled by the caller
	dealt  [][]item // by level: where its pass deals to
	levels int      // number of digits
}

// reset prepares for runs of at most m items with keys below n.
func (v *inversions) reset(n, m int) {
	v.items = grow(v.items, m)
	v.levels = max(1, (bits.Len(uint(n-1))+digitBits-1)/digitBits)
	for len(v.dealt) < v.levels {
		v.dealt = append(v.dealt, nil)
	}
	v.dealt[v.levels-1] = grow(v.dealt[v.levels-1], m)
	for l := v.levels - 2; l > 0; l-- { // the lowest digit deals nothing
		v.dealt[l] = grow(v.dealt[l], min(m, 1<<((l+1)*digitBits)))
	}
}

// run adds sum<<shift to dist[it.at] for each item. The sum of all the weights must be below 1<<32. It overwrites items' acc.
func (v *inversions) run(items []item, dist []uint64, shift uint) {
	for i := range items {
		items[i].acc = 0
	}
	v.pass(items, v.levels-1, dist, shift)
}

// pass handles digit number level of a bucket and, depth first, everything below it.
func (v *inversions) pass(bucket []item, level int, dist []uint64, shift uint) {
	if level == 0 {
		finish(bucket, dist, shift)
		return
	}
	var ends [radix]uint32
	low := uint(level * digitBits)
	for i := range bucket {
		ends[bucket[i].key>>low&(radix-1)]++
	}
	var start uint32
	for d, n := range ends {
		ends[d] = start
		start += n
	}
	to := v.dealt[level][:len(bucket)]
	deal(bucket, low, to, &ends)
	start = 0
	for _, end := range ends {
		if end-start > 1 {
			v.pass(to[start:end], level-1, dist, shift)
		} else if end > start {
			dist[to[start].at] += uint64(to[start].acc) << shift
		}
		start = end
	}
}

// deal is the inner loop of a pass: ends[d] is where the next item with digit d goes and is advanced.
func deal(bucket []item, low uint, to []item, ends *[radix]uint32) {
	var c counters
	for _, it := range bucket {
		d := it.key >> (low & 31) & (radix - 1)
		it.acc += c.below(d)
		c.add(d, it.w)
		j := ends[d]
		ends[d] = j + 1
		to[j] = it
	}
}

// finish is the last pass: what the items collect here completes their sums.
func finish(bucket []item, dist []uint64, shift uint) {
	var c counters
	for i := range bucket {
		it := &bucket[i]
		d := it.key & (radix - 1)
		dist[it.at] += uint64(it.acc+c.below(d)) << (shift & 63)
		c.add(d, it.w)
	}
}

// counters hold, for each digit, the sum of the weights with smaller digits, so that reading is two loads and adding is a
// fixed number of steps without branches. They are cumulative in two levels of eight; the 32-bit counters are kept in
// pairs, the even one in the low half, and added to as pairs: their sums stay below 1<<32, so nothing carries over.
type counters struct {
	eights [4]uint64    // by high three bits of the digit: smaller high bits
	ones   [8][4]uint64 // by high three bits, then low three: same high bits, smaller low bits
}

// greater[d] has ones in the lanes above d.
var greater = func() (g [8][4]uint64) {
	for d := range g {
		for lane := d + 1; lane < 8; lane++ {
			g[d][lane/2] |= 0xffffffff << (32 * (lane % 2))
		}
	}
	return
}()

func (c *counters) below(d uint32) uint32 {
	h, l := d>>3&7, d&7
	return uint32(c.eights[h>>1]>>(h&1*32)) + uint32(c.ones[h][l>>1]>>(l&1*32))
}

func (c *counters) add(d, w uint32) {
	h, l := d>>3&7, d&7
	pair := uint64(w) * (1<<32 | 1)
	g := &greater[h]
	c.eights[0] += pair & g[0]
	c.eights[1] += pair & g[1]
	c.eights[2] += pair & g[2]
	c.eights[3] += pair & g[3]
	o, g := &c.ones[h], &greater[l]
	o[0] += pair & g[0]
	o[1] += pair & g[1]
	o[2] += pair & g[2]
	o[3] += pair & g[3]
}
