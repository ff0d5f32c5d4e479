package main

import (
	"fmt"
	"math"
	"slices"
)

// luClass is a size of LU: points along an edge, steps and their length, and, after all steps, the
// norms of the residuals and of the errors of the five components, and the surface integral.
type luClass struct {
	n, steps int
	dt       float64
	want     []float64
}

var luClasses = [...]luClass{
	{12, 50, 0.5, []float64{
		1.6196343210976702e-02, 2.1976745164821318e-03, 1.5179927653399185e-03, 1.5029584435994323e-03,
		3.4264073155896461e-02, 6.4223319957960924e-04, 8.4144342047347926e-05, 5.8588269616485186e-05,
		5.8474222595157350e-05, 1.3103347914111294e-03, 7.8418928865937083}},
	{33, 300, 1.5e-3, []float64{
		12.36511638192, 1.317228477799, 2.550120713095, 2.326187750252, 28.26799444189, 0.4867877144216,
		0.05064652880982, 0.09281818101960, 0.08570126542733, 1.084277417792, 11.61399311023}},
	{64, 250, 2, []float64{
		7.7902107606689367e+02, 6.3402765259692870e+01, 1.9499249727292479e+02, 1.7845301160418537e+02,
		1.8384760349464247e+03, 2.9964085685471943e+01, 2.8194576365003349, 7.3473412698774742,
		6.7139225687777051, 7.0715315688392578e+01, 2.6030925604886277e+01}},
}

// Constants of the flow, where c1 is the ratio of the specific heats and c2 is c1 - 1. In NPB
// viscosity is c3 c4, and conductivity c1 c3 c4 c5, with c5 = c1.
const (
	c1, c2       = 1.4, 0.4
	viscosity    = 0.1
	conductivity = c1 * c1 * viscosity
	damping      = 0.25 // of fourth differences
	relaxation   = 1.2  // omega of SSOR
)

// diffusion is the coefficient of second differences along each axis.
var diffusion = [3]float64{0.75, 0.75, 1}

// state is density, the three components of momentum, and energy.
type state [5]float64

// block is a Jacobian matrix of fluxes.
type block [5]state

// flow is a compressible flow in a cube of n x n x n points, x by x, then y by y.
type flow struct {
	n                   int     // points along an edge
	stride              [3]int  // between points that follow along an axis
	dt                  float64 // of a step
	t1, t2, t3          float64 // 1/h^2, 1/2h, 1/h, where points are h apart
	u, residual, forces []state
	solution            []state   // that forces keep as it is
	kinetic, volume     []float64 // energy of the motion, and 1/density
	diagonal            []block   // of a plane, as are those beside it
	beside              [3][]block
	flux                []state // of a line
}

// runLU solves the Navier-Stokes equations for a compressible flow, whose solution is known, by
// symmetric successive over-relaxation: each step sweeps from the first plane to the last and back.
func runLU(class, steps int) (string, []float64, []float64) {
	c := luClasses[class]
	f := newFlow(c.n, c.dt)
	f.setForces()
	f.setInterior()
	f.setResidual()
	for range steps {
		f.step()
	}
	residual, wrong, surface := f.norm(f.residual), f.norm(f.errors()), f.surfaceIntegral()
	got := slices.Concat(residual[:], wrong[:], []float64{surface})
	return fmt.Sprintf("%d points along an edge, residual %.13g, error %.13g, surface integral %.13g",
		c.n, residual[0], wrong[0], surface), got, c.want
}

func newFlow(n int, dt float64) *flow {
	points, plane, h := n*n*n, n*n, 1/float64(n-1)
	return &flow{
		n: n, stride: [3]int{1, n, plane}, dt: dt, t1: 1 / (h * h), t2: 1 / (2 * h), t3: 1 / h,
		u: make([]state, points), residual: make([]state, points),
		forces: make([]state, points), solution: make([]state, points),
		kinetic: make([]float64, points), volume: make([]float64, points),
		diagonal: make([]block, plane),
		beside:   [3][]block{make([]block, plane), make([]block, plane), make([]block, plane)},
		flux:     make([]state, n),
	}
}

// at returns the index of a point.
func (f *flow) at(x, y, z int) int { return (z*f.n+y)*f.n + x }

