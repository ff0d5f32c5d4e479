package reproduce

import (
	"fmt"
)

// Where in the paper predictions stand.
const (
	table1  = "table I"
	figure6 = "IV-B, fig. 6"
)

// tableOne are the claims of IV-B, table I and figure 6: matmul on 2 sockets, 12 cores.
var tableOne = []Claim{
	fitted("time-mth", "MTH's execution time", "1.642 s", seconds, mth, 3, 1.642, 0.02),
	fitted("time-tbb", "TBB's execution time", "1.742 s", seconds, tbb, 3, 1.742, 0.02),
	fitted("time-qtc", "QTH/Core's execution time", "1.859 s", seconds, qtc, 3, 1.859, 0.02),
	fitted("time-qts", "QTH/Socket's execution time", "2.111 s", seconds, qts, 3, 2.111, 0.02),
	predicted("misses-mth", table1, "MTH's LLC misses per core", "1.829 M", misses, mth, 3, 1.829,
		0.15),
	predicted("misses-tbb", table1, "TBB's LLC misses per core", "2.807 M", misses, tbb, 3, 2.807,
		0.15),
	predicted("misses-qtc", table1, "QTH/Core's LLC misses per core", "2.339 M", misses, qtc, 3,
		2.339,
		0.15),
	predicted("misses-qts", table1, "QTH/Socket's LLC misses per core", "1.987 M", misses, qts, 3,
		1.987,
		0.15),
	{
		ID: "misses-order", Where: "table I", Says: "LLC misses: MTH, QTH/Socket, QTH/Core, TBB",
		Test: "ascending in this order",
		test: order(misses, "matmul", 12, 3, mth, qts, qtc, tbb),
	},
	inflation("wti-mth", "MTH's work time inflation", "1.0250", mth, 1.0250),
	inflation("wti-tbb", "TBB's work time inflation", "1.0519", tbb, 1.0519),
	inflation("wti-qtc", "QTH/Core's work time inflation", "1.0441", qtc, 1.0441),
	inflation("wti-qts", "QTH/Socket's work time inflation", "1.0814", qts, 1.0814),
	{
		ID: "wti-order", Where: "table I", Says: "WTI: MTH, QTH/Core, TBB, QTH/Socket",
		Test: "ascending in this order",
		test: order(wti, "matmul", 12, 4, mth, qtc, tbb, qts),
	},
	predicted("far-mth", figure6, "MTH's accesses beyond 32 MB, %", "3.57", beyond(far), mth, 2,
		3.57, 0.10),
	predicted("far-tbb", figure6, "TBB's accesses beyond 32 MB, %", "4.5", beyond(far), tbb, 2, 4.5,
		0.10),
	predicted("far-qts", figure6, "QTH/Socket's accesses beyond 32 MB, %", "3.15", beyond(far), qts,
		2, 3.15,
		0.10),
	{
		ID: "far-order", Where: "IV-B, fig. 6",
		Says: "beyond 32 MB: QTH/Socket, MTH, QTH/Core, TBB",
		Test: "ascending in this order, cold accesses included",
		test: order(beyond(far), "matmul", 12, 2, qts, mth, qtc, tbb),
	}, {
		ID: "far-order-finite", Where: "IV-B, fig. 6", Says: "the same, in the other reading",
		Test: "ascending in this order, finite distances",
		test: order(finite(far), "matmul", 12, 2, qts, mth, qtc, tbb),
	}, {
		ID: "far-128", Where: "IV-B",
		Says: "the order of MTH, QTH/Core and TBB is clear at 128 MB too",
		Test: "ascending at 128 MiB, cold accesses included",
		test: order(beyond(128<<20), "matmul", 12, 2, mth, qtc, tbb),
	}, {
		ID: "cold-order", Where: "IV-B", Says: "and so it is in cold accesses", Test: "ascending",
		test: order(cold, "matmul", 12, 2, mth, qtc, tbb),
	}, {
		ID: "tbb-far", Where: "IV-B", Says: "TBB's accesses beyond 32 MB over MTH's",
		Paper: "25 % more", Test: "1.15 to 1.35",
		test: over(beyond(far), 1.15, 1.35),
	}, {
		ID: "tbb-misses", Where: "IV-B", Says: "TBB's LLC misses over MTH's", Paper: "53 % more",
		Test: "1.40 to 1.70",
		test: over(misses, 1.40, 1.70),
	},
}

func predicted(id, where, says, paper string, m measure, scheduler string, decimals int, target,
	tolerance float64) Claim {
	return Claim{
		ID: id, Where: where, Says: says + " at 12 cores", Paper: paper,
		Test: fmt.Sprintf("within %.0f %%", 100*tolerance),
		test: value(m, "matmul", scheduler, 12, decimals, target, tolerance),
	}
}

func fitted(id, says, paper string, m measure, scheduler string, decimals int, target,
	tolerance float64) Claim {
	c := predicted(id, table1, says, paper, m, scheduler, decimals, target, tolerance)
	c.Fitted = true
	return c
}

// inflation holds what exceeds 1 to a quarter.
func inflation(id, says, paper, scheduler string, target float64) Claim {
	return Claim{
		ID: id, Where: "table I", Says: says + " at 12 cores", Paper: paper,
		Test: "WTI - 1 within 25 %",
		test: func(v *view) (string, Verdict) {
			q := v.simulated(wti, "matmul", 12, scheduler)[0]
			return q.show(4), near(q.plus(-1), target-1, 0.25)
		},
	}
}

// over compares TBB with MTH.
func over(m measure, low, high float64) func(*view) (string, Verdict) {
	return func(v *view) (string, Verdict) {
		list := v.simulated(m, "matmul", 12, tbb, mth)
		r := ratio(list[0], list[1])
		return r.show(2), within(r, low, high)
	}
}
