// Package examples holds the sources of the programs below it, so that an installed krdlab has
// something to trace.
package examples

import "embed"

// SciMark is the files of examples/scimark, a program by itself but for a go.mod.
//
//go:embed scimark/fft.go scimark/lu.go scimark/main.go scimark/sor.go scimark/sparse.go
var SciMark embed.FS

// Interleavings is programs of threads as text, for krdlab explore.
//
//go:embed interleavings/*.txt
var Interleavings embed.FS
