package loi

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"
	"sync/atomic"

	"krdlab/hw"
)

// A Trace is a trace that has been read. It may be used by many goroutines, each with its own
// cursors.
type Trace struct {
	Header    Header
	Recovered bool // written by Recover from a trace that had no clean end
	// written without a mapping: a kill would have lost more than one record of each worker
	Buffered bool

	path      string
	data      []byte
	mapped    bool
	passed    atomic.Uint64 // bytes of chunks that were read, some of them again
	passes    *passes
	packed    uint64 // bytes of the compressed file, or 0
	pre       prefix
	chunks    [][]section // by worker, in order
	discarded []uint64    // records, by worker
	dropped   []uint64    // kernel executions in them
	lost      []uint64    // bytes
	records   []uint64    // by worker
	kernels   []kernelIndex
	objects   []objectIndex
}

// A section is a chunk with its records.
type section struct {
	entry
	data []byte // its records
}

// section returns the chunk e of a file.
func (t *Trace) section(e entry) section {
	return section{e, t.data[e.offset+chunkHeaderBytes:][:e.used]}
}

// mapFrom is the size from which a file is mapped and not read; a variable for tests. A read is
// safe from others who shorten the file.
var mapFrom int64 = 256 << 20

// Open reads the trace file path, compressed or not, and checks all its bytes against their
// checksums. A file that is not a trace, is of another version, has no clean end or is corrupt
// gives a [*FormatError]. A trace with losses is not an error: see Discarded. Cost: about 1 ms for
// each 4 MB. A compressed file (zstd, whatever its name) that is large is decompressed into a
// temporary file without a name in $TMPDIR; the bytes in errors about its content are then those of
// the decompressed trace, unless What names the stream. told, if given, is called meanwhile and by
// later readers of the trace.
func Open(path string, told ...Told) (*Trace, error) {
	m, err := load(path, passesOf(told))
	if err != nil {
		m.drop()
		return nil, openError("open", err)
	}
	t, err := parseImage(&m)
	if err != nil {
		m.drop()
		return nil, inFile(err, path)
	}
	t.path = path
	return t, nil
}

// openError wraps an error of load; one about the content stands for itself.
func openError(verb string, err error) error {
	var f *FormatError
	if errors.As(err, &f) {
		return err
	}
	return fmt.Errorf("%s trace: %w", verb, err)
}

// Close gives back the memory of a large trace, whose cursors must no longer be used. It need not
// be called.
func (t *Trace) Close() error {
	if !t.mapped {
		return nil
	}
	t.mapped = false
	return unmap(t.data)
}

// Discarded returns for each worker how many of its newest records found no room, and how many a
// recovery found damaged. Where LossUnknown is set, it is a lower bound of at least 1.
func (t *Trace) Discarded() []uint64 { return t.discarded }

// DiscardedKernels returns the number of kernel executions in the discarded records, by worker.
func (t *Trace) DiscardedKernels() []uint64 { return t.dropped }

// LostBytes returns for each worker how many bytes of its chunks, at least, a recovery found
// damaged or missing and gave up without knowing how many records they held.
func (t *Trace) LostBytes() []uint64 { return t.lost }

// LossUnknown reports for each worker whether it lost an unknown number of records.
func (t *Trace) LossUnknown() []bool {
	unknown := make([]bool, len(t.lost))
	for i, n := range t.lost {
		unknown[i] = n > 0
	}
	return unknown
}

// Records returns the number of records of each worker, of all types, as they are stored: a run of
// many executions is one. Verify counts executions.
func (t *Trace) Records() []uint64 { return t.records }

// keepMapped is how many bytes of a mapped file are read before its pages are given back; a variable
// for tests.
var keepMapped uint64 = 16 << 20

// pass notes that n bytes of a chunk were read. Pages of a mapped file count as memory of the
// process; every keepMapped bytes it gives back all of them, so that a trace takes no more, whatever
// its size. The system still has them, and maps them again for whoever reads them.
func (t *Trace) pass(n uint64) {
	t.passes.add(n, uint64(len(t.data)))
	if !t.mapped {
		return
	}
	if after := t.passed.Add(n); after/keepMapped != (after-n)/keepMapped {
		giveBack(t.data)
	}
}

// image is the content of a file: as it is on the disk, or decompressed.
type image struct {
	data   []byte
	mapped bool
	packed uint64 // bytes of the file if it is compressed, otherwise 0
	passes *passes
}

