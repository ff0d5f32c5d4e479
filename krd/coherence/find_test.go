package coherence

import (
	"testing"

	"pgregory.net/rapid"
)

// TestFind foretells every access.
func TestFind(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newStacks(3, rapid.IntRange(1, 9).Draw(t, "slots"))
		for range rapid.IntRange(0, 50).Draw(t, "accesses") {
			node, unit := rapid.IntRange(0, 2).Draw(t, "node"), 700*rapid.Uint32Range(0, 4).Draw(t,
				"unit")
			foretold, as := s.Find(node, unit)
			if d, kind := s.Access(node, unit, 8+uint64(unit),
				rapid.Bool().Draw(t, "write")); d != foretold || kind != as {
				t.Fatalf("node %d, unit %d: found %d, %v, and the access is %d, %v", node, unit,
					int64(foretold), as, int64(d), kind)
			}
		}
	})
}
