package imports

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// OpenParquet opens a Parquet file of size bytes whose footer fits the file, and whose pages are not
// compressed by LZ4: the library's decoder of it takes every error for a buffer that is too small,
// and doubles it until memory ends. Damaged files may make the library panic, here and later.
func OpenParquet(r io.ReaderAt, size int64) (*parquet.File, error) {
	if err := checkFooter(r, size); err != nil {
		return nil, err
	}
	file, err := parquet.OpenFile(r, size, parquet.SkipPageIndex(true),
		parquet.SkipBloomFilters(true), parquet.ReadBufferSize(256<<10))
	if err != nil {
		return nil, err
	}
	if file.NumRows() < 0 {
		return nil, fmt.Errorf("%d rows", file.NumRows())
	}
	for _, g := range file.Metadata().RowGroups {
		for i := range g.Columns {
			if c := g.Columns[i].MetaData.Codec; c == format.Lz4Raw || c == format.Lz4 {
				return nil, fault(0, "", "compressed with %v, expected no compression, or snappy, "+
					"gzip, brotli or zstd", c)
			}
		}
	}
	return file, nil
}

// checkFooter looks at the footer of a Parquet file before the library does, which believes each
// length and number that it reads, and reserves memory for them. A footer that passes has no list
// or text that is longer than itself.
func checkFooter(r io.ReaderAt, size int64) error {
	var head, tail [8]byte
	if size < 12 {
		return fmt.Errorf("%d bytes, expected at least 12", size)
	}
	if _, err := r.ReadAt(head[:4], 0); err != nil {
		return err
	}
	if _, err := r.ReadAt(tail[:], size-8); err != nil && err != io.EOF {
		return err
	}
	switch {
	case string(head[:4]) == "PARE":
		return errors.New("it is encrypted")
	case string(head[:4]) != "PAR1":
		return fmt.Errorf("it begins with %q, expected %q", head[:4], "PAR1")
	case string(tail[4:]) != "PAR1":
		return fmt.Errorf("it ends in %q, expected %q", tail[4:], "PAR1")
	}
	n := int64(binary.LittleEndian.Uint32(tail[:]))
	if n > size-12 {
		return fmt.Errorf("a footer of %d bytes in a file of %d", n, size)
	}
	footer := make([]byte, n)
	if _, err := r.ReadAt(footer, size-8-n); err != nil && err != io.EOF {
		return err
	}
	w := thriftWalker{rest: footer}
	if !w.structure(0) {
		return errors.New("a footer that is no Thrift structure")
	}
	return nil
}

// A thriftWalker goes through a value in Thrift's compact protocol (thrift-compact-protocol.md of
// Apache Thrift) and reports whether all lengths fit the bytes.
type thriftWalker struct{ rest []byte }

// Types of fields and elements.
const (
	thriftTrue = 1 + iota
	thriftFalse
	thriftByte
	thriftI16
	thriftI32
	thriftI64
	thriftDouble
	thriftBinary
	thriftList
	thriftSet
	thriftMap
	thriftStruct

	thriftDepth = 32 // structures in structures; the footer has 6
)

func (w *thriftWalker) varint() (uint64, bool) {
	v, n := binary.Uvarint(w.rest)
	if n <= 0 {
		return 0, false
	}
	w.rest = w.rest[n:]
	return v, true
}

func (w *thriftWalker) skip(n uint64) bool {
	if n > uint64(len(w.rest)) {
		return false
	}
	w.rest = w.rest[n:]
	return true
}

func (w *thriftWalker) structure(depth int) bool {
	for {
		if len(w.rest) == 0 || depth > thriftDepth {
			return false
		}
		b := w.rest[0]
		w.rest = w.rest[1:]
		if b == 0 {
			return true
		}
		if b>>4 == 0 { // the number of the field follows
			if _, ok := w.varint(); !ok {
				return false
			}
		}
		if t := b & 15; t != thriftTrue && t != thriftFalse && !w.value(t, depth+1) {
			return false
		}
	}
}

// value goes through a value that is no boolean of a structure, which has no bytes.
func (w *thriftWalker) value(t byte, depth int) bool {
	switch t {
	case thriftTrue, thriftFalse, thriftByte:
		return w.skip(1)
	case thriftI16, thriftI32, thriftI64:
		_, ok := w.varint()
		return ok
	case thriftDouble:
		return w.skip(8)
	case thriftBinary:
		n, ok := w.varint()
		return ok && w.skip(n)
	case thriftStruct:
		return w.structure(depth)
	case thriftList, thriftSet:
		if len(w.rest) == 0 {
			return false
		}
		b := w.rest[0]
		n, ok := uint64(b>>4), true
		w.rest = w.rest[1:]
		if n == 15 {
			n, ok = w.varint()
		}
		return ok && w.values(n, depth, b&15)
	case thriftMap:
		n, ok := w.varint()
		if !ok || n == 0 {
			return ok
		}
		if len(w.rest) == 0 {
			return false
		}
		b := w.rest[0]
		w.rest = w.rest[1:]
		return w.values(n, depth, b>>4, b&15)
	}
	return false
}

// values goes through n values of each of some types, in turns. None takes less than a byte, so
// that n is no more than there is.
func (w *thriftWalker) values(n uint64, depth int, types ...byte) bool {
	if depth > thriftDepth {
		return false
	}
	for range n {
		for _, t := range types {
			if !w.value(t, depth+1) {
				return false
			}
		}
	}
	return true
}
