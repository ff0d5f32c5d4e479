package fmm

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"krdlab/hw"
	"krdlab/hw/hwtest"
	"krdlab/hw/hwtest/long"
	"krdlab/kernels/kernel"
)

// direct returns the field at body i of the caller's bodies, in their units, from the definition.
func direct(bodies []body, i int) field {
	var f field
	a := bodies[i]
	for _, b := range bodies {
		x, y, z := b.x-a.x, b.y-a.y, b.z-a.z
		r := math.Hypot(math.Hypot(x, y), z)
		if r == 0 {
			continue
		}
		f.p += b.q / r
		f.x, f.y, f.z = f.x+b.q/r*(x/r)/r, f.y+b.q/r*(y/r)/r, f.z+b.q/r*(z/r)/r
	}
	return f
}

// Inputs of all kinds pass the check, and its reference is the definition.
func TestInputs(t *testing.T) {
	inputs := scattered()
	inputs["none"] = nil
	for name, bodies := range inputs {
		for _, p := range []kernel.Params{{}, {"mutual": "false"}, {"ncrit": 2, "order": 3},
			{"isa": "portable", "order": 7, "ncrit": 10}} {
			t.Run(fmt.Sprintf("%s/%v", name, p), func(t *testing.T) {
				in := of(t, p, bodies)
				if len(bodies) > 0 {
					run(t, in)
				}
				c := in.Check()
				if !c.Passed {
					t.Errorf("%+v", c)
				}
				for k, i := range in.reference.chosen {
					got, want := in.denormal(in.reference.fields[k]),
						direct(bodies, int(in.origin[i]))
					s := in.reference.scales[k]
					p := in.denormal(field{p: s.p, x: s.a}) // what adds up
					if math.Abs(got.p-want.p) > 1e-7*p.p || length(got.x/p.x-want.x/p.x,
						got.y/p.x-want.y/p.x, got.z/p.x-want.z/p.x) > 1e-7 {
						t.Fatalf("body %d: reference %+v, definition %+v", i, got, want)
					}
				}
			})
		}
	}
}

// Errors fall with the order and grow with theta, as fast as the series does, until only rounding
// is left; and they are within their bounds.
func TestConvergence(t *testing.T) {
	hwtest.SkipRace(t)
	for _, dist := range distributions {
		bodies := generate(dist, long.Or(1000, 3000), 1, 10, 11)
		thetas := []float64{0.3, 0.5, 0.7}
		var last [3]deviation
		for order := 2; order <= 10; order += long.Or(2, 1) {
			var smaller deviation
			for k, theta := range thetas {
				in := of(t, kernel.Params{"order": order, "theta": strconv.FormatFloat(theta, 'g',
					-1, 64), "ncrit": 16}, bodies)
				run(t, in)
				if c := in.Check(); !c.Passed {
					t.Errorf("%s order %d theta %g: %+v", dist, order, theta, c)
				}
				p, a := in.reference.deviations()
				floor := 2e-5 // single precision
				if order > 2 && a.l2 > floor && a.l2 > 0.75*last[k].l2 {
					t.Errorf("%s order %d theta %g: error %g, of a lower order %g", dist, order,
						theta, a.l2, last[k].l2)
				}
				if k > 0 && a.l2 > floor && a.l2 < 1.5*smaller.l2 {
					t.Errorf("%s order %d theta %g: error %g, of the theta below %g", dist, order,
						theta, a.l2, smaller.l2)
				}
				if p.l2 > a.l2 || a.median > a.p99 {
					t.Errorf("%s order %d theta %g: potential %+v, acceleration %+v", dist, order,
						theta, p, a)
				}
				last[k], smaller = a, a
			}
		}
	}
}

