// Package analyses lists the analyses.
package analyses

import (
	"krdlab/krd/analysis"
	"krdlab/krd/analysis/activity"
	"krdlab/krd/analysis/components"
	"krdlab/krd/analysis/dependences"
	"krdlab/krd/analysis/graph"
	"krdlab/krd/analysis/interleave"
	"krdlab/krd/analysis/regions"
	"krdlab/krd/analysis/reuse"
)

// Table has the analyses of traces, in the order in which they are listed. Each is a command, a
// section of the report where a trace has what it needs, and is held by the conformance suite.
var Table = []*analysis.Analysis{
	reuse.Analysis,
	graph.Analysis,
	activity.Analysis,
	components.Analysis,
	interleave.Analysis,
	dependences.Analysis,
	regions.Analysis,
}
