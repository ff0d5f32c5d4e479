package krd

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"krdlab/krd/smith"
	"krdlab/loi"
)

// byteOf is one byte of data: of a block, or of an address space.
type byteOf struct {
	object loi.ObjectID
	block  uint64
	at     uint64
}

// bytesOf lists the bytes that an access covers.
func bytesOf(kind loi.ObjectKind, a loi.Access) (list []byteOf) {
	if kind != loi.Span {
		for i := range a.Bytes {
			list = append(list, byteOf{a.Object, a.Block, i})
		}
		return list
	}
	for row := range max(1, uint64(a.Rows)) {
		for i := range a.Bytes {
			list = append(list, byteOf{a.Object, 0, a.Block + row*a.Stride + i})
		}
	}
	return list
}

// byteOracle is the LRU stack byte by byte: when each was last touched.
type byteOracle struct {
	last map[byteOf]int
	by   map[byteOf]int
	now  int
}

// access returns what an access finds: cold, the distances of its bytes, that of the farthest, the
// least cache that serves it.
func (o *byteOracle) access(list []byteOf, worker int) (cold bool, each []int, far, needs int,
	shared bool) {
	oldest := o.now
	for _, b := range list {
		t, ok := o.last[b]
		if !ok {
			cold = true
			each = append(each, -1)
			continue
		}
		oldest = min(oldest, t)
		d := 0
		for _, other := range o.last {
			if other > t {
				d++
			}
		}
		each = append(each, d)
		far = max(far, d)
	}
	mine := map[byteOf]bool{}
	for _, b := range list {
		mine[b] = true
		if by, ok := o.by[b]; ok && by != worker {
			shared = true
		}
	}
	for b, t := range o.last {
		if t > oldest || mine[b] {
			needs++
		}
	}
	o.now++
	for _, b := range list {
		o.last[b], o.by[b] = o.now, worker
	}
	return cold, each, far, needs, shared
}

// mixedHeader has an object of each kind.
func mixedHeader(workers int) loi.Header {
	h := loi.Header{Substrate: loi.Native, L2Bytes: 16, LLCBytes: 48, Nodes: 2}
	for w := range workers {
		h.Workers = append(h.Workers, loi.Worker{Node: w % 2})
	}
	h.Registry.Objects = []loi.Object{
		{Name: "blocks", Blocks: []loi.SizeRun{{Count: 2, Bytes: 3}, {Count: 2, Bytes: 8}}},
		{Name: "keys", Kind: loi.Keyed},
		{Name: "space", Kind: loi.Span},
	}
	h.Registry.Kernels = []loi.Kernel{{Name: "k"}}
	return h
}

func mixedAccess(t *rapid.T) loi.Access {
	a := loi.Access{Object: loi.ObjectID(rapid.IntRange(0, 2).Draw(t, "object")), Mode: loi.In}
	if rapid.Bool().Draw(t, "write") {
		a.Mode = loi.InOut
	}
	switch a.Object {
	case 0:
		a.Block = rapid.Uint64Range(0, 3).Draw(t, "block")
		a.Bytes = []uint64{3, 3, 8, 8}[a.Block]
	case 1:
		a.Block = rapid.Uint64Range(0, 4).Draw(t, "key") << 60
		a.Bytes = a.Block>>60 + 1
	case 2:
		a.Block = rapid.Uint64Range(0, 30).Draw(t, "offset")
		a.Bytes = rapid.Uint64Range(1, 12).Draw(t, "bytes")
		if a.Rows = rapid.Uint32Range(0, 3).Draw(t, "rows"); a.Rows > 1 {
			a.Stride = a.Bytes + rapid.Uint64Range(0, 6).Draw(t, "gap")
		}
	}
	return a
}

// TestAllKindsAgainstBytes compares the analysis of traces with objects of all kinds with a
// byte-by-byte one.
func TestAllKindsAgainstBytes(t *testing.T) {
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
		oracles := []*byteOracle{{last: map[byteOf]int{}, by: map[byteOf]int{}},
			{last: map[byteOf]int{}, by: map[byteOf]int{}}}
		weigh := rapid.Bool().Draw(t, "weigh")
		inclusive := rapid.Bool().Draw(t, "inclusive")
		one := tally{l2: 16, llc: 48, weighBytes: weigh, inclusive: inclusive}
		want := [2]tally{one, one}
		for at := range rapid.IntRange(0, 25).Draw(t, "kernels") {
			worker := rapid.IntRange(0, 2).Draw(t, "worker")
			var list []loi.Access
			for range rapid.IntRange(1, 3).Draw(t, "accesses") {
				list = append(list, mixedAccess(t))
			}
			w.Recorder(worker).Accesses(0, 0, uint64(at), uint64(at), list)
			for _, a := range list {
				c := &want[worker%2]
				covered := bytesOf(h.Registry.Objects[a.Object].Kind, a)
				cold, each, far, needs, shared := oracles[worker%2].access(covered, worker)
				size := uint64(len(covered))
				c.count++
				if !cold && shared {
					c.addShared(size)
				}
				if cold || needs > 48 {
					c.beyond += size
				}
				if weigh {
					for _, d := range each {
						if d < 0 {
							c.total++
							c.cold++
							continue
						}
						same := 0
						for _, other := range each {
							if other == d {
								same++
							}
						}
						c.one(uint64(d), uint64(d+same), 1)
					}
					continue
				}
				if cold {
					c.total++
					c.cold++
					continue
				}
				c.one(uint64(far), uint64(needs), 1)
			}
		}
		if _, err := w.Close(); err != nil {
			t.Fatal(err)
		}
		trace, err := loi.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		opt := Options{}
		if weigh {
			opt.Weight = WeightBytes
		}
		if inclusive {
			opt.Distance = Inclusive
		}
		r, err := Analyze(trace, opt)
		if err != nil {
			t.Fatal(err)
		}
		for i := range r.Nodes {
			got := r.Nodes[i].Histogram
			if wanted := want[i].histogram(len(got.Bins)); fmt.Sprint(deref(got)) != fmt.Sprint(
				deref(wanted)) || want[i].used() > len(got.Bins) {
				t.Fatalf("node %d:\ngot  %v\nwant %v", i, deref(got), deref(wanted))
			}
		}
	})
}

