package strassen

import (
	"context"
	"testing"

	"krdlab/hw"
	"krdlab/kernels/isa"
	"krdlab/kernels/kernel"
	"krdlab/runtimes"
)

// The product of small whole numbers is exact, element by element; and the check sees one tile that
// is added twice.
func TestProduct(t *testing.T) {
	for _, set := range isa.Supported() {
		x, err := newInstance(Kernel.With(kernel.Params{"n": 80, "block": 10, "cutoff": 20,
			"isa": set.String()}), kernel.Env{Seed: 2})
		if err != nil {
			t.Fatal(err)
		}
		in := x.(*instance)
		defer in.Close()
		_, err = runtimes.Run(context.Background(), runtimes.Config{Policy: runtimes.Serial{},
			CPUs: []int{-1}, Nodes: []int{0}, Clock: hw.CalibrateClock(),
			Kernels: in.Registry().Kernels}, in)
		if err != nil {
			t.Fatal(err)
		}
		element := func(m, i, j int) float32 {
			q := quad{m * in.q * in.q, in.q, in.q}
			return in.at(q.tile(i/10, j/10)).Row(i % 10)[j%10]
		}
		for i := range in.n {
			for j := range in.n {
				var want float32
				for k := range in.n {
					want += element(0, i, k) * element(1, k, j)
				}
				if got := element(2, i, j); got != want {
					t.Fatalf("%v: element (%d, %d) is %g, want %g", set, i, j, got, want)
				}
			}
		}
		if c := in.Check(); !c.Passed {
			t.Errorf("%v: %+v", set, c)
		}
		in.Plus(in.at(2*64), in.at(0), in.at(64))
		if c := in.Check(); c.Passed {
			t.Errorf("a product that is added twice passes: %+v", c)
		}
	}
}
