package runtimes

import "unsafe"

// Layouts that comments promise; where one does not hold, the package does not compile.
var (
	// one cache line
	_ [64]byte = [unsafe.Sizeof(Frame{})]byte{}
	// deque.own multiplies by 16 with a shift
	_ [16]byte = [unsafe.Sizeof(entry{})]byte{}
)

const (
	_ = uint(len(Worker{}.free) - 1 - rootKind)

	// what thieves write, or read, is apart from what only the owner touches, and from one another
	_ = uint(unsafe.Offsetof(deque{}.head) - unsafe.Offsetof(deque{}.mask) - cacheLine)
	_ = uint(unsafe.Offsetof(deque{}.bottom) - unsafe.Offsetof(deque{}.head) - cacheLine)
	_ = uint(unsafe.Sizeof(deque{}) - unsafe.Offsetof(deque{}.ring) - cacheLine)
	_ = uint(unsafe.Offsetof(Worker{}.parked) - unsafe.Offsetof(Worker{}.stolenFrom) - cacheLine)
	_ = uint(unsafe.Sizeof(Worker{}) - unsafe.Offsetof(Worker{}.idle) - cacheLine)
	_ = uint(unsafe.Offsetof(queue{}.token) - unsafe.Offsetof(queue{}.size) - cacheLine)
	_ = uint(unsafe.Sizeof(queue{}) - unsafe.Offsetof(queue{}.token) - cacheLine)
	_ = uint(unsafe.Offsetof(pool{}.n) - unsafe.Offsetof(pool{}.signal) - cacheLine)
)
