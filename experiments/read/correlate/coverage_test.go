package correlate

import (
	"math"
	"math/rand/v2"
	"testing"

	"krdlab/experiments/run/estimate"
	"krdlab/hw/hwtest/long"
)

// Intervals hold what they should, at least as often as they say, in samples from a bivariate
// normal distribution.
func TestCoverage(t *testing.T) {
	trials := long.Or(50, 300)
	rng := rand.New(rand.NewPCG(7, 7))
	for _, n := range []int{minClusters, 16} {
		for _, rho := range []float64{0, 0.5, 0.9} {
			ranks := 6 / math.Pi * math.Asin(rho/2) // Spearman's of that distribution
			pearsons, spearmans := 0, 0
			for range trials {
				s := &sample{x: [][]float64{make([]float64, n)}, y: make([]float64, n)}
				for i := range s.y {
					s.x[0][i], s.y[i] = pair(rng, rho)
					s.units = append(s.units, [2]int{i, i + 1})
				}
				b := newBoot(s)
				b.draws = b.draws[:400]
				c := b.point("", s.x[0], PStudent)
				if c.Pearson.Low.Float() <= rho && rho <= c.Pearson.High.Float() {
					pearsons++
				}
				if c.Spearman.Low.Float() <= ranks && ranks <= c.Spearman.High.Float() {
					spearmans++
				}
			}
			// 300 trials at 0.95 have a standard error of 0.013, 50 of 0.031: the bounds are for the
			// seed, which is fixed. The percentile bootstrap of few
			// ranks is too wide rather than too narrow.
			if share := float64(pearsons) / float64(trials); share < 0.915 || share > 0.985 {
				t.Errorf("n = %d, rho = %g: Fisher's intervals hold it in %.3f", n, rho, share)
			}
			if share := float64(spearmans) / float64(trials); share < 0.915 {
				t.Errorf("n = %d, rho = %g: bootstrap intervals hold it in %.3f", n, rho, share)
			}
		}
	}
}

// Repetitions of one configuration share what is peculiar to it. Within configurations the
// intervals hold; counting each repetition as independent, over configurations, is the mistake that
// this package is made to avoid.
func TestCoverageOfRepetitions(t *testing.T) {
	const groups, reps, rho = 12, 8, 0.5
	trials := long.Or(50, 300)
	rng := rand.New(rand.NewPCG(11, 11))
	// The mean of Spearman's coefficient of reps pairs (Moran, Rank Correlation and Product-Moment
	// Correlation, Biometrika 35, 1948).
	ranks := 6 / math.Pi / (reps + 1) * (math.Asin(rho) + (reps-2)*math.Asin(rho/2))
	within, bootstrapped, naive := 0, 0, 0
	for range trials {
		var x, y [][]float64
		var flatX, flatY []float64
		for range groups {
			cx, cy := rng.NormFloat64()*3, rng.NormFloat64()*3 // configurations do not correlate
			var gx, gy []float64
			for range reps {
				a, b := pair(rng, rho)
				gx, gy = append(gx, cx+a), append(gy, cy+b)
			}
			x, y = append(x, gx), append(y, gy)
			flatX, flatY = append(flatX, gx...), append(flatY, gy...)
		}
		s := repeated(x, y)
		b := newBoot(s)
		b.draws = b.draws[:400]
		c := b.point("", s.x[0], PStudent)
		if c.Pearson.Low.Float() <= rho && rho <= c.Pearson.High.Float() {
			within++
		}
		if c.Spearman.Low.Float() <= ranks && ranks <= c.Spearman.High.Float() {
			bootstrapped++
		}
		// over all: the covariance of repetitions over the variance with that of configurations
		truth := rho / (1 + 9)
		low, high, _ := fisher(estimate.Correlation(flatX, flatY, nil), groups*reps-2)
		if low <= truth && truth <= high {
			naive++
		}
	}
	if share := float64(within) / float64(trials); share < 0.915 || share > 0.985 {
		t.Errorf("within configurations Fisher's intervals hold it in %.3f", share)
	}
	// A bootstrap of 12 units is too narrow: 0.88 here (docs/correlation.md).
	if share := float64(bootstrapped) / float64(trials); share < 0.84 || share > 0.95 {
		t.Errorf("within configurations bootstrap intervals hold it in %.3f", share)
	}
	if share := float64(naive) / float64(trials); share > 0.7 {
		t.Errorf("intervals that take repetitions for configurations hold it in %.3f: the "+
			"example shows nothing", share)
	}
	t.Logf("within: Fisher %.3f, bootstrap %.3f; naive %.3f", float64(within)/float64(trials),
		float64(bootstrapped)/float64(trials), float64(naive)/float64(trials))
}

// pair draws from a bivariate normal distribution.
func pair(rng *rand.Rand, rho float64) (x, y float64) {
	x = rng.NormFloat64()
	return x, rho*x + math.Sqrt(1-rho*rho)*rng.NormFloat64()
}
