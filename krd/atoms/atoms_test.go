package atoms

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"krdlab/krd/stack"

	"pgregory.net/rapid"
)

// drawTrace draws accesses to a few objects: ranges, rows of a matrix, tiles of it, tiles of tiles,
// and any two-dimensional blocks.
func drawTrace(t *rapid.T) []access {
	objects := rapid.IntRange(1, 3).Draw(t, "objects")
	pitch := rapid.IntRange(2, 12).Draw(t, "pitch")
	rows := rapid.IntRange(1, 8).Draw(t, "rows")
	shape := rapid.Custom(func(t *rapid.T) Shape {
		switch rapid.IntRange(0, 3).Draw(t, "kind") {
		case 0: // a range
			offset := rapid.IntRange(0, pitch*rows-1).Draw(t, "offset")
			return Shape{Offset: uint64(offset),
				Bytes: uint64(rapid.IntRange(1, pitch*rows-offset).Draw(t, "bytes"))}
		case 1: // a tile: the parts of a matrix halved again and again
			x, y, w, h := 0, 0, pitch, rows
			for range rapid.IntRange(0, 4).Draw(t, "depth") {
				switch part := rapid.IntRange(0, 3).Draw(t, "part"); {
				case part < 2 && w > 1:
					x += part % 2 * (w / 2)
					w = max(1, w/2)
				case part >= 2 && h > 1:
					y += part % 2 * (h / 2)
					h = max(1, h/2)
				}
			}
			return Shape{Offset: uint64(y*pitch + x), Bytes: uint64(w), Rows: uint32(h),
				Stride: uint64(pitch)}
		case 2: // any block of the matrix
			x := rapid.IntRange(0, pitch-1).Draw(t, "x")
			y := rapid.IntRange(0, rows-1).Draw(t, "y")
			return Shape{Offset: uint64(y*pitch + x),
				Bytes: uint64(rapid.IntRange(1, pitch-x).Draw(t, "width")),
				Rows:  uint32(rapid.IntRange(0, rows-y).Draw(t, "height")), Stride: uint64(pitch)}
		default: // any stride
			b := uint64(rapid.IntRange(1, 5).Draw(t, "bytes"))
			return Shape{Offset: uint64(rapid.IntRange(0, 30).Draw(t, "offset")), Bytes: b,
				Rows:   uint32(rapid.IntRange(0, 6).Draw(t, "rows")),
				Stride: b + uint64(rapid.IntRange(0, 9).Draw(t, "gap"))}
		}
	})
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) access {
		return access{rapid.IntRange(0, objects-1).Draw(t, "object"), shape.Draw(t, "shape")}
	}), 0, 40).Draw(t, "trace")
}

func TestAtomsRandom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		trace := drawTrace(t)
		checkAtoms(t, cutAll(t, trace), trace)
		checkOrdered(t, trace)
	})
}

func TestDistancesRandom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		trace := drawTrace(t)
		checkDistances(t, cutAll(t, trace), trace)
	})
}

