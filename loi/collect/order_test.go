package collect

import (
	"slices"
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

// Accesses before an operation come before those that others made until it ended.
func TestBeforeOperation(t *testing.T) {
	var got []uint64
	o := newOrder(nil, func(_, _ uint64, events []event) error {
		for _, e := range events {
			if e.kind() == 0 {
				got = append(got, e[0])
			}
		}
		return nil
	})
	done := func(end uint64) event { return event{end, kindDone << 56} }
	o.push(o.source(1), piece{events: []event{{1, 1}, {0, kindSync << 56}, {10, kindSyncAt << 56}, done(50), {3, 1}},
		last: 60, chunk: noChunk})
	o.push(o.source(2), piece{events: []event{{2, 1}, {0, kindSync << 56}, {20, kindSyncAt << 56}, done(30), {4, 1}},
		last: 70, chunk: noChunk})
	if err := o.hand(100); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, []uint64{1, 2, 3, 4}) {
		t.Errorf("accesses %v", got)
	}
	o.push(o.source(3), piece{events: []event{done(40), {5, 1}}, last: 80, chunk: noChunk})
	if err := o.hand(100); err != nil {
		t.Fatal(err)
	}
	if o.late != 0 {
		t.Errorf("%d are late", o.late)
	}
	o.push(o.source(4), piece{events: []event{{6, 1}, done(45)}, last: 200, chunk: noChunk})
	if err := o.hand(100); err != nil {
		t.Fatal(err)
	}
	if o.late != 2 {
		t.Errorf("%d are late, expected an access and what ends behind it", o.late)
	}
}
