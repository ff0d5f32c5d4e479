package dense

import (
	"math"
	"slices"
	"testing"
	"unsafe"
)

// TestMatrixPlaces checks that every element has a place of its own with room for the widest
// micro-tile from there on, that blocks tile the matrix, and that the places of a block of a tiled
// matrix are contiguous.
func TestMatrixPlaces(t *testing.T) {
	for _, layout := range []Layout{Tiled, Row} {
		for _, s := range [][4]int{{1, 1, 1, 1}, {33, 33, 32, 32}, {64, 48, 16, 16},
			{100, 7, 30, 100}, {5, 200, 2, 48}, {3, 4096, 1, 4096}} {
			m, err := New(s[0], s[1], s[2], s[3], layout)
			if err != nil {
				t.Fatal(err)
			}
			seen := make(map[int]bool)
			elements := 0
			for bi := range m.Down() {
				for bj := range m.Across() {
					r, c := m.BlockSize(bi, bj)
					if r < 1 || c < 1 || m.BlockBytes(bi, bj) != 4*r*c ||
						m.BlockIndex(bi, bj) != uint32(elementsOf(m, bi, bj)) {
						t.Errorf("%v %v: block (%d, %d): %d x %d", layout, s, bi, bj, r, c)
					}
					elements += r * c
					lo, hi := math.MaxInt, 0
					for i := range r {
						for j := range c {
							at := m.index(bi*m.TileRows+i, bj*m.TileCols+j)
							if seen[at] || at+32 > len(m.Data) {
								t.Fatalf("%v %v: element (%d, %d) of block (%d, %d) at %d of %d, "+
									"taken: %v", layout, s, i, j, bi, bj, at, len(m.Data), seen[at])
							}
							seen[at] = true
							lo, hi = min(lo, at), max(hi, at)
						}
					}
					if layout == Tiled && hi-lo >= m.TileRows*m.stride {
						t.Errorf("%v: block (%d, %d) spreads over %d floats", s, bi, bj, hi-lo)
					}
				}
			}
			if elements != s[0]*s[1] {
				t.Errorf("%v %v: blocks hold %d elements", layout, s, elements)
			}
			if p := uintptr(unsafe.Pointer(&m.Data[0])); p%4096 != 0 {
				t.Errorf("%v %v: data at %#x, expected a page", layout, s, p)
			}
			if layout == Row && m.stride/lineFloats%2 == 0 {
				t.Errorf("%v: stride of %d floats", s, m.stride)
			}
			if err := m.Free(); err != nil {
				t.Error(err)
			}
		}
	}
}

func elementsOf(m *Matrix, bi, bj int) int { return bi*m.Across() + bj }

func TestHalvingOrder(t *testing.T) {
	for _, c := range []struct {
		rows, cols, tileRows, tileCols int
		want                           []uint32
	}{
		{4, 4, 1, 1, []uint32{0, 2, 8, 10, 1, 3, 9, 11, 4, 6, 12, 14, 5, 7, 13, 15}}, // Morton's
		{4, 4, 2, 1, []uint32{0, 1, 4, 5, 2, 3, 6, 7}},
		{1, 3, 1, 1, []uint32{0, 1, 2}},
		{3, 2, 1, 1, []uint32{0, 1, 2, 4, 3, 5}},
	} {
		m, err := New(c.rows, c.cols, c.tileRows, c.tileCols, Tiled)
		if err != nil {
			t.Fatal(err)
		}
		if got := halvingOrder(m); !slices.Equal(got, c.want) {
			t.Errorf("%dx%d in blocks of %dx%d: %v, want %v", c.rows, c.cols, c.tileRows,
				c.tileCols, got, c.want)
		}
	}
}

