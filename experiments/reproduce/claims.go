package reproduce

import (
	"fmt"
	"slices"
	"strings"

	"krdlab/experiments/dataset"
	"krdlab/experiments/result"
)

// A Claim is a statement of the paper with its test.
type Claim struct {
	ID     string
	Where  string   // in the paper
	On     []string // the simulated programs that it is about; nil is matmul
	Says   string   // what it says
	Paper  string   // its value, "" where it gives none
	Test   string   // the threshold
	Fitted bool     // the simulated machine was fitted to this number
	test   func(v *view) (ours string, verdict Verdict)
}

func (c Claim) on() []string {
	if c.On == nil {
		return []string{"matmul"}
	}
	return c.On
}

// A Finding is what became of a claim in an experiment.
type Finding struct {
	ID      string  `json:"id"`
	Where   string  `json:"where"`
	Says    string  `json:"claim"`
	Paper   string  `json:"paper"`
	Test    string  `json:"test"`
	Fitted  bool    `json:"fitted"`
	Ours    string  `json:"ours"`
	Verdict Verdict `json:"verdict"`
}

// Judge tests all claims.
func Judge(e *dataset.Experiment) []Finding {
	v := newView(e)
	var list []Finding
	for _, c := range Claims {
		f := Finding{ID: c.ID, Where: c.Where, Says: c.Says, Paper: c.Paper, Test: c.Test,
			Fitted: c.Fitted}
		f.Ours, f.Verdict = c.test(v)
		if f.Verdict != NotRun && !v.onPaperSizes(c) {
			f.Verdict = OtherSize
		}
		if f.Verdict == NotRun {
			f.Ours = "n/a"
		}
		list = append(list, f)
	}
	return list
}

// Claims are the paper's, in its order.
var Claims = slices.Concat(scaling, reuse, tableOne, native)

// value is a claim that a measure of one scheduler is near a target.
func value(m measure, kernel, scheduler string, cores, decimals int, target,
	tolerance float64) func(*view) (string, Verdict) {
	return func(v *view) (string, Verdict) {
		q := v.simulated(m, kernel, cores, scheduler)[0]
		return q.show(decimals), near(q, target, tolerance)
	}
}

// order is a claim that a measure ascends in the order of the schedulers.
func order(m measure, kernel string, cores, decimals int, schedulers ...string) func(*view) (string,
	Verdict) {
	return func(v *view) (string, Verdict) {
		list := v.simulated(m, kernel, cores, schedulers...)
		return named(decimals, shorts(schedulers), list), ascending(list...)
	}
}

// lowest is a claim that a measure is lowest under the first scheduler.
func lowest(m measure, kernel string, cores, decimals int,
	schedulers ...string) func(*view) (string, Verdict) {
	return func(v *view) (string, Verdict) {
		list := v.simulated(m, kernel, cores, schedulers...)
		return named(decimals, shorts(schedulers), list), below(list[0], list[1:]...)
	}
}

// highest is a claim that a measure is highest under the last scheduler.
func highest(m measure, kernel string, cores, decimals int,
	schedulers ...string) func(*view) (string, Verdict) {
	return func(v *view) (string, Verdict) {
		list := v.simulated(m, kernel, cores, schedulers...)
		last := len(list) - 1
		var verdicts []Verdict
		for _, q := range list[:last] {
			verdicts = append(verdicts, less(q, list[last]))
		}
		return named(decimals, shorts(schedulers), list), all(verdicts...)
	}
}

// each is a claim about several core counts.
func each(cores []int, f func(cores int) func(*view) (string, Verdict)) func(*view) (string,
	Verdict) {
	return func(v *view) (string, Verdict) {
		var verdicts []Verdict
		var parts []string
		for _, n := range cores {
			ours, verdict := f(n)(v)
			parts = append(parts, fmt.Sprintf("%d cores: %s", n, ours))
			verdicts = append(verdicts, verdict)
		}
		return strings.Join(parts, "; "), all(verdicts...)
	}
}