// step makes a step in time: the residual, times dt, becomes the change v of u.
func (f *flow) step() {
	v := f.residual
	for i := range v {
		for m := range v[i] {
			v[i][m] *= f.dt
		}
	}
	for z := 1; z < f.n-1; z++ {
		f.jacobians(z, -1)
		f.sweepUp(v, z)
	}
	for z := f.n - 2; z > 0; z-- {
		f.jacobians(z, 1)
		f.sweepDown(v, z)
	}
	for i := range v {
		for m := range v[i] {
			f.u[i][m] += v[i][m] / (relaxation * (2 - relaxation))
		}
	}
	f.setResidual()
}

// sweepUp solves the block lower triangular system for a plane, where those before are solved.
func (f *flow) sweepUp(v []state, z int) {
	for y := 1; y < f.n-1; y++ {
		for x := 1; x < f.n-1; x++ {
			i, at := y*f.n+x, f.at(x, y, z)
			right := v[at]
			for axis, stride := range f.stride {
				subtract(&right, relaxation, &f.beside[axis][i], &v[at-stride])
			}
			v[at] = solve(f.diagonal[i], right)
		}
	}
}

// sweepDown solves the block upper triangular system for a plane, where those behind are solved.
func (f *flow) sweepDown(v []state, z int) {
	for y := f.n - 2; y > 0; y-- {
		for x := f.n - 2; x > 0; x-- {
			i, at := y*f.n+x, f.at(x, y, z)
			var right state
			for axis, stride := range f.stride {
				subtract(&right, relaxation, &f.beside[axis][i], &v[at+stride])
			}
			change := solve(f.diagonal[i], right)
			for m := range change {
				v[at][m] += change[m]
			}
		}
	}
}

// subtract computes y -= c A x.
func subtract(y *state, c float64, a *block, x *state) {
	for m := range y {
		sum := 0.0
		for l := range x {
			sum += a[m][l] * x[l]
		}
		y[m] -= c * sum
	}
}

// solve returns the solution of A x = b, by elimination without pivoting.
func solve(a block, b state) state {
	for p := range a {
		for m := p + 1; m < len(a); m++ {
			factor := a[m][p] / a[p][p]
			for l := p + 1; l < len(a); l++ {
				a[m][l] -= factor * a[p][l]
			}
			b[m] -= factor * b[p]
		}
	}
	for m := len(a) - 1; m >= 0; m-- {
		for l := m + 1; l < len(a); l++ {
			b[m] -= a[m][l] * b[l]
		}
		b[m] /= a[m][m]
	}
	return b
}

// jacobians sets for each point of a plane the block of the diagonal, and those of the neighbours
// before it along each axis (side -1) or behind it (side 1).
func (f *flow) jacobians(z, side int) {
	for y := 1; y < f.n-1; y++ {
		for x := 1; x < f.n-1; x++ {
			i, at := y*f.n+x, f.at(x, y, z)
			d := &f.diagonal[i]
			*d = block{}
			for axis, stride := range f.stride {
				f.addDiffusive(d, 2*f.dt*f.t1, axis, at)
				b := &f.beside[axis][i]
				*b = block{}
				f.addConvective(b, float64(side)*f.dt*f.t2, axis, at+side*stride)
				f.addDiffusive(b, -f.dt*f.t1, axis, at+side*stride)
			}
			for m := range d {
				d[m][m]++
			}
		}
	}
}

// addConvective adds c times the Jacobian of the convective flux along an axis at a point.
func (f *flow) addConvective(b *block, c float64, axis, at int) {
	u := &f.u[at]
	a, volume := axis+1, f.volume[at]
	speed, kinetic := u[a]*volume, f.kinetic[at]*volume
	b[0][a] += c
	for m := 1; m <= 3; m++ {
		b[m][0] -= c * speed * u[m] * volume
		b[m][m] += c * speed
		b[m][a] += c * u[m] * volume
		b[a][m] -= c * c2 * u[m] * volume
		b[4][m] -= c * c2 * speed * u[m] * volume
	}
	b[a][0] += c * c2 * kinetic
	b[a][4] += c * c2
	b[4][0] += c * speed * (2*c2*kinetic - c1*u[4]*volume)
	b[4][a] += c * (c1*u[4]*volume - c2*kinetic)
	b[4][4] += c * c1 * speed
}

