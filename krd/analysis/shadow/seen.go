package shadow

import "math/bits"

// Seen is a set of data, a bit each in tables.
type Seen struct {
	shape
	tables directory[[]uint64]
	count  int // tables
	n      uint64
}

// NewSeen returns an empty set of data of so many bytes, a power of two.
func NewSeen(datum uint64) *Seen {
	d := uint(bits.TrailingZeros64(datum))
	return &Seen{shape: shape{datum: d, table: d + 16}}
}

// Add adds data by their addresses, and returns how many were there.
func (s *Seen) Add(addrs []uint64) (there uint64) {
	for _, a := range addrs {
		table, i := s.at(a)
		p := s.tables.find(table)
		if p == nil {
			t := make([]uint64, s.len()/64)
			p = &t
			s.tables.add(table, p)
			s.count++
		}
		word, bit := &(*p)[i/64], uint64(1)<<(i%64)
		if *word&bit != 0 {
			there++
			continue
		}
		*word |= bit
		s.n++
	}
	return there
}

// Len returns the size of the set.
func (s *Seen) Len() uint64 { return s.n }

// Bytes returns the memory of the set.
func (s *Seen) Bytes() uint64 {
	return s.tables.bytes() + uint64(s.count*s.len()/8)
}
