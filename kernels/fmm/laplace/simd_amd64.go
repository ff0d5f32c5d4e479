package laplace

import (
	"krdlab/hw"

	"golang.org/x/sys/cpu"
)

// hasISA says whether the CPU has s and the operating system saves its registers.
func hasISA(s ISA) bool {
	f := hw.Features()
	switch s {
	case AVX512:
		return f.AVX512F && cpu.X86.HasBMI2 // BZHI makes the lane masks
	case AVX2:
		return f.AVX2 && f.FMA
	}
	return false
}

func simdM2L(*Kernel) (m2l, mutual func(*Kernel, *Cells, int, int)) { return nil, nil }

// p2pSIMD is p2pPortable. All ranges hold at least one body.
func p2pSIMD(isa ISA, b *Bodies, tlo, thi, slo, shi int) {
	if isa == AVX512 {
		p2pAVX512(b, tlo, thi, slo, shi)
	} else {
		p2pAVX2(b, tlo, thi, slo, shi)
	}
}

// mutualSIMD is p2pPortable both ways. All ranges hold at least one body.
func mutualSIMD(isa ISA, b *Bodies, ilo, ihi, jlo, jhi int) {
	if isa == AVX512 {
		mutualAVX512(b, ilo, ihi, jlo, jhi)
	} else {
		mutualAVX2(b, ilo, ihi, jlo, jhi)
	}
}
