// Package agent traces goroutine programs by hand: which piece of the program ran when, and which
// data it read and wrote. It writes traces (.loi) that krdlab analyses, and needs the standard
// library only: `krdlab trace go --agent DIR` writes it to a folder, as a module of its own.
//
//	var gemm = agent.Kernel("gemm", agent.In, agent.In, agent.InOut)
//
//	func multiply(a, b, c []float64) {
//		defer gemm.Begin(agent.Slice(a), agent.Slice(b), agent.Slice(c)).End()
//		...
//	}
//
//	func main() {
//		if err := agent.Start(os.Getenv("TRACE")); err != nil { // "": nothing is traced
//			log.Fatal(err)
//		}
//		defer agent.Close()
//		...
//	}
//
// Data are distinguished by their addresses ([Slice], [Value], [Tile]: ranges of memory that may
// overlap, of objects that live as long as the trace), or by numbers that the program gives them
// ([Object]: also where memory is used again for something else).
//
// A worker of the trace is a P of Go's scheduler (GOMAXPROCS has their number): goroutines come and
// go by the thousand, and one at a time runs on a P. An execution belongs to the P on which it
// ended. One that began on another is marked as moved. Ps are not bound to CPUs, so that all are of
// one node.
//
// A P's records are in memory until they are 64 KiB; then the goroutine that ends a kernel writes
// them, after it has taken the time. If a program is killed, the records written until then can be
// recovered (krdlab trace recover). Programs that end by os.Exit call [Close] before it.
//
// # Rejected
//
// Package loi's writer in place of the 150 lines here that write one type of record and the frame
// around it: each traced program would import loi's dependencies. A test has loi write the same
// trace and compares all bytes. A goroutine as a worker: there may be more than a trace has numbers
// for, and its number is known to the runtime's own sources only.
package agent

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"unsafe"
)

// A Mode is how a kernel accesses an argument.
type Mode uint8

// The modes.
const (
	In    Mode = 1
	Out   Mode = 2
	InOut Mode = In | Out // read, then written
)

// A Routine is a piece of the program that is traced as a kernel.
type Routine struct {
	name  string
	id    uint16
	modes []Mode
}

// names holds the names that all traces of this process share.
var names struct {
	mu       sync.Mutex
	kernels  []string
	kernel   map[string]uint16
	objects  []object
	object   map[string]int32
	modified atomic.Uint64 // grows with each name
}

type object struct {
	name string
	kind uint64
}

const (
	keyed = 1 // kinds of objects in the format
	span  = 2

	maxNames = 1<<16 - 1
)

// Kernel declares a kernel with the modes of its arguments. It panics without a name, and if more
// than 65535 names are declared. Kernels of the same name are one in the trace.
func Kernel(name string, modes ...Mode) *Routine {
	for _, m := range modes {
		if m < In || m > InOut {
			panic(fmt.Sprintf("agent: kernel %q has mode %d, expected In, Out or InOut", name, m))
		}
	}
	names.mu.Lock()
	defer names.mu.Unlock()
	id, ok := names.kernel[name]
	if !ok {
		if name == "" || len(names.kernels) == maxNames {
			panic(fmt.Sprintf("agent: kernel %q has no name, or is one more than %d", name,
				maxNames))
		}
		if names.kernel == nil {
			names.kernel = make(map[string]uint16)
		}
		id = uint16(len(names.kernels))
		names.kernels, names.kernel[name] = append(names.kernels, name), id
		names.modified.Add(1)
	}
	return &Routine{name, id, modes}
}

// An Arg is data that a kernel works on.
type Arg struct {
	object        int32 // inMemory: what stands at an address
	rows          uint32
	block         uint64 // number of a block, or address
	bytes, stride uint64
}

const (
	inMemory   = -1
	memoryName = "memory"
)

// Slice returns the elements of s.
func Slice[T any](s []T) Arg {
	var e T
	return Arg{object: inMemory, block: uint64(uintptr(unsafe.Pointer(unsafe.SliceData(s)))),
		bytes: uint64(len(s)) * uint64(unsafe.Sizeof(e))}
}

