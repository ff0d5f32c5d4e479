package stack

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"krdlab/hw/hwtest"
	"krdlab/hw/hwtest/long"
	"krdlab/krd/stack/stacktest"
)

// An engine is Dense or the oracle.
type engine interface {
	BatchLen() int
	Distances(blocks []uint32, dist []uint64)
}

// engines lists what must agree, the oracle first.
var engines = []struct {
	name string
	new  func(sizes []uint64) engine
}{
	{"naive", func(s []uint64) engine { return stacktest.NewNaive(s) }},
	{"dense", func(s []uint64) engine { return NewDense(s) }},
	{"dense in chunks of 2", func(s []uint64) engine {
		d := NewDense(s)
		d.limits = limits{minChunk: 2, maxChunk: 2, topBits: 1}
		return d
	}},
	{"keyed", func(s []uint64) engine { return newKeyedEngine(s, 1) }},
	{"filtered", func(s []uint64) engine { return newFilteredEngine(s, 1, FilterSlots) }},
	{"filtered by 1", func(s []uint64) engine {
		e := newFilteredEngine(s, 1, 1)
		e.limits = limits{minChunk: 3, maxChunk: 3, topBits: 0}
		return e
	}},
	{"filtered by 3 on 2 cores", func(s []uint64) engine {
		e := newFilteredEngine(s, 2, 3)
		e.limits = limits{minChunk: 3, maxChunk: 3, topBits: 0}
		return e
	}},
	{"keyed in chunks of 3 on 2 cores", func(s []uint64) engine {
		k := newKeyedEngine(s, 2)
		k.limits = limits{minChunk: 3, maxChunk: 3, topBits: 0}
		return k
	}},
	{"online", func(s []uint64) engine { return newOnlineEngine(s) }},
}

// distancesOf runs a new engine over a whole stream in batches of the given length (0: all at
// once).
func distancesOf(e engine, blocks []uint32, batch int) []uint64 {
	dist := make([]uint64, len(blocks))
	if batch == 0 {
		batch = max(1, len(blocks))
	}
	for i := 0; i < len(blocks); i += batch {
		end := min(i+batch, len(blocks))
		e.Distances(blocks[i:end], dist[i:end])
	}
	return dist
}

func formatDistances(dist []uint64) string {
	var words []string
	for _, d := range dist {
		if d == Cold {
			words = append(words, "inf")
		} else {
			words = append(words, fmt.Sprint(d))
		}
	}
	return strings.Join(words, " ")
}

func TestPapersExamples(t *testing.T) {
	for _, c := range []struct {
		source, trace, want string
		sizes               map[string]uint64 // 1 where absent
	}{
		{"virda table 1", "a b c a b b a c", "inf inf inf 2 2 0 1 2", nil},
		{"disconpro table 1", "A B C A C C B A C B A C B B A C",
			"inf inf inf 2 1 0 2 2 2 2 2 2 2 0 2 2", nil},
		{"virda figure 3", "b.ctr b.a b.p b.p b.ctr b.a b.ctr b.a b.p", "inf inf inf 0 8 12 4 8 12",
			map[string]uint64{"b.ctr": 8, "b.a": 4, "b.p": 4}},
	} {
		var names []string
		var sizes []uint64
		var blocks []uint32
		for _, name := range strings.Fields(c.trace) {
			b := slices.Index(names, name)
			if b < 0 {
				b = len(names)
				names = append(names, name)
				size, ok := c.sizes[name]
				if !ok {
					size = 1
				}
				sizes = append(sizes, size)
			}
			blocks = append(blocks, uint32(b))
		}
		for _, e := range engines {
			for batch := range len(blocks) + 1 {
				if got := formatDistances(distancesOf(e.new(sizes), blocks, batch)); got != c.want {
					t.Errorf("%s, engine %s, batches of %d: got %s, want %s", c.source, e.name,
						batch, got, c.want)
				}
			}
		}
	}
}