// deref makes a histogram comparable as text.
func deref(h Histogram) []any {
	value := func(n *uint64) any {
		if n == nil {
			return nil
		}
		return *n
	}
	return []any{h.Accesses, h.AccessCount, h.Cold, value(h.Shared), value(h.Close), value(h.Near),
		value(h.Far), value(h.Invalidated), value(h.BeyondBytes), h.Bins}
}

// TestCoherenceAgainstCaches compares what coherence makes of a trace of blocks with caches of
// every size, one a node, simulated.
func TestCoherenceAgainstCaches(t *testing.T) {
	dir := t.TempDir()
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		h := mixedHeader(4)
		h.L2Bytes, h.LLCBytes = 0, rapid.Uint64Range(1, 9).Draw(t, "cache") // in blocks of one byte
		h.Registry.Objects = []loi.Object{{Name: "a", Blocks: []loi.SizeRun{{Count: 6, Bytes: 1}}}}
		path := filepath.Join(dir, fmt.Sprint(n))
		w, err := loi.Create(path, h, loi.Options{NoBackground: true})
		if err != nil {
			t.Fatal(err)
		}
		var caches [2][]uint64 // the most recent last
		held := [2]map[uint64]bool{{}, {}}
		lost := [2]map[uint64]bool{{}, {}}
		var hits, cold, invalidated uint64
		for at := range rapid.IntRange(0, 60).Draw(t, "kernels") {
			worker := rapid.IntRange(0, 3).Draw(t, "worker")
			a := loi.Access{Block: rapid.Uint64Range(0, 5).Draw(t, "block"),
				Mode: loi.Mode(rapid.IntRange(1, 3).Draw(t, "mode"))}
			w.Recorder(worker).Accesses(0, 0, uint64(at), uint64(at), []loi.Access{a})
			node := worker % 2
			c := caches[node]
			found := -1
			for i, b := range c {
				if b == a.Block {
					found = i
				}
			}
			switch {
			case found >= 0:
				hits++
				c = append(c[:found], c[found+1:]...)
			case lost[node][a.Block]:
				invalidated++
			case !held[node][a.Block]:
				cold++
			}
			if c = append(c, a.Block); uint64(len(c)) > h.LLCBytes {
				c = c[1:]
			}
			caches[node] = c
			held[node][a.Block], lost[node][a.Block] = true, false
			if a.Mode&loi.Out != 0 {
				other := 1 - node
				for i, b := range caches[other] {
					if b == a.Block {
						caches[other] = append(caches[other][:i:i], caches[other][i+1:]...)
						break
					}
				}
				lost[other][a.Block] = held[other][a.Block]
			}
		}
		if _, err := w.Close(); err != nil {
			t.Fatal(err)
		}
		trace, err := loi.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Analyze(trace, Options{Coherence: true})
		if err != nil {
			t.Fatal(err)
		}
		var finite uint64
		for _, b := range r.Bins {
			finite += b.Count
		}
		if got := finite - *r.Far; got != hits || r.Cold != cold || *r.Invalidated != invalidated ||
			r.Accesses != finite+cold+invalidated {
			t.Fatalf("%d hits, %d cold, %d invalidated of %d; want %d, %d, %d", got, r.Cold,
				*r.Invalidated, r.Accesses, hits, cold, invalidated)
		}
	})
}

