package loi

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"
)

const (
	defaultChunkBytes = 1 << 20
	defaultFirstBytes = 64 << 10
	minChunkRecords   = 64 // bytes of records for which a chunk is worth having
)

// Options say how a trace is written. The zero value is the default.
type Options struct {
	ChunkBytes      int    // size of a chunk, up to rounding to pages; 0 means 1 MiB
	FirstChunkBytes int    // size of the first chunk of a worker, from which sizes grow fourfold; 0 means 64 KiB
	MaxBytes        uint64 // largest size of the file; records that do not fit are discarded and counted; 0: no limit
	Witness         string // path of a new file that counts each record once more, see ReadWitness; "" for none
	Unmapped        bool   // write chunks from memory at Close instead of mapping them; a kill loses them
	NoBackground    bool   // no goroutine that prepares chunks; workers wait for their own
	Sync            bool   // Close returns when the disk has the file
}

func (opt Options) withDefaults() Options {
	if opt.ChunkBytes <= 0 {
		opt.ChunkBytes = defaultChunkBytes
	}
	if opt.FirstChunkBytes <= 0 {
		opt.FirstChunkBytes = min(defaultFirstBytes, opt.ChunkBytes)
	}
	return opt
}

// pageSize is what chunks are multiples of.
func pageSize() int { return max(os.Getpagesize(), 4096) }

// Stats tells what became of the records of a closed trace.
type Stats struct {
	Bytes     uint64   // of the file
	Records   []uint64 // written, by worker
	Discarded []uint64 // that found no room, by worker
	Chunks    int
	Stalls    int   // chunks for which a worker had to wait
	Full      error // why there was no room, nil if there was
}

// A Writer writes one trace file, with one [Recorder] for each worker.
type Writer struct {
	f    *os.File
	path string
	opt  Options
	page int
	pre  prefix

	kinds     []ObjectKind // of the objects; read only
	recorders []*Recorder
	control   []byte // count page: state, then a slot for each worker, written by its recorder only
	mapped    bool   // control is a mapping of the file
	witness   []byte // nil if there is none

	mu     sync.Mutex // guards the fields below, and next and exhausted of recorders
	end    int64      // where the next chunk begins
	chunks []*chunk   // in order of offset
	full   error      // first failure to get a chunk
	stalls int

	wake   chan struct{} // tells the background that a spare was taken
	done   chan struct{} // closed when the background has ended
	closed bool
}

// Create makes the trace file path, which may not exist, for the workers of h, and the chunks that each of them begins with (one, and a
// spare with the background).
// A disk without room for the header is an error; one without room for chunks is not: the records are discarded and counted.
func Create(path string, h Header, opt Options) (*Writer, error) {
	h.setNodes()
	if err := h.Validate(); err != nil {
		return nil, err
	}
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		return nil, fmt.Errorf("create trace %s: %w on a big-endian machine", path, errors.ErrUnsupported)
	}
	opt = opt.withDefaults()
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, fmt.Errorf("create trace: %w", err)
	}
	w := &Writer{f: f, path: path, opt: opt, page: pageSize(), kinds: h.Registry.kinds(), wake: make(chan struct{}, 1), done: make(chan struct{})}
	if err := w.begin(&h); err != nil {
		w.abandon()
		return nil, fmt.Errorf("create trace %s: %w", path, err)
	}
	for i := range h.Workers {
		r := &Recorder{w: w, worker: i, next: w.roundPage(opt.FirstChunkBytes)}
		r.slot = (*[slotBytes / 8]uint64)(unsafe.Pointer(&w.control[(i+1)*slotBytes]))
		if w.witness != nil {
			r.witness = (*uint64)(unsafe.Pointer(&w.witness[i*slotBytes]))
		}
		w.recorders = append(w.recorders, r)
	}
	for _, r := range w.recorders {
		w.mu.Lock()
		c, err := w.extend(r, minChunkRecords)
		if err != nil {
			w.fail(err)
			r.exhausted = true
		}
		w.mu.Unlock()
		r.adopt(c)
	}
	if opt.NoBackground {
		close(w.done)
	} else {
		w.makeSpares() // now, and not while the first kernels run
		go w.background()
	}
	return w, nil
}

// begin writes the header and maps the count page.
func (w *Writer) begin(h *Header) error {
	b := encodeHeader(h)
	control := w.roundPage(prefixBytes + len(b))
	size := w.roundPage((len(h.Workers) + 1) * slotBytes)
	w.end = int64(control + size)
	if err := w.allocateAt(0, control+size); err != nil {
		return err
	}
	var err error
	if !w.opt.Unmapped {
		w.control, err = mapShared(w.f, int64(control), size)
		w.mapped = err == nil
	}
	w.pre = prefix{version: h.version(), headerBytes: uint64(len(b)), controlOffset: uint64(control), dataOffset: uint64(w.end),
		workers: uint32(len(h.Workers)), headerCRC: checksum(b)}
	if !w.mapped {
		w.control = alignedBytes(size)
		w.opt.Unmapped = true
		w.pre.flags |= headerBuffered
	}
	le.PutUint64(w.control, stateOpen)
	if !w.mapped {
		if _, err = w.f.WriteAt(w.control, int64(control)); err != nil {
			return err
		}
	}
	if _, err = w.f.WriteAt(append(w.pre.encode(), b...), 0); err != nil {
		return err
	}
	if w.opt.Witness != "" {
		w.witness, err = createWitness(w.opt.Witness, len(h.Workers))
	}
	return err
}

