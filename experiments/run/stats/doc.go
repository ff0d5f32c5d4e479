// Package stats defines every measured quantity once: its name, its unit, and how it is computed
// from the repetitions of a run. Tables, figures, comparisons and correlations ask it by key, so
// that the same quantity has the same value wherever it is printed.
//
//	result, dataset -> Measure -> tables of run, report, compare, correlate, figures, sweeps
package stats
