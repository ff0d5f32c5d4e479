// Package stack computes exact LRU stack distances weighted by bytes: for each access the sum of the sizes of the distinct other
// blocks accessed since the last access to the same block, or [Cold] if there was none.
//
// [Dense] takes blocks that are numbered densely and registered with their sizes; [Keyed] takes any 64-bit keys. Both work batch by
// batch and are the fast ones. [Online] answers access by access, and knows accesses that touch several units at once; it is
// built on [Weights], a hierarchy of sums. All are exact and agree with each other; their memory is bounded by the live set and
// not by the trace.
package stack

import "math"

// Cold is the distance of a first access, INF in the papers.
const Cold = math.MaxUint64
