package atoms

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"krdlab/hw/hwtest/long"
	"krdlab/krd/stack"
)

// A place is a byte of an object: the identity that everything is held against.
type place struct {
	object int
	offset uint64
}

// An access is one to a shape of an object.
type access struct {
	object int
	shape  Shape
}

func (a access) places() []place {
	var list []place
	for r := range uint64(max(a.shape.Rows, 1)) {
		for b := range a.shape.Bytes {
			list = append(list, place{a.object, a.shape.Offset + r*a.shape.Stride + b})
		}
	}
	return list
}

// cutAll cuts what a trace touches.
func cutAll(t fataler, trace []access) *Map {
	t.Helper()
	var c Cutter
	for _, a := range trace {
		if err := c.Add(a.object, a.shape); err != nil {
			t.Fatalf("shape refused: %v", err)
		}
	}
	m, err := c.Atoms()
	if err != nil {
		t.Fatalf("shapes not cut: %v", err)
	}
	return m
}

type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// checkAtoms compares the map of a trace with classes of bytes: for each set of accesses that cover
// some byte, and cover no other bytes with the same set, there is one atom, of as many bytes.
func checkAtoms(t fataler, m *Map, trace []access) {
	t.Helper()
	covers := map[place][]int{}
	for i, a := range trace {
		for _, p := range a.places() {
			covers[p] = append(covers[p], i)
		}
	}
	want := map[string]uint64{}
	for _, list := range covers {
		want[fmt.Sprint(list)]++
	}

	members := make([][]int, m.Len())
	for i, a := range trace {
		list := m.Append(nil, a.object, a.shape)
		var sum uint64
		for k, atom := range list {
			if k > 0 && list[k-1] >= atom {
				t.Fatalf("trace %v: access %d has the atoms %v, want ascending ones", trace, i,
					list)
			}
			members[atom] = append(members[atom], i)
			if m.Object(atom) != a.object {
				t.Fatalf("trace %v: atom %d of object %d is said to be of object %d", trace, atom,
					a.object, m.Object(atom))
			}
			sum += m.Bytes(atom)
		}
		if sum != a.shape.Size() {
			t.Fatalf("trace %v: the atoms of access %d have %d bytes, want %d", trace, i, sum,
				a.shape.Size())
		}
	}
	got := map[string]uint64{}
	for atom, list := range members {
		key := fmt.Sprint(list)
		if _, twice := got[key]; twice {
			t.Fatalf("trace %v: two atoms are covered by the accesses %v", trace, list)
		}
		got[key] = m.Bytes(uint32(atom))
	}
	if !maps.Equal(got, want) {
		t.Fatalf("trace %v: bytes by the accesses that cover them: got %v, want %v", trace, got,
			want)
	}
	if m.Total() != uint64(len(covers)) {
		t.Fatalf("trace %v: %d bytes in all, want %d", trace, m.Total(), len(covers))
	}
}

// checkOrdered holds ordered atoms against the bytes: each shape, its bytes in ascending order,
// goes through its atoms one after the other; all shapes agree on whose a byte is; and no two atoms
// could be one.
func checkOrdered(t fataler, trace []access) {
	t.Helper()
	c := Cutter{Ordered: true}
	for _, a := range trace {
		if err := c.Add(a.object, a.shape); err != nil {
			t.Fatalf("shape refused: %v", err)
		}
	}
	m, err := c.Atoms()
	if err != nil {
		t.Fatalf("shapes not cut: %v", err)
	}
	of := map[place]uint32{}
	lists := make([][]uint32, len(trace))
	for i, a := range trace {
		lists[i] = m.Append(nil, a.object, a.shape)
		places := a.places()
		for _, atom := range lists[i] {
			for range m.Bytes(atom) {
				if len(places) == 0 {
					t.Fatalf("trace %v: the atoms of access %d have more bytes than it", trace, i)
				}
				if was, ok := of[places[0]]; ok && was != atom {
					t.Fatalf("trace %v: access %d has byte %v in atom %d, another in %d", trace, i,
						places[0], atom, was)
				}
				of[places[0]] = atom
				places = places[1:]
			}
		}
		if len(places) > 0 {
			t.Fatalf("trace %v: the atoms of access %d are %d bytes short", trace, i, len(places))
		}
	}
	sizes := make([]uint64, m.Len())
	for _, atom := range of {
		sizes[atom]++
	}
	covered := make([][]int, m.Len()) // by atom: the accesses that cover it
	follows := map[[2]uint32]int{}    // in how many accesses an atom follows another
	for i, list := range lists {
		for k, atom := range list {
			covered[atom] = append(covered[atom], i)
			if k > 0 {
				follows[[2]uint32{list[k-1], atom}]++
			}
		}
	}
	for atom, size := range sizes {
		if m.Bytes(uint32(atom)) != size {
			t.Fatalf("trace %v: atom %d has %d bytes, want %d", trace, atom,
				m.Bytes(uint32(atom)), size)
		}
	}
	for pair, n := range follows {
		x, y := covered[pair[0]], covered[pair[1]]
		if slices.Equal(x, y) && n == len(x) {
			t.Fatalf("trace %v: atoms %v could be one", trace, pair)
		}
	}
}

