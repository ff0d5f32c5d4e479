package machine

import (
	"fmt"
	"strings"

	"krdlab/hw/failure"
)

// ErrNoSuchMachine records that no machine of the given name is built in.
var ErrNoSuchMachine = failure.New(failure.Request, "no such machine")

// ErrNotKnown records that something about this computer is not known that a machine needs (the
// size of a cache, say).
var ErrNotKnown = failure.New(failure.Capability, "not known")

// A FieldError is one thing that is wrong with a machine.
type FieldError struct {
	File  string // as given to Parse; "" for a Machine that was not read from a file
	Line  int    // of the field, or of its table where the field is missing; 0 without a file
	Field string // path, like "l1.latency"; "" where the text is no TOML
	Found string // "nothing" where the field is missing
	Want  string
}

func (e *FieldError) Error() string {
	var b strings.Builder
	if e.File != "" {
		fmt.Fprintf(&b, "%s:%d: ", e.File, e.Line)
	}
	if e.Field != "" {
		fmt.Fprintf(&b, "%s: ", e.Field)
	}
	fmt.Fprintf(&b, "found %s, expected %s", e.Found, e.Want)
	return b.String()
}

// Class implements [failure.Classed].
func (*FieldError) Class() failure.Class { return failure.Request }
