package kernelreuse

import (
	"slices"

	"krdlab/experiments/papers/claims"
	"krdlab/experiments/run/result"
)

// both are the programs of the paper.
var both = []string{"matmul", "fmm"}

// forBoth returns the parts of both programs.
func forBoth(f func(kernel string) []part) (list []part) {
	for _, k := range both {
		list = append(list, f(k)...)
	}
	return list
}

// scaling are the claims of II-C and figures 1 and 2.
var scaling = []Claim{
	{
		ID: "speedup-matmul", Figure: "matmul-simulated-speedup",
		Where: "II-C, fig. 1 (a)", On: both[:1], Basis: Predicted,
		Quote: "Using MassiveThreads, speed-ups of up to 21× and 18× are achieved for MATMUL and " +
			"FMM at 24 cores, respectively.",
		Says: "MTH's speed-up of matmul on 24 cores", Paper: "21",
		Test:     "18.9 to 23.1",
		meanings: means([]part{printed(on(qSpeedup, "matmul", 24, mth), 21, 1)}),
	}, {
		ID: "speedup-fmm", Figure: "fmm-simulated-speedup",
		Where: "II-C, fig. 2 (a)", On: both[1:], Basis: Predicted,
		Quote: "Using MassiveThreads, speed-ups of up to 21× and 18× are achieved for MATMUL and " +
			"FMM at 24 cores, respectively.",
		Says: "MTH's speed-up of FMM on 24 cores", Paper: "18",
		Test: "16.2 to 19.8", worlds: rules,
		meanings: means([]part{printed(on(qSpeedup, "fmm", 24, mth), 18, 1)}),
	}, {
		ID: "runtime-matters", Figure: "matmul-simulated-speedup",
		Where: "II-C, figs. 1 (a) and 2 (a)", On: both, Basis: Seen, worlds: allOfThem,
		Quote: "The figures show that scalability of these applications is highly dependent on the runtime.",
		Says:  "on 24 cores MTH scales better than the three others",
		Test:  "speed-up on 24 cores of MTH above each other's",
		meanings: means(forBoth(func(k string) []part {
			return highest(on(qSpeedup, k, 24, mth), each(qSpeedup, k, 24, tbb, qtc, qts)...)
		})),
	}, {
		ID: "tbb-one-socket", Figure: "matmul-simulated-speedup",
		Where: "II-C", On: both, Basis: Predicted, worlds: rules,
		Quote: "TBB displays very good scaling until the first socket is filled",
		Says:  "TBB scales very well on one socket",
		Test: "speed-up on 6 cores at least that share of 6 which the paper's best is of 24: " +
			"21/24 for matmul and 18/24 for FMM, 5.25 and 4.5; within 10 %",
		meanings: means([]part{
			is(on(qSpeedup, "matmul", 6, tbb), claims.NoLess(5.25, 0.25, 0)),
			is(on(qSpeedup, "fmm", 6, tbb), claims.NoLess(4.5, 0.25, 0)),
		}),
	}, {
		ID: "tbb-decays", Figure: "matmul-simulated-speedup",
		Where: "II-C", On: both, Basis: Predicted, worlds: rules,
		Quote: "but performance decays at higher core counts.",
		Says:  "TBB's performance decays beyond one socket",
		Test:  "speed-up on 24 cores below 4 times that on 6, by more than 10 %",
		meanings: means(forBoth(func(k string) []part {
			t := growth(qSpeedup, k, 6, 24, tbb)
			return []part{{t.where + " " + t.name, []term{t}, func(v *view) result.Quantity {
				return gap(t.of(v), claims.Exactly(4), 0)
			}, claims.Order()}}
		})),
	}, {
		ID: "qthreads-one-socket", Figure: "matmul-simulated-speedup",
		Where: "II-C", On: both, Basis: Seen, worlds: allOfThem,
		Quote: "Qthreads performance is already degraded in the single socket scenario.",
		Says:  "Qthreads' performance is degraded on one socket",
		Test:  "speed-up on 6 cores of QTH/Core and QTH/Socket below TBB's and MTH's",
		meanings: means(forBoth(func(k string) []part {
			fast := each(qSpeedup, k, 6, tbb, mth)
			return concat(lowest(on(qSpeedup, k, 6, qtc), fast...),
				lowest(on(qSpeedup, k, 6, qts), fast...))
		})),
	}, {
		ID: "qthreads-scale-better", Figure: "matmul-simulated-speedup",
		Where: "II-C", On: both, Basis: Seen, worlds: allOfThem,
		Quote: "However, it scales better than TBB for multiple sockets.",
		Says:  "Qthreads scales better than TBB over sockets",
		Test:  "speed-up on 24 cores over that on 6: QTH/Core's and QTH/Socket's above TBB's",
		meanings: means(forBoth(func(k string) []part {
			return lowest(growth(qSpeedup, k, 6, 24, tbb), growth(qSpeedup, k, 6, 24, qtc),
				growth(qSpeedup, k, 6, 24, qts))
		})),
	}, {
		ID: "overheads-decide", Figure: "matmul-simulated-factors",
		Where: "II-C", On: both, Basis: Seen, worlds: allOfThem,
		Quote: "These results are highly correlated with the non-work overheads.",
		Says:  "execution time goes with overhead over the four schedulers",
		Test:  "Pearson's coefficient of OVR with time on 6 and 24 cores, at least 0.8 (our word for highly)",
		meanings: means(forBoth(func(k string) (list []part) {
			for _, cores := range []int{6, 24} {
				list = append(list, is(together(k, cores, overhead, allTime, papers), claims.Held(highly, 1)))
			}
			return list
		})),
	}, {
		ID: "overhead-mth", Figure: "matmul-simulated-ovr",
		Where: "II-C", On: both, Basis: Predicted, worlds: rules,
		Quote: "MassiveThreads is the only runtime that does not suffer from a large increase, " +
			"with 30% overhead in the worst case.",
		Says: "MTH's overhead is 30 % in the worst case", Paper: "OVR 1.30",
		Test: "OVR on 24 cores at most 1.33 (a bound), the larger of the two programs 1.27 to " +
			"1.33 (a value)",
		meanings: []meaning{
			{"a bound", []part{is(on(qOVR, "matmul", 24, mth), claims.NoMore(1.30, 0.01, 1)),
				is(on(qOVR, "fmm", 24, mth), claims.NoMore(1.30, 0.01, 1))}},
			{"a value", []part{printed(either(on(qOVR, "matmul", 24, mth),
				on(qOVR, "fmm", 24, mth)), 1.30, 0.01)}},
		},
	}, {
		ID: "overhead-others", Figure: "matmul-simulated-ovr",
		Where: "II-C", On: both, Basis: Seen, worlds: allOfThem,
		Quote: "The other runtimes suffer about 3-4× higher overheads at high core counts.",
		Says:  "the others' overheads at scale over MTH's", Paper: "3 to 4 times",
		Test: "each 2.5 to 4.5 times MTH's on 24 cores, overhead being OVR - 1 or OVR",
		meanings: []meaning{
			{"OVR - 1", forBoth(func(k string) []part { return overMTH(k, excess) })},
			{"OVR", forBoth(func(k string) []part {
				return overMTH(k, func(t term) term { return t })
			})},
		},
	}, {
		ID: "qthreads-one-core", Figure: "matmul-simulated-ovr",
		Where: "II-C", On: both, Basis: Seen, worlds: rules,
		Quote: "Qthread's single core overheads demonstrate that it is more heavy and suffers " +
			"under fine-grained parallelism.",
		Says: "Qthreads is the heaviest on one core",
		Test: "OVR on 1 core of QTH/Core and QTH/Socket above MTH's and TBB's",
		meanings: means(forBoth(func(k string) []part {
			light := each(qOVR, k, 1, mth, tbb)
			return concat(highest(on(qOVR, k, 1, qtc), light...),
				highest(on(qOVR, k, 1, qts), light...))
		})),
	}, {
		ID: "tbb-below-mth", Figure: "matmul-simulated-ovr",
		Where: "II-C", On: both, Basis: Predicted, worlds: rules,
		Quote: "TBB's overheads are lower than MassiveThreads for a single socket",
		Says:  "TBB's overhead is below MTH's on one socket", Test: "OVR on 6 cores",
		meanings: means(forBoth(func(k string) []part {
			return ascending(each(qOVR, k, 6, tbb, mth)...)
		})),
	}, {
		ID: "tbb-overhead-grows", Figure: "matmul-simulated-ovr",
		Where: "II-C", On: both, Basis: Seen, worlds: allOfThem,
		Quote: "but increase fast for multiple sockets. [Of Qthreads:] However, scaling to " +
			"higher cores reveals just a smooth degradation.",
		Says: "TBB's overhead grows fast over sockets, Qthreads' smoothly",
		Test: "OVR on 24 cores over that on 6: TBB's above each other's",
		meanings: means(forBoth(func(k string) []part {
			return highest(growth(qOVR, k, 6, 24, tbb), growth(qOVR, k, 6, 24, mth),
				growth(qOVR, k, 6, 24, qtc), growth(qOVR, k, 6, 24, qts))
		})),
	}, {
		ID: "socket-above-core", Figure: "matmul-simulated-ovr",
		Where: "II-C", On: both, Basis: Seen, worlds: allOfThem,
		Quote: "The QTH/Socket overheads are consistently larger than those of QTH/Core.",
		Says:  "QTH/Socket's overhead is above QTH/Core's",
		Test:  "OVR on 1, 6 and 24 cores",
		meanings: means(forBoth(func(k string) (list []part) {
			for _, n := range []int{1, 6, 24} {
				list = append(list, ascending(each(qOVR, k, n, qtc, qts)...)...)
			}
			return list
		})),
	}, {
		ID: "overheads-until-12", Figure: "matmul-simulated-ovr",
		Where: "II-C", On: both[:1], Basis: Predicted,
		Quote: "For the case of MATMUL, MassiveThreads and TBB have overheads around or below 1.1× until 12 " +
			"cores (2 sockets).",
		Says:  "overheads of MTH and TBB below 12 cores, at which they are fitted",
		Paper: "1.1 or less", Test: "OVR on 1 and 6 cores at most 1.15",
		meanings: means([]part{atMost11(1, mth), atMost11(1, tbb), atMost11(6, mth), atMost11(6, tbb)}),
	}, {
		ID: "wti-worst", Figure: "fmm-simulated-wti",
		Where: "II-C, figs. 1 (c) and 2 (c)", On: both, Basis: Seen,
		Quote: "work time inflation is an important issue, contributing a further performance " +
			"reduction of up to 20% in the worst case (FMM with TBB).",
		Says: "work time inflation costs most in FMM under TBB", Paper: "20 %", worlds: allOfThem,
		Test: "100 (1 - 1/WTI) on 24 cores 18 to 22, and above the seven others",
		meanings: means(
			[]part{printed(lost("fmm", tbb), 20, 1)},
			highest(lost("fmm", tbb), lost("fmm", mth), lost("fmm", qtc), lost("fmm", qts),
				lost("matmul", mth), lost("matmul", tbb), lost("matmul", qtc),
				lost("matmul", qts)),
		),
	}, {
		ID: "work-tbb-24", Figure: "matmul-simulated-wti",
		Where: "II-C, fig. 1 (c); IV-B", On: both[:1], Basis: Seen,
		Quote: "At 24 cores this difference is around 8%. [IV-B:] At 4 sockets TBB has about " +
			"10% higher work time inflation compared to MTH.",
		Says: "work time of matmul under TBB over that under MTH on 24 cores", Paper: "8 or 10 % more",
		Test: "7.2 to 8.8 % more (II-C), 9 to 11 % (IV-B)",
		meanings: []meaning{
			{"II-C", []part{printed(more(qWork, "matmul", 24), 8, 1)}},
			{"IV-B", []part{printed(more(qWTI, "matmul", 24), 10, 1)}},
		},
	}, {
		ID: "m2l", Figure: ofM2L,
		Where: "IV-B", On: both[1:], Basis: Seen,
		worlds: append(slices.Clone(rules), byCells),
		Quote: "In the case of FMM, the relative inflation reaches 45% for the memory bound M2L " +
			"kernel on 4 sockets.",
		Says: "inflation of FMM's kernel M2L under TBB on 4 sockets", Paper: "45 %",
		Test: "40.5 to 49.5 % more than under MTH, or than in the serial run",
		meanings: []meaning{
			{"over MTH", []part{printed(more(qM2L, "fmm", 24), 45, 1)}},
			{"over serial", []part{printed(aboveSerial(qM2L, "fmm", 24), 45, 1)}},
		},
	}, {
		ID: "m2l-above-matmul", Figure: ofM2L,
		Where: "IV-B", On: both, Basis: Seen,
		worlds:   append(slices.Clone(rules), byCells),
		Quote:    "It shows that depending on the algorithm WTI can become an important problem.",
		Says:     "on four sockets M2L is inflated more than matmul under TBB",
		Test:     "by how much TBB's time of a kernel on 24 cores is above MTH's: M2L's above matmul's",
		meanings: means([]part{ranks(more(qWork, "matmul", 24), more(qM2L, "fmm", 24))}),
	},
}

