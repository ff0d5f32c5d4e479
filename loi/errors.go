package loi

import (
	"fmt"

	"krdlab/hw/failure"
)

// Kinds of faults of a trace file. A reader returns a [*FormatError] that wraps one of them.
var (
	ErrNotTrace = failure.New(failure.Data, "not a trace")
	ErrVersion  = failure.New(failure.Data, "trace of another version")
	ErrUnclean  = failure.New(failure.Data, "trace without a clean end")
	ErrCorrupt  = failure.New(failure.Data, "corrupt trace")
)

// A FormatError reports a fault in the content of a trace file, and its place.
type FormatError struct {
	File   string // path, or "" for a trace in memory
	Offset int64  // byte of the file at which What was seen
	What   string // what was found and what was expected
	Err    error  // one of the Err values of this package
}

// Error returns one line: file, kind, byte and details.
func (e *FormatError) Error() string {
	name := e.File
	if name == "" {
		name = "trace"
	}
	return fmt.Sprintf("%s: %v: byte %d: %s", name, e.Err, e.Offset, e.What)
}

// Class implements [failure.Classed].
func (*FormatError) Class() failure.Class { return failure.Data }

// Unwrap returns the kind of the error.
func (e *FormatError) Unwrap() error { return e.Err }

// A TextError reports a fault in a line of the text form.
type TextError struct {
	Line int // from 1
	What string
}

// Error returns one line: line number and details.
func (e *TextError) Error() string { return fmt.Sprintf("trace text: line %d: %s", e.Line, e.What) }

// Class implements [failure.Classed].
func (*TextError) Class() failure.Class { return failure.Data }

func corrupt(off int64, format string, args ...any) *FormatError {
	return &FormatError{Offset: off, What: fmt.Sprintf(format, args...), Err: ErrCorrupt}
}