// checkDistances compares the distances of a trace with those of each of its bytes, taken from the
// definition.
func checkDistances(t fataler, m *Map, trace []access) {
	t.Helper()
	d := NewDistances(m)
	last := map[place]int{}
	touched := make([][]place, len(trace))
	for i, a := range trace {
		touched[i] = a.places()
		// since[p]: the distinct bytes of the accesses strictly between p and i.
		since := make([]map[place]bool, i+1)
		between := map[place]bool{}
		for p := i - 1; p >= 0; p-- {
			since[p] = maps.Clone(between)
			for _, b := range touched[p] {
				between[b] = true
			}
		}
		want := map[uint64]uint64{} // bytes by distance
		oldest := i
		for _, b := range touched[i] {
			p, again := last[b]
			if !again {
				want[stack.Cold]++
				oldest = -1
				continue
			}
			want[uint64(len(since[p]))]++
			oldest = min(oldest, p)
		}
		whole := Access{Bytes: uint64(len(touched[i])), ColdBytes: want[stack.Cold],
			Farthest: stack.Cold, Needs: stack.Cold}
		if oldest >= 0 {
			whole.Farthest = uint64(len(since[oldest]))
			for _, b := range touched[i] {
				since[oldest][b] = true
			}
			whole.Needs = uint64(len(since[oldest]))
		}

		if got := d.Access(a.object, a.shape); got != whole {
			t.Fatalf("trace %v, access %d: got %+v, want %+v", trace, i, got, whole)
		}
		got := map[uint64]uint64{}
		atoms, bytes, dist := d.Atoms()
		for k := range atoms {
			got[dist[k]] += bytes[k]
		}
		if !maps.Equal(got, want) {
			t.Fatalf("trace %v, access %d: bytes by distance: got %v, want %v", trace, i, got, want)
		}
		for _, b := range touched[i] {
			last[b] = i
		}
	}
}

// allShapes lists every shape within so many bytes, each set of rows once.
func allShapes(space uint64) []Shape {
	var list []Shape
	for offset := range space {
		for bytes := uint64(1); offset+bytes <= space; bytes++ {
			list = append(list, Shape{Offset: offset, Bytes: bytes})
			for stride := bytes + 1; offset+stride+bytes <= space; stride++ {
				for rows := uint64(2); offset+(rows-1)*stride+bytes <= space; rows++ {
					list = append(list, Shape{Offset: offset, Bytes: bytes, Stride: stride,
						Rows: uint32(rows)})
				}
			}
		}
	}
	return list
}

// TestAtomsExhaustive cuts every set of up to three shapes within seven bytes.
func TestAtomsExhaustive(t *testing.T) {
	shapes := allShapes(7)
	checked := 0
	for i := range shapes {
		for j := i; j < len(shapes); j++ {
			for k := j; k < len(shapes); k++ {
				trace := []access{{0, shapes[i]}, {0, shapes[j]}, {0, shapes[k]}}
				if i == j {
					trace = trace[1:]
				}
				checkAtoms(t, cutAll(t, trace), trace)
				checkOrdered(t, trace)
				checked++
			}
		}
	}
	if n := len(shapes); checked != n*(n+1)*(n+2)/6 || n < 50 {
		t.Errorf("checked %d triples of %d shapes", checked, n)
	}
}

// TestDistancesExhaustive takes the distances of every trace of up to four accesses to shapes
// within four bytes, all cut by one map of every shape too: atoms finer than a trace needs do not
// change the results for bytes.
func TestDistancesExhaustive(t *testing.T) {
	shapes := allShapes(4)
	var all []access
	for _, s := range shapes {
		all = append(all, access{0, s})
	}
	finest := cutAll(t, all)
	var trace []access
	checked := 0
	var extend func(left int)
	extend = func(left int) {
		checked++
		checkDistances(t, finest, trace)
		if len(trace) <= 3 {
			checkDistances(t, cutAll(t, trace), trace)
		}
		if left == 0 {
			return
		}
		for _, a := range all {
			trace = append(trace, a)
			extend(left - 1)
			trace = trace[:len(trace)-1]
		}
	}
	longest := long.Or(3, 4)
	extend(longest)
	n, want := len(shapes), 1
	for p, i := 1, 0; i < longest; i++ {
		p *= n
		want += p
	}
	if checked != want || !slices.ContainsFunc(shapes, func(s Shape) bool { return s.Rows > 1 }) {
		t.Errorf("checked %d traces over %d shapes, want %d", checked, n, want)
	}
}