// ofM2L is the figure of the inflation of each kernel.
const ofM2L = "fmm-simulated-kernel-wti"

// highly is the coefficient that "highly correlated" is held to: the paper gives no number.
const highly = 0.8

func atMost11(cores int, scheduler string) part {
	return is(on(qOVR, "matmul", cores, scheduler), claims.NoMore(1.1, 0.1, 1))
}

// overMTH states that the three others' overheads are 3 to 4 times MTH's.
func overMTH(kernel string, overhead func(term) term) (list []part) {
	base := overhead(on(qOVR, kernel, 24, mth))
	for _, s := range papers[1:] {
		t := over(overhead(on(qOVR, kernel, 24, s)), base, 2)
		t.name = short[s]
		list = append(list, is(t, claims.Printed(3, 4, 1, t.base)))
	}
	return list
}

// lost returns the cost of work time inflation on 24 cores, %.
func lost(kernel, scheduler string) term {
	return on(qWTI, kernel, 24, scheduler).with(1,
		func(v float64) float64 { return 100 * (1 - 1/v) })
}

// excess returns t - 1; percent, the same in %.
func excess(t term) term {
	return t.with(t.decimals, func(v float64) float64 { return v - 1 })
}

func percent(t term) term {
	return t.with(1, func(v float64) float64 { return (v - 1) * 100 })
}

// more returns by how many % a quantity is greater under TBB than under MTH.
func more(q quantity, kernel string, cores int) term {
	t := percent(over(on(q, kernel, cores, tbb), on(q, kernel, cores, mth), 3))
	t.name = short[tbb] + " above " + short[mth] + ", %:"
	return t
}

// aboveSerial returns by how many % an inflation exceeds 1 under TBB.
func aboveSerial(q quantity, kernel string, cores int) term {
	t := percent(on(q, kernel, cores, tbb))
	t.name = short[tbb] + " above serial, %:"
	return t
}

// either returns the greater of two.
func either(a, b term) term {
	return term{kernel: a.kernel, where: a.where + " or " + b.where, name: a.name,
		decimals: a.decimals, base: a.base,
		of: func(v *view) result.Quantity { return larger(a.of(v), b.of(v)) }}
}
