package report

import (
	"krdlab/experiments/run/estimate"
	"krdlab/experiments/run/result"
)

// ratioOf returns the ratio of the medians of two samples.
func ratioOf(over, under result.Sample) result.Quantity {
	return result.RatioOfMedians(over, under, 1, estimate.Resamples)
}
