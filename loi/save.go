package loi

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
)

// Save writes t as a new file path with a clean end, compressed if path ends in ".zst"; the path
// may not exist. A file that cannot be completed is removed.
func (t *Trace) Save(path string) error {
	if err := createFrom(path, t.write); err != nil {
		return fmt.Errorf("save trace: %w", err)
	}
	return nil
}

// createFrom makes the file path, which may not exist, of what fill writes, and waits for the disk.
func createFrom(path string, fill func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	b := bufio.NewWriterSize(f, 1<<16)
	if compressedName(path) {
		err = compressTo(b, fill)
	} else {
		err = fill(b)
	}
	if err == nil {
		err = b.Flush()
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}

// newHead returns what stands before the first chunk of a clean file in which nothing was lost, at
// least so many bytes, and the offset of its count page, in which no chunk is begun.
func newHead(h *Header, flags uint32, least int) (head []byte, control int) {
	b := encodeHeader(h)
	align := func(n int) int { return (n + slotBytes - 1) / slotBytes * slotBytes }
	control = align(prefixBytes + len(b))
	data := max(control+(len(h.Workers)+1)*slotBytes, align(least))
	pre := prefix{flags: flags, headerBytes: uint64(len(b)),
		controlOffset: uint64(control), dataOffset: uint64(data),
		workers: uint32(len(h.Workers)), headerCRC: checksum(b)}
	head = make([]byte, data)
	copy(head, pre.encode())
	copy(head[prefixBytes:], b)
	le.PutUint64(head[control:], stateClean)
	return head, control
}

// write writes the file that holds the records of t, a chunk for each of its chunks that has any,
// worker by worker.
func (t *Trace) write(w io.Writer) error {
	var flags uint32
	if t.Recovered {
		flags |= headerRecovered
	}
	if t.Buffered {
		flags |= headerBuffered
	}
	head, control := newHead(&t.Header, flags, 0)
	var entries []entry
	off := uint64(len(head))
	for i, chunks := range t.chunks {
		slot := head[control+(i+1)*slotBytes:]
		le.PutUint64(slot[slotDiscarded:], t.discarded[i])
		le.PutUint64(slot[slotKernels:], t.dropped[i])
		le.PutUint64(slot[slotLost:], t.lost[i])
		seq := uint32(0)
		for _, c := range chunks {
			if c.used == 0 {
				continue
			}
			entries = append(entries, entry{offset: off, bytes: chunkHeaderBytes + c.used,
				used: c.used, records: c.records, worker: uint32(i), seq: seq})
			off += chunkHeaderBytes + c.used
			seq++
		}
		le.PutUint64(slot[slotChunks:], uint64(seq))
	}
	if _, err := w.Write(head); err != nil {
		return err
	}
	n := 0
	for _, chunks := range t.chunks {
		for _, c := range chunks {
			if c.used == 0 {
				continue
			}
			e := &entries[n]
			n++
			b := alignedBytes(chunkHeaderBytes)
			ch := chunkHeader{worker: e.worker, seq: e.seq, bytes: e.bytes, offset: e.offset}
			ch.encode(b)
			e.crc = updateChecksum(checksum(b), c.data)
			if _, err := w.Write(b); err != nil {
				return err
			}
			if _, err := w.Write(c.data); err != nil {
				return err
			}
			t.pass(c.used)
		}
	}
	_, err := w.Write(encodeFooter(off, checksum(head), entries))
	return err
}
