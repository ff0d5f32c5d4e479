package krd

import (
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"krdlab/hw/hwtest/long"
	"krdlab/krd/atoms"
	"krdlab/krd/smith"
	"krdlab/loi"
)

// byteCaches is an invalidating LRU cache of each size from 0 to limit bytes on each node, byte by
// byte: the oracle of coherence. An access touches its bytes in ascending order, row by row, and
// hits in a cache that has all of them when it begins. The cache of limit bytes never evicts.
type byteCaches struct {
	caches [][][]byteOf     // by node, by size: what it holds, the latest last
	seen   []map[byteOf]int // by node: the access that touched the byte last
	now    int
}

func newByteCaches(nodes, limit int) *byteCaches {
	o := &byteCaches{caches: make([][][]byteOf, nodes)}
	for n := range nodes {
		o.caches[n] = make([][]byteOf, limit+1)
		o.seen = append(o.seen, map[byteOf]int{})
	}
	return o
}

// least returns the smallest cache of a node that has all these bytes, -1 if none has.
func (o *byteCaches) least(node int, list []byteOf) int {
	return slices.IndexFunc(o.caches[node], func(held []byteOf) bool {
		return !slices.ContainsFunc(list, func(b byteOf) bool { return !slices.Contains(held, b) })
	})
}

// A found is the state that an access finds some of its bytes in: cold, lost to another node, or
// held, and then by the caches from least bytes.
type found struct {
	cold, lost bool
	least      int
	bytes      int
}

// access returns what the access finds as a whole and piece by piece, a piece being what the node
// touched last with the same access, and how many bytes the piece has that was touched longest ago.
func (o *byteCaches) access(node int, list []byteOf, write bool) (whole found, farthest int,
	pieces []found) {
	o.now++
	held := map[int][]byteOf{} // by the access that touched it last
	largest := len(o.caches[node]) - 1
	oldest := o.now
	for _, b := range list {
		at, seen := o.seen[node][b]
		switch {
		case !seen:
			pieces = append(pieces, found{cold: true, bytes: 1})
		case !slices.Contains(o.caches[node][largest], b):
			pieces = append(pieces, found{lost: true, bytes: 1})
		default:
			held[at] = append(held[at], b)
			oldest = min(oldest, at)
		}
	}
	whole = found{bytes: len(list)}
	for _, p := range pieces {
		whole.cold = whole.cold || p.cold
	}
	whole.lost = !whole.cold && len(pieces) > 0
	if len(pieces) == 0 {
		whole.least = o.least(node, list)
	}
	for _, part := range held {
		pieces = append(pieces, found{least: o.least(node, part), bytes: len(part)})
	}
	for c, cache := range o.caches[node] {
		for _, b := range list {
			if i := slices.Index(cache, b); i >= 0 {
				cache = slices.Delete(cache, i, i+1)
			}
			if cache = append(cache, b); len(cache) > c {
				cache = cache[1:]
			}
		}
		o.caches[node][c] = cache
	}
	for other := range o.caches {
		for c, cache := range o.caches[other] {
			if write && other != node {
				o.caches[other][c] = slices.DeleteFunc(cache,
					func(b byteOf) bool { return slices.Contains(list, b) })
			}
		}
	}
	for _, b := range list {
		o.seen[node][b] = o.now
	}
	return whole, len(held[oldest]), pieces
}

// count enters in t what an access finds.
func (o *byteCaches) count(t *tally, whole found, farthest int, pieces []found) {
	t.count++
	t.bytes += uint64(whole.bytes)
	one := func(f found, bytes int) {
		switch weight := t.weight(uint64(f.bytes)); {
		case f.cold:
			t.total += weight
			t.cold += weight
		case f.lost:
			t.addInvalidated(uint64(f.bytes))
		default:
			t.one(uint64(f.least-bytes), uint64(f.least), weight)
		}
	}
	if !t.weighBytes {
		one(whole, farthest)
		return
	}
	for _, f := range pieces {
		one(f, f.bytes)
	}
}

func (o *byteCaches) clone() *byteCaches {
	c := &byteCaches{now: o.now}
	for n := range o.caches {
		var caches [][]byteOf
		for _, held := range o.caches[n] {
			caches = append(caches, slices.Clone(held))
		}
		c.caches = append(c.caches, caches)
		c.seen = append(c.seen, maps.Clone(o.seen[n]))
	}
	return c
}

