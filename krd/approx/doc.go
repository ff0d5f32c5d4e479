// Package approx estimates byte-weighted reuse distances where an exact engine (krdlab/krd/stack)
// costs too much. Its results are never exact; printed, they name the method.
//
// [Shards] samples: it follows the blocks whose hash falls below a threshold, and these alone, with
// an exact engine, and scales what it finds. Good for the miss ratio of a given cache, and for far
// reuses. Bins of the histogram below 1/rate blocks of distance were off by tens of per cent and are
// not shown.
//
// [ScaleTree] follows every block, and merges the old ones, whose exact place matters little for a
// relative accuracy such as 99.9 %. Every single distance is guaranteed; the time and memory for
// finding blocks by name stay those of an exact engine.
//
// shards.go samples, filter.go is its inner loop, table.go its hash table, estimate.go its results;
// scaletree.go is the other.
package approx
