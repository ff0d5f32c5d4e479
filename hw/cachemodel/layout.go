package cachemodel

import (
	"fmt"
	"math"
	"math/bits"
)

// A Block is a unit of data that kernels access as a whole: Rows rows of RowBytes bytes at the
// addresses Base, Base + Stride and so on. Stride is ignored where there is one row. Addresses are
// virtual and begin at 0; a cache line that two blocks share is one line.
type Block struct {
	Base     uint64
	RowBytes uint64
	Stride   uint64
	Rows     uint32
}

// A Layout holds where the blocks of a program lie. The number of a block, which accesses name, is
// its index in Blocks.
type Layout struct {
	Blocks []Block
	// End is the first address behind all objects that were added, a multiple of the alignment of
	// the last.
	End uint64
}

// Add appends a block of contiguous bytes behind all others and returns its number. align is a
// power of two; 0 means 64.
func (l *Layout) Add(size, align uint64) uint32 {
	base := l.reserve(size, align)
	l.Blocks = append(l.Blocks, Block{Base: base, RowBytes: size, Stride: size, Rows: 1})
	return uint32(len(l.Blocks) - 1)
}

func (l *Layout) reserve(size, align uint64) uint64 {
	if align == 0 {
		align = 64
	}
	base := (l.End + align - 1) &^ (align - 1)
	l.End = base + size
	return base
}

// check returns the first address behind all blocks, or the fault of one of them.
func (l *Layout) check() (end uint64, err error) {
	if uint64(len(l.Blocks)) >= math.MaxUint32 {
		return 0, fmt.Errorf("%w: %d blocks, at most %d", ErrLimit, len(l.Blocks),
			uint32(math.MaxUint32)-1)
	}
	for i, b := range l.Blocks {
		if b.Rows == 0 || b.RowBytes == 0 {
			return 0, fmt.Errorf("block %d: %d rows of %d bytes, expected at least one of each", i,
				b.Rows, b.RowBytes)
		}
		stride := b.Stride
		if b.Rows == 1 {
			stride = 0
		} else if stride < b.RowBytes {
			return 0, fmt.Errorf("block %d: rows of %d bytes every %d bytes overlap", i, b.RowBytes,
				stride)
		}
		hi, span := bits.Mul64(stride, uint64(b.Rows-1))
		last := b.Base + span + b.RowBytes
		if hi != 0 || span > maxAddress || b.RowBytes > maxAddress || b.Base > maxAddress ||
			last > maxAddress {
			return 0, fmt.Errorf("%w: block %d ends beyond address %d", ErrLimit, i,
				uint64(maxAddress))
		}
		end = max(end, last)
	}
	return end, nil
}

// maxAddress bounds addresses, so that sums of lines and of picoseconds stay far from 2^64.
const maxAddress = 1 << 44
