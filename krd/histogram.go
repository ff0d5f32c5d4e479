package krd

import (
	"fmt"
	"math/bits"

	"krdlab/hw/failure"
	"krdlab/krd/smith"
	"krdlab/krd/stack"
)

// PaperBytes is the distance that the KRD paper compares far reuses at (IV-B).
const PaperBytes = 32 << 20

// A Bin counts the accesses with FromBytes <= distance < ToBytes.
type Bin struct {
	FromBytes uint64 `json:"from_bytes"`
	ToBytes   uint64 `json:"to_bytes"`
	Count     uint64 `json:"count"`
}

// binOf returns the bin of the distances of k bits.
func binOf(k int, count uint64) Bin {
	return Bin{FromBytes: 1 << k >> 1, ToBytes: 1 << k, Count: count}
}

// A Histogram is the distribution of reuse distances of one node, or the sum over nodes. Every
// count is of accesses, or, with [WeightBytes], of the bytes of those accesses;
// [Histogram.AccessCount] alone never weighs.
//
// Accesses = Cold + Invalidated + the sum of the bins, and Accesses = Cold + Invalidated + Close +
// Near + Far where the cache sizes are known. Those four are counted one by one, with the size of
// the block accessed (an access hits if distance + size <= cache), and not derived from the bins.
// Counts that the trace does not allow are nil.
type Histogram struct {
	Accesses    uint64 `json:"accesses"`
	AccessCount uint64 `json:"access_count"` // unweighted
	Cold        uint64 `json:"cold"`         // first accesses on the node: distance INF
	// reuses whose previous access was by another worker of the node
	Shared      *uint64 `json:"shared"`      // nil: not counted, as in a sample
	Close       *uint64 `json:"close"`       // distance + size <= L2
	Near        *uint64 `json:"near"`        // not close, distance + size <= LLC
	Far         *uint64 `json:"far"`         // finite, distance + size > LLC
	Invalidated *uint64 `json:"invalidated"` // misses by coherence; nil: not asked for
	// BeyondBytes are the bytes of the accesses that are far, cold or invalidated, whatever the
	// weight: the misses of a fully associative LRU cache of the LLC's size.
	BeyondBytes *uint64 `json:"beyond_bytes"`
	// Bytes are those of all accesses, whatever the weight; absent but of cores
	Bytes *uint64 `json:"bytes,omitempty"`
	// BeyondL2Bytes are those of the accesses that the L2 does not serve; absent but of cores
	BeyondL2Bytes *uint64 `json:"beyond_l2_bytes,omitempty"`
	// 0, then [2^(k-1), 2^k), up to the highest bin of any node with a count
	Bins []Bin `json:"bins"`
}

// Infinite returns the accesses whose distance is INF: cold ones and, if they were asked for,
// invalidated ones.
func (h *Histogram) Infinite() uint64 {
	if h.Invalidated == nil {
		return h.Cold
	}
	return h.Cold + *h.Invalidated
}

// ErrNotPowerOfTwo is the error of thresholds that cut a bin in two.
var ErrNotPowerOfTwo = failure.New(failure.Request, "not a power of two")

// Below returns the number (or bytes, as weighed) of accesses with a distance less than limit,
// which must be a power of two or 0.
func (h *Histogram) Below(limit uint64) (uint64, error) {
	if limit&(limit-1) != 0 {
		return 0, fmt.Errorf("krd: threshold of %d bytes: %w, so a bin of the histogram holds "+
			"distances on both sides of it", limit, ErrNotPowerOfTwo)
	}
	var n uint64
	for _, b := range h.Bins {
		if b.ToBytes <= limit {
			n += b.Count
		}
	}
	return n, nil
}

// A Tail is the part of a histogram with a distance of at least Bytes, in both readings of "far
// reuses beyond" (KRD paper, IV-B and figure 6): with cold accesses, whose distance is INF, or
// without.
type Tail struct {
	Bytes    uint64 // the threshold
	Finite   uint64 // accesses with a finite distance >= Bytes
	Cold     uint64 // and invalidated ones, whose distance is INF too
	Accesses uint64 // all of the histogram
}

// AtLeast returns the part of h with a distance of limit bytes or more. The counts are exact; limit
// must be a power of two or 0 ([ErrNotPowerOfTwo]).
func (h *Histogram) AtLeast(limit uint64) (Tail, error) {
	below, err := h.Below(limit)
	if err != nil {
		return Tail{}, err
	}
	inf := h.Infinite()
	return Tail{Bytes: limit, Finite: h.Accesses - inf - below, Cold: inf, Accesses: h.Accesses},
		nil
}

// tally counts the distances of one node as they are computed.
type tally struct {
	inclusive, weighBytes bool
	l2, llc               uint64 // bytes, 0: unknown
	coherence, core       bool
	misses                []*smith.Predictor

	count, total, cold, shared uint64
	invalidated                uint64
	carried                    uint64 // 1: total has overflowed
	upToL2, upToLLC            uint64 // accesses with distance + size up to that much
	beyond                     uint64 // bytes of the accesses with more than both, cold ones too
	beyondL2                   uint64 // with more than the L2 alone
	bytes                      uint64 // and of all
	bins                       [65]uint64
	smallest                   uint64 // bytes of a datum; 0: not known
}

