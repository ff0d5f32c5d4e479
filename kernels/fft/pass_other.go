//go:build !amd64

package fft

import "krdlab/kernels/isa"

// passes are the stages by radix 4 by instruction set.
var passes = map[isa.Set]pass{isa.Portable: portable}
