package loi

import (
	"strings"
	"testing"
)

// TestBadShapes reads records that no writer makes: the words of an access or a run, and their
// fault. Objects 0 to 2 are partitions, 3 is keyed, 4 a span.
func TestBadShapes(t *testing.T) {
	access := func(shape, mode, object, low uint64, more ...uint64) []uint64 {
		w := low | object<<accessObjectShift | mode<<accessModeShift | shape<<accessShapeShift
		return append([]uint64{10, commitWord(AccessesRecord, 0, 0, 0, 5), 1, w}, more...)
	}
	run := func(entries ...uint64) []uint64 {
		return append([]uint64{10, commitWord(runRecord, 0, 0, 0, uint64(len(entries)/2))},
			entries...)
	}
	entry := func(bytes, mode, object uint64) uint64 {
		return bytes | mode<<runModeShift | object<<runObjectShift
	}
	const good = 64 | 1<<runModeShift | 3<<runObjectShift
	for _, c := range []struct {
		words []uint64
		what  string // empty: nothing is wrong
	}{
		{access(shapeName, 1, 3, 64, 7), ""},
		{access(shapeWide, 1, 3, 0, 7, 64), ""},
		{access(shapeWide, 1, 3, 1, 7, 64), "two sizes"},
		{access(shapeName, 1, 3, 0, 7), "has 0 bytes"},
		{access(shapeWide, 1, 3, 0, 7, maxExtent+1), "expected 1 to 2^62"},
		{access(shapeName, 0, 3, 64, 7), "mode(0)"},
		{access(shapeName, 4, 3, 64, 7), "mode(4)"},
		{access(shapeName, 1, 5, 64, 7), "object 5, which is not registered"},
		{access(shapeName, 1, 0, 64, 7), `shape 2 to object "A", which is partition`},
		{access(shapeBlock, 1, 3, 0), `shape 0 to object "keyed", which is keyed`},
		{access(shapeSized, 1, 4, 0, 8), `shape 1 to object "span", which is span`},
		{access(shapeRows, 1, 4, 2, 7, 64, 64), ""},
		{access(shapeRows, 1, 4, 1, 7, 64, 64), "several rows has 1"},
		{access(shapeRows, 1, 4, 0, 7, 64, 64), "several rows has 0"},
		{access(shapeRows, 1, 3, 2, 7, 64, 64), "has 2 rows"},
		{access(shapeRows, 1, 4, 2, maxExtent-128, 64, 64), ""},
		{access(shapeRows, 1, 4, 2, maxExtent-127, 64, 64), "end past 2^62"},
		{access(shapeRows, 1, 4, 1<<32-1, 0, 1, 1<<63), "end past 2^62"},
		{access(shapeName, 1, 4, 64, maxExtent-64), ""},
		{access(shapeName, 1, 4, 64, maxExtent-63), "end past 2^62"},
		{access(5, 1, 3, 64, 7), "flags 0x5"},
		{access(shapeRows, 1, 4, 2, 7), "past the end of its chunk"},

		{run(7, good, 1<<63, good), ""},
		{run(), "has none"},
		{run(7, good)[:3], "past the end of its chunk"},
		{run(7, good, 8, entry(0, 1, 3)), "has 0 bytes"},
		{run(7, good, 8, entry(64, 0, 3)), "mode(0)"},
		{run(7, good, 8, entry(64, 4, 3)), "mode(4)"},
		{run(7, good, 8, entry(64, 1, 5)), "object 5, which is not registered"},
		{run(7, good, 8, entry(64, 1, 0)), `a run has an access to object "A", which is partition`},
		{run(7, good, maxExtent-64, entry(64, 1, 4)), ""},
		{run(7, good, maxExtent-63, entry(64, 1, 4)), "end past 2^62"},
		{[]uint64{10, commitWord(runRecord, Moved, 0, 0, 1), 7, good}, "flags"},
		{[]uint64{10, commitWord(runRecord, 0, 0, 1, 1), 7, good}, "flags or arguments"},
		{[]uint64{10, commitWord(runRecord, flagLong, 0, 0, 0), 11, 7, good}, "flags"},
		{[]uint64{10, commitWord(runRecord, 0, 5, 0, 1), 7, good}, "kernel 5 of 5"},
	} {
		var b []byte
		for _, w := range c.words {
			b = le.AppendUint64(b, w)
		}
		list, err := readAll(withRecords(t, b, 1), 0)
		if c.what == "" {
			if err != nil || len(list) == 0 {
				t.Errorf("%#x: %v, expected nothing wrong", c.words, err)
			}
			continue
		}
		if isFormat(t, err, c.what, ErrCorrupt); !strings.Contains(err.Error(), c.what) ||
			len(list) > 0 {
			t.Errorf("%#x: %v after %d records, expected %q", c.words, err, len(list), c.what)
		}
	}
}
