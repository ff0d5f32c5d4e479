// Package laplace implements the numerical half of the fast multipole method for 1/r in three
// dimensions: Cartesian Taylor expansions of order 2 to 10, the operators between them, and direct
// sums. Which cells meet, in which order and on which worker is decided elsewhere.
//
// # Equations
//
// Potential and acceleration of N bodies with charges or masses q, bodies at distance 0 left out:
//
//	phi(x) = sum q_b / |x - x_b|,    a(x) = grad phi(x)                                    (1)
//
// Let x = X_i + y lie in cell i about X_i and x_b in cell j about X_j; R = X_i - X_j, D_n(R) the
// n-th partial derivative of 1/|R|, n = (n_x, n_y, n_z) a multi-index with |n| = n_x + n_y + n_z,
// n! = n_x! n_y! n_z!, y^n = y_x^n_x y_y^n_y y_z^n_z. The Taylor series of 1/|R + y + (X_j - x_b)|
// about R, by the binomial theorem, is the sum over n and k of y^n/n! (X_j - x_b)^k/k! D_{n+k}(R).
// Cut at |n| + |k| <= P it falls apart into
//
//	P2M    M_k = sum q_b (X_j - x_b)^k / k!                          |k| <= P-1            (2)
//	M2M    M'_k = sum over m <= k of M_m s^(k-m)/(k-m)!              s = X' - X            (3)
//	M2L    L_n = sum over |k| <= P-|n| of M_k D_{n+k}(R)             |n| <= P              (4)
//	L2L    L'_n = sum over m of L_{n+m} d^m/m!                       d = X' - X            (5)
//	L2P    phi = sum of L_n y^n/n!,  a_e = sum over |n| < P of L_{n+e} y^n/n!
//
// M_k of |k| = P would enter L_0 only, which acceleration does not see. (Dehnen, "A hierarchical
// O(N) force calculation algorithm", J. Comput. Phys. 179, 2002, eqs. 2-8; Yokota, "An FMM based on
// dual tree traversal for many-core architectures", J. Algorithms Comput. Technol. 7, 2013; signs
// as here.)
//
// # Laplace's equation
//
// 1/r is harmonic:
//
//	D_{n+2e_x} + D_{n+2e_y} + D_{n+2e_z} = 0                                               (6)
//
// so of the derivatives of degree m only the 2m+1 with n_z <= 1 are independent. Locals are sums of
// derivatives and obey (6) as well; a multipole with k_z >= 2 can be handed to k - 2e_z + 2e_x and
// k - 2e_z + 2e_y with its sign changed, for it meets only derivatives. Both are exact within each
// degree, so nothing but rounding differs from the full series: at P = 5 36 locals instead of 56,
// 25 multipoles (22 without dipoles) instead of 35, and 215 products in an M2L instead of 336.
// [Terms] lists them. (Hinsen and Felderhof, "Reduced description of electric multipole potential
// in Cartesian coordinates", J. Math. Phys. 33, 1992.)
//
// # Derivatives
//
// With u = R/r, D_n = T_n(u) / r^(|n|+1), and T has the recurrence, from the |n|-th derivatives of
// r^2 (1/r)' = -x (1/r),
//
//	|n| T_n + (2|n|-1) sum_i n_i u_i T_{n-e_i} + (|n|-1) sum_i n_i (n_i-1) T_{n-2e_i} = 0  (7)
//
// or the closed form, with c_i(m) = m!/(2^i i! (m-2i)!), where the sum over z has one term if n_z
// <= 1,
//
//	T_n = sum over i, j, l of (-1)^h (2h-1)!! c_i(n_x) c_j(n_y) c_l(n_z)
//	      u_x^(n_x-2i) u_y^(n_y-2j) u_z^(n_z-2l),   h = |n|-i-j-l                          (8)
//
// T_n(-u) = (-1)^|n| T_n(u): one tensor serves both directions of a pair.
//
// # Numbers
//
// Coefficients are single precision and have no dimension of length: see [Centre]. With s_i and s_j
// the scales,
//
//	L_n s_i^|n| = (1/r) (s_i/r)^|n| sum over k of (s_j/r)^|k| (M_k / s_j^|k|) T_{n+k}(u)   (4')
//
// M2L needs T only, which is of the size of |n|! at most, so that nothing overflows; that is why
// the closed form may be used in single precision although its terms cancel: the digits that a high
// degree loses are those that the powers of s/r take from it anyway.
//
// # Speed
//
// Nanoseconds on one core of a 2-core Zen 5 VM at 3.8 GHz, in the first-level cache, the best batch
// of 256 calls (go test -bench; AVX-512, AVX2, portable); a pair is a distance seen from one
// target:
//
//	M2LMutual, order 5      27, 57 (some processes 100), 320
//	M2LMutual, order 10     2300 (all; assembly, which there was, 209 and 315)
//	M2L, order 5            23, 46, 305
//	P2PMutual, 12 x 12      54, 83, 800 (5.3, 3.4, 0.36 G pairs/s)
//	P2M, L2P of 12 bodies   46 and 44, 56 and 74, 420 and 830 (order 5)
//	M2M, L2L, order 5       195, 240 (all)
//
// The AVX2 kernel has its time from process to process: it goes through memory on the stack, and
// which cells lie in the same place of a page as that differs; this cause is a guess. With cells
// out of the third-level cache an M2LMutual of order 5 takes about 120 ns, and 60 where they were
// prefetched four calls ahead, which costs 2 ns elsewhere and was not kept.
//
// What makes M2L short: a third of the products is gone with (6); the closed form (8) has no chain
// from degree to degree, so that its polynomials fill all lanes at once; up to order 5 all
// derivatives fit registers and one permutation for each multipole lines them up with the locals,
// for both directions. Above (and with AVX2, which lacks that permutation) they go through memory
// in an order that makes them contiguous, see gen. Orders above 6 are Go: their assembly
// was two thirds of all and hardly run. The recurrence (7) by vectors would wait for
// five degrees in turn; a batch of pairs transposed into lanes would need about 90 instructions a
// pair at order 5 where the single pair has 280, but a list of partners for each call: estimated,
// not built. P2M and L2P are assembly at orders 3 to 6, Go at others; M2M and L2L are Go.
//
// P2P runs at about 2.2 vector instructions a cycle whichever of them is left out. Two sources a
// turn of the loop gain nothing (measured). Summing both directions of a pair in one pass needs a
// sum over lanes for each source: by count of instructions it would save a tenth (estimated, not
// built).
package laplace

//go:generate go run ./gen
