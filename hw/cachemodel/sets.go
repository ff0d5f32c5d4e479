package cachemodel

import "math/bits"

// sets is a set-associative cache with true LRU replacement. A set is a list of line names in order
// of use, the last used first, in lanes of 16 bits, four in a word: for 8 ways two words, for 16
// ways four. The name 0 is a free place; free places are behind all others, so that a fill takes
// one if there is one. Names are unique within a set (see placement).
//
// One pass over the words finds a name, moves it to the front, or shifts the last one out if it is
// not there. Positions differ from line to line, so that the pass has no branch on them: with x the
// words' difference from the name in each lane, (x - 0x0001...) &^ x & 0x8000... has the top bit of
// each lane that is zero, and perhaps of lanes above one that is (Warren, Hacker's Delight, 6-1); z
// ^ (z-1) is then the mask of all lanes up to the lowest such one, or of all lanes if there is
// none.
type sets struct {
	words  []uint64
	perSet int
	// bit position of the lane behind the last way in the last word; 64 if there is none
	tail uint
	keep uint64 // lanes of the last word that are ways
}

const (
	laneBits = 16
	lanes    = 64 / laneBits
	ones     = 0x0001_0001_0001_0001
	tops     = 0x8000_8000_8000_8000
	maxName  = 1<<laneBits - 1
)

func newSets(count, ways int) sets {
	s := sets{perSet: (ways + lanes - 1) / lanes, tail: uint(ways%lanes) * laneBits,
		keep: ^uint64(0)}
	if s.tail == 0 {
		s.tail = 64
	} else {
		s.keep = 1<<s.tail - 1
	}
	s.words = make([]uint64, count*s.perSet)
	return s
}

func (s *sets) reset() { clear(s.words) }

// use brings name to the front of a set. hit: it was there; otherwise victim is the name that was
// pushed out, 0 if that was a free place. Cost: 1 to 2 ns for 8 ways.
func (s *sets) use(set int, name uint64) (victim uint64, hit bool) {
	w := s.words[set*s.perSet:]
	w = w[:s.perSet]
	pattern := name * ones
	carry := name
	for i, x := range w[:len(w)-1] {
		y := x ^ pattern
		z := (y - ones) &^ y & tops
		m := z ^ (z - 1)
		w[i] = x&^m | (x<<laneBits|carry)&m
		if z != 0 {
			return 0, true
		}
		carry = x >> (64 - laneBits)
	}
	last := &w[len(w)-1]
	x := *last
	y := x ^ pattern
	z := (y - ones) &^ y & tops
	m := z ^ (z - 1)
	*last = (x&^m | (x<<laneBits|carry)&m) & s.keep
	if z != 0 {
		return 0, true
	}
	return x >> (s.tail - laneBits), false
}

// useFirst works like use, where name is in the first word of the set, as it mostly is in an LLC.
// Otherwise it does nothing.
func (s *sets) useFirst(set int, name uint64) (hit bool) {
	w := &s.words[set*s.perSet]
	x := *w
	y := x ^ name*ones
	z := (y - ones) &^ y & tops
	if z == 0 {
		return false
	}
	m := z ^ (z - 1)
	*w = x&^m | (x<<laneBits|name)&m
	return true
}

// holds reports whether name is in a set.
func (s *sets) holds(set int, name uint64) bool {
	for _, x := range s.words[set*s.perSet:][:s.perSet] {
		y := x ^ name*ones
		if (y-ones)&^y&tops != 0 {
			return true
		}
	}
	return false
}

// remove takes name out of a set and reports whether it was there.
func (s *sets) remove(set int, name uint64) bool {
	w := s.words[set*s.perSet:][:s.perSet]
	for i, x := range w {
		y := x ^ name*ones
		z := (y - ones) &^ y & tops
		if z == 0 {
			continue
		}
		below := uint64(1)<<(uint(bits.TrailingZeros64(z))-(laneBits-1)) - 1
		moved := x >> laneBits &^ below
		for ; ; i++ {
			if i+1 == len(w) {
				w[i] = x&below | moved
				return true
			}
			next := w[i+1]
			w[i] = x&below | moved | next<<(64-laneBits)
			x, below, moved = next, 0, next>>laneBits
		}
	}
	return false
}
