package loi

import (
	"encoding/binary"
	"hash/crc32"
	"unsafe"
)

// Version is the version of the file format. Files of other versions are refused.
const Version = 4

const (
	prefixBytes      = 64
	slotBytes        = 64
	chunkHeaderBytes = 32
	entryBytes       = 48
	trailerBytes     = 40

	chunkMagic   = uint32('L') | 'C'<<8 | 'H'<<16 | 'K'<<24
	trailerMagic = uint32('L') | 'E'<<8 | 'N'<<16 | 'D'<<24

	stateOpen  = uint64('O') | 'P'<<8 | 'E'<<16 | 'N'<<24
	stateClean = uint64('C') | 'L'<<8 | 'E'<<16 | 'A'<<24 | 'N'<<32

	headerRecovered = uint32(1) // flag in the prefix: the file was written by Recover
	// flag in the prefix: not mapped while written; a kill may have lost whole chunks
	headerBuffered = uint32(2)
	headerFlags    = headerRecovered | headerBuffered

	unusedChunk = ^uint32(0) // sequence number of a chunk that no worker has begun
)

var magic = [8]byte{0x89, 'L', 'O', 'I', '\r', '\n', 0x1a, '\n'}

var (
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
	le         = binary.LittleEndian
)

func checksum(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }

// prefix is the beginning of a file; its layout is the same in every version.
type prefix struct {
	flags         uint32
	headerBytes   uint64
	controlOffset uint64
	dataOffset    uint64
	workers       uint32
	headerCRC     uint32
}

func (p *prefix) encode() []byte {
	b := make([]byte, prefixBytes)
	copy(b, magic[:])
	le.PutUint32(b[8:], Version)
	le.PutUint32(b[12:], p.flags)
	le.PutUint64(b[16:], p.headerBytes)
	le.PutUint64(b[24:], p.controlOffset)
	le.PutUint64(b[32:], p.dataOffset)
	le.PutUint32(b[40:], p.workers)
	le.PutUint32(b[56:], p.headerCRC)
	le.PutUint32(b[60:], checksum(b[:60]))
	return b
}

// decodePrefix checks the first bytes of a file of the given length.
func decodePrefix(b []byte, fileBytes uint64) (prefix, error) {
	var p prefix
	if len(b) < len(magic) || [8]byte(b) != magic {
		n := min(len(b), len(magic))
		if n == 0 {
			return p, &FormatError{What: "it is empty, expected " + hex(magic[:]) +
				" at its beginning", Err: ErrNotTrace}
		}
		return p, &FormatError{What: "it begins with " + hex(b[:n]) + ", expected " + hex(magic[:]),
			Err: ErrNotTrace}
	}
	if len(b) < prefixBytes {
		return p, corrupt(int64(len(b)), "the file ends after %d bytes, inside its first %d",
			len(b), prefixBytes)
	}
	if got, want := checksum(b[:60]), le.Uint32(b[60:]); got != want {
		return p, corrupt(60, "checksum of the first 60 bytes is %08x, expected %08x", got, want)
	}
	p = prefix{
		flags: le.Uint32(b[12:]), headerBytes: le.Uint64(b[16:]),
		controlOffset: le.Uint64(b[24:]), dataOffset: le.Uint64(b[32:]), workers: le.Uint32(b[40:]),
		headerCRC: le.Uint32(b[56:]),
	}
	if v := le.Uint32(b[8:]); v != Version {
		return p, &FormatError{Offset: 8, What: sprint("it has version %d, expected %d", v, Version),
			Err: ErrVersion}
	}
	if p.flags&^headerFlags != 0 {
		return p, corrupt(12, "unknown flags %#x", p.flags)
	}
	if p.workers < 1 || p.workers > MaxWorkers {
		return p, corrupt(40, "%d workers, expected 1 to %d", p.workers, MaxWorkers)
	}
	control := (uint64(p.workers) + 1) * slotBytes
	if p.headerBytes > fileBytes || p.controlOffset%8 != 0 || p.dataOffset%8 != 0 ||
		p.controlOffset < prefixBytes+p.headerBytes ||
		p.controlOffset > fileBytes || p.dataOffset > fileBytes || p.dataOffset < p.controlOffset+
		control {
		return p, corrupt(16, "header of %d bytes, counts at %d and data at %d do not fit a file "+
			"of %d bytes with %d workers",
			p.headerBytes, p.controlOffset, p.dataOffset, fileBytes, p.workers)
	}
	return p, nil
}

// The slot of a worker in the count page; slot 0 holds the state of the file.
const (
	slotDiscarded = 0  // records that found no room
	slotKernels   = 8  // kernel executions in them
	slotChunks    = 16 // chunks that the worker has begun
	slotLost      = 24 // bytes that recovery gave up, of unknown records
)

