package loi

import "fmt"

// A goroutine, or another worker that waits for others by itself, has events: who started it, each
// operation by which it waits for others or lets them go on, and its end. Package dag computes from
// them who waited for whom.

// A SyncOp is an operation by which goroutines wait for each other.
type SyncOp uint8

// The operations. The zero value is invalid. See [Sync] for their arguments.
const (
	SyncSend SyncOp = iota + 1
	SyncReceive
	SyncReceiveClosed // the zero value of a channel that is closed and empty
	SyncClose
	SyncLock
	SyncUnlock
	SyncReadLock
	SyncReadUnlock
	SyncDone // of a wait group, or an addition below zero
	SyncWait // of a wait group
	SyncCondWait
	SyncSignal   // of a condition, or a broadcast
	SyncOnce     // ran what is to be done once
	SyncOnceSeen // found it done
	SyncLoad     // of an atomic variable
	SyncStore
	SyncUpdate // read and written: an addition, a swap
	SyncSleep

	// In an [EventBegun] alone.

	SyncNever // a select without cases
	SyncIO    // a file or a connection

	lastSyncOp  = SyncSleep
	lastBegunOp = SyncIO
)

var syncNames = [...]string{SyncSend: "send", SyncReceive: "receive",
	SyncReceiveClosed: "receive from closed", SyncClose: "close", SyncLock: "lock",
	SyncUnlock: "unlock", SyncReadLock: "read lock", SyncReadUnlock: "read unlock",
	SyncDone: "done", SyncWait: "wait", SyncCondWait: "wait for condition", SyncSignal: "signal",
	SyncOnce: "once", SyncOnceSeen: "once, done", SyncLoad: "atomic load",
	SyncStore: "atomic store", SyncUpdate: "atomic update", SyncSleep: "sleep",
	SyncNever: "select without cases", SyncIO: "input or output"}

// String returns "send", or "operation(N)".
func (o SyncOp) String() string {
	if int(o) >= len(syncNames) || syncNames[o] == "" {
		return fmt.Sprintf("operation(%d)", uint8(o))
	}
	return syncNames[o]
}

// Atomic reports that o is of an atomic variable.
func (o SyncOp) Atomic() bool { return o >= SyncLoad && o <= SyncUpdate }

// A Sync is an operation that a worker has ended, as in an [EventSync]. Its stamp is when it had
// ended.
//
// An operation follows others of its object: a receive the send of what it received, and a send the
// receive that made room for it, both in the order of At: the k-th receive follows the k-th send,
// and the k-th send of a channel with room for c the (k-c)-th receive, from its Begin where c is 0;
// a receive from a closed channel follows the close; a lock the unlock before it, and a read
// unlock, by At; a read lock the unlock before it; a wait all that was done before it; a wait for a
// condition the signal with the same At; a once that was seen done the one that ran; an atomic load
// or update the store or update before it. A timer with a function is a once: SyncOnce is that it was
// set, and SyncOnceSeen the begin of its function.
type Sync struct {
	Op       SyncOp
	Selected bool     // a case of a select
	Timer    bool     // the channel is a timer's: what is received was sent by the runtime; of a once, below
	Object   ObjectID // the class of what it is about: "chan int, made at main.go:7"
	Place    uint64   // which of them
	Room     uint32   // of a channel
	Begin    uint64   // ticks: when it began; between Begin and the stamp its worker waited
	At       uint64   // ticks: when it took effect
	Away     uint64   // ticks that the worker has been off its thread until now, since it began
}

// Above a SyncOp in its argument.
const (
	syncSelected = 1 << 8
	syncTimer    = 1 << 9
)

// NoObject is the object of an operation about something that is not known.
const NoObject ObjectID = 0xffff

// Args returns the arguments of the event.
func (s *Sync) Args() []uint32 {
	op := uint32(s.Op)
	if s.Selected {
		op |= syncSelected
	}
	if s.Timer {
		op |= syncTimer
	}
	return []uint32{op, uint32(s.Object), s.Room, uint32(s.Place), uint32(s.Place >> 32),
		uint32(s.Begin), uint32(s.Begin >> 32), uint32(s.At), uint32(s.At >> 32), uint32(s.Away),
		uint32(s.Away >> 32)}
}

