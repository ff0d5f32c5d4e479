package spmv

import (
	"fmt"
	"math/rand/v2"

	"krdlab/kernels/kernel"
)

// structure is the shape of the matrix without its entries; it does not depend on the seed.
type structure struct {
	n     int // rows and columns
	width int // columns of a block of x, of which there are at least three; the last may be short
	// blocks of rows, each within one block of x: rows[b] is the first row of block b, first[b] the
	// number of its first entry; both with one element more
	rows, first []int
	degree      int
}

// maxEntries is what 32 bits number.
const maxEntries = 1<<31 - 1

func shape(p kernel.Params) (*structure, error) {
	s := &structure{n: p.Int("n")}
	s.width = min(p.Int("band"), s.n/3)
	if s.degree = p.Int("degree"); s.degree > s.width+1 {
		return nil, &kernel.ParamError{Name: "degree", Got: fmt.Sprint(s.degree),
			Want: fmt.Sprintf("rows of up to 2 x degree - 1 entries in three blocks of %d "+
				"columns: at most %d", s.width, s.width+1)}
	}
	if s.n > maxEntries/s.degree {
		return nil, &kernel.ParamError{Name: "n", Got: fmt.Sprint(s.n),
			Want: fmt.Sprintf("n x degree must be at most %d", maxEntries)}
	}
	at, begun := 0, 0 // entries so far, and before the present block
	for r := range s.n {
		if r%s.width == 0 || at-begun >= p.Int("block") {
			s.rows, s.first = append(s.rows, r), append(s.first, at)
			begun = at
		}
		at += s.length(r)
	}
	s.rows, s.first = append(s.rows, s.n), append(s.first, at)
	return s, nil
}

// length is how many entries a row has: 1 to 2 degree - 1, drawn for the even rows from a seed that
// is always the same; an odd row has what makes it 2 degree with the row before.
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

// entries is how many there are.
func (s *structure) entries() int { return s.first[len(s.first)-1] }

// around returns the three blocks of x that the rows of block b read: that of the rows themselves,
// and those before and behind it, in a ring.
func (s *structure) around(b int) (own, before, behind int) {
	n := (s.n + s.width - 1) / s.width
	own = s.rows[b] / s.width
	return own, (own + n - 1) % n, (own + 1) % n
}

// row yields the entries of row r, which is in block b: whole numbers from -8 to 8, one in each of
// as many equal parts of the three blocks of x, at a column drawn from the seed.
func (s *structure) row(seed uint64, b, r int, entry func(col int, value int64)) {
	own, before, behind := s.around(b)
	size := func(j int) int { return min(s.width, s.n-j*s.width) }
	length, all := s.length(r), size(before)+size(own)+size(behind)
	draw := rand.NewPCG(seed, uint64(r))
	for k := range length {
		from, to := k*all/length, (k+1)*all/length
		x := draw.Uint64()
		col := from + int((x>>32)*uint64(to-from)>>32)
		for _, j := range [3]int{before, own, behind} {
			if col < size(j) {
				entry(j*s.width+col, int64(x&0xffff)%17-8)
				break
			}
			col -= size(j)
		}
	}
}
