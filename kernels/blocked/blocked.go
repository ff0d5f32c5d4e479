// Package blocked cuts vectors and matrices into the blocks that records name, and computes what
// kernels report of them: sizes for the registry, places for a machine model, the worker that
// touched a block last for hints.
//
//	Vector, Matrix -> Space.Add, NewArray -> Objects (loi.Registry), Place (kernel.Modelled)
package blocked

import (
	"sync/atomic"

	"krdlab/kernels/kernel"
	"krdlab/loi"
)

// A Shape is an object that is cut into blocks, numbered from 0.
type Shape interface {
	Blocks() int
	// Bytes is the room that the object takes, gaps included.
	Bytes() uint64
	// Extent records where block b lies, from the beginning of the object.
	Extent(b int) kernel.Extent
}

// A Vector is N elements of Elem bytes in blocks of Block elements; the last may be short.
type Vector struct{ N, Block, Elem int }

// Blocks implements [Shape].
func (v Vector) Blocks() int { return ceil(v.N, v.Block) }

// Span returns the elements of block b: from, and up to but not to.
func (v Vector) Span(b int) (from, to int) { return b * v.Block, min((b+1)*v.Block, v.N) }

// Bytes implements [Shape].
func (v Vector) Bytes() uint64 { return uint64(v.N) * uint64(v.Elem) }

// Extent implements [Shape].
func (v Vector) Extent(b int) kernel.Extent {
	from, to := v.Span(b)
	bytes := uint64(to-from) * uint64(v.Elem)
	return kernel.Extent{Base: uint64(from) * uint64(v.Elem), Bytes: bytes, Stride: bytes, Rows: 1}
}

// A Matrix is Rows x Cols elements of Elem bytes in tiles of TileRows x TileCols; those at the end
// of a row or column may be short. A tile is a block; they are numbered row by row.
type Matrix struct {
	Rows, Cols, TileRows, TileCols, Elem int
	// Tiled: tiles lie one after the other, each row by row, short ones in the room of whole ones.
	// Otherwise rows of the matrix do.
	Tiled bool
}

// Down returns the number of tiles in a column of tiles, Across that in a row.
func (m Matrix) Down() int   { return ceil(m.Rows, m.TileRows) }
func (m Matrix) Across() int { return ceil(m.Cols, m.TileCols) }

// Blocks implements [Shape].
func (m Matrix) Blocks() int { return m.Down() * m.Across() }

// Block returns the number of the tile in row i and column j of tiles.
func (m Matrix) Block(i, j int) uint32 { return uint32(i*m.Across() + j) }

// Size returns the rows and columns of elements of the tile in row i and column j of tiles.
func (m Matrix) Size(i, j int) (rows, cols int) {
	return min(m.TileRows, m.Rows-i*m.TileRows), min(m.TileCols, m.Cols-j*m.TileCols)
}

// Bytes implements [Shape].
func (m Matrix) Bytes() uint64 {
	if m.Tiled {
		return uint64(m.Blocks()) * uint64(m.TileRows*m.TileCols*m.Elem)
	}
	return uint64(m.Rows) * uint64(m.Cols) * uint64(m.Elem)
}

// Extent implements [Shape].
func (m Matrix) Extent(b int) kernel.Extent {
	i, j := b/m.Across(), b%m.Across()
	rows, cols := m.Size(i, j)
	e := kernel.Extent{Bytes: uint64(cols * m.Elem), Rows: uint32(rows)}
	if m.Tiled {
		e.Base = uint64(b) * uint64(m.TileRows*m.TileCols*m.Elem)
		e.Stride = uint64(m.TileCols * m.Elem)
		return e
	}
	e.Stride = uint64(m.Cols * m.Elem)
	e.Base = uint64(i*m.TileRows)*e.Stride + uint64(j*m.TileCols*m.Elem)
	return e
}

// A Space is the address space of a program: its objects one after the other, each from a multiple
// of 2 MiB; and the memory that [NewArray] and [Alloc] give them, by Env. An instance that embeds
// one has [kernel.Modelled]'s Place and [kernel.Instance]'s Close.
type Space struct {
	Env kernel.Env

	objects []loi.Object
	shapes  []Shape
	bases   []uint64
	end     uint64

	mapped [][]byte
	err    error // the first that Alloc met
}

// Add adds an object. The numbers of objects follow each other from 0.
func (s *Space) Add(name string, shape Shape) loi.ObjectID {
	const align = 2 << 20
	o := loi.Object{Name: name}
	for b := range shape.Blocks() {
		e := shape.Extent(b)
		bytes := e.Bytes * uint64(e.Rows)
		if n := len(o.Blocks); n > 0 && o.Blocks[n-1].Bytes == bytes {
			o.Blocks[n-1].Count++
		} else {
			o.Blocks = append(o.Blocks, loi.SizeRun{Count: 1, Bytes: bytes})
		}
	}
	s.objects, s.shapes = append(s.objects, o), append(s.shapes, shape)
	s.bases = append(s.bases, s.end)
	s.end += (shape.Bytes() + align - 1) / align * align
	return loi.ObjectID(len(s.objects) - 1)
}

// Objects lists what was added, for [loi.Registry].
func (s *Space) Objects() []loi.Object { return s.objects }

// Place implements [kernel.Modelled].
func (s *Space) Place(o loi.ObjectID, block uint32) kernel.Extent {
	e := s.shapes[o].Extent(int(block))
	e.Base += s.bases[o]
	return e
}

// Shape returns that of an object that was added.
func (s *Space) Shape(o loi.ObjectID) Shape { return s.shapes[o] }

// Touched notes which worker touched each of a number of blocks last, for [runtimes.Hint]. The zero
// value notes and returns none.
type Touched struct{ last []atomic.Int32 }

// Reset forgets, and notes from here on, n blocks, if asked to.
func (t *Touched) Reset(note bool, n int) {
	t.last = nil
	if note {
		t.last = make([]atomic.Int32, n)
	}
}

// Noting reports whether anything is noted.
func (t *Touched) Noting() bool { return t.last != nil }

// By notes that a worker touches block b.
func (t *Touched) By(worker int, b uint32) {
	if t.last == nil {
		return
	}
	// a store would be a fence
	if last, me := &t.last[b], int32(worker)+1; last.Load() != me {
		last.Store(me)
	}
}

// Near returns 1 + the worker that touched block b last, 0 for none ([runtimes.Hint]).
func (t *Touched) Near(b uint32) int {
	if t.last == nil {
		return 0
	}
	return int(t.last[b].Load())
}

func ceil(n, block int) int { return (n + block - 1) / block }

// A Cut is elements of Elem bytes in blocks of any length: block b is elements At[b] to At[b+1]-1.
type Cut struct {
	At   []int
	Elem int
}

// Blocks implements [Shape].
func (c Cut) Blocks() int { return len(c.At) - 1 }

// Bytes implements [Shape].
func (c Cut) Bytes() uint64 { return uint64(c.At[len(c.At)-1]) * uint64(c.Elem) }

// Extent implements [Shape].
func (c Cut) Extent(b int) kernel.Extent {
	bytes := uint64(c.At[b+1]-c.At[b]) * uint64(c.Elem)
	return kernel.Extent{Base: uint64(c.At[b]) * uint64(c.Elem), Bytes: bytes, Stride: bytes,
		Rows: 1}
}
