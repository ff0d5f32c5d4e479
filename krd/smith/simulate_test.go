package smith

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"krdlab/krd/stack"
)

// lruSets simulates a set-associative LRU cache line by line.
type lruSets struct {
	ways  int
	index func(line uint64) int
	sets  [][]uint64 // most recent first
}

func newLRUSets(sets, ways int, index func(uint64) int) *lruSets {
	return &lruSets{ways: ways, index: index, sets: make([][]uint64, sets)}
}

// access reports whether a line is there, and makes it the most recent of its set.
func (c *lruSets) access(line uint64) bool {
	set := &c.sets[c.index(line)]
	at := slices.Index(*set, line)
	hit := at >= 0
	if !hit {
		if len(*set) < c.ways {
			*set = append(*set, 0)
		}
		at = len(*set) - 1
	}
	copy((*set)[1:at+1], (*set)[:at])
	(*set)[0] = line
	return hit
}

// hashed spreads lines over sets, differently for each seed.
func hashed(sets int, seed uint64) func(uint64) int {
	return func(line uint64) int {
		x := line*0x9e3779b97f4a7c15 ^ seed
		x = (x ^ x>>31) * 0xbf58476d1ce4e5b9
		x = (x ^ x>>29) * 0x94d049bb133111eb
		return int((x ^ x>>32) % uint64(sets))
	}
}

// A block is accessed by a stream as a whole: lines from first on, all of them in order.
type block struct{ id, lines uint32 }

// predict runs a stream through the exact engine and the model.
func predict(m *Model, stream []block) Prediction {
	p, engine := NewPredictor(m), stack.NewOnline()
	for _, b := range stream {
		size := uint64(b.lines) * m.cache.LineBytes
		if d := engine.Access(b.id, size); d == stack.Cold {
			p.Cold(size, 1)
		} else {
			p.Add(d, size, 1)
		}
	}
	return p.Prediction()
}

// simulate counts the line misses of a stream, cold ones excluded. Block b begins at line
// b.id*pitch.
func simulate(c *lruSets, stream []block, pitch uint64) (misses float64) {
	seen := map[uint64]bool{}
	for _, b := range stream {
		for l := range uint64(b.lines) {
			line := uint64(b.id)*pitch + l
			if !c.access(line) && seen[line] {
				misses++
			}
			seen[line] = true
		}
	}
	return misses
}

// matmulStream is the block stream of a divide-and-conquer multiplication of n x n tiles, blocks of
// A, B and C one after the other.
func matmulStream(n int, lines uint32) []block {
	var stream []block
	var rec func(i, j, k, n int)
	rec = func(i, j, k, m int) {
		if m == 1 {
			for _, id := range []int{i*n + k, n*n + k*n + j, 2*n*n + i*n + j} {
				stream = append(stream, block{uint32(id), lines})
			}
			return
		}
		h := m / 2
		for x := range 8 {
			rec(i+x>>2&1*h, j+x>>1&1*h, k+x&1*h, h)
		}
	}
	rec(0, 0, 0, n)
	return stream
}

func randomStream(n int, draw func(r *rand.Rand) int) []block {
	r := rand.New(rand.NewPCG(1, 2))
	stream := make([]block, n)
	for i := range stream {
		stream[i] = block{uint32(draw(r)), 1}
	}
	return stream
}

