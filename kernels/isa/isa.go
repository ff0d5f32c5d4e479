// Package isa names the instruction sets that kernels are written for and reports which of them
// this machine has.
package isa

import (
	"fmt"
	"strings"

	"krdlab/hw"
	"krdlab/hw/failure"
)

// A Set is an instruction set, or Auto.
type Set int

// The instruction sets. Auto is the best that the CPU has.
const (
	Auto     Set = iota
	AVX512       // AVX-512F and VL, with BZHI (BMI2) for the lane masks
	AVX2         // AVX2 and FMA
	Portable     // Go
)

var names = [...]string{Auto: "auto", AVX512: "avx512", AVX2: "avx2", Portable: "portable"}

// Names lists what [Parse] reads.
func Names() []string { return names[:] }

// String returns "auto", "avx512", "avx2" or "portable".
func (s Set) String() string {
	if uint(s) < uint(len(names)) {
		return names[s]
	}
	return fmt.Sprintf("isa(%d)", int(s))
}

// Parse returns the instruction set called name.
func Parse(name string) (Set, error) {
	for i, n := range names {
		if n == name {
			return Set(i), nil
		}
	}
	return 0, fmt.Errorf("isa %q: expected %s", name, strings.Join(names[:], ", "))
}

// An UnsupportedError reports that this CPU or this build lacks an instruction set.
type UnsupportedError struct{ Set Set }

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("isa %v: not on this machine, which has %v", e.Set, Supported())
}

// Class implements [failure.Classed].
func (*UnsupportedError) Class() failure.Class { return failure.Request }

// Has reports whether the CPU has s and the operating system saves its registers.
func (s Set) Has() bool {
	f := hw.Features()
	switch s {
	case AVX512:
		return f.AVX512F && f.AVX512VL && f.BMI2
	case AVX2:
		return f.AVX2 && f.FMA
	}
	return s == Auto || s == Portable
}

// Supported lists what can be used here, fastest first.
func Supported() []Set {
	var have []Set
	for _, s := range []Set{AVX512, AVX2, Portable} {
		if s.Has() {
			have = append(have, s)
		}
	}
	return have
}

// Resolve turns Auto into the fastest supported instruction set and returns an [*UnsupportedError]
// for one that this machine lacks.
func (s Set) Resolve() (Set, error) {
	switch {
	case s == Auto:
		return Supported()[0], nil
	case s.Has():
		return s, nil
	}
	return 0, &UnsupportedError{s}
}
