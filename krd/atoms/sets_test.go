package atoms

import (
	"fmt"
	"maps"
	"slices"
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

// TestSets: numbers of sets are equal if and only if the sets are, through resets of tables with few and with many nodes.
func TestSets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s sets
		for range rapid.IntRange(1, 4).Draw(t, "lives") {
			s.reset()
			numbers := map[string]set{}
			names := map[set]string{}
			here, want := set(0), map[uint32]bool{}
			element := rapid.OneOf(rapid.Uint32Range(0, 5), rapid.Uint32Range(0, 200), rapid.Uint32Range(0, 1<<31-1),
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
