// Package exports writes traces in the forms that other programs read: CSV, Parquet, Perfetto's
// protobuf, and the text form of package loi. docs/trace-data.md describes each column and field,
// with its unit.
//
// All forms but the text have their stamps on one clock: the offset of each worker is taken off,
// and should a stamp become negative by that, all are moved by the same number of ticks so that the
// earliest is 0. Workers follow each other, and the records of a worker stand in program order.
//
// # Designs that were rejected
//
// One file in the order of time over all workers: pandas, DuckDB and Perfetto sort faster than they
// can be sorted for. Parquet with the accesses of an execution as a nested list is smaller, but each
// reader must unnest it, and it is not what the importer takes.
package exports

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"krdlab/hw/failure"
	"krdlab/loi"
)

// ErrFormat is a format that this package does not write.
var ErrFormat = failure.New(failure.Request, "unknown format")

// A RangeError is a number of the trace that the format cannot hold.
type RangeError struct {
	Format string
	Worker int
	What   string // which number, its value and the largest one allowed
}

// Error names format, worker, the number and its limit.
func (e *RangeError) Error() string {
	return fmt.Sprintf("export as %s: worker %d: %s", e.Format, e.Worker, e.What)
}

// Class implements [failure.Classed].
func (*RangeError) Class() failure.Class { return failure.Failed }

// Options say how a trace is written. The zero value is the default.
type Options struct {
	// Progress, if not nil, is called now and then by the goroutine of Write with about the bytes
	// of records that have been written, as they stand in the trace, and those of all; in the end
	// with both equal. The text form calls it at the end.
	Progress func(done, total uint64)
}

type writer func(w io.Writer, t *loi.Trace, p *loi.Progress) error

var formats = []struct {
	name  string
	write writer
	raw   bool // names are written byte by byte, and need not be UTF-8
}{
	{"csv", writeCSV, true},
	{"parquet", writeParquet, false},
	{"perfetto", writePerfetto, false},
	{"text", func(w io.Writer, t *loi.Trace, _ *loi.Progress) error { return loi.WriteText(w, t) },
		true},
}

// ErrName is a name in a trace that a format cannot hold as it is.
var ErrName = failure.New(failure.Data, "a name is no UTF-8")

// encodable returns an error that wraps ErrName for the first name of t that is no UTF-8.
func encodable(t *loi.Trace, format string) error {
	var names []string
	for _, o := range t.Header.Registry.Objects {
		names = append(names, o.Name)
	}
	for _, k := range t.Header.Registry.Kernels {
		names = append(names, k.Name)
	}
	for _, name := range names {
		if !utf8.ValidString(name) {
			return fmt.Errorf("%w: %q; %s would change it: choose csv or text", ErrName, name, format)
		}
	}
	return nil
}

// Formats returns the names of the formats that [Write] takes.
func Formats() []string {
	names := make([]string, len(formats))
	for i := range formats {
		names[i] = formats[i].name
	}
	return names
}

// Write writes t to w in the format named, one of [Formats]. Errors: ErrFormat, ErrName, a
// [*RangeError], faults that the cursors of t find (a [*loi.FormatError]), and those of w. After an
// error, the output is no whole file. Memory is bounded by the header of t, a row group of 2^20
// rows for Parquet, and for Perfetto what package dag needs of goroutines. Cost: see
// docs/performance.md.
func Write(w io.Writer, t *loi.Trace, format string, opt Options) error {
	i := slices.Index(Formats(), format)
	if i < 0 {
		return fmt.Errorf("%w %q, expected one of %s", ErrFormat, format, strings.Join(Formats(),
			", "))
	}
	if !formats[i].raw {
		if err := encodable(t, format); err != nil {
			return err
		}
	}
	p := loi.NewProgress(t, 1, opt.Progress)
	if err := formats[i].write(w, t, p); err != nil {
		return err
	}
	p.End()
	return nil
}
