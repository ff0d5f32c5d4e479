package stack

import (
	"errors"
	"slices"
	"testing"
)

// keyedEngine gives Keyed the methods of an engine; its keys are not dense.
type keyedEngine struct {
	*Keyed
	t     testing.TB
	sizes []uint64
}

func newKeyedEngine(t testing.TB, sizes []uint64, cores int) keyedEngine {
	return keyedEngine{NewKeyed(KeyedOptions{Cores: cores}), t, sizes}
}

func keyOf(block uint32) uint64 { return uint64(block) * 0x9e3779b97f4a7c15 }

func (e keyedEngine) Distances(blocks []uint32, dist []uint64) {
	keys, sizes := make([]uint64, len(blocks)), make([]uint64, len(blocks))
	for i, b := range blocks {
		keys[i], sizes[i] = keyOf(b), e.sizes[b]
	}
	if err := e.Keyed.Distances(keys, sizes, dist); err != nil {
		e.t.Fatal(err)
	}
}

func TestKeyedSizeChange(t *testing.T) {
	k := NewKeyed(KeyedOptions{Cores: 1})
	keys := make([]uint64, 3000)
	sizes := make([]uint64, 3000)
	for i := range keys {
		keys[i], sizes[i] = uint64(i%2000), 8
	}
	sizes[2500] = 1 << 40
	dist := make([]uint64, 3000)
	err := k.Distances(keys, sizes, dist)
	var size *SizeError
	if !errors.As(err, &size) || *size != (SizeError{Index: 2500, Key: 500, Size: 1 << 40, Was: 8}) {
		t.Fatalf("got %v", err)
	}
	if again := k.Distances(keys[:1], sizes[:1], dist); !errors.Is(again, err) {
		t.Errorf("after an error: got %v", again)
	}
}

// TestKeyedLong compares Keyed with Dense on traces of several chunks.
func TestKeyedLong(t *testing.T) {
	for _, objects := range []int{1, 100, 5000, 60_000, 300_000} {
		for _, cores := range []int{1, 2, 4} {
			blocks, sizes := randomTrace(uint64(objects), 700_000, objects, 64, 0)
			want := distancesOf(NewDense(sizes), blocks, 0)
			for _, batch := range []int{0, 100_000} {
				got := distancesOf(newKeyedEngine(t, sizes, cores), blocks, batch)
				if !slices.Equal(got, want) {
					for i := range got {
						if got[i] != want[i] {
							t.Fatalf("%d objects, %d cores, batch %d: access %d: got %d, want %d", objects, cores, batch, i, got[i], want[i])
						}
					}
				}
			}
		}
	}
}
