package goprogram_test

import (
	"math"
	"testing"

	"krdlab/experiments/goprogram"
	"krdlab/hw/hwtest/long"
	"krdlab/loi/front"
)

// sampledResult holds the compared fields of a result of krdlab trace go.
type sampledResult struct {
	Accesses uint64
	KRD      struct {
		Cold uint64
		Bins []struct {
			FromBytes uint64 `json:"from_bytes"`
			Count     float64
		}
	} `json:"krd"`
	Sampling *struct {
		Bins []struct {
			FromBytes uint64 `json:"from_bytes"`
			Count     float64
			Error     *float64
		}
	}
}

// A sample counts the accesses that there are. Each bin that holds 1 % of them has its share in two
// of three samples, up to a percentage point or to two of the standard errors that are printed,
// which are no excuse from mostError on.
func TestSciMarkSample(t *testing.T) {
	long.Only(t, "the exact distances take minutes")
	for _, args := range [][]string{{"lu"}, {"fft", "-iterations", "4"}, {"sor", "-iterations", "100"},
		{"sparse", "-iterations", "100"}} {
		t.Run(args[0], func(t *testing.T) {
			result := func(how front.Options) (d sampledResult) {
				traced(t, &d, goprogram.Lines, how, append(args, "-class", "large")...)
				return d
			}
			exact, within := result(front.Options{}), make(map[uint64]int)
			for range 3 {
				sample := result(front.Options{Sample: true})
				if exact.Sampling != nil || sample.Sampling == nil {
					t.Fatal("the exact result is marked as a sample, or the sample is not")
				}
				if exact.Accesses != sample.Accesses {
					t.Errorf("%d accesses, expected %d", sample.Accesses, exact.Accesses)
				}
				shares, most := make(map[uint64]float64), make(map[uint64]float64)
				for _, b := range sample.Sampling.Bins {
					shares[b.FromBytes] = b.Count / float64(sample.Accesses)
					if b.Error != nil {
						most[b.FromBytes] = min(mostError, 2**b.Error/float64(sample.Accesses))
					}
				}
				for _, b := range exact.KRD.Bins {
					want, got := b.Count/float64(exact.Accesses), shares[b.FromBytes]
					t.Logf("from %d bytes: %.2f %% +- %.2f, exactly %.2f", b.FromBytes, 100*got,
						100*most[b.FromBytes], 100*want)
					if want < 0.01 || math.Abs(got-want) <= max(0.01, most[b.FromBytes]) {
						within[b.FromBytes]++
					}
				}
			}
			for _, b := range exact.KRD.Bins {
				if n := within[b.FromBytes]; n < 2 {
					t.Errorf("from %d bytes: %d of 3 samples have its share", b.FromBytes, n)
				}
			}
		})
	}
}

// mostError is the share of the accesses that a bin may be off in TestSciMarkSample, whatever is
// printed.
const mostError = 0.05
