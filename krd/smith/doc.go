// Package smith predicts the misses of a cache from reuse distances: distances of an exact or
// approximate engine of krd, a capacity, a number of ways and a line size.
//
// A fully associative LRU cache of C bytes is decided by the distance alone: an access to s bytes
// at distance D hits if D + s <= C (Mattson, Gecsei, Slutz and Traiger, IBM Syst. J. 9, 1970). For
// W ways in S sets the distance gives an expectation: if the lines touched in between fall into the
// sets independently and evenly, the number that fell into the set of a given line is binomial, and
// the line is gone if there were W of them or more. With lines of L bytes
//
//	d = (D + s)/L - 1 other lines,  S = C / (L W),  P(miss) = P[Binomial(d, 1/S) >= W] = I_{1/S}(W, d - W + 1)
//
// I being the regularised incomplete beta function. For W = C/L this is the rule of the fully
// associative cache, for W = 1 it is 1 - (1 - 1/S)^d.
//
// Sources: A. J. Smith, A comparative study of set associative memory mapping algorithms and their
// use for cache and main memory, IEEE Trans. Softw. Eng. SE-4 (1978); M. D. Hill and A. J. Smith,
// Evaluating associativity in CPU caches, IEEE Trans. Comput. 38 (1989), who show where it holds.
//
// When it fails: see [Caveat]. docs/misses.md has measured comparisons.
//
// Rejected: a full table over d (one float64 for each line of a last-level cache and more:
// megabytes, and a cache miss an access); splines (exact slopes are not worth their code: linear
// interpolation is below a millionth already).
package smith

// Caveat has to stand beside a prediction for a cache that is not fully associative.
const Caveat = "expected misses after Smith (1978): LRU sets chosen by a hash that spreads lines " +
	"evenly, all sets alike. " +
	"Where the index is plain address bits and data lies at strides of powers of two, a few sets " +
	"take everything, " +
	"and the cache misses far more than predicted. No prefetching, one level, nobody else's lines."
