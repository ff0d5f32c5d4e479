package stats

import (
	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/estimate"
	"krdlab/experiments/run/result"
	"krdlab/krd/doc"
)

// A Direction is that of the better values of a measure.
type Direction int

// The directions.
const (
	Lower  Direction = -1
	Higher Direction = 1
)

// A Measure is a quantity of a result, and of each of its repetitions.
type Measure struct {
	Key    string // as documents and CSV files name it
	Head   string // of a column, without its unit
	Unit   doc.Unit
	Better Direction
	Doc    string // what it is, for tables of columns

	Of   func(*result.Result) result.Quantity // over all repetitions
	Each func(*dataset.Row) result.Number     // of one
	Why  func(*result.Result) string          // the result has no value
}

// Sample returns the values of the repetitions of r, or the one that r has where nothing was drawn, or
// no repetition has one.
func (m Measure) Sample(r *result.Result) estimate.Sample {
	q := m.Of(r)
	if !q.Median.Known() {
		return estimate.Sample{}
	}
	if values := repetitions(r, m.Each); q.Reason != result.Deterministic && values != nil {
		return estimate.Sample{Values: values}
	}
	return estimate.Sample{Values: []float64{q.Median.Float()}, Fixed: q.Reason == result.Deterministic}
}

// repetitions returns what of returns for each repetition, where it is known.
func repetitions(r *result.Result, of func(*dataset.Row) result.Number) (values []float64) {
	cell := dataset.Cell{Result: r}
	for _, row := range cell.Rows() {
		if n := of(&row); n.Known() {
			values = append(values, n.Float())
		}
	}
	return values
}

// Column returns a column of the measure.
func (m Measure) Column(spread doc.Spread) doc.Column {
	return doc.Column{Key: m.Key, Head: m.Head, Doc: m.Doc, Kind: doc.Real, Unit: m.Unit,
		Spread: spread}
}

// Cell returns the value of r, or the reason why it has none.
func (m Measure) Cell(r *result.Result) any {
	if q := m.Of(r); q.Median.Known() {
		return q
	}
	return Unknown(r, m.Why)
}

// The measures that commands ask for by name.
var (
	Time = Measure{"time_ns", "time", doc.Nanoseconds, Lower,
		"from the start of the root task to its end",
		func(r *result.Result) result.Quantity { return r.Summary.TimeNS },
		func(r *dataset.Row) result.Number { return r.TimeNS }, whyNoTime}
	Speedup = Measure{"speedup", "speed-up", doc.Plain, Higher,
		"serial_time_ns / time_ns = cores / (ovr x wti)",
		func(r *result.Result) result.Quantity { return r.Summary.Speedup },
		func(r *dataset.Row) result.Number { return r.Speedup }, whyNoSpeedup}
	OVR = Measure{"ovr", "OVR", doc.Plain, Lower, "non-work overhead, 1 for none",
		func(r *result.Result) result.Quantity { return r.Summary.OVR },
		func(r *dataset.Row) result.Number { return r.OVR }, WhyNoWork}
	WTI = Measure{"wti", "WTI", doc.Plain, Lower, "work time inflation, 1 for none",
		func(r *result.Result) result.Quantity { return r.Summary.WTI },
		func(r *dataset.Row) result.Number { return r.WTI }, whyNoWTI}
	KernelTime = Measure{"kernel_ns", "kernel", doc.Nanoseconds, Lower,
		"mean time of a kernel execution",
		func(r *result.Result) result.Quantity { return r.Summary.KernelNS },
		func(r *dataset.Row) result.Number { return r.KernelNS }, WhyNoWork}
	Misses = Measure{"llc_misses_per_core", "LLC misses per core", doc.Lines, Lower, "lines",
		func(r *result.Result) result.Quantity { return r.Summary.LLCMissesPerCore },
		func(r *dataset.Row) result.Number { return r.LLCMissesPerCore }, WhyNoMisses}
	// BeyondLLC is the share of accesses that the last-level cache cannot have kept (KRD paper,
	// III-A).
	BeyondLLC = FarOrCold.Measure("beyond_llc", "beyond LLC",
		"accesses whose data the last-level cache cannot have kept: far or cold")
	BeyondPaper = At(PaperBytes, true).Measure("beyond_32mib", "≥ 32 MiB or cold",
		"accesses with a distance of at least 32 MiB, cold ones too (KRD paper, IV-B)")
	FinitePaper = At(PaperBytes, false).Measure("from_32mib", "≥ 32 MiB",
		"accesses with a finite distance of at least 32 MiB")
	CloseShare = Close.Measure("close", "close", "reuses within the L2 of one core")
	NearShare  = Near.Measure("near", "near", "reuses within the last-level cache of the "+
		"node")
	FarShare         = Far.Measure("far", "far", "reuses that need more than the last-level cache")
	ColdShare        = Cold.Measure("cold", "cold", "accesses whose distance is INF")
	InvalidatedShare = Invalidated.Measure("invalidated", "invalidated",
		"cold accesses to what a write on another node invalidated")
	// CoreClose is of the accesses of each core alone.
	CoreClose = Measure{"core_close", "L2 of core", doc.Fraction, Higher,
		"accesses that the L2 of their own core serves", func(r *result.Result) result.Quantity {
			var values []float64
			for i := range r.Repetitions {
				if n := Close.Of(r.Repetitions[i].KRDCores); n.Known() {
					values = append(values, n.Float())
				}
			}
			if values == nil && r.KRD != nil && r.KRD.PerCore != nil {
				if n := Close.Of(&r.KRD.PerCore.Histogram); n.Known() {
					values = append(values, n.Float())
				}
			}
			return r.Quantity(values)
		}, func(r *dataset.Row) result.Number {
			return Close.Of(r.Cell.Result.Repetitions[r.Rep].KRDCores)
		}, whyNoShare}
)

// Catalogue is every measure there is. A new one is a line above, and its name here.
var Catalogue = append([]Measure{Time, Speedup, OVR, WTI, KernelTime, Misses, BeyondLLC,
	BeyondPaper,
	FinitePaper, CloseShare, NearShare, FarShare, ColdShare, InvalidatedShare, CoreClose},
	ByWork...)
