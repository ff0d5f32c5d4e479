package krd

// matmulTrace is the order of block accesses of C += A B by divide and conquer, for tests: n x n
// matrices of float32 cut into leaves of leafM x leafN x leafK (rows of C, columns of C, inner
// dimension). Among the dimensions above their leaf size the largest is halved, at a multiple of
// the leaf; ties go to the rows of C, then its columns, then the inner dimension. Each leaf
// accesses its blocks of A, B and C in the order given by roles. Mirrored, a parallel split runs
// its second half first, as a scheduler that starts with the newest child does.
type matmulTrace struct {
	n, leafM, leafN, leafK int
	mirrored               bool
	emit                   func(a, b, c uint32)
}

func (m *matmulTrace) sizes() (sizes []uint64, blocksA, blocksB int) {
	rows, cols, inner := m.n/m.leafM, m.n/m.leafN, m.n/m.leafK
	for range rows * inner {
		sizes = append(sizes, uint64(m.leafM*m.leafK*4))
	}
	for range inner * cols {
		sizes = append(sizes, uint64(m.leafK*m.leafN*4))
	}
	for range rows * cols {
		sizes = append(sizes, uint64(m.leafM*m.leafN*4))
	}
	return sizes, rows * inner, inner * cols
}

func (m *matmulTrace) run() { m.split(0, m.n, 0, m.n, 0, m.n) }

func (m *matmulTrace) split(i, mi, j, nj, k, kk int) {
	best := 0
	if mi > m.leafM {
		best = mi
	}
	if nj > m.leafN {
		best = max(best, nj)
	}
	if kk > m.leafK {
		best = max(best, kk)
	}
	half := func(size, leaf int) int { return (size/leaf + 1) / 2 * leaf }
	switch {
	case best == 0:
		cols, inner, rows := m.n/m.leafN, m.n/m.leafK, m.n/m.leafM
		bi, bj, bk := i/m.leafM, j/m.leafN, k/m.leafK
		m.emit(uint32(bi*inner+bk), uint32(rows*inner+bk*cols+bj),
			uint32(rows*inner+inner*cols+bi*cols+bj))
	case mi == best && mi > m.leafM:
		h := half(mi, m.leafM)
		m.both(func() { m.split(i, h, j, nj, k, kk) }, func() { m.split(i+h, mi-h, j, nj, k, kk) })
	case nj == best && nj > m.leafN:
		h := half(nj, m.leafN)
		m.both(func() { m.split(i, mi, j, h, k, kk) }, func() { m.split(i, mi, j+h, nj-h, k, kk) })
	default:
		h := half(kk, m.leafK)
		m.split(i, mi, j, nj, k, h)
		m.split(i, mi, j, nj, k+h, kk-h)
	}
}

func (m *matmulTrace) both(first, second func()) {
	if m.mirrored {
		first, second = second, first
	}
	first()
	second()
}

// matmul4096 is the trace of the paper's matrix multiplication with leaves of 32 x 32 x 64, which
// fit its L1 cache.
func matmul4096(mirrored bool) (blocks []uint32, sizes []uint64) {
	m := matmulTrace{n: 4096, leafM: 32, leafN: 32, leafK: 64, mirrored: mirrored}
	sizes, _, _ = m.sizes()
	blocks = make([]uint32, 0, 3<<20)
	m.emit = func(a, b, c uint32) { blocks = append(blocks, a, b, c) }
	m.run()
	return blocks, sizes
}
