package machine

import (
	"errors"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"krdlab/hw"
)

// curveOf returns the times of walks over caches of the given sizes, with a slope behind each edge.
func curveOf(l1, l2, llc uint64) []Point {
	var c []Point
	for s := uint64(edgeFrom); s <= 256<<20; s = halfOctave(s) {
		ps := uint64(1600)
		for _, x := range []struct{ bytes, ps uint64 }{{l1, 4000}, {l2, 14_000}, {llc, 100_000}} {
			if s > x.bytes { // the part that does not fit is slower
				ps += (x.ps - ps) * (s - x.bytes) / s
			}
		}
		c = append(c, Point{s, ps})
	}
	return c
}

// The edges of made curves are those that they were made with, also where a point was disturbed;
// a curve without an end of the LLC has none.
func TestEdges(t *testing.T) {
	for _, x := range [][3]uint64{{32 << 10, 512 << 10, 32 << 20}, {48 << 10, 1 << 20, 32 << 20},
		{32 << 10, 256 << 10, 16 << 20}, {64 << 10, 1 << 20, 8 << 20}} {
		e := Edges{Curve: curveOf(x[0], x[1], x[2])}
		e.Curve[5].PS *= 3
		if err := e.read(); err != nil {
			t.Fatal(err)
		}
		within := func(got, want uint64) bool { return got >= want/3*2 && got <= want*3/2 }
		if !within(e.L1dBytes, x[0]) || !within(e.L2Bytes, x[1]) || !within(e.LLCBytes, x[2]) {
			t.Errorf("%d: found %d, %d, %d", x, e.L1dBytes, e.L2Bytes, e.LLCBytes)
		}
	}
	flat := Edges{Curve: curveOf(32<<10, 512<<10, 1<<30)}
	if err := flat.read(); !errors.Is(err, ErrNoEdge) {
		t.Errorf("an LLC larger than all memory: %v, %+v", err, flat.LLCBytes)
	}
}

// A curve beside a burst of load is that of the quiet rounds; beside steady load there is none.
func TestEdgesBesideLoad(t *testing.T) {
	truth := named(t, "desktop")
	f := &fake{truth: truth, size: 256 << 20}
	var e Edges
	if err := e.walk(t.Context(), f, 0, 0, 1); err != nil || e.LLCBytes > truth.LLC.Bytes ||
		3*e.LLCBytes < 2*truth.LLC.Bytes {
		t.Errorf("%d, the truth is %d: %v", e.LLCBytes, truth.LLC.Bytes, err)
	}
	f.load = func(int) uint64 { f.round++; return uint64(1 + f.round*f.round) }
	if _, ok := errors.AsType[*DisturbedError](e.walk(t.Context(), f, 0, 0, 1)); !ok {
		t.Error("walks that take longer and longer were believed")
	}
}

// Several may keep at once: the file is whole, and no part of one is left.
func TestKeepAtOnce(t *testing.T) {
	dir := t.TempDir()
	top, err := hw.Synthetic("1x4")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	path := filepath.Join(dir, "caches.json")
	for range 8 {
		all.Go(func() {
			if err := (&Edges{LLCBytes: 1 << 20}).Keep(path, top); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if e, err := ReadEdges(path, top); err != nil || e == nil {
		t.Errorf("%v, %v", e, err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*")); len(left) != 1 || err != nil {
		t.Errorf("%v is left, %v", left, err)
	}
}

// Measured sizes are kept by computer, and stand in for those that are not told.
func TestKeptEdges(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "caches.json")
	top, err := hw.Synthetic("1x4")
	if err != nil {
		t.Fatal(err)
	}
	if e, err := ReadEdges(path, top); e != nil || err != nil {
		t.Fatalf("no file: %v, %v", e, err)
	}
	e := &Edges{L1dBytes: 32 << 10, L2Bytes: 1 << 20, LLCBytes: 16 << 20, Cores: 2}
	if err := e.Keep(path, top); err != nil {
		t.Fatal(err)
	}
	got, err := ReadEdges(path, top)
	if err != nil || got == nil || got.LLCBytes != e.LLCBytes || got.Cores != 2 {
		t.Fatalf("%+v, %v", got, err)
	}
	other, _ := hw.Synthetic("1x3")
	if e, err := ReadEdges(path, other); e != nil || err != nil {
		t.Errorf("another computer has %v, %v", e, err)
	}
	m := got.Of(top)
	if s := m.Machine(); s.LLCBytes != 16<<20 || s.CachesKnown.LLC != hw.Measured || len(m.Nodes) != 2 {
		t.Errorf("%s in %d nodes", s.Caches(), len(m.Nodes))
	}
	told := top.WithCaches(hw.Caches{LLC: hw.Cache{Bytes: 8 << 20, Known: hw.Told}})
	if s := got.Of(told).Machine(); s.LLCBytes != 8<<20 || s.CachesKnown.LLC != hw.Told {
		t.Errorf("an LLC that is told became %s", s.Caches())
	}
	if slices.ContainsFunc(told.CPUs, func(c hw.CPU) bool { return c.L2.Bytes != 0 }) {
		t.Error("the topology itself was changed")
	}
}