// Value returns the datum that p points to.
func Value[T any](p *T) Arg {
	return Arg{object: inMemory, block: uint64(uintptr(unsafe.Pointer(p))),
		bytes: uint64(unsafe.Sizeof(*p))}
}

// Tile returns a block of a matrix: rows of cols elements, the first at the beginning of s, each
// stride elements after the one before. It panics if s is shorter.
func Tile[T any](s []T, rows, cols, stride int) Arg {
	if rows <= 0 || cols <= 0 {
		return Arg{object: inMemory}
	}
	_ = s[(rows-1)*stride+cols-1]
	if stride == cols || rows == 1 {
		return Slice(s[:rows*cols])
	}
	a := Slice(s[:cols])
	a.rows, a.stride = uint32(rows), uint64(stride)*(a.bytes/uint64(cols))
	return a
}

// Blocks are the blocks of a data structure, distinguished by numbers.
type Blocks struct{ object int32 }

// Object names a data structure whose blocks have numbers. It panics without a name, with the name
// "memory", and if more than 65535 are named.
func Object(name string) Blocks {
	if name == memoryName {
		panic("agent: an object has the name of what slices and values are of")
	}
	return Blocks{register(name, keyed)}
}

// Block returns the block with a number, of so many bytes: the same for the same number.
func (o Blocks) Block(number uint64, bytes int) Arg {
	return Arg{object: o.object, block: number, bytes: uint64(max(bytes, 0))}
}

func register(name string, kind uint64) int32 {
	names.mu.Lock()
	defer names.mu.Unlock()
	if o, ok := names.object[name]; ok {
		return o
	}
	if name == "" || len(names.objects) == maxNames {
		panic(fmt.Sprintf("agent: object %q has no name, or is one more than %d", name, maxNames))
	}
	if names.object == nil {
		names.object = make(map[string]int32)
	}
	o := int32(len(names.objects))
	names.objects, names.object[name] = append(names.objects, object{name, kind}), o
	names.modified.Add(1)
	return o
}

// memory is the number of the object that addresses are of, known from its first use on.
var memory = sync.OnceValue(func() int32 { return register(memoryName, span) })

// current holds the trace of executions that begin; nil: nothing is traced.
var current atomic.Pointer[tracer]

// traces counts traces.
var traces atomic.Uint64

// An Execution is an execution of a kernel that has begun. It names its trace by number: with a
// pointer to it, the arguments would escape to the heap.
type Execution struct {
	trace  uint64 // 0: not traced
	k      *Routine
	args   []Arg
	worker int32
	start  uint64
}

// Begin begins an execution with arguments in the order of the declaration; it panics if there are
// more or fewer. They are kept until End. Executions may nest.
func (k *Routine) Begin(args ...Arg) Execution {
	if len(args) != len(k.modes) {
		k.wrong(len(args))
	}
	t := current.Load()
	if t == nil {
		return Execution{}
	}
	return Execution{trace: t.number, k: k, args: args, worker: p(), start: t.now()}
}

func (k *Routine) wrong(n int) {
	panic(fmt.Sprintf("agent: kernel %q is begun with %d arguments and was declared with %d",
		k.name, n, len(k.modes)))
}

// End ends the execution. Its cost is that of a record of 24 bytes and 16 for each argument; see
// BenchmarkBeginEnd.
func (e Execution) End() {
	t := current.Load()
	if e.trace == 0 || t == nil || t.number != e.trace {
		return
	}
	end := t.now()
	t.record(&e, end, p())
}

// Start begins a trace that will be the file path, which may not exist. With "" nothing is traced.
// It fails if a trace is being written.
func Start(path string) error {
	if path == "" {
		return nil
	}
	if current.Load() != nil {
		return errors.New("agent: a trace is being written already")
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return fmt.Errorf("agent: %w", err)
	}
	if !current.CompareAndSwap(nil, newTracer(f)) {
		return errors.Join(errors.New("agent: a trace is being written already"), f.Close(),
			os.Remove(path))
	}
	return nil
}

// Close ends the trace, if one is being written. Executions that have not ended are not in it. Its
// error is that of the file. It takes 20 ms at least after Start, to measure the clock's rate.
func Close() error {
	t := current.Swap(nil)
	if t == nil {
		return nil
	}
	return t.close()
}
