package shadow

import (
	"cmp"
	"fmt"
	"math/bits"
)

// Runs keeps for each datum which of the open regions have touched it. The regions around one touch
// all that it touches: the tags are a sequence of ones and then zeros, and are kept as the number
// of ones (5.1, run-length coding). The methods are for one goroutine.
type Runs interface {
	// Touch makes the open regions touch the data at addresses, in bytes, and adds to fresh[i] the
	// number of data that the region of level i had not touched before. fresh has at least as many
	// entries as there are levels.
	Touch(addrs []uint64, fresh []uint64)
	// Accesses is Touch of all data that accesses at places are part of, of so many bytes each, at
	// least one.
	Accesses(places []uint64, bytes []uint32, fresh []uint64)
	// Span is Touch of all data that so many bytes from an address on are part of, at least one.
	Span(addr, bytes uint64, fresh []uint64)
	// Mark is Touch of one datum: it returns how many levels, from the outermost on, had touched it.
	Mark(addr uint64) (before int)
	// First returns the addresses of the data that were touched since the last call, but by Mark, and
	// that nothing had touched within the outermost region. It is valid until the next of these calls.
	First() []uint64
	Usage() Usage
}

// RunsOptions of [NewRuns]; where a field is 0 its default is taken.
type RunsOptions struct {
	Validation Validation
	Datum      uint64 // bytes of a datum, a power of two; 8
	Table      uint64 // bytes of addresses that a table is of, a power of two; 64 KiB
	// Compress keeps tables compressed that were not used recently: all but those of Uncompressed
	// bytes of addresses; 4 MiB. With Bulk alone.
	Compress     bool
	Uncompressed uint64
}

// The defaults of [RunsOptions].
const (
	DefaultDatum        = 8
	DefaultTable        = 64 << 10
	DefaultUncompressed = 4 << 20
)

// MaxDepth is how many levels [Runs] are for.
const MaxDepth = 1<<15 - 1

// NewRuns returns a memory for the regions of l, with nothing touched. A Datum or Table that is no
// power of two, or a table of less than 8 data, is an error.
func NewRuns(l *Levels, opt RunsOptions) (Runs, error) {
	opt.Datum = cmp.Or(opt.Datum, DefaultDatum)
	opt.Table = cmp.Or(opt.Table, max(DefaultTable, opt.Datum*leastTable))
	opt.Uncompressed = cmp.Or(opt.Uncompressed, DefaultUncompressed)
	if bits.OnesCount64(opt.Datum) != 1 || bits.OnesCount64(opt.Table) != 1 ||
		opt.Table/opt.Datum < leastTable {
		return nil, fmt.Errorf("shadow: data of %d bytes in tables of %d: expected powers of two, at "+
			"least %d data in a table", opt.Datum, opt.Table, leastTable)
	}
	s := shape{datum: uint(bits.TrailingZeros64(opt.Datum)),
		table: uint(bits.TrailingZeros64(opt.Table))}
	switch opt.Validation {
	case Baseline:
		return &baseline{shape: s, levels: l, room: 1}, nil
	case Slim:
		return &slim{shape: s, levels: l}, nil
	case Bulk:
		return newBulk(l, s, opt), nil
	}
	return nil, fmt.Errorf("shadow: validation %d: expected one of three", opt.Validation)
}

// leastTable is how many data a table has at least: the tags of as many are reset together.
const leastTable = 8

// span works like Span, by way of Touch.
func span(m Runs, datum, addr, bytes uint64, fresh []uint64) {
	var list [256]uint64
	n := 0
	for a := addr &^ (datum - 1); ; a += datum {
		list[n] = a
		if n++; a >= (addr+bytes-1)&^(datum-1) || n == len(list) {
			m.Touch(list[:n], fresh)
			n = 0
		}
		if a >= (addr+bytes-1)&^(datum-1) {
			return
		}
	}
}

// accesses works like Accesses, by way of Touch.
func accesses(m Runs, datum uint64, places []uint64, bytes []uint32, fresh []uint64) {
	var list [256]uint64
	n := 0
	for i, place := range places {
		last := (place + uint64(max(bytes[i], 1)) - 1) &^ (datum - 1)
		for a := place &^ (datum - 1); ; a += datum {
			list[n] = a
			if n++; n == len(list) {
				m.Touch(list[:n], fresh)
				n = 0
			}
			if a == last {
				break
			}
		}
	}
	m.Touch(list[:n], fresh)
}

// firsts are the addresses of First.
type firsts struct {
	list  []uint64
	taken bool
}

func (f *firsts) add(addr uint64) {
	if f.taken {
		f.list, f.taken = f.list[:0], false
	}
	f.list = append(f.list, addr)
}

// First implements [Runs].
func (f *firsts) First() []uint64 {
	if f.taken {
		return nil
	}
	f.taken = true
	return f.list
}

// A shape gives the table of an address, and the place in it.
type shape struct{ datum, table uint } // shifts of an address

func (s shape) len() int { return 1 << (s.table - s.datum) }

func (s shape) at(addr uint64) (table, index uint64) {
	return addr >> s.table, addr >> s.datum & (1<<(s.table-s.datum) - 1)
}
