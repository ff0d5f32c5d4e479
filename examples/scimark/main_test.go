package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// The classes and what is asked for otherwise.
func TestRun(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"fft", "fft: n 1024, 1 iterations: sum 1022.090082"},
		{"lu", "lu: n 100, 1 iterations: 94 rows exchanged, sum 2.8289608"},
		{"sor", "sor: n 100, 10 iterations: energy 58.19803765"},
		{"sparse", "sparse: n 1000, 5000 elements, 10 iterations: sum 1045.873219"},
		{"sor -class large -n 3", "sor: n 3, 10 iterations: energy 0.39291620"},
		{"fft -n 4096 -loops interchanged", "fft: n 4096, 1 iterations: sum 4094.629062"},
		{"fft -loops parallel", "-loops parallel: expected original or interchanged"},
		{"fft -n 6", "6 is no power of two"},
		{"sparse -n 10 -nz 9", "expected from n to n*n elements"},
		{"lu -class medium", "-class medium: expected small or large"},
		{"lu 100", `"100" is no flag`},
		{"sor -n -1", "-n and -iterations must be at least 1"},
		{"", "expected fft, lu, sor or sparse"},
	} {
		got, err := run(strings.Fields(c.args))
		if err != nil {
			got = err.Error()
		}
		if !strings.HasPrefix(got, c.want) {
			t.Errorf("%q: %q, expected %q", c.args, got, c.want)
		}
	}
}

// Interchanged loops transform bit by bit as the original ones, there and back.
func TestInterchanged(t *testing.T) {
	for n := 1; n <= 1<<12; n *= 2 {
		for _, direction := range []float64{-1, 1} {
			a := make([]float64, 2*n)
			fill(a, seed)
			b := slices.Clone(a)
			transform(a, direction)
			interchanged(b, direction)
			if !slices.Equal(a, b) {
				t.Fatalf("n %d, direction %v: other numbers", n, direction)
			}
		}
	}
}

// The time is printed only if it is asked for, and is that of the kernel.
func TestTime(t *testing.T) {
	for _, k := range kernels {
		text, err := run([]string{k.name, "-time"})
		var ns int
		at := strings.LastIndex(text, "; ")
		if _, scan := fmt.Sscanf(text[at+1:], "%d ns", &ns); err != nil || scan != nil || ns <= 0 {
			t.Errorf("%s: %q, %v, %v", k.name, text, err, scan)
		}
	}
}

// Each check sees a result that is wrong.
func TestChecks(t *testing.T) {
	data := make([]float64, 64)
	fill(data, seed)
	data[5] += 1e-9
	if e := fftError(data); e < 1e-11 {
		t.Errorf("fft: %g", e)
	}
	x := slices.Repeat([]float64{0.5}, 64)
	if r := luResidual(x); r < 16 {
		t.Errorf("lu: %g", r)
	}
}
