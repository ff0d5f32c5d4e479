package exports

import (
	"io"
	"math"
	"math/bits"

	"krdlab/loi"
)

// progress tells how far an export is, in bytes of records.
type progress struct {
	report      func(done, total uint64)
	done, total uint64
	next        uint64 // done at the next report
}

// reportBytes are the bytes of records between two reports of progress.
const reportBytes = 1 << 20

func newProgress(t *loi.Trace, report func(done, total uint64)) *progress {
	p := &progress{report: report, next: reportBytes}
	if report == nil {
		p.next = math.MaxUint64
		return p
	}
	p.total = t.Info().Used
	return p
}

// step counts one record or execution by about what it takes in the file, and reports now and then.
func (p *progress) step(r *loi.Record) {
	switch {
	case r.Flags&loi.Unstamped != 0: // in a task
		p.done += 8
	case r.Type == loi.AccessesRecord && len(r.Explicit) == 1 && r.Start == r.End: // in a run
		p.done += 16
	default:
		p.done += 16 + 4*uint64(len(r.Args)) + 8*uint64(len(r.Calls)) + 16*uint64(len(r.Explicit))
	}
	if p.done >= p.next {
		p.next = p.done + reportBytes
		p.report(min(p.done, p.total), p.total)
	}
}

func (p *progress) end() {
	if p.report != nil {
		p.report(p.total, p.total)
	}
}

// A clock brings the stamps of all workers to one clock of ticks that are not negative.
type clock struct {
	add []uint64 // by worker, modulo 2^64
}

func (c *clock) at(worker int, stamp uint64) uint64 { return stamp + c.add[worker] }

// newClock looks through t once if a worker has an offset, to find the earliest stamp. A stamp that
// needs more than 64 bits is a RangeError.
func newClock(t *loi.Trace, format string) (*clock, error) {
	c := &clock{add: make([]uint64, len(t.Header.Workers))}
	plain := true
	for _, w := range t.Header.Workers {
		plain = plain && w.TSCOffset == 0
	}
	if plain {
		return c, nil
	}
	first, last := make([]uint64, len(c.add)), make([]uint64, len(c.add))
	var shift uint64
	for i, w := range t.Header.Workers {
		first[i] = math.MaxUint64
		cur := t.All(i)
		for cur.Next() {
			r := cur.Record()
			first[i], last[i] = min(first[i], r.Start, r.End), max(last[i], r.Start, r.End)
		}
		if cur.Err() != nil {
			return nil, cur.Err()
		}
		if ahead := uint64(w.TSCOffset); w.TSCOffset > 0 && first[i] < ahead {
			shift = max(shift, ahead-first[i])
		}
	}
	for i, w := range t.Header.Workers {
		c.add[i] = shift - uint64(w.TSCOffset)
		// All that is added, without the offset of a worker that is ahead, which cannot make a
		// stamp larger.
		_, carry := bits.Add64(last[i], c.add[i], 0)
		if grows := w.TSCOffset < 0 || shift > uint64(w.TSCOffset); grows && first[i] <= last[i] &&
			carry != 0 {
			return nil, &RangeError{Format: format, Worker: i, What: sprint(
				"stamp %d less its worker's offset %d needs more than 64 bits", last[i],
				w.TSCOffset)}
		}
	}
	return c, nil
}

// executions calls f for each kernel execution of t with its accesses, which are valid until f
// returns.
func executions(t *loi.Trace, p *progress, f func(worker int, r *loi.Record,
	list []loi.Access) error) error {
	var list []loi.Access
	for i := range t.Header.Workers {
		c := t.Cursor(i)
		for c.Next() {
			list = c.AppendAccesses(list[:0])
			if err := f(i, c.Record(), list); err != nil {
				return err
			}
			p.step(c.Record())
		}
		if c.Err() != nil {
			return c.Err()
		}
	}
	return nil
}

// shapes tells which columns the accesses of t need.
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

// letters are the modes as the importer takes them.
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