// Over all hash functions, the model is not an approximation: with sets drawn independently for
// each line, P[Binomial(d, 1/S) >= W] is the probability of each miss, so that the expected number
// of misses is the sum. The mean of k simulations with different hashes differs from it by their
// standard error; 5 of these (with k - 1 = 15 degrees of freedom a false alarm has probability
// 2e-4, and seeds are fixed) plus 1e-6 of the accesses for the table are allowed. Lines of a matmul
// block and streams of single lines.
func TestModelAgainstSimulation(t *testing.T) {
	zipf := func(n int) func(*rand.Rand) int {
		cum := make([]float64, n)
		s := 0.0
		for i := range cum {
			s += 1 / float64(i+1)
			cum[i] = s
		}
		return func(r *rand.Rand) int {
			i, _ := slices.BinarySearch(cum,
				r.Float64()*s)
			return min(i, n-1)
		}
	}
	for _, c := range []struct {
		name   string
		cache  Cache
		stream []block
	}{
		{"uniform", Cache{32 << 10, 8, 64},
			randomStream(60000, func(r *rand.Rand) int { return r.IntN(700) })},
		{"zipf", Cache{16 << 10, 4, 64}, randomStream(60000, zipf(5000))},
		{"zipf, 12 ways of 43 sets", Cache{43 * 12 * 64, 12, 64}, randomStream(60000, zipf(5000))},
		{"zipf, direct mapped", Cache{16 << 10, 1, 64}, randomStream(60000, zipf(5000))},
		{"matmul", Cache{32 << 10, 8, 64}, matmulStream(16, 8)},
		{"matmul, 2 ways", Cache{64 << 10, 2, 64}, matmulStream(16, 8)},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := NewModel(c.cache)
			if err != nil {
				t.Fatal(err)
			}
			p := predict(m, c.stream)
			const k = 16
			var mean, square float64
			for seed := range uint64(k) {
				x := simulate(newLRUSets(int(m.Sets()), int(m.ways),
					hashed(int(m.Sets()), seed*0x632be59bd9b4e019+1)), c.stream, 1<<20)
				mean += x / k
				square += x * x / k
			}
			stderr := math.Sqrt(max(square-mean*mean, 0) / (k - 1))
			t.Logf("predicted %.1f line misses of %.0f, simulated %.1f +- %.1f", p.LineMisses,
				p.Lines, mean, stderr)
			if diff := math.Abs(p.LineMisses - mean); diff > 5*stderr+1e-6*p.Lines {
				t.Errorf("predicted %.1f line misses, simulated %.1f +- %.1f", p.LineMisses, mean,
					stderr)
			}
			if mean < 0.02*p.Lines || mean > 0.98*(p.Lines-p.ColdLines) {
				t.Errorf("%.0f of %.0f lines miss: the stream does not try the model", mean,
					p.Lines)
			}
		})
	}
}

// The case of Caveat: lines at a stride of a power of two, index from plain address bits, all fall
// into one set.
func TestPowerOfTwoStrideBreaksTheModel(t *testing.T) {
	m := model(t, "32KiB:8")
	var stream []block
	for range 100 {
		for id := range uint32(64) {
			stream = append(stream, block{id, 1})
		}
	}
	p := predict(m, stream)
	plain := func(line uint64) int { return int(line % 64) }
	misses := simulate(newLRUSets(64, 8, plain), stream, 4096/64)
	if reuses := float64(len(stream) - 64); misses != reuses || p.LineMisses > 0.001*reuses {
		t.Errorf("stride 4096, unhashed: %v of %v reuses miss, predicted %v; expected all "+
			"against hardly any", misses, reuses, p.LineMisses)
	}
	// The same lines side by side, or hashed, are no trouble.
	if misses := simulate(newLRUSets(64, 8, plain), stream, 1); misses != 0 {
		t.Errorf("64 lines side by side: %v misses, expected 0", misses)
	}
}

func TestPredictor(t *testing.T) {
	m := model(t, "4KiB") // 64 lines
	p, q := NewPredictor(m), NewPredictor(m)
	if r := p.Prediction(); r != (Prediction{}) || !math.IsNaN(r.MissRatio()) {
		t.Errorf("of nothing: %+v, miss ratio %v", r, r.MissRatio())
	}
	p.Cold(4000, 1)    // 63 lines
	p.Add(97, 4000, 2) // 4097 bytes: miss
	p.Add(96, 4000, 3) // hit
	q.Add(0, 0, 5)     // no line
	q.Hit(-1, -2)
	q.Cold(1, 2)
	p.Merge(q)
	want := Prediction{Accesses: 12, Lines: 63*6 - 2 + 2, Misses: 2, LineMisses: 126, Cold: 3,
		ColdLines: 65}
	if got := p.Prediction(); got != want {
		t.Errorf("%+v, expected %+v", got, want)
	}
	if got := p.Prediction().MissRatio(); got != 5.0/12 {
		t.Errorf("miss ratio %v, expected 5/12", got)
	}
	defer func() {
		if recover() == nil {
			t.Error("predictions for two caches were merged")
		}
	}()
	p.Merge(NewPredictor(model(t, "8KiB")))
}

// A thousand million additions of a small probability lose nothing that a float64 could show.
func TestSumIsCompensated(t *testing.T) {
	var s sum
	s.add(1e16)
	for range 1000 {
		s.add(1)
	}
	if got := s.value(); got != 1e16+1000 {
		t.Errorf("1e16 + 1000 ones = %v", got)
	}
}
