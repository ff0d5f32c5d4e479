package krd

import (
	"strconv"

	"krdlab/krd/doc"
	"krdlab/loi"
)

// A Warning is a doubt about a report.
type Warning = doc.Finding

// A Code is the kind of a warning.
type Code = doc.Code

// The codes, with what their arguments are.
const (
	// RecordsLost: records that were discarded, or damaged.
	RecordsLost Code = "records_lost"
	// LossUnknown: workers that lost records, of how many.
	LossUnknown Code = "loss_unknown"
	// accessesLost: accesses and other events.
	accessesLost Code = "accesses_lost"
	// Recovered: no argument.
	Recovered Code = "recovered"
	// ImposedNodes: no argument.
	ImposedNodes Code = "imposed_nodes"
	// ApproximateEngine: the engine.
	ApproximateEngine Code = "approximate_engine"
	// NoCacheSizes, NoL2Size, NoLLCSize: no argument.
	NoCacheSizes Code = "no_cache_sizes"
	NoL2Size     Code = "no_l2_size"
	NoLLCSize    Code = "no_llc_size"
	// Sampled: the engine.
	Sampled Code = "sampled"
	// NoClockRate: no argument.
	NoClockRate Code = "no_clock_rate"
)

func init() {
	doc.Catalogue(map[Code]doc.Entry{
		RecordsLost: {Level: doc.Doubt, Words: "%v records were discarded while tracing, or were " +
			"damaged: results across the gaps, distances above all, are wrong", Example: []any{7}},
		LossUnknown: {Level: doc.Doubt, Words: "the trace was recovered, and the number of missing " +
			"records is not known for %v of its %v workers: results across the gaps, distances above " +
			"all, are wrong",
			Example: []any{1, 4}},
		accessesLost: {Level: doc.Doubt, Words: "the program did more than its trace has (%v times at least): " +
			"distances, orders and races may be wrong or missing", Example: []any{7}},
		Recovered: {Level: doc.Doubt, Words: "the trace had no clean end and was recovered: the last kernel of " +
			"each worker may be missing"},
		ImposedNodes:      {Level: doc.Note, Words: "the worker-to-node map was imposed and is not the machine's"},
		ApproximateEngine: {Level: doc.Note, Words: "approximate: distances by the engine %v", Example: []any{"tree"}},
		NoCacheSizes: {Level: doc.Limit, Words: "the trace names no L2 and no LLC size: close, near and far " +
			"are unknown"},
		NoL2Size:  {Level: doc.Limit, Words: "the trace names no L2 size: close and near are unknown"},
		NoLLCSize: {Level: doc.Limit, Words: "the trace names no LLC size: near and far are unknown"},
		Sampled: {Level: doc.Note, Words: "estimates from a sample of the blocks by the engine %v: for far " +
			"reuses and for misses at a given size only", Example: []any{"shards"}},
		NoClockRate: {Level: doc.Limit, Words: "the trace does not name the rate of its clock: each tick counts " +
			"as 1 ns"},
	})
}

// Doubts returns the warnings about t that any analysis of it has: missing records, what its program
// did that was not recorded, and the source of the nodes.
func Doubts(t *loi.Trace) (list []Warning) {
	loss := t.Loss()
	if n := loss.UnknownWorkers(); n > 0 {
		list = append(list, doc.Find(LossUnknown, n, len(loss.Unknown)))
	} else {
		if n := loss.Total(); n > 0 {
			list = append(list, doc.Find(RecordsLost, n))
		}
		if t.Recovered {
			list = append(list, doc.Find(Recovered))
		}
	}
	for _, kv := range t.Header.Meta {
		if n, err := strconv.ParseUint(kv.Value, 10, 64); kv.Key == loi.LostKey && err == nil && n > 0 {
			list = append(list, doc.Find(accessesLost, n))
		}
	}
	if t.Header.Synthetic {
		list = append(list, doc.Find(ImposedNodes))
	}
	return list
}
