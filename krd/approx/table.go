package approx

import "math/bits"

// table maps 64-bit hashes to units, dense numbers from 0. Open addressing with linear probing, at
// most half full; entries are removed by moving back those that a hole would hide (Knuth, TAOCP 3,
// 6.4, algorithm R), so that nothing is left behind.
//
// The hashes of a sample share their high bits, those below the threshold, so that the home of an
// entry is taken from another multiplication.
type table struct {
	entries []entry
	shift   uint
	n       int
}

type entry struct {
	hash uint64
	unit uint32 // plus 1; 0: empty
}

const minTable = 1 << 6

func newTable() *table { return &table{entries: make([]entry, minTable), shift: 64 - 6} }

func (t *table) home(hash uint64) int { return int(hash * 0x9e3779b97f4a7c15 >> (t.shift & 63)) }

// slot returns the entry of hash: its own, or the empty one where it belongs, which the caller
// fills with put.
func (t *table) slot(hash uint64) *entry {
	mask := len(t.entries) - 1
	for i := t.home(hash); ; i++ {
		e := &t.entries[i&mask]
		if e.unit == 0 || e.hash == hash {
			return e
		}
	}
}

// put fills an entry that slot returned. It may move all entries.
func (t *table) put(e *entry, hash uint64, unit uint32) {
	*e = entry{hash, unit + 1}
	t.n++
	if 2*t.n <= len(t.entries) {
		return
	}
	old := t.entries
	t.entries = make([]entry, 2*len(old))
	t.shift = uint(64 - bits.TrailingZeros(uint(len(t.entries))))
	for _, e := range old {
		if e.unit != 0 {
			*t.slot(e.hash) = e
		}
	}
}

// remove takes the entry of hash out. It must be there.
func (t *table) remove(hash uint64) {
	mask := len(t.entries) - 1
	hole := t.home(hash)
	for ; t.entries[hole&mask].hash != hash || t.entries[hole&mask].unit == 0; hole++ {
	}
	hole &= mask
	t.n--
	for i := hole; ; {
		t.entries[hole] = entry{}
		for {
			i = (i + 1) & mask
			e := t.entries[i]
			if e.unit == 0 {
				return
			}
			// e may go to the hole if its home is not after it, going round from the hole to i.
			if (i-t.home(e.hash))&mask >= (i-hole)&mask {
				t.entries[hole] = e
				hole = i
				break
			}
		}
	}
}
