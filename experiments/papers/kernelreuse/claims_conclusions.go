package kernelreuse

import (
	"krdlab/experiments/papers/claims"
	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/estimate"
	"krdlab/experiments/run/result"
	"krdlab/experiments/run/stats"
	"krdlab/loi"
)

// concluding are the two main ones of the paper (VI).
var concluding = []Claim{
	{
		ID: "conclusion-reuse", Where: "VI", On: both, Basis: Seen,
		Quote: "Furthermore we observed correlation between the KRD metric and hardware metrics " +
			"such as last level cache misses and average kernel execution time.",
		Says: "far reuse goes with LLC misses and kernel time over the four schedulers",
		Test: "Pearson's coefficient of the share beyond 32 MiB with misses, and with the mean " +
			"time of a kernel, on 12 and 24 cores, above 0",
		meanings: means(forBoth(func(k string) (list []part) {
			for _, cores := range []int{12, 24} {
				list = append(list, above0(together(k, cores, "misses", stats.Misses)),
					above0(together(k, cores, "kernel time", stats.KernelTime)))
			}
			return list
		})),
	}, {
		ID: "conclusion-overheads", Where: "VI", On: both, Basis: Seen, worlds: allOfThem,
		Quote: "However, we also observed that runtime contention can be dominant in high core " +
			"count scenarios, thus minimizing overheads should take precedence over locality " +
			"optimizations.",
		Says: "overhead costs more than inflation of work on 24 cores",
		Test: "OVR - 1 above WTI - 1 by more than 10 %, each scheduler and program",
		meanings: means(forBoth(func(k string) (list []part) {
			for _, s := range papers {
				ovr, wti := on(qOVR, k, 24, s), on(qWTI, k, 24, s)
				ovr.name, wti.name = short[s]+"'s OVR", short[s]+"'s WTI"
				list = append(list, ranks(wti, ovr))
			}
			return list
		})),
	},
}

func above0(t term) part {
	p := is(t, claims.Sign())
	p.name += " above 0"
	return p
}

// together is Pearson's coefficient, over the paper's schedulers, of the share beyond 32 MiB and a
// measure: of each repetition of all of them, whose seeds are the same, and over the draws of the
// medians.
func together(kernel string, cores int, name string, m stats.Measure) term {
	t := on(quantity{}, kernel, cores, papers[0])
	t.name, t.decimals = "far reuse with "+name, 2
	drawn := map[string]quantity{stats.Misses.Key: qMisses, stats.KernelTime.Key: qWork}[m.Key]
	t.of = func(v *view) result.Quantity {
		if v.bands != nil {
			var x, y []float64
			for _, s := range papers {
				x = append(x, v.value(qFar, kernel, cores, s).Median.Float())
				y = append(y, v.value(drawn, kernel, cores, s).Median.Float())
			}
			return claims.Exactly(estimate.Correlation(x, y, nil))
		}
		var rows [][]dataset.Row
		n := 0
		for _, s := range papers {
			r := v.at(loi.Simulated, kernel, v.world.scheduler(s, cores), cores)
			if r == nil {
				return result.Quantity{}
			}
			list := (&dataset.Cell{Result: r}).Rows()
			rows, n = append(rows, list), max(n, len(list))
		}
		var values []float64
		for i := range n {
			var x, y []float64
			for _, list := range rows {
				row := &list[min(i, len(list)-1)] // one stands for all where nothing is drawn
				x = append(x, stats.BeyondPaper.Each(row).Float())
				y = append(y, m.Each(row).Float())
			}
			values = append(values, estimate.Correlation(x, y, nil))
		}
		return result.Sample{Values: values}.Quantity()
	}
	return t
}