// TestBaseAndSizeIsNoIdentity shows the distances if a range, or the extent of a tile, were
// identified by its first byte and its size.
func TestBaseAndSizeIsNoIdentity(t *testing.T) {
	// byIdentity takes base and size for identity.
	byIdentity := func(trace []access) []uint64 {
		o := stack.NewOnline()
		units := map[access]uint32{}
		var dist []uint64
		for _, a := range trace {
			if _, ok := units[a]; !ok {
				units[a] = uint32(len(units))
			}
			dist = append(dist, o.Access(units[a], a.shape.Size()))
		}
		return dist
	}
	byAtoms := func(trace []access) []uint64 {
		d := NewDistances(cutAll(t, trace))
		var dist []uint64
		for _, a := range trace {
			dist = append(dist, d.Access(a.object, a.shape).Farthest)
		}
		return dist
	}
	check := func(what string, trace []access, atoms, identity []uint64) {
		t.Helper()
		if got := byAtoms(trace); !slices.Equal(got, atoms) {
			t.Errorf("%s: distances by atoms %v, want %v", what, got, atoms)
		}
		if got := byIdentity(trace); !slices.Equal(got, identity) {
			t.Errorf("%s: distances by base and size %v, want %v", what, got, identity)
		}
	}
	const inf = stack.Cold
	other := access{1, Shape{Bytes: 8}}
	parent, child := access{0, Shape{Bytes: 64}}, access{0, Shape{Offset: 32, Bytes: 32}}
	// Between the accesses to the other object there are 64 distinct bytes, not 96, and the child
	// is not cold.
	check("parent and child", []access{other, parent, child, other}, []uint64{inf, inf, 0, 64},
		[]uint64{inf, inf, inf, 96})

	// The left and the right half of a matrix of 8 rows of 16 bytes, and what covers their first to
	// their last bytes.
	left, right := access{0, Shape{Bytes: 8, Rows: 8, Stride: 16}},
		access{0, Shape{Offset: 8, Bytes: 8, Rows: 8, Stride: 16}}
	leftExtent, rightExtent := access{0, Shape{Bytes: 120}}, access{0, Shape{Offset: 8, Bytes: 120}}
	check("tiles", []access{left, right, other, left, right, other}, []uint64{inf, inf, inf, 72, 72,
		128}, []uint64{inf, inf, inf, 72, 72, 128})
	// The extent of a tile covers almost all of its neighbour: it takes twice the space, and is not
	// even seen to be shared.
	check("extents", []access{leftExtent, rightExtent, other, leftExtent, rightExtent, other},
		[]uint64{inf, inf, inf, 128, 128, 128}, []uint64{inf, inf, inf, 128, 128, 240})
}

// TestKnownAtoms cuts shapes whose atoms are known: nested tiles are cut into the smallest ones,
// which are one atom each.
func TestKnownAtoms(t *testing.T) {
	const n, least = 256, 8 // a matrix of n x n elements of 8 bytes
	var c Cutter
	var tiles func(x, y, size uint64)
	tiles = func(x, y, size uint64) {
		if err := c.Add(0, Shape{Offset: (y*n + x) * 8, Bytes: size * 8, Rows: uint32(size),
			Stride: n * 8}); err != nil {
			t.Fatal(err)
		}
		if h := size / 2; h >= least {
			tiles(x, y, h)
			tiles(x+h, y, h)
			tiles(x, y+h, h)
			tiles(x+h, y+h, h)
		}
	}
	tiles(0, 0, n)
	m, err := c.Atoms()
	if err != nil {
		t.Fatal(err)
	}
	if want := n / least * n / least; m.Len() != want {
		t.Fatalf("%d atoms, want %d", m.Len(), want)
	}
	for a := range uint32(m.Len()) {
		if m.Bytes(a) != least*least*8 {
			t.Fatalf("atom %d has %d bytes, want %d", a, m.Bytes(a), least*least*8)
		}
	}
	if got := m.Append(nil, 0, Shape{Bytes: n * n * 8}); len(got) != m.Len() {
		t.Errorf("the whole matrix has %d atoms, want all %d", len(got), m.Len())
	}
	if got := m.Append(nil, 0, Shape{Bytes: 128 * 8, Rows: 128, Stride: n * 8}); len(got) != m.Len()/4 {
		t.Errorf("a quarter of the matrix has %d atoms, want %d", len(got), m.Len()/4)
	}
	if c.Shapes() != 0 {
		t.Errorf("the cutter still has %d shapes", c.Shapes())
	}
}

// TestOrderedTiles: tiles that are touched whole stay one atom each where atoms are ordered, and
// those that a block touches side by side become one a row.
func TestOrderedTiles(t *testing.T) {
	const pitch, side = 64, 8
	tile := func(x, y, wide uint64) Shape {
		return Shape{Offset: y*side*pitch + x*side, Bytes: wide * side, Rows: side, Stride: pitch}
	}
	c := Cutter{Ordered: true}
	for _, s := range []Shape{tile(0, 0, 1), tile(1, 0, 1), tile(2, 0, 1), tile(0, 1, 1),
		tile(1, 0, 2)} {
		if err := c.Add(0, s); err != nil {
			t.Fatal(err)
		}
	}
	m, err := c.Atoms()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		s     Shape
		atoms int
	}{{tile(0, 0, 1), 1}, {tile(0, 1, 1), 1}, {tile(1, 0, 1), side}, {tile(2, 0, 1), side},
		{tile(1, 0, 2), 2 * side}} {
		if got := m.Append(nil, 0, tt.s); len(got) != tt.atoms {
			t.Errorf("%+v: %d atoms, want %d", tt.s, len(got), tt.atoms)
		}
	}
}

