package stack

import (
	"errors"
	"fmt"
	"unsafe"

	"krdlab/hw"
)

// arena owns the big arrays of an engine. They are outside Go's heap, on huge pages where the system has them: the arrays are
// probed at random, so that with 4 KiB pages most probes would miss the TLB as well, and a collector that lets the heap double
// would double them. What is never touched costs no memory.
type arena struct{ maps map[*byte][]byte }

// array is a slice of pointer-free elements in an arena.
type array[E any] struct {
	s   []E
	raw []byte
}

// room returns a slice of n elements of any contents, and what is to be released when the previous one, of other contents, is no
// longer needed (nil if they share memory).
func (a *array[E]) room(m *arena, n int) (old []byte, err error) {
	if n <= cap(a.s) {
		a.s = a.s[:n]
		return nil, nil
	}
	var e E
	raw, err := m.alloc((n + n/4 + 64) * int(unsafe.Sizeof(e)))
	if err != nil {
		return nil, err
	}
	old = a.raw
	a.raw = raw
	a.s = unsafe.Slice((*E)(unsafe.Pointer(unsafe.SliceData(raw))), n+n/4)[:n]
	return old, nil
}

func (m *arena) alloc(bytes int) ([]byte, error) {
	b, err := hw.Map(bytes)
	if errors.Is(err, hw.ErrUnsupported) {
		words := make([]uint64, (bytes+7)/8)
		return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), bytes), nil
	}
	if err != nil {
		return nil, fmt.Errorf("stack distances: %w", err)
	}
	if m.maps == nil {
		m.maps = map[*byte][]byte{}
	}
	m.maps[unsafe.SliceData(b)] = b
	return b, nil
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
