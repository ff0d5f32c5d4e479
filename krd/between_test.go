package krd

import (
	"math"
	"testing"
)

// A part of lines that come once, or again but too late, is a stream, and keeps what fits from staying; one that
// would fit is none. Counts are exact as long as all lines are of the sample.
func TestStreams(t *testing.T) {
	const table, rounds = 1000, 20
	for _, x := range []struct {
		name        string
		scan, apart int // lines of the scan, and from where on those of the next
		streams     int
		saved       uint64
		error       float64
	}{
		{"once", 2000, 2000, 1, (rounds - 1) * table, 0},
		{"again, too late", 2000, 0, 1, (rounds - 1) * table, 0},
		{"again, in time", 800, 0, 0, 0, 0},
		{"again, in time but for the table", 1400, 0, 0, 0, 0},
		{"near the table", 300, 300, 1, 0, 0},
		{"more than the sample holds", 60000, 60000, 1, (rounds - 1) * table, 0.2},
	} {
		s, err := NewStream(StreamOptions{})
		if err != nil {
			t.Fatal(err)
		}
		add := func(group uint32, line, n int) {
			if err := s.AddLoop(0, uint64(8*n), []Strided{{uint64(line) * StreamLine, 8, group}}); err != nil {
				t.Fatal(err)
			}
		}
		for round := range rounds {
			add(1, 0, table)
			add(2, 1<<20+round*x.apart, x.scan)
		}
		if err := s.Flush(); err != nil {
			t.Fatal(err)
		}
		got := s.Streams(1500*StreamLine, 1, map[uint32]int{1: -1, 2: 0})
		if n := got.Saved[1]; len(got.Parts) != x.streams || got.Saved[2] != 0 ||
			math.Abs(float64(n)-float64(x.saved)) > x.error*float64(x.saved) {
			t.Errorf("%s: %+v, expected %d streams and %d reuses of group 1", x.name, got, x.streams, x.saved)
		}
		if full := s.between.shift > 0; full != (x.error > 0) {
			t.Errorf("%s: 1 line of 2^%d is kept", x.name, s.between.shift)
		}
	}
}

// However often one line is accessed, there is room.
func TestBetweenOneLine(t *testing.T) {
	var b between
	for range 2*mostRecords + 1 {
		b.add(0, 1)
	}
	if len(b.records) >= mostRecords {
		t.Errorf("%d records, expected fewer than %d", len(b.records), mostRecords)
	}
}
