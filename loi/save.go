package loi

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
)

// Save writes t as a new file path with a clean end; the path may not exist. A file that cannot be completed is removed.
func (t *Trace) Save(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return fmt.Errorf("save trace: %w", err)
	}
	b := bufio.NewWriterSize(f, 1<<16)
	err = t.write(b)
	if err == nil {
		err = b.Flush()
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(fmt.Errorf("save trace: %w", err), os.Remove(path))
	}
	return nil
}

// write writes the file that holds the records of t, a chunk for each of its chunks that has any, worker by worker.
func (t *Trace) write(w io.Writer) error {
	h := encodeHeader(&t.Header)
	align := func(n int) int { return (n + slotBytes - 1) / slotBytes * slotBytes }
	control := align(prefixBytes + len(h))
	data := control + (len(t.Header.Workers)+1)*slotBytes
	pre := prefix{version: t.Header.version(), headerBytes: uint64(len(h)), controlOffset: uint64(control), dataOffset: uint64(data),
		workers: uint32(len(t.Header.Workers)), headerCRC: checksum(h)}
	if t.Recovered {
		pre.flags |= headerRecovered
	}
	if t.Buffered {
		pre.flags |= headerBuffered
	}
	head := make([]byte, data)
	copy(head, pre.encode())
	copy(head[prefixBytes:], h)
	le.PutUint64(head[control:], stateClean)

	var entries []entry
	off := uint64(data)
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
			entries = append(entries, entry{offset: off, bytes: chunkHeaderBytes + c.used, used: c.used, records: c.records, worker: uint32(i), seq: seq})
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
			records := t.data[c.offset+chunkHeaderBytes:][:c.used]
			e.crc = updateChecksum(checksum(b), records)
			if _, err := w.Write(b); err != nil {
				return err
			}
			if _, err := w.Write(records); err != nil {
				return err
			}
		}
	}
	_, err := w.Write(encodeFooter(off, checksum(head), entries))
	return err
}