// A Begun is an operation that a worker had begun and not ended when the program ended, or one of
// the cases of its select: each is an [EventBegun], at the begin.
type Begun struct {
	Sync           // without Begin, At and Away
	Where KernelID // whose name is the function and the line that began it; NoKernel: not known
	Cases uint32   // of its select, with those that have no event; 0: not known
}

// NoKernel is the kernel of an operation that begins in an unknown place, or of such an access.
const NoKernel KernelID = 0xffff

// MaxLines is of how many accesses an [EventLines] can tell.
const MaxLines = 2 * maxArgs

// LinesArgs returns the arguments of an [EventLines]: for each access of its worker since the event of
// this kind before, the kernel whose name is its function and line ("main.f, main.go:12"), or NoKernel.
func LinesArgs(of []KernelID) []uint32 {
	args := make([]uint32, (len(of)+1)/2)
	for i := range args {
		args[i] = uint32(of[2*i]) | uint32(NoKernel)<<16
		if 2*i+1 < len(of) {
			args[i] = uint32(of[2*i]) | uint32(of[2*i+1])<<16
		}
	}
	return args
}

// Lines appends the kernels of an [EventLines] to a list, with one NoKernel more if they are odd in
// number; false if r is none.
func (r *Record) Lines(to []KernelID) ([]KernelID, bool) {
	if r.Type != EventRecord || r.Event != EventLines {
		return to, false
	}
	for _, a := range r.Args {
		to = append(to, KernelID(a&0xffff), KernelID(a>>16))
	}
	return to, true
}

// Args returns the arguments of the event.
func (o *Begun) Args() []uint32 {
	return append(o.Sync.Args()[:5], uint32(o.Where), o.Cases)
}

// Begun decodes an [EventBegun], with an Op of 0 for a worker that was running; false if r is none.
func (r *Record) Begun() (o Begun, ok bool) {
	a := r.Args
	switch {
	case r.Type != EventRecord || r.Event != EventBegun:
		return o, false
	case len(a) == 0:
		return o, true
	case len(a) != 7 || a[0]&0xff == 0 || a[0]&0xff > uint32(lastBegunOp):
		return o, false
	}
	o.Sync = Sync{Op: SyncOp(a[0]), Selected: a[0]&syncSelected != 0, Timer: a[0]&syncTimer != 0,
		Object: ObjectID(a[1]), Room: a[2], Place: uint64(a[3]) | uint64(a[4])<<32}
	o.Where, o.Cases = KernelID(a[5]), a[6]
	return o, true
}

// syncArgs is how many arguments an [EventSync] has.
const syncArgs = 11

// Sync decodes an [EventSync]; false if r is none.
func (r *Record) Sync() (s Sync, ok bool) {
	a := r.Args
	if r.Type != EventRecord || r.Event != EventSync || len(a) != syncArgs || a[0]&0xff == 0 ||
		a[0]&0xff > uint32(lastSyncOp) {
		return s, false
	}
	wide := func(i int) uint64 { return uint64(a[i]) | uint64(a[i+1])<<32 }
	return Sync{Op: SyncOp(a[0]), Selected: a[0]&syncSelected != 0, Timer: a[0]&syncTimer != 0,
		Object: ObjectID(a[1]), Room: a[2], Place: wide(3), Begin: wide(5), At: wide(7),
		Away: wide(9)}, true
}

// GoArgs returns the arguments of an [EventGo] or an [EventEnd].
func GoArgs(goroutine uint32, away uint64) []uint32 {
	return []uint32{goroutine, uint32(away), uint32(away >> 32)}
}

// Goroutine returns the number that an [EventGo], an [EventStart] or an [EventEnd] has, and the
// ticks that its worker has been off its thread until then; false if r is none of them.
func (r *Record) Goroutine() (number uint32, away uint64, ok bool) {
	switch {
	case r.Type != EventRecord:
	case r.Event == EventStart && (len(r.Args) == 1 || len(r.Args) == 2):
		return r.Args[0], 0, true
	case (r.Event == EventGo || r.Event == EventEnd) && len(r.Args) == 3:
		return r.Args[0], uint64(r.Args[1]) | uint64(r.Args[2])<<32, true
	}
	return 0, 0, false
}

// Entry returns the kernel that is the function which the goroutine of an [EventStart] runs; false
// if it is not known.
func (r *Record) Entry() (KernelID, bool) {
	if r.Type != EventRecord || r.Event != EventStart || len(r.Args) != 2 {
		return 0, false
	}
	return KernelID(r.Args[1]), true
}
