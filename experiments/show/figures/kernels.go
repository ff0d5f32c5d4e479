package figures

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"krdlab/experiments/run/result"
	"krdlab/krd/plot"
)

// kernelWTI returns the work time inflation of each kernel against cores, a panel for each kernel.
func kernelWTI(s *subject) (*plot.Figure, error) {
	if err := s.several(); err != nil {
		return nil, err
	}
	var names []string
	for _, r := range s.ordered() {
		for _, k := range r.Kernels {
			if k.WTI.Known() && !slices.Contains(names, k.Name) {
				names = append(names, k.Name)
			}
		}
	}
	switch len(names) {
	case 0:
		return nil, errors.New("no kernel was timed")
	case 1:
		return nil, errors.New("one kernel only (" + names[0] +
			"); its inflation is in wti")
	}
	f := &plot.Figure{ID: "kernel-wti", Title: "Work time inflation of each kernel"}
	top, bottom := 1.0, 1.0
	for _, name := range names {
		p := s.againstCores("WTI",
			func(r *result.Result) result.Quantity { return kernelInflation(r, name) })
		if p == nil {
			continue
		}
		p.Title = name
		top, bottom = math.Max(top, p.Y.Max), math.Min(bottom, p.Y.Min)
		f.Panels = append(f.Panels, *p)
	}
	f.Lay(3)
	for i := range f.Panels { // one scale, so that kernels can be compared
		f.Panels[i].Y.Min, f.Panels[i].Y.Max = bottom, top
		f.Panels[i].RuleAtOne("no inflation")
	}
	estimated := ""
	for _, r := range s.ordered() {
		for _, k := range r.Kernels {
			if k.Estimated {
				estimated = " Times of kernels are estimates from samples, one in about " +
					strconv.Itoa(k.SampledEvery) + " executions."
			}
		}
	}
	f.Caption = s.says("WTI of a kernel: its mean time over that in the serial run."+estimated,
		meanRatios, &f.Panels[0])
	return f, nil
}

const kernelResamples = 2000

// kernelInflation returns the ratio of a kernel's mean times that the result has, with a bootstrap
// interval: repetitions, parallel and serial, are drawn anew.
func kernelInflation(r *result.Result, name string) result.Quantity {
	var median result.Number
	for _, k := range r.Kernels {
		if k.Name == name {
			median = k.WTI
		}
	}
	par, ser := kernelTotals(r.Repetitions, name), kernelTotals(r.Serial.Repetitions, name)
	q := result.Ratio(result.Sample{Values: means(par), Fixed: r.Deterministic},
		result.Sample{Values: means(ser), Fixed: r.Serial.Deterministic}, median.Float())
	mean := func(from []total) func(*rand.Rand) float64 {
		return func(rng *rand.Rand) float64 {
			var t total
			for range from {
				e := from[rng.IntN(len(from))]
				t.ns, t.count = t.ns+e.ns, t.count+e.count
			}
			return float64(t.ns) / float64(t.count)
		}
	}
	result.BootstrapRatio(&q, r.Seed, kernelResamples, mean(par), mean(ser))
	return q
}

// A total is how often a kernel ran in a repetition, and for how long in all.
type total struct{ count, ns int64 }

// means returns the mean time of each.
func means(list []total) (v []float64) {
	for _, t := range list {
		v = append(v, float64(t.ns)/float64(t.count))
	}
	return v
}

func kernelTotals(reps []result.Repetition, name string) []total {
	var list []total
	for i := range reps {
		for _, k := range reps[i].KernelTimes {
			if k.Name == name && k.TotalNS != nil && k.Count > 0 {
				list = append(list, total{k.Count, *k.TotalNS})
			}
		}
	}
	return list
}
