package smith

import "math"

// A Prediction is the expected misses of a cache on a stream of accesses. Numbers are of accesses
// and of lines; an access of s bytes has s / LineBytes lines, rounded up, and counts as that share
// of a miss which its lines have on average. They are floating-point because they are expectations;
// those of a fully associative cache and of exact distances are whole.
type Prediction struct {
	Accesses   float64 `json:"accesses"`    // cold ones included
	Lines      float64 `json:"lines"`       // of these
	Misses     float64 `json:"misses"`      // accesses expected to miss, cold ones apart
	LineMisses float64 `json:"line_misses"` // lines expected to miss, cold ones apart
	Cold       float64 `json:"cold"`        // first accesses: they miss in any cache
	ColdLines  float64 `json:"cold_lines"`
}

// MissRatio returns the share of accesses that miss, cold ones included; NaN if there are none.
func (p Prediction) MissRatio() float64 {
	if p.Accesses == 0 {
		return math.NaN()
	}
	return (p.Misses + p.Cold) / p.Accesses
}

// AllLineMisses returns the lines expected to miss, cold ones included.
func (p Prediction) AllLineMisses() float64 { return p.LineMisses + p.ColdLines }

// A Predictor adds up the misses that a [Model] expects of a stream. One goroutine at a time;
// predictors of several streams may share a model, and their sums be added with [Predictor.Merge].
type Predictor struct {
	model            *Model
	accesses, lines  float64 // reuses only
	cold, coldLines  float64
	missed, lineMiss sum
}

// NewPredictor returns a predictor that has seen nothing.
func NewPredictor(m *Model) *Predictor { return &Predictor{model: m} }

// Model returns the predictor's model.
func (p *Predictor) Model() *Model { return p.model }

// Add counts accesses to size bytes at the reuse distance distance. count may be a fraction where
// distances are an estimate.
func (p *Predictor) Add(distance, size uint64, count float64) {
	lines := float64(p.model.Lines(size)) * count
	miss := p.model.Miss(distance, size)
	p.accesses += count
	p.lines += lines
	p.missed.add(float64(miss * count))
	p.lineMiss.add(float64(miss * lines))
}

// Cold counts first accesses to blocks of size bytes.
func (p *Predictor) Cold(size uint64, count float64) {
	p.cold += count
	p.coldLines += float64(p.model.Lines(size)) * count
}

// Hit counts accesses that hit in any cache, such as the accesses that a sample lacks
// ([krdlab/krd/approx]). lines is the number of lines of them all. Both may be negative: a
// correction.
func (p *Predictor) Hit(count, lines float64) {
	p.accesses += count
	p.lines += lines
}

// Merge adds what q counted to p. Their caches must be the same; Merge panics otherwise.
func (p *Predictor) Merge(q *Predictor) {
	if p.model.cache != q.model.cache {
		panic("smith: merge of predictions for " + p.model.cache.String() + " and " +
			q.model.cache.String())
	}
	p.accesses += q.accesses
	p.lines += q.lines
	p.cold += q.cold
	p.coldLines += q.coldLines
	p.missed.add(q.missed.value())
	p.lineMiss.add(q.lineMiss.value())
}

// Prediction returns the sums so far.
func (p *Predictor) Prediction() Prediction {
	return Prediction{
		Accesses:   p.accesses + p.cold,
		Lines:      p.lines + p.coldLines,
		Misses:     p.missed.value(),
		LineMisses: p.lineMiss.value(),
		Cold:       p.cold,
		ColdLines:  p.coldLines,
	}
}

// A sum carries what rounding takes from it along, so that 1e12 small probabilities add up (Knuth,
// TAOCP 2, 4.2.2, theorem B).
type sum struct{ high, low float64 }

func (s *sum) add(x float64) {
	t := s.high + x
	y := t - s.high
	s.low += (s.high - (t - y)) + (x - y)
	s.high = t
}

func (s *sum) value() float64 { return s.high + s.low }
