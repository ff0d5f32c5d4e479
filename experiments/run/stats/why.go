package stats

import (
	"fmt"

	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/kernels"
	"krdlab/krd/doc"
)

// Unknown returns the cell of a result that has no value: the reason of why, unless nothing of the
// result is known.
func Unknown(r *result.Result, why func(*result.Result) string) doc.Missing {
	if len(r.Repetitions) == 0 && r.Summary.TimeNS.N == 0 {
		return doc.Missing(whyNoTime(r))
	}
	return doc.Missing(why(r))
}

func whyNoTime(*result.Result) string { return "no repetition was finished" }

func whyNoSpeedup(r *result.Result) string {
	if t := r.Serial.TimeNS; t.Known() && t.Float() == 0 {
		return "the serial run takes no time on this machine"
	}
	return "there is no serial run"
}

// WhyNoWork returns the reason why r has no work, and so no OVR.
func WhyNoWork(r *result.Result) string {
	if k, ok := kernels.ByName(r.Kernel); ok && !k.Work {
		return r.Kernel + " has no kernels whose time would be work"
	}
	if r.Settings.Trace == request.TraceOff {
		return "work is not measured with --trace off"
	}
	return "the work of some repetitions is not known"
}

func whyNoWTI(r *result.Result) string {
	if r.Summary.OVR.Median.Known() && !r.Inflates() {
		return r.Kernel + " accesses no data that could inflate its work on a simulated machine"
	}
	return WhyNoWork(r)
}

// KernelCell returns the cell of a kernel's mean time, or with inflation of its WTI.
func KernelCell(r *result.Result, kernel string, n result.Number, inflation bool) any {
	switch {
	case n.Known():
		return n
	case inflation && !r.Inflates():
		return doc.Missing(whyNoWTI(r))
	}
	return doc.Missing("no execution of " + kernel + " was stamped")
}

// WhyNoMisses returns the reason why r has no LLC misses.
func WhyNoMisses(r *result.Result) string {
	if r.LLCReason != nil {
		return "LLC misses: " + *r.LLCReason
	}
	return "LLC misses were not counted"
}

func whyNoShare(r *result.Result) string {
	if r.KRD != nil && r.KRD.Accesses > 0 {
		return "the cache sizes of this machine are not known"
	}
	return WhyNoKRD(r)
}

// WhyNoKRD returns the reason why r has no reuse distances.
func WhyNoKRD(r *result.Result) string {
	if k, ok := kernels.ByName(r.Kernel); r.KRD != nil || ok && !k.Work {
		return r.Kernel + " records no accesses to data"
	}
	if r.Settings.Trace.None() {
		return fmt.Sprintf("no trace is taken with --trace %s", r.Settings.Trace)
	}
	if t := r.Trace; t != nil && t.Discarded > 0 {
		return result.LostRecords(t.Path, t.Discarded, t.Records+t.Discarded)
	}
	if r.Interrupted {
		return "the run ended before a repetition was traced"
	}
	return "no repetition was traced"
}
