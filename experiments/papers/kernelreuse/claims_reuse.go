package kernelreuse

import (
	"fmt"
	"math"
	"slices"

	"krdlab/experiments/papers/claims"
	"krdlab/experiments/run/result"
	"krdlab/experiments/run/stats"
	"krdlab/hw/units"
	"krdlab/loi"
)

const (
	far   = stats.PaperBytes // the paper's point beyond its LLC of 18 MB
	close = 256 << 10        // its L2
)

// visible is the smallest difference that the paper names in its plots of reuse, in points: between
// MTH and QTH/Socket at 32 MB (3.57 and 3.15 %). It is the bound for "barely noticeable".
const visible = 3.57 - 3.15

// almostAll is the share of distances that "almost all" is held to: the paper gives no number.
const almostAll = 0.8

// farMeans returns the two meanings of far reuses: of figure 6, whose cold accesses are in INF, and
// without those.
func farMeans(parts func(q quantity) []part) []meaning {
	return []meaning{{"cold included", parts(qFar)}, {"finite distances", parts(qFinite)}}
}

// reuse are the claims of IV-A and figures 4 and 5.
var reuse = []Claim{
	{
		ID: "one-core-matmul", Figure: "matmul-simulated-krd-cumulative-1",
		Where: "IV-A, fig. 4", On: both[:1], Basis: Predicted,
		Quote: "In fact, for MATMUL, the KRDs of both work-first and help-first policies are " +
			"identical.",
		Says:  "matmul on one core has one histogram under work-first and help-first",
		Paper: "identical", Test: "no point of the cumulative histogram differs",
		meanings: []meaning{
			{"simulated", []part{is(widest("matmul", 1, limits(), papers...), claims.Held(0, 0))}},
			{"this computer", []part{is(nativeWidest, claims.Held(0, 0))}},
		},
	}, {
		ID: "one-core-fmm", Figure: "fmm-simulated-krd-cumulative-1",
		Where: "IV-A, fig. 5", On: both[1:], Basis: Predicted, worlds: rules,
		Quote: "For FMM the decomposition is not completely symmetric [...]. However, " +
			"differences between schedulers are still barely noticeable.",
		Says: "FMM on one core: differences between schedulers are barely noticeable",
		Test: "none above 0.42 points, the least that the paper names in its plots",
		meanings: means([]part{
			is(widest("fmm", 1, limits(), papers...), claims.Held(0, visible)),
		}),
	}, {
		ID: "socket-emerge", Figure: "matmul-simulated-krd-cumulative-6",
		Where: "IV-A", On: both, Basis: Seen, worlds: allOfThem,
		Quote: "Differences start to emerge when one socket is occupied, particularly on MATMUL.",
		Says:  "schedulers differ more on one socket than on one core",
		Test:  "largest difference of two cumulative histograms",
		meanings: means(forBoth(func(k string) []part {
			return []part{ranks(widest(k, 1, limits(), papers...), widest(k, 6, limits(), papers...))}
		})),
	}, {
		ID: "socket-best", Figure: "matmul-simulated-krd-cumulative-6",
		Where: "IV-A, fig. 4", On: both[:1], Basis: Seen, worlds: victims,
		Quote: "QThread/Socket stands out, having the highest reuse ratio at almost all " +
			"distances.",
		Says: "matmul on one socket: QTH/Socket reuses most at almost all distances",
		Test: "its cumulative histogram is the highest at 80 % (our word for it) of the powers " +
			"of two from 1 KiB to 256 MiB at which schedulers differ",
		meanings: means([]part{is(best("matmul", 6), claims.Held(almostAll, 1))}),
	}, {
		ID: "socket-tbb", Figure: "matmul-simulated-krd-cumulative-6",
		Where: "IV-A, fig. 4", On: both[:1], Basis: Seen, worlds: victims,
		Quote: "TBB also shows improved reuse compared to MTH and QTH/Core when executing MATMUL.",
		Says:  "matmul on one socket: TBB reuses more than MTH and QTH/Core",
		Test:  "share beyond 32 MiB below theirs",
		meanings: farMeans(func(q quantity) []part {
			return lowest(on(q, "matmul", 6, tbb), each(q, "matmul", 6, mth, qtc)...)
		}),
	}, {
		ID: "socket-worst", Figure: "matmul-simulated-krd-cumulative-6",
		Where: "IV-A, fig. 4", On: both[:1], Basis: Seen, worlds: victims,
		Quote: "MTH and QTH/Core, on the other hand, implement just a fully distributed random work " +
			"stealer. It has the worst reuse performance",
		Says: "matmul on one socket: MTH and QTH/Core reuse less than QTH/Socket (than TBB: the row above)",
		Test: "share beyond 32 MiB above QTH/Socket's",
		meanings: farMeans(func(q quantity) []part {
			return lowest(on(q, "matmul", 6, qts), each(q, "matmul", 6, mth, qtc)...)
		}),
	}, {
		ID: "fmm-smaller", Figure: "fmm-simulated-krd-cumulative-6",
		Where: "IV-A", On: both, Basis: Seen, worlds: allOfThem,
		Quote: "The differences between schedulers are considerably smaller in the case of FMM.",
		Says:  "on one socket schedulers differ less in FMM than in matmul",
		Test:  "largest difference of two cumulative histograms",
		meanings: means([]part{ranks(widest("fmm", 6, limits(), papers...),
			widest("matmul", 6, limits(), papers...))}),
	}, {
		ID: "fmm-close", Figure: "fmm-simulated-krd-cumulative-6",
		Where: "IV-A, fig. 5", On: both[1:], Basis: Seen, worlds: allOfThem,
		Quote: "QTH/Socket is still better for close reuses",
		Says:  "FMM on one socket: QTH/Socket is better for close reuses",
		Test:  "share below the L2 (256 KiB) above the others'",
		meanings: means(highest(on(qClose, "fmm", 6, qts),
			each(qClose, "fmm", 6, mth, tbb, qtc)...)),
	}, {
		ID: "fmm-three", Figure: "fmm-simulated-krd-cumulative-6",
		Where: "IV-A, fig. 5", On: both[1:], Basis: Seen, worlds: allOfThem,
		Quote: "but the difference is only 3% at most.",
		Says:  "FMM on one socket: the difference in close reuses", Paper: "3 % at most",
		Test: "cumulative histograms differ by at most 3.5 points (as printed) up to 256 KiB",
		meanings: means([]part{
			is(widest("fmm", 6, upTo(close), papers...), claims.NoMore(3, 1, 0)),
		}),
	}, {
		ID: "fmm-others", Figure: "fmm-simulated-krd-cumulative-6",
		Where: "IV-A, fig. 5", On: both[1:], Basis: Seen, worlds: allOfThem,
		Quote: "Other schedulers show almost no differences.",
		Says:  "FMM on one socket: the others show almost no differences",
		Test:  "none between MTH, TBB and QTH/Core above 0.42 points",
		meanings: means([]part{
			is(widest("fmm", 6, limits(), mth, tbb, qtc), claims.Held(0, visible)),
		}),
	}, {
		ID: "sockets-similar", Figure: "matmul-simulated-krd-cumulative-24",
		Where: "IV-A, figs. 4 and 5", On: both, Basis: Seen, worlds: allOfThem,
		Quote: "This histograms for the 4-socket scenario are similar to the 1-socket case.",
		Says:  "a scheduler's histograms on one socket and on four differ less than schedulers on one socket",
		Test:  "largest difference of two cumulative histograms, each scheduler (our measure of similar)",
		meanings: means(forBoth(func(k string) (list []part) {
			between := widest(k, 6, limits(), papers...)
			between.name = "schedulers"
			for _, s := range papers {
				list = append(list, ranks(moved(k, s), between))
			}
			return list
		})),
	}, {
		ID: "differences-grow", Figure: "matmul-simulated-krd-cumulative-24",
		Where: "I-C", On: both, Basis: Seen, worlds: allOfThem,
		Quote: "Our analysis reveals that differences in reuse increase with the number of cores and sockets.",
		Says:  "schedulers differ more on four sockets than on one",
		Test:  "largest difference of two cumulative histograms",
		meanings: means(forBoth(func(k string) []part {
			return []part{ranks(widest(k, 6, limits(), papers...), widest(k, 24, limits(), papers...))}
		})),
	}, {
		ID: "sockets-best", Figure: "matmul-simulated-krd-cumulative-24",
		Where: "IV-A, fig. 4", On: both[:1], Basis: Seen, worlds: victims,
		Quote: "QTH/Socket again shows the best reuse performance",
		Says:  "matmul on four sockets: QTH/Socket is best for far reuses",
		Test:  "share beyond 32 MiB below the others'",
		meanings: farMeans(func(q quantity) []part {
			return lowest(on(q, "matmul", 24, qts), each(q, "matmul", 24, mth, tbb, qtc)...)
		}),
	}, {
		ID: "sockets-mth", Figure: "matmul-simulated-krd-cumulative-24",
		Where: "IV-A, fig. 4", On: both[:1], Basis: Seen, worlds: victims,
		Quote: "but this time it is closely followed by MTH for far reuses.",
		Says:  "matmul on four sockets: MTH follows QTH/Socket closely",
		Test: "share beyond 32 MiB below those of TBB and QTH/Core, and nearer to QTH/Socket's " +
			"than to these",
		meanings: farMeans(func(q quantity) []part {
			first, second := on(q, "matmul", 24, qts), on(q, "matmul", 24, mth)
			others := each(q, "matmul", 24, tbb, qtc)
			list := lowest(second, others...)
			for _, o := range others {
				list = append(list, nearer(second, first, o))
			}
			return list
		}),
	}, {
		ID: "sockets-tbb", Figure: "matmul-simulated-krd-cumulative-24",
		Where: "IV-A, fig. 4", On: both[:1], Basis: Seen, worlds: victims,
		Quote: "Surprisingly, in this multi-socket scenario, TBB has the worst reuse performance " +
			"for far reuses, trailing the other schedulers at a noticeable distance.",
		Says: "matmul on four sockets: TBB is worst for far reuses",
		Test: "share beyond 32 MiB above the others'",
		meanings: farMeans(func(q quantity) []part {
			return highest(on(q, "matmul", 24, tbb), each(q, "matmul", 24, mth, qtc, qts)...)
		}),
	}, {
		ID: "cold-grows", Figure: "matmul-simulated-krd-cumulative-24",
		Where: "IV-A, figs. 4 and 5", On: both, Basis: Seen, worlds: allOfThem,
		Quote: "Compared to the single-socket plots, one important fact revealed by the " +
			"four-socket KRD histograms is the larger amount of cold accesses.",
		Says: "cold accesses grow from one socket to four",
		Test: "share of cold accesses on 6 cores below that on 24, under each scheduler",
		meanings: means(forBoth(func(k string) (list []part) {
			for _, s := range papers {
				list = append(list, ranks(on(qCold, k, 6, s), on(qCold, k, 24, s)))
			}
			return list
		})),
	}, {
		ID: "cold-steals", Figure: "matmul-simulated-steals",
		Where: "III, IV-A", On: both, Basis: Seen, worlds: allOfThem,
		Quote: "In the multiple nodes scenario, work steal activity across nodes introduces such cold " +
			"accesses. [IV-A:] A larger number of cold accesses means that the scheduler is distributing " +
			"tasks that share the same working set across different nodes.",
		Says: "on four sockets cold accesses go with steals from other nodes, over the four schedulers",
		Test: "Pearson's coefficient of the share of cold accesses with remote steals, above 0",
		meanings: means(forBoth(func(k string) []part {
			return []part{above0(together(k, 24, coldReuse, remote, papers))}
		})),
	}, {
		ID: "cold-lowest", Figure: "matmul-simulated-krd-cumulative-24",
		Where: "IV-A, figs. 4 and 5", On: both, Basis: Seen, worlds: allOfThem,
		Quote: "QThread/Socket shows lowest ratio of cold accesses",
		Says:  "on four sockets QTH/Socket has the lowest share of cold accesses",
		Test:  "below the others'",
		meanings: means(forBoth(func(k string) []part {
			return lowest(on(qCold, k, 24, qts), each(qCold, k, 24, mth, tbb, qtc)...)
		})),
	}, {
		ID: "cold-highest", Figure: "matmul-simulated-krd-cumulative-24",
		Where: "IV-A, figs. 4 and 5", On: both, Basis: Seen, worlds: allOfThem,
		Quote: "while TBB shows the highest amount.",
		Says:  "on four sockets TBB has the highest share of cold accesses",
		Test:  "above the others'",
		meanings: means(forBoth(func(k string) []part {
			return highest(on(qCold, k, 24, tbb), each(qCold, k, 24, mth, qtc, qts)...)
		})),
	},
}

