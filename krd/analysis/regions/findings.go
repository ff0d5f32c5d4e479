package regions

import "krdlab/krd/doc"

// The codes of findings, with what their arguments are.
const (
	// severalThreads: how many, workers or goroutines.
	severalThreads doc.Code = "regions_of_threads"
	// regionsOpen: instances.
	regionsOpen doc.Code = "regions_open"
	// parallelPays: how many times as fast the program is then, on how many cores.
	parallelPays doc.Code = "parallel_loop"
	// missesOfSeveral: no argument.
	missesOfSeveral doc.Code = "misses_of_several"
)

func init() {
	doc.Catalogue(map[doc.Code]doc.Entry{
		severalThreads: {Level: doc.Note, Words: "%v %v: what one touches counts for the regions that are open on " +
			"it alone", Example: []any{2, "goroutines"}},
		regionsOpen: {Level: doc.Note, Words: "instances of regions that had not ended when the trace did: %v; they " +
			"count as if they had", Example: []any{1}},
		parallelPays: {Level: doc.Answer, Example: []any{3.5, 4}, Words: "in parallel it makes the program %.3g times as " +
			"fast on %v cores"},
		missesOfSeveral: {Level: doc.Limit, Words: "misses are not known: more than one goroutine accesses data"},
	})
}
