package cachemodel

import "krdlab/hw/failure"

// ErrLimit records that a machine or a layout is larger than the model can hold.
var ErrLimit = failure.New(failure.Request, "more than the cache model holds")

// A Granularity is the unit in the caches of the model.
type Granularity uint8

const (
	// Blocks keeps whole blocks in fully associative caches, LRU by the lines that they cover.
	// Where blocks lie matters for their number of lines and for the memory that they are in, and
	// not for conflicts.
	Blocks Granularity = iota
	// Lines keeps lines in set-associative caches, LRU within the set.
	Lines
)

// Pages records which frames of physical memory hold the pages of the data.
type Pages uint8

const (
	// pseudo-random ones, by the seed, as an operating system that has run for a while
	PagesPermuted Pages = iota
	PagesIdentity       // the same as the virtual ones
)

// Options of a model; the zero value is block mode.
type Options struct {
	Granularity Granularity
	Kernels     int // numbers of kernels are below this; 0 means 1
	// Structures: there will be blocks of [Model.Add]. By lines they end groups of lines.
	Structures bool

	// Placement of pages over the memories: [machine.Interleave], or anything else for that of the
	// node which first touches the page, unless [Model.Place] did before; "" for the machine's own
	Placement string

	Pages Pages  // Lines
	Seed  uint64 // Lines: of the frames of pages
}
