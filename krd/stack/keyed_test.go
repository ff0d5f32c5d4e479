package stack

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"krdlab/hw/hwtest"
	"krdlab/hw/hwtest/long"
)

// keyedEngine gives Keyed the methods of an engine; its keys are not dense.
type keyedEngine struct {
	*Keyed
	sizes []uint64
}

func newKeyedEngine(sizes []uint64, cores int) keyedEngine {
	return keyedEngine{NewKeyed(KeyedOptions{Cores: cores}), sizes}
}

func keyOf(block uint32) uint64 { return uint64(block) * 0x9e3779b97f4a7c15 }

func (e keyedEngine) Distances(blocks []uint32, dist []uint64) {
	keys, sizes := make([]uint64, len(blocks)), make([]uint64, len(blocks))
	for i, b := range blocks {
		keys[i], sizes[i] = keyOf(b), e.sizes[b]
	}
	if err := e.Keyed.Distances(keys, sizes, dist); err != nil {
		panic(err)
	}
}

// filteredEngine is Keyed behind a filter.
type filteredEngine struct {
	*Keyed
	filter *Filter
	sizes  []uint64
}

func newFilteredEngine(sizes []uint64, cores, slots int) filteredEngine {
	return filteredEngine{NewKeyed(KeyedOptions{Cores: cores, Filtered: true}), newFilter(slots),
		sizes}
}

