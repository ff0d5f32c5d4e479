package loi

import (
	"path/filepath"
	"reflect"
	"slices"
	"testing"
)

// TestBuilderEvents checks that a reader finds the goroutines and regions that a builder was given.
func TestBuilderEvents(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.loi")
	b, err := NewBuilder(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := b.Region(Region{"main.f", Function, NoRegion})
	if err != nil {
		t.Fatal(err)
	}
	loop, err := b.Region(Region{"main.f:3", Loop, f})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Region(Region{"x", Iteration, 7}); err == nil {
		t.Error("a region may have a parent that there is not")
	}
	k, _ := b.Kernel("main.f")
	o, _ := b.Object("chan int", Keyed)
	want := Sync{Op: SyncReceive, Selected: true, Timer: true, Object: o, Place: 1<<40 + 3, Room: 5,
		Begin: 1 << 33, At: 1<<33 + 7, Away: 1<<35 + 1}
	at := uint64(1) << 33
	for _, err := range []error{
		b.Event(0, EventStart, at, 1),
		b.Event(0, EventRegion, at, uint32(f), 1, 0),
		b.Access(0, k, at+1, Access{Object: o, Mode: In, Block: 9, Bytes: 8}),
		b.Access(0, k, at+1, Access{Object: o, Mode: In, Block: 9, Bytes: 8}),
		b.Event(0, EventRegion, at+2, uint32(loop), 2, 1),
		b.Event(0, EventSync, at+9, want.Args()...),
		b.Event(0, EventRegionEnd, at+9, 2),
		b.Event(0, EventRegionEnd, at+9, 1),
		b.Event(0, EventEnd, at+10, GoArgs(1, 77)...),
		b.Close(Header{Substrate: Native, Workers: []Worker{{CPU: -1}}}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if b.Event(0, EventStart, at+11, 1) == nil {
		t.Error("a builder that is closed takes an event")
	}
	tr, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	var kinds []EventKind
	var regions []uint32
	for e, err := range tr.Ordered(Order{Events: true}) {
		if err != nil {
			t.Fatal(err)
		}
		regions = append(regions, e.Region)
		if e.Type != EventRecord {
			kinds = append(kinds, 0)
			continue
		}
		kinds = append(kinds, e.Record.Event)
		if s, ok := e.Sync(); ok && s != want || ok != (e.Record.Event == EventSync) {
			t.Errorf("%+v, expected %+v", s, want)
		}
		if n, away, ok := e.Goroutine(); ok && (n != 1 || away != 0 && away != 77) {
			t.Error(n, away)
		}
	}
	if want := []EventKind{EventStart, EventRegion, 0, 0, EventRegion, EventSync, EventRegionEnd,
		EventRegionEnd, EventEnd}; !reflect.DeepEqual(kinds, want) {
		t.Error(kinds)
	}
	if want := []uint32{0, 1, 1, 1, 2, 2, 2, 1, 0}; !reflect.DeepEqual(regions, want) {
		t.Error(regions)
	}
	for o := SyncSend; o <= lastSyncOp; o++ {
		if syncNames[o] == "" {
			t.Errorf("operation %d has no name", o)
		}
	}
}

// TestLines checks that the lines of accesses are read as they were written, with one that is not known
// where they are odd in number.
func TestLines(t *testing.T) {
	for _, want := range [][]KernelID{{}, {3}, {3, NoKernel}, {1, 2, 0xfffe}} {
		r := Record{Type: EventRecord, Event: EventLines, Args: LinesArgs(want)}
		got, ok := r.Lines(nil)
		if len(want)%2 > 0 {
			want = append(want, NoKernel)
		}
		if !ok || !slices.Equal(got, want) {
			t.Errorf("%v, %t, expected %v", got, ok, want)
		}
		r.Event = EventSync
		if _, ok := r.Lines(nil); ok {
			t.Error("an operation has lines")
		}
	}
	if n := len(LinesArgs(make([]KernelID, MaxLines))); n != maxArgs {
		t.Errorf("%d arguments, expected %d", n, maxArgs)
	}
}
