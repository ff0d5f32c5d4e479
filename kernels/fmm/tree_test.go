package fmm

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"krdlab/kernels/kernel"
)

// Each body is in one leaf, ranges nest, children follow their parent and each other, leaves are
// numbered in the order of bodies and hold no more than allowed unless they are a point, centres
// and radii are right.
func TestTree(t *testing.T) {
	for name, bodies := range scattered() {
		for _, ncrit := range []int{1, 4, 32} {
			t.Run(fmt.Sprintf("%s/%d", name, ncrit), func(t *testing.T) {
				in := of(t, kernel.Params{"ncrit": ncrit}, bodies)
				seen := make([]bool, len(bodies))
				for i, o := range in.origin {
					if seen[o] {
						t.Fatalf("body %d twice", o)
					}
					seen[o] = true
					if want := in.normal(bodies[o]); in.bodies[i] != want {
						t.Fatalf("body %d is %v, want %v", i, in.bodies[i], want)
					}
				}
				if len(in.origin) != len(bodies) || in.cells[0].lo != 0 ||
					int(in.cells[0].hi) != len(bodies) {
					t.Fatalf("%d of %d bodies, root %+v", len(in.origin), len(bodies), in.cells[0])
				}
				at := int32(0)
				for k, i := range in.leaves {
					c := &in.cells[i]
					if int(c.leaf) != k || c.lo != at || c.hi <= c.lo || c.children != 0 {
						t.Fatalf("leaf %d: %+v, the one before ends at %d", k, c, at)
					}
					if at = c.hi; c.bodies() > ncrit && c.radius != 0 {
						t.Errorf("leaf %d has %d bodies within %g", k, c.bodies(), c.radius)
					}
				}
				parents := make([]int, len(in.cells))
				for i := range in.cells {
					checkCell(t, in, i, parents)
				}
				for i, n := range parents[1:] {
					if n != 1 {
						t.Errorf("cell %d has %d parents", i+1, n)
					}
				}
			})
		}
	}
}

func checkCell(t *testing.T, in *instance, i int, parents []int) {
	t.Helper()
	c := &in.cells[i]
	if (c.children == 0) != (c.leaf >= 0) || c.children == 1 || c.children > 8 {
		t.Fatalf("cell %d: %+v", i, c)
	}
	at := c.lo
	for k := c.child; k < c.child+c.children; k++ {
		if int(k) <= i || in.cells[k].lo != at {
			t.Fatalf("cell %d %+v has the child %d %+v", i, c, k, in.cells[k])
		}
		at = in.cells[k].hi
		parents[k]++
	}
	if c.children > 0 && at != c.hi {
		t.Fatalf("the children of cell %d end at %d, it at %d", i, at, c.hi)
	}
	var far, x, y, z, w float64
	for _, b := range in.bodies[c.lo:c.hi] {
		far = max(far, length(b.x-c.x, b.y-c.y, b.z-c.z))
		q := math.Abs(b.q)
		x, y, z, w = x+q*b.x, y+q*b.y, z+q*b.z, w+q
	}
	if math.Abs(far-c.radius) > 1e-14*far {
		t.Errorf("cell %d: radius %g, farthest body at %g", i, c.radius, far)
	}
	if w > 0 && length(x/w-c.x, y/w-c.y, z/w-c.z) > 1e-13 {
		t.Errorf("cell %d: centre (%g, %g, %g), want (%g, %g, %g)", i, c.x, c.y, c.z, x/w, y/w, z/w)
	}
	if c.reach < minReach || c.reach < c.radius || c.reach > c.radius/in.theta*(1+1e-12)+minReach {
		t.Errorf("cell %d: reach %g, radius %g", i, c.reach, c.radius)
	}
}

// Theta of a cell solves its equation, is theta_0 for an eighth of the whole and grows as cells
// become lighter.
func TestOpening(t *testing.T) {
	for order := 2; order <= 10; order++ {
		for _, theta := range []float64{0.1, 0.3, 0.5, 0.9} {
			a := acceptance{order, theta}
			g := func(t float64) float64 {
				return math.Pow(t,
					float64(order+2)) / ((1 - t) * (1 - t))
			}
			last := theta
			for _, share := range []float64{1, 0.125, 0.1, 0.01, 1e-4, 1e-6, 1e-9} {
				got := 1 / a.opening(share)
				want := g(theta) / math.Cbrt(min(1, 8*share))
				if math.Abs(g(got)-want) > 1e-9*want || got < last*(1-1e-15) {
					t.Errorf("order %d theta %g share %g: %g after %g, equation %g = %g", order,
						theta, share, got, last, g(got), want)
				}
				last = got
			}
		}
	}
}

func TestSortKeys(t *testing.T) {
	g := splitmix{1}
	for _, n := range []int{1, 2, 63, 64, 1000, 5000} {
		for _, mask := range []uint64{0, 7, 1<<21 - 1, 1<<63 - 1, 0xff << 40} {
			keys := make([]key, n)
			for i := range keys {
				keys[i] = key{g.next() & mask, uint32(i)}
			}
			want := slices.Clone(keys)
			slices.SortStableFunc(want, func(a, b key) int {
				if a.code < b.code {
					return -1
				}
				if a.code > b.code {
					return 1
				}
				return 0
			})
			if got := sortKeys(keys, make([]key, n)); !slices.Equal(got, want) {
				t.Errorf("%d keys, mask %x: wrong order", n, mask)
			}
		}
	}
	if got := morton(1<<21-1, 0, 1); got != 0x4924924924924924|1 {
		t.Errorf("morton: %x", got)
	}
}
