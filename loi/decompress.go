package loi

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/klauspost/compress/zstd"
)

var zstdMagic = [4]byte{0x28, 0xb5, 0x2f, 0xfd}

const (
	// the largest that is accepted, that of zstd --long: more would take as much memory
	zstdWindow = 128 << 20
	keepFree   = 64 << 20 // bytes of the disk that decompression leaves to others
)

// heldMax is how many decompressed bytes are held in memory; more of them go to a temporary file. A
// variable for tests.
var heldMax = 64 << 20

// roomIn is [freeBytes]; a variable for tests.
var roomIn = freeBytes

// decompress reads the zstd stream f, of a trace, into memory or, if that is much, into a temporary
// file without a name, which is mapped. A stream that is damaged or cut off gives an error
// (ErrCorrupt), and what came before; one that decompresses to something else ErrNotTrace. Memory
// is bounded but for the result; a stream that fills the disk is an error. read is called with how
// many bytes were read.
func decompress(f *os.File, read func(int)) (data []byte, mapped bool, err error) {
	in := &countingReader{r: f, read: read}
	z, err := zstd.NewReader(bufio.NewReaderSize(in, 1<<18), zstd.WithDecoderMaxWindow(zstdWindow))
	if err != nil {
		return nil, false, err
	}
	defer z.Close()
	var held bytes.Buffer
	_, bad := io.CopyN(&held, z, int64(len(magic)))
	if bad == nil && [8]byte(held.Bytes()) != magic {
		return nil, false, &FormatError{What: "decompressed, it begins with " + hex(held.Bytes()) +
			", expected " + hex(magic[:]), Err: ErrNotTrace}
	}
	if bad == nil {
		_, bad = io.CopyN(&held, z, int64(heldMax-len(magic)))
	}
	if bad == nil {
		return spill(f.Name(), &held, z, in)
	}
	return held.Bytes(), false, streamError(bad, in)
}

// streamError returns what the error that ended the reading of in means, nil if it is the end.
func streamError(err error, in *countingReader) error {
	switch {
	case err == nil, errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) &&
		in.err == nil:
		return nil
	case in.err != nil:
		return in.err
	case errors.Is(err, io.ErrUnexpectedEOF):
		return corrupt(in.n, "the compressed stream is cut off")
	}
	return corrupt(in.n, "the compressed stream is damaged at or before this byte: %v", err)
}

// spill copies what was held and the rest of z to a temporary file and maps it.
func spill(name string, held *bytes.Buffer, z io.Reader, in *countingReader) (data []byte,
	mapped bool, err error) {
	dir := os.TempDir()
	f, err := os.CreateTemp(dir, "loi-*")
	if err != nil {
		return nil, false, fmt.Errorf("decompress %s: %w", name, err)
	}
	defer f.Close()
	if err := os.Remove(f.Name()); err != nil {
		return nil, false, fmt.Errorf("decompress %s: %w", name, err)
	}
	var size int64
	var bad error
	// what was held, then the rest, with a look at the disk before each piece
	for from := io.Reader(held); ; from = z {
		free, known := roomIn(dir)
		if known && free < uint64(heldMax)+keepFree {
			return nil, false, fmt.Errorf("decompress %s: the trace in it has more than %d "+
				"bytes, for which %s has no room (%d bytes free); set TMPDIR to a folder that has",
				name, size, dir, free)
		}
		n, err := io.CopyN(f, from, int64(heldMax))
		size += n
		if err != nil && from == z {
			bad = err
			break
		}
	}
	var w *os.PathError
	if errors.As(bad, &w) && w.Op == "write" {
		return nil, false, fmt.Errorf("decompress %s: after %d bytes: %w", name, size, bad)
	}
	if data, err = mapPrivate(f, int(size)); err == nil {
		return data, true, streamError(bad, in)
	}
	data = make([]byte, size)
	if _, err = f.ReadAt(data, 0); err != nil {
		return nil, false, fmt.Errorf("decompress %s: %w", name, err)
	}
	return data, false, streamError(bad, in)
}

// countingReader counts the bytes read of r and keeps its first error that is not the end.
type countingReader struct {
	r    io.Reader
	n    int64
	err  error
	read func(int)
}

func (c *countingReader) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.n += int64(n)
	c.read(n)
	if err != nil && err != io.EOF && c.err == nil {
		c.err = err
	}
	return n, err
}
