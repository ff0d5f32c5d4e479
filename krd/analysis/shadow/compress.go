package shadow

import (
	"encoding/binary"
	"unsafe"

	"github.com/klauspost/compress/s2"
)

// cold compresses the level tables that were not used recently (5.2 and 6.3 of the paper): a list
// of those that are not compressed, from which a clock takes the next to be. Where one comes back
// before its compression has paid, the list becomes longer: a program that strides through all its
// data keeps them. The tag tables of a segment are compressed together, each as its differences from
// the table of the level around it: times of two levels are often a constant apart.
//
// Rejected: zstd at its fastest. Of the times of a matrix product, a wavefront, random updates and
// a pass that jitters, differences left 0.5, 1.6, 12.4 and 2.8 % of the bytes with S2, 0.8, 0.9,
// 3.8 and 0.8 % with zstd, which took at least four times as long. The rest is little beside the
// tables that are not compressed, and an encoder of zstd has buffers of its own. Without
// differences S2 left 4.8, 1.6, 40 and 50 %.
type cold[T comparable] struct {
	list  []*segment[T]
	limit int
	hand  int
	uses  uint64 // of vectors

	raw, packed []byte // buffers: differences, and the same compressed
}

func newCold[T comparable](limit int) *cold[T] { return &cold[T]{limit: limit} }

// touch makes the tables of a segment ready for use and records the use.
func (m *vstorage[T]) touch(s *segment[T]) {
	if m.cold == nil {
		return
	}
	s.warm = true
	m.cold.uses++
	if s.slot < 0 {
		m.admit(s)
	}
}

// soon reports that a segment comes back before its compression has paid: within as many uses of vectors as it
// has tags, which take some ten times as long as compressing and expanding it.
func (m *vstorage[T]) soon(s *segment[T]) bool {
	return s.packed != nil && m.cold.uses-s.packedAt < uint64(m.tableTags*max(s.used, 1))
}

// admit takes a segment into the list of those that are not compressed, and compresses one that was
// not used since the hand came by for it.
func (m *vstorage[T]) admit(s *segment[T]) {
	c := m.cold
	if m.soon(s) {
		c.limit = max(c.limit, len(c.list)+1)
	}
	if len(c.list) < c.limit {
		s.slot = len(c.list)
		c.list = append(c.list, s)
		m.usage.add(&m.usage.Tables, sizeOf[*segment[T]]())
	} else {
		for c.list[c.hand].warm {
			c.list[c.hand].warm = false
			c.hand = (c.hand + 1) % len(c.list)
		}
		x := c.list[c.hand]
		m.pack(x)
		x.slot = -1
		c.list[c.hand], s.slot = s, c.hand
		c.hand = (c.hand + 1) % len(c.list)
	}
	switch {
	case s.packed == nil:
	case m.opt.Validation == Bulk && m.levels.Valid(s.version) == 0:
		m.discard(s)
	default:
		m.unpack(s)
	}
}

// pack compresses the tables of a segment. Of levels that ended there is nothing to compress.
func (m *vstorage[T]) pack(s *segment[T]) {
	levels := len(s.tags)
	if m.opt.Validation == Bulk {
		m.scrub(s)
		levels = s.used
	}
	c, u := m.cold, &m.usage
	u.add(&u.Free, -cap(c.raw)-cap(c.packed))
	c.raw = binary.AppendUvarint(c.raw[:0], uint64(levels))
	var around []byte
	tables := 0
	for _, table := range s.tags[:levels] {
		if table == nil {
			c.raw = append(c.raw, 0)
			continue
		}
		tables++
		bytes := bytesOf(table)
		c.raw = subtract(append(c.raw, 1), bytes, around, wordOf[T]())
		around = bytes
	}
	around = nil
	for _, versions := range s.versions {
		if versions == nil {
			continue
		}
		bytes := bytesOf(versions)
		c.raw = subtract(c.raw, bytes, around, wordOf[Version]())
		around = bytes
	}
	if tables > 0 || m.opt.Validation == Slim {
		c.packed = s2.Encode(c.packed[:cap(c.packed)], c.raw)
		s.packed = append(make([]byte, 0, len(c.packed)), c.packed...)
		s.packedAt = c.uses
		u.Compressions++
	}
	u.add(&u.Free, cap(c.raw)+cap(c.packed))
	u.add(&u.Compressed, cap(s.packed))
	used := s.used
	m.release(s)
	if s.packed != nil {
		s.used = used
	}
}

