package hw

import "runtime/debug"

// ExitFatally makes what ends a Go program at once (no memory, no thread, a panic that is not
// recovered) end this one with exit code 1, after Go's traceback, for the rest of its life. Go
// itself exits with 2, which many programs, this one among them, use for wrong flags, and has no
// way to choose: but it can be set to abort, and a signal can have a handler that Go does not know.
// Where there is none, SIGABRT ends the process.
func ExitFatally() {
	debug.SetTraceback("crash")
	_ = exitOnAbort()
}