// abandon removes what Create has made.
func (w *Writer) abandon() {
	if w.mapped {
		unmap(w.control)
	}
	w.f.Close()
	os.Remove(w.path)
}

// Recorder returns the recorder of a worker, always the same one. It panics if there is no such worker.
func (w *Writer) Recorder(worker int) *Recorder { return w.recorders[worker] }

// Close ends the trace: it drops the chunks that no worker has begun, writes the footer and marks the file as clean. No
// recorder may be in use. The error tells that the file could not be completed; it may then still be recovered. Records
// that were discarded are not an error, see Stats. Cost: a pass over all records.
func (w *Writer) Close() (Stats, error) {
	if w.closed {
		return Stats{}, fmt.Errorf("close trace %s: %w", w.path, os.ErrClosed)
	}
	w.closed = true
	close(w.wake)
	<-w.done
	s := Stats{Stalls: w.stalls, Full: w.full, Records: make([]uint64, len(w.recorders)), Discarded: make([]uint64, len(w.recorders))}
	for i, r := range w.recorders {
		s.Discarded[i] = r.slot[slotDiscarded/8]
		r.retire()
	}
	err := w.finish(&s)
	for _, c := range w.chunks {
		if c.mapped {
			err = errors.Join(err, unmap(c.mem))
		}
		c.mem = nil
	}
	if w.mapped {
		err = errors.Join(err, unmap(w.control))
	}
	if w.witness != nil {
		err = errors.Join(err, unmap(w.witness))
	}
	if err = errors.Join(err, w.f.Close()); err != nil {
		return s, fmt.Errorf("close trace %s: %w", w.path, err)
	}
	return s, nil
}

// finish makes the file clean.
func (w *Writer) finish(s *Stats) error {
	for n := len(w.chunks); n > 0 && w.chunks[n-1].head.seq == unusedChunk; n-- { // unused ones at the end
		w.end = int64(w.chunks[n-1].head.offset)
		if w.chunks[n-1].mapped {
			if err := unmap(w.chunks[n-1].mem); err != nil {
				return err
			}
		}
		w.chunks = w.chunks[:n-1]
	}
	entries := make([]entry, len(w.chunks))
	var failed atomic.Pointer[error]
	var wg sync.WaitGroup
	var next atomic.Int64
	for range min(runtime.GOMAXPROCS(0), len(w.chunks)) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(w.chunks); i = int(next.Add(1)) - 1 {
				if err := w.finishChunk(i, &entries[i]); err != nil {
					failed.Store(&err)
				}
			}
		})
	}
	wg.Wait()
	if p := failed.Load(); p != nil {
		return *p
	}
	for i := range entries {
		s.Records[entries[i].worker] += entries[i].records
	}
	if n := len(entries); n > 0 {
		w.end = int64(entries[n-1].offset + entries[n-1].bytes)
	}
	head := make([]byte, w.pre.dataOffset)
	if _, err := w.f.ReadAt(head, 0); err != nil {
		return err
	}
	control := head[w.pre.controlOffset:]
	copy(control, w.control)
	le.PutUint64(control, stateClean)
	footer := encodeFooter(uint64(w.end), checksum(head), entries)
	s.Chunks, s.Bytes = len(entries), uint64(w.end)+uint64(len(footer))
	if err := w.f.Truncate(int64(s.Bytes)); err != nil {
		return err
	}
	if _, err := w.f.WriteAt(footer, w.end); err != nil {
		return err
	}
	if _, err := w.f.WriteAt(control[8:], int64(w.pre.controlOffset)+8); err != nil {
		return err
	}
	if w.opt.Sync {
		if err := w.f.Sync(); err != nil {
			return err
		}
	}
	if _, err := w.f.WriteAt(control[:8], int64(w.pre.controlOffset)); err != nil { // from here on the file is clean
		return err
	}
	if w.opt.Sync {
		return w.f.Sync()
	}
	return nil
}

// finishChunk describes chunk i; the last of the file is cut to what is used of it, and one that is not mapped is written.
func (w *Writer) finishChunk(i int, e *entry) error {
	c := w.chunks[i]
	*e = entry{offset: c.head.offset, worker: c.head.worker, seq: c.head.seq}
	if c.head.seq != unusedChunk {
		e.records, e.used = countRecords(c.mem[chunkHeaderBytes:])
	}
	if i == len(w.chunks)-1 {
		c.head.bytes = chunkHeaderBytes + e.used
		atomic.StoreUint64((*uint64)(unsafe.Pointer(&c.mem[chunkBytesAt])), c.head.sizeWord())
	}
	e.bytes = c.head.bytes
	e.crc = checksum(c.mem[:e.bytes])
	if !c.mapped {
		_, err := w.f.WriteAt(c.mem[:e.bytes], int64(e.offset))
		return err
	}
	return nil
}