// TestManyShapes holds more shapes against their bytes, among them tall ones, under way for long
// while sets of others come and go.
func TestManyShapes(t *testing.T) {
	for seed, c := range []struct{ shapes, space, bytes, rows int }{
		{600, 4000, 200, 1}, {600, 2000, 40, 12}, {300, 1000, 6, 60}, {1000, 10000, 8, 40},
	} {
		var trace []access
		draw := func(i, below int) uint64 { return mixed(seed<<40+len(trace)*8+i) % uint64(below) }
		for range c.shapes {
			s := Shape{Offset: draw(0, c.space), Bytes: draw(1, c.bytes) + 1,
				Rows: uint32(draw(2, c.rows)) + 1}
			s.Stride = s.Bytes + draw(3, 3)*draw(4, c.bytes)
			trace = append(trace, access{int(draw(5, 40)) / 39, s})
		}
		checkAtoms(t, cutAll(t, trace), trace)
		checkOrdered(t, trace)
	}
}

func TestSameShape(t *testing.T) {
	var c Cutter
	for _, s := range []Shape{
		{Offset: 5, Bytes: 12}, {Offset: 5, Bytes: 12, Rows: 1, Stride: 3},
		{Offset: 5, Bytes: 4, Rows: 3, Stride: 4}, {Offset: 5, Bytes: 6, Rows: 2, Stride: 6},
	} {
		if err := c.Add(2, s); err != nil {
			t.Fatal(err)
		}
	}
	if c.Shapes() != 1 {
		t.Errorf("%d distinct shapes, want 1", c.Shapes())
	}
	m, err := c.Atoms()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []Shape{{Offset: 5, Bytes: 12}, {Offset: 5, Bytes: 3, Rows: 4, Stride: 3}} {
		if got := m.Append([]uint32{7}, 2, s); !slices.Equal(got, []uint32{7, 0}) {
			t.Errorf("%+v: got %v, want atom 0 appended to 7", s, got)
		}
	}
	for _, a := range []access{{1, Shape{Offset: 5, Bytes: 12}}, {2, Shape{Offset: 5, Bytes: 11}},
		{2, Shape{}}, {-1, Shape{Bytes: 1}}} {
		if got := m.Append(nil, a.object, a.shape); len(got) != 0 {
			t.Errorf("%+v, which was not cut: got atoms %v, want none", a, got)
		}
	}
	empty := &Map{}
	if got := empty.Append(nil, 0, Shape{Bytes: 1}); len(got) != 0 || empty.Len() != 0 {
		t.Errorf("an empty map has atoms %v", got)
	}
}

// TestHashIsVerified: shapes with the hash of another are distinguished.
func TestHashIsVerified(t *testing.T) {
	s := Shape{Offset: 1, Bytes: 2, Stride: 9, Rows: 4}
	var table table
	table.add(3, s)
	h := hash(3, s)
	if _, n := table.probe(h, 3, s); n != 0 {
		t.Fatalf("the shape has number %d, want 0", n)
	}
	for _, a := range []access{
		{4, s}, {3, Shape{2, 2, 9, 4}}, {3, Shape{1, 3, 9, 4}}, {3, Shape{1, 2, 8, 4}},
		{3, Shape{1, 2, 9, 5}},
	} {
		if _, n := table.probe(h, uint32(a.object), a.shape); n != -1 {
			t.Errorf("object %d, %+v is taken for object 3, %+v", a.object, a.shape, s)
		}
		if hash(uint32(a.object), a.shape) == h {
			t.Errorf("object %d, %+v has the hash of object 3, %+v: a part of it is left out",
				a.object, a.shape, s)
		}
	}
}

