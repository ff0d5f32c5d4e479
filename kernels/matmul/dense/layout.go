package dense

import (
	"fmt"
)

// Layout records how the elements of a matrix lie in memory.
type Layout int

// The layouts.
const (
	// Tiled stores each block in one piece, row by row, and the blocks in the order of the
	// recursion that halves the longer side (Z-order where the sides are powers of two times the
	// block).
	Tiled Layout = iota
	// Row stores the whole matrix row by row. The stride is an odd number of cache lines: rows a
	// power of two apart would fall into the same few sets of a cache.
	Row
)

// String returns "tiled" or "row".
func (l Layout) String() string {
	switch l {
	case Tiled:
		return "tiled"
	case Row:
		return "row"
	}
	return fmt.Sprintf("layout(%d)", int(l))
}

// Layouts lists the names that [ParseLayout] takes.
func Layouts() []string { return []string{"row", "tiled"} }

// ParseLayout returns the layout called name.
func ParseLayout(name string) (Layout, error) {
	switch name {
	case "tiled":
		return Tiled, nil
	case "row":
		return Row, nil
	}
	return 0, fmt.Errorf("layout %q: expected tiled or row", name)
}

// halvingOrder numbers the blocks of m in the order in which a recursion visits them that halves
// the longer side of a range of blocks (the columns at a tie) until one block is left. The result
// maps block numbers to places. With square blocks and sides that are the same power of two this is
// the order of Morton (1966).
//
// Divide and conquer over the three dimensions comes to the blocks of B in about this order: that
// is why columns go first, and why the kernels prefetch the block that is stored after the present
// one.
func halvingOrder(m *Matrix) []uint32 {
	slot := make([]uint32, m.Blocks())
	next := uint32(0)
	var visit func(r0, r1, c0, c1 int)
	visit = func(r0, r1, c0, c1 int) {
		switch r, c := r1-r0, c1-c0; {
		case r == 1 && c == 1:
			slot[m.BlockIndex(r0, c0)] = next
			next++
		case r == 1 || c > 1 && c*m.TileCols >= r*m.TileRows:
			visit(r0, r1, c0, c0+c/2)
			visit(r0, r1, c0+c/2, c1)
		default:
			visit(r0, r0+r/2, c0, c1)
			visit(r0+r/2, r1, c0, c1)
		}
	}
	visit(0, m.blockRows, 0, m.blockCols)
	return slot
}
