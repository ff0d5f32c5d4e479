package shadow

import (
	"github.com/klauspost/compress/s2"
)

// A packer keeps so many tables of tags uncompressed, and compresses others: which, the hand of a
// clock decides, that passes those by which were used since it came there last (6.3).
type packer[T uint8 | uint16] struct {
	most int
	ring []*tagTable[T] // uncompressed
	hand int
	out  []byte
}

func newPacker[T uint8 | uint16](most int) *packer[T] { return &packer[T]{most: most} }

// room returns cleared tags for a table, which may take those of another.
func (m *tags[T]) room(t *tagTable[T]) []T {
	p := m.pack
	if p == nil {
		m.usage.add(&m.usage.Tags, m.len()*sizeOf[T]())
		return make([]T, m.len())
	}
	if len(p.ring) < p.most {
		p.ring = append(p.ring, t)
		m.usage.add(&m.usage.Tags, m.len()*sizeOf[T]())
		return make([]T, m.len())
	}
	for p.ring[p.hand].used {
		p.ring[p.hand].used = false
		m.unready(p.ring[p.hand]) // whose next use is noted
		p.hand = (p.hand + 1) % p.most
	}
	old := p.ring[p.hand]
	p.ring[p.hand] = t
	p.hand = (p.hand + 1) % p.most
	list := old.tags
	m.compress(old)
	clear(list)
	return list
}

// compress packs the tags of a table: where all are the same, in the bytes of one.
func (m *tags[T]) compress(t *tagTable[T]) {
	raw := bytesOf(t.tags)
	one := sizeOf[T]()
	if same(t.tags) == len(t.tags) {
		t.packed = append([]byte(nil), raw[:one]...)
	} else {
		m.pack.out = s2.Encode(m.pack.out[:cap(m.pack.out)], raw)
		t.packed = append([]byte(nil), m.pack.out...)
	}
	t.tags = nil
	m.usage.add(&m.usage.Compressed, cap(t.packed))
	m.usage.Compressions++
}

// unpack gives a table its tags back.
func (m *tags[T]) unpack(t *tagTable[T]) {
	list := m.room(t)
	t.into(list)
	m.usage.add(&m.usage.Compressed, -cap(t.packed))
	t.tags, t.packed = list, nil
	m.usage.Expansions++
}

// into unpacks the tags of t.
func (t *tagTable[T]) into(list []T) {
	if len(t.packed) == sizeOf[T]() {
		copy(bytesOf(list), t.packed)
		for i := range list {
			list[i] = list[0]
		}
	} else if _, err := s2.Decode(bytesOf(list), t.packed); err != nil {
		panic(err) // compress wrote it
	}
}