func TestShapeErrors(t *testing.T) {
	const end = MaxEnd
	for _, c := range []struct {
		object int
		shape  Shape
		want   string // "": accepted
	}{
		{0, Shape{}, "no bytes"},
		{0, Shape{Rows: 4, Stride: 8}, "no bytes"},
		{-1, Shape{Bytes: 1}, "number of the object"},
		{0, Shape{Bytes: 8, Rows: 2, Stride: 7}, "rows overlap each other"},
		{0, Shape{Bytes: 8, Rows: 2}, "rows overlap each other"},
		{0, Shape{Bytes: 8, Rows: 1, Stride: 7}, ""},
		{0, Shape{Bytes: end}, ""},
		{0, Shape{Offset: end - 1, Bytes: 1}, ""},
		{0, Shape{Offset: 1, Bytes: end}, "beyond offset 2^62"},
		{0, Shape{Offset: end, Bytes: 1}, "beyond offset 2^62"},
		{0, Shape{Offset: math.MaxUint64, Bytes: 1}, "beyond offset 2^62"},
		{0, Shape{Offset: math.MaxUint64, Bytes: math.MaxUint64}, "beyond offset 2^62"},
		{0, Shape{Bytes: math.MaxUint64}, "beyond offset 2^62"},
		{0, Shape{Bytes: 1, Rows: 3, Stride: end / 2}, "beyond offset 2^62"},
		{0, Shape{Bytes: 1, Rows: 3, Stride: end/2 - 1}, ""},
		{0, Shape{Bytes: 1, Rows: math.MaxUint32, Stride: math.MaxUint64}, "beyond offset 2^62"},
		{0, Shape{Offset: end, Bytes: 1, Rows: 2, Stride: end}, "beyond offset 2^62"},
	} {
		var cutter Cutter
		err := cutter.Add(c.object, c.shape)
		var shape *ShapeError
		switch {
		case c.want == "":
			if err != nil {
				t.Errorf("object %d, %+v: %v, want it accepted", c.object, c.shape, err)
			}
		case err == nil || !strings.Contains(err.Error(), c.want) || !errors.Is(err, ErrShape) ||
			!errors.As(err, &shape) || shape.Shape != c.shape:
			t.Errorf("object %d, %+v: error %v, want a shape error with %q", c.object, c.shape, err,
				c.want)
		case cutter.Shapes() != 0:
			t.Errorf("object %d, %+v: refused, but kept", c.object, c.shape)
		}
	}
}

func TestTooManyRows(t *testing.T) {
	var c Cutter
	tall := Shape{Bytes: 1, Rows: maxRows - 1, Stride: 2}
	if err := c.Add(0, tall); err != nil {
		t.Fatal(err)
	}
	last := Shape{Bytes: 1}
	if err := c.Add(0, last); err != nil {
		t.Fatalf("the last row: %v", err)
	}
	if err := c.Add(0, Shape{Bytes: 2}); !errors.Is(err, ErrTooMany) {
		t.Errorf("one row too many: error %v, want ErrTooMany", err)
	}
	if err := c.Add(0, tall); err != nil {
		t.Errorf("a shape that is known already: %v", err)
	}
}

// TestTotal: objects that are all address space there is.
func TestTotal(t *testing.T) {
	var trace []access
	for object := range 5 {
		trace = append(trace, access{object, Shape{Bytes: MaxEnd}})
		want := uint64(math.MaxUint64)
		if object < 3 {
			want = uint64(object+1) * MaxEnd
		}
		if m := cutAll(t, trace); m.Total() != want {
			t.Errorf("%d objects of 2^62 bytes: total %d, want %d", object+1, m.Total(), want)
		}
	}
}

func FuzzAtoms(f *testing.F) {
	f.Add([]byte{0, 4, 0, 0, 2, 4, 0, 0, 1, 1, 3, 2})
	f.Add([]byte{0, 2, 3, 4, 2, 2, 3, 4, 0, 30, 0, 0, 7, 7, 1, 1})
	f.Fuzz(func(t *testing.T, data []byte) {
		var trace []access
		for ; len(data) >= 4 && len(trace) < 24; data = data[4:] {
			s := Shape{Offset: uint64(data[0] & 63), Bytes: uint64(data[1]&31) + 1,
				Rows: uint32(data[2] & 7)}
			s.Stride = s.Bytes + uint64(data[3]&15)
			trace = append(trace, access{int(data[2] >> 7), s})
		}
		m := cutAll(t, trace)
		checkAtoms(t, m, trace)
		checkOrdered(t, trace)
		checkDistances(t, m, trace)
	})
}