func TestBlockThatChangesItsSize(t *testing.T) {
	h := mixedHeader(1)
	h.Nodes = 1
	path := filepath.Join(t.TempDir(), "t")
	w, err := loi.Create(path, h, loi.Options{NoBackground: true})
	if err != nil {
		t.Fatal(err)
	}
	for i, bytes := range []uint64{64, 64, 128} {
		w.Recorder(0).Accesses(0, 0, uint64(i), uint64(i),
			[]loi.Access{{Object: 1, Block: 7, Bytes: bytes, Mode: loi.In}})
	}
	w.Close()
	trace, err := loi.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, opt := range []Options{{}, {Coherence: true}} {
		var e *SizeError
		if _, err := Analyze(trace, opt); !errors.As(err, &e) || e.Block != 7 || e.Before != 64 ||
			e.Bytes != 128 || e.Object != "keys" {
			t.Errorf(
				"coherence %v: error %v, want one that names block 7 of keys, 64 and 128 bytes",
				opt.Coherence, err)
		}
	}
}

// TestMissesOfAFullyAssociativeCache are exact: accesses that do not fit and cold ones.
func TestMissesOfAFullyAssociativeCache(t *testing.T) {
	trace, err := loi.ParseText(strings.NewReader(`loi-text 4
substrate native
clock tsc 1e9
nodes 2
l2 0
llc 0
grain kernel
worker 0 cpu -1 node 0 offset 0
worker 1 cpu -1 node 0 offset 0
worker 2 cpu -1 node 1 offset 0
object A 4x128
kernel k A:in
0 1 2 k(0)
0 2 3 k(1)
0 3 4 k(0)
0 4 5 k(2)
1 5 6 k(3)
1 6 7 k(0)
2 1 2 k(0)
`))
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	r, err := Analyze(trace, Options{Caches: []smith.Cache{{Bytes: 256}, {Bytes: 1024, Ways: 4}},
		Progress: func(done, total uint64) { calls++ }})
	if err != nil {
		t.Fatal(err)
	}
	m := r.Misses[0]
	// Two reuses of 128 bytes: over 128 bytes, which fits, and over 256, which does not.
	if m.Misses != 1 || m.LineMisses != 2 || m.ColdLines != 10 || m.Lines != 14 ||
		m.LineMissesPerCore != 4 || m.Caveat != "" {
		t.Errorf("predicted %+v; want 1 access and 2 lines missed, 10 of 14 lines cold, 4 a "+
			"core, no caveat", m)
	}
	if n := m.Nodes; len(n) != 2 || n[0].LineMissesPerCore != 5 || n[1].LineMissesPerCore != 2 {
		t.Errorf("nodes %+v; want (8+2)/2 and 2 lines a core", n)
	}
	if r.Misses[1].Caveat == "" {
		t.Error("a prediction for 4 ways without the caveat")
	}
}

// TestKeyedBlocksAreAsRegistered: the same accesses to the same blocks, registered, keyed in one
// object and keyed in several, have the same histogram, reuses between workers included.
func TestKeyedBlocksAreAsRegistered(t *testing.T) {
	dir := t.TempDir()
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		var headers [3]loi.Header
		for i := range headers {
			headers[i] = mixedHeader(5)
			headers[i].L2Bytes, headers[i].LLCBytes = 100, 1000
			headers[i].Registry.Objects = []loi.Object{{Name: "a", Kind: loi.Keyed}}
		}
		headers[0].Registry.Objects = []loi.Object{{Name: "a",
			Blocks: []loi.SizeRun{{Count: 40, Bytes: 64}}}}
		headers[2].Registry.Objects = append(headers[2].Registry.Objects,
			loi.Object{Name: "b", Kind: loi.Keyed})
		var writers [3]*loi.Writer
		for i := range writers {
			var err error
			if writers[i], err = loi.Create(filepath.Join(dir, fmt.Sprint(n, "-", i)), headers[i],
				loi.Options{NoBackground: true}); err != nil {
				t.Fatal(err)
			}
		}
		for at := range rapid.IntRange(0, 120).Draw(t, "kernels") {
			worker := rapid.IntRange(0, 4).Draw(t, "worker")
			block := rapid.Uint64Range(0, 39).Draw(t, "block")
			a := [3]loi.Access{{Block: block, Mode: loi.In}, {Block: block << 50, Bytes: 64,
				Mode: loi.In}, {Block: block / 2, Bytes: 64, Mode: loi.In,
				Object: loi.ObjectID(block % 2)}}
			if a[2].Object == 1 {
				a[2].Block |= 1 << 60 // too large to stand beside the object's number
			}
			for i, w := range writers {
				w.Recorder(worker).Accesses(0, 0, uint64(at), uint64(at), a[i:i+1])
			}
		}
		opt := Options{}
		if rapid.Bool().Draw(t, "weigh") {
			opt.Weight = WeightBytes
		}
		var want string
		for i, w := range writers {
			if _, err := w.Close(); err != nil {
				t.Fatal(err)
			}
			trace, err := loi.Open(filepath.Join(dir, fmt.Sprint(n, "-", i)))
			if err != nil {
				t.Fatal(err)
			}
			r, err := Analyze(trace, opt)
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			for _, node := range r.Nodes {
				got += fmt.Sprintln(deref(node.Histogram))
			}
			if i == 0 {
				want = got
			} else if got != want {
				t.Fatalf("way %d:\n%swant\n%s", i, got, want)
			}
		}
	})
}