// chunkHeader begins each chunk. Two fields change while the file is written: the sequence number
// when the use of the chunk begins, the size when it ends. Each change is one store of a word that
// holds its own checksum, so that a kill leaves the old header or the new one.
type chunkHeader struct {
	worker uint32
	seq    uint32
	bytes  uint64 // with this header
	offset uint64 // in the file
}

const (
	chunkBytesAt   = 8  // word with the size
	chunkSeqAt     = 24 // word with the sequence number
	chunkSizeBits  = 40
	chunkBytesMask = 1<<chunkSizeBits - 1
)

// encode writes the header, and its first word last.
func (h *chunkHeader) encode(b []byte) {
	le.PutUint64(b[chunkBytesAt:], h.sizeWord())
	le.PutUint64(b[16:], h.offset)
	le.PutUint64(b[chunkSeqAt:], h.seqWord())
	commit((*uint64)(unsafe.Pointer(&b[0])), uint64(chunkMagic)|uint64(h.worker)<<32)
}

// sizeWord returns the word with the size and 24 bits of its checksum.
func (h *chunkHeader) sizeWord() uint64 {
	var b [8]byte
	le.PutUint64(b[:], h.bytes)
	return h.bytes | uint64(checksum(b[:]))<<chunkSizeBits
}

// seqWord returns the word with the sequence number and the checksum of all but the size.
func (h *chunkHeader) seqWord() uint64 {
	var b [20]byte
	le.PutUint32(b[0:], chunkMagic)
	le.PutUint32(b[4:], h.worker)
	le.PutUint64(b[8:], h.offset)
	le.PutUint32(b[16:], h.seq)
	return uint64(h.seq) | uint64(checksum(b[:]))<<32
}

// decodeChunkHeader reads the header of a chunk at offset off; ok is false where there is none.
func decodeChunkHeader(file []byte, off uint64, workers int) (h chunkHeader, ok bool) {
	if off+chunkHeaderBytes > uint64(len(file)) {
		return h, false
	}
	b := file[off : off+chunkHeaderBytes]
	if le.Uint32(b) != chunkMagic {
		return h, false
	}
	size, seq := le.Uint64(b[chunkBytesAt:]), le.Uint64(b[chunkSeqAt:])
	h = chunkHeader{worker: le.Uint32(b[4:]), bytes: size & chunkBytesMask,
		offset: le.Uint64(b[16:]), seq: uint32(seq)}
	ok = size == h.sizeWord() && seq == h.seqWord() && h.offset == off
	return h, ok && int(h.worker) < workers && h.bytes >= chunkHeaderBytes && h.bytes%8 == 0
}

// entry describes one chunk in the footer.
type entry struct {
	offset, bytes uint64 // of the chunk, with its header
	used          uint64 // bytes of records
	records       uint64
	worker, seq   uint32
	crc           uint32 // of all its bytes
}

func appendEntry(b []byte, e *entry) []byte {
	b = le.AppendUint64(b, e.offset)
	b = le.AppendUint64(b, e.bytes)
	b = le.AppendUint64(b, e.used)
	b = le.AppendUint64(b, e.records)
	b = le.AppendUint32(b, e.worker)
	b = le.AppendUint32(b, e.seq)
	b = le.AppendUint32(b, e.crc)
	return le.AppendUint32(b, 0)
}

func decodeEntry(b []byte) entry {
	return entry{
		offset: le.Uint64(b), bytes: le.Uint64(b[8:]), used: le.Uint64(b[16:]),
		records: le.Uint64(b[24:]),
		worker:  le.Uint32(b[32:]), seq: le.Uint32(b[36:]), crc: le.Uint32(b[40:]),
	}
}

// encodeFooter returns what ends a clean file whose chunks end at offset off and whose bytes before
// the first chunk have the checksum headCRC.
func encodeFooter(off uint64, headCRC uint32, entries []entry) []byte {
	b := make([]byte, 0, footerBytes(len(entries)))
	var records uint64
	for i := range entries {
		b = appendEntry(b, &entries[i])
		records += entries[i].records
	}
	crc := checksum(b)
	t := len(b)
	b = le.AppendUint64(b, off)
	b = le.AppendUint64(b, uint64(len(entries)))
	b = le.AppendUint64(b, records)
	b = le.AppendUint32(b, headCRC)
	b = le.AppendUint32(b, crc)
	b = le.AppendUint32(b, trailerMagic)
	return le.AppendUint32(b, checksum(b[t:]))
}

func footerBytes(chunks int) int { return chunks*entryBytes + trailerBytes }

func updateChecksum(crc uint32, b []byte) uint32 { return crc32.Update(crc, castagnoli, b) }