// qClose is the share of reuses within the L2.
var qClose = closer(close)

// nearer states that t is nearer to a, which is below it, than to b, which is above.
func nearer(t, a, b term) part {
	return part{t.where + ": " + t.name + " nearer to " + a.name + " than to " + b.name,
		[]term{t, a, b}, func(v *view) result.Quantity {
			x := t.of(v)
			return gap(minus(x, a.of(v)), minus(b.of(v), x), 0)
		}, claims.Order()}
}

// upTo returns the powers of two of the figures that are not above limit.
func upTo(limit uint64) []uint64 {
	return slices.DeleteFunc(limits(), func(x uint64) bool { return x > limit })
}

// widest returns the largest difference between the cumulative histograms of two of the schedulers,
// at any of these distances, in points.
func widest(kernel string, cores int, at []uint64, schedulers ...string) term {
	t := on(quantity{}, kernel, cores, schedulers[0])
	t.name = "largest difference"
	return t.furthest(at, len(schedulers), func(v *view, q quantity, i int) result.Quantity {
		return v.value(q, kernel, cores, schedulers[i])
	})
}

// moved returns the largest difference between the cumulative histograms of a scheduler on one
// socket and on four, in points.
func moved(kernel, scheduler string) term {
	t := on(quantity{}, kernel, 24, scheduler)
	t.where = program[kernel] + ", 6 cores and 24"
	return t.furthest(limits(), 2, func(v *view, q quantity, i int) result.Quantity {
		return v.value(q, kernel, []int{6, 24}[i], scheduler)
	})
}

