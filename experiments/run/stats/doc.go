// Package stats is the catalogue of measures: what is told of the repetitions of a scheduler, each
// defined once. Tables, figures, comparisons and correlations ask it by key, so that the same
// quantity has the same value wherever it is printed.
//
//	result, dataset -> Measure -> tables of run, report, compare, correlate, figures, sweeps
package stats