// addDiffusive adds c times the Jacobian of the viscous flux along an axis at a point, and c times
// the diffusion.
func (f *flow) addDiffusive(b *block, c float64, axis, at int) {
	u := &f.u[at]
	volume := f.volume[at]
	b[4][0] -= c * conductivity * volume * volume * u[4]
	for m := 1; m <= 3; m++ {
		along := viscosity
		if m == axis+1 {
			along *= 4.0 / 3
		}
		v := u[m] * volume
		b[m][0] -= c * along * volume * v
		b[m][m] += c * along * volume
		b[4][0] -= c * (along - conductivity) * volume * v * v
		b[4][m] += c * (along - conductivity) * volume * v
	}
	b[4][4] += c * conductivity * volume
	for m := range b {
		b[m][m] += c * diffusion[axis]
	}
}

// setResidual sets the residual to the fluxes into each point minus the forces.
func (f *flow) setResidual() {
	for i := range f.residual {
		for m := range f.residual[i] {
			f.residual[i][m] = -f.forces[i][m]
		}
	}
	f.addFluxes(f.residual)
}

// addFluxes adds what flows into each point inside, by u.
func (f *flow) addFluxes(to []state) {
	for i := range f.u {
		u := &f.u[i]
		f.volume[i] = 1 / u[0]
		f.kinetic[i] = 0.5 * (u[1]*u[1] + u[2]*u[2] + u[3]*u[3]) * f.volume[i]
	}
	for axis, other := range [3][2]int{{2, 1}, {2, 0}, {1, 0}} {
		for a := 1; a < f.n-1; a++ {
			for b := 1; b < f.n-1; b++ {
				from := a*f.stride[other[0]] + b*f.stride[other[1]]
				f.addConvection(to, axis, from)
				f.addViscosity(to, axis, from)
				f.addDamping(to, axis, from)
			}
		}
	}
}

// addConvection adds the differences of convective fluxes along a line.
func (f *flow) addConvection(to []state, axis, from int) {
	a, stride := axis+1, f.stride[axis]
	for i := range f.flux {
		at := from + i*stride
		u, flux := &f.u[at], &f.flux[i]
		speed, kinetic := u[a]*f.volume[at], f.kinetic[at]
		flux[0] = u[a]
		for m := 1; m <= 3; m++ {
			flux[m] = u[m] * speed
		}
		flux[a] += c2 * (u[4] - kinetic)
		flux[4] = (c1*u[4] - c2*kinetic) * speed
	}
	for i := 1; i < f.n-1; i++ {
		r := &to[from+i*stride]
		for m := range r {
			r[m] -= f.t2 * (f.flux[i+1][m] - f.flux[i-1][m])
		}
	}
}

// addViscosity adds the differences of viscous fluxes along a line, and second differences.
func (f *flow) addViscosity(to []state, axis, from int) {
	a, stride := axis+1, f.stride[axis]
	for i := 1; i < f.n; i++ {
		at := from + i*stride
		flux, before, here := &f.flux[i], f.velocity(at-stride), f.velocity(at)
		squares := 0.0
		for m := 1; m <= 3; m++ {
			flux[m] = f.t3 * (here[m] - before[m])
			squares += here[m]*here[m] - before[m]*before[m]
		}
		flux[a] *= 4.0 / 3
		flux[4] = f.t3 * ((1-c1*c1)/2*squares + (here[a]*here[a]-before[a]*before[a])/6 +
			c1*c1*(here[4]-before[4]))
	}
	for i := 1; i < f.n-1; i++ {
		at := from + i*stride
		r, before, here, behind := &to[at], &f.u[at-stride], &f.u[at], &f.u[at+stride]
		for m := range r {
			r[m] += diffusion[axis] * f.t1 * (before[m] - 2*here[m] + behind[m])
			if m > 0 {
				r[m] += f.t3 * viscosity * (f.flux[i+1][m] - f.flux[i][m])
			}
		}
	}
}

// velocity returns the state of a point over its density.
func (f *flow) velocity(at int) state {
	v, volume := f.u[at], f.volume[at]
	for m := range v {
		v[m] *= volume
	}
	return v
}

// addDamping subtracts fourth differences along a line, without points of the surface.
func (f *flow) addDamping(to []state, axis, from int) {
	stride, last := f.stride[axis], f.n-2
	for i := 1; i <= last; i++ {
		r := &to[from+i*stride]
		for offset, weight := range [5]float64{1, -4, 6, -4, 1} {
			j := i + offset - 2
			if j < 1 || j > last {
				continue
			}
			if j == i && (i == 1 || i == last) {
				weight--
			}
			u := &f.u[from+j*stride]
			for m := range r {
				r[m] -= damping * weight * u[m]
			}
		}
	}
}

