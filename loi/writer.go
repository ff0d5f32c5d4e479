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
	defaultMemory     = 256 << 20
	minChunkRecords   = 64 // bytes of records for which a chunk is worth having
)

// Options say how a trace is written. The zero value is the default.
type Options struct {
	ChunkBytes int // size of a chunk, up to rounding to pages; 0 means 1 MiB
	// size of the first chunk of a worker, from which sizes grow fourfold; 0 means 64 KiB
	FirstChunkBytes int
	// largest size of the file, or of one without records if that is larger; records that do not
	// fit are discarded and counted; 0: no limit
	MaxBytes uint64
	// write chunks from memory at Close instead of mapping them; a kill loses them
	Unmapped bool
	// of NewMemory: when chunks take so many bytes, more are in a temporary file; 0 means 256 MiB
	MemoryBytes  int
	NoBackground bool // no goroutine that prepares chunks; workers wait for their own
}

func (opt Options) withDefaults() Options {
	if opt.ChunkBytes <= 0 {
		opt.ChunkBytes = defaultChunkBytes
	}
	if opt.FirstChunkBytes <= 0 {
		opt.FirstChunkBytes = min(defaultFirstBytes, opt.ChunkBytes)
	}
	if opt.MemoryBytes <= 0 {
		opt.MemoryBytes = defaultMemory
	}
	return opt
}

// pageSize returns the unit of the size of chunks.
func pageSize() int { return max(os.Getpagesize(), 4096) }

// Stats counts the records of a closed trace, written and discarded.
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
	f      *os.File // of a trace in memory: what does not fit, nil until then
	memory bool
	path   string
	opt    Options
	page   int
	pre    prefix
	header Header

	kinds     []ObjectKind // of the objects; read only
	recorders []*Recorder
	control   []byte // count page: state, then a slot for each worker, written by its recorder only
	mapped    bool   // control is a mapping of the file

	mu     sync.Mutex // guards the fields below, and next and exhausted of recorders
	end    int64      // where the next chunk begins
	chunks []*chunk   // in order of offset
	full   error      // first failure to get a chunk
	stalls int

	wake    chan struct{} // tells the background that a spare was taken
	done    chan struct{} // closed when the background has ended
	stopped bool          // all is recorded
	stats   Stats         // when stopped, but for what Close finds
	closed  bool
}

// Create makes the trace file path, which may not exist, for the workers of h, and the chunks that
// each of them begins with (one, and a spare with the background). A disk without room for the
// header is an error; one without room for chunks is not: the records are discarded and counted.
func Create(path string, h Header, opt Options) (*Writer, error) {
	w, err := newWriter(path, h, opt)
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, fmt.Errorf("create trace: %w", err)
	}
	w.f = f
	if err := w.begin(); err != nil {
		w.abandon()
		return nil, fmt.Errorf("create trace %s: %w", path, err)
	}
	w.start()
	return w, nil
}

// newWriter returns a writer that has nothing to write to yet.
func newWriter(path string, h Header, opt Options) (*Writer, error) {
	h.setNodes()
	if err := h.Validate(); err != nil {
		return nil, err
	}
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		return nil, fmt.Errorf("create trace %s: %w on a big-endian machine", path,
			errors.ErrUnsupported)
	}
	return &Writer{path: path, header: h, opt: opt.withDefaults(), page: pageSize(),
		kinds: h.Registry.kinds(), wake: make(chan struct{}, 1), done: make(chan struct{})}, nil
}

