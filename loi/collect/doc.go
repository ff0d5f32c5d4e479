// Package collect reads the records of a rewritten Go program (package front) while it runs, and
// turns them into accesses by virtual identity (virda, section 3.1).
//
//	Memory (shared with the program) -> order (one stream) -> Reader (identities) -> Sink
//
// Addresses mean an object only between two allocations at the same place. So the program's
// allocations, each an event of the runtime, come in the same stream as its accesses, and an
// address becomes an object and an offset in it when the stream is read. Objects get places in a
// virtual space that is never used twice, each beginning on a line of 64 bytes: an access is a
// place there and a size.
package collect
