// Package dense implements the numerical half of matmul: single-precision matrices cut into blocks,
// the leaf kernel C += A B on one block of each, seeded inputs and the check of a product.
//
// A [Matrix] has its partition into blocks whatever its [Layout]; a [Multiplier] is made once for
// three matrices and an instruction set, and its Leaf multiplies one block of A by one of B into
// one of C. Which leaves run, in which order and on which worker is decided elsewhere.
//
// # Numbers
//
// With integer inputs of magnitude at most 8 ([Integers]) every product is at most 64 and every
// partial sum of an inner dimension k at most 64 k. Up to k = 2^18 that is within 2^24, below which
// float32 holds every integer, so the result does not depend on the order of additions and
// [Checker] demands a residual of exactly 0. [ExactInner] is that limit; beyond it, and for other
// inputs, the product is rounded, may depend on the order of the leaves, and is checked
// statistically.
//
// # Speed
//
// The kernels read row-major blocks as they are. Tried beside it, with the whole divide and conquer
// at n = 4096 on one Zen 5 core: micro-tiles of 12x32 and 14x32 (no faster than 8x32); prefetching
// the next blocks of A and C as well as of B (no faster than B alone, which gives 3-5 %), and into
// the first-level cache instead of the second (the same). Packing A and B into panels was not
// needed: a leaf runs as fast from the second-level cache as from the first.
package dense

//go:generate go run ./gen
