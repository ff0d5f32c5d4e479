package blocked

import (
	"math/rand/v2"

	"krdlab/kernels/kernel"
	"krdlab/loi"
	"krdlab/runtimes"
)

// A Grid is Rows x Cols elements of 8 bytes within a frame that is one element wide, row by row, as
// stencils need it: (Rows+2) x (Cols+2) elements. It is cut into tiles of at least TileRows x
// TileCols, each of five blocks: its first and last row, the first and last column of the
// remainder, and the rest. So a neighbour that reads an edge names no more than that. The frame has
// a block for each edge of a tile that lies on it; its corners belong to none.
//
// Rows >= TileRows >= 3 and Cols >= TileCols >= 3.
type Grid struct{ Rows, Cols, TileRows, TileCols int }

// Square returns a grid of n x n elements in tiles as the parameters rows and cols say.
func Square(n int, p kernel.Params) Grid {
	return Grid{Rows: n, Cols: n, TileRows: min(n, p.Int("rows")), TileCols: min(n, p.Int("cols"))}
}

// Draw sets the elements of a grid, its frame included, to numbers in [0, 1) from a seed.
func Draw(x []float64, seed uint64) {
	r := rand.NewPCG(seed, 0)
	for i := range x {
		x[i] = float64(r.Uint64()>>11) / (1 << 53)
	}
}

// The blocks of a tile.
const (
	north = iota
	south
	west
	east
	inside
	tileBlocks
)

// Down returns the number of tiles in a column of tiles, Across that in a row.
func (g Grid) Down() int   { return g.Rows / g.TileRows }
func (g Grid) Across() int { return g.Cols / g.TileCols }

// Tiles returns the number of tiles, which are numbered row by row.
func (g Grid) Tiles() int { return g.Down() * g.Across() }

// Tile returns the elements of tile t: rows r0 to r1-1 and columns c0 to c1-1, counted from the
// frame, which is row 0 and column 0.
func (g Grid) Tile(t int) (r0, r1, c0, c1 int) {
	down, across := g.Down(), g.Across()
	i, j := t/across, t%across
	return 1 + i*g.Rows/down, 1 + (i+1)*g.Rows/down, 1 + j*g.Cols/across, 1 + (j+1)*g.Cols/across
}

// Elements returns how many elements the tile of block b has.
func (g Grid) Elements(b uint32) uint64 {
	r0, r1, c0, c1 := g.Tile(int(b) / tileBlocks)
	return uint64(r1-r0) * uint64(c1-c0)
}

// Height returns how many rows that tile has.
func (g Grid) Height(b uint32) uint64 {
	r0, r1, _, _ := g.Tile(int(b) / tileBlocks)
	return uint64(r1 - r0)
}

// Stride returns the number of elements from one row to the next, Len that of all elements.
func (g Grid) Stride() int { return g.Cols + 2 }
func (g Grid) Len() int    { return (g.Rows + 2) * (g.Cols + 2) }

// Blocks implements [Shape].
func (g Grid) Blocks() int { return tileBlocks*g.Tiles() + 2*g.Across() + 2*g.Down() }

// Bytes implements [Shape].
func (g Grid) Bytes() uint64 { return 8 * uint64(g.Len()) }

// Extent implements [Shape].
func (g Grid) Extent(b int) kernel.Extent {
	at := func(r0, r1, c0, c1 int) kernel.Extent {
		return kernel.Extent{Base: 8 * uint64(r0*g.Stride()+c0), Bytes: 8 * uint64(c1-c0),
			Stride: 8 * uint64(g.Stride()), Rows: uint32(r1 - r0)}
	}
	down, across := g.Down(), g.Across()
	if b < tileBlocks*g.Tiles() {
		r0, r1, c0, c1 := g.Tile(b / tileBlocks)
		switch b % tileBlocks {
		case north:
			return at(r0, r0+1, c0, c1)
		case south:
			return at(r1-1, r1, c0, c1)
		case west:
			return at(r0+1, r1-1, c0, c0+1)
		case east:
			return at(r0+1, r1-1, c1-1, c1)
		}
		return at(r0+1, r1-1, c0+1, c1-1)
	}
	b -= tileBlocks * g.Tiles()
	switch {
	case b < across:
		_, _, c0, c1 := g.Tile(b)
		return at(0, 1, c0, c1)
	case b < 2*across:
		_, _, c0, c1 := g.Tile(b - across)
		return at(g.Rows+1, g.Rows+2, c0, c1)
	case b < 2*across+down:
		r0, r1, _, _ := g.Tile((b - 2*across) * across)
		return at(r0, r1, 0, 1)
	}
	r0, r1, _, _ := g.Tile((b - 2*across - down) * across)
	return at(r0, r1, g.Cols+1, g.Cols+2)
}

// Stencil is how many blocks [Grid.Around] returns; the first Own are the tile's own.
const (
	Stencil = Own + 4
	Own     = tileBlocks
)

// Around returns the blocks of tile t, and then the edges of the neighbours or of the frame that
// adjoin it: above, below, left and right.
func (g Grid) Around(t int) (b [Stencil]uint32) {
	down, across := g.Down(), g.Across()
	i, j, frame := t/across, t%across, tileBlocks*g.Tiles()
	for k := range tileBlocks {
		b[k] = uint32(tileBlocks*t + k)
	}
	edge := func(k int, inner bool, tile, side, outer int) {
		if b[Own+k] = uint32(frame + outer); inner {
			b[Own+k] = uint32(tileBlocks*tile + side)
		}
	}
	edge(0, i > 0, t-across, south, j)
	edge(1, i < down-1, t+across, north, across+j)
	// of a column of tiles, the elements beside the whole tile but its first and last row
	edge(2, j > 0, t-1, east, 2*across+i)
	edge(3, j < across-1, t+1, west, 2*across+down+i)
	return b
}

// Run executes kernel k, which names the blocks around tile t.
func (g Grid) Run(w *runtimes.Worker, k loi.KernelID, t int, compute func(r0, r1, c0, c1 int)) {
	around := g.Around(t)
	start := w.Begin(k)
	if w.Computes() {
		compute(g.Tile(t))
	}
	w.End(k, start, around[:]...)
}
