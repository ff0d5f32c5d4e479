package report

import (
	"krdlab/experiments/dataset"
	"krdlab/experiments/result"
	"krdlab/krd"
)

// A share is a part of the accesses of a histogram.
type share struct {
	head string
	of   func(h *krd.Histogram) result.Number
}

const paperLimit = 32 << 20 // KRD paper, IV-B: "far reuses beyond 32 MB"

// kinds are the shares of the table of reuse, in its order. The last two are both readings of the
// paper's comparison.
var kinds = []share{
	{"close", func(h *krd.Histogram) result.Number { return dataset.ShareOf(h, h.Close) }},
	{"near", func(h *krd.Histogram) result.Number { return dataset.ShareOf(h, h.Near) }},
	{"far", func(h *krd.Histogram) result.Number { return dataset.ShareOf(h, h.Far) }},
	{"cold", func(h *krd.Histogram) result.Number { return dataset.ShareOf(h, &h.Cold) }},
	{"≥ 32 MiB", func(h *krd.Histogram) result.Number {
		_,
			f := dataset.Share(h, paperLimit)
		return f
	}},
	{"≥ 32 MiB or cold", func(h *krd.Histogram) result.Number {
		w,
			_ := dataset.Share(h, paperLimit)
		return w
	}},
}

// beyondLLC is the share that no last-level cache can have kept: far or cold.
func beyondLLC(h *krd.Histogram) result.Number {
	if h.Far == nil {
		return result.Number{}
	}
	n := *h.Far + h.Cold
	return dataset.ShareOf(h, &n)
}

// shares returns a share of each histogram of a result for which it is known.
func shares(r *result.Result, of func(*krd.Histogram) result.Number) []float64 {
	var list []float64
	for _, h := range dataset.Histograms(r) {
		if n := of(h); n.Known() {
			list = append(list, n.Float())
		}
	}
	return list
}
