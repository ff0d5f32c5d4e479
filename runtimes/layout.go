package runtimes

import "unsafe"

// Layouts that comments promise; where one does not hold, the package does not compile.
var (
	// one cache line
	_ [64]byte = [unsafe.Sizeof(Frame{})]byte{}
	// what most pushes and pops of a stack touch is one line, as queues begin one (see their size)
	_ [64]byte = [unsafe.Offsetof(queue{}.first) - unsafe.Offsetof(queue{}.lock)]byte{}
	_ [0]byte  = [unsafe.Offsetof(queue{}.lock) % 64]byte{}
	// deque.own multiplies by 16 with a shift
	_ [16]byte = [unsafe.Sizeof(entry{})]byte{}
)

const (
	_ = uint(len(Worker{}.free) - 1 - rootKind)

	// what thieves write, or read, is apart from what only the owner touches, and from one another
	_ = uint(unsafe.Offsetof(deque{}.head) - unsafe.Offsetof(deque{}.wakes) - cacheLine)
	_ = uint(unsafe.Offsetof(deque{}.bottom) - unsafe.Offsetof(deque{}.head) - cacheLine)
	_ = uint(unsafe.Sizeof(deque{}) - unsafe.Offsetof(deque{}.ring) - cacheLine)
	_ = uint(unsafe.Offsetof(Worker{}.parked) - unsafe.Offsetof(Worker{}.stolenFrom) - cacheLine)
	_ = uint(unsafe.Sizeof(Worker{}) - unsafe.Offsetof(Worker{}.idle) - cacheLine)
	_ = uint(unsafe.Offsetof(queue{}.token) - unsafe.Offsetof(queue{}.take) - cacheLine)
	_ = uint(unsafe.Sizeof(queue{}) - unsafe.Offsetof(queue{}.token) - cacheLine)
	_ = uint(unsafe.Sizeof(queue{}) - 481) // of the size class of 512 bytes, which begin a line
	_ = uint(512 - unsafe.Sizeof(queue{}))
	_ = uint(unsafe.Offsetof(pool{}.n) - unsafe.Offsetof(pool{}.signal) - cacheLine)
)