// scaling are the claims of II-C and figures 1 and 2.
var scaling = []Claim{
	{
		ID: "speedup-matmul", Where: "II-C, fig. 1", Says: "matmul: MTH's speed-up at 24 cores",
		Paper: "up to 21", Test: "within 10 %",
		test: value(speedup, "matmul", mth, 24, 2, 21, 0.10),
	}, {
		ID: "speedup-fmm", Where: "II-C, fig. 2", On: []string{"fmm"},
		Says: "FMM: MTH's speed-up at 24 cores", Paper: "up to 18", Test: "within 10 %",
		test: value(speedup, "fmm", mth, 24, 2, 18, 0.10),
	}, {
		ID: "overhead-mth", Where: "II-C", On: []string{"matmul", "fmm"},
		Says: "MTH's overhead stays small: 30 % in the worst case", Paper: "OVR at most 1.30",
		Test: "OVR at 24 cores at most 1.30, both programs",
		test: func(v *view) (string, Verdict) {
			a, b := v.simulated(ovr, "matmul", 24, mth)[0], v.simulated(ovr, "fmm", 24, mth)[0]
			return named(3, []string{"matmul", "FMM"}, []interval{a, b}), all(within(a, 0, 1.30),
				within(b, 0, 1.30))
		},
	}, {
		ID: "overheads-matmul", Where: "II-C", Says: "matmul: the others' overheads at 24 cores, " +
			"as (OVR - 1) over MTH's", Paper: "3 to 4 times",
		Test: "each in 2.7 to 4.4 (10 % wider)",
		test: overheads("matmul", false),
	}, {
		ID: "overheads-matmul-ovr", Where: "II-C", Says: "matmul: the same, as OVR over MTH's " +
			"(the paper is ambiguous)", Paper: "3 to 4 times", Test: "each in 2.7 to 4.4",
		test: overheads("matmul", true),
	}, {
		ID: "overheads-fmm", Where: "II-C", On: []string{"fmm"},
		Says: "FMM: the others' overheads at 24 " +
			"cores, as (OVR - 1) over MTH's", Paper: "3 to 4 times", Test: "each in 2.7 to 4.4",
		test: overheads("fmm", false),
	}, {
		ID: "tbb-socket-matmul", Where: "II-C",
		Says: "matmul: TBB's overhead is below MTH's within a socket", Test: "OVR at 6 cores",
		test: order(ovr, "matmul", 6, 3, tbb, mth),
	}, {
		ID: "tbb-socket-fmm", Where: "II-C", On: []string{"fmm"},
		Says: "FMM: TBB's overhead is below MTH's within a socket", Test: "OVR at 6 cores",
		test: order(ovr, "fmm", 6, 3, tbb, mth),
	}, {
		ID: "tbb-scale-matmul", Where: "II-C",
		Says: "matmul: at scale TBB's overhead is above Qthreads'",
		Test: "OVR at 24 cores, above both",
		test: highest(ovr, "matmul", 24, 3, qtc, qts, tbb),
	}, {
		ID: "tbb-scale-fmm", Where: "II-C", On: []string{"fmm"},
		Says: "FMM: at scale TBB's overhead is above Qthreads'",
		Test: "OVR at 24 cores, above both",
		test: highest(ovr, "fmm", 24, 3, qtc, qts, tbb),
	}, {
		ID: "socket-core-matmul", Where: "II-C",
		Says: "matmul: QTH/Socket's overhead is above QTH/Core's",
		Test: "OVR at 6, 12 and 24 cores",
		test: each([]int{6, 12, 24}, func(n int) func(*view) (string, Verdict) {
			return order(ovr,
				"matmul", n, 3, qtc, qts)
		}),
	}, {
		ID: "socket-core-fmm", Where: "II-C", On: []string{"fmm"},
		Says: "FMM: QTH/Socket's overhead is above QTH/Core's", Test: "OVR at 6, 12 and 24 cores",
		test: each([]int{6, 12, 24}, func(n int) func(*view) (string, Verdict) {
			return order(ovr,
				"fmm", n, 3, qtc, qts)
		}),
	}, {
		ID: "wti-worst", Where: "II-C", On: []string{"matmul", "fmm"},
		Says: "the worst work time inflation " +
			"is that of FMM under TBB, and costs up to 20 % of the performance", Paper: "20 %",
		Test: "1 - 1/WTI at 24 cores highest for FMM under TBB, and in 15 to 25 %",
		test: func(v *view) (string, Verdict) {
			fmm, mat := v.simulated(lossToWTI, "fmm", 24, papers...), v.simulated(lossToWTI,
				"matmul", 24, papers...)
			worst := fmm[1]
			verdicts := []Verdict{within(worst, 15, 25)}
			for i, q := range append(fmm, mat...) {
				if i != 1 {
					verdicts = append(verdicts, less(q, worst))
				}
			}
			return named(1, append(shorts(papers), "matmul "+short[tbb]), append(fmm, mat[1])),
				all(verdicts...)
		},
	}, {
		ID: "tbb-mth-12", Where: "II-C, fig. 1 (c)", Says: "matmul: work time under TBB over " +
			"that under MTH at 12 cores", Paper: "about 2 % more (2.6 % in table I)",
		Test: "1.01 to 1.04",
		test: workOver("matmul", 12, 1.01, 1.04),
	}, {
		ID: "tbb-mth-24", Where: "II-C, IV-B", Says: "matmul: the same at 24 cores",
		Paper: "8 to 10 % more", Test: "1.06 to 1.12",
		test: workOver("matmul", 24, 1.06, 1.12),
	}, {
		ID: "m2l", Where: "IV-B", On: []string{"fmm"},
		Says: "FMM: relative inflation of M2L on 4 sockets " +
			"(worst scheduler over the best)", Paper: "45 %", Test: "1.35 to 1.55",
		test: func(v *view) (string, Verdict) {
			list := v.simulated(kernelWTI("m2l"), "fmm", 24, papers...)
			best, worst := list[0], list[0]
			for _, q := range list {
				if !q.known {
					return "", NotRun
				}
				if q.mid < best.mid {
					best = q
				}
				if q.mid > worst.mid {
					worst = q
				}
			}
			r := ratio(worst, best)
			return fmt.Sprintf("%s; WTI of M2L: %s", r.show(3), named(3, shorts(papers), list)),
				within(r, 1.35, 1.55)
		},
	},
}

