package fmm

import (
	"fmt"
	"math"

	"krdlab/kernels/fmm/laplace"
	"krdlab/kernels/kernel"
)

// bounds are the largest L2 errors that a correct run has, relative to the L2 norms of the exact
// values:
//
//	acceleration   K_a (A(P) S f^(1/3) theta^(P+1) + 1e-5) + D_a
//	potential      K_p (B(P) S f^(1/2) theta^(P+1) + 1e-6) + D_p
//
// Series that are cut at degree P leave theta^(P+1) of an interaction (Dehnen 2002, 3.1), theta
// being that at which most interactions happen: that of a leaf of mean size, which holds the share
// f of the whole. The contribution of its neighbours to the acceleration of a body is to the whole
// as f/(f^(1/3))^2 (distances are as the cube roots of shares); to the potential as f^(2/3), but
// there heavy cells err as well, as expansions of multipoles end one degree earlier, and f^(1/2)
// fits better. K is the L2 norm of sum |q|/r^2 or |q|/r over that of the values: terms that cancel
// do not cancel in the errors. S = sqrt(10/n) for leaves of a mean n below 10 bodies: the fewer
// there are, the less their higher moments average out. The second terms are rounding of the
// arithmetic, and D is the change by positions in single precision, computed with the reference: it
// is felt where two bodies are very near to each other.
//
// A and B are three times the largest found with plummer, sphere and cube of 500 to 1000000 bodies
// in leaves of up to 32, theta 0.3 to 0.85 (of the largest fewer combinations); the medians found
// are a sixth to a twentieth of A, a thirteenth of B or less.
type bounds struct{ potential, acceleration float64 }

// marginA and marginB are A and B by order.
var (
	marginA = [laplace.MaxOrder + 1]float64{2: 1.2, 3: 0.4, 4: 0.2, 5: 0.15, 6: 0.15, 7: 0.15,
		8: 0.15, 9: 0.15, 10: 0.15}
	marginB = [laplace.MaxOrder + 1]float64{2: 0.7, 3: 0.2, 4: 0.12, 5: 0.07, 6: 0.03, 7: 0.03,
		8: 0.03, 9: 0.03, 10: 0.03}
)

// bounds returns the bounds for results in which so much cancels.
func (in *instance) bounds(potential, acceleration deviation) bounds {
	f := 1 / float64(max(1, len(in.leaves)))
	theta := 1 / acceptance{in.order, in.theta}.opening(f)
	cut := power(theta, in.order+1) * math.Sqrt(max(1,
		10*float64(len(in.leaves))/float64(max(1, len(in.bodies)))))
	if in.count().m2l == 0 {
		cut = 0 // everything is summed directly
	}
	return bounds{
		potential: max(1, potential.cancellation)*(marginB[in.order]*math.Sqrt(f)*cut+1e-6) +
			potential.moved,
		acceleration: max(1, acceleration.cancellation)*(marginA[in.order]*math.Cbrt(f)*cut+1e-5) +
			acceleration.moved,
	}
}

// Check makes the downward pass, looks whether each body has met each other one exactly once, and
// compares a sample of bodies with the direct sum.
func (in *instance) Check() kernel.Check {
	in.downward()
	p, a := in.reference.deviations()
	b := in.bounds(p, a)
	n := len(in.reference.chosen)
	c := kernel.Check{
		Error: a.l2, Tolerance: b.acceleration,
		Method: fmt.Sprintf("L2 error of acceleration at %d bodies, direct sum in double precision",
			n),
	}
	if !(p.l2/b.potential <= a.l2/b.acceleration) { // or it is not a number
		c.Error, c.Tolerance = p.l2, b.potential
		c.Method = fmt.Sprintf("L2 error of potential at %d bodies, direct sum in double precision",
			n)
	}
	c.Passed = c.Error <= c.Tolerance
	if !c.Passed {
		c.Detail = "it is larger than expansions of this order and theta make"
	}
	if leaf, ok := in.unmet(); ok {
		c.Passed, c.Error, c.Tolerance = false, 1, 0
		c.Method = "each body meets each other one once"
		c.Detail = fmt.Sprintf("leaf %d of %d has not met each body once: an interaction was "+
			"left out or done twice", leaf, len(in.leaves))
	}
	for _, l := range []struct {
		name  string
		d     deviation
		bound float64
	}{{"potential", p, b.potential}, {"acceleration", a, b.acceleration}} {
		c.Lines = append(c.Lines, fmt.Sprintf("%-12s L2 error %.2e (bound %.2e), median %.2e, "+
			"99th percentile %.2e, %d bodies",
			l.name, l.d.l2, l.bound, l.d.median, l.d.p99, n))
	}
	return c
}

// unmet returns the first leaf whose bodies have not met each body of the tree once. The downward
// pass has been made.
func (in *instance) unmet() (leaf int, found bool) {
	for k, i := range in.leaves {
		if in.met[i] != in.ids[0] {
			return k, true
		}
	}
	return 0, false
}
