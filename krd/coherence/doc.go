// Package coherence computes reuse distances on nodes whose caches are kept coherent by
// invalidation: a write on one node takes the unit from the caches of all others. It is the future
// work of the KRD paper (V), after Schuff, Kulkarni and Pai, "Accelerating multicore reuse distance
// analysis with sampling and parallelization" (PACT 2010).
//
// The model is an LRU cache of C bytes on each node, for every C at once. A write elsewhere leaves
// free places in it; a byte that is brought in takes a free place if there is one, and replaces the
// least recently used byte otherwise. The bytes of a unit are touched by one access, which hits if
// all of them are there.
//
// # The stack
//
// Each node has a list of bytes and holes, and the cache of C bytes holds the bytes in the first C
// places (so that caches include smaller ones). The bytes are in the order of recency. Units that
// an access touches together are touched one after the other. A write elsewhere turns the unit's
// bytes into holes where they are. An access to a unit X of w bytes that is at the places p to
// p+w-1 hits if p + w <= C: its distance is p, holes counted, because the larger caches that do not
// hold them have free places there. X then goes to the top, and
//
//	the topmost hole bytes above p, as many as there are but at most w, say f, are taken out, and
//	the last f of the places p to p+w-1 become a hole; what else was above p goes down, into the first w-f.
//
// Without holes this is plain LRU. X that is not in the list takes its bytes from the list's end,
// which is one infinite hole.
//
// Proof that the first C places still are the cache of C bytes, for each C. Let g(c) be the hole
// bytes in the first c places before.
//
//   - C >= p + w: a hit. The cache holds what it held. The list has f hole bytes less above p and
//     f more below p + w <= C: the first C places hold the same.
//   - w <= C <= p: a miss of w bytes. g(C) places are free, so that min(g(C), w) bytes take free
//     places and the others push out the least recent bytes. The cache then has max(g(C)-w, 0) free
//     places. In the list, the holes among the first C places are topmost, so min(g(C), w) bytes of
//     them are taken out; what is pushed beyond place C is the last, which is the least recent.
//   - p < C < p + w: k = C - p bytes of X are there and w - k are missing; what must go for them,
//     free places used up, is max(w-k-g(p), 0) bytes, and the cache is left with max(k-w+g(p), 0)
//     free places. In the list the hole of f = min(g(p), w) bytes begins at place p+w-f, so that C
//   - (p+w-f) of its bytes, if that is positive, are among the first C: k-w+f. With f = g(p) that
//     is the number wanted; with f = w it is k, and above p another g(p)-w are left: the same.
//   - C < w: the cache holds C bytes of X and nothing else, as do the first C places.
//
// It does not matter in which order the bytes of X are touched. If one of them is pushed out before
// its turn, it comes in again and pushes out another byte in its place, until the other units have
// lost the bytes counted above.
//
// Holes with no unit between them cannot be told apart, nor will a unit ever come between (units
// come in at the top only): they may be merged. A hole below all units is as good as the infinite
// one behind it, and may be dropped. So a list of n units has at most n holes that matter, and
// memory is bounded by the units that are held.
//
// # Rejected
//
// Taking the invalidated unit out of the list, so that all below it rise, breaks inclusion: a unit
// that a small cache has pushed out would be back in it without an access. Filling the oldest hole
// instead of the topmost, as the program published with the paper does, leaves a hole in the small
// caches that they have filled. TestRejectedDesigns shows both.
package coherence
