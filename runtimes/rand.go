package runtimes

import "math/bits"

// Rand is a small seeded generator (SplitMix64; Steele, Lea and Flood, "Fast splittable
// pseudorandom number generators", 2014): 8 bytes of state, the same numbers on every computer.
type Rand struct {
	s     uint64
	chose uint64 // not 0 once a number was drawn out of more than one
}

// NewRand returns the generator number stream of a seed.
func NewRand(seed uint64, stream int) Rand {
	r := Rand{s: seed ^ (uint64(stream)+1)*0xd1342543de82ef95}
	r.next()
	return r
}

// Drew reports whether what r has given could have been other numbers with another seed: whether
// one was drawn out of more than one.
func (r *Rand) Drew() bool { return r.chose != 0 }

// Uint64 returns the next 64 random bits.
func (r *Rand) Uint64() uint64 {
	r.chose = 1
	return r.next()
}

func (r *Rand) next() uint64 {
	r.s += 0x9e3779b97f4a7c15
	z := r.s
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// N returns a number in [0, n), n > 0, uniform but for a bias below n/2^64.
func (r *Rand) N(n int) int {
	r.chose |= uint64(n - 1)
	hi, _ := bits.Mul64(r.next(), uint64(n))
	return int(hi)
}
