package imports

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// An input is an opened source: its bytes as they are after decompression.
type input struct {
	io.Reader
	name   string // in errors: the path, or "stdin"
	base   string // path without what the compression appends, for its extension
	packed string // "zstd", "gzip" or ""
	file   *os.File
	meter  *meter
	unpack func()
}

// A meter is the bottom of an input. It counts the bytes read, and distinguishes a disk that fails
// from content that is bad.
type meter struct {
	r        io.Reader
	ctx      context.Context
	done     int64
	total    int64 // -1: unknown
	progress func(done, total int64)
	err      error // of the reader, but io.EOF
}

func (m *meter) Read(b []byte) (int, error) {
	if err := m.ctx.Err(); err != nil {
		m.err = err
		return 0, err
	}
	n, err := m.r.Read(b)
	m.done += int64(n)
	if m.progress != nil && n > 0 {
		m.progress(m.done, m.total)
	}
	if err != nil && err != io.EOF {
		m.err = err
	}
	return n, err
}

// open opens a source and finds out how it is compressed.
func open(ctx context.Context, src Source, progress func(done, total int64)) (*input, error) {
	in := &input{name: src.Path, base: src.Path, meter: &meter{r: src.Stdin, ctx: ctx, total: -1,
		progress: progress}}
	if src.Path == "-" {
		in.name, in.base = "stdin", ""
		if src.Stdin == nil {
			return nil, &OptionError{Option: "Source", What: `"-" without a reader for it`}
		}
	} else {
		f, err := os.Open(src.Path)
		if err != nil {
			return nil, err
		}
		in.file, in.meter.r = f, f
		if st, err := f.Stat(); err == nil && st.Mode().IsRegular() {
			in.meter.total = st.Size()
		} else if err == nil && st.IsDir() {
			f.Close()
			return nil, fmt.Errorf("%s is a directory, expected a file", src.Path)
		}
	}
	if err := in.decompress(); err != nil {
		in.close()
		return nil, err
	}
	return in, nil
}

var (
	zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}
	gzipMagic = []byte{0x1f, 0x8b}
)

func (in *input) decompress() error {
	b := bufio.NewReaderSize(in.meter, 256<<10)
	head, _ := b.Peek(4)
	in.Reader = b
	switch {
	case bytes.HasPrefix(head, zstdMagic):
		in.packed = "zstd"
		z, err := zstd.NewReader(b, zstd.WithDecoderMaxMemory(4<<30))
		if err != nil {
			return in.readError(err)
		}
		in.Reader, in.unpack = z, z.Close
		in.base = strings.TrimSuffix(strings.TrimSuffix(in.base, ".zst"), ".zstd")
	case bytes.HasPrefix(head, gzipMagic):
		in.packed = "gzip"
		z, err := gzip.NewReader(b)
		if err != nil {
			return in.readError(err)
		}
		in.Reader = z
		in.base = strings.TrimSuffix(in.base, ".gz")
	}
	return nil
}

// readError returns what a failed read of in means: the context has ended, the disk fails, or the
// compressed content is bad.
func (in *input) readError(err error) error {
	switch {
	case in.meter.err != nil && errors.Is(in.meter.err, context.Cause(in.meter.ctx)):
		return in.meter.err
	case in.meter.err != nil:
		return fmt.Errorf("%s: %w", in.name, in.meter.err)
	case in.packed == "":
		return fmt.Errorf("%s: %w", in.name, err)
	}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return &DataError{File: in.name, What: "cannot be decompressed with " + in.packed, Err: err}
}

func (in *input) close() {
	if in.unpack != nil {
		in.unpack()
	}
	if in.file != nil {
		in.file.Close()
	}
}

// randomAccess returns what in holds as something to read anywhere, and its size. The file itself
// is used where it can be; otherwise its content goes to a file without a name in dir. The caller
// calls done.
func (in *input) randomAccess(dir string, r io.Reader) (at io.ReaderAt, size int64, done func(),
	err error) {
	if in.file != nil && in.packed == "" && in.meter.total >= 0 {
		return in.file, in.meter.total, func() {}, nil
	}
	f, err := os.CreateTemp(dir, ".spool-*")
	if err != nil {
		return nil, 0, nil, fmt.Errorf("room for the content of %s: %w", in.name, err)
	}
	done = func() { f.Close() }
	if err := os.Remove(f.Name()); err != nil {
		done()
		return nil, 0, nil, fmt.Errorf("room for the content of %s: %w", in.name, err)
	}
	failed := &failing{w: f}
	size, err = io.Copy(failed, r)
	if err != nil {
		done()
		if failed.err != nil {
			return nil, 0, nil, fmt.Errorf("room for the content of %s: %w", in.name, failed.err)
		}
		return nil, 0, nil, in.readError(err)
	}
	return f, size, done, nil
}

// failing remembers that it was the writer of a copy that failed.
type failing struct {
	w   io.Writer
	err error
}

func (f *failing) Write(b []byte) (int, error) {
	n, err := f.w.Write(b)
	f.err = err
	return n, err
}