// Faults that a run could have fail its check, over orders and thetas. Faults of arithmetic in one
// cell are smaller than the errors of the lowest orders, and are not planted there.
func TestFaultsAreSeen(t *testing.T) {
	hwtest.SkipRace(t)
	bodies := generate(plummer, 1000, 1, 10, 12)
	for _, order := range []int{2, 3, 4, 5, 6, 8} {
		for _, theta := range []string{"0.3", "0.4", "0.5", "0.7"} {
			in := of(t, kernel.Params{"order": order, "theta": theta, "ncrit": 16}, bodies)
			calls := run(t, in)
			// The heaviest interaction, and one in the middle.
			heavy, middle := 0, len(calls)/2
			weight := func(c call) int {
				if c.kernel != kernM2L {
					return 0
				}
				return in.cells[c.args[0]].bodies() * in.cells[c.args[1]].bodies()
			}
			for n, c := range calls {
				if weight(c) > weight(calls[heavy]) {
					heavy = n
				}
			}
			target := calls[heavy].args[1]
			stride := in.ops.MultipoleStride
			local := map[string]bool{"a heavy M2L skipped": true, "the sign of a multipole": true,
				"a shifted centre": true}
			for _, fault := range []struct {
				name  string
				plant func()
				says  string
			}{
				{"none", func() { replay(in, calls, -1) }, ""},
				{"a heavy M2L skipped", func() { replay(in, calls, heavy) }, "L2 error"},
				{"a kernel left out", func() {
					replay(in, append(calls[:middle:middle],
						calls[middle+1:]...), -1)
				}, "each body meets"},
				{"a kernel done twice", func() {
					replay(in, append(calls[:middle+1:middle+1],
						calls[middle:]...), -1)
				}, "each body meets"},
				{"one left out, another twice", func() {
					c := append([]call(nil), calls...)
					c[middle] = c[middle+1]
					replay(in, c, -1)
				}, "each body meets"},
				{"the sign of a multipole", func() {
					m := in.exp.M[int(target)*stride:]
					m[0] = -m[0]
					replay(in, calls, -1)
					m[0] = -m[0]
				}, "L2 error"},
				{"a shifted centre", func() {
					c := in.exp.Centre(int(target))
					c.X += in.cells[target].radius
					replay(in, calls, -1)
					c.X -= in.cells[target].radius
				}, "L2 error"},
				{"the sign of a result", func() {
					replay(in, calls, -1)
					in.downward()
					for i := range in.soa.AY {
						in.soa.AY[i] = -in.soa.AY[i]
					}
				}, "acceleration"},
				{"not a number", func() {
					replay(in, calls, -1)
					in.soa.P[in.reference.chosen[0]] = float32(math.NaN())
				}, "potential"},
			} {
				if local[fault.name] && (order < 4 || theta == "0.7") {
					continue
				}
				fault.plant()
				c := in.Check()
				if c.Passed != (fault.says == "") || !strings.Contains(c.Method, fault.says) {
					t.Errorf("order %d theta %s, %s: %+v", order, theta, fault.name, c)
				}
				if len(c.Lines) != 2 || !strings.Contains(c.Lines[1], "99th percentile") {
					t.Errorf("lines %q", c.Lines)
				}
			}
		}
	}
}

// The sample is of different bodies, and not always the same.
func TestSample(t *testing.T) {
	in := of(t, nil, generate(cube, 2500, 0, 0, 1))
	a, b := newReference(in, 1).chosen, newReference(in, 2).chosen
	same := 0
	for i := range a {
		if i > 0 && a[i] <= a[i-1] {
			t.Fatalf("body %d after %d", a[i], a[i-1])
		}
		for _, j := range b {
			if a[i] == j {
				same++
			}
		}
	}
	if len(a) != samples || len(b) != samples || same > samples*3/4 {
		t.Errorf("%d and %d bodies, %d in common", len(a), len(b), same)
	}
}

// At the size of the issue the errors are those that it asks for; of the fewer bodies of the short
// shape the potential is less, and its error up to three times that.
func TestAccuracyOfAMillion(t *testing.T) {
	clock := hw.CalibrateClock()
	bodies := generate(plummer, long.Or(30_000, 1_000_000), 1, 10, 1)
	var first *reference
	most := long.Or(1.5e-5, 5e-6)
	for _, want := range []struct {
		theta                   string
		potential, acceleration float64
	}{{"0.4", most, 1.5e-4}, {"0.5", most, 3e-4}, {"0.6", most, 8e-4}} {
		in := of(t, kernel.Params{"theta": want.theta}, bodies)
		once(t, in, clock)
		if r := in.reference; first == nil {
			r.compute()
			first = r
		} else { // the direct sums of the same bodies of the same tree
			if !slices.Equal(r.chosen, first.chosen) || !slices.Equal(in.bodies, first.in.bodies) {
				t.Fatal("theta changes the tree or the sample")
			}
			r.fields, r.scales, r.moved = first.fields, first.scales, first.moved
		}
		c := in.Check()
		if p, a := in.reference.deviations(); !c.Passed || p.l2 > want.potential ||
			a.l2 > want.acceleration {
			t.Errorf("theta %s: %+v, %+v, want at most %g and %g", want.theta, p, a, want.potential,
				want.acceleration)
		}
		t.Logf("theta %s: %+v\n%s", want.theta, in.count(), strings.Join(c.Lines, "\n"))
	}
}

// Bodies that single precision hardly separates pull at each other more than all others do; the
// bound allows for that, and for no more.
func TestClosePairs(t *testing.T) {
	bodies := generate(cube, 2000, 0, 0, 13)
	for i := range 20 {
		bodies[i].x = 0.9
		bodies[20+i] = bodies[i]
		bodies[20+i].x += 6e-4
	}
	in := of(t, kernel.Params{"order": 10, "theta": "0.3", "ncrit": 4}, bodies)
	run(t, in)
	in.downward()
	in.reference.chosen = nil
	for i, o := range in.origin {
		if o < 40 {
			in.reference.chosen = append(in.reference.chosen, int32(i))
		}
	}
	c := in.Check()
	_, a := in.reference.deviations()
	if !c.Passed || a.l2 < 2e-5 || a.l2 > a.moved || a.moved > 1e-3 {
		t.Errorf("%+v, %+v", c, a)
	}
}
