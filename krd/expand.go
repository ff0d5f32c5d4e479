package krd

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"krdlab/loi"
)

// layout is the dense numbering of the registered blocks of a trace.
type layout struct {
	sizes []uint64   // bytes, by dense block number
	base  []uint32   // by object: dense number of its block 0
	bases [][]uint32 // by kernel: base of the object of each parameter
	// by kernel: which argument names the block of each parameter; nil: the i-th of the i-th
	of [][]uint8
}

// maxBlocks keeps positions, which number the live blocks and those of a chunk, within 32 bits.
const maxBlocks = 1 << 31

// newLayout numbers the blocks of t as [loi.Trace.BlockBase] does.
func newLayout(t *loi.Trace) (*layout, error) {
	r := &t.Header.Registry
	if t.Blocks() > maxBlocks {
		return nil, fmt.Errorf("krd: the trace registers %d blocks, expected at most %d",
			t.Blocks(), maxBlocks)
	}
	l := &layout{sizes: make([]uint64, 0, t.Blocks())}
	total := 0.0
	for i := range r.Objects {
		l.base = append(l.base, t.BlockBase(loi.ObjectID(i)))
		for _, run := range r.Objects[i].Blocks {
			for range run.Count {
				l.sizes = append(l.sizes, run.Bytes)
			}
			total += float64(run.Count) * float64(run.Bytes)
		}
	}
	// Twice the room: a distance plus one more block must not overflow the bins.
	if total >= maxTotal {
		return nil, fmt.Errorf("krd: %w: the objects of the trace have %.4g in all, expected "+
			"less than 2^62", ErrTooLarge, total)
	}
	for i := range r.Kernels {
		var bases []uint32
		for _, p := range r.Kernels[i].Params {
			bases = append(bases, l.base[p.Object])
		}
		l.bases = append(l.bases, bases)
		l.of = append(l.of, r.Kernels[i].Of)
	}
	return l, nil
}

const maxTotal = math.MaxInt64 / 2

// expanded is the source of one worker of a trace. The cursor has checked block numbers and sizes.
type expanded struct {
	cursor *loi.Cursor
	layout *layout
	raw    bool  // give the accesses and not the dense numbers
	empty  bool  // give executions without accesses, too
	offset int64 // ticks that the worker's clock is ahead of the common one
	meter  meter

	record uint64 // number of the next record
	last   uint64 // its predecessor's start
	run    Execution
	fail   error
}

func (x *expanded) next() (int64, *Execution, bool) {
	for x.fail == nil && x.cursor.Next() {
		r := x.cursor.Record()
		if r.Start < x.last {
			x.fail = &OrderError{Worker: x.run.Worker, Record: x.record, Start: r.Start,
				Previous: x.last}
			return 0, nil, false
		}
		x.last = r.Start
		x.record++
		if x.expand(r) {
			return int64(r.Start) - x.offset, &x.run, true
		}
	}
	return 0, nil, false
}

// expand makes r the current execution and tells whether it has accesses.
func (x *expanded) expand(r *loi.Record) bool {
	x.meter.tick(r)
	x.run.Kernel = int(r.Kernel)
	if x.raw {
		x.run.Accesses = x.cursor.AppendAccesses(x.run.Accesses[:0])
		return x.empty || len(x.run.Accesses) > 0
	}
	blocks := x.run.blocks[:0]
	if r.Type == loi.KernelRecord {
		bases := x.layout.bases[r.Kernel]
		if of := x.layout.of[r.Kernel]; of != nil {
			for i, base := range bases {
				blocks = append(blocks, base+r.Args[of[i]])
			}
		} else {
			for i, a := range r.Args[:len(bases)] {
				blocks = append(blocks, bases[i]+a)
			}
		}
	} else {
		for i := range r.Explicit {
			a := &r.Explicit[i]
			blocks = append(blocks, x.layout.base[a.Object]+uint32(a.Block))
		}
	}
	x.run.blocks = blocks
	return len(blocks) > 0
}

func (x *expanded) err() error {
	if x.fail != nil {
		return x.fail
	}
	return x.cursor.Err()
}

// sorted is the source of a recorder whose records are out of order, which that of a CPU under Go's
// own scheduler can be: a goroutine that is moved or preempted between its stamps is recorded after
// kernels that began later. All accesses of the recorder are held in memory, 4 bytes each (40 where
// the analysis asks for the accesses) and 24 for each kernel.
type sorted struct {
	order  []span
	blocks []uint32
	list   []loi.Access
	run    Execution
	i      int
}

type span struct {
	start    int64
	kernel   int32
	from, to uint32
}

// newSorted reads x to its end and sorts stably by start.
func newSorted(x *expanded) (*sorted, error) {
	s := &sorted{run: Execution{Worker: x.run.Worker}}
	for x.cursor.Next() {
		r := x.cursor.Record()
		if !x.expand(r) {
			continue
		}
		from := max(len(s.blocks), len(s.list))
		s.blocks = append(s.blocks, x.run.blocks...)
		s.list = append(s.list, x.run.Accesses...)
		to := max(len(s.blocks), len(s.list))
		if uint64(to) > math.MaxUint32 {
			return nil, fmt.Errorf("krd: worker %d has more than 2^32 accesses to sort",
				x.run.Worker)
		}
		s.order = append(s.order, span{int64(r.Start) - x.offset, int32(r.Kernel), uint32(from),
			uint32(to)})
	}
	slices.SortStableFunc(s.order, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	return s, x.cursor.Err()
}

func (s *sorted) next() (int64, *Execution, bool) {
	if s.i == len(s.order) {
		return 0, nil, false
	}
	o := &s.order[s.i]
	s.i++
	s.run.Kernel = int(o.kernel)
	if len(s.list) > 0 {
		s.run.Accesses = s.list[o.from:o.to]
	} else {
		s.run.blocks = s.blocks[o.from:o.to]
	}
	return o.start, &s.run, true
}

func (s *sorted) err() error { return nil }
