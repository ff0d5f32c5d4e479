package loi

import (
	"fmt"
	"slices"
)

// ObjectID is the index of an object in [Registry.Objects].
type ObjectID uint16

// KernelID is the index of a kernel in [Registry.Kernels].
type KernelID uint16

// Mode records what a kernel does to a block.
type Mode uint8

// The modes of an access. The zero value is invalid, so that a forgotten mode is noticed.
const (
	In    Mode = 1        // read
	Out   Mode = 2        // written
	InOut Mode = In | Out // read, then written
)

// String returns "in", "out" or "inout", the words of the text form.
func (m Mode) String() string {
	switch m {
	case In:
		return "in"
	case Out:
		return "out"
	case InOut:
		return "inout"
	}
	return fmt.Sprintf("mode(%d)", uint8(m))
}

// A SizeRun is Count consecutive blocks of Bytes bytes each.
type SizeRun struct {
	Count uint32
	Bytes uint64
}

// ObjectKind records how accesses name parts of an object.
type ObjectKind uint8

// The kinds of objects.
const (
	// cut into registered blocks, numbered from 0; the only kind in version 1 of the format
	Partition ObjectKind = iota
	// blocks named by 64-bit keys, not registered; each access has the size of its block
	Keyed
	// an address space of bytes; accesses name ranges of it, which may overlap
	Span
)

// String returns "partition", "keyed" or "span".
func (k ObjectKind) String() string {
	switch k {
	case Partition:
		return "partition"
	case Keyed:
		return "keyed"
	case Span:
		return "span"
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}

// An Object is a data structure that kernels touch. A partition is cut into blocks numbered from 0
// in the order of Blocks, which do not overlap and keep their sizes; the other kinds have no
// Blocks.
type Object struct {
	Name   string
	Kind   ObjectKind
	Blocks []SizeRun
}

// Len returns the number of registered blocks of o.
func (o *Object) Len() int {
	n := 0
	for _, r := range o.Blocks {
		n += int(r.Count)
	}
	return n
}

// Bytes returns the size of o, the sum over its registered blocks.
func (o *Object) Bytes() uint64 {
	var n uint64
	for _, r := range o.Blocks {
		n += uint64(r.Count) * r.Bytes
	}
	return n
}

// A Param is one parameter in the declared signature of a kernel: the argument is a block number of
// Object, a partition.
type Param struct {
	Object ObjectID
	Mode   Mode
}

// A Kernel is a piece of work that spawns nothing. Params is its declared signature: a record that
// holds one block number for each parameter is expanded by readers to accesses in this order. A
// kernel without parameters is timed only, or is recorded with explicit accesses.
type Kernel struct {
	Name   string
	Params []Param
	// Of, if not nil, holds for each of Params the argument with its block number, so that one
	// argument can stand for several accesses: a kernel that reads block i of one object and writes
	// block i of another has one argument. Arguments are numbered from 0, and each is named. nil:
	// each parameter has an argument of its own, in order.
	Of []uint8
}

// Args returns the number of arguments that a record of k holds.
func (k *Kernel) Args() int {
	if k.Of == nil {
		return len(k.Params)
	}
	n := 0
	for _, a := range k.Of {
		n = max(n, int(a)+1)
	}
	return n
}

// ArgOf returns which argument holds the block number of parameter i.
func (k *Kernel) ArgOf(i int) int {
	if k.Of == nil {
		return i
	}
	return int(k.Of[i])
}

// RegionID is the index of a region in [Registry.Regions].
type RegionID uint16

// NoRegion is the parent of a region that has none.
const NoRegion RegionID = 0xffff

// RegionKind records what a region is in the source of its program.
type RegionKind uint8

// The kinds of regions. The zero value is invalid.
const (
	Function RegionKind = iota + 1
	Loop
	TaskRegion
	Iteration // of the loop that it stands in

	lastRegionKind = Iteration
)

// String returns "function", "loop", "task" or "iteration".
func (k RegionKind) String() string {
	switch k {
	case Function:
		return "function"
	case Loop:
		return "loop"
	case TaskRegion:
		return "task"
	case Iteration:
		return "iteration"
	}
	return fmt.Sprintf("region(%d)", uint8(k))
}

// A Region is a named scope of a program: all that runs between its begin and its end events
// belongs to it. Parent is the scope that it stands in, an earlier entry of the registry, or
// NoRegion. Names need not differ.
type Region struct {
	Name   string
	Kind   RegionKind
	Parent RegionID
}

// A Registry holds what records refer to by number.
type Registry struct {
	Objects []Object
	Kernels []Kernel
	Regions []Region
	// Operations are in no trace but those of programs that tell their values: see operation.go.
	Operations []Operation
}

// Accesses reports whether any kernel declares blocks that it accesses.
func (r *Registry) Accesses() bool {
	return slices.ContainsFunc(r.Kernels, func(k Kernel) bool { return len(k.Params) > 0 })
}

// An Access is one touch of data by a kernel execution: a block of a partition or of a keyed
// object, or one range or two-dimensional block of a span. When recording, Bytes may be 0 for a
// block of a partition; a reader always returns the size, and 0 for Rows and Stride of a single
// range.
type Access struct {
	Object ObjectID
	Mode   Mode
	Rows   uint32 // Span: rows of a two-dimensional block; 0 or 1: one range
	Block  uint64 // Partition: number of the block; Keyed: its key; Span: offset of the first byte
	Bytes  uint64 // size of the block; Span: bytes of each row
	// Span with Rows > 1: bytes from the beginning of a row to that of the next, at least Bytes
	Stride uint64
}

// MaxRows is how many rows all distinct two-dimensional accesses of a trace may have in order to be
// analysed: package krd numbers the parts that they overlap in with 32 bits.
const MaxRows = 1<<31 - 1
