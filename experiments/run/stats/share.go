package stats

import (
	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/estimate"
	"krdlab/experiments/run/result"
	"krdlab/hw/units"
	"krdlab/krd"
	"krdlab/krd/doc"
)

// A Point is a share of the accesses of a KRD histogram.
type Point struct {
	// Name is "close", "near", "far", "cold", or a distance such as ">= 32 MiB"; with cold accesses
	// counted in, followed by " or cold".
	Name string `json:"name"`
	// FromBytes is the distance from which accesses count, a power of two; 0 of all others.
	FromBytes uint64 `json:"from_bytes"`
	// Cold records that cold accesses count too.
	Cold bool `json:"cold"`
}

// The points that are not distances. Close is within the L2 of a core, near within the last-level
// cache of the node, far neither, and cold is an access whose distance is INF: the first one of the
// node or, with coherence, one to a block that a write elsewhere invalidated. These four add up to
// all accesses. Far or cold accesses are those that the last-level cache cannot have kept.
var (
	Close     = Point{Name: "close"}
	Near      = Point{Name: "near"}
	Far       = Point{Name: "far"}
	FarOrCold = Point{Name: "far or cold", Cold: true}
	Cold      = Point{Name: "cold", Cold: true}
	// Invalidated is the part of cold that coherence makes.
	Invalidated = Point{Name: "invalidated"}
)

// PaperBytes is [krd.PaperBytes].
const PaperBytes = krd.PaperBytes

// At returns the point of distances of at least limit bytes, a power of two.
func At(limit uint64, cold bool) Point {
	p := Point{Name: ">= " + units.Bytes(limit), FromBytes: limit, Cold: cold}
	if cold {
		p.Name += " or cold"
	}
	return p
}

// Of returns the share of the accesses of h, unknown where h does not tell.
func (p Point) Of(h *krd.Histogram) result.Number {
	if h == nil {
		return result.Number{}
	}
	n := uint64(0)
	if p.Cold {
		n = h.Infinite()
	}
	if p.FromBytes > 0 {
		tail, err := h.AtLeast(p.FromBytes)
		if err != nil {
			return result.Number{}
		}
		n += tail.Finite
	} else if p != Cold {
		counted := map[string]*uint64{Close.Name: h.Close, Near.Name: h.Near, Far.Name: h.Far,
			FarOrCold.Name: h.Far, Invalidated.Name: h.Invalidated}[p.Name]
		if counted == nil {
			return result.Number{}
		}
		n += *counted
	}
	return Part(h, n)
}

// Part returns n of the accesses of h as a share, unknown where it has none.
func Part(h *krd.Histogram, n uint64) result.Number {
	return result.Some(float64(n) / float64(h.Accesses)) // NaN is not known
}

// Values returns the share of each traced repetition of r that tells it.
func (p Point) Values(r *result.Result) []float64 {
	var list []float64
	for _, h := range r.Histograms() {
		if n := p.Of(h); n.Known() {
			list = append(list, n.Float())
		}
	}
	return list
}

// Sample returns the shares as those of repetitions.
func (p Point) Sample(r *result.Result) estimate.Sample {
	return estimate.Sample{Values: p.Values(r), Fixed: r.Deterministic}
}

// Measure returns the share as a measure of a result.
func (p Point) Measure(key, head, about string) Measure {
	better := Lower
	if p == Close || p == Near {
		better = Higher
	}
	return Measure{Key: key, Head: head, Unit: doc.Fraction, Better: better, Doc: about,
		Of:   func(r *result.Result) result.Quantity { return r.Quantity(p.Values(r)) },
		Each: func(r *dataset.Row) result.Number { return p.Of(r.KRD) },
		Why:  whyNoShare}
}