// start gives each worker a recorder with the chunks that it begins with.
func (w *Writer) start() {
	for i := range w.header.Workers {
		r := &Recorder{w: w, worker: i, numbers: uint64(i + 1),
			next: w.roundPage(w.opt.FirstChunkBytes)}
		r.slot = (*[slotBytes / 8]uint64)(unsafe.Pointer(&w.control[(i+1)*slotBytes]))
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
	if w.opt.NoBackground {
		close(w.done)
	} else {
		w.makeSpares() // now, and not while the first kernels run
		go w.background()
	}
}

// begin writes the header and maps the count page.
func (w *Writer) begin() error {
	b := w.layOut()
	control, size := int64(w.pre.controlOffset), int(w.pre.dataOffset-w.pre.controlOffset)
	if err := w.allocateAt(0, int(w.end)); err != nil {
		return err
	}
	var err error
	if !w.opt.Unmapped {
		w.control, err = mapShared(w.f, control, size)
		w.mapped = err == nil
	}
	if !w.mapped {
		w.control = alignedBytes(size)
		w.opt.Unmapped = true
		w.pre.flags |= headerBuffered
	}
	le.PutUint64(w.control, stateOpen)
	if !w.mapped {
		if _, err = w.f.WriteAt(w.control, control); err != nil {
			return err
		}
	}
	_, err = w.f.WriteAt(append(w.pre.encode(), b...), 0)
	return err
}

// layOut decides where the count page and the first chunk begin, and returns the encoded header.
func (w *Writer) layOut() []byte {
	b := encodeHeader(&w.header)
	control := w.roundPage(prefixBytes + len(b))
	w.end = int64(control + w.roundPage((len(w.header.Workers)+1)*slotBytes))
	w.pre = prefix{headerBytes: uint64(len(b)),
		controlOffset: uint64(control), dataOffset: uint64(w.end),
		workers: uint32(len(w.header.Workers)), headerCRC: checksum(b)}
	return b
}

// abandon removes what Create has made.
func (w *Writer) abandon() {
	if w.mapped {
		unmap(w.control)
	}
	w.f.Close()
	os.Remove(w.path)
}

// Recorder returns the recorder of a worker, always the same one. It panics if there is no such
// worker.
func (w *Writer) Recorder(worker int) *Recorder { return w.recorders[worker] }

// stop ends the recording.
func (w *Writer) stop() {
	if w.stopped {
		return
	}
	w.stopped = true
	close(w.wake)
	<-w.done
	n := len(w.recorders)
	w.stats = Stats{Stalls: w.stalls, Full: w.full, Records: make([]uint64, n),
		Discarded: make([]uint64, n)}
	for i, r := range w.recorders {
		w.stats.Discarded[i] = r.slot[slotDiscarded/8]
		r.retire()
	}
	w.eachChunk(func(_ int, c *chunk) error {
		if c.head.seq != unusedChunk {
			c.records, c.used = countRecords(c.mem[chunkHeaderBytes:])
		}
		return nil
	})
	for _, c := range w.chunks {
		w.stats.Records[c.head.worker] += c.records
	}
}

// eachChunk calls f for all chunks, some at the same time, and returns one of its errors.
func (w *Writer) eachChunk(f func(i int, c *chunk) error) error {
	var failed atomic.Pointer[error]
	var wg sync.WaitGroup
	var next atomic.Int64
	for range min(runtime.GOMAXPROCS(0), len(w.chunks)) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(w.chunks); i = int(next.Add(1)) - 1 {
				if err := f(i, w.chunks[i]); err != nil {
					failed.Store(&err)
				}
			}
		})
	}
	wg.Wait()
	if p := failed.Load(); p != nil {
		return *p
	}
	return nil
}

// Close ends the trace: it drops the chunks that no worker has begun, writes the footer and marks
// the file as clean. No recorder may be in use. An error means that the file could not be
// completed; it may then still be recovered. Records that were discarded are not an error, see
// Stats. Cost: a pass over all records.
func (w *Writer) Close() (Stats, error) {
	if w.closed {
		return Stats{}, fmt.Errorf("close trace %s: %w", w.path, os.ErrClosed)
	}
	w.closed = true
	w.stop()
	var err error
	if !w.memory {
		err = w.finish(&w.stats)
	}
	for _, c := range w.chunks {
		if c.mapped {
			err = errors.Join(err, unmap(c.mem))
		}
		c.mem = nil
	}
	if w.mapped {
		err = errors.Join(err, unmap(w.control))
	}
	if w.f != nil {
		err = errors.Join(err, w.f.Close())
	}
	if err != nil {
		return w.stats, fmt.Errorf("close trace %s: %w", w.path, err)
	}
	return w.stats, nil
}

// finish makes the file clean.
func (w *Writer) finish(s *Stats) error {
	// unused ones at the end
	for n := len(w.chunks); n > 0 && w.chunks[n-1].head.seq == unusedChunk; n-- {
		w.end = int64(w.chunks[n-1].head.offset)
		if w.chunks[n-1].mapped {
			if err := unmap(w.chunks[n-1].mem); err != nil {
				return err
			}
		}
		w.chunks = w.chunks[:n-1]
	}
	entries := make([]entry, len(w.chunks))
	if err := w.eachChunk(func(i int, c *chunk) error {
		return w.finishChunk(i, &entries[i])
	}); err != nil {
		return err
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
	// from here on the file is clean
	_, err := w.f.WriteAt(control[:8], int64(w.pre.controlOffset))
	return err
}

// finishChunk describes chunk i; the last of the file is cut to the part used, and one that is not
// mapped is written.
func (w *Writer) finishChunk(i int, e *entry) error {
	c := w.chunks[i]
	*e = c.entry()
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