// exhaustive calls check with every trace of up to longest accesses to up to 4 blocks of 1 or 3
// bytes. Blocks are numbered in the order of their first accesses: the numbers themselves do not
// matter to any engine.
func exhaustive(longest int, check func(blocks []uint32, sizes []uint64)) (traces int) {
	const objects = 4
	blocks := make([]uint32, longest)
	var sizes [objects]uint64
	var extend func(n, used int)
	extend = func(n, used int) {
		check(blocks[:n], sizes[:used])
		traces++
		if n == longest {
			return
		}
		for b := range used {
			blocks[n] = uint32(b)
			extend(n+1, used)
		}
		if used < objects {
			for _, size := range []uint64{1, 3} {
				blocks[n], sizes[used] = uint32(used), size
				extend(n+1, used+1)
			}
		}
	}
	extend(0, 0)
	return traces
}

// TestExhaustive compares all engines on those traces, in one batch and cut in two at each place of
// the shorter ones.
func TestExhaustive(t *testing.T) {
	hwtest.SkipRace(t)
	longest := long.Or(6, 8)
	want, got := make([]uint64, 8), make([]uint64, 8)
	traces := exhaustive(longest, func(blocks []uint32, sizes []uint64) {
		n := len(blocks)
		stacktest.NewNaive(sizes).Distances(blocks, want)
		for _, e := range engines[1:] {
			cuts := []int{0}
			if n > 0 && n <= long.Or(5, 6) {
				for cut := 1; cut < n; cut++ {
					cuts = append(cuts, cut)
				}
			}
			for _, cut := range cuts {
				engine := e.new(sizes)
				engine.Distances(blocks[:cut], got)
				engine.Distances(blocks[cut:], got[cut:])
				if !slices.Equal(got[:n], want[:n]) {
					t.Fatalf("%s: sizes %v, trace %v cut at %d: got %v, want %v", e.name, sizes,
						blocks, cut, got[:n], want[:n])
				}
			}
		}
	})
	// The sum over n = 0..longest and u = 0..4 of 2^u S(n, u), with Stirling's numbers of the
	// second kind.
	if want := long.Or(2433, 46149); traces != want {
		t.Errorf("checked %d traces, want %d", traces, want)
	}
}

// TestRandom compares the engines on long traces: few and many blocks, sizes from 0 to 2^40, any
// batches.
func TestRandom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		objects := rapid.SampledFrom([]int{1, 2, 7, 60, 300, 3000}).Draw(t, "objects")
		unit := rapid.SampledFrom([]uint64{1, 3, 4096, 1 << 33, 0xffffffffff}).Draw(t, "unit")
		seed := rapid.Uint64().Draw(t, "seed")
		n := rapid.IntRange(0, 6000).Draw(t, "accesses")
		batch := rapid.SampledFrom([]int{0, 1, 63, 64, 1000}).Draw(t, "batch")
		odd := rapid.SampledFrom([]uint64{0, 1, 1000}).Draw(t, "odd")
		blocks, sizes := randomTrace(seed, n, objects, unit, odd)
		want := distancesOf(stacktest.NewNaive(sizes), blocks, 0)
		k := newKeyedEngine(sizes, 2)
		k.limits.minChunk, k.limits.topBits = rapid.IntRange(1, 3000).Draw(t, "chunk"),
			uint(rapid.IntRange(0, 2).Draw(t, "top bits"))
		f := newFilteredEngine(sizes, 2, rapid.IntRange(1, FilterSlots).Draw(t, "slots"))
		f.limits = k.limits
		again := NewDense(sizes) // after another stream
		distancesOf(again, blocks[:len(blocks)/2], batch)
		again.Reset()
		for _, e := range []engine{NewDense(sizes), again, k, f, newOnlineEngine(sizes)} {
			got := distancesOf(e, blocks, batch)
			for i := range want {
				if got[i] != want[i] {
					t.Fatalf("%T: access %d to block %d: distance %d, want %d", e, i, blocks[i],
						got[i], want[i])
				}
			}
		}
	})
}

