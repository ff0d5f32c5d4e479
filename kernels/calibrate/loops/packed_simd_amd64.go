package loops

import "krdlab/kernels/isa"

// accumulators is the generator's.
const accumulators = 12

func packedOf(s isa.Set) packed {
	switch s {
	case isa.AVX512:
		return packed{accumulators, 16, fusedAVX512, singleAVX512, doubleAVX512}
	case isa.AVX2:
		return packed{accumulators, 8, fusedAVX2, singleAVX2, doubleAVX2}
	}
	return compiled
}