// overheads is the claim that the three others' overheads are 3 to 4 times MTH's at 24 cores; whole
// reads overhead as OVR itself.
func overheads(kernel string, whole bool) func(*view) (string, Verdict) {
	m := measure(overhead)
	if whole {
		m = ovr
	}
	return func(v *view) (string, Verdict) {
		list := v.simulated(m, kernel, 24, papers...)
		var ratios []interval
		var verdicts []Verdict
		for _, q := range list[1:] {
			r := ratio(q, list[0])
			ratios = append(ratios, r)
			verdicts = append(verdicts, within(r, 2.7, 4.4))
		}
		return named(2, shorts(papers[1:]), ratios), all(verdicts...)
	}
}

// lossToWTI is 1 - 1/WTI in %.
func lossToWTI(r *result.Result) interval {
	q := wti(r)
	return interval{100 * (1 - 1/q.mid), 100 * (1 - 1/q.low), 100 * (1 - 1/q.high), q.n, q.known,
		q.sure}.finite()
}

// workOver compares the work of TBB with that of MTH.
func workOver(kernel string, cores int, low, high float64) func(*view) (string, Verdict) {
	return func(v *view) (string, Verdict) {
		list := v.simulated(kernelNS, kernel, cores, tbb, mth)
		r := ratio(list[0], list[1])
		return r.show(3), within(r, low, high)
	}
}
