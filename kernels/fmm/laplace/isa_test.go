package laplace

import (
	"errors"
	"testing"
)

// TestISA: names, the choice of Auto, and what this machine lacks.
func TestISA(t *testing.T) {
	for _, s := range []ISA{Auto, AVX512, AVX2, Portable} {
		if got, err := ParseISA(s.String()); err != nil || got != s {
			t.Errorf("ParseISA(%q) = %v, %v", s, got, err)
		}
	}
	if _, err := ParseISA("sse"); err == nil {
		t.Error("ParseISA knows sse")
	}
	have := Supported()
	if have[len(have)-1] != Portable {
		t.Errorf("Supported() = %v, without portable at the end", have)
	}
	k, err := New(Options{Order: 5})
	if err != nil || k.ISA() != have[0] {
		t.Errorf("auto is %v, %v; supported %v", k.ISA(), err, have)
	}
	for _, s := range []ISA{AVX512, AVX2, Portable} {
		k, err := New(Options{Order: 5, ISA: s})
		var lacks *UnsupportedError
		switch {
		case hasISA(s) || s == Portable:
			if err != nil || k.ISA() != s {
				t.Errorf("%v: %v", s, err)
			}
		case !errors.As(err, &lacks) || lacks.ISA != s:
			t.Errorf("%v: %v", s, err)
		}
	}
}

// TestAligned: cells begin on cache lines.
func TestAligned(t *testing.T) {
	for order := MinOrder; order <= MaxOrder; order++ {
		terms, err := TermsOf(order)
		if err != nil {
			t.Fatal(err)
		}
		for n := range 5 {
			c := terms.NewCells(n)
			if len(c.M) != n*terms.MultipoleStride || len(c.L) != n*terms.LocalStride || len(c.Centres) != n {
				t.Fatalf("order %d: lengths of %d cells: %d, %d, %d", order, n, len(c.M), len(c.L), len(c.Centres))
			}
			for i := range n {
				if a := address(&c.M[i*terms.MultipoleStride]) | address(&c.L[i*terms.LocalStride]); a%64 != 0 {
					t.Errorf("order %d: cell %d of %d is not at the start of a line", order, i, n)
				}
				if address(&c.Centres[i])%32 != 0 {
					t.Errorf("centre %d of %d lies on two lines", i, n)
				}
			}
		}
	}
}
