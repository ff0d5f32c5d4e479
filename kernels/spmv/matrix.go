package spmv

import (
	"math"
	"math/rand/v2"

	"krdlab/kernels/blocked"
	"krdlab/kernels/kernel"
)

// structure is the shape of the matrix without its entries; it does not depend on the seed.
type structure struct {
	n     int // rows and columns
	width int // columns of a block of x, at least three; the last may be short
	// blocks of rows, each within one block of x: rows[b] is the first row of block b, first[b] the
	// number of its first entry; both with one element more
	rows, first []int
	degree      int
}

func shape(p kernel.Params) (*structure, error) {
	n := p.Int("n")
	s := &structure{n: n, width: min(p.Int("band"), n/3), degree: p.Int("degree")}
	if s.degree > s.width+1 {
		return nil, p.Errorf("degree", "rows of up to 2 x degree - 1 entries in three blocks of %d "+
			"columns: at most %d", s.width, s.width+1)
	}
	if n > math.MaxInt32/s.degree { // entries have numbers of 32 bits
		return nil, p.Errorf("n", "n x degree must be at most %d", math.MaxInt32)
	}
	at := 0 // entries so far
	for r := range n {
		if r%s.width == 0 || at-s.first[len(s.first)-1] >= p.Int("block") {
			s.rows, s.first = append(s.rows, r), append(s.first, at)
		}
		at += s.length(r)
	}
	s.rows, s.first = append(s.rows, n), append(s.first, at)
	return s, nil
}

// length returns how many entries a row has: 1 to 2 degree - 1, drawn for the even rows from a seed
// that is always the same; an odd row has the rest to 2 degree with the row before.
func (s *structure) length(r int) int {
	if r == s.n-1 && r%2 == 0 {
		return s.degree
	}
	n := 1 + int(rand.NewPCG(1, uint64(r/2)).Uint64()%uint64(2*s.degree-1))
	if r%2 == 1 {
		return 2*s.degree - n
	}
	return n
}

// entries returns the number of entries.
func (s *structure) entries() int { return s.first[len(s.first)-1] }

// ring returns x in its blocks.
func (s *structure) ring() blocked.Vector { return blocked.Vector{N: s.n, Block: s.width, Elem: 8} }

// around returns the three blocks of x that row r reads, as do all of its block of rows: its own,
// and those before and behind it, in a ring.
func (s *structure) around(r int) (own, before, behind int) {
	n := s.ring().Blocks()
	own = r / s.width
	return own, (own + n - 1) % n, (own + 1) % n
}

// row yields the entries of row r: whole numbers from -8 to 8, one in each of as many equal parts
// of the three blocks of x, at a column drawn from the seed.
func (s *structure) row(seed uint64, r int, entry func(col int, value int64)) {
	own, before, behind := s.around(r)
	size := func(j int) int { return min(s.width, s.n-j*s.width) }
	length, all := s.length(r), size(before)+size(own)+size(behind)
	draw := rand.NewPCG(seed, uint64(r))
	for k := range length {
		from, to := k*all/length, (k+1)*all/length
		x := draw.Uint64()
		col := from + int((x>>32)*uint64(to-from)>>32)
		entry((before*s.width+col)%s.n, int64(x&0xffff)%17-8)
	}
}
