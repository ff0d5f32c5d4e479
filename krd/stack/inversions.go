package stack

import "math/bits"

const (
	digitBits = 6 // radix 64: the digit's counters fit half a kilobyte, its write streams half of a small L1
	radix     = 1 << digitBits
)

// An item of a weighted inversion count. The keys of one run are distinct.
type item struct {
	key uint32
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
	items []item        // the sequence of a run, length fixed by reset, filled by the caller
	first [radix]uint32 // how many items have each top digit, key>>low; zeroed by reset, filled by the caller, used up by run
	low   uint
	dealt [][]item // by number of the digit: where its pass deals to
}

// An outcome says where the sums of a run go.
type outcome struct {
	dist  []uint64 // dist[it.at] += sum<<shift - cum[it.key]
	shift uint
	cum   []uint64 // nil: take nothing away and leave slot alone
	slot  []uint32 // slot[it.key] = dead
	dead  uint32
}

// reset prepares for runs of at most m items with keys below n.
func (v *inversions) reset(n, m int) {
	v.items = renew(v.items, m)
	levels := max(1, (bits.Len(uint(n-1))+digitBits-1)/digitBits)
	for len(v.dealt) < levels {
		v.dealt = append(v.dealt, nil)
	}
	v.dealt[levels-1] = renew(v.dealt[levels-1], m)
	for l := levels - 2; l > 0; l-- { // digit 0 is not dealt
		v.dealt[l] = renew(v.dealt[l], min(m, 1<<((l+1)*digitBits)))
	}
	v.low = uint((levels - 1) * digitBits)
	clear(v.first[:])
}

// renew returns a slice of length n with any contents.
func renew(s []item, n int) []item {
	if n <= cap(s) {
		return s[:n]
	}
	return make([]item, n, n+n/4)
}

// run counts the items, whose acc is 0. The sum of all the weights must be below 1<<32.
func (v *inversions) run(items []item, out *outcome) {
	if v.low == 0 {
		finishBucket(items, out)
		return
	}
	v.pass(items, v.low, &v.first, out)
}

// pass handles the digit key>>low of a bucket, n[d] of whose items have the digit d, and, depth first, everything below it.
func (v *inversions) pass(bucket []item, low uint, n *[radix]uint32, out *outcome) {
	var start uint32
	for d, count := range n {
		n[d] = start
		start += count
	}
	level := low / digitBits
	to := v.dealt[level][:len(bucket)]
	dealBucket(bucket, low, to, n)
	start = 0
	for _, end := range n {
		b := to[start:end]
		start = end
		switch {
		case len(b) == 0:
		case level == 1:
			finishBucket(b, out)
		default:
			var next [radix]uint32
			for i := range b {
				next[b[i].key>>((low-digitBits)&31)&(radix-1)]++
			}
			v.pass(b, low-digitBits, &next, out)
		}
	}
}

// dealBucket is the inner loop of a pass: next[d] is where the next item with digit d goes and is advanced.
func dealBucket(bucket []item, low uint, to []item, next *[radix]uint32) {
	var c counters
	for _, it := range bucket {
		d := it.key >> (low & 31) & (radix - 1)
		it.acc += c.below(d)
		c.add(d, it.w)
		j := next[d]
		next[d] = j + 1
		to[j] = it
	}
}

// finishBucket is the last pass: what the items collect here completes their sums.
func finishBucket(bucket []item, out *outcome) {
	var c counters
	dist, shift := out.dist, out.shift&63
	if out.cum == nil {
		for i := range bucket {
			it := &bucket[i]
			d := it.key & (radix - 1)
			dist[it.at] += uint64(it.acc+c.below(d)) << shift
			c.add(d, it.w)
		}
		return
	}
	for i := range bucket {
		it := &bucket[i]
		d := it.key & (radix - 1)
		dist[it.at] += uint64(it.acc+c.below(d))<<shift - out.cum[it.key]
		out.slot[it.key] = out.dead
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
