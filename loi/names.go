package loi

import "slices"

// The file of a [Builder] can be recovered before it is closed. Its head is provisional: it is
// written with the first chunk, with the names registered by then. Later names come before the
// first chunk that may need them, in a chunk of names: it counts as not begun, and every reader
// skips it. It holds, after the header of the chunk:
//
//	0   uint32   "LNAM"
//	4   uint32   CRC of what follows, without the padding
//	8   uint32   number of the first object, and of the first kernel
//	16  uint32   bytes of the header
//	20  uint32   zero
//	24           a header: its objects, its kernels and all regions until now count; padded
//	             with zeros to a multiple of 8 bytes
//
// Workers are those that have chunks.
const (
	namesMagic = uint32('L') | 'N'<<8 | 'A'<<16 | 'M'<<24
	namesBytes = 24
)

// Expect gives the header that the trace has if it is never closed: recovery takes it. The registry
// is ignored, and workers that it lacks are added. It counts until the first chunk is written.
func (b *Builder) Expect(h Header) {
	b.expected = h
}

// announce writes the registered names that the file lacks.
func (b *Builder) announce() error {
	r := &b.registry
	objects, kernels, regions := len(r.Objects), len(r.Kernels), len(r.Regions)
	if b.gap == 0 {
		h := b.expected
		h.Registry = *r
		h.Workers = slices.Clone(h.Workers)
		for len(h.Workers) < len(b.workers) {
			h.Workers = append(h.Workers, Worker{CPU: -1})
		}
		h.setNodes()
		if err := h.Validate(); err != nil {
			return err
		}
		head, control := newHead(&h, headerBuffered, 0)
		if room := max(int(b.headRoom()), 2*len(head)); room > len(head) {
			head, control = newHead(&h, headerBuffered, room)
		}
		b.gap, b.end = int64(len(head)), int64(len(head))
		le.PutUint64(head[control:], stateOpen)
		if _, err := b.f.WriteAt(head, 0); err != nil {
			return err
		}
	} else if objects > b.objectsKnown || kernels > b.kernelsKnown || regions > b.regionsKnown {
		h := Header{Substrate: Native, Nodes: 1, Workers: []Worker{{CPU: -1}},
			Registry: Registry{Objects: r.Objects[b.objectsKnown:],
				Kernels: r.Kernels[b.kernelsKnown:], Regions: r.Regions}}
		if err := b.writeNames(&h); err != nil {
			return err
		}
	}
	b.objectsKnown, b.kernelsKnown, b.regionsKnown = objects, kernels, regions
	return nil
}

func (b *Builder) writeNames(h *Header) error {
	text := encodeHeader(h)
	mem := alignedBytes(chunkHeaderBytes + (namesBytes+len(text)+7)/8*8)
	body := mem[chunkHeaderBytes:]
	le.PutUint32(body, namesMagic)
	le.PutUint32(body[8:], uint32(b.objectsKnown))
	le.PutUint32(body[12:], uint32(b.kernelsKnown))
	le.PutUint32(body[16:], uint32(len(text)))
	copy(body[namesBytes:], text)
	le.PutUint32(body[4:], checksum(body[8:namesBytes+len(text)]))
	c := chunkHeader{seq: unusedChunk, bytes: uint64(len(mem)), offset: uint64(b.end)}
	c.encode(mem)
	if _, err := b.f.WriteAt(mem, b.end); err != nil {
		return err
	}
	b.entries = append(b.entries, entry{offset: c.offset, bytes: c.bytes, seq: c.seq,
		crc: checksum(mem)})
	b.end += int64(len(mem))
	return nil
}

// learn takes the names that the body of a chunk has, if they follow those that are known.
func (t *Trace) learn(body []byte) {
	if len(body) < namesBytes || le.Uint32(body) != namesMagic {
		return
	}
	n := uint64(le.Uint32(body[16:]))
	r := &t.Header.Registry
	if n > uint64(len(body)-namesBytes) ||
		le.Uint32(body[4:]) != checksum(body[8:namesBytes+n]) ||
		int(le.Uint32(body[8:])) != len(r.Objects) || int(le.Uint32(body[12:])) != len(r.Kernels) {
		return
	}
	h, err := decodeHeader(body[namesBytes:namesBytes+n], 0)
	if err != nil {
		return
	}
	r.Objects = append(r.Objects, h.Registry.Objects...)
	r.Kernels = append(r.Kernels, h.Registry.Kernels...)
	if len(h.Registry.Regions) > len(r.Regions) {
		r.Regions = h.Registry.Regions
	}
}

// addWorkers makes t one of n workers, if it has fewer.
func (t *Trace) addWorkers(n int) {
	for len(t.chunks) < n {
		t.Header.Workers = append(t.Header.Workers, Worker{CPU: -1})
		t.chunks = append(t.chunks, nil)
		t.discarded, t.dropped = append(t.discarded, 0), append(t.dropped, 0)
		t.lost, t.records = append(t.lost, 0), append(t.records, 0)
	}
}
