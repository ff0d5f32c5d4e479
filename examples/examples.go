// Package examples holds the sources of the programs below it, so that an installed krdlab has
// something to trace.
package examples

import "embed"

// SciMark is the files of examples/scimark, a program by itself but for a go.mod.
//
//go:embed scimark/fft.go scimark/lu.go scimark/main.go scimark/sor.go scimark/sparse.go
var SciMark embed.FS

// NAS is the files of examples/nas, likewise.
//
//go:embed nas/cg.go nas/ft.go nas/is.go nas/lu.go nas/main.go nas/mg.go nas/random.go
var NAS embed.FS

// Modules is the files of examples/modules, a program that runs libraries of others, and the go.mod
// and go.sum that it has by itself.
//
//go:embed modules/main.go modules/go.mod.txt modules/go.sum.txt
var Modules embed.FS

// RUsage is the file of examples/rusage, which measures what it runs.
//
//go:embed rusage/main.go
var RUsage embed.FS

// Interleavings is programs of threads as text, for krdlab interleavings.
//
//go:embed interleavings/*.txt
var Interleavings embed.FS

// Concurrent is the file of examples/concurrent, whose goroutines share data.
//
//go:embed concurrent/main.go
var Concurrent embed.FS
