package loi

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// compressedName reports whether a file of this name is written compressed. Readers go by content.
func compressedName(path string) bool { return strings.HasSuffix(path, ".zst") }

// compressTo writes what fill writes to w as one zstd frame with a checksum.
func compressTo(w io.Writer, fill func(io.Writer) error) error {
	z, err := zstd.NewWriter(w)
	if err != nil {
		return err
	}
	if err := fill(z); err != nil {
		z.Close()
		return err
	}
	return z.Close()
}

// Compress writes the trace file path, which must have a clean end, as the file out, which may not
// exist; it is compressed if its name ends in ".zst", and otherwise as it was before it was
// compressed. All bytes are checked as by Open, with its told. A file that cannot be completed is
// removed.
func Compress(path, out string, told ...Told) error {
	t, err := Open(path, told...)
	if err != nil {
		return err
	}
	defer t.Close()
	if err := createFrom(out, func(w io.Writer) error {
		for piece := range slices.Chunk(t.data, 1<<20) {
			if _, err := w.Write(piece); err != nil {
				return err
			}
			t.pass(uint64(len(piece)))
		}
		return nil
	}); err != nil {
		return fmt.Errorf("compress trace: %w", err)
	}
	return nil
}
