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

// oneFunc and mutualFunc are M2L and M2LMutual by pointer to the centres, multipoles and locals of the cells.
type (
	oneFunc    = func(ci, cj *Centre, mj, li *float32)
	mutualFunc = func(ci, cj *Centre, mi, mj, li, lj *float32)
)

// small512 are the AVX-512 kernels by order and whether there are dipoles.
var small512 = map[int][2]struct {
	one    oneFunc
	mutual mutualFunc
}{
	2: {{m2l2AVX512, mutual2AVX512}, {m2l2DipolesAVX512, mutual2DipolesAVX512}},
	3: {{m2l3AVX512, mutual3AVX512}, {m2l3DipolesAVX512, mutual3DipolesAVX512}},
	4: {{m2l4AVX512, mutual4AVX512}, {m2l4DipolesAVX512, mutual4DipolesAVX512}},
	5: {{m2l5AVX512, mutual5AVX512}, {m2l5DipolesAVX512, mutual5DipolesAVX512}},
}

// simdM2L returns the assembly for k, or nil where there is none.
func simdM2L(k *Kernel) (m2l oneFunc, mutual mutualFunc) {
	dipoles := 0
	if k.dipoles {
		dipoles = 1
	}
	if k.isa == AVX512 {
		f := small512[k.Order][dipoles]
		return f.one, f.mutual
	}
	return nil, nil
}

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
