package cholesky

import (
	"context"
	"fmt"
	"testing"

	"krdlab/hw"
	"krdlab/kernels/isa"
	"krdlab/kernels/kernel"
	"krdlab/runtimes"
)

func run(t *testing.T, in *instance) {
	t.Helper()
	in.Reset(false)
	_, err := runtimes.Run(context.Background(), runtimes.Config{Policy: runtimes.Serial{},
		CPUs: []int{-1}, Nodes: []int{0}, Clock: hw.CalibrateClock(),
		Kernels: in.Registry().Kernels}, in)
	if err != nil {
		t.Fatal(err)
	}
}

// The check passes a right factor in each instruction set, and sees an update of one tile that is
// done twice, and an element that is wrong.
func TestCheck(t *testing.T) {
	for _, p := range []kernel.Params{{"n": 1}, {"n": 97, "block": 33}, {"n": 300, "block": 32},
		{"n": 700, "block": 128}} {
		for _, set := range isa.Supported() {
			t.Run(fmt.Sprint(p, set), func(t *testing.T) {
				p := Kernel.With(p)
				p["isa"] = set.String()
				x, err := newInstance(p, kernel.Env{Seed: 5})
				if err != nil {
					t.Fatal(err)
				}
				in := x.(*instance)
				defer in.Close()
				run(t, in)
				c := in.Check()
				if !c.Passed {
					t.Fatalf("%+v", c)
				}
				t.Logf("error %.3g", c.Error)
				n, last := in.A.Rows, in.T-1
				for at := 0; at < n*n; at += 1 + n*n/50 { // in L and in its transpose
					row := in.At(at/n/in.A.TileRows, at%n/in.A.TileCols).Row(at / n % in.A.TileRows)
					element := &row[at%n%in.A.TileCols]
					right := *element
					*element += 1e-3
					if c := in.Check(); c.Passed {
						t.Errorf("element %d, %d that is wrong by 0.001 passes: %+v", at/n, at%n, c)
					}
					*element = right
				}
				if last < 2 {
					return
				}
				in.Minus(in.At(last, 1), in.At(last, 0), in.At(0, 1))
				if c := in.Check(); c.Passed {
					t.Errorf("an update that is done twice passes: %+v", c)
				}
			})
		}
	}
}
