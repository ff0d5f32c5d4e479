package hw

import (
	"fmt"

	"krdlab/hw/failure"
)

// An Event is something that can be counted for a thread.
type Event uint8

// The events. Hardware events count user mode only; the others, which a VM has too, both modes.
const (
	LLCMisses    Event = iota // accesses that missed the last-level cache (perf: cache-misses)
	LLReadMisses              // reads that missed the last-level cache (perf: LLC-load-misses)
	Instructions              // retired
	Cycles                    // of the core, while it ran

	TaskClock           // nanoseconds that the thread ran
	PageFaults          // minor and major
	ContextSwitches     // voluntary and involuntary
	VoluntarySwitches   // the thread waited
	InvoluntarySwitches // the thread was preempted
	Migrations          // to another CPU

	numEvents
)

var eventNames = [numEvents]string{"llc-misses", "llc-read-misses", "instructions", "cycles",
	"task-clock", "page-faults", "context-switches", "voluntary-switches", "involuntary-switches",
	"migrations"}

// String returns the name that output uses.
func (e Event) String() string {
	if e < numEvents {
		return eventNames[e]
	}
	return fmt.Sprintf("event(%d)", uint8(e))
}

// Hardware reports whether e needs a performance monitoring unit (PMU).
func (e Event) Hardware() bool { return e <= Cycles }

// The sources of a [Count].
const (
	SourcePerf   = "perf_event"
	SourceRusage = "getrusage" // and the thread's CPU clock
)

// A Count is the count of one event. Where Err is not nil there is no count, and N means nothing.
type Count struct {
	Event  Event
	N      uint64
	Source string // SourcePerf or SourceRusage
	// ErrNoPMU, ErrNotLLC, *PermissionError, *MultiplexedError, ErrUnsupported or the system's,
	// wrapped
	Err error
}

// Counters count events of one thread, the one that opened them. Start, Stop and Read between them
// belong to that thread (hold it with [runtime.LockOSThread]); after Stop, Read and Close may be
// called from any.
type Counters interface {
	// Start sets all counts to 0 and begins.
	Start() error
	// Stop ends counting and keeps the counts.
	Stop() error
	// Read returns one Count for each event, in the order they were asked for: since Start, to Stop
	// or to now.
	Read() ([]Count, error)
	// Close releases what was opened. The counts of a stopped Counters can still be read.
	Close() error
}

// ErrNoPMU records that there are no hardware counters here, usually because this is a VM; being
// root does not help.
var ErrNoPMU = failure.New(failure.Capability, "no hardware counters on this machine (a VM "+
	"without a virtual PMU?); "+
	"root does not help")

// ErrNotLLC records that the kernel's generic event counts another cache on this processor, and so
// is not used.
var ErrNotLLC = failure.New(failure.Capability, "the kernel's generic event does not count the "+
	"last-level cache on "+
	"this processor")

// A PermissionError reports that the kernel has the event and this user may not count it.
type PermissionError struct {
	Event    Event
	Paranoid int // kernel.perf_event_paranoid as seen; -100 when it could not be read
	Needed   int // the highest level at which the event is allowed to everyone
	Err      error
}

const unknownParanoid = -100

// Command returns the command by which the user may get the event.
func (e *PermissionError) Command() string {
	if e.Paranoid != unknownParanoid && e.Paranoid <= e.Needed {
		return "docker run --cap-add PERFMON --security-opt seccomp=unconfined ..."
	}
	return fmt.Sprintf("sudo sysctl kernel.perf_event_paranoid=%d", e.Needed)
}

func (e *PermissionError) Error() string {
	switch {
	case e.Paranoid == unknownParanoid:
		return fmt.Sprintf("count %v: %v: kernel.perf_event_paranoid could not be read, %d is "+
			"needed; try: %s", e.Event, e.Err, e.Needed, e.Command())
	case e.Paranoid <= e.Needed:
		return fmt.Sprintf("count %v: %v: kernel.perf_event_paranoid is %d, which would allow "+
			"it: a container's seccomp filter or a security module forbids it; try: %s",
			e.Event, e.Err, e.Paranoid, e.Command())
	}
	return fmt.Sprintf("count %v: %v: kernel.perf_event_paranoid is %d, at most %d is needed; "+
		"try: %s", e.Event, e.Err, e.Paranoid, e.Needed, e.Command())
}

// Class implements [failure.Classed].
func (*PermissionError) Class() failure.Class { return failure.Capability }

func (e *PermissionError) Unwrap() error { return e.Err }

// A MultiplexedError reports that an event was counted for a part of the time only, because other
// programs use the counters or the thread ran on a core of another kind; scaling it up would be a
// guess.
type MultiplexedError struct {
	Event            Event
	EnabledNS, RanNS uint64
}

func (e *MultiplexedError) Error() string {
	return fmt.Sprintf("count %v: counted for %d of %d ns only: other programs use the counters, "+
		"or the thread changed to another kind of core", e.Event, e.RanNS, e.EnabledNS)
}

// Class implements [failure.Classed].
func (*MultiplexedError) Class() failure.Class { return failure.Failed }
