package components

import (
	"math"

	"krdlab/hw/failure"
	"krdlab/krd"
)

// Bins is how many bins a signature has: of distance 0, and of each number of bits.
const Bins = 65

// A Signature is the distribution of the reuse distances of a run (virda, 2.2): shares of all
// accesses, 0 to 1. Bin 0 has distance 0, bin n those of [2^(n-1), 2^n), as in figure 1 of the
// paper; Cold is its last bin, INF.
type Signature struct {
	Share    [Bins]float64
	Cold     float64
	Accesses uint64 // or bytes, where the histogram weighs bytes
}

// ErrEmpty is the error of a histogram without accesses, which has no shares.
var ErrEmpty = failure.New(failure.Data, "there are no accesses")

// Of returns the signature of a histogram; invalidated accesses count as cold. The error is
// [ErrEmpty].
func Of(h *krd.Histogram) (*Signature, error) {
	if h.Accesses == 0 {
		return nil, ErrEmpty
	}
	all := float64(h.Accesses)
	s := &Signature{Accesses: h.Accesses, Cold: float64(h.Infinite()) / all}
	for k, b := range h.Bins {
		s.Share[k] = float64(b.Count) / all
	}
	return s, nil
}

// histogram returns s as counts of all accesses, up to its highest bin.
func (s *Signature) histogram() krd.Histogram {
	count := func(share float64) uint64 { return uint64(math.Round(share * float64(s.Accesses))) }
	h := krd.Histogram{Cold: count(s.Cold), Bins: []krd.Bin{}}
	h.Accesses = h.Cold
	for k := range s.highest() + 1 {
		b := krd.Bin{FromBytes: 1 << k >> 1, ToBytes: 1 << k, Count: count(s.Share[k])}
		h.Bins, h.Accesses = append(h.Bins, b), h.Accesses+b.Count
	}
	h.AccessCount = h.Accesses
	return h
}

// highest returns the highest bin that is not empty, -1 if all are.
func (s *Signature) highest() int {
	for k := Bins - 1; k >= 0; k-- {
		if s.Share[k] > 0 {
			return k
		}
	}
	return -1
}

// Beyond returns the share of the accesses that a fully associative LRU cache of so many bytes
// misses: those that are cold or have at least that distance. Within a bin that the size divides,
// distances are taken as spread evenly over their logarithm.
func (s *Signature) Beyond(bytes uint64) float64 {
	at := math.Log2(float64(max(bytes, 1))) + 1 // bin k has [k-1, k) of log2
	share := s.Cold
	for k, v := range s.Share {
		share += v * min(1, max(0, float64(k)+1-at))
	}
	return share
}

// A Component is a group of adjacent bins that form a peak (virda, 4.2), or a plateau between
// peaks.
type Component struct {
	FromBin int     `json:"from_bin"`
	ToBin   int     `json:"to_bin"`
	Share   float64 `json:"share"` // of all accesses, 0 to 1
	// bins of about the same height between two peaks that move differently: there are more of them
	// the further the peaks are apart
	Plateau bool `json:"plateau,omitempty"`
}

const (
	// LeastShare is the share of accesses from which a peak is a component. The far reuse of programs
	// is often less than a hundredth of their accesses (docs/locality-of-programs.md).
	LeastShare = 0.002
	// and a plateau from so many on
	leastPlateau = 0.01
	// a component ends at the first and the last bin with so much
	leastBin = 0.001
	// a valley is at most so much of the lower peak beside it
	valleyDepth = 0.5
	// bins up to so many times the lowest between two peaks belong to the valley
	valleyLevel = 1.3
)

// A part is the bins from..to of a peak. low and high are its first and last bin of [LeastShare].
type part struct{ from, to, peak, low, high int }

// A valley is the bins between two peaks that belong to neither, and the lowest of them. There is
// at least one, since two bins side by side are not both peaks.
type valley struct{ from, to, lowest int }

// split cuts a signature into peaks and the valleys between them, one less. Source: virda, 4.2 ("a
// group of adjacent bins with non-trivial percentage of total accesses forming a peak"), which does
// it by eye; valleys are defined here.
func split(p *[Bins]float64) (parts []part, valleys []valley) {
	high := Bins - 1
	for high >= 0 && p[high] == 0 {
		high--
	}
	var peaks []int
	for k := range high + 1 {
		if p[k] > 0 && (k == 0 || p[k] > p[k-1]) && (k == high || p[k] >= p[k+1]) {
			peaks = append(peaks, k)
		}
	}
	lowest := func(a, b int) int {
		at := a
		for k := a; k <= b; k++ {
			if p[k] < p[at] {
				at = k
			}
		}
		return at
	}
	for len(peaks) > 1 { // join the two that are least apart, until all are apart
		join, least := -1, 0.0
		for i := range len(peaks) - 1 {
			lower, bottom := min(p[peaks[i]], p[peaks[i+1]]), p[lowest(peaks[i], peaks[i+1])]
			if (lower < LeastShare || bottom > valleyDepth*lower) && (join < 0 || lower-bottom < least) {
				join, least = i, lower-bottom
			}
		}
		if join < 0 {
			break
		}
		if p[peaks[join]] >= p[peaks[join+1]] {
			join++
		}
		peaks = append(peaks[:join], peaks[join+1:]...)
	}
	from := 0
	for i, peak := range peaks {
		to, next := high, high+1
		if i+1 < len(peaks) {
			low := lowest(peak+1, peaks[i+1]-1)
			v := valley{low, low, low}
			for v.from-1 > peak && p[v.from-1] <= valleyLevel*p[low] {
				v.from--
			}
			for v.to+1 < peaks[i+1] && p[v.to+1] <= valleyLevel*p[low] {
				v.to++
			}
			valleys = append(valleys, v)
			to, next = v.from-1, v.to+1
		}
		parts = append(parts, trimmed(p, part{from: from, to: to, peak: peak}, LeastShare))
		from = next
	}
	return parts, valleys
}

// Find returns the components of a signature, by bin. Cost: some hundred steps for each bin.
func Find(s *Signature) []Component {
	parts, valleys := split(&s.Share)
	return s.list(parts, valleys)
}

// trimmed finds the ends of x that hold at least so much each.
func trimmed(p *[Bins]float64, x part, least float64) part {
	for x.low = x.from; x.low < x.to && p[x.low] < least; {
		x.low++
	}
	for x.high = x.to; x.high > x.low && p[x.high] < least; {
		x.high--
	}
	return x
}

// list returns peaks, and the valleys that hold [leastPlateau], as components, without their
// ends below [leastBin].
func (s *Signature) list(parts []part, valleys []valley) (list []Component) {
	add := func(from, to int, plateau bool) {
		x := trimmed(&s.Share, part{from: from, to: to}, leastBin)
		c := Component{FromBin: x.low, ToBin: x.high, Plateau: plateau}
		for k := from; k <= to; k++ {
			c.Share += s.Share[k]
		}
		if !plateau || c.Share >= leastPlateau {
			list = append(list, c)
		}
	}
	for i, x := range parts {
		add(x.from, x.to, false)
		if i < len(valleys) {
			add(valleys[i].from, valleys[i].to, true)
		}
	}
	return list
}
