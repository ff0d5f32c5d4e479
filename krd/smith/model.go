package smith

import (
	"fmt"
	"math/bits"
	"sort"

	"gonum.org/v1/gonum/mathext"
)

const (
	intervals = 1 << 14 // of a table: 128 KiB
	tail      = 1e-13   // below it a probability is taken for 0, above 1 - tail for 1
)

// A Model gives the probability that a line misses in one cache. It is immutable: any number of
// goroutines may use it.
type Model struct {
	cache Cache // with LineBytes filled in
	shift uint  // log2 of LineBytes
	ways  uint64
	sets  uint64

	// Below lo other lines the probability is 0, from hi on it is 1. Between, value[i] is the
	// probability at lo + i/scale, and what lies between two entries is interpolated.
	lo, hi uint64
	scale  float64
	value  []float64
}

// NewModel returns the model of c. The error, which wraps [ErrCache], names the reason why c cannot
// exist.
//
// Cost: at most 16 Ki evaluations of the incomplete beta function, some 10 ms, and 128 KiB.
func NewModel(c Cache) (*Model, error) {
	if c.LineBytes == 0 {
		c.LineBytes = DefaultLineBytes
	}
	if err := c.check(); err != nil {
		return nil, fmt.Errorf("smith: %w: %w", ErrCache, err)
	}
	lines := c.Bytes / c.LineBytes
	m := &Model{cache: c, shift: uint(bits.TrailingZeros64(c.LineBytes)), ways: c.Ways}
	if m.ways == 0 {
		m.ways = lines
	}
	m.sets = lines / m.ways
	m.tabulate()
	return m, nil
}

// tabulate fills in lo, hi, scale and value.
func (m *Model) tabulate() {
	if m.sets == 1 {
		m.lo, m.hi = m.ways, m.ways // a step
		return
	}
	end := 2 * m.ways * m.sets
	for miss, hit := m.exact(end); hit > tail && miss < 1; miss, hit = m.exact(end) {
		end *= 2
	}
	w := m.ways
	m.lo = w + uint64(sort.Search(int(end-w), func(i int) bool {
		miss,
			_ := m.exact(w + uint64(i))
		return miss > tail
	}))
	m.hi = w + uint64(sort.Search(int(end-w),
		func(i int) bool { _, hit := m.exact(w + uint64(i)); return hit <= tail }))
	m.hi = max(m.hi, m.lo)
	n := m.hi - m.lo
	if n > intervals {
		n = intervals
	}
	m.value = make([]float64, n+2) // one to interpolate towards, one for rounding
	m.scale = 1
	step := 1.0
	if n == intervals {
		step = float64(m.hi-m.lo) / intervals
		m.scale = 1 / step
	}
	var last float64
	for i := range m.value {
		last = max(last, m.at(float64(m.lo)+float64(step*float64(i))))
		m.value[i] = last
	}
}

// exact returns the probabilities of a miss and of a hit after d other lines, each accurate where
// it is small.
func (m *Model) exact(d uint64) (miss, hit float64) {
	if d < m.ways {
		return 0, 1
	}
	p := 1 / float64(m.sets)
	a, b := float64(m.ways), float64(d-m.ways+1)
	return mathext.RegIncBeta(a, b, p), mathext.RegIncBeta(b, a, 1-p)
}

// at returns the probability of a miss after d other lines, continued to d between whole numbers.
func (m *Model) at(d float64) float64 {
	return mathext.RegIncBeta(float64(m.ways), d-float64(m.ways)+1, 1/float64(m.sets))
}

// Cache returns the cache, its LineBytes filled in.
func (m *Model) Cache() Cache { return m.cache }

// Sets returns the number of sets, 1 of a fully associative cache.
func (m *Model) Sets() uint64 { return m.sets }

// Lines returns the number of lines that an access to size bytes needs at least: size / LineBytes,
// rounded up.
func (m *Model) Lines(size uint64) uint64 {
	return size>>m.shift + (size&(m.cache.LineBytes-1)+m.cache.LineBytes-1)>>m.shift
}

// Miss returns the probability that a line misses, which is of an access to size bytes at distance
// bytes: the distinct other bytes touched since. Both are rounded up together to whole lines. An
// access to 0 bytes touches no line and misses none.
//
// The probability of a fully associative cache is 0 or 1 and exact. Otherwise the absolute error is
// at most 1e-6 (tables of up to 16 Ki values of d are not interpolated: 1e-9), and probabilities
// less than 1e-13 away from 0 or 1 are 0 or 1.
//
// Cost: one look-up, about 2 ns.
func (m *Model) Miss(distance, size uint64) float64 {
	total := distance + size
	if size == 0 {
		return 0
	}
	if total < distance {
		return 1
	}
	d := (total - 1) >> m.shift // whole lines less the line itself
	if d < m.lo {
		return 0
	}
	if d >= m.hi {
		return 1
	}
	x := float64(d-m.lo) * m.scale
	i := int(x)
	a, b := m.value[i], m.value[i+1]
	return a + float64((x-float64(i))*(b-a))
}
