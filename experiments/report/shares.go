package report

import "krdlab/experiments/stats"

// kinds are the shares of the table of reuse, in its order. The last two are both readings of the
// paper's comparison.
var kinds = []struct {
	head string
	of   stats.Point
}{
	{"close", stats.Close}, {"near", stats.Near}, {"far", stats.Far}, {"cold", stats.Cold},
	{"≥ 32 MiB", stats.At(stats.PaperBytes, false)},
	{"≥ 32 MiB or cold", stats.At(stats.PaperBytes, true)},
}
