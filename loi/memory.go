package loi

import (
	"cmp"
	"fmt"
	"os"
	"slices"
)

// NewMemory returns a writer whose trace is no file: [Writer.Trace] gives what was recorded, and
// Close gives it up. Of opt, Unmapped has no effect. Chunks are in memory up to
// opt.MemoryBytes; those that follow are mappings of a temporary file without a name in $TMPDIR,
// which the system writes out when it is short of memory. Where that file gets no room, records are
// discarded and counted.
func NewMemory(h Header, opt Options) (*Writer, error) {
	opt.NoBackground, opt.Unmapped = true, false
	w, err := newWriter("in memory", h, opt)
	if err != nil {
		return nil, err
	}
	w.memory = true
	w.layOut()
	w.control = alignedBytes(int(w.pre.dataOffset - w.pre.controlOffset))
	w.start()
	return w, nil
}

// inMemory reports whether a chunk at off is in memory: those before it have not taken all of it.
func (w *Writer) inMemory(off, size int64) bool {
	return w.memory && off+size <= int64(w.opt.MemoryBytes)
}

// spill makes room for a chunk at off in a temporary file, unless it is in memory. w.mu must be
// held.
func (w *Writer) spill(off, size int64) error {
	if w.inMemory(off, size) {
		return nil
	}
	if w.f == nil {
		f, err := os.CreateTemp("", "loi-*")
		if err != nil {
			return err
		}
		if err := os.Remove(f.Name()); err != nil {
			f.Close()
			return err
		}
		w.f = f
	}
	return allocate(w.f, off, size)
}

// Trace ends the recording and returns what was recorded, as Open would from the file: it is
// neither read nor checked again. No recorder may be in use. The trace may be used until Close,
// which is still to be called. Cost: a pass over all records.
func (w *Writer) Trace() (*Trace, error) {
	if w.closed {
		return nil, fmt.Errorf("trace %s: %w", w.path, os.ErrClosed)
	}
	w.stop()
	n := len(w.recorders)
	t := &Trace{Header: w.header, Buffered: w.pre.flags&headerBuffered != 0, path: w.path,
		pre: w.pre, chunks: make([][]section, n), discarded: w.stats.Discarded,
		dropped: make([]uint64, n), lost: make([]uint64, n), records: w.stats.Records}
	for _, c := range w.chunks {
		if c.head.seq != unusedChunk {
			i := c.head.worker
			t.chunks[i] = append(t.chunks[i], section{c.entry(), c.mem[chunkHeaderBytes:][:c.used]})
		}
	}
	for i := range n {
		t.dropped[i] = le.Uint64(w.control[(i+1)*slotBytes+slotKernels:])
		slices.SortFunc(t.chunks[i], func(a, b section) int { return cmp.Compare(a.seq, b.seq) })
	}
	t.index()
	return t, nil
}
