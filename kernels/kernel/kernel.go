// Package kernel defines a kernel: a name, parameters, and instances that can be run, checked and
// run again. Kernels themselves are packages beside this one; the table of them is package kernels.
package kernel

import (
	"fmt"
	"slices"

	"krdlab/hw/ops"
	"krdlab/loi"
	"krdlab/runtimes"
)

// A Kernel is one line of the table.
type Kernel struct {
	Name    string
	Summary string // one line
	// Work records whether the program has kernels in the paper's sense (work that spawns nothing).
	// Without them there is no work time, and OVR and WTI are null.
	Work bool
	// TaskGrain records that kernels are too short for stamps of their own: the program stamps
	// tasks too ([runtimes.Worker.BeginTask]), and is measured and traced at that grain unless
	// asked otherwise.
	TaskGrain bool
	// Placed records that New places the data by [Env.Interleave].
	Placed bool
	Params []Param // in the order in which they are shown
	// Size names the parameter for the size of the problem: run directories and cells are named by
	// its value. "" where no single one does.
	Size string
	// Plan resolves parameters that Check has passed, and returns the needs of an instance of them.
	Plan func(Params) (Plan, error)
	// New makes an instance: memory is allocated and inputs are filled in. Errors name the
	// parameter.
	New func(Params, Env) (Instance, error)
	// Small are parameters for tests: some milliseconds on one core, with all the code paths of a
	// large run.
	Small []Params
	// Classes are the sizes that have a name, as parameters that differ from the defaults. Every
	// kernel has a small one, of at most [SmallExecutions] kernel executions.
	Classes []Class
}

// A Class is a size of the problem that has a name.
type Class struct {
	Name   string `json:"name"` // one of [ClassNames], but "default"
	Params Params `json:"params"`
}

// ClassNames are the classes that there can be, by size; "default" is that of the defaults, and
// "bots" the size that the benchmark suite which the kernel is from sets (BOTS, SciMark, NAS).
var ClassNames = []string{SmallClass, DefaultClass, "large", "bots"}

// SmallClass is the class that every kernel has beside the default: a simulation of it is short.
const SmallClass = "small"

// SmallExecutions is how many kernel executions a run of class small has at most.
const SmallExecutions = 100_000

// DefaultClass is the class of the defaults, which every kernel has.
const DefaultClass = "default"

// ClassNames returns the names of the classes that k has, by size.
func (k *Kernel) ClassNames() []string {
	return slices.DeleteFunc(slices.Clone(ClassNames), func(name string) bool {
		_, has := k.InClass(name)
		return !has
	})
}

// InClass returns the values of the parameters of k in a class; false if k has none of that name.
func (k *Kernel) InClass(name string) (Params, bool) {
	if name == DefaultClass {
		return k.Defaults(), true
	}
	for _, c := range k.Classes {
		if c.Name == name {
			return k.With(c.Params), true
		}
	}
	return nil, false
}

// Env describes the run that an instance is made for.
type Env struct {
	Seed uint64
	// Interleave lists the NUMA nodes to spread pages over; nil leaves them where they are first
	// touched. It is nil for a kernel that is not Placed, and for a dry instance.
	Interleave []int
	// Dry asks for an instance whose times a machine model gives: its shape is that of the real
	// one, its data is neither filled in nor computed ([runtimes.Worker.Computes]), and it is not
	// checked.
	Dry bool
}

// Modelled is an instance whose kernels a machine model can price.
type Modelled interface {
	// Work returns the operations of an execution of k, which names blocks, as the compiled program
	// has them with its data in the L1, whatever the machine.
	Work(k loi.KernelID, blocks []uint32) ops.Count
	// Place returns where a block lies in the program's address space. Objects do not overlap.
	Place(o loi.ObjectID, block uint32) Extent
}

// Uniform is a Modelled instance with kernels that have the same operations in every execution, so
// that a model need not ask again.
type Uniform interface {
	// Uniform reports whether k is one.
	Uniform(k loi.KernelID) bool
}

// Gathering is a Modelled instance with parameters whose blocks a kernel reads words of here and
// there, in an order of its own; others are read from their first line to their last.
type Gathering interface {
	// Gathers reports whether parameter param of k is one.
	Gathers(k loi.KernelID, param int) bool
}

// Priced reports whether a machine model can price the kernels of in: they touch no registered
// data, or in is [Modelled]. Other instances run natively only.
func Priced(in Instance) bool {
	_, modelled := in.(Modelled)
	return modelled || len(in.Registry().Kernels) == 0
}

// An Extent is memory: Rows rows of Bytes bytes each, whose beginnings are Stride bytes apart.
type Extent struct {
	Base, Bytes, Stride uint64
	Rows                uint32
}

// A Plan lists the needs of an instance.
type Plan struct {
	Resolved   Params // what presets and "auto" stand for
	Bytes      uint64 // memory for data, checks included
	DryBytes   uint64 // memory of an instance that is made dry, where that is much
	Blocks     uint64 // about how many blocks its objects have; 0 if unknown
	Tasks      uint64 // tasks that stamp themselves in one run, at task grain; 0 if unknown
	Executions uint64 // kernel executions in one run; 0 if unknown
	Args       int    // most blocks that one execution names
}

// An Instance is a program with its data. It is used by one run at a time.
type Instance interface {
	runtimes.Program
	// Registry names the program's kernels and the objects that they touch.
	Registry() loi.Registry
	// Reset makes the data as it was before the first run. hints: the next run's scheduler asks for
	// hints (runtimes.Rules.Hints), so that it is of use to note who touched which block. It is not
	// timed.
	Reset(hints bool)
	// Check compares the result of the latest run with an independent computation.
	Check() Check
	// Close returns the memory.
	Close() error
}

// Counted is an instance that has the counts of one run of it, where [Plan] has not.
type Counted interface {
	// Counts returns the number of tasks that stamp themselves ([runtimes.Worker.BeginTask]) and
	// that of kernel executions.
	Counts() (tasks, executions uint64)
}

// A Check is the verdict on one run.
type Check struct {
	Passed bool
	// Error and Tolerance are in the unit of Method; Passed means that Error <= Tolerance.
	Error, Tolerance float64
	Method           string
	Detail           string // where the worst error is, if it failed
	// Lines, if there are any, say more than one number can: a small table for a person, one line
	// each.
	Lines []string
}

// Exact returns the check of a number that must equal want.
func Exact[T int | int64 | uint64](method string, got, want T) Check {
	c := Check{Passed: got == want, Method: method + ", exact"}
	if !c.Passed {
		c.Error = float64(max(got, want) - min(got, want))
		c.Detail = fmt.Sprintf("the result is %d, want %d", got, want)
	}
	return c
}

// A Phase is a part of a kernel's work that a run does not time: the part before its root task or
// after it.
type Phase struct {
	Name string `json:"name"`
	NS   int64  `json:"ns"` // wall time
}

// Phased is an instance with such parts. Phases returns how long each took when it was last done;
// one that has not been done yet is left out.
type Phased interface {
	Phases() []Phase
}

// A Saver is an instance that can write the result of the latest run to the file that its
// parameters name; without such a file Save does nothing. It is called after [Instance.Check]. A
// file that exists is an error and stays as it is.
type Saver interface {
	Save() error
}
