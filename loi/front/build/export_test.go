package build

import "path/filepath"

// FlagsOf returns the flags that the rewritten packages of a program were compiled with.
func FlagsOf(p *Program) string { return p.flags }

// OverlayOf returns the path of what go build -overlay took for a program.
func OverlayOf(p *Program) string { return overlayIn(filepath.Dir(filepath.Dir(p.Binary))) }
