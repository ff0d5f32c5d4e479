// Package krd computes the Kernel Reuse Distance (KRD paper, III): how far apart, in distinct bytes
// touched in between, the kernels of a task-parallel run use the same data, as each last-level
// cache sees it.
//
//	loi.Trace -> Ordered -> dense, keyed, unit or coherent node -> package stack
//	                                                            -> tally -> Report
//
// A trace is a file or comes straight from its writer ([loi.Writer.Trace]); an analysis that needs
// to know all ranges first goes through it twice.
//
// [Analyze] does for every node of a trace what the paper describes: it merges the accesses of the
// workers that share the node's cache by the time at which their kernels began, takes the stack
// distance of each, weighted by the bytes of the blocks, and counts them in a histogram with bins
// at the powers of two; those of the nodes add up.
//
// The distance is exclusive by default: the bytes of the distinct other blocks touched since the
// last access to the same block. The paper's authors' own tools count the block itself as well
// ([Inclusive]). A cache of C bytes, fully associative, hits if the exclusive distance plus the
// block's size is at most C. Close, near and far mean that under either.
//
// The parts: analyze.go chooses the node that takes the accesses of the trace in their order:
// dense.go for registered blocks, keyednode.go for named ones, unitnode.go for all else,
// coherent.go for all nodes together; the engines below them are package stack. stream.go takes
// accesses from a running program in place of a trace. units.go and names.go define blocks;
// histogram.go and groups.go count; misses.go predicts, ranking.go ranks, sample.go estimates;
// report.go and warnings.go render documents. Figures are drawn by package plot, text for people by
// krd/analysis/reuse.
//
// # Rejected
//
// The distances of a simulated run straight from the stepper, without a trace: an analysis of
// ranges goes through the trace twice, and the records of workers reach the merge in bursts of
// unknown length.
//
// For the distances within a steady loop (streamloop.go), an analysis of the first two iterations
// on each set of lines of the filter: as slow as an analysis of every access. The state that an
// iteration leaves behind follows without it.
package krd
