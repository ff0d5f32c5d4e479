package laplace

import (
	"fmt"
	"strings"
)

// ISA names the instructions of the kernels.
type ISA int

// The instruction sets. Auto is the best that the CPU has.
const (
	Auto     ISA = iota
	AVX512       // AVX-512F and VL
	AVX2         // AVX2 and FMA
	Portable     // Go
)

var isaNames = [...]string{Auto: "auto", AVX512: "avx512", AVX2: "avx2", Portable: "portable"}

// String returns "auto", "avx512", "avx2" or "portable".
func (s ISA) String() string {
	if uint(s) < uint(len(isaNames)) {
		return isaNames[s]
	}
	return fmt.Sprintf("isa(%d)", int(s))
}

// ParseISA returns the instruction set called name.
func ParseISA(name string) (ISA, error) {
	for i, n := range isaNames {
		if n == name {
			return ISA(i), nil
		}
	}
	return 0, fmt.Errorf("isa %q: expected %s", name, strings.Join(isaNames[:], ", "))
}

// An UnsupportedError says that this CPU or this build lacks an instruction set.
type UnsupportedError struct{ ISA ISA }

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("isa %v: not on this machine, which has %v", e.ISA, Supported())
}

// Supported lists what can be used here, fastest first.
func Supported() []ISA {
	var s []ISA
	for _, isa := range []ISA{AVX512, AVX2, Portable} {
		if isa == Portable || hasISA(isa) {
			s = append(s, isa)
		}
	}
	return s
}

// resolve turns Auto into the fastest supported instruction set and returns an [*UnsupportedError] for one that this
// machine lacks.
func (s ISA) resolve() (ISA, error) {
	have := Supported()
	if s == Auto {
		return have[0], nil
	}
	for _, h := range have {
		if h == s {
			return s, nil
		}
	}
	return 0, &UnsupportedError{s}
}
