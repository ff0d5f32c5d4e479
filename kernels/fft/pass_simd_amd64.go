package fft

import "krdlab/kernels/isa"

// passes are the stages by radix 4 by instruction set.
var passes = map[isa.Set]pass{
	isa.AVX512: passAVX512, isa.AVX2: passAVX2, isa.Portable: portable,
}
