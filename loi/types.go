package loi

import "fmt"

// ObjectID is the index of an object in [Registry.Objects].
type ObjectID uint16

// KernelID is the index of a kernel in [Registry.Kernels].
type KernelID uint16

// Mode says what a kernel does to a block.
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

// An Object is a data structure that kernels touch, cut into blocks numbered from 0 in the order of Blocks.
// Blocks do not overlap, and a block keeps its size.
type Object struct {
	Name   string
	Blocks []SizeRun
}

// Len returns the number of blocks of o.
func (o *Object) Len() int {
	n := 0
	for _, r := range o.Blocks {
		n += int(r.Count)
	}
	return n
}

// Bytes returns the size of o, the sum over its blocks.
func (o *Object) Bytes() uint64 {
	var n uint64
	for _, r := range o.Blocks {
		n += uint64(r.Count) * r.Bytes
	}
	return n
}

// A Param is one parameter in the declared signature of a kernel: the argument is a block number of Object.
type Param struct {
	Object ObjectID
	Mode   Mode
}

// A Kernel is a piece of work that spawns nothing. Params is its declared signature: a record that holds one block number
// for each parameter is expanded by readers to accesses in this order. A kernel without parameters is timed only, or is
// recorded with explicit accesses.
type Kernel struct {
	Name   string
	Params []Param
}

// A Registry holds what records refer to by number.
type Registry struct {
	Objects []Object
	Kernels []Kernel
}

// An Access is one block touched by one kernel execution. Native records cover whole blocks: when recording, Bytes may
// be 0 for "the whole block"; a reader always gives the size.
type Access struct {
	Object ObjectID
	Block  uint32
	Bytes  uint64
	Mode   Mode
}