// TestCoherenceExhaustive holds every trace of three or four accesses, reads and writes, by two nodes to
// five shapes within three bytes against the caches. Nodes are named in the order in which they
// come, and the first access reads.
func TestCoherenceExhaustive(t *testing.T) {
	const space = 3
	length := long.Or(3, 4)
	shapes := []loi.Access{{Block: 0, Bytes: 1}, {Block: 0, Bytes: 2}, {Block: 1, Bytes: 2},
		{Block: 0, Bytes: 3}, {Block: 0, Bytes: 1, Rows: 2, Stride: 2}}
	trace := traceOf(t, 2, make([]int, len(shapes)), shapes)
	cutter := atoms.Cutter{Ordered: true}
	for i := range shapes {
		if err := cutter.Add(0, shapeOf(&shapes[i])); err != nil {
			t.Fatal(err)
		}
	}
	m, err := cutter.Atoms()
	if err != nil {
		t.Fatal(err)
	}
	sizes, err := blockSizes(trace)
	if err != nil {
		t.Fatal(err)
	}
	units, err := newNumbering(trace, sizes, m)
	if err != nil {
		t.Fatal(err)
	}
	type step struct {
		node int
		loi.Access
	}
	var steps []step
	checked := 0
	blank := tally{weighBytes: true, coherence: true} // pieces tell more than the whole
	var extend func(o *byteCaches, want [2]tally, nodes int)
	extend = func(o *byteCaches, want [2]tally, nodes int) {
		if len(steps) == length {
			checked++
			got := [2]tally{blank, blank}
			c := newCoherent(units, []int{0, 1}, []*tally{&got[0], &got[1]})
			for i := range steps {
				err := c.access(&loi.Event{Worker: steps[i].node}, &steps[i].Access)
				if err != nil {
					t.Fatal(err)
				}
			}
			for n := range got {
				got[n].shared = 0
				if !reflect.DeepEqual(got[n], want[n]) {
					t.Fatalf("%+v, node %d: got %+v, want %+v", steps, n, got[n], want[n])
				}
			}
			return
		}
		for node := range min(nodes+1, 2) {
			for _, a := range shapes {
				for _, a.Mode = range []loi.Mode{loi.In, loi.Out} {
					if a.Mode == loi.Out && len(steps) == 0 {
						continue
					}
					next, counts := o.clone(), want
					whole, farthest, pieces := next.access(node, bytesOf(loi.Span, a),
						a.Mode == loi.Out)
					next.count(&counts[node], whole, farthest, pieces)
					counts[node].beyond += uint64(len(bytesOf(loi.Span, a))) // no caches
					steps = append(steps, step{node, a})
					extend(next, counts, max(nodes, node+1))
					steps = steps[:len(steps)-1]
				}
			}
		}
	}
	extend(newByteCaches(2, space), [2]tally{blank, blank}, 0)
	n := len(shapes)
	want := n
	for range length - 1 {
		want *= 4 * n
	}
	if checked != want {
		t.Errorf("checked %d traces, want %d", checked, want)
	}
}

// TestCoherenceOfRanges compares what coherence makes of blocks and of ranges that overlap in part
// with caches of every size, simulated byte by byte: the histogram, and the misses of each size.
func TestCoherenceOfRanges(t *testing.T) {
	dir := t.TempDir()
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		h := mixedHeader(3)
		path := filepath.Join(dir, fmt.Sprint(n))
		w, err := loi.Create(path, h, loi.Options{NoBackground: true})
		if err != nil {
			t.Fatal(err)
		}
		const limit = 116 // bytes that mixedAccess touches at most
		o := newByteCaches(2, limit)
		one := tally{l2: 16, llc: 48, weighBytes: rapid.Bool().Draw(t, "weigh"),
			inclusive: rapid.Bool().Draw(t, "inclusive"), coherence: true}
		want := [2]tally{one, one}
		var opt Options
		opt.Coherence = true
		if one.weighBytes {
			opt.Weight = WeightBytes
		}
		if one.inclusive {
			opt.Distance = Inclusive
		}
		var misses [2][limit + 1]int
		for c := 1; c <= limit; c++ {
			opt.Caches = append(opt.Caches, smith.Cache{Bytes: uint64(c), LineBytes: 1})
		}
		for at := range rapid.IntRange(0, 25).Draw(t, "kernels") {
			worker := rapid.IntRange(0, 2).Draw(t, "worker")
			var list []loi.Access
			for range rapid.IntRange(1, 3).Draw(t, "accesses") {
				list = append(list, mixedAccess(t))
			}
			w.Recorder(worker).Accesses(0, 0, uint64(at), uint64(at), list)
			for _, a := range list {
				node := worker % 2
				covered := bytesOf(h.Registry.Objects[a.Object].Kind, a)
				whole, farthest, pieces := o.access(node, covered, a.Mode&loi.Out != 0)
				o.count(&want[node], whole, farthest, pieces)
				if whole.cold || whole.lost || 48 < whole.least {
					want[node].beyond += uint64(len(covered))
				}
				for c := range limit + 1 {
					if whole.cold || whole.lost || c < whole.least {
						misses[node][c]++
					}
				}
			}
		}
		if _, err := w.Close(); err != nil {
			t.Fatal(err)
		}
		trace, err := loi.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Analyze(trace, opt)
		if err != nil {
			t.Fatal(err)
		}
		for i := range r.Nodes {
			got := r.Nodes[i].Histogram
			want[i].shared = *got.Shared // TestAllKindsAgainstBytes has it
			if wanted := want[i].histogram(len(got.Bins)); fmt.Sprint(deref(got)) != fmt.Sprint(
				deref(wanted)) || want[i].used() > len(got.Bins) {
				t.Fatalf("node %d:\ngot  %v\nwant %v", i, deref(got), deref(wanted))
			}
			for c := 1; c <= limit; c++ {
				p := r.Misses[c-1].Nodes[i].Prediction
				if got := p.Misses + float64(p.Cold); int(got) != misses[i][c] {
					t.Fatalf("node %d: %v misses of a cache of %d bytes, want %d", i, got, c,
						misses[i][c])
				}
			}
		}
	})
}
