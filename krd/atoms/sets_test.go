package atoms

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// elements walks a set and checks the form of its tree on the way.
func (s *sets) elements(t fataler, x set) []uint32 {
	t.Helper()
	switch {
	case x == 0:
		return nil
	case x&1 != 0:
		return []uint32{uint32(x) >> 1}
	}
	n := s.nodes[x>>1]
	l, r := s.elements(t, n.l), s.elements(t, n.r)
	bit := n.center & -n.center
	for _, side := range [][]uint32{l, r} {
		for _, e := range side {
			if (e^n.center)&^(bit<<1-1) != 0 {
				t.Fatalf("node with center %b holds %b", n.center, e)
			}
		}
	}
	if len(l) == 0 || len(r) == 0 || l[len(l)-1]&bit != 0 || r[0]&bit == 0 {
		t.Fatalf("node with center %b has %b and %b below it", n.center, l, r)
	}
	return append(l, r...)
}

// TestSets: numbers of sets are equal if and only if the sets are, through resets of tables with
// few and with many nodes.
func TestSets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s sets
		collect := rapid.IntRange(0, 40)
		for range rapid.IntRange(1, 4).Draw(t, "lives") {
			s.reset()
			numbers := map[string]set{}
			names := map[set]string{}
			here, want := set(0), map[uint32]bool{}
			element := rapid.OneOf(rapid.Uint32Range(0, 5), rapid.Uint32Range(0, 200),
				rapid.Uint32Range(0, 1<<31-1),
				rapid.Map(rapid.IntRange(0, 30), func(b int) uint32 { return 1 << b }))
			list := rapid.SliceOfN(element, 0, 300).Draw(t, "toggles")
			for _, e := range append(list, list...) {
				here = s.toggle(here, e)
				if want[e] = !want[e]; !want[e] {
					delete(want, e)
				}
				sorted := slices.Sorted(maps.Keys(want))
				if got := s.elements(t, here); !slices.Equal(got, sorted) {
					t.Fatalf("set of %v, want %v", got, sorted)
				}
				name := fmt.Sprint(sorted)
				if known, ok := numbers[name]; ok && known != here {
					t.Fatalf("%s is set %d and set %d", name, known, here)
				}
				if known, ok := names[here]; ok && known != name {
					t.Fatalf("set %d is %s and %s", here, known, name)
				}
				numbers[name], names[here] = here, name
				if collect.Draw(t, "collect") == 0 {
					// Some elements that are not in the set die.
					odd := rapid.Uint32Range(1, 3).Draw(t, "odd")
					dead := func(n uint32) bool { return !want[n] && n%odd == 0 }
					here = s.collect(here, dead)
					if got := s.elements(t, here); !slices.Equal(got, sorted) {
						t.Fatalf("set of %v after a collection, want %v", got, sorted)
					}
					for i := 1; i < len(s.nodes); i++ {
						if slices.ContainsFunc(s.elements(t, set(i<<1)), dead) {
							t.Fatalf("node %d has a dead element after a collection", i)
						}
					}
					// The sets left keep their numbers from here on.
					clear(numbers)
					clear(names)
					for i := 1; i < len(s.nodes); i++ {
						name := fmt.Sprint(s.elements(t, set(i<<1)))
						if _, twice := numbers[name]; twice {
							t.Fatalf("%s is two sets after a collection", name)
						}
						numbers[name], names[set(i<<1)] = set(i<<1), name
					}
				}
			}
			if here != 0 {
				t.Fatalf("every element was toggled twice, and set %d is left", here)
			}
		}
		s.reset()
		for i, slot := range s.slots {
			if slot != 0 {
				t.Fatalf("slot %d still holds node %d after a reset", i, slot)
			}
		}
	})
}

// TestEndedShapesAreForgotten: the sets of a long cluster do not pile up. Of windows that slide, 64
// cover a place.
func TestEndedShapesAreForgotten(t *testing.T) {
	var c Cutter
	const windows = 20000
	for i := range uint64(windows) {
		if err := c.Add(0, Shape{Offset: i * 64, Bytes: 4096}); err != nil {
			t.Fatal(err)
		}
	}
	m := &Map{shapes: c.shapes}
	w := newSweep(m)
	if err := w.cluster(); err != nil {
		t.Fatal(err)
	}
	// A tree of 64 elements has 63 nodes, and 128 changes of up to 7 nodes each pass before all of
	// its elements have ended.
	if w.next != windows || m.Len() != windows+63 || cap(w.sets.nodes) > 4*(63+128*7) {
		t.Errorf(
			"%d shapes in the cluster, %d atoms, room for %d nodes; want %d, %d and at most %d",
			w.next, m.Len(), cap(w.sets.nodes), windows, windows+63, 4*(63+128*7))
	}
}

// TestTooManySets: where the sets of overlapping shapes find no room, the cut ends with an error
// with the place.
func TestTooManySets(t *testing.T) {
	var c Cutter
	for i := range uint64(100) {
		if err := c.Add(3, Shape{Offset: i, Bytes: 1000}); err != nil {
			t.Fatal(err)
		}
	}
	w := newSweep(&Map{shapes: c.shapes})
	w.sets.most = 50
	err := w.cluster()
	if !errors.Is(err, ErrTooMany) || !strings.HasPrefix(err.Error(), "atoms: object 3: ") ||
		!strings.Contains(err.Error(), "more than 50 nodes") {
		t.Errorf("error %v, want ErrTooMany of object 3", err)
	}
}