// furthest returns t with the largest difference of two of n cumulative histograms, whose points of
// returns.
func (t term) furthest(at []uint64, n int, of func(v *view, q quantity, i int) result.Quantity) term {
	t.decimals = 3
	t.of = func(v *view) result.Quantity {
		out := claims.Exactly(0)
		for _, limit := range at {
			list := make([]result.Quantity, n)
			for i := range list {
				list[i] = of(v, closer(limit), i)
				for _, b := range list[:i] {
					out = larger(out, distance(minus(list[i], b)))
				}
			}
		}
		return out
	}
	return t
}

// nativeWidest is widest between work-first and help-first on this computer. Nothing is random on
// one core: a single trace is enough.
var nativeWidest = term{where: "matmul on 1 core", name: "largest difference", decimals: 3,
	of: func(v *view) result.Quantity {
		a, b := v.at(loi.Native, "matmul", mth, 1), v.at(loi.Native, "matmul", tbb, 1)
		if a == nil || b == nil || len(a.Histograms()) == 0 ||
			len(b.Histograms()) == 0 {
			return result.Quantity{}
		}
		out := claims.Exactly(0)
		for _, limit := range limits() {
			q := closer(limit)
			out = larger(out, distance(minus(claims.Exactly(q.value(a).Median.Float()),
				claims.Exactly(q.value(b).Median.Float()))))
		}
		return out
	}}

