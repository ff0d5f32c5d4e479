package reproduce

import (
	"fmt"
	"math"

	"krdlab/experiments/dataset"
	"krdlab/hw/units"
	"krdlab/loi"
)

const (
	far   = 32 << 20  // the paper's point beyond its LLC of 18 MB
	close = 256 << 10 // its L2
)

// reuse are the claims of IV-A and figures 4 and 5.
var reuse = []Claim{
	{
		ID: "one-core-matmul", Where: "IV-A, fig. 4", Says: "matmul on one core: work-first and " +
			"help-first have the same histogram", Paper: "identical",
		Test: "no point of the cumulative histogram differs by more than 0.01 points",
		test: alike("matmul", 1, 0.01),
	}, {
		ID: "one-core-fmm", Where: "IV-A, fig. 5", On: []string{"fmm"},
		Says: "FMM on one core: differences between schedulers are barely noticeable",
		Test: "none by more than 1 point",
		test: alike("fmm", 1, 1),
	}, {
		ID: "socket-most", Where: "IV-A, fig. 4", Says: "matmul on one socket: QTH/Socket has " +
			"the highest reuse ratio at almost all distances", Test: "cumulative histogram " +
			"highest at 80 % or more of the powers of two from 1 KiB to 256 MiB at which " +
			"schedulers differ",
		test: mostReuse("matmul", 6, 0.8),
	}, {
		ID: "socket-tbb", Where: "IV-A, fig. 4", Says: "matmul on one socket: TBB's reuse is " +
			"better than that of MTH and QTH/Core",
		Test: "share beyond 32 MiB, cold included, below both",
		test: lowest(beyond(far), "matmul", 6, 2, tbb, mth, qtc),
	}, {
		ID: "socket-best", Where: "IV-A, fig. 4", Says: "matmul on one socket: QTH/Socket is best",
		Test: "share beyond 32 MiB below the others'",
		test: lowest(beyond(far), "matmul", 6, 2, qts, mth, tbb, qtc),
	}, {
		ID: "socket-fmm", Where: "IV-A, fig. 5", On: []string{"fmm"},
		Says: "FMM on one socket: the difference is 3 % at most", Paper: "3 %",
		Test: "no point of the cumulative histogram differs by more than 3 points",
		test: alike("fmm", 6, 3),
	}, {
		ID: "socket-fmm-close", Where: "IV-A, fig. 5", On: []string{"fmm"},
		Says: "FMM on one socket: QTH/Socket is better for close reuses",
		Test: "share below the L2 (256 KiB) above the others'",
		test: highest(closer(close), "fmm", 6, 2, mth, tbb, qtc, qts),
	}, {
		ID: "sockets-best", Where: "IV-A, fig. 4",
		Says: "matmul on four sockets: QTH/Socket is best for far reuses",
		Test: "share beyond 32 MiB below the others'",
		test: lowest(beyond(far), "matmul", 24, 2, qts, mth, tbb, qtc),
	}, {
		ID: "sockets-mth", Where: "IV-A, fig. 4",
		Says: "matmul on four sockets: MTH follows closely", Test: "share beyond 32 MiB at most " +
			"1.25 times QTH/Socket's, and below those of TBB and QTH/Core",
		test: func(v *view) (string, Verdict) {
			list := v.simulated(beyond(far), "matmul", 24, mth, qts, tbb, qtc)
			r := ratio(list[0], list[1])
			return r.show(2) + " times", all(within(r, 0, 1.25), below(list[0], list[2], list[3]))
		},
	}, {
		ID: "sockets-tbb", Where: "IV-A, fig. 4",
		Says: "matmul on four sockets: TBB is worst for far reuses",
		Test: "share beyond 32 MiB above the others'",
		test: highest(beyond(far), "matmul", 24, 2, mth, qtc, qts, tbb),
	}, {
		ID: "sockets-finite", Where: "IV-A, fig. 4", Says: "the same, in the other reading",
		Test: "finite distances of 32 MiB and more above the others'",
		test: highest(finite(far), "matmul", 24, 2, mth, qtc, qts, tbb),
	}, {
		ID: "cold-grows", Where: "IV-A", Says: "matmul: cold accesses grow from one socket to four",
		Test: "share of cold accesses at 6 cores below that at 24, under each scheduler",
		test: func(v *view) (string, Verdict) {
			one, four := v.simulated(cold, "matmul", 6, papers...), v.simulated(cold, "matmul", 24,
				papers...)
			var verdicts []Verdict
			for i := range one {
				verdicts = append(verdicts, less(one[i], four[i]))
			}
			return "6 cores: " + named(2, shorts(papers), one) + "; 24 cores: " +
				named(2, shorts(papers), four), all(verdicts...)
		},
	}, {
		ID: "cold-lowest", Where: "IV-A", Says: "matmul on four sockets: QTH/Socket has the " +
			"lowest share of cold accesses", Test: "below the others'",
		test: lowest(cold, "matmul", 24, 2, qts, mth, tbb, qtc),
	}, {
		ID: "cold-highest", Where: "IV-A", Says: "matmul on four sockets: TBB has the highest " +
			"share of cold accesses", Test: "above the others'",
		test: highest(cold, "matmul", 24, 2, mth, qtc, qts, tbb),
	},
}

