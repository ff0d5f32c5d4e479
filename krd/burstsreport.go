package krd

import (
	"maps"
	"math"
	"slices"

	"krdlab/krd/stack"
)

// Report returns what [Stream.Report] does for all accesses, as far as it is estimated, and the
// counts by group: whole numbers, whose sum is that of each stratum. A distance counts as the middle of its
// bin where the sizes of caches cut that in two. How many are shared is not known.
func (e *BurstEstimate) Report(opt StreamOptions) (*Report, []GroupHistogram, error) {
	s, err := NewStream(opt)
	if err != nil {
		return nil, nil, err
	}
	var groups []GroupHistogram
	left := map[int]float64{} // by rounding, of each stratum
	for _, g := range slices.Sorted(maps.Keys(e.Groups)) {
		h := GroupHistogram{Group: g}
		for bin, n := range e.Groups[g] {
			stratum := e.of(g)
			n += left[stratum]
			count := uint64(max(0, math.Round(n)))
			left[stratum] = n - float64(count)
			if count == 0 {
				continue
			}
			if bin == coldBin {
				h.Cold = count
			} else {
				h.Bins = append(h.Bins, binOf(bin, count))
			}
		}
		groups = append(groups, h)
	}
	for i := range groups {
		h := &groups[i]
		h.Accesses = h.Cold
		s.tallied(stack.Cold, h.Cold)
		for _, b := range h.Bins {
			h.Accesses += b.Count
			s.tallied((b.FromBytes+b.FromBytes/2)&^(StreamLine-1), b.Count)
		}
		h.Bytes = h.Accesses * StreamLine
	}
	r := s.analysis().report()
	r.Engine = EngineBursts
	r.Shared = nil
	for i := range r.Nodes {
		r.Nodes[i].Shared = nil
	}
	return r, groups, nil
}

// tallied counts n accesses to a line at a distance.
func (s *Stream) tallied(d, n uint64) {
	needs := d
	if d != stack.Cold {
		needs += StreamLine
	}
	s.tally.one(d, needs, n)
	s.tally.reachTimes(needs, StreamLine, n)
	s.tally.count += n
}
