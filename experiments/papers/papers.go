// Package papers is the table of the papers whose evaluations are redone. A paper is a package below
// this one, which plans steps and judges claims (package study), and a line here.
package papers

import (
	"krdlab/experiments/papers/disconpro"
	"krdlab/experiments/papers/kernelreuse"
	"krdlab/experiments/papers/regression"
	"krdlab/experiments/papers/skadu"
	"krdlab/experiments/papers/study"
	"krdlab/experiments/papers/virda"
)

// Table are the papers, in the order in which all are redone.
var Table = []*study.Study{kernelreuse.Study, virda.Study, disconpro.Study, skadu.Study,
	regression.Study}
