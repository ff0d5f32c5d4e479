package imports

import (
	"bytes"
	"unicode/utf8"

	"krdlab/loi"
)

// A row is one access as it stands in the input. The parsers fill rows in and check what a row
// alone can tell; the feeder checks what takes the rows before it.
type row struct {
	time   uint64
	end    uint64 // at least time
	block  uint64 // number of the block, or offset in bytes if span
	bytes  uint64 // 1 to maxBytes
	stride uint64
	pos    uint64 // line or row of the input, from 1
	worker uint32 // below MaxWorkers
	object uint32 // number of the name, by the parser's interner
	kernel uint32 // number of the name, by the parser's interner
	rows   uint32
	mode   loi.Mode
	span   bool // block is an offset
}

const (
	maxBytes = 1 << 62 // of a block or a row of one, and the end of a range
	// rows of a batch: 72 KiB, which stay in the L2 cache between parser and feeder
	batchRows = 1024
)

// A batch is handed over by a parser: rows, and the names that they are the first to use, in order
// of their numbers.
type batch struct {
	rows    []row
	objects []string
	kernels []string
}

// An outlet hands batches over. The parser owns the batch that it was given until it sends it.
type outlet struct {
	b    *batch
	send func(*batch) (*batch, error) // gives a batch away and returns an empty one
}

// next returns the row to be filled in next, dirty. It is counted by add.
func (o *outlet) next() *row {
	b := o.b
	return &b.rows[: len(b.rows)+1 : batchRows][len(b.rows)]
}

// add counts the row that next returned, and hands the batch over when it is full.
func (o *outlet) add() error {
	o.b.rows = o.b.rows[:len(o.b.rows)+1]
	if len(o.b.rows) == batchRows {
		return o.flush()
	}
	return nil
}

func (o *outlet) flush() (err error) {
	if len(o.b.rows) > 0 {
		o.b, err = o.send(o.b)
	}
	return err
}

func newBatch() *batch { return &batch{rows: make([]row, 0, batchRows)} }

// An interner numbers names in the order of their first use, without allocation for a name that it
// has.
type interner struct {
	numbers map[string]uint32
	names   []string
	cache   [64]uint32 // by a cheap hash: number + 1 of the name that was asked for last
}

// number returns the number of a name that is not empty, and reports whether it is new.
func (in *interner) number(name []byte) (n uint32, fresh bool) {
	c := &in.cache[(uint(len(name))*7+uint(name[0])+uint(name[len(name)-1])*3)%64]
	if *c > 0 && in.names[*c-1] == string(name) {
		return *c - 1, false
	}
	n, ok := in.numbers[string(name)]
	if !ok {
		if in.numbers == nil {
			in.numbers = make(map[string]uint32)
		}
		n = uint32(len(in.names))
		in.names = append(in.names, string(name))
		in.numbers[in.names[n]] = n
	}
	*c = n + 1
	return n, !ok
}

// badName returns the fault of a name, "" for none: other formats than its own could not hold it.
func badName(name []byte) string {
	switch {
	case bytes.IndexByte(name, 0) >= 0:
		return "a NUL byte"
	case !utf8.Valid(name):
		return "bytes that are no UTF-8"
	}
	return ""
}

// names numbers the objects and kernels of a table, and gives the outlet those that are new.
type names struct {
	objects interner
	kernels interner
	out     *outlet
}

func (t *names) object(name []byte) (n uint32, fresh bool) {
	n, fresh = t.objects.number(name)
	if fresh {
		t.out.b.objects = append(t.out.b.objects, t.objects.names[n])
	}
	return n, fresh
}

func (t *names) kernel(name []byte) (n uint32, fresh bool) {
	n, fresh = t.kernels.number(name)
	if fresh {
		t.out.b.kernels = append(t.out.b.kernels, t.kernels.names[n])
	}
	return n, fresh
}

// shape checks rows and stride of a row, and that what it names ends somewhere. Rows that are not
// two-dimensional get no stride.
func (r *row) shape() error {
	switch {
	case !r.span && r.rows > 1:
		return fault(r.pos, "rows",
			"%d rows of a block, expected 1: only what has an offset has more", r.rows)
	case r.rows <= 1:
		r.rows, r.stride = 0, 0
		if r.span && r.block > maxBytes-r.bytes {
			return fault(r.pos, "offset", "%d bytes at offset %d, expected to end before 2^62",
				r.bytes, r.block)
		}
	case r.stride < r.bytes:
		return fault(r.pos, "stride", "%d rows of %d bytes that are %d bytes apart, expected at "+
			"least %d", r.rows, r.bytes, r.stride, r.bytes)
	case r.block > maxBytes-r.bytes || r.stride > (maxBytes-r.bytes-r.block)/uint64(r.rows-1):
		return fault(r.pos, "offset", "%d rows of %d bytes, %d bytes apart, at offset %d, "+
			"expected to end before 2^62", r.rows, r.bytes, r.stride, r.block)
	}
	return nil
}
