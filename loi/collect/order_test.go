package collect

import (
	"testing"
	"unsafe"

	"krdlab/hw"
)

// A program may end while one of its goroutines gives its last chunk back: the chunk is with
// neither side, and its events count. While the program runs such a chunk is on its way.
func TestEndsWhileGiving(t *testing.T) {
	m, err := NewMemory(0, false, false)
	if err != nil {
		t.Skip(err)
	}
	defer m.Close()
	const at = 1 << 20 // where the program had the chunk
	*m.chunk(0) = chunk{buf: 0, number: 7, at: at}
	m.events(0, 2)[0] = event{8, 1}
	m.events(0, 2)[1] = event{16, 1}
	*m.buf(0) = buffer{next: at + unsafe.Sizeof(chunk{}) + 2*unsafe.Sizeof(event{}), number: 7,
		state: 1}
	m.h.bufsUsed = 1
	n := 0
	o := newOrder(m, func(_, _ uint64, events []event) error { n += len(events); return nil })
	for i, ended := range []bool{false, true, true} {
		if _, err := o.round(ended); err != nil {
			t.Fatal(err)
		}
		if want := min(2*i, 2); n != want {
			t.Errorf("round %d: %d events at tick %d, expected %d", i, n, hw.TSC(), want)
		}
	}
}