func (m *image) drop() {
	if m.mapped {
		unmap(m.data)
	}
}

// load reads or maps a file, and decompresses it if need be. A fault in a compressed stream is a
// [*FormatError], and the image then is the part before.
func load(path string, p *passes) (m image, err error) {
	m.passes = p
	st, err := os.Stat(path)
	if err != nil {
		return m, err
	}
	if !st.Mode().IsRegular() { // opening a pipe would wait for a writer
		return m, fmt.Errorf("%s: not a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return m, err
	}
	defer f.Close()
	var first [len(zstdMagic)]byte
	if n, _ := f.ReadAt(first[:], 0); n == len(first) && first == zstdMagic {
		m.packed = uint64(st.Size())
		m.data, m.mapped, err = decompress(f, func(n int) { p.add(uint64(n), m.packed) })
		return m, inFile(err, path)
	}
	if st.Size() >= mapFrom {
		if m.data, err = mapPrivate(f, int(st.Size())); err == nil {
			m.mapped = true
			return m, nil
		}
	}
	if err := hw.TryMap(uint64(st.Size())); err != nil {
		return image{}, fmt.Errorf("%s: %w", path, err)
	}
	m.data = make([]byte, st.Size())
	if _, err = io.ReadFull(f, m.data); err != nil {
		return image{}, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

// inFile sets the name of the file in a FormatError.
func inFile(err error, path string) error {
	var f *FormatError
	if errors.As(err, &f) {
		f.File = path
	}
	return err
}

// parseHead reads what stands before the first chunk.
func parseHead(data []byte) (*Trace, error) {
	pre, err := decodePrefix(data[:min(len(data), prefixBytes)], uint64(len(data)))
	if err != nil {
		return nil, err
	}
	h, err := pre.header(data[prefixBytes : prefixBytes+pre.headerBytes])
	if err != nil {
		return nil, err
	}
	t := &Trace{Header: h, Recovered: pre.flags&headerRecovered != 0,
		Buffered: pre.flags&headerBuffered != 0, data: data, pre: pre}
	n := len(h.Workers)
	t.chunks = make([][]section, n)
	t.discarded, t.dropped, t.lost, t.records = make([]uint64, n), make([]uint64, n),
		make([]uint64, n), make([]uint64, n)
	for i := range n {
		slot := t.slot(i)
		t.discarded[i] = le.Uint64(slot[slotDiscarded:])
		t.dropped[i] = le.Uint64(slot[slotKernels:])
		t.lost[i] = le.Uint64(slot[slotLost:])
	}
	t.index()
	return t, nil
}

// header reads the header behind p.
func (p *prefix) header(b []byte) (Header, error) {
	if got := checksum(b); got != p.headerCRC {
		return Header{}, corrupt(prefixBytes, "checksum of the header is %08x, expected %08x", got,
			p.headerCRC)
	}
	h, err := decodeHeader(b, prefixBytes)
	if err == nil && len(h.Workers) != int(p.workers) {
		err = corrupt(40, "%d workers, the header has %d", p.workers, len(h.Workers))
	}
	return h, err
}

func (t *Trace) slot(worker int) []byte {
	return t.data[t.pre.controlOffset+uint64(worker+1)*slotBytes:][:slotBytes]
}

// parse reads a whole clean trace that is in memory.
func parse(data []byte) (*Trace, error) { return parseImage(&image{data: data}) }

// parseImage reads a whole clean trace.
func parseImage(m *image) (*Trace, error) {
	t, err := parseHead(m.data)
	if err != nil {
		return nil, err
	}
	t.mapped, t.packed, t.passes = m.mapped, m.packed, m.passes
	if err := t.state(); err != nil {
		return nil, err
	}
	entries, head, err := t.footer()
	if err != nil {
		return nil, err
	}
	if err := t.checkChunks(entries, head); err != nil {
		return nil, err
	}
	return t, nil
}

// state checks that the file was closed.
func (t *Trace) state() error {
	state := le.Uint64(t.data[t.pre.controlOffset:])
	if state == stateOpen {
		return &FormatError{Offset: int64(t.pre.controlOffset), Err: ErrUnclean,
			What: "it was not closed (its writer was killed, or is at work); it may be recovered"}
	}
	if state != stateClean {
		return corrupt(int64(t.pre.controlOffset), "state %#x is neither open nor clean", state)
	}
	return nil
}

// footer reads the table of chunks; head is the checksum of what stands before the first of them.
func (t *Trace) footer() (entries []entry, head uint32, err error) {
	data := t.data
	at := int64(len(data)) - trailerBytes
	if at < int64(t.pre.dataOffset) {
		return nil, 0, corrupt(int64(len(data)), "the file ends before its footer")
	}
	b := data[at:]
	if le.Uint32(b[32:]) != trailerMagic || le.Uint32(b[36:]) != checksum(b[:36]) {
		return nil, 0, corrupt(at, "no footer in the last %d bytes: the file was cut off, or "+
			"bytes were changed or added", trailerBytes)
	}
	off, n := le.Uint64(b), le.Uint64(b[8:])
	if off < t.pre.dataOffset || off > uint64(at) || n != (uint64(at)-off)/entryBytes ||
		(uint64(at)-off)%entryBytes != 0 {
		return nil, 0, corrupt(at, "a footer of %d chunks at byte %d does not fit the file", n, off)
	}
	table := data[off:at]
	if got, want := checksum(table), le.Uint32(b[28:]); got != want {
		return nil, 0, corrupt(int64(off), "checksum of the table of chunks is %08x, expected %08x",
			got, want)
	}
	next, records := t.pre.dataOffset, uint64(0)
	for i := range n {
		e := decodeEntry(table[i*entryBytes:])
		if e.offset != next || e.bytes < chunkHeaderBytes || e.bytes > off-next ||
			e.used > e.bytes-chunkHeaderBytes ||
			int(e.worker) >= len(t.chunks) {
			return nil, 0, corrupt(int64(off+i*entryBytes), "chunk %d of worker %d, %d bytes of "+
				"%d used at %d, does not fit", i, e.worker, e.used, e.bytes, e.offset)
		}
		next += e.bytes
		records += e.records
		entries = append(entries, e)
	}
	if next != off || records != le.Uint64(b[16:]) {
		return nil, 0, corrupt(at, "chunks end at byte %d and hold %d records, expected %d and %d",
			next, records, off, le.Uint64(b[16:]))
	}
	return entries, le.Uint32(b[24:]), nil
}

// headChecksum returns the checksum of what stands before the first chunk, as if the file had been
// closed.
func (t *Trace) headChecksum() uint32 {
	var clean [8]byte
	le.PutUint64(clean[:], stateClean)
	crc := checksum(t.data[:t.pre.controlOffset])
	crc = updateChecksum(crc, clean[:])
	return updateChecksum(crc, t.data[t.pre.controlOffset+8:t.pre.dataOffset])
}

// checkChunks verifies all checksums and files the chunks by worker.
func (t *Trace) checkChunks(entries []entry, head uint32) error {
	if got := t.headChecksum(); got != head {
		return corrupt(0, "checksum of the first %d bytes is %08x, expected %08x", t.pre.dataOffset,
			got, head)
	}
	if i := t.firstBad(entries); i < len(entries) {
		e := &entries[i]
		return corrupt(int64(e.offset), "checksum of chunk %d (worker %d, %d bytes) is not the "+
			"%08x expected", i, e.worker, e.bytes, e.crc)
	}
	for i, e := range entries {
		h, ok := decodeChunkHeader(t.data, e.offset, len(t.chunks))
		t.pass(e.bytes) // the system maps more than the header
		if !ok || h.worker != e.worker || h.seq != e.seq || h.bytes != e.bytes {
			return corrupt(int64(e.offset), "chunk %d is not the one that the table of chunks "+
				"describes", i)
		}
		if e.seq == unusedChunk {
			continue
		}
		if int(e.seq) != len(t.chunks[e.worker]) {
			return corrupt(int64(e.offset), "chunk %d of worker %d comes where %d was expected",
				e.seq, e.worker, len(t.chunks[e.worker]))
		}
		t.chunks[e.worker] = append(t.chunks[e.worker], t.section(e))
		t.records[e.worker] += e.records
	}
	return nil
}

// firstBad returns the first chunk whose checksum is wrong, or len(entries).
func (t *Trace) firstBad(entries []entry) int {
	var next, bad atomic.Int64
	bad.Store(int64(len(entries)))
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(entries)) {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(entries)); i = next.Add(1) - 1 {
				e := &entries[i]
				ok := checksum(t.data[e.offset:e.offset+e.bytes]) == e.crc
				if t.pass(e.bytes); ok {
					continue
				}
				for old := bad.Load(); i < old && !bad.CompareAndSwap(old, i); old = bad.Load() {
				}
			}
		})
	}
	wg.Wait()
	return int(bad.Load())
}
