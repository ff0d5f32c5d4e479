package fft

import (
	"fmt"
	"math"
	"math/cmplx"
	"testing"

	"krdlab/kernels/isa"
	"krdlab/kernels/kernel"
	"krdlab/runtimes"
)

func run(t testing.TB, in *instance) {
	in.Reset(false)
	if _, err := runtimes.Step(runtimes.StepConfig{Policy: runtimes.Serial{}, Nodes: []int{0},
		Kernels: in.Registry().Kernels}, in); err != nil {
		t.Fatal(err)
	}
}

func build(t testing.TB, n int, set isa.Set) *instance {
	in, err := Kernel.New(Kernel.With(kernel.Params{"n": n, "isa": set.String()}),
		kernel.Env{Seed: uint64(n)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close() })
	return in.(*instance)
}

// Every output is the sum that defines it, and their energy is n times that of the inputs
// (Parseval); with each instruction set that this machine has.
func TestAgainstTheDefinition(t *testing.T) {
	for _, set := range isa.Supported() {
		for n := 64; n <= 4096; n *= 2 {
			in := build(t, n, set)
			run(t, in)
			if c := in.Check(); !c.Passed {
				t.Fatalf("%v, n %d: %+v", set, n, c)
			}
			var before, after float64
			for k, got := range in.out.Data {
				want := direct(in.in.Data, k, func(i int) complex128 {
					return cmplx.Rect(1, -2*math.Pi*float64(i)/float64(n))
				})
				if cmplx.Abs(got-want) > 1e-12*float64(n) {
					t.Fatalf("%v, n %d: output %d is %g, want %g", set, n, k, got, want)
				}
				before += real(in.in.Data[k] * cmplx.Conj(in.in.Data[k]))
				after += real(got * cmplx.Conj(got))
			}
			if e := after/float64(n)/before - 1; math.Abs(e) > 1e-13 {
				t.Errorf("%v, n %d: the energy is off by %g", set, n, e)
			}
		}
	}
}

// Of an impulse at i, output k is root i k.
func TestImpulse(t *testing.T) {
	in := build(t, 1<<14, isa.Auto)
	clear(in.in.Data)
	const at = 777
	in.in.Data[at] = 1
	run(t, in)
	for k, got := range in.out.Data {
		if want := in.leaf.roots.at(at * k & (1<<14 - 1)); cmplx.Abs(got-want) > 1e-14 {
			t.Fatalf("output %d is %g, want %g", k, got, want)
		}
	}
}

// Two outputs that are exchanged are seen at any size.
func TestExchangedOutputsAreSeen(t *testing.T) {
	in := build(t, 1<<18, isa.Auto)
	run(t, in)
	if c := in.Check(); !c.Passed {
		t.Fatal(c)
	}
	in.out.Data[1234], in.out.Data[99] = in.out.Data[99], in.out.Data[1234]
	if c := in.Check(); c.Passed || c.Detail == "" {
		t.Errorf("exchanged outputs pass: %+v", c)
	}
}

func TestSizesThatAreNoPower(t *testing.T) {
	for _, n := range []int{100, 1<<21 - 1} {
		if _, err := Kernel.Plan(Kernel.With(kernel.Params{"n": n})); err == nil {
			t.Errorf("%d points are taken", n)
		}
	}
}

func BenchmarkTransform(b *testing.B) {
	for _, set := range isa.Supported() {
		for _, n := range []int{1 << 14, 1 << 21} {
			b.Run(fmt.Sprintf("isa=%v/n=%d", set, n), func(b *testing.B) {
				in := build(b, n, set)
				for b.Loop() {
					run(b, in)
				}
				log := math.Log2(float64(n))
				b.ReportMetric(5*float64(n*b.N)*log/b.Elapsed().Seconds()/1e9, "Gflop/s")
			})
		}
	}
}