// TestFill checks range, frequencies, that the layout does not matter, that the seed does, and that
// blocks fill alone.
func TestFill(t *testing.T) {
	const n = 300
	tiled, err := New(n, n, 32, 64, Tiled)
	if err != nil {
		t.Fatal(err)
	}
	row, err := New(n, n, 7, 300, Row)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []Dist{Integers, Uniform} {
		tiled.Fill(11, d)
		for b := row.Blocks() - 1; b >= 0; b-- {
			row.FillBlocks(b, b+1, 11, d)
		}
		count := map[float32]int{}
		sum, squares := 0.0, 0.0
		for i := range n {
			for j := range n {
				v := tiled.At(i, j)
				if v != row.At(i, j) {
					t.Fatalf("%v: element (%d, %d) is %v tiled, %v in rows", d, i, j, v,
						row.At(i, j))
				}
				count[v]++
				sum += float64(v)
				squares += float64(v) * float64(v)
			}
		}
		limit, variance := 1.0, 1.0/3
		if d == Integers {
			limit, variance = 8, 24
			for v := -8; v <= 8; v++ {
				if c := count[float32(v)]; math.Abs(float64(c)-n*n/17.0) > 6*math.Sqrt(n*n/17.0) {
					t.Errorf("%d occurs %d times of %d", v, c, n*n)
				}
			}
			if len(count) != 17 {
				t.Errorf("%d different integers", len(count))
			}
		}
		for v := range count {
			if math.Abs(float64(v)) > limit {
				t.Errorf("%v: value %v", d, v)
			}
		}
		if mean := sum / (n * n); math.Abs(mean) > 6*math.Sqrt(variance)/n {
			t.Errorf("%v: mean %v", d, mean)
		}
		if got := squares / (n * n); math.Abs(got/variance-1) > 0.03 {
			t.Errorf("%v: variance %v, want %v", d, got, variance)
		}
		row.Fill(12, d)
		same := 0
		for i := range n {
			if row.At(i, i) == tiled.At(i, i) {
				same++
			}
		}
		if same > n/4 {
			t.Errorf("%v: another seed leaves %d of %d elements as they were", d, same, n)
		}
	}
	row.ZeroBlocks(0, 1)
	if row.At(6, 299) != 0 || row.At(0, 0) != 0 || row.At(7, 5) == 0 {
		t.Error("ZeroBlocks(0, 1) did not zero the first block alone")
	}
	row.Zero()
	for _, v := range row.Data {
		if v != 0 {
			t.Fatal("Zero left a value")
		}
	}
}

func TestNewRefuses(t *testing.T) {
	for _, s := range [][4]int{{0, 1, 1, 1}, {1, 0, 1, 1}, {1, 1, 0, 1}, {1, 1, 1, -1},
		{1 << 40, 1 << 40, 1 << 40, 1 << 40}, {1 << 30, 1 << 30, 1, 1}} {
		for _, layout := range []Layout{Tiled, Row} {
			if m, err := New(s[0], s[1], s[2], s[3], layout); err == nil {
				t.Errorf("New%v accepted: %d floats", s, len(m.Data))
			}
		}
	}
	if _, err := New(1, 1, 1, 1, 9); err == nil {
		t.Error("layout 9 accepted")
	}
}

func TestParse(t *testing.T) {
	for _, name := range Layouts() {
		if l, err := ParseLayout(name); err != nil || l.String() != name {
			t.Errorf("ParseLayout(%q) = %v, %v", name, l, err)
		}
	}
	for _, d := range []Dist{Integers, Uniform} {
		if got, err := ParseDist(d.String()); err != nil || got != d {
			t.Errorf("ParseDist(%q) = %v, %v", d, got, err)
		}
	}
	for _, p := range Presets() {
		for _, s := range []string{p.Name, p.Leaf.String()} {
			if got, err := ParseShape(s); err != nil || got != p.Leaf {
				t.Errorf("ParseShape(%q) = %v, %v", s, got, err)
			}
		}
	}
	for name, limit := range map[string]int{"paper-block": 20 << 10, "fast": 48 << 10,
		"fast-32k": 32 << 10, "paper-grain": 192 << 10} {
		if l, err := ParseShape(name); err != nil || l.Bytes() > limit {
			t.Errorf("preset %s: %v of %d bytes, expected at most %d; %v", name, l, l.Bytes(),
				limit, err)
		}
	}
	for _, s := range []string{"", "32", "32x32", "0x1x1", "-1x1x1", "1x1x1x1", "1x1x1 ", "01x1x1",
		"axbxc", "fastest"} {
		if got, err := ParseShape(s); err == nil {
			t.Errorf("ParseShape(%q) = %v", s, got)
		}
	}
	for _, f := range []func() error{
		func() error { _, err := ParseLayout("Row"); return err },
		func() error { _, err := ParseDist("normal"); return err },
	} {
		if f() == nil {
			t.Error("an unknown name was accepted")
		}
	}
}
