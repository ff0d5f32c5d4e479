package dense

import (
	"fmt"
	"strings"
)

// Shape is the size of a leaf: M rows of C, N columns of C, K the inner dimension.
type Shape struct{ M, N, K int }

// String returns the form that [ParseShape] reads, such as "32x32x64".
func (s Shape) String() string { return fmt.Sprintf("%dx%dx%d", s.M, s.N, s.K) }

// Bytes returns the size of the three blocks of a full leaf.
func (s Shape) Bytes() int { return 4 * (s.M*s.K + s.K*s.N + s.M*s.N) }

// Preset is a named leaf.
type Preset struct {
	Name, About string
	Leaf        Shape
}

// Presets returns the named leaves. The two fast ones are 32 columns wide: then a panel of B, which
// the kernels read from end to end for each micro-tile, lies in one piece.
func Presets() []Preset {
	return []Preset{
		{"paper-block", "the block of the KRD paper's access counts; 20 KiB", Shape{32, 32, 64}},
		{"paper-grain", "about 17 us with AVX-512, the task size of the KRD paper; 192 KiB, does " +
			"not fit L1", Shape{128, 128, 128}},
		{"fast", "the fastest in 48 KiB of L1 for AVX-512 and AVX2 together; 46 KiB",
			Shape{48, 32, 128}},
		{"fast-32k", "the fastest measured in 32 KiB of L1; 32 KiB", Shape{64, 32, 64}},
	}
}

// ParseShape reads a leaf: "MxNxK" with three positive integers, or the name of a preset.
func ParseShape(s string) (Shape, error) {
	var names []string
	for _, p := range Presets() {
		if p.Name == s {
			return p.Leaf, nil
		}
		names = append(names, p.Name)
	}
	var sh Shape
	var rest string
	if n, _ := fmt.Sscanf(s+" ", "%dx%dx%d%s", &sh.M, &sh.N, &sh.K, &rest); n != 3 || sh.M < 1 ||
		sh.N < 1 || sh.K < 1 || sh.String() != s {
		return Shape{}, fmt.Errorf("leaf %q: expected MxNxK with three positive integers, such "+
			"as 32x32x64, or %s", s, strings.Join(names, ", "))
	}
	return sh, nil
}
