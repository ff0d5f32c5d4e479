package plot

import (
	"encoding/binary"
	"hash/crc32"
)

// Mark stands at the end of each picture, where no reader shows it, so that what krdlab drew can be
// told from what it did not: a comment of SVG and PDF, a text of PNG.
const Mark = "made by krdlab"

// chunk returns a chunk of a PNG file (ISO/IEC 15948, 5.3).
func chunk(kind, data string) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	b = append(b, kind+data...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:]))
}
