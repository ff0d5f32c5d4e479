package stack

import "unsafe"

const tallyBits = 12 // a tally counts by keys of 12 bits

// tally holds, for each key of 12 bits, the sum of the weights with smaller keys, in four levels of
// eight, so that reading is four loads and adding a fixed number of steps without branches: in AVX2
// an AND, an addition and a store for each level. The assembly has the same layout (gen/passes.go).
type tally struct {
	window [16]uint32 // eight words of zeros, eight of ones
	level0 lanes      // by key>>9
	level1 [8]lanes   // by key>>6, those that agree in key>>9
	level2 [64]lanes  // by key>>3
	level3 [512]lanes // by key
}

// Layout of tally in the assembly (gen/passes.go).
var (
	_ [0]byte           = [unsafe.Offsetof(tally{}.window)]byte{}
	_ [64]byte          = [unsafe.Offsetof(tally{}.level0)]byte{}
	_ [64 + 32]byte     = [unsafe.Offsetof(tally{}.level1)]byte{}
	_ [64 + 32*9]byte   = [unsafe.Offsetof(tally{}.level2)]byte{}
	_ [64 + 32*73]byte  = [unsafe.Offsetof(tally{}.level3)]byte{}
	_ [64 + 32*585]byte = [unsafe.Sizeof(tally{})]byte{}
)

// lanes are eight counters of 32 bits, cumulative: the weights of the earlier siblings. They are
// kept in pairs, the even one in the low half, and in portable code added to as pairs: as long as
// the sums stay below 1<<32, nothing carries over.
type lanes [4]uint64

// newTally returns a tally at the beginning of a cache line, so that no group of lanes lies across
// two.
func newTally() *tally {
	raw := make([]byte, unsafe.Sizeof(tally{})+63)
	p := unsafe.Pointer(unsafe.SliceData(raw))
	t := (*tally)(unsafe.Add(p, -uintptr(p)&63))
	for i := range 8 {
		t.window[8+i] = 1<<32 - 1
	}
	return t
}

// reset makes the sums 0 for keys below n.
func (t *tally) reset(n int) {
	t.level0 = lanes{}
	t.level1 = [8]lanes{}
	clear(t.level2[:(n+63)>>6])
	clear(t.level3[:(n+7)>>3])
}

// greater8[d] has ones in the lanes above d.
var greater8 = func() (g [8]lanes) {
	for d := range g {
		for lane := d + 1; lane < 8; lane++ {
			g[d][lane/2] |= 0xffffffff << (32 * (lane % 2))
		}
	}
	return
}()

func (l *lanes) below(d uint32) uint32 { return uint32(l[d>>1&3] >> (d & 1 * 32)) }

func (l *lanes) add(d uint32, pair uint64) {
	g := &greater8[d&7]
	l[0] += pair & g[0]
	l[1] += pair & g[1]
	l[2] += pair & g[2]
	l[3] += pair & g[3]
}

// collect returns the sum of the weights with keys smaller than k, and adds w to those of k.
func (t *tally) collect(k, w uint32) uint32 {
	l1, l2, l3 := &t.level1[k>>9&7], &t.level2[k>>6&63], &t.level3[k>>3&511]
	sum := t.level0.below(k>>9&7) + l1.below(k>>6&7) + l2.below(k>>3&7) + l3.below(k&7)
	pair := uint64(w) * (1<<32 | 1)
	t.level0.add(k>>9, pair)
	l1.add(k>>6, pair)
	l2.add(k>>3, pair)
	l3.add(k, pair)
	return sum
}

// dealPortable makes a pass: each item collects the weights of the earlier ones with smaller digits
// key>>low&mask (of 12 bits at most), and goes to the place that ends has for its digit, which is
// advanced.
func dealPortable(items []item, low uint, mask uint32, to []item, ends []uint32, t *tally) {
	for _, it := range items {
		d := it.key >> (low & 31) & mask
		it.acc += t.collect(d, it.w)
		j := ends[d]
		ends[d] = j + 1
		to[j] = it
	}
}

// finishPortable makes the last pass: the sums that items collect here complete their distances.
// cum begins at the first key of the bucket.
func finishPortable(items []item, cum, dist []uint64, shift uint, t *tally) {
	shift &= 63
	for i := range items {
		it := &items[i]
		k := it.key & (1<<tallyBits - 1)
		dist[it.at] = uint64(it.acc+t.collect(k, it.w)-uint32(cum[k]>>shift)) << shift
	}
}
