package imports

import (
	"fmt"
	"math/bits"
)

// A keyTable maps the keys of one object to a word each, which is never 0. Open addressing with
// linear probing; the home of a key is the top bits of its product with an odd constant (Knuth, The
// Art of Computer Programming 3, 6.4). 16 bytes for each slot, 2 to 4 slots for each 1.5 keys.
type keyTable struct {
	slots []keySlot
	shift uint
	used  int
}

type keySlot struct{ key, word uint64 }

func (t *keyTable) home(key uint64) uint64 {
	key ^= key >> 32
	return key * 0x9e3779b97f4a7c15 >> t.shift
}

// at returns the word of a key, which is 0 if the key is new: the caller stores another value at
// once, and then calls added.
func (t *keyTable) at(key uint64) *uint64 {
	if t.slots == nil {
		t.slots, t.shift = make([]keySlot, 64), 64-6
	}
	mask := uint64(len(t.slots) - 1)
	for i := t.home(key); ; i++ {
		s := &t.slots[i&mask]
		if s.key == key && s.word != 0 {
			return &s.word
		}
		if s.word == 0 {
			s.key = key
			return &s.word
		}
	}
}

// has reports whether a key has a word.
func (t *keyTable) has(key uint64) bool { return t.slots != nil && *t.at(key) != 0 }

// added makes room for the next key.
func (t *keyTable) added() {
	if t.used++; t.used*4 < len(t.slots)*3 {
		return
	}
	old := t.slots
	t.slots, t.shift = make([]keySlot, 2*len(old)), t.shift-1
	mask := uint64(len(t.slots) - 1)
	for _, s := range old {
		if s.word == 0 {
			continue
		}
		i := t.home(s.key)
		for t.slots[i&mask].word != 0 {
			i++
		}
		t.slots[i&mask] = s
	}
}

// A region is where a key lives in the address space of an object whose keys may change their
// sizes. The first region of an object begins at 0, and each is 2^32 bytes, or 16 times the first
// size of its key if that is more, rounded up to a power of two. As a word: the offset, a multiple
// of 2^32, plus the logarithm of the size.
type region uint64

func (g region) offset() uint64 { return uint64(g) &^ (1<<32 - 1) }
func (g region) bytes() uint64  { return 1 << (g & 63) }

// newRegion returns the region of a new key of the given size, where end is the end of the last
// one.
func newRegion(end, bytes uint64) (g region, newEnd uint64, err error) {
	log := max(32, bits.Len64(bytes-1)+4)
	if log > 61 || end+1<<log > maxBytes {
		return 0, 0, fmt.Errorf("no room for %d bytes more in the address space of the object, "+
			"%d of 2^62 bytes are taken", bytes, end)
	}
	return region(end | uint64(log)), end + 1<<log, nil
}
