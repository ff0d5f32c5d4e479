package cachemodel

import (
	"fmt"
	"math"
	"math/bits"
)

// A Block is a unit of data that kernels access as a whole: Rows rows of RowBytes bytes at the addresses Base, Base + Stride and so on.
// Stride is ignored where there is one row. Addresses are virtual and begin at 0; a cache line that two blocks share is one line.
type Block struct {
	Base     uint64
	RowBytes uint64
	Stride   uint64
	Rows     uint32
}

// A Layout says where the blocks of a program lie. The number of a block, which accesses name, is its index in Blocks.
type Layout struct {
	Blocks []Block
	// End is the first address behind all objects that were added, a multiple of the alignment of the last.
	End uint64
}

// Add appends a block of contiguous bytes behind all others and returns its number. align is a power of two; 0 means 64.
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

// A Matrix says how a matrix that is cut into tiles lies in memory. Tiles at the right and lower edges are smaller where the tile's
// size does not divide the matrix's.
type Matrix struct {
	Rows, Cols, ElementBytes uint64
	TileRows, TileCols       uint64
	Tiled                    bool   // tiles one after the other, each contiguous; otherwise rows of the whole matrix
	RowBytes                 uint64 // not tiled: bytes from a row to the next; 0 means Cols * ElementBytes
}

// AddMatrix appends the tiles of a matrix, tiles of the same rows one after the other, and returns the number of the first. The
// matrix begins at a multiple of align, a power of two; 0 means 64.
func (l *Layout) AddMatrix(m Matrix, align uint64) uint32 {
	first := uint32(len(l.Blocks))
	pitch := m.RowBytes
	if pitch == 0 {
		pitch = m.Cols * m.ElementBytes
	}
	size := pitch * m.Rows
	if m.Tiled {
		size = m.Rows * m.Cols * m.ElementBytes
	}
	base := l.reserve(size, align)
	next := base
	for r := uint64(0); r < m.Rows; r += m.TileRows {
		rows := min(m.TileRows, m.Rows-r)
		for c := uint64(0); c < m.Cols; c += m.TileCols {
			width := min(m.TileCols, m.Cols-c) * m.ElementBytes
			b := Block{Base: next, RowBytes: width, Stride: width, Rows: uint32(rows)}
			if m.Tiled {
				next += rows * width
			} else {
				b.Base, b.Stride = base+r*pitch+c*m.ElementBytes, pitch
			}
			l.Blocks = append(l.Blocks, b)
		}
	}
	return first
}

// check returns the first address behind all blocks, or what is wrong with one of them.
func (l *Layout) check() (end uint64, err error) {
	if uint64(len(l.Blocks)) >= math.MaxUint32 {
		return 0, fmt.Errorf("%w: %d blocks, at most %d", ErrLimit, len(l.Blocks), uint32(math.MaxUint32)-1)
	}
	for i, b := range l.Blocks {
		if b.Rows == 0 || b.RowBytes == 0 {
			return 0, fmt.Errorf("block %d: %d rows of %d bytes, expected at least one of each", i, b.Rows, b.RowBytes)
		}
		stride := b.Stride
		if b.Rows == 1 {
			stride = 0
		} else if stride < b.RowBytes {
			return 0, fmt.Errorf("block %d: rows of %d bytes every %d bytes overlap", i, b.RowBytes, stride)
		}
		hi, span := bits.Mul64(stride, uint64(b.Rows-1))
		last := b.Base + span + b.RowBytes
		if hi != 0 || span > maxAddress || b.RowBytes > maxAddress || b.Base > maxAddress || last > maxAddress {
			return 0, fmt.Errorf("%w: block %d ends beyond address %d", ErrLimit, i, uint64(maxAddress))
		}
		end = max(end, last)
	}
	return end, nil
}

// maxAddress bounds addresses, so that sums of lines and of picoseconds stay far from 2^64.
const maxAddress = 1 << 44