// one counts a distance with a weight, that of an access which a cache of needs bytes serves:
// distance + size, or less where an access covers several blocks, and some lie between. This is the
// inclusive distance. It leaves count to its callers.
func (t *tally) one(d, needs, weight uint64) {
	t.add(weight)
	if d == stack.Cold {
		t.cold += weight
		return
	}
	_, over := bits.Sub64(t.l2, needs, 0)
	t.upToL2 += weight & (over - 1)
	_, over = bits.Sub64(t.llc, needs, 0)
	t.upToLLC += weight & (over - 1)
	if t.inclusive {
		d = needs
	}
	t.bins[bits.Len64(d)] += weight
}

// add counts a weight, and notices when all weights have 2^64 bytes or more.
func (t *tally) add(weight uint64) {
	var carry uint64
	t.total, carry = bits.Add64(t.total, weight, 0)
	t.carried |= carry
}

// weight returns the weight of an access to size bytes.
func (t *tally) weight(size uint64) uint64 {
	if t.weighBytes {
		return size
	}
	return 1
}

// addShared counts a reuse of size bytes after another worker.
func (t *tally) addShared(size uint64) { t.shared += t.weight(size) }

// addInvalidated counts an access to size bytes that the node had and lost to a write on another.
func (t *tally) addInvalidated(size uint64) {
	w := t.weight(size)
	t.add(w)
	t.invalidated += w
}

// reach counts the bytes of an access to size bytes, which a cache of needs bytes serves, and once
// more if that is beyond the LLC. needs is stack.Cold of a cold access.
func (t *tally) reach(needs, size uint64) { t.reachTimes(needs, size, 1) }

// reachTimes works like reach, for n accesses.
func (t *tally) reachTimes(needs, size, n uint64) {
	size *= n
	t.bytes += size
	if t.core && needs > t.l2 {
		t.beyondL2 += size
	}
	if needs > t.l2 && needs > t.llc {
		t.beyond += size
	}
}

// predict hands an access to size bytes, which a cache of needs bytes serves, to the models of
// caches. needs is stack.Cold of a cold access, and otherwise not less than size.
func (t *tally) predict(needs, size uint64) {
	for _, p := range t.misses {
		if needs == stack.Cold {
			p.Cold(size, 1)
		} else {
			p.Add(needs-size, size, 1)
		}
	}
}

// merge adds the counts of other.
func (t *tally) merge(other *tally) {
	t.count += other.count
	t.add(other.total)
	t.carried |= other.carried
	t.cold += other.cold
	t.shared += other.shared
	t.invalidated += other.invalidated
	t.upToL2 += other.upToL2
	t.upToLLC += other.upToLLC
	t.beyond += other.beyond
	t.beyondL2 += other.beyondL2
	t.bytes += other.bytes
	t.smaller(other.smallest)
	for k, n := range other.bins {
		t.bins[k] += n
	}
}

// forget makes all counts 0.
func (t *tally) forget() {
	*t = tally{inclusive: t.inclusive, weighBytes: t.weighBytes, l2: t.l2, llc: t.llc,
		coherence: t.coherence, core: t.core, misses: t.misses}
}

// smaller notes a datum of size bytes.
func (t *tally) smaller(size uint64) {
	if t.smallest == 0 || size != 0 && size < t.smallest {
		t.smallest = size
	}
}

// used returns the number of bins up to the last with a count.
func (t *tally) used() int {
	n := len(t.bins)
	for n > 0 && t.bins[n-1] == 0 {
		n--
	}
	return n
}

// histogram renders the first n bins.
func (t *tally) histogram(n int) Histogram {
	h := Histogram{Accesses: t.total, AccessCount: t.count, Cold: t.cold, Shared: ptr(t.shared),
		Bins: make([]Bin, n)}
	for k := range h.Bins {
		h.Bins[k] = binOf(k, t.bins[k])
	}
	if t.coherence {
		h.Invalidated = ptr(t.invalidated)
	}
	if t.core {
		h.Bytes = ptr(t.bytes)
		if t.l2 != 0 {
			h.BeyondL2Bytes = ptr(t.beyondL2)
		}
	}
	// An L2 beyond the LLC is an LLC that is an L2: nothing is near.
	finite, within := t.total-t.cold-t.invalidated, max(t.upToL2, t.upToLLC)
	if t.l2 != 0 {
		h.Close = ptr(t.upToL2)
	}
	if t.llc != 0 {
		h.Far, h.BeyondBytes = ptr(finite-t.upToLLC), ptr(t.beyond)
	}
	if t.l2 != 0 && t.llc != 0 {
		h.Near = ptr(within - t.upToL2)
		h.Far = ptr(finite - within)
	}
	return h
}

func ptr(n uint64) *uint64 { return &n }
