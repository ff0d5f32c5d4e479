package fmm

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"testing"

	"krdlab/kernels/kernel"
)

func hash(bodies []body) string {
	h := fnv.New64a()
	for _, b := range bodies {
		for _, v := range []float64{b.x, b.y, b.z, b.q} {
			h.Write(binary.LittleEndian.AppendUint64(nil, math.Float64bits(v)))
		}
	}
	return fmt.Sprintf("%016x", h.Sum64())
}

// The same seed gives the same bodies everywhere, and the same tree and traversal.
func TestGolden(t *testing.T) {
	for _, test := range []struct {
		dist      string
		seed      uint64
		want      string
		m2l, self uint64
	}{
		{plummer, 1, "44992fca8e8c5b51", 35964, 581},
		{plummer, 2, "5f4821598cc9d10e", 33774, 546},
		{sphere, 1, "78300cefd7fecbb2", 16036, 353},
		{cube, 1, "d7d0a2e1abdbd9a9", 23581, 512},
	} {
		bodies := generate(test.dist, 5000, 2, 20, test.seed)
		c := of(t, kernel.Params{"theta": "0.6"}, bodies).count()
		if got := hash(bodies); got != test.want || c.m2l != test.m2l || c.self != test.self {
			t.Errorf("{%s, %d, %q, %d, %d},", test.dist, test.seed, got, c.m2l, c.self)
		}
	}
}

// Plummer's sphere has the mass within each radius by its formula, and every direction alike.
func TestPlummer(t *testing.T) {
	const n, a, cut = 100000, 2, 20
	bodies := generate(plummer, n, a, cut, 3)
	enclosed := func(r float64) float64 { return math.Pow(r*r/(r*r+a*a), 1.5) }
	var octants [8]int
	for _, r := range []float64{0.5, 1, 2, 4, 10} {
		within := 0
		for _, b := range bodies {
			if length(b.x, b.y, b.z) <= r {
				within++
			}
		}
		want := enclosed(r) / enclosed(cut)
		if d := math.Abs(float64(within)/n - want); d > 5*math.Sqrt(want*(1-want)/n) {
			t.Errorf("%d of %d bodies within %g, want a share of %g", within, n, r, want)
		}
	}
	for _, b := range bodies {
		if r := length(b.x, b.y, b.z); r > cut*(1+1e-12) || b.q != 1.0/n {
			t.Fatalf("body %+v at %g", b, r)
		}
		o := 0
		for _, v := range []float64{b.x, b.y, b.z} {
			if o *= 2; v > 0 {
				o++
			}
		}
		octants[o]++
	}
	for o, k := range octants {
		if math.Abs(float64(k)-n/8) > 5*math.Sqrt(n*7./64) {
			t.Errorf("%d bodies in octant %d", k, o)
		}
	}
}
