package engine

import (
	"fmt"

	"krdlab/hw/units"
)

// An account is the memory that a computation may still take, in bytes. It is asked before memory is
// allocated. A copy of it is for what is freed before the computation goes on.
type account struct{ allowed, left float64 }

// What is allocated takes about, in bytes, with the tables that hold it and what the collector has
// not freed yet.
const (
	bytesOfNode      = 320  // of a graph, beside its key and edges
	bytesOfStack     = 160  // of [stacks], beside its objects
	bytesOfHit       = 1200 // a distance of an object: counts, its row in a document and in a table
	bytesOfObject    = 400  // its name, sums and rows
	bytesOfGoroutine = 8 << 10
	bytesOfCall      = 512 // of a search that calls itself for each step
)

// newAccount is that of a computation with p, which is there already.
func newAccount(p *Program, allowed uint64) (*account, error) {
	if allowed == 0 {
		allowed = 1 << 30
	}
	a := &account{float64(allowed), float64(allowed)}
	return a, a.take(bytesOfObject*float64(len(p.Objects)), "%s",
		units.Count(len(p.Objects), "object"))
}

// has takes so many bytes, and reports whether they are allowed.
func (a *account) has(bytes float64) bool {
	a.left -= bytes
	return a.left >= 0
}

// take is has, with an error that says what the bytes are for.
func (a *account) take(bytes float64, format string, args ...any) error {
	if a.has(bytes) {
		return nil
	}
	return fmt.Errorf("%w: %s; memory allowed: %s", ErrLimit, fmt.Sprintf(format, args...),
		units.Bytes(uint64(a.allowed)))
}
