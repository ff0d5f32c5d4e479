package plot

import (
	"compress/gzip"
	"encoding/binary"
	"hash/crc32"
	"io"

	"github.com/google/pprof/profile"
)

// Mark stands at the end of each picture, where no reader shows it, so that what krdlab drew can be
// told from what it did not: a comment of SVG and PDF, a text of PNG.
const Mark = "made by krdlab"

// WriteProfile writes a profile, compressed, and behind it an empty member of gzip with the mark as its
// comment.
func WriteProfile(w io.Writer, p *profile.Profile) error {
	if err := p.Write(w); err != nil {
		return err
	}
	end := gzip.NewWriter(w)
	end.Comment = Mark
	return end.Close()
}

// chunk returns a chunk of a PNG file (ISO/IEC 15948, 5.3).
func chunk(kind, data string) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	b = append(b, kind+data...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:]))
}
