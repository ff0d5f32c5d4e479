package blocked

import (
	"testing"

	"krdlab/loi"
)

// Each byte of an object is in one block: as the registry counts them, and where they lie.
func TestShapes(t *testing.T) {
	for _, c := range []struct {
		shape Shape
		bytes uint64 // of the elements
		gaps  bool
	}{
		{Vector{1, 7, 8}, 8, false},
		{Vector{100, 7, 4}, 400, false},
		{Vector{98, 7, 4}, 392, false},
		{Cut{[]int{0, 3, 4, 9}, 8}, 72, false},
		{Matrix{Rows: 10, Cols: 7, TileRows: 4, TileCols: 3, Elem: 8}, 560, false},
		{Matrix{Rows: 10, Cols: 7, TileRows: 4, TileCols: 3, Elem: 8, Tiled: true}, 560, true},
		{Matrix{Rows: 8, Cols: 6, TileRows: 4, TileCols: 3, Elem: 4, Tiled: true}, 192, false},
		{Matrix{Rows: 1, Cols: 1, TileRows: 4, TileCols: 3, Elem: 4}, 4, false},
	} {
		var s Space
		first, id := s.Add("before", Vector{5, 2, 4}), s.Add("x", c.shape)
		o := s.Objects()[id]
		if first != 0 || id != 1 || o.Name != "x" || o.Bytes() != c.bytes ||
			o.Len() != c.shape.Blocks() {
			t.Errorf("%+v: object %d, %+v of %d bytes in %d blocks", c.shape, id, o, o.Bytes(),
				o.Len())
		}
		seen := map[uint64]bool{}
		for b := range c.shape.Blocks() {
			e := s.Place(id, uint32(b))
			if e.Bytes*uint64(e.Rows) != blockBytes(o, b) {
				t.Errorf("%+v: block %d is %+v, the registry says %d bytes", c.shape, b, e,
					blockBytes(o, b))
			}
			for r := range uint64(e.Rows) {
				for i := range e.Bytes {
					at := e.Base + r*e.Stride + i
					if seen[at] || at < 2<<20 || at >= 2<<20+c.shape.Bytes() {
						t.Fatalf("%+v: block %d: byte %d is taken, or out of the object", c.shape,
							b, at)
					}
					seen[at] = true
				}
			}
		}
		if uint64(len(seen)) != c.bytes || c.gaps == (c.shape.Bytes() == c.bytes) {
			t.Errorf("%+v: %d bytes in %d, want %d", c.shape, len(seen), c.shape.Bytes(), c.bytes)
		}
	}
}

func blockBytes(o loi.Object, b int) uint64 {
	for _, r := range o.Blocks {
		if b < int(r.Count) {
			return r.Bytes
		}
		b -= int(r.Count)
	}
	return 0
}

// A tile's blocks and the frame's are all elements but the corners, each once; the blocks around a
// tile are those that a stencil of five points reads, but for the ends of columns that stand in
// rows of the neighbours.
func TestGrid(t *testing.T) {
	for _, g := range []Grid{{3, 3, 3, 3}, {10, 7, 3, 3}, {12, 9, 5, 4}} {
		owner := map[uint64]uint32{}
		for b := range g.Blocks() {
			e := g.Extent(b)
			for r := range uint64(e.Rows) {
				for i := uint64(0); i < e.Bytes; i += 8 {
					at := (e.Base + r*e.Stride + i) / 8
					if _, taken := owner[at]; taken || at >= uint64(g.Len()) {
						t.Fatalf("%v: block %d: element %d is taken, or outside", g, b, at)
					}
					owner[at] = uint32(b)
				}
			}
		}
		if len(owner) != g.Len()-4 {
			t.Errorf("%v: %d elements in blocks, want %d", g, len(owner), g.Len()-4)
		}
		for tile := range g.Tiles() {
			named := map[uint32]bool{}
			for _, b := range g.Around(tile) {
				if named[b] {
					t.Errorf("%v: tile %d: block %d twice", g, tile, b)
				}
				named[b] = true
			}
			r0, r1, c0, c1 := g.Tile(tile)
			for r := r0; r < r1; r++ {
				for c := c0; c < c1; c++ {
					here := uint64(r*g.Stride() + c)
					reads := []uint64{here, here - uint64(g.Stride()), here + uint64(g.Stride())}
					if r > r0 && r < r1-1 {
						reads = append(reads, here-1, here+1)
					}
					for _, at := range reads {
						if !named[owner[at]] {
							t.Errorf("%v: tile %d reads element %d of block %d, which is not around it",
								g, tile, at, owner[at])
						}
					}
				}
			}
		}
	}
}