// unpack makes the tables of a segment from what pack left.
func (m *vstorage[T]) unpack(s *segment[T]) {
	c, u := m.cold, &m.usage
	u.add(&u.Free, -cap(c.raw))
	raw, err := s2.Decode(c.raw[:cap(c.raw)], s.packed)
	if err != nil {
		panic("shadow: a level table that was compressed is damaged: " + err.Error())
	}
	c.raw = raw
	u.add(&u.Free, cap(c.raw))
	u.Expansions++

	n, k := binary.Uvarint(raw)
	raw, levels := raw[k:], int(n)
	m.deepen(s, levels)
	var around []byte
	for level := range levels {
		there := raw[0] == 1
		if raw = raw[1:]; !there {
			continue
		}
		s.tags[level] = m.newTags()
		bytes := bytesOf(s.tags[level])
		raw = addTo(bytes, around, raw, wordOf[T]())
		around = bytes
	}
	if m.opt.Validation == Slim {
		s.versions = make([][]Version, 1)
		u.add(&u.Tables, sizeOf[[]Version]())
	}
	around = nil
	for i := range s.versions {
		if m.opt.Validation == Baseline && s.tags[i] == nil {
			continue
		}
		s.versions[i] = m.newVersions()
		bytes := bytesOf(s.versions[i])
		raw = addTo(bytes, around, raw, wordOf[Version]())
		around = bytes
	}
	u.add(&u.Compressed, -cap(s.packed))
	s.packed = nil
}

// withdraw takes a segment out of the list of those that are not compressed.
func (m *vstorage[T]) withdraw(s *segment[T]) {
	c, last := m.cold, len(m.cold.list)-1
	c.list[s.slot] = c.list[last]
	c.list[s.slot].slot = s.slot
	if c.list = c.list[:last]; c.hand >= last {
		c.hand = 0
	}
	m.usage.add(&m.usage.Tables, -sizeOf[*segment[T]]())
}

// discard forgets what pack left: none of it is valid.
func (m *vstorage[T]) discard(s *segment[T]) {
	m.usage.add(&m.usage.Compressed, -cap(s.packed))
	s.packed, s.used = nil, 0
}

// bytesOf returns the memory of a table.
func bytesOf[T any](table []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(table))), len(table)*sizeOf[T]())
}

// wordOf returns the bytes of the numbers that a T is taken to be made of: 8, or as many as divide
// its size.
func wordOf[T any]() int {
	size := sizeOf[T]()
	return min(8, size&-size)
}

// subtract appends to dst the differences of the words of a table and those of the one around it,
// or the table itself if there is none.
func subtract(dst, table, around []byte, word int) []byte {
	if around == nil {
		return append(dst, table...)
	}
	start := len(dst)
	dst = append(dst, table...)
	out := dst[start:]
	if word < 8 {
		for i := 0; i < len(out); i += word {
			put(out[i:], get(out[i:], word)-get(around[i:], word), word)
		}
		return dst
	}
	around = around[:len(out)]
	for i := 0; i+8 <= len(out); i += 8 {
		le.PutUint64(out[i:], le.Uint64(out[i:])-le.Uint64(around[i:]))
	}
	return dst
}

// addTo sets a table to the sums of the differences that raw begins with and the table around it,
// and returns the rest of raw.
func addTo(table, around, raw []byte, word int) []byte {
	n := copy(table, raw)
	if around == nil {
		return raw[n:]
	}
	if word < 8 {
		for i := 0; i < n; i += word {
			put(table[i:], get(table[i:], word)+get(around[i:], word), word)
		}
		return raw[n:]
	}
	around = around[:n]
	for i := 0; i+8 <= n; i += 8 {
		le.PutUint64(table[i:], le.Uint64(table[i:])+le.Uint64(around[i:]))
	}
	return raw[n:]
}

var le = binary.LittleEndian

// get returns the number of a word of 1, 2 or 4 bytes.
func get(b []byte, word int) uint32 {
	switch word {
	case 1:
		return uint32(b[0])
	case 2:
		return uint32(le.Uint16(b))
	}
	return le.Uint32(b)
}

// put writes the number of a word of 1, 2 or 4 bytes, without what does not fit.
func put(b []byte, x uint32, word int) {
	switch word {
	case 1:
		b[0] = byte(x)
	case 2:
		le.PutUint16(b, uint16(x))
	default:
		le.PutUint32(b, x)
	}
}
