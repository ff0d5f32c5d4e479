package dense

import "fmt"

// Dist is the distribution of the elements of an input.
type Dist int

// The distributions.
const (
	// Integers are whole numbers from -8 to 8, each as likely as the others.
	Integers Dist = iota
	// Uniform is real numbers in [-1, 1), multiples of 2^-23.
	Uniform
)

// String returns "integers" or "uniform".
func (d Dist) String() string {
	switch d {
	case Integers:
		return "integers"
	case Uniform:
		return "uniform"
	}
	return fmt.Sprintf("dist(%d)", int(d))
}

// ParseDist returns the distribution called name.
func ParseDist(name string) (Dist, error) {
	switch name {
	case "integers":
		return Integers, nil
	case "uniform":
		return Uniform, nil
	}
	return 0, fmt.Errorf("inputs %q: expected integers or uniform", name)
}

const (
	maxInteger = 8
	// ExactInner is the longest inner dimension for which the product of two matrices of [Integers]
	// is exact in float32 in any order of additions: 64 k <= 2^24.
	ExactInner = 1 << 24 / (maxInteger * maxInteger)
)

// Fill sets every element from d. An element depends on the seed, its row and its column only:
// neither on the layout nor on the blocks.
func (m *Matrix) Fill(seed uint64, d Dist) { m.FillBlocks(0, m.Blocks(), seed, d) }

// FillBlocks works like Fill, for the blocks numbered lo <= number < hi (see BlockIndex). Calls for
// different blocks may run concurrently.
func (m *Matrix) FillBlocks(lo, hi int, seed uint64, d Dist) {
	key := mix(seed + golden)
	m.eachSegment(lo, hi, func(i, j int, s []float32) {
		x := key + golden*(uint64(i)<<32|uint64(j))
		for c := range s {
			h := mix(x)
			x += golden
			if d == Integers {
				s[c] = float32(int(h>>32*(2*maxInteger+1)>>32) - maxInteger)
			} else {
				s[c] = float32(int64(h)>>40) / (1 << 23)
			}
		}
	})
}

const golden = 0x9e3779b97f4a7c15 // 2^64 divided by the golden ratio, odd

// mix returns the output function of SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom
// number generators", 2014).
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