// polynomials are the coefficients of the solution: a constant and, for each axis, the first to the
// fourth power.
var polynomials = [5]struct {
	constant float64
	axis     [3][4]float64
}{
	{2, [3][4]float64{{0, 5, 0.02, 0.5}, {0, 3, 0.01, 0.4}, {4, 0.5, 0.03, 0.3}}},
	{1, [3][4]float64{{0, 1, 0.01, 0.4}, {0, 2, 0.03, 0.3}, {0, 3, 0.02, 0.5}}},
	{2, [3][4]float64{{2, 0, 0.04, 0.3}, {0, 2, 0.03, 0.5}, {0, 3, 0.05, 0.4}}},
	{2, [3][4]float64{{2, 0, 0.03, 0.2}, {0, 2, 0.05, 0.1}, {0, 3, 0.04, 0.3}}},
	{5, [3][4]float64{{4, 0.1, 0.05, 0.1}, {3, 0.4, 0.04, 0.3}, {2, 0.3, 0.03, 0.2}}},
}

// exact returns the solution at a point.
func (f *flow) exact(x, y, z int) (u state) {
	for m, p := range polynomials {
		u[m] = p.constant
		for axis, i := range [3]int{x, y, z} {
			c, t := p.axis[axis], float64(i)/float64(f.n-1)
			u[m] += t * (c[0] + t*(c[1]+t*(c[2]+t*c[3])))
		}
	}
	return u
}

// setForces sets the solution, and the forces that keep it as it is.
func (f *flow) setForces() {
	for z := range f.n {
		for y := range f.n {
			for x := range f.n {
				at := f.at(x, y, z)
				f.solution[at] = f.exact(x, y, z)
			}
		}
	}
	copy(f.u, f.solution)
	f.addFluxes(f.forces)
}

// setInterior sets u inside by what it is on the surface.
func (f *flow) setInterior() {
	for z := 1; z < f.n-1; z++ {
		for y := 1; y < f.n-1; y++ {
			for x := 1; x < f.n-1; x++ {
				at := f.at(x, y, z)
				f.u[at] = f.interpolated(x, y, z)
			}
		}
	}
}

// interpolated returns the transfinite interpolation of the surface at a point.
func (f *flow) interpolated(x, y, z int) (u state) {
	last := f.n - 1
	between := func(from, to int, i, m int) float64 {
		t := float64(i) / float64(last)
		return (1-t)*f.solution[from][m] + t*f.solution[to][m]
	}
	for m := range u {
		a := between(f.at(0, y, z), f.at(last, y, z), x, m)
		b := between(f.at(x, 0, z), f.at(x, last, z), y, m)
		c := between(f.at(x, y, 0), f.at(x, y, last), z, m)
		u[m] = a + b + c - a*b - b*c - c*a + a*b*c
	}
	return u
}

// errors returns how far u is from the solution.
func (f *flow) errors() []state {
	wrong := slices.Clone(f.solution)
	for at := range wrong {
		for m := range wrong[at] {
			wrong[at][m] -= f.u[at][m]
		}
	}
	return wrong
}

// norm returns the root of the mean square of each component inside; v is 0 on the surface.
func (f *flow) norm(v []state) (sum state) {
	for at := range v {
		for m, e := range v[at] {
			sum[m] += e * e
		}
	}
	inner := float64(f.n - 2)
	for m := range sum {
		sum[m] = math.Sqrt(sum[m] / (inner * inner * inner))
	}
	return sum
}

// surfaceIntegral integrates the pressure over the surface of a box inside.
func (f *flow) surfaceIntegral() float64 {
	first, last := [3]int{1, 1, 2}, [3]int{f.n - 2, f.n - 3, f.n - 2}
	sum := 0.0
	for axis := range first {
		a, b := (axis+1)%3, (axis+2)%3
		for _, side := range []int{first[axis], last[axis]} {
			for i := first[a]; i < last[a]; i++ {
				for j := first[b]; j < last[b]; j++ {
					at := side*f.stride[axis] + i*f.stride[a] + j*f.stride[b]
					sum += f.pressure(at) + f.pressure(at+f.stride[a]) + f.pressure(at+f.stride[b]) +
						f.pressure(at+f.stride[a]+f.stride[b])
				}
			}
		}
	}
	return sum / 4 / f.t1
}

// pressure returns the pressure at a point.
func (f *flow) pressure(at int) float64 { return c2 * (f.u[at][4] - f.kinetic[at]) }
