package loi

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/klauspost/compress/zstd"
)

// ReadHeader reads the header of a trace file and nothing behind it, so that what follows from it is
// known before a long file is read. Errors: as those of [Open] of the header.
func ReadHeader(path string) (*Header, error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, openError("open", err)
	} else if !st.Mode().IsRegular() { // opening a pipe would wait for a writer
		return nil, fmt.Errorf("open trace: %s: not a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, openError("open", err)
	}
	defer f.Close()
	r, size := bufio.NewReader(f), uint64(st.Size())
	if first, _ := r.Peek(len(zstdMagic)); string(first) == string(zstdMagic[:]) {
		z, err := zstd.NewReader(r, zstd.WithDecoderMaxWindow(zstdWindow))
		if err != nil {
			return nil, inFile(err, path)
		}
		defer z.Close()
		r, size = bufio.NewReader(z), math.MaxInt64
	}
	h, err := readHeader(r, size)
	return h, inFile(err, path)
}

func readHeader(r io.Reader, size uint64) (*Header, error) {
	b := make([]byte, min(prefixBytes, size))
	if _, err := io.ReadFull(r, b); err != nil {
		return nil, err
	}
	pre, err := decodePrefix(b, size)
	if err != nil {
		return nil, err
	}
	b, err = io.ReadAll(io.LimitReader(r, int64(pre.headerBytes)))
	if err == nil && uint64(len(b)) < pre.headerBytes {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, err
	}
	h, err := pre.header(b)
	return &h, err
}
