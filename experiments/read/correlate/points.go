package correlate

import (
	"krdlab/experiments/run/stats"
	"krdlab/hw"
	"krdlab/krd"
)

// pointsOf returns the points of histograms whose highest distances are below top bytes, on a
// machine with an L2 of l2 bytes (0: not known, from 64 KiB): far, each power of two from the L2
// up, and cold; with cold accesses counted in first, then finite ones only.
func pointsOf(l2 hw.Size, top uint64) []stats.Point {
	first := uint64(64 << 10)
	if l2 > 0 {
		for first = 1; first < uint64(l2); first *= 2 {
		}
	}
	var with, finite []stats.Point
	for limit := first; limit < top; limit *= 2 {
		with, finite = append(with, stats.At(limit, true)), append(finite, stats.At(limit, false))
	}
	list := append([]stats.Point{stats.FarOrCold}, with...)
	list = append(list, stats.Cold, stats.Far)
	return append(list, finite...)
}

// top returns the end of the highest bin of h with a count, 0 if there is none.
func top(h *krd.Histogram) uint64 {
	for i := len(h.Bins) - 1; i >= 0; i-- {
		if h.Bins[i].Count > 0 {
			return h.Bins[i].ToBytes
		}
	}
	return 0
}
