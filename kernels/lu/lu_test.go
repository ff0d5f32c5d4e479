package lu

import (
	"context"
	"math"
	"testing"

	"krdlab/hw"
	"krdlab/kernels/isa"
	"krdlab/kernels/kernel"
	"krdlab/runtimes"
)

// The factors and pivots are those of the textbook's loop, in double precision, over elements; and
// the check sees an update that is done twice, a pivot that is wrong, and one element.
func TestFactors(t *testing.T) {
	for _, set := range isa.Supported() {
		x, err := newInstance(Kernel.With(kernel.Params{"n": 230, "block": 52, "isa": set.String()}),
			kernel.Env{Seed: 2})
		if err != nil {
			t.Fatal(err)
		}
		in := x.(*instance)
		defer in.Close()
		n := in.A.Rows
		a := make([][]float64, n)
		for i := range a {
			for j := range n {
				a[i] = append(a[i], float64(in.A.At(i, j)))
			}
		}
		var pivots []int
		for k := range a {
			best := k
			for i := k; i < n; i++ {
				if math.Abs(a[i][k]) > math.Abs(a[best][k]) {
					best = i
				}
			}
			pivots = append(pivots, best)
			a[k], a[best] = a[best], a[k]
			for i := k + 1; i < n; i++ {
				a[i][k] /= a[k][k]
				for j := k + 1; j < n; j++ {
					a[i][j] -= a[i][k] * a[k][j]
				}
			}
		}
		_, err = runtimes.Run(context.Background(), runtimes.Config{Policy: runtimes.Serial{},
			CPUs: []int{-1}, Nodes: []int{0}, Clock: hw.CalibrateClock(),
			Kernels: in.Registry().Kernels}, in)
		if err != nil {
			t.Fatal(err)
		}
		worst := 0.0
		for i := range a {
			if in.pivots[i] != pivots[i] {
				t.Fatalf("%v: row %d was swapped with %d, want %d", set, i, in.pivots[i], pivots[i])
			}
			for j, v := range a[i] {
				worst = max(worst, math.Abs(float64(in.A.At(i, j))-v))
			}
		}
		c := in.Check()
		t.Logf("%v: worst difference %.3g, error of the check %.3g", set, worst, c.Error)
		if !c.Passed || !(worst < 1e-3) {
			t.Errorf("%v: worst difference %g; %+v", set, worst, c)
		}
		in.pivots[7]++
		if c := in.Check(); c.Passed {
			t.Errorf("a wrong pivot passes: %+v", c)
		}
		in.pivots[7]--
		for at := 0; at < n*n; at += 1 + n*n/50 {
			row := in.At(at/n/in.A.TileRows, at%n/in.A.TileCols).Row(at / n % in.A.TileRows)
			element := &row[at%n%in.A.TileCols]
			right := *element
			*element += 1e-3
			if c := in.Check(); c.Passed {
				t.Errorf("element %d, %d that is wrong by 0.001 passes: %+v", at/n, at%n, c)
			}
			*element = right
		}
		in.Minus(in.At(3, 4), in.At(3, 2), in.At(2, 4))
		if c := in.Check(); c.Passed {
			t.Errorf("an update that is done twice passes: %+v", c)
		}
	}
}
