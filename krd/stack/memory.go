package stack

import (
	"unsafe"

	"krdlab/hw"
)

// arena owns the big arrays of an engine. They are outside Go's heap, on huge pages where the
// system has them: the arrays are probed at random, so that with 4 KiB pages most probes would miss
// the TLB as well, and a collector that lets the heap double would double them. Pages that are
// never touched cost no memory. One thread at a time.
type arena struct{ maps map[*byte][]byte }

// minMap is the size below which an array comes from Go's heap.
const minMap = 1 << 18

// array is a slice of pointer-free elements in an arena.
type array[E any] struct {
	s   []E
	raw []byte
}

// room makes the array n elements of any contents, zero where it grows, and returns what to release
// when the previous contents, if they were elsewhere, are no longer needed. It reserves twice as
// much: untouched pages cost nothing, and to touch fresh memory again whenever an array grows costs
// more than the work on it.
func (a *array[E]) room(m *arena, n int) (old []byte) {
	if n <= cap(a.s) {
		a.s = a.s[:n]
		return nil
	}
	return a.exactly(m, n, 2*n)
}

// exactly makes the array n zero elements in fresh memory for the given number, and returns what to
// release.
func (a *array[E]) exactly(m *arena, n, reserved int) (old []byte) {
	var e E
	old = a.raw
	a.raw = m.alloc(reserved * int(unsafe.Sizeof(e)))
	a.s = unsafe.Slice((*E)(unsafe.Pointer(unsafe.SliceData(a.raw))), reserved)[:n]
	return old
}

// resize returns room whose previous contents are not needed.
func (a *array[E]) resize(m *arena, n int) []E {
	m.release(a.room(m, n))
	return a.s
}

// alloc returns zeroed memory, from Go's heap if the system gives none.
func (m *arena) alloc(bytes int) []byte {
	if bytes >= minMap {
		if b, err := hw.Map(bytes); err == nil {
			if m.maps == nil {
				m.maps = map[*byte][]byte{}
			}
			m.maps[unsafe.SliceData(b)] = b
			return b
		}
	}
	words := make([]uint64, (bytes+7)/8)
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), bytes)
}

// release gives back what alloc returned; nil is nothing.
func (m *arena) release(b []byte) {
	if p := unsafe.SliceData(b); p != nil && m.maps[p] != nil {
		delete(m.maps, p)
		_ = hw.Unmap(b) // of a mapping of our own it cannot fail
	}
}

// close gives back everything.
func (m *arena) close() {
	for _, b := range m.maps {
		_ = hw.Unmap(b)
	}
	m.maps = nil
}
