package coherence

import (
	"testing"

	"pgregory.net/rapid"
)

// TestHolds foretells every hit.
func TestHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := New(3)
		for range rapid.IntRange(0, 50).Draw(t, "accesses") {
			node, unit := rapid.IntRange(0, 2).Draw(t, "node"), 700*rapid.Uint32Range(0, 4).Draw(t,
				"unit")
			holds := s.Holds(node, unit)
			if _, kind := s.Access(node, unit, 8,
				rapid.Bool().Draw(t, "write")); holds != (kind == Hit) {
				t.Fatalf("node %d, unit %d: holds %v, and the access is %v", node, unit, holds,
					kind)
			}
		}
	})
}
