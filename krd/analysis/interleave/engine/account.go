package engine

import (
	"fmt"

	"krdlab/hw/units"
)

// An Account is the memory that a computation may still take, in bytes. It is asked before memory
// is allocated. A copy of it is for memory that is freed before the computation goes on.
type Account struct{ allowed, left float64 }

// Estimates of allocations in bytes, with the tables that hold them and garbage not freed yet.
const (
	bytesOfNode      = 320  // of a graph, beside its key and edges
	bytesOfStack     = 160  // of [stacks], beside its objects
	bytesOfHit       = 1200 // a distance of an object: counts, its row in a document and in a table
	bytesOfObject    = 400  // its name, sums and rows
	bytesOfGoroutine = 8 << 10
	bytesOfCall      = 512 // of a search that calls itself for each step
)

// NewAccount returns an account of so many bytes; of 1 GiB for 0.
func NewAccount(allowed uint64) *Account {
	if allowed == 0 {
		allowed = 1 << 30
	}
	return &Account{float64(allowed), float64(allowed)}
}

// newAccount returns the account of a computation with p, which is there already.
func newAccount(p *Program, allowed uint64) (*Account, error) {
	a := NewAccount(allowed)
	return a, a.Take(bytesOfObject*float64(len(p.Objects)), "%s",
		units.Count(len(p.Objects), "object"))
}

// Left returns the bytes that may still be taken; less than 0 once it was asked for too many.
func (a *Account) Left() float64 { return a.left }

// Has takes so many bytes, and reports whether they are allowed.
func (a *Account) Has(bytes float64) bool {
	a.left -= bytes
	return a.left >= 0
}

// Take works like Has, with an error that names the purpose of the bytes.
func (a *Account) Take(bytes float64, format string, args ...any) error {
	if a.Has(bytes) {
		return nil
	}
	return fmt.Errorf("%w: %s; memory allowed: %s", ErrLimit, fmt.Sprintf(format, args...),
		units.Bytes(uint64(a.allowed)))
}
