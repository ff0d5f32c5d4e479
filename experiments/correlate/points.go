package correlate

import (
	"krdlab/experiments/dataset"
	"krdlab/experiments/result"
	"krdlab/hw"
	"krdlab/hw/units"
	"krdlab/krd"
)

// A Point is a share of the accesses of a KRD histogram, as a predictor.
type Point struct {
	// Name is "far", "cold", or a distance such as ">= 32 MiB"; with cold accesses counted in,
	// followed by " or cold".
	Name string `json:"name"`
	// FromBytes is the distance from which accesses count, a power of two; 0 of far (distance +
	// size > LLC) and of cold.
	FromBytes uint64 `json:"from_bytes"`
	// Cold says that cold accesses, whose distance is INF, count too.
	Cold bool `json:"cold"`
}

// The names of the points that are not distances.
const (
	Far       = "far"
	FarOrCold = "far or cold"
	Cold      = "cold"
)

// PaperBytes is the distance that the paper compares far reuses at (IV-B).
const PaperBytes = 32 << 20

// At returns the point of distances of at least limit bytes.
func At(limit uint64, cold bool) Point {
	p := Point{Name: ">= " + units.Bytes(limit), FromBytes: limit, Cold: cold}
	if cold {
		p.Name += " or cold"
	}
	return p
}

// pointsOf returns the predictors of histograms whose highest distances are below top bytes, on a
// machine with an L2 of l2 bytes (0: not known, from 64 KiB): far, each power of two from the L2
// up, and cold; with cold accesses counted in first, then finite ones only.
func pointsOf(l2 hw.Size, top uint64) []Point {
	first := uint64(64 << 10)
	if l2 > 0 {
		for first = 1; first < uint64(l2); first *= 2 {
		}
	}
	var with, finite []Point
	for limit := first; limit < top; limit *= 2 {
		with, finite = append(with, At(limit, true)), append(finite, At(limit, false))
	}
	list := append([]Point{{Name: FarOrCold, Cold: true}}, with...)
	list = append(list, Point{Name: Cold, Cold: true}, Point{Name: Far})
	return append(list, finite...)
}

// Of returns the share of the accesses of h, unknown where h does not tell.
func (p Point) Of(h *krd.Histogram) result.Number {
	switch {
	case h == nil || h.Accesses == 0:
		return result.Number{}
	case p.Name == Cold:
		n := h.Infinite()
		return dataset.ShareOf(h, &n)
	case p.Name == Far:
		return dataset.ShareOf(h, h.Far)
	case p.Name == FarOrCold:
		if h.Far == nil {
			return result.Number{}
		}
		n := *h.Far + h.Infinite()
		return dataset.ShareOf(h, &n)
	}
	with, finite := dataset.Share(h, p.FromBytes)
	if p.Cold {
		return with
	}
	return finite
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
