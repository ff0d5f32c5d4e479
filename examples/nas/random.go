package main

// random is the generator of the NAS Parallel Benchmarks (RNR-94-007): x' = 5^13 x mod 2^46.
// state is x.
type random struct{ state uint64 }

// newRandom returns the generator with the seed of all benchmarks.
func newRandom() *random { return &random{314159265} }

// next returns the next number x / 2^46, between 0 and 1.
func (r *random) next() float64 {
	r.state = r.state * 1220703125 & (1<<46 - 1)
	return float64(r.state) / (1 << 46)
}
