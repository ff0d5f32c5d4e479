package imports

import (
	"errors"
	"fmt"
	"strings"

	"krdlab/hw/failure"
)

// A DataError reports a fault in the content of an input, and its place. A fault of the command is
// an [*OptionError]; a disk or a pipe that fails is neither.
type DataError struct {
	File   string // path, or "stdin"
	Line   uint64 // of a text format, from 1; 0: of the whole
	Row    uint64 // of a Parquet file, from 1; 0: of the whole
	Column string // name of the column, or "" if it is not of one
	What   string // what was found and what was expected
	Option string // name of the field of Options that would allow it, or ""
	Err    error  // the cause that a decoder gave, if there is one
}

// Error returns one line: file, line or row, column and details.
func (e *DataError) Error() string {
	var b strings.Builder
	b.WriteString(e.File)
	b.WriteString(": ")
	if e.Line > 0 {
		fmt.Fprintf(&b, "line %d: ", e.Line)
	}
	if e.Row > 0 {
		fmt.Fprintf(&b, "row %d: ", e.Row)
	}
	if e.Column != "" {
		fmt.Fprintf(&b, "column %q: ", e.Column)
	}
	b.WriteString(e.What)
	if e.Err != nil {
		fmt.Fprintf(&b, ": %v", e.Err)
	}
	return b.String()
}

// Class implements [failure.Classed].
func (*DataError) Class() failure.Class { return failure.Data }

// Unwrap returns the cause that a decoder gave, or nil.
func (e *DataError) Unwrap() error { return e.Err }

// An OptionError names an option that cannot be meant, or does not fit the input.
type OptionError struct {
	Option string // name of a field of Options
	What   string // what was found and what was expected
}

// Error returns one line: option and details.
func (e *OptionError) Error() string { return fmt.Sprintf("option %s: %s", e.Option, e.What) }

// Class implements [failure.Classed].
func (*OptionError) Class() failure.Class { return failure.Request }

func optionError(name, format string, args ...any) error {
	return &OptionError{Option: name, What: fmt.Sprintf(format, args...)}
}

// fault returns a DataError without its file. The zero position is "of the whole".
func fault(pos uint64, column, format string, args ...any) *DataError {
	return &DataError{Line: pos, Column: column, What: fmt.Sprintf(format, args...)}
}

// allowed adds that an option would allow it.
func (e *DataError) allowed(option string) *DataError {
	e.Option = option
	return e
}

// place fills in what the parts that find errors do not know: the file, and whether positions are
// lines or rows.
func place(err error, file string, rows bool) error {
	var e *DataError
	if errors.As(err, &e) && e.File == "" {
		e.File = file
		if rows {
			e.Row, e.Line = e.Line, 0
		}
	}
	return err
}

// quoteShort returns b quoted, cut where it is long.
func quoteShort(b []byte) string {
	const most = 40
	if len(b) > most {
		return fmt.Sprintf("%q...", b[:most])
	}
	return fmt.Sprintf("%q", b)
}
