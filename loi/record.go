package loi

import "fmt"

// A RecordType says what a record is.
type RecordType uint8

// The types of record. Zero marks the end of what a worker has written.
const (
	KernelRecord   RecordType = 1  // one kernel execution, one block number for each declared parameter
	AccessesRecord RecordType = 2  // one kernel execution, its accesses listed
	EventRecord    RecordType = 3  // something the runtime did
	TaskRecord     RecordType = 4  // one stamped task, its kernels listed without stamps
	runRecord      RecordType = 5  // many executions of one kernel; a cursor gives each as an AccessesRecord
	endRecord      RecordType = 15 // nothing more in this chunk
)

// Flags qualify a kernel execution.
type Flags uint8

// The flags of a record. Values 0x01 and 0x08 are the format's own.
const (
	Preempted Flags = 0x02 // lost its CPU between its stamps (runtime `go`)
	Moved     Flags = 0x04 // ended on another CPU than it began on (runtime `go`)
	// Unstamped is set by readers on a kernel out of a task record: Start and End are those of the whole task.
	Unstamped Flags = 0x10

	flagLong    Flags = 0x01 // a word with the end stamp follows the commit word
	flagsOfFile       = flagLong | Preempted | Moved
)

// An EventKind says what an event record tells.
type EventKind uint16

// The kinds of events and their arguments. A reader keeps kinds that it does not know.
const (
	EventSteal EventKind = 1 // a successful steal: victim worker (the first of a shared queue's), 1 if on another node, entries taken
	EventSpawn EventKind = 2 // a spawn: number of children
	EventJoin  EventKind = 3 // a join that completed
	EventIdle  EventKind = 4 // the worker began to look for work
	EventBusy  EventKind = 5 // and found some; where it did not, the run ended
)

// String returns "steal", "spawn", "join", "idle", "busy" or "event(N)".
func (k EventKind) String() string {
	switch k {
	case EventSteal:
		return "steal"
	case EventSpawn:
		return "spawn"
	case EventJoin:
		return "join"
	case EventIdle:
		return "idle"
	case EventBusy:
		return "busy"
	}
	return fmt.Sprintf("event(%d)", uint16(k))
}

// A Call is one kernel execution inside a task record.
type Call struct {
	Kernel KernelID
	Args   []uint32
}

// A Record is one record of a worker, as a [Cursor] gives it. Its slices are valid until the next call of Next.
type Record struct {
	Type   RecordType
	Kernel KernelID  // of KernelRecord and AccessesRecord
	Event  EventKind // of EventRecord
	Flags  Flags
	Start  uint64 // ticks; of an event, its time
	End    uint64 // ticks; of an event, its time

	Args     []uint32 // KernelRecord: block numbers, one for each of Kernel.Params; EventRecord: its arguments
	Explicit []Access // AccessesRecord: the accesses in declared order, Bytes filled in; else empty
	Calls    []Call   // TaskRecord: the kernels in program order; else empty
}

// The commit word of a record: duration in ticks, then kernel or event number, then type, flags and number of arguments.
const (
	idShift    = 32
	typeShift  = 48
	flagShift  = 52
	countShift = 56
	maxArgs    = 255
	endCommit  = uint64(endRecord) << typeShift
)

func commitWord(typ RecordType, fl Flags, id uint16, n int, d uint64) uint64 {
	return d | uint64(id)<<idShift | uint64(typ)<<typeShift | uint64(fl)<<flagShift | uint64(n)<<countShift
}

// A call in a task record is one word: kernel (14 bits), number of arguments (2 bits) and up to two arguments of 24 bits.
// Number 3 marks the long form for what does not fit: kernel and number of arguments in the word, then the arguments, two in
// a word.
const (
	callKernelMax  = 1<<callCountShift - 1
	callCountShift = 14
	callCountMask  = 3
	callLong       = 3
	callArgBits    = 24
	callArgMax     = 1<<callArgBits - 1
	callArgShift   = 16 // of the first one
	longCallKernel = 16
	longCallCount  = 32
)