func (e filteredEngine) Distances(blocks []uint32, dist []uint64) {
	keys, sizes := make([]uint64, len(blocks)), make([]uint64, len(blocks))
	for i, b := range blocks {
		keys[i], sizes[i] = keyOf(b), e.sizes[b]
	}
	slots := make([]uint8, len(blocks))
	if err := e.filter.Accesses(keys, sizes, dist, slots); err != nil {
		panic(err)
	}
	var missed []int
	for i, slot := range slots {
		if slot < InFilter {
			n := len(missed)
			keys[n], sizes[n], slots[n] = keys[i], sizes[i], slot
			missed = append(missed, i)
		}
	}
	found := make([]uint64, len(missed))
	if err := e.Keyed.DistancesFiltered(keys[:len(missed)], sizes, slots, nil, found); err != nil {
		panic(err)
	}
	for n, i := range missed {
		dist[i] = found[n]
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
	if !errors.As(err, &size) || *size != (SizeError{Index: 2500, Key: 500, Size: 1 << 40,
		Was: 8}) {
		t.Fatalf("got %v", err)
	}
	if again := k.Distances(keys[:1], sizes[:1], dist); !errors.Is(again, err) {
		t.Errorf("after an error: got %v", again)
	}
}

// TestLong compares the chunked engines with Online on traces of several chunks, with buckets that
// are dealt more than once.
func TestLong(t *testing.T) {
	counts := []int{5000, 1, 100, 60_000}
	if hwtest.Race {
		counts = counts[:1]
	}
	for _, objects := range counts {
		blocks, sizes := randomTrace(uint64(objects), long.Or(150_000, 300_000), objects, 64, 0)
		want := distancesOf(newOnlineEngine(sizes), blocks, 0)
		few := limits{minChunk: 1 << 15, maxChunk: 1 << 23, topBits: 1}
		d := NewDense(sizes)
		d.limits = few
		list := map[string]engine{"dense": d}
		for _, cores := range []int{1, 2, 4} {
			list[fmt.Sprintf("keyed on %d cores", cores)] = newKeyedEngine(sizes, cores)
			k := newKeyedEngine(sizes, cores)
			k.limits = few
			list[fmt.Sprintf("keyed on %d cores, narrow", cores)] = k
			f := newFilteredEngine(sizes, cores, FilterSlots)
			f.limits = few
			list[fmt.Sprintf("filtered on %d cores, narrow", cores)] = f
		}
		for name, e := range list {
			got := distancesOf(e, blocks, 70_000)
			for i := range got {
				if got[i] != want[i] {
					t.Fatalf("%d objects, %s: access %d: got %d, want %d", objects, name, i, got[i],
						want[i])
				}
			}
		}
	}
}

// TestTags: the previous tag is that of the last access to the same key, across chunks, 0 for
// accesses without.
func TestTags(t *testing.T) {
	for _, cores := range []int{1, 2} {
		k := NewKeyed(KeyedOptions{Cores: cores})
		k.limits.minChunk, k.limits.maxChunk = 50, 300
		plain := NewKeyed(KeyedOptions{Cores: 1})
		next := splitMix(uint64(cores))
		last := map[uint64]uint32{}
		for batch := range 60 {
			n := int(next() % 700)
			keys, tags, prev := make([]uint64, n), make([]uint32, n), make([]uint32, n)
			dist, want := make([]uint64, n), make([]uint64, n)
			for i := range keys {
				keys[i], tags[i] = next()%400*next()%400, uint32(next())
			}
			size := []uint64{8}
			if err := plain.Distances(keys, size, want); err != nil {
				t.Fatal(err)
			}
			if batch == 0 || batch%7 == 3 {
				if err := k.Distances(keys, size, dist); err != nil {
					t.Fatal(err)
				}
				for _, key := range keys {
					last[key] = 0
				}
			} else {
				if err := k.DistancesTagged(keys, size, tags, dist, prev); err != nil {
					t.Fatal(err)
				}
				for i, key := range keys {
					if prev[i] != last[key] {
						t.Fatalf("batch %d, access %d to key %d: previous tag %d, want %d", batch,
							i, key, prev[i], last[key])
					}
					last[key] = tags[i]
				}
			}
			if !slices.Equal(dist, want) {
				t.Fatalf("batch %d: distances differ", batch)
			}
		}
		if k.Live() != len(last) {
			t.Errorf("%d live keys, want %d", k.Live(), len(last))
		}
	}
}

// TestKeyedExtremes: keys that hash alike or are 0 and ^0, sizes 0 and 2^40, arguments that do not
// fit.
func TestKeyedExtremes(t *testing.T) {
	k := NewKeyed(KeyedOptions{})
	keys := []uint64{0, ^uint64(0), 1, 0, ^uint64(0), 1, 1}
	sizes := []uint64{0, 1 << 40, 1<<32 - 1, 0, 1 << 40, 1<<32 - 1, 1<<32 - 1}
	dist := make([]uint64, 7)
	if err := k.Distances(keys, sizes, dist); err != nil {
		t.Fatal(err)
	}
	want := []uint64{Cold, Cold, Cold, 1<<40 + 1<<32 - 1, 1<<32 - 1, 1 << 40, 0}
	if !slices.Equal(dist, want) {
		t.Errorf("got %v, want %v", dist, want)
	}
	if err := k.Distances(keys, sizes[:3], dist); err == nil {
		t.Error("3 sizes for 7 keys: no error")
	}
	if err := k.Distances(nil, nil, nil); err != nil {
		t.Error(err)
	}
	slots := make([]uint8, 7)
	if err := k.DistancesFiltered(keys, sizes, slots, nil, dist); err == nil {
		t.Error("slots for an engine without a filter: no error")
	}
	k = NewKeyed(KeyedOptions{Filtered: true})
	if err := k.DistancesFiltered(keys[:3], sizes, slots[:2], nil, dist); err == nil {
		t.Error("2 slots for 3 keys: no error")
	}
	if err := k.Distances(keys, sizes, dist); err == nil {
		t.Error("no slots for an engine behind a filter: no error")
	}
}

// TestTableFull: the table grows in order and finds all keys again, those that wrap around its end
// too.
func TestTableFull(t *testing.T) {
	tab := table{mem: &arena{}}
	defer tab.mem.close()
	const n = 50_000
	var prev [1]uint32
	for round := range 2 {
		for i := range uint64(n) {
			if err := tab.probe([]uint64{i << 40}, []uint64{i}, uint32(i)+1, prev[:]); err != nil {
				t.Fatal(err)
			}
			if want := uint32(round) * uint32(i+1); prev[0] != want {
				t.Fatalf("round %d, key %d: previous position %d, want %d", round, i, prev[0], want)
			}
		}
	}
	if tab.used != n {
		t.Errorf("%d keys, want %d", tab.used, n)
	}
}

// TestPasses compares the assembly with its portable twin.
func TestPasses(t *testing.T) {
	if !wraps {
		t.Skip("this CPU has no AVX2, BMI1 and BMI2: nothing but the portable passes is used")
	}
	next := splitMix(5)
	for _, n := range []int{1, 2, 100, 4096} {
		keys := make([]uint32, 4096)
		for i := range keys {
			keys[i] = uint32(i)
		}
		for i := range keys {
			j := int(next() % 4096)
			keys[i], keys[j] = keys[j], keys[i]
		}
		items := make([]item, n)
		cum := make([]uint64, 4096)
		for i := range items {
			items[i] = item{key: keys[i], at: uint32(n - 1 - i), w: uint32(next() % 1000),
				acc: uint32(next() % 1000)}
		}
		for i := range cum {
			cum[i] = next() % 100 << 6
		}
		a, b := newTally(), newTally()
		dist, want := make([]uint64, n), make([]uint64, n)
		finish(items, cum, dist, 6, a)
		finishPortable(items, cum, want, 6, b)
		if !slices.Equal(dist, want) || *a != *b {
			t.Fatalf("finish of %d items differs", n)
		}
		to, wantTo := make([]item, 4096), make([]item, 4096)
		ends, wantEnds := make([]uint32, 64), make([]uint32, 64)
		for d := range ends {
			ends[d], wantEnds[d] = uint32(d*64), uint32(d*64)
		}
		a.reset(4096)
		b.reset(4096)
		deal(items, 6, 63, to, ends, a)
		dealPortable(items, 6, 63, wantTo, wantEnds, b)
		if !slices.Equal(to, wantTo) || !slices.Equal(ends, wantEnds) || *a != *b {
			t.Fatalf("deal of %d items differs", n)
		}
	}
}
