package stack

// tally holds, for each key of 12 bits, the sum of the weights with smaller keys: counters by the high six bits, and for each of
// them by the low six.
type tally struct {
	high counters
	low  [64]counters
}

// reset makes a tally 0 for keys below n.
func (t *tally) reset(n int) {
	t.high = counters{}
	clear(t.low[:(n+63)>>6])
}

func (t *tally) below(k uint32) uint32 {
	return t.high.below(k>>6&63) + t.low[k>>6&63].below(k&63)
}

func (t *tally) add(k, w uint32) {
	t.high.add(k>>6&63, w)
	t.low[k>>6&63].add(k&63, w)
}

// deal is a pass: each item collects the weights of the earlier ones with smaller digits key>>low&mask (of 12 bits at most), and
// goes to the place that ends has for its digit, which is advanced.
func deal(items []item, low uint, mask uint32, to []item, ends []uint32, t *tally) {
	for _, it := range items {
		d := it.key >> (low & 31) & mask
		it.acc += t.below(d)
		t.add(d, it.w)
		j := ends[d]
		ends[d] = j + 1
		to[j] = it
	}
}

// finish is the last pass: what the items collect here completes their distances. cum begins at the first key of the bucket.
func finish(items []item, cum, dist []uint64, shift uint, t *tally) {
	shift &= 63
	for i := range items {
		it := &items[i]
		k := it.key & (1<<tallyBits - 1)
		dist[it.at] = uint64(it.acc+t.below(k)-uint32(cum[k]>>shift)) << shift
		t.add(k, it.w)
	}
}
