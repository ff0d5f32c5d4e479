// Package correlate correlates the kernel reuse distances of an experiment with LLC misses and work
// time inflation (KRD paper, IV-B and table I), and tabulates each configuration with its
// intervals.
//
// What counts as one. A configuration is a scheduler, a core count and a size; its repetitions and
// seeds measure the same thing again, and are pooled to medians. So n of a coefficient is the
// number of configurations, and not that of repetitions, which would be as many times too large.
// Where repetitions themselves are correlated ([WithinConfigurations]), the differences between
// configurations are taken off, the degrees of freedom are reduced by it (Bakdash and Marusich,
// Repeated Measures Correlation, Frontiers in Psychology 8:456, 2017), and the bootstrap draws
// whole configurations.
//
// What is never pooled. Kernels, substrates, machines, cache models, parameters other than the
// size, and the sources of LLC misses: each is a [Family], or an [Association], of its own.
//
// The parts: points.go defines the shares of a histogram that are predictors; family.go collects
// configurations; scope.go groups them; association.go computes; best.go ranks, and picked.go
// computes how often chance does as well; answer.go sums up; coefficient.go and bootstrap.go are
// the statistics that package estimate lacks; text.go, overview.go and csv.go print.
//
// What is never correlated: misses that were computed from the trace of the KRD by a stack like the
// KRD's ([Association.ByConstruction]).
//
// Rejected: coefficients over repetitions of all configurations (the same configuration would count
// up to 20 times); normal intervals of Spearman's coefficient (Fisher's are too narrow at 0.9: 90 %
// with n = 24).
package correlate
