package kernelreuse

import (
	"math"

	"krdlab/experiments/papers/claims"
)

// ofFive describes the digits of table I, at the end of a test.
const ofFive = "; the paper's are digits of a mean of five runs without a spread"

// hardware are the claims of IV-B, table I and figure 6: matmul on 2 sockets, 12 cores.
var hardware = []Claim{
	{
		ID: "overheads-12", Figure: "matmul-simulated-ovr",
		Where: "II-C, IV-B", On: both[:1], Basis: Fitted,
		Quote: "For MATMUL using 2 sockets (12 cores), MTH and TBB present non-work inflation of " +
			"about 1.1×, while the QTH/Core overhead is about 1.2×.",
		Says: "overheads of MTH, TBB and QTH/Core", Paper: "1.1, 1.1, 1.2",
		Test: "OVR 1.05 to 1.15, and 1.15 to 1.25",
		meanings: means([]part{printed(on12(qOVR, mth), 1.1, 0.1),
			printed(on12(qOVR, tbb), 1.1, 0.1), printed(on12(qOVR, qtc), 1.2, 0.1)}),
	}, {
		ID: "overhead-socket-12", Figure: "matmul-simulated-ovr",
		Where: "IV-B, table I", On: both[:1], Basis: Fitted,
		Quote: "QTH/Socket has comparatively high overheads (1.33×). [Table I: 2.111 s, " +
			"inflation 1.0814, from which 1.313 follows.]",
		Says: "overhead of QTH/Socket", Paper: "1.33 (text), 1.313 (table I)",
		Test: "OVR 1.297 to 1.363 (text); 1.282 to 1.344 (table I)" + ofFive,
		meanings: []meaning{
			{"text", []part{printed(on12(qOVR, qts), 1.33, 0.01)}},
			{"table I", []part{printed(on12(qOVR, qts), 1.313, 0.001)}},
		},
	}, {
		ID: "misses", Figure: "matmul-simulated-misses",
		Where: "table I", On: both[:1], Basis: Seen, worlds: victims,
		Quote: "LLC Misses: MTH 1.829×10^6, TBB 2.807×10^6, QTH/Core 2.339×10^6, QTH/Socket " +
			"1.987×10^6",
		Says: "LLC misses per core, M", Paper: "1.829, 2.807, 2.339, 1.987",
		Test: "each within 10 %" + ofFive,
		meanings: means([]part{printed(on12(qMisses, mth), 1.829, 0.001),
			printed(on12(qMisses, tbb), 2.807, 0.001), printed(on12(qMisses, qtc), 2.339, 0.001),
			printed(on12(qMisses, qts), 1.987, 0.001)}),
	}, {
		ID: "misses-order", Figure: "matmul-simulated-misses",
		Where: "IV-B, table I", On: both[:1], Basis: Seen, worlds: victims,
		Quote: "The number of LLC misses and the work time inflation [of QTH/Core] are between " +
			"those of TBB and MTH. [QTH/Socket:] its number of cache misses is higher than " +
			"MassiveThreads",
		Says: "the order of LLC misses", Paper: "MTH < QTH/Core < TBB, MTH < QTH/Socket",
		Test: "pair by pair, by more than 10 %",
		meanings: means(ascending(all12(qMisses, mth, qtc, tbb)...),
			ascending(all12(qMisses, mth, qts)...)),
	}, {
		ID: "wti", Figure: "matmul-simulated-wti",
		Where: "table I", On: both[:1], Basis: Seen, worlds: victims,
		Quote: "Kernel Time & Inflation: MTH 1.0250×, TBB 1.0519×, QTH/Core 1.0441×, QTH/Socket " +
			"1.0814×",
		Says: "work time inflation", Paper: "1.0250, 1.0519, 1.0441, 1.0814",
		Test: "WTI - 1 of each within 10 %" + ofFive,
		meanings: means([]part{printed(on12(qWTI, mth), 1.0250, 0.0001),
			printed(on12(qWTI, tbb), 1.0519, 0.0001), printed(on12(qWTI, qtc), 1.0441, 0.0001),
			printed(on12(qWTI, qts), 1.0814, 0.0001)}),
	}, {
		ID: "wti-order", Figure: "matmul-simulated-wti",
		Where: "IV-B, table I", On: both[:1], Basis: Seen, worlds: victims,
		Quote: "the work time inflation [of QTH/Core is] between those of TBB and MTH. " +
			"[QTH/Socket:] its work time inflation is the highest of all four schedulers.",
		Says: "the order of work time inflation", Paper: "MTH < QTH/Core < TBB < QTH/Socket",
		Test:     "pair by pair, by more than 10 %",
		meanings: means(ascending(all12(qWTI, mth, qtc, tbb, qts)...)),
	}, {
		ID: "far", Figure: "matmul-simulated-far-12",
		Where: "IV-B, fig. 6", On: both[:1], Basis: Seen, worlds: victims,
		Quote: "For MTH, 3.57% of the kernel loads access data with a reuse distance beyond 32 " +
			"MB, while for TBB the number of far reuses is 4.5%. [...] QTH/Socket has overall " +
			"the smallest amount of far reuses (3.15% at 32MB).",
		Says: "accesses beyond 32 MB, %", Paper: "MTH 3.57, TBB 4.5, QTH/Socket 3.15",
		Test: "each within 10 %",
		meanings: farMeans(func(q quantity) []part {
			return []part{printed(on12(q, mth), 3.57, 0.01), printed(on12(q, tbb), 4.5, 0.1),
				printed(on12(q, qts), 3.15, 0.01)}
		}),
	}, {
		ID: "central-far", Figure: "matmul-simulated-far-12",
		Where: "IV-B, fig. 6", On: both[:1], Basis: Seen,
		Quote: central, Says: "far reuses under TBB over those under MTH on 12 cores",
		Paper: "25 % more", Test: "22.5 to 27.5 % more beyond 32 MiB",
		meanings: farMeans(func(q quantity) []part {
			return []part{printed(more(q, "matmul", 12), 25, 1)}
		}),
	}, {
		ID: "central-misses", Figure: "matmul-simulated-misses",
		Where: "IV-B, table I", On: both[:1], Basis: Seen,
		Quote: central, Says: "LLC misses under TBB over those under MTH on 12 cores",
		Paper: "53 % more", Test: "47.7 to 58.3 % more" + ofFive,
		meanings: means([]part{printed(more(qMisses, "matmul", 12), 53, 1)}),
	}, {
		ID: "central-wti", Figure: "matmul-simulated-wti",
		Where: "II-C, fig. 1 (c); IV-B, table I", On: both[:1], Basis: Seen,
		Quote: central + " [II-C:] Figure 1 (c) shows a work time difference of about 2% between " +
			"MTH and TBB at 12 cores that must be related to different task orders.",
		Says:  "work time of matmul under TBB over that under MTH on 12 cores",
		Paper: "2.7 or 2 % more",
		Test:  "2.43 to 2.97 % more (IV-B), 1.5 to 2.5 % (II-C)" + ofFive,
		meanings: []meaning{
			{"IV-B", []part{printed(more(qWTI, "matmul", 12), 2.7, 0.1)}},
			{"II-C", []part{printed(more(qWork, "matmul", 12), 2, 1)}},
		},
	}, {
		ID: "far-order", Figure: "matmul-simulated-far-12",
		Where: "IV-B, fig. 6", On: both[:1], Basis: Seen, worlds: victims,
		Quote: "For QTH/Core, the KRD plots show that it has higher number of far reuses than MTH " +
			"but less than TBB for distances of more than 32MB. [...] QTH/Socket has overall the " +
			"smallest amount of far reuses",
		Says: "the order of accesses beyond 32 MB", Paper: "QTH/Socket < MTH < QTH/Core < TBB",
		Test: "pair by pair, by more than 10 %",
		meanings: farMeans(func(q quantity) []part {
			return ascending(all12(q, qts, mth, qtc, tbb)...)
		}),
	}, {
		ID: "far-128", Figure: "matmul-simulated-far-12",
		Where: "IV-B", On: both[:1], Basis: Seen, worlds: victims,
		Quote: "This order is also clearly observed at high distances (e.g. 128MB) and also cold " +
			"misses.",
		Says: "the same order beyond 128 MB and in cold accesses", Paper: "MTH < QTH/Core < TBB",
		Test: "pair by pair, at 128 MiB with cold accesses",
		meanings: means(ascending(beyondAt(qFar128, 128<<20, 12, mth),
			beyondAt(qFar128, 128<<20, 12, qtc), beyondAt(qFar128, 128<<20, 12, tbb)),
			ascending(all12(qCold, mth, qtc, tbb)...)),
	}, {
		ID: "indicators", Figure: "matmul-simulated-misses",
		Where: "IV-B", On: both[:1], Basis: Seen, worlds: victims,
		Quote: "It suggests that these data points might be good indicators for cache misses and WTI.",
		Says:  "what is beyond 128 MB or cold goes with LLC misses and inflation on 12 cores",
		Test: "Pearson's coefficient over MTH, QTH/Core and TBB of the share from 128 MiB, and of cold " +
			"accesses, with misses and with WTI, above 0",
		meanings: means([]part{above0(together("matmul", 12, from128, llcMisses, papers[:3])),
			above0(together("matmul", 12, from128, inflation, papers[:3])),
			above0(together("matmul", 12, coldReuse, llcMisses, papers[:3])),
			above0(together("matmul", 12, coldReuse, inflation, papers[:3]))}),
	}, {
		ID: "queue-functions", Figure: "matmul-simulated-shares",
		Where: "IV-B", On: both[:1], Basis: Fitted, worlds: victims,
		Quote: "the MATMUL benchmark spends about 25% in two Qthread functions " +
			"(qt_scheduler_get_thread and qt_hash_lock), both of which include memory bus locking activity.",
		Says: "time of all cores under QTH/Socket in search of work, and in all but kernels", Paper: "about 25 %",
		Test: "a bound from each side, as results have no time by function: refuted above 27.5 % in search of " +
			"work, and below 22.5 % with scheduling (spawns, joins, waits for locks); the latter is 1 - 1/OVR, " +
			"which is fitted",
		meanings: means([]part{
			is(called(on12(qIdle, qts), "search, %:"), claims.Refuted(math.Inf(-1), 27.5)),
			is(called(on12(qOutside, qts), "outside kernels, %:"), claims.Refuted(22.5, math.Inf(1)))}),
	}, {
		ID: "far-16", Figure: "matmul-simulated-far-12",
		Where: "IV-B, fig. 6", On: both[:1], Basis: Seen,
		Quote: "The KRD plot in Figure 6 shows that for all distances beyond 16 MB, MTH has a " +
			"higher percentage of reuses than TBB.",
		Says: "MTH reuses more than TBB at all distances from 16 MB",
		Test: "share beyond 16, 32, 64, 128 and 256 MiB, cold included, below TBB's",
		meanings: means(far16(beyond(16<<20), 16<<20), far16(qFar, far),
			far16(beyond(64<<20), 64<<20), far16(qFar128, 128<<20),
			far16(beyond(256<<20), 256<<20)),
	},
}

// central is the sentence that the paper's comparison of MTH and TBB comes to.
const central = "This 25% difference correlates to a 53% increase in LLC misses and to a work time " +
	"inflation of 2.7% compared to MassiveThreads."

func on12(q quantity, scheduler string) term { return on(q, "matmul", 12, scheduler) }

func all12(q quantity, schedulers ...string) []term { return each(q, "matmul", 12, schedulers...) }

func far16(q quantity, limit uint64) []part {
	return ascending(beyondAt(q, limit, 12, mth), beyondAt(q, limit, 12, tbb))
}
