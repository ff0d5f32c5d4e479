package fmm

import (
	"math"
	"slices"
)

// samples is how many bodies are compared with the direct sum; all if there are fewer.
const samples = 1000

// reference is the direct sum in double precision at some bodies.
type reference struct {
	in     *instance
	chosen []int32 // in the order of the tree
	fields []field
	scales []scale
	// how far each body of the tree is from where single precision has it; nil before compute
	moved []float32
}

// scale is the size of what adds up at a body: the sums of |q|/r and |q|/r^2; and how much they may
// change, to first order, if both bodies of each pair are moved to where single precision has them:
// the sums of |q| d/r^2 and 2 |q| d/r^3.
type scale struct{ p, a, movedP, movedA float64 }

// newReference draws the bodies; compute does the sums.
func newReference(in *instance, seed uint64) *reference {
	r := &reference{in: in}
	n := len(in.bodies)
	if n <= samples {
		for i := range n {
			r.chosen = append(r.chosen, int32(i))
		}
		return r
	}
	g := splitmix{mix(seed + 1)}
	seen := make(map[int32]bool, samples)
	for len(seen) < samples {
		seen[int32(g.below(n))] = true
	}
	for i := range seen {
		r.chosen = append(r.chosen, i)
	}
	slices.Sort(r.chosen)
	return r
}

// compute does the sums, once. Cost: about 3 ns for each chosen body and source.
func (r *reference) compute() {
	if r.fields != nil {
		return
	}
	r.fields = make([]field, len(r.chosen))
	r.scales = make([]scale, len(r.chosen))
	r.moved = make([]float32, len(r.in.bodies))
	for _, i := range r.in.leaves {
		if c := &r.in.cells[i]; !r.in.isFine(i) { // pairs with those are summed in double precision
			for j := c.lo; j < c.hi; j++ {
				b := &r.in.bodies[j]
				r.moved[j] = float32(length(b.x-float64(float32(b.x)), b.y-float64(float32(b.y)),
					b.z-float64(float32(b.z))))
			}
		}
	}
	share(len(r.chosen), 20, r.in.workers, func(lo, hi int) {
		const chunk = 512 // sources that stay in the first cache
		for s := 0; s < len(r.in.bodies); s += chunk {
			sources := r.in.bodies[s:min(s+chunk, len(r.in.bodies))]
			for i := lo; i < hi; i++ {
				r.add(i, sources, r.moved[s:])
			}
		}
	})
}

// add adds what the sources make at chosen body i.
func (r *reference) add(i int, sources []body, moved []float32) {
	at, own := r.in.bodies[r.chosen[i]], r.moved[r.chosen[i]]
	moved = moved[:len(sources)]
	var f field
	var p, a, mp, ma float64
	for j := range sources {
		b := &sources[j]
		x, y, z := b.x-at.x, b.y-at.y, b.z-at.z
		r2 := x*x + y*y + z*z
		if r2 == 0 {
			continue
		}
		inv := 1 / math.Sqrt(r2)
		v := b.q * inv
		g := v * inv
		f.p += v
		p += math.Abs(v)
		a += math.Abs(g)
		d := math.Abs(g) * float64(own+moved[j])
		mp += d
		ma += d * inv
		g *= inv
		f.x, f.y, f.z = f.x+g*x, f.y+g*y, f.z+g*z
	}
	to, scale := &r.fields[i], &r.scales[i]
	to.p, to.x, to.y, to.z = to.p+f.p, to.x+f.x, to.y+f.y, to.z+f.z
	scale.p, scale.a, scale.movedP, scale.movedA = scale.p+p, scale.a+a, scale.movedP+mp,
		scale.movedA+2*ma
}

// deviation is how far results are from the reference, for the potential or the acceleration.
type deviation struct {
	l2          float64 // the norm of all errors over that of all values
	median, p99 float64 // of the error of a body over its value
	// the norm of the sums of |q|/r or |q|/r^2 over that of all values, at least 1
	cancellation float64
	// the norm of what positions in single precision may change, over that of all values
	moved float64
}

// deviations compares the instance's results with the reference.
func (r *reference) deviations() (potential, acceleration deviation) {
	r.compute()
	n := len(r.chosen)
	var ps, as sums
	ps.each, as.each = make([]float64, 0, n), make([]float64, 0, n)
	for k, i := range r.chosen {
		got, want, scale := r.in.result(int(i)), r.fields[k], r.scales[k]
		ps.add(math.Abs(got.p-want.p), math.Abs(want.p), scale.p, scale.movedP)
		as.add(length(got.x-want.x, got.y-want.y, got.z-want.z), length(want.x, want.y, want.z),
			scale.a, scale.movedA)
	}
	return ps.deviation(), as.deviation()
}

func length(x, y, z float64) float64 { return math.Sqrt(x*x + y*y + z*z) }

// sums are squares of errors, values, scales and changes by rounding, and each relative error.
type sums struct {
	errors, values, scales, moved float64
	each                          []float64
}

func (s *sums) add(err, value, scale, moved float64) {
	s.moved += moved * moved
	s.errors += err * err
	s.values += value * value
	s.scales += scale * scale
	s.each = append(s.each, ratio(err, value))
}

func (s *sums) deviation() deviation {
	slices.Sort(s.each)
	norm := math.Sqrt(s.values)
	d := deviation{
		l2: ratio(math.Sqrt(s.errors), norm), cancellation: ratio(math.Sqrt(s.scales), norm),
		moved: ratio(math.Sqrt(s.moved), norm),
	}
	if n := len(s.each); n > 0 {
		d.median, d.p99 = s.each[n/2], s.each[min(n-1, n*99/100)]
	}
	return d
}

// ratio returns a/b, and 0 for 0/0: nothing where there should be nothing.
func ratio(a, b float64) float64 {
	if a == 0 {
		return 0
	}
	return a / b
}
