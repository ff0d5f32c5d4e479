package fft

import "krdlab/kernels/isa"

// passes are the stages by radix 4 by instruction set.
var passes = map[isa.Set]func(to, from *vector, w *[6]float64, n, stride int){
	isa.AVX512: portable, isa.AVX2: portable, isa.Portable: portable,
}
