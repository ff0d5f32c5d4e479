package approx

import "math/bits"

// A mixer is a bijection of 64-bit words whose high bits depend on all bits of the key: add, fold,
// multiply, fold, multiply. The constants come from the seed, so that each seed samples other keys.
type mixer struct{ plus, first, second uint64 }

// newMixer draws a number and two odd multipliers from the seed by the SplitMix64 generator
// (Steele, Lea and Flood, OOPSLA 2014).
func newMixer(seed uint64) mixer {
	next := func() uint64 {
		seed += 0x9e3779b97f4a7c15
		x := seed
		x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
		x = (x ^ x>>27) * 0x94d049bb133111eb
		return x ^ x>>31
	}
	return mixer{next(), next() | 1, next() | 1}
}

// hash returns the image of key.
func (m mixer) hash(key uint64) uint64 {
	x := key + m.plus
	x ^= x >> 32 // for keys that differ in high bits only
	x *= m.first
	x ^= x >> 32
	return x * m.second
}

// filter writes the numbers of those keys whose hash is at most limit to at, in order, and returns
// how many there are. at must be as long as keys. Without a branch on the outcome: each number is
// written, and the place moves on only where it counts.
//
// Not inlined: among the callers' variables its own do not all stay in registers, which costs a
// sixth.
//
//go:noinline
func filter(keys []uint64, m mixer, limit uint64, at []uint32) int {
	at = at[:len(keys)]
	n := uint64(0)
	for i, k := range keys {
		if n >= uint64(len(at)) {
			break // never: it spares the check of the store
		}
		at[n] = uint32(i)
		_, above := bits.Sub64(limit, m.hash(k), 0)
		n += 1 - above
	}
	return int(n)
}
