package isa

import (
	"errors"
	"slices"
	"testing"
)

// TestSets: names, the choice of Auto, and what this machine lacks.
func TestSets(t *testing.T) {
	for i, s := range []Set{Auto, AVX512, AVX2, Portable} {
		if got, err := Parse(s.String()); err != nil || got != s || Names()[i] != s.String() {
			t.Errorf("Parse(%q) = %v, %v; names %v", s, got, err, Names())
		}
	}
	if _, err := Parse("sse"); err == nil {
		t.Error("Parse knows sse")
	}
	have := Supported()
	if have[len(have)-1] != Portable {
		t.Errorf("Supported() = %v, without portable at the end", have)
	}
	if got, err := Auto.Resolve(); err != nil || got != have[0] {
		t.Errorf("auto is %v, %v; supported %v", got, err, have)
	}
	for _, s := range []Set{AVX512, AVX2, Portable, 9} {
		got, err := s.Resolve()
		var lacks *UnsupportedError
		switch {
		case slices.Contains(have, s):
			if err != nil || got != s || !s.Has() {
				t.Errorf("%v: %v, %v", s, got, err)
			}
		case !errors.As(err, &lacks) || lacks.Set != s || s.Has():
			t.Errorf("%v: %v", s, err)
		}
	}
}
