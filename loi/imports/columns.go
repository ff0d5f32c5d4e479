package imports

import (
	"fmt"
	"strings"

	"krdlab/loi"
)

// A column is one of those that a table of accesses can have.
type column uint8

const (
	colTime column = iota
	colWorker
	colObject
	colBlock
	colOffset
	colBytes
	colMode
	colKernel
	colEnd
	colRows
	colStride
	colClockHz // of the whole table: in one row, or the same in several
	numColumns
)

var columnNames = [numColumns]string{"time", "worker", "object", "block", "offset", "bytes", "mode",
	"kernel", "end", "rows", "stride", "clock_hz"}

const columnsWanted = "time,worker,object,block,bytes,mode, with offset in place of block or " +
	"beside it, and perhaps kernel, end, rows, stride and clock_hz"

func (c column) text() bool { return c == colObject || c == colMode || c == colKernel }

// columnSet is the columns that a table has, by the place where they stand from 0; -1: it has not.
type columnSet [numColumns]int

func noColumns() (s columnSet) {
	for c := range s {
		s[c] = -1
	}
	return s
}

// add takes the name of the column in a place.
func (s *columnSet) add(name string, place int) (column, error) {
	for c, n := range columnNames {
		if n == name {
			if s[c] >= 0 {
				return 0, fmt.Errorf("there are two columns %q", name)
			}
			s[c] = place
			return column(c), nil
		}
	}
	return 0, fmt.Errorf("unknown column %s, expected %s", quoteShort([]byte(name)), columnsWanted)
}

// complete returns which column is missing.
func (s *columnSet) complete() error {
	for _, c := range []column{colTime, colWorker, colObject, colBytes, colMode} {
		if s[c] < 0 {
			return fmt.Errorf("no column %q, expected %s", columnNames[c], columnsWanted)
		}
	}
	switch {
	case s[colBlock] < 0 && s[colOffset] < 0:
		return fmt.Errorf(`no column "block" and no column "offset", expected one of them`)
	case s[colOffset] < 0 && (s[colRows] >= 0 || s[colStride] >= 0):
		return fmt.Errorf(
			`a column "rows" or "stride" without a column "offset"; blocks have no rows`)
	case (s[colRows] < 0) != (s[colStride] < 0):
		return fmt.Errorf(`one column of "rows" and "stride", expected both or none`)
	}
	return nil
}

// defaultKernel is the name of the kernel of accesses that come without.
const defaultKernel = "access"

// parseMode returns 0 for a text that is no mode.
func parseMode(b []byte) loi.Mode {
	switch string(b) {
	case "r", "in":
		return loi.In
	case "w", "out":
		return loi.Out
	case "rw", "inout":
		return loi.InOut
	}
	return 0
}

const modesWanted = "expected r, w or rw (or in, out or inout)"

// number reads a whole decimal number, or a hexadecimal one after 0x. The error names the fault.
func number(b []byte) (uint64, error) {
	digits, base := b, uint64(10)
	if len(b) > 2 && b[0] == '0' && b[1]|0x20 == 'x' {
		digits, base = b[2:], 16
	}
	var v uint64
	for _, c := range digits {
		d := uint64(16)
		switch {
		case c >= '0' && c <= '9':
			d = uint64(c - '0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			d = uint64(c|0x20-'a') + 10
		}
		if d >= base {
			return 0, notNumber(b)
		}
		if v > (1<<64-1-d)/base {
			return 0, fmt.Errorf("%s is too large, expected a number below 2^64", quoteShort(b))
		}
		v = v*base + d
	}
	if len(digits) == 0 {
		return 0, notNumber(b)
	}
	return v, nil
}

func notNumber(b []byte) error {
	switch {
	case len(b) == 0:
		return fmt.Errorf("nothing, expected a number")
	case strings.IndexByte(string(b), 0) >= 0:
		return fmt.Errorf("a NUL byte in %s, expected a number", quoteShort(b))
	case b[0] == '-' && len(b) > 1 && b[1] >= '0' && b[1] <= '9':
		return fmt.Errorf("%s is negative, expected a number from 0", quoteShort(b))
	}
	return fmt.Errorf("%s is not a number, expected a whole one", quoteShort(b))
}
