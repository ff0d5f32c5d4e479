package exports

import (
	"fmt"
	"io"
	"math"
	"math/bits"
	"slices"

	"krdlab/loi"
)

// A clock makes the ticks of the common clock numbers that are not negative.
type clock struct{ shift uint64 }

func (c clock) at(tick int64) uint64 { return uint64(tick) + c.shift }

// newClock looks through t once if a worker has an offset, to find the earliest stamp. A stamp that
// needs more than 64 bits is a RangeError.
func newClock(t *loi.Trace, format string) (c clock, err error) {
	workers := t.Header.Workers
	if !slices.ContainsFunc(workers, func(w loi.Worker) bool { return w.TSCOffset != 0 }) {
		return c, nil
	}
	first, last := make([]uint64, len(workers)), make([]uint64, len(workers))
	for i := range first {
		first[i] = math.MaxUint64
	}
	for e, err := range t.Ordered(everything(nil)) {
		if err != nil {
			return c, err
		}
		i, r := e.Worker, e.Record
		first[i], last[i] = min(first[i], r.Start, r.End), max(last[i], r.Start, r.End)
	}
	for i, w := range workers {
		if ahead := uint64(w.TSCOffset); w.TSCOffset > 0 && first[i] < ahead {
			c.shift = max(c.shift, ahead-first[i])
		}
	}
	for i, w := range workers {
		// All that is added, without the offset of a worker that is ahead, which cannot make a
		// stamp larger.
		_, carry := bits.Add64(last[i], c.shift-uint64(w.TSCOffset), 0)
		if grows := w.TSCOffset < 0 || c.shift > uint64(w.TSCOffset); grows &&
			first[i] <= last[i] && carry != 0 {
			return c, &RangeError{Format: format, Worker: i, What: fmt.Sprintf(
				"stamp %d less its worker's offset %d needs more than 64 bits", last[i],
				w.TSCOffset)}
		}
	}
	return c, nil
}

// program returns the order of exports: workers follow each other.
func program(p *loi.Progress) loi.Order {
	return loi.Order{ByWorker: true, AllowLoss: true, Progress: p}
}

// everything returns that order with the runtime's events, and tasks as they stand.
func everything(p *loi.Progress) loi.Order {
	o := program(p)
	o.Events, o.Tasks = true, true
	return o
}

// shapes returns the kinds of columns that the accesses of t need.
func shapes(t *loi.Trace) (blocks, spans bool) {
	for i := range t.Header.Registry.Objects {
		if t.Header.Registry.Objects[i].Kind == loi.Span {
			spans = true
		} else {
			blocks = true
		}
	}
	return blocks || !spans, spans
}

// letters returns a mode as the importer takes it.
func letters(m loi.Mode) string {
	return [...]string{loi.In: "r", loi.Out: "w",
		loi.InOut: "rw"}[m]
}

// output collects bytes for w; its first error comes out of flush.
type output struct {
	w   io.Writer
	b   []byte
	err error
}

const outputBytes = 1 << 16

func newOutput(w io.Writer) *output { return &output{w: w, b: make([]byte, 0, 2*outputBytes)} }

// spill writes what has been collected if it is enough.
func (o *output) spill() error {
	if len(o.b) < outputBytes {
		return nil
	}
	return o.flush()
}

func (o *output) flush() error {
	if o.err == nil && len(o.b) > 0 {
		_, o.err = o.w.Write(o.b)
	}
	o.b = o.b[:0]
	return o.err
}