// alike says whether the cumulative histograms of the four schedulers are within so many points of
// each other at every power of two.
func alike(kernel string, cores int, points float64) func(*view) (string, Verdict) {
	return func(v *view) (string, Verdict) {
		widest, at, verdicts := 0.0, uint64(0), []Verdict{}
		for _, limit := range limits() {
			list := v.simulated(closer(limit), kernel, cores, papers...)
			for i, a := range list {
				for _, b := range list[:i] {
					if !a.known || !b.known {
						return "", NotRun
					}
					d := minus(a, b)
					if m := math.Abs(d.mid); m > widest {
						widest, at = m, limit
					}
					verdicts = append(verdicts, within(d, -points, points))
				}
			}
		}
		if widest == 0 {
			return "no difference", all(verdicts...)
		}
		return fmt.Sprintf("largest difference %.3f points, below %s", widest, units.Bytes(at)),
			all(verdicts...)
	}
}

// mostReuse says whether QTH/Socket has the highest cumulative histogram at a share of the
// distances at which the schedulers differ at all.
func mostReuse(kernel string, cores int, share float64) func(*view) (string, Verdict) {
	return func(v *view) (string, Verdict) {
		best, beaten, points := 0, 0, 0
		for _, limit := range limits() {
			list := v.simulated(closer(limit), kernel, cores, mth, tbb, qtc, qts)
			own, verdicts, differ := list[3], []Verdict{}, false
			for _, q := range list[:3] {
				if !q.known || !own.known {
					return "", NotRun
				}
				differ = differ || q.mid != own.mid
				verdicts = append(verdicts, less(q, own))
			}
			if !differ {
				continue
			}
			points++
			switch all(verdicts...) {
			case Agree:
				best++
			case Disagree:
				beaten++
			}
		}
		ours := fmt.Sprintf("highest at %d of %d distances, beaten at %d", best, points, beaten)
		switch {
		case points == 0:
			return "the schedulers do not differ", Disagree
		case float64(best) >= share*float64(points):
			return ours, Agree
		case float64(beaten) > (1-share)*float64(points):
			return ours, Disagree
		}
		return ours, CannotTell
	}
}

// native are the claims that the computer itself can be asked about.
var native = []Claim{
	{
		ID: "native-tracing", Where: "III-A", On: []string{},
		Says: "on this computer: tracing increases the execution time by less than 5 %, matmul " +
			"and FMM", Paper: "below 5 % in the worst case", Test: "serial order on one core: " +
			"time of traced runs over that of profiled ones, upper end below 1.05",
		test: func(v *view) (string, Verdict) {
			var names []string
			var list []interval
			var verdicts []Verdict
			for _, k := range []string{"matmul", "fmm"} {
				r, ok := v.tracing(k)
				if !ok {
					return "", NotRun
				}
				names, list, verdicts = append(names, k), append(list, r),
					append(verdicts, within(r, 0, 1.05))
			}
			return named(3, names, list), all(verdicts...)
		},
	}, {
		ID: "native-one-core", Where: "IV-A, fig. 4", On: []string{},
		Says: "on this computer: matmul on one core has the same histogram under work-first and " +
			"help-first", Paper: "identical", Test: "no point of the cumulative histogram " +
			"differs by more than 0.01 points",
		test: func(v *view) (string, Verdict) {
			widest := 0.0
			for _, limit := range limits() {
				a, b := v.at(loi.Native, "matmul", mth, 1), v.at(loi.Native, "matmul", tbb, 1)
				if a == nil || b == nil || len(dataset.Histograms(a)) == 0 ||
					len(dataset.Histograms(b)) == 0 {
					return "", NotRun
				}
				// nothing is random on one core: a single trace is enough
				d := minus(closer(limit)(a), closer(limit)(b))
				widest = math.Max(widest, math.Abs(d.mid))
			}
			if widest > 0.01 {
				return fmt.Sprintf("they differ by up to %.3f points", widest), Disagree
			}
			return fmt.Sprintf("largest difference %.3f points", widest), Agree
		},
	},
}
