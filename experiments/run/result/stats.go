package result

import (
	"math/rand/v2"

	"krdlab/experiments/run/estimate"
)

// A Sample is the values of repetitions.
type Sample = estimate.Sample

// QuantityOf returns the quantity of a sample that is not fixed.
func QuantityOf(values []float64) Quantity { return Sample{Values: values}.Quantity() }

// Ratio returns the quantity of a ratio between two samples that has the given median: N is the
// size of the smaller, where a fixed one does not count beside one that is not. It has no interval
// yet; [Quantity.Bootstrap] draws it.
func Ratio(over, under Sample, median float64) Quantity {
	n, m := len(over.Values), len(under.Values)
	switch {
	case n == 0 || m == 0 || !Some(median).Known():
		return Quantity{}
	case over.Fixed && under.Fixed:
		return estimate.Exactly(median, min(n, m))
	case over.Fixed:
		n = m
	case !under.Fixed:
		n = min(n, m)
	}
	return Quantity{Median: Some(median), N: n, Reason: TooFew}
}

// strata are the numbers of repetitions, one after the other, of runs of different inputs, which
// are not drawn for one another; nil: one run.
type strata struct{ serial, par []int }

// A ratioSample holds the data of the ratios of a run: time and work of the serial repetitions and
// of those on n cores, in ns. Work is nil where there is none; otherwise it is as long as time,
// entry by entry from the same repetition.
type ratioSample struct {
	cores               int
	serialTime, parTime []float64
	serialWork, parWork []float64
	// one repetition stands for all: nothing was drawn
	serialFixed, parFixed bool
	seed                  uint64
	strata                strata
	pointsOnly            bool // intervals are not asked for
}

// point returns speed-up, OVR and WTI (KRD paper, I-A), the last two NaN without work:
//
//	speed-up = median serial time / median time
//	WTI      = median work / median serial work
//	OVR      = cores / (speed-up x WTI)
//
// so that speed-up = cores / (OVR x WTI) holds for the summary too, which medians of per-repetition
// ratios would not give.
func (s *ratioSample) point() (speedup, ovr, wti float64) {
	speedup = Number{}.Float()
	// in virtual time a program without work may take none
	if serial := estimate.Median(s.serialTime); serial > 0 {
		speedup = serial / estimate.Median(s.parTime)
	}
	wti = Number{}.Float()
	if s.hasWork() {
		wti = estimate.Median(s.parWork) / estimate.Median(s.serialWork)
	}
	return speedup, float64(s.cores) / (speedup * wti), wti
}

func (s *ratioSample) hasWork() bool { return len(s.serialWork) > 0 && len(s.parWork) > 0 }

// quantities returns speed-up, OVR and WTI with bootstrap percentile intervals: serial and parallel
// repetitions are drawn anew with replacement, time and work of a repetition together; a side
// without variation stays as it is. The same sample and seed give the same intervals on every
// computer. N is the smaller of the two sample sizes; below 6 there is no interval.
func (s *ratioSample) quantities() (speedup, ovr, wti Quantity) {
	if len(s.serialTime) == 0 || len(s.parTime) == 0 {
		return
	}
	sp, o, w := s.point()
	serial, par := Sample{Values: s.serialTime, Fixed: s.serialFixed}, Sample{Values: s.parTime, Fixed: s.parFixed}
	speedup = Ratio(serial, par, sp)
	ovr, wti = Ratio(serial, par, o), Ratio(serial, par, w)
	n := max(speedup.N, wti.N)
	fixed := (s.serialFixed || Sample{Values: s.serialTime}.Exact() && !estimate.Varies(s.serialWork)) &&
		(s.parFixed || Sample{Values: s.parTime}.Exact() && !estimate.Varies(s.parWork))
	if fixed {
		for _, q := range []*Quantity{&speedup, &ovr, &wti} {
			*q = estimate.Exactly(q.Median.Float(), q.N)
		}
	}
	if n < estimate.MinSample || s.pointsOnly || fixed {
		return
	}
	rng := estimate.Draws(s.seed, n)
	draw := ratioSample{cores: s.cores,
		serialTime: make([]float64, len(s.serialTime)), parTime: make([]float64, len(s.parTime)),
		serialWork: make([]float64, len(s.serialWork)), parWork: make([]float64, len(s.parWork))}
	var sps, os, ws []float64
	for range estimate.Resamples {
		Resample(rng, s.strata.serial, draw.serialTime, s.serialTime, draw.serialWork, s.serialWork)
		Resample(rng, s.strata.par, draw.parTime, s.parTime, draw.parWork, s.parWork)
		sp, o, w := draw.point()
		sps, os, ws = append(sps, sp), append(os, o), append(ws, w)
	}
	setInterval(&speedup, sps)
	if s.hasWork() {
		setInterval(&ovr, os)
		setInterval(&wti, ws)
	}
	return
}

// Resample draws len(time) repetitions from (time, work) with replacement, as many from each
// stratum as it has; without strata all are one. work may be empty.
func Resample(rng *rand.Rand, strata []int, toTime, time, toWork, work []float64) {
	if len(strata) == 0 {
		strata = []int{len(time)}
	}
	at := 0
	for _, n := range strata {
		for i := at; i < at+n; i++ {
			j := at + rng.IntN(n)
			toTime[i] = time[j]
			if len(work) > 0 {
				toWork[i] = work[j]
			}
		}
		at += n
	}
}
