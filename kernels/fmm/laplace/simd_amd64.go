package laplace

import "krdlab/kernels/isa"

// oneFunc and mutualFunc are M2L and M2LMutual by pointer to the centres, multipoles and locals of
// the cells.
type (
	oneFunc    = func(ci, cj *float64, mj, li *float32)
	mutualFunc = func(ci, cj *float64, mi, mj, li, lj *float32)
)

// kernels are the assembly of an order without and with dipoles. Where the first is missing, the
// second does for both. Orders above 6, which hardly anyone runs, have none.
type kernels [2]struct {
	one    oneFunc
	mutual mutualFunc
}

var avx512 = [MaxOrder + 1]kernels{
	2: {1: {m2l2DipolesAVX512, mutual2DipolesAVX512}},
	3: {1: {m2l3DipolesAVX512, mutual3DipolesAVX512}},
	4: {1: {m2l4DipolesAVX512, mutual4DipolesAVX512}},
	5: {{m2l5AVX512, mutual5AVX512}, {m2l5DipolesAVX512, mutual5DipolesAVX512}},
	6: {1: {m2l6DipolesAVX512, mutual6DipolesAVX512}},
}

var avx2 = [MaxOrder + 1]kernels{
	2: {1: {m2l2DipolesAVX2, mutual2DipolesAVX2}},
	3: {1: {m2l3DipolesAVX2, mutual3DipolesAVX2}},
	4: {1: {m2l4DipolesAVX2, mutual4DipolesAVX2}},
	5: {{m2l5AVX2, mutual5AVX2}, {m2l5DipolesAVX2, mutual5DipolesAVX2}},
	6: {1: {m2l6DipolesAVX2, mutual6DipolesAVX2}},
}

// simdM2L returns the assembly for k, or nil where there is none.
func simdM2L(k *Kernel) (oneFunc, mutualFunc) {
	f := avx2[k.Order]
	switch k.isa {
	case isa.Portable:
		return nil, nil
	case isa.AVX512:
		f = avx512[k.Order]
	}
	if !k.dipoles && f[0].one != nil {
		return f[0].one, f[0].mutual
	}
	return f[1].one, f[1].mutual
}

// passFuncs are P2M, with dipoles, and L2P, by pointer to the centre and the coefficients of a
// cell.
type passFuncs struct {
	p2m, l2p func(c *float64, coeff *float32, b *[8][]float32, lo, hi int)
}

var passes512 = [MaxOrder + 1]passFuncs{
	3: {p2m3AVX512, l2p3AVX512}, 4: {p2m4AVX512, l2p4AVX512}, 5: {p2m5AVX512, l2p5AVX512},
	6: {p2m6AVX512, l2p6AVX512},
}

var passes2 = [MaxOrder + 1]passFuncs{
	3: {p2m3AVX2, l2p3AVX2}, 4: {p2m4AVX2, l2p4AVX2}, 5: {p2m5AVX2, l2p5AVX2},
	6: {p2m6AVX2, l2p6AVX2},
}

// simdPasses returns the assembly for k, or nil where there is none.
func simdPasses(k *Kernel) passFuncs {
	switch k.isa {
	case isa.AVX512:
		return passes512[k.Order]
	case isa.AVX2:
		return passes2[k.Order]
	}
	return passFuncs{}
}

// p2pSIMD works like p2pPortable. All ranges hold at least one body.
func p2pSIMD(s isa.Set, b *Bodies, tlo, thi, slo, shi int) {
	if s == isa.AVX512 {
		p2pAVX512(b.arrays(), tlo, thi, slo, shi)
	} else {
		p2pAVX2(b.arrays(), tlo, thi, slo, shi)
	}
}

// mutualSIMD works like p2pPortable both ways. All ranges hold at least one body.
func mutualSIMD(s isa.Set, b *Bodies, ilo, ihi, jlo, jhi int) {
	if s == isa.AVX512 {
		mutualAVX512(b.arrays(), ilo, ihi, jlo, jhi)
	} else {
		mutualAVX2(b.arrays(), ilo, ihi, jlo, jhi)
	}
}
