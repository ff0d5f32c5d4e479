package fmm

import "math"

// frame maps the caller's coordinates and charges to those of the computation, (x - middle)/length
// and q/charge, which do not exceed 1. Both units are powers of two, so that divisions by them do
// not round. The middle is the mean position: single precision is finest where most bodies are.
type frame struct {
	x, y, z        float64
	length, charge float64
}

func newFrame(bodies []body) frame {
	f := frame{length: 1, charge: 1}
	if len(bodies) == 0 {
		return f
	}
	for i := range bodies {
		f.x, f.y, f.z = f.x+bodies[i].x, f.y+bodies[i].y, f.z+bodies[i].z
	}
	n := float64(len(bodies))
	f.x, f.y, f.z = f.x/n, f.y/n, f.z/n
	var extent, charge float64
	for i := range bodies {
		b := &bodies[i]
		extent = max(extent, math.Abs(b.x-f.x), math.Abs(b.y-f.y), math.Abs(b.z-f.z))
		charge = max(charge, math.Abs(b.q))
	}
	f.length, f.charge = powerAbove(extent), powerAbove(charge)
	return f
}

// powerAbove returns the least power of two above v, 1 for 0.
func powerAbove(v float64) float64 {
	if v == 0 {
		return 1
	}
	_, e := math.Frexp(v)
	return math.Ldexp(1, e)
}

func (f *frame) normal(b body) body {
	return body{(b.x - f.x) / f.length, (b.y - f.y) / f.length, (b.z - f.z) / f.length,
		b.q / f.charge}
}

// field is a potential and its gradient.
type field struct{ p, x, y, z float64 }

// denormal turns a field of the computation into the caller's units.
func (f *frame) denormal(v field) field {
	p := f.charge / f.length
	a := p / f.length
	return field{v.p * p, v.x * a, v.y * a, v.z * a}
}
