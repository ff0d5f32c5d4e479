package cachemodel

import (
	"fmt"
	"math/bits"
)

// placement records where lines lie in set-associative caches, and where pages lie in memories.
//
// A chunk is a run of lines that lie in consecutive sets of both caches: 64 lines where both
// numbers of sets and the lines of a page are multiples of 64. Its lines have one name in each
// cache, the rank of the chunk among all chunks that begin at the same set, from 1 on. Names are
// thus unique within a set, and small, which tags of physical addresses are not.
type placement struct {
	chunkShift uint
	chunks     []chunk
	l2, llc    colours
}

type chunk struct {
	l2Set, llcSet   uint32 // of its first line
	l2Name, llcName uint16
}

// colours lists the chunks that begin at each set, by name.
type colours struct {
	start []uint32 // by colour, the set of the first line over the lines of a chunk
	chunk []uint32
}

// lineOf returns the line with the given name in a set.
func (p *placement) lineOf(c *colours, set int, name uint64) uint32 {
	colour := set >> p.chunkShift
	return c.chunk[uint64(c.start[colour])+name-1]<<p.chunkShift | uint32(set)&(1<<p.chunkShift-1)
}

const chunkLines = 64 // at most

// newPlacement places so many lines in chunks of most lines or fewer, a power of two.
func newPlacement(lines, pageLines, l2Sets, llcSets, most uint64, opt Options) (*placement, error) {
	shift := bits.TrailingZeros64(most | l2Sets | llcSets | pageLines)
	p := &placement{chunkShift: uint(shift)}
	inPage := pageLines >> shift
	pages := (lines + pageLines - 1) / pageLines
	if pages*inPage >= 1<<32>>shift {
		return nil, fmt.Errorf("%w: %d lines, or groups of lines, of data, at most 2^32", ErrLimit,
			lines)
	}
	frames := identity(pages)
	if opt.Pages == PagesPermuted {
		frames = permuted(pages, opt.Seed)
	}
	p.chunks = make([]chunk, pages*inPage)
	l2Colours, llcColours := l2Sets>>shift, llcSets>>shift
	l2Of := func(i uint64) uint64 { return (frames[i/inPage]*inPage + i%inPage) % l2Colours }
	llcOf := func(i uint64) uint64 { return (frames[i/inPage]*inPage + i%inPage) % llcColours }
	if err := p.name(&p.l2, l2Colours, l2Of, func(c *chunk, set uint32, name uint16) {
		c.l2Set,
			c.l2Name = set, name
	}); err != nil {
		return nil, err
	}
	if err := p.name(&p.llc, llcColours, llcOf, func(c *chunk, set uint32, name uint16) {
		c.llcSet,
			c.llcName = set, name
	}); err != nil {
		return nil, err
	}
	return p, nil
}

// name gives all chunks their names in one cache, in the order of their colours and addresses.
func (p *placement) name(c *colours, count uint64, colourOf func(uint64) uint64,
	give func(*chunk, uint32, uint16)) error {
	c.start = make([]uint32, count+1)
	for i := range p.chunks {
		c.start[colourOf(uint64(i))+1]++
	}
	for i, n := range c.start[1:] {
		if n > maxName {
			return fmt.Errorf("%w: %d lines of data compete for one set, at most %d; simulate "+
				"blocks, or less data", ErrLimit, n, maxName)
		}
		c.start[i+1] += c.start[i]
	}
	c.chunk = make([]uint32, len(p.chunks))
	next := make([]uint32, count)
	for i := range p.chunks {
		colour := colourOf(uint64(i))
		c.chunk[c.start[colour]+next[colour]] = uint32(i)
		next[colour]++
		give(&p.chunks[i], uint32(colour<<p.chunkShift), uint16(next[colour]))
	}
	return nil
}

func identity(n uint64) []uint64 {
	f := make([]uint64, n)
	for i := range f {
		f[i] = uint64(i)
	}
	return f
}

// permuted returns n different pseudo-random frames of a memory of at least four times as many: the
// first of a Fisher-Yates shuffle. A memory that the data fill would have equally many pages of
// each colour; in a larger one the numbers vary, as with an operating system.
func permuted(n, seed uint64) []uint64 {
	if n == 0 {
		return nil
	}
	size := uint64(1) << bits.Len64(4*n-1)
	f := identity(size)
	for i := range n {
		seed += 0x9e3779b97f4a7c15
		hi, _ := bits.Mul64(mix(seed), size-i)
		j := i + hi
		f[i], f[j] = f[j], f[i]
	}
	return f[:n:n]
}

// mix applies the finalizer of SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number
// generators, OOPSLA 2014).
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