// randomTrace draws blocks with locality: each access is to one of a sliding window of blocks, or
// anywhere. Sizes are up to four units, and half of them odd bytes more, so that they have no large
// factor in common.
func randomTrace(seed uint64, n, objects int, unit, odd uint64) (blocks []uint32, sizes []uint64) {
	next := splitMix(seed)
	sizes = make([]uint64, objects)
	for b := range sizes {
		sizes[b] = next()%5*unit + next()%2*odd
	}
	blocks = make([]uint32, n)
	window := int(next()%uint64(objects)) + 1
	for i := range blocks {
		if next()%8 == 0 {
			blocks[i] = uint32(next() % uint64(objects))
		} else {
			blocks[i] = uint32((i/5 + int(next()%uint64(window))) % objects)
		}
	}
	return blocks, sizes
}

// splitMix is the generator of Steele, Lea and Flood (OOPSLA 2014), the same on every computer and
// in every Go.
func splitMix(seed uint64) func() uint64 {
	return func() uint64 {
		seed += 0x9e3779b97f4a7c15
		z := seed
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		return z ^ z>>31
	}
}

func FuzzEngines(f *testing.F) {
	f.Add([]byte{4, 0, 1, 2, 0, 1, 1, 0, 2}, uint64(1))
	f.Add([]byte{200, 9, 8, 7, 9, 9, 8}, uint64(1)<<35)
	f.Fuzz(func(t *testing.T, data []byte, unit uint64) {
		if len(data) < 2 {
			return
		}
		cut := int(data[0]) % len(data)
		unit %= 1 << 50
		sizes := make([]uint64, 256)
		for b := range sizes {
			sizes[b] = uint64(b%7)*unit + uint64(b%2)
		}
		var blocks []uint32
		for _, b := range data[1:] {
			blocks = append(blocks, uint32(b))
		}
		want := distancesOf(stacktest.NewNaive(sizes), blocks, 0)
		for _, e := range engines[1:] {
			if got := distancesOf(e.new(sizes), blocks, cut); !slices.Equal(got, want) {
				t.Fatalf("%s: got %s\nwant %s", e.name, formatDistances(got), formatDistances(want))
			}
		}
	})
}

// TestCounterWidth: chunks whose weights add up to a little less and a little more than the 32 bits
// of a counter.
func TestCounterWidth(t *testing.T) {
	for _, size := range []uint64{1<<29 - 1, 1<<29 + 1, 1<<30 + 1, 1<<31 - 1, 1<<31 + 1, 1<<32 - 1,
		1<<32 + 1} {
		const objects = 7
		sizes := slices.Repeat([]uint64{size}, objects)
		var blocks []uint32
		for i := range 4 * objects {
			blocks = append(blocks, uint32(i%objects))
		}
		want := distancesOf(stacktest.NewNaive(sizes), blocks, 0)
		for _, batch := range []int{objects, 0} {
			for _, e := range engines[1:] {
				if got := distancesOf(e.new(sizes), blocks, batch); !slices.Equal(got, want) {
					t.Errorf("%s: blocks of %d bytes, batches of %d: got %v, want %v", e.name, size,
						batch, got, want)
				}
			}
		}
	}
}

// TestWrap: distances fit 32 bits, and what the counters of a chunk add up to is several times as
// much.
func TestWrap(t *testing.T) {
	hwtest.SkipRace(t)
	const objects = 3000
	sizes := slices.Repeat([]uint64{1<<20 + 1}, objects)
	next := splitMix(11)
	blocks := make([]uint32, 20_000)
	for i := range blocks {
		blocks[i] = uint32(next() % objects)
	}
	want := distancesOf(stacktest.NewNaive(sizes), blocks, 0)
	for _, e := range engines[1:] {
		if got := distancesOf(e.new(sizes), blocks, 0); !slices.Equal(got, want) {
			t.Errorf("%s differs from the oracle", e.name)
		}
	}
}

// TestDenseLive: the engine has the right number of blocks seen, which the length of its chunks
// depends on.
func TestDenseLive(t *testing.T) {
	blocks, sizes := randomTrace(1, 300_000, 100_000, 64, 0)
	d := NewDense(sizes)
	distancesOf(d, blocks, 50_000)
	seen := map[uint32]bool{}
	for _, b := range blocks {
		seen[b] = true
	}
	if want := 3 * len(seen); d.BatchLen() != want {
		t.Errorf("batches of %d with %d live blocks, want %d", d.BatchLen(), len(seen), want)
	}
}
