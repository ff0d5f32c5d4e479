package loi

import (
	"errors"
	"fmt"
	"os"
	"unsafe"
)

// errLimit means that the file would grow past Options.MaxBytes.
var errLimit = errors.New("size limit of the trace reached")

// A chunk is a piece of the file that belongs to one worker. Its memory is a mapping of the file
// or, where there is none, ordinary memory that the writer copies to the file. It is written by its
// worker alone, from adoption to Close.
type chunk struct {
	head   chunkHeader
	mem    []byte
	mapped bool

	used, records uint64 // of a trace whose recording has ended: bytes of records, and their number
}

// entry describes c, without its checksum.
func (c *chunk) entry() entry {
	return entry{offset: c.head.offset, bytes: c.head.bytes, worker: c.head.worker,
		seq: c.head.seq, used: c.used, records: c.records}
}

// extend allocates, maps and faults in a chunk for r whose records take at least need bytes: as
// large as r's turn calls for, or, where there is not that much room, half as large, and so on. Any
// goroutine; w.mu must be held. On failure, nothing has changed.
func (w *Writer) extend(r *Recorder, need int) (*chunk, error) {
	least := w.roundPage(need + chunkHeaderBytes)
	size := max(least, r.next)
	for {
		err := w.allocateAt(w.end, size)
		if err == nil {
			break
		}
		if !isNoSpace(err) || size == least {
			return nil, err
		}
		size = max(least, w.roundPage(size/2))
	}
	c := &chunk{head: chunkHeader{worker: uint32(r.worker), seq: unusedChunk, bytes: uint64(size),
		offset: uint64(w.end)}}
	if w.f != nil && !w.opt.Unmapped && !w.inMemory(w.end, int64(size)) {
		fill(w.f, w.end, int64(size))
		if mem, err := mapShared(w.f, w.end, size); err == nil {
			c.mem, c.mapped = mem, true
			prefault(mem)
		}
	}
	if c.mem == nil {
		c.mem = alignedBytes(size)
		touch(c.mem)
	}
	c.head.encode(c.mem)
	w.end += int64(size)
	w.chunks = append(w.chunks, c)
	r.next = w.roundPage(min(4*size, w.opt.ChunkBytes))
	return c, nil
}

// allocateAt gives the file space for a chunk of size bytes at off and for the footer after it, so
// that Close finds room on a disk that has filled up meanwhile. The limit holds for chunks: the
// head of the file, at 0, is written whatever it is, since it counts discarded records.
func (w *Writer) allocateAt(off int64, size int) error {
	n := int64(size + w.roundPage(footerBytes(len(w.chunks)+1)))
	if off > 0 && w.opt.MaxBytes > 0 && uint64(off+n) > w.opt.MaxBytes {
		return fmt.Errorf("%w: %d bytes", errLimit, w.opt.MaxBytes)
	}
	if w.memory {
		return w.spill(off, int64(size))
	}
	return allocate(w.f, off, n)
}

func (w *Writer) roundPage(n int) int { return (n + w.page - 1) / w.page * w.page }

// background keeps a spare chunk ready for each recorder until Close.
func (w *Writer) background() {
	defer close(w.done)
	for range w.wake {
		w.makeSpares()
	}
}

// makeSpares gives a spare chunk to each recorder that has none, as long as there is room.
func (w *Writer) makeSpares() {
	for _, r := range w.recorders {
		w.mu.Lock()
		if r.spare.Load() == nil && !r.exhausted {
			c, err := w.extend(r, minChunkRecords)
			if err != nil {
				w.fail(err)
				r.exhausted = true
			} else {
				r.spare.Store(c)
			}
		}
		w.mu.Unlock()
	}
}

// fail keeps the first reason for which no chunk could be had. w.mu must be held.
func (w *Writer) fail(err error) {
	if w.full == nil {
		w.full = err
	}
}

// nextChunk returns an empty chunk for r with at least need bytes for records, or nil: the spare,
// if the background has been in time, or one that it makes itself. Owner of r only.
func (w *Writer) nextChunk(r *Recorder, need int) *chunk {
	c := r.spare.Load()
	if c == nil || len(c.mem)-chunkHeaderBytes < need {
		w.mu.Lock()
		c = r.spare.Load() // the background may just have finished
		if c == nil || len(c.mem)-chunkHeaderBytes < need {
			var err error
			if c, err = w.extend(r, need); err != nil {
				w.fail(err)
			}
			w.stalls++
		}
		w.mu.Unlock()
	}
	if c != nil && c == r.spare.Load() {
		r.spare.Store(nil)
	}
	if !w.opt.NoBackground {
		select {
		case w.wake <- struct{}{}:
		default: // it has been told already
		}
	}
	return c
}

// zeros is read only, and takes no memory until it is used.
var zeros [1 << 20]byte

// writeZeros writes n zero bytes at off, for file systems that cannot allocate space otherwise.
func writeZeros(f *os.File, off, n int64) error {
	for n > 0 {
		k, err := f.WriteAt(zeros[:min(n, int64(len(zeros)))], off)
		if err != nil {
			return err
		}
		off += int64(k)
		n -= int64(k)
	}
	return nil
}

// touch writes to each page of memory that holds only zeros.
func touch(b []byte) {
	for i := 0; i < len(b); i += 4096 {
		b[i] = 0
	}
}

// alignedBytes returns n zero bytes, n a multiple of 8, at an address that is a multiple of 8.
func alignedBytes(n int) []byte {
	w := make([]uint64, n/8)
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(w))), n)
}
