package laplace

import "krdlab/hw"

// hasISA says whether the CPU has s and the operating system saves its registers.
func hasISA(s ISA) bool {
	f := hw.Features()
	switch s {
	case AVX512:
		return f.AVX512F
	case AVX2:
		return f.AVX2 && f.FMA
	}
	return false
}

func simdM2L(*Kernel) (m2l, mutual func(*Kernel, *Cells, int, int)) { return nil, nil }

func p2pSIMD(isa ISA, b *Bodies, tlo, thi, slo, shi int) { p2pPortable(b, tlo, thi, slo, shi) }
