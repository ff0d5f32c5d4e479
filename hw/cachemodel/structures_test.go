package cachemodel

import (
	"math/rand/v2"
	"testing"

	"krdlab/hw/machine"
)

func newForStructures(t *testing.T, granularity Granularity) *Model {
	t.Helper()
	m, err := machine.ByName("westmere-ex-4s")
	if err != nil {
		t.Fatal(err)
	}
	l := &Layout{}
	for range 64 {
		l.Add(4096, 64)
	}
	model, err := New(m, l, Options{Granularity: granularity, Kernels: 2, Structures: true})
	if err != nil {
		t.Fatal(err)
	}
	return model
}

// TestTouch compares what accesses to structures of a runtime take, and what they count, with the
// latencies of the machine.
func TestTouch(t *testing.T) {
	for _, granularity := range []Granularity{Blocks, Lines} {
		m := newForStructures(t, granularity)
		b := m.Add(0, 100) // two lines
		const ns, overlap = 1000, 3
		for i, c := range []struct {
			core  int
			write bool
			want  uint64 // of the first line, above a hit; the second overlaps
		}{
			{0, true, 160 * ns},  // from memory
			{0, true, 0},         // hot
			{0, false, 0},        //
			{1, false, 28 * ns},  // from the L2 of a core of the node: LLC and L2, less the hit
			{6, true, 220 * ns},  // from another node
			{6, true, 0},         //
			{0, false, 220 * ns}, // back
			{6, true, 220 * ns},  // it was taken from others, who have to answer
			{7, true, 28 * ns},
		} {
			before := m.Core(c.core)
			took := m.Touch(c.core, 1, uint64(i)*1_000_000, b, c.write)
			want := c.want * (overlap + 1) / overlap
			if took < want*94/100 || took > want*106/100 {
				t.Errorf("granularity %d, touch %d by core %d takes %d ps, expected %d", granularity, i, c.core, took, want)
			}
			after := m.Core(c.core)
			if after.Lines-before.Lines != 2 || after.Accesses-before.Accesses != 1 {
				t.Errorf("granularity %d, touch %d counts %d lines of %d accesses, expected 2 of 1", granularity, i,
					after.Lines-before.Lines, after.Accesses-before.Accesses)
			}
		}
	}
}

// TestTouchAgain compares counts with those of a model that asks its caches each time, where all
// data fit.
func TestTouchAgain(t *testing.T) {
	fast, slow := newForStructures(t, Blocks), newForStructures(t, Blocks)
	r := rand.New(rand.NewPCG(1, 2))
	var structures []uint32
	for i := range 20_000 {
		core := r.IntN(24)
		if len(structures) < 300 && r.IntN(10) == 0 {
			size := uint64(1 + r.IntN(400))
			b := fast.Add(core, size)
			if slow.Add(core, size) != b {
				t.Fatal("numbers differ")
			}
			structures = append(structures, b)
		}
		if i == 10_000 {
			fast.Reset()
			slow.Reset()
		}
		if len(structures) == 0 || r.IntN(3) == 0 {
			a := []Access{{Block: uint32(r.IntN(64)), Write: r.IntN(2) == 0}}
			if x, y := fast.Kernel(core, 0, uint64(i)*1000, 500, a), slow.Kernel(core, 0, uint64(i)*1000, 500, a); x != y {
				t.Fatalf("kernel %d takes %d ps, without the short way %d", i, x, y)
			}
			continue
		}
		b := structures[r.IntN(len(structures))]
		slow.structures.recent[int(b)-slow.structures.first].core = -1
		write := r.IntN(2) == 0
		if x, y := fast.Touch(core, 1, uint64(i)*1000, b, write), slow.Touch(core, 1, uint64(i)*1000, b, write); x != y {
			t.Fatalf("touch %d takes %d ps, without the short way %d", i, x, y)
		}
	}
	if x, y := fast.Total(), slow.Total(); x != y {
		t.Errorf("counts are %+v, without the short way %+v", x, y)
	}
}

// TestStructuresEvict checks that structures and the blocks of kernels push each other out.
func TestStructuresEvict(t *testing.T) {
	m := newForStructures(t, Blocks)
	b := m.Add(0, 64)
	m.Touch(0, 1, 0, b, true)
	for k := range uint32(64) { // the whole L2
		m.Kernel(0, 0, 0, 0, []Access{{Block: k}})
	}
	if got := m.Touch(0, 1, 0, b, true); got == 0 || m.Core(0).LLCHits != 1 {
		t.Errorf("a structure that an L2 of other data pushed out takes %d ps more, with %d hits in the LLC; "+
			"expected some, and 1", got, m.Core(0).LLCHits)
	}
	m.Reset()
	m.Kernel(0, 0, 0, 0, []Access{{Block: 0}})
	for range 70 {
		m.Touch(0, 1, 0, m.Add(0, 4096), true)
	}
	before := m.Core(0).L2Hits
	if m.Kernel(0, 0, 0, 0, []Access{{Block: 0}}); m.Core(0).L2Hits != before {
		t.Error("a block is in the L2 behind 280 KiB of structures")
	}
}
