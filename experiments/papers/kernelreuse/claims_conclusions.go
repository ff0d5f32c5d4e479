package kernelreuse

import (
	"math"

	"krdlab/experiments/papers/claims"
	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/estimate"
	"krdlab/experiments/run/result"
	"krdlab/experiments/run/stats"
	"krdlab/loi"
)

// concluding are the main ones of the paper (VI).
var concluding = []Claim{
	{
		ID: "conclusion-impact", Figure: "matmul-simulated-krd-cumulative-24",
		Where: "VI", On: both, Basis: Seen, worlds: allOfThem,
		Quote: "we observed that schedulers can have considerable impact on the reuse distance, and that " +
			"the reuse quality depends considerably on the system configuration.",
		Says: "reuse differs between schedulers, and under each between one socket and four",
		Test: "largest difference of two cumulative histograms above 0.42 points, the least that the paper " +
			"names in its plots: between schedulers on 24 cores, and between 6 cores and 24",
		meanings: means(forBoth(func(k string) []part {
			list := []part{is(widest(k, 24, limits(), papers...), claims.Held(visible, math.Inf(1)))}
			for _, s := range papers {
				list = append(list, is(moved(k, s), claims.Held(visible, math.Inf(1))))
			}
			return list
		})),
	}, {
		ID: "conclusion-reuse", Figure: "matmul-simulated-misses",
		Where: "VI", On: both, Basis: Seen,
		Quote: "Furthermore we observed correlation between the KRD metric and hardware metrics " +
			"such as last level cache misses and average kernel execution time.",
		Says: "far reuse goes with LLC misses and kernel time over the four schedulers",
		Test: "Pearson's coefficient of the share beyond 32 MiB with misses, and with the mean " +
			"time of a kernel, on 12 and 24 cores, above 0",
		meanings: means(forBoth(func(k string) (list []part) {
			for _, cores := range []int{12, 24} {
				list = append(list, above0(together(k, cores, farReuse, llcMisses, papers)),
					above0(together(k, cores, farReuse, workTime, papers)))
			}
			return list
		})),
	}, {
		ID: "conclusion-overheads", Figure: "matmul-simulated-factors",
		Where: "VI", On: both, Basis: Seen, worlds: allOfThem,
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

// A series is a measure with one value for each scheduler, and the part of it that draws keep.
type series struct {
	name  string
	each  stats.Measure
	drawn quantity
}

var (
	farReuse  = series{"far reuse", stats.BeyondPaper, qFar}
	from128   = series{"reuse from 128 MiB", stats.At(128<<20, true).Measure("", "", ""), qFar128}
	coldReuse = series{"cold accesses", stats.ColdShare, qCold}
	llcMisses = series{"misses", stats.Misses, qMisses}
	inflation = series{"WTI", stats.WTI, qWTI}
	overhead  = series{"OVR", stats.OVR, qOVR}
	allTime   = series{"time", stats.Time, qTime}
	workTime  = series{"kernel time", stats.KernelTime, qWork}
	remote    = series{"remote steals", stats.RemoteSteals, quantity{}} // in no draw
)

// together returns Pearson's coefficient of two series over schedulers: of each repetition of all
// of them, whose seeds are the same, and over the draws of the medians.
func together(kernel string, cores int, x, y series, schedulers []string) term {
	t := on(quantity{}, kernel, cores, schedulers[0])
	t.name, t.decimals = x.name+" with "+y.name, 2
	t.of = func(v *view) result.Quantity {
		if v.bands != nil {
			var xs, ys []float64
			for _, s := range schedulers {
				xs = append(xs, v.value(x.drawn, kernel, cores, s).Median.Float())
				ys = append(ys, v.value(y.drawn, kernel, cores, s).Median.Float())
			}
			return claims.Exactly(estimate.Correlation(xs, ys, nil))
		}
		var rows [][]dataset.Row
		n := 0
		for _, s := range schedulers {
			r := v.at(loi.Simulated, kernel, v.world.scheduler(s, cores), cores)
			if r == nil {
				return result.Quantity{}
			}
			list := (&dataset.Cell{Result: r}).Rows()
			rows, n = append(rows, list), max(n, len(list))
		}
		var values []float64
		for i := range n {
			var xs, ys []float64
			for _, list := range rows {
				row := &list[min(i, len(list)-1)] // one stands for all where nothing is drawn
				xs = append(xs, x.each.Each(row).Float())
				ys = append(ys, y.each.Each(row).Float())
			}
			values = append(values, estimate.Correlation(xs, ys, nil))
		}
		return result.Sample{Values: values}.Quantity()
	}
	return t
}
