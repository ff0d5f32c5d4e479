package loi

import "fmt"

// A RecordType is the type of a record.
type RecordType uint8

// The types of record. Zero marks the end of what a worker has written.
const (
	// one kernel execution, one block number for each declared parameter
	KernelRecord   RecordType = 1
	AccessesRecord RecordType = 2 // one kernel execution, its accesses listed
	EventRecord    RecordType = 3 // something the runtime did
	TaskRecord     RecordType = 4 // one stamped task, its kernels listed without stamps
	// many executions of one kernel; a cursor gives each as an AccessesRecord
	runRecord RecordType = 5
	endRecord RecordType = 15 // nothing more in this chunk
)

// Flags qualify a kernel execution.
type Flags uint8

// The flags of a record. Values 0x01 and 0x08 are the format's own.
const (
	Preempted Flags = 0x02 // lost its CPU between its stamps (runtime `go`)
	Moved     Flags = 0x04 // ended on another CPU than it began on (runtime `go`)
	// Unstamped is set by readers on a kernel out of a task record: Start and End are those of the
	// whole task.
	Unstamped Flags = 0x10

	flagLong    Flags = 0x01 // a word with the end stamp follows the commit word
	flagsOfFile       = flagLong | Preempted | Moved
)

// An EventKind is the kind of an event record.
type EventKind uint16

// The kinds of events and their arguments. A reader keeps kinds that it does not know.
const (
	// a successful steal: victim worker (the first of a shared queue's), 1 if on another node,
	// entries taken, and of how many, where the thief saw that
	EventSteal EventKind = 1
	EventIdle  EventKind = 4 // the worker began to look for work
	EventBusy  EventKind = 5 // and found some; where it did not, the run ended

	// The structure of a run: see Recorder.BeginTask and what follows it.

	EventTask      EventKind = 6  // a task begins: task, parent, its phase, child, children
	EventChild     EventKind = 7  // a child that is no task ended: task, phase, child
	EventPhase     EventKind = 8  // a phase ended: task, phase, children of the next
	EventOf        EventKind = 9  // of what the record before this is: task, phase, child
	EventRegion    EventKind = 10 // a region begins: region, number, number of its parent
	EventRegionEnd EventKind = 11 // a region ends: number

	// Decisions of schedulers, where a run records them. A child is named by its task, phase and
	// number, 64 bits are two arguments, the lower half first.

	// a child begins, with its hints: child, work (64 bits), bytes (64 bits), priority, near (1 + a
	// worker); 0 is not known
	EventHint   EventKind = 12
	EventPlace  EventKind = 13 // a child: the first worker of its queue, its range, 1 if thieves leave it
	EventChoice EventKind = 14 // a phase begins: task, phase, rule; entries queued, stolen until now
	EventMail   EventKind = 15 // a child is mailed: the worker
	EventAsk    EventKind = 16 // a worker is asked for an entry: who
	EventAnswer EventKind = 17 // the answer: who asked, entries
	EventCharge EventKind = 18 // a child that begins is charged to its node: bytes (64 bits)
	EventRange  EventKind = 19 // workers may steal in the range of a task, or not: task, range, 1 or 0

	// Goroutines, where each is a worker: see sync.go.

	EventGo    EventKind = 20 // a goroutine is started: its number, ticks off the thread (64 bits)
	EventStart EventKind = 21 // the first of a goroutine: its number; its function
	EventEnd   EventKind = 22 // the last of a goroutine: as of EventGo
	EventSync  EventKind = 23 // an operation by which goroutines wait for each other: see [Sync]
	// an operation had begun and not ended when the program ended, at its begin, or the goroutine was
	// running: see [Begun]
	EventBegun EventKind = 24
	EventLines EventKind = 25 // the lines of the accesses since the one before: see [Record.Lines]

	EventOperation EventKind = 32 // values were computed: see [Record.Operation]
)

// eventNames is how kinds of events are called.
var eventNames = [...]string{EventSteal: "steal",
	EventIdle: "idle", EventBusy: "busy", EventTask: "task", EventChild: "child",
	EventPhase: "phase", EventOf: "of", EventRegion: "region", EventRegionEnd: "region-end",
	EventHint: "hint", EventPlace: "place", EventChoice: "choice", EventMail: "mail", EventAsk: "ask",
	EventAnswer: "answer", EventCharge: "charge", EventRange: "range",
	EventGo: "spawn", EventStart: "start", EventEnd: "end", EventSync: "sync",
	EventBegun: "begun", EventLines: "lines", EventOperation: "operation"}

// String returns the name of k, "steal" say, or "event(N)".
func (k EventKind) String() string {
	if int(k) >= len(eventNames) || eventNames[k] == "" {
		return fmt.Sprintf("event(%d)", uint16(k))
	}
	return eventNames[k]
}

// A Call is one kernel execution inside a task record.
type Call struct {
	Kernel KernelID
	Args   []uint32
}

// A Record is one record of a worker, as a [Cursor] gives it. Its slices are valid until the next
// call of Next.
type Record struct {
	Type   RecordType
	Kernel KernelID  // of KernelRecord and AccessesRecord
	Event  EventKind // of EventRecord
	Flags  Flags
	Start  uint64 // ticks; of an event, its time
	End    uint64 // ticks; of an event, its time

	// KernelRecord: block numbers, one for each of Kernel.Params; EventRecord: its arguments
	Args     []uint32
	Explicit []Access // AccessesRecord: the accesses in declared order, Bytes filled in; else empty
	Calls    []Call   // TaskRecord: the kernels in program order; else empty
}

// The commit word of a record: duration in ticks, then kernel or event number, then type, flags and
// number of arguments.
const (
	idShift    = 32
	typeShift  = 48
	flagShift  = 52
	countShift = 56
	maxArgs    = 255
	endCommit  = uint64(endRecord) << typeShift
)

func commitWord(typ RecordType, fl Flags, id uint16, n int, d uint64) uint64 {
	return d | uint64(id)<<idShift | uint64(typ)<<typeShift | uint64(fl)<<flagShift | uint64(
		n)<<countShift
}

// A call in a task record is one word: kernel (14 bits), number of arguments (2 bits) and up to two
// arguments of 24 bits. Number 3 marks the long form for what does not fit: kernel and number of
// arguments in the word, then the arguments, two in a word.
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