// best returns the share of the distances at which the schedulers differ that QTH/Socket has the
// highest cumulative histogram at: at least where it is above all others, at most where none is
// above it.
func best(kernel string, cores int) term {
	t := on(quantity{}, kernel, cores, qts)
	t.decimals = 2
	above := claims.Held(math.SmallestNonzeroFloat64, math.Inf(1))
	t.of = func(v *view) result.Quantity {
		won, beaten, points, sure := 0, 0, 0, true
		for _, limit := range limits() {
			q := closer(limit)
			own, verdicts, differ := v.value(q, kernel, cores, qts), []claims.Verdict{}, false
			for _, s := range papers[:3] {
				other := v.value(q, kernel, cores, s)
				d := minus(own, other)
				if !d.Median.Known() {
					return d
				}
				_, _, ok := d.Bounds()
				sure, differ = sure && ok, differ || d.Median.Float() != 0
				verdicts = append(verdicts, above.Of(d))
			}
			if !differ {
				continue
			}
			points++
			switch claims.All(verdicts...) {
			case claims.Agree:
				won++
			case claims.Disagree:
				beaten++
			}
		}
		share := func(n int) float64 { return float64(n) / float64(points) }
		return result.Ranged(share(won), share(won), share(points-beaten), sure, points)
	}
	return t
}

// native are the claims that only this computer can be asked about.
var native = []Claim{{
	ID: "native-tracing", Where: "III-A", Basis: Measured,
	Quote: "For both applications the tracing facility increases execution time less than 5% in " +
		"the worst case.",
	Says:  "on this computer: what tracing adds to the execution time",
	Paper: "less than 5 %",
	Test: "serial order on one core: time of traced runs over that of profiled ones, at most " +
		"1.055, matmul and FMM",
	meanings: means([]part{is(traced("matmul"), claims.NoMore(1.05, 0.01, 1)),
		is(traced("fmm"), claims.NoMore(1.05, 0.01, 1))}),
}}

func traced(kernel string) term {
	// at a scale whose matmul is not the paper's, runs are too short to be compared
	return term{kernel: "matmul", where: fmt.Sprintf("%s on 1 core", program[kernel]), decimals: 3,
		of: func(v *view) result.Quantity {
			return v.tracing(kernel)
		}}
}

// beyondAt returns the share of accesses with a distance of at least limit.
func beyondAt(q quantity, limit uint64, cores int, scheduler string) term {
	t := on(q, "matmul", cores, scheduler)
	t.where += ", from " + units.Bytes(limit)
	return t
}
