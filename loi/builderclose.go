package loi

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
)

// Close ends the trace. Of h, the registry is ignored, for the builder has its own, and a Nodes of
// 0 means the largest Worker.Node + 1. A header that is not valid or lacks workers that have
// executions is an error after which the builder is as it was; all other errors remove the trace.
// Cost: the disk's for all that was written, and where the header takes much more than was expected
// when the first chunk was written, that of copying the file.
func (b *Builder) Close(h Header) error {
	if b.done {
		return fmt.Errorf("close trace %s: %w", b.path, os.ErrClosed)
	}
	h.Registry = b.registry
	h.setNodes()
	if len(h.Workers) < len(b.workers) {
		return fmt.Errorf("close trace %s: the header has %d workers, expected at least %d, for "+
			"so many have executions", b.path, len(h.Workers), len(b.workers))
	}
	if err := h.Validate(); err != nil {
		return fmt.Errorf("close trace %s: %w", b.path, err)
	}
	err := b.fail
	if err == nil {
		err = b.finish(&h)
	}
	if err == nil {
		err = b.publish()
	}
	if err != nil {
		return errors.Join(fmt.Errorf("close trace %s: %w", b.path, err), b.Abort())
	}
	return nil
}

// Abort removes what was written. After Close it does nothing.
func (b *Builder) Abort() error {
	if b.done {
		return nil
	}
	b.done = true
	return errors.Join(b.f.Close(), os.Remove(b.f.Name()))
}

// finish writes all but what the disk has.
func (b *Builder) finish(h *Header) error {
	head, control := newHead(h, 0, int(b.gap))
	if b.gap == 0 { // no chunk was written, and nothing need be recovered
		b.gap, b.end = int64(len(head)), int64(len(head))
		b.objectsKnown, b.kernelsKnown = len(b.registry.Objects), len(b.registry.Kernels)
	}
	if err := b.move(int64(len(head)) - b.gap); err != nil {
		return err
	}
	for i, w := range b.workers {
		if w == nil {
			continue
		}
		b.endRun(w)
		if err := b.write(i, w); err != nil {
			return err
		}
		slot := head[control+(i+1)*slotBytes:]
		le.PutUint64(slot[slotDiscarded:], w.discarded)
		le.PutUint64(slot[slotKernels:], w.dropped)
		le.PutUint64(slot[slotChunks:], uint64(w.seq))
		w.words = nil
	}
	if _, err := b.f.WriteAt(head, 0); err != nil {
		return err
	}
	if _, err := b.f.WriteAt(encodeFooter(uint64(b.end), checksum(head), b.entries),
		b.end); err != nil {
		return err
	}
	return b.f.Sync()
}

// move moves the chunks that are in the file up by some bytes, the last one first.
func (b *Builder) move(by int64) error {
	if by == 0 {
		return nil
	}
	for i := range slices.Backward(b.entries) {
		e := &b.entries[i]
		mem := alignedBytes(int(e.bytes))
		if _, err := io.ReadFull(io.NewSectionReader(b.f, int64(e.offset), int64(e.bytes)),
			mem); err != nil {
			return err
		}
		e.offset += uint64(by)
		h := chunkHeader{worker: e.worker, seq: e.seq, bytes: e.bytes, offset: e.offset}
		h.encode(mem)
		e.crc = checksum(mem)
		if _, err := b.f.WriteAt(mem, int64(e.offset)); err != nil {
			return err
		}
	}
	b.gap, b.end = b.gap+by, b.end+by
	return nil
}

// publish gives the finished file its name, which is taken first, so that nothing is overwritten.
func (b *Builder) publish() error {
	if compressedName(b.path) {
		if _, err := b.f.Seek(0, io.SeekStart); err != nil {
			return err
		}
		if err := createFrom(b.path, func(w io.Writer) error {
			_,
				err := io.Copy(w, b.f)
			return err
		}); err != nil {
			return err
		}
		return b.Abort() // the compressed file is complete
	}
	f, err := os.OpenFile(b.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	if err := errors.Join(f.Close(), os.Rename(b.f.Name(), b.path)); err != nil {
		return errors.Join(err, os.Remove(b.path))
	}
	b.done = true
	return b.f.Close()
}
