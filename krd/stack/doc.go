// Package stack computes exact LRU stack distances weighted by bytes: for each access the sum of
// the sizes of the distinct other blocks accessed since the last access to the same block, or
// [Cold] if there was none.
//
// [Dense] takes blocks that are numbered densely and registered with their sizes; [Keyed] takes any
// 64-bit keys. Both work batch by batch and are the fast ones. [Online] answers access by access,
// and takes accesses that touch several units at once; it is built on [Weights], a hierarchy of
// sums. All are exact and agree with each other; their memory is bounded by the live set and not by
// the trace.
//
// # The fast engines
//
// They count weighted inversions, chunk by chunk. Before a chunk the live blocks are renumbered
// 1..L in the order of their last accesses (the LRU stack, its top last); the accesses of the chunk
// take the positions L+1, L+2, ... For an access at position t whose previous access is at p, the
// blocks touched in between are each counted at their first access after p, that is at the
// positions s with p < s < t and prev(s) <= p. Every s <= p has prev(s) < p, so with C(p) the sum
// of the weights at positions 1..p
//
//	D(t) = sum of w(s) over L < s < t with prev(s) <= p  +  C(L) - C(p)
//
// where for p <= L the last two terms are the blocks above p in the stack, and for p > L they take
// away what the sum counted at or before p. First accesses have prev = -inf: they enter every later
// sum and need no search. For the others the sum is over pairs (s, t) with s < t and prev(s) <
// prev(t), and the prev are distinct: a weighted inversion count.
//
// It is done by passes over the items (accesses that have a previous one) from the top digit of
// prev down. A pass deals the items of a bucket, in order, into buckets by one digit; an item first
// collects the weights of the smaller digits seen so far (tally.go). Two items are compared in the
// one pass where their digits differ, where they are still in order, because dealing is stable. As
// the prev are distinct, a bucket is never larger than its range, and has its place before anything
// is counted. The first pass, of up to 11 bits, happens as the accesses enter (positions.go); the
// last takes 12 bits, and delivers the distances (count.go); more than 23 bits need passes between.
// So an access costs two passes up to 8 Mi positions, and one more for each 8 bits; on amd64 with
// AVX2 they are in assembly, which package gen writes, 2 to 4 ns an item and pass.
//
// Weights are counted in units, the largest power of two that divides all sizes, modulo 1<<32: a
// distance is exact if it is less, whatever its terms add up to. Chunks where it might not be are
// counted with [Weights] (wide.go).
//
// Sources: the reduction to counting inversions is folklore in the literature on stack distances
// after Bennett and Kruskal (IBM J. Res. Dev. 19, 1975), whose tree over time slots this replaces;
// stack distance itself is from Mattson, Gecsei, Slutz and Traiger (IBM Syst. J. 9, 1970).
//
// A [Filter] of the data accessed last in front of Keyed answers most accesses of a program at a
// fraction of the cost; see held.go for why the others stay exact.
//
// # Rejected
//
// A Fenwick tree over time slots: 17 dependent steps an access at 32 Ki live blocks. Splay and AVL
// trees (Olken 1981): cache misses in proportion to depth. A list of the live blocks by position,
// to write their new positions to a table of last accesses: a random access for each, where the
// rank among the live positions, from a bitmap in cache, makes it one pass in order. Writing to
// more than 256 streams without prefetching them: 8 ns an item at 1024 streams instead of 4.
// Delivering results without prefetching: 6 ns instead of 4.
package stack

//go:generate go run ./gen

import "math"

// Cold is the distance of a first access, INF in the papers.
const Cold = math.MaxUint64
