package sparselu

import (
	"context"
	"math"
	"testing"

	"krdlab/hw"
	"krdlab/kernels/isa"
	"krdlab/kernels/kernel"
	"krdlab/runtimes"
)

// Each element of L U, in double precision, is that of A up to rounding, in proportion to |L| |U|;
// blocks do not enter.
func TestFactors(t *testing.T) {
	for _, set := range isa.Supported() {
		x, err := newInstance(Kernel.With(kernel.Params{"n": 9, "block": 35, "isa": set.String()}),
			kernel.Env{Seed: 2})
		if err != nil {
			t.Fatal(err)
		}
		in := x.(*instance)
		defer in.Close()
		n := in.A.Rows
		elements := func() []float64 {
			var a []float64
			for i := range n * n {
				a = append(a, float64(in.A.At(i/n, i%n)))
			}
			return a
		}
		a := elements()
		_, err = runtimes.Run(context.Background(), runtimes.Config{Policy: runtimes.Serial{},
			CPUs: []int{-1}, Nodes: []int{0}, Clock: hw.CalibrateClock(),
			Kernels: in.Registry().Kernels}, in)
		if err != nil {
			t.Fatal(err)
		}
		f, worst := elements(), 0.0
		for i := range n {
			for j := range n {
				sum, size := 0.0, 0.0
				for k := range min(i, j+1) {
					sum += f[i*n+k] * f[k*n+j]
					size += math.Abs(f[i*n+k] * f[k*n+j])
				}
				if i <= j {
					sum += f[i*n+j]
					size += math.Abs(f[i*n+j])
				}
				if size > 0 {
					worst = max(worst, math.Abs(sum-a[i*n+j])/size)
				}
			}
		}
		c := in.Check()
		if !c.Passed || !(worst < 1e-3) {
			t.Errorf("%v: worst error %g of |L||U|; %+v", set, worst, c)
		}
		t.Logf("%v: worst error %.3g of |L||U|, %.3g in the check", set, worst, c.Error)
		for at := 0; at < n*n; at += 1 + n*n/200 {
			i, j := at/n, at%n
			if !in.there[i/35][j/35] {
				continue
			}
			element := &in.At(i/35, j/35).Row(i % 35)[j%35]
			right, square := *element, 0.0
			for k := range n {
				square += f[i*n+k] * f[i*n+k]
			}
			*element += float32(0.01 * math.Sqrt(square))
			if c := in.Check(); c.Passed {
				t.Errorf("%v: element %d, %d that is wrong by a hundredth of its row passes: %+v",
					set, i, j, c)
			}
			*element = right
		}
		in.Minus(in.At(8, 8), in.At(8, 6), in.At(6, 8))
		if c := in.Check(); c.Passed {
			t.Errorf("a bmod that is done twice passes: %+v", c)
		}
	}
}

// The counts of BOTS's size, from loops written as BOTS has them, with its rules for null blocks
// one after the other.
func TestCounts(t *testing.T) {
	const n = 50
	var there [n][n]bool
	for i := range n {
		for j := range n {
			null := i < j && i%3 != 0 || i > j && j%3 != 0 || i%2 == 1 || j%2 == 1
			there[i][j] = !null || i == j || i == j-1 || i-1 == j
		}
	}
	var want [4]int
	for k := range n {
		want[lu0]++
		for j := k + 1; j < n; j++ {
			if there[k][j] {
				want[fwd]++
			}
			if there[j][k] {
				want[bdiv]++
			}
		}
		for i := k + 1; i < n; i++ {
			for j := k + 1; j < n; j++ {
				if there[i][k] && there[k][j] {
					want[bmod]++
					there[i][j] = true
				}
			}
		}
	}
	p, _ := Kernel.InClass("bots")
	x, err := newInstance(p, kernel.Env{Dry: true})
	if err != nil {
		t.Fatal(err)
	}
	in := x.(*instance)
	defer in.Close()
	r, err := runtimes.Step(runtimes.StepConfig{Policy: runtimes.Serial{}, Nodes: []int{0},
		Kernels: in.Registry().Kernels, Dry: true}, in)
	if err != nil {
		t.Fatal(err)
	}
	t.Log(want)
	for k, v := range want {
		if r.Kernels[k].Count != uint64(v) {
			t.Errorf("kernel %d: %d executions, BOTS has %d", k, r.Kernels[k].Count, v)
		}
	}
}
