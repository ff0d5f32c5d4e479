package imports

import (
	"math"

	"krdlab/loi"
)

// A sink takes what was imported: a *loi.Builder, or what a test puts in its place.
type sink interface {
	Object(name string, kind loi.ObjectKind) (loi.ObjectID, error)
	Kernel(name string) (loi.KernelID, error)
	Access(worker int, k loi.KernelID, at uint64, a loi.Access) error
	Execution(worker int, k loi.KernelID, fl loi.Flags, start, end uint64, list []loi.Access) error
}

const (
	maxObjects = math.MaxUint16 + 1
	maxKernels = math.MaxUint16
	// maxList is the largest number of accesses of one execution. A clock so coarse that more of
	// them fall into one of its ticks is no sign of kernels; they become several executions at the
	// same time.
	maxList = 4096
)

// A feeder checks rows against those before them, puts those of one execution together and gives
// executions to a sink.
type feeder struct {
	sink    sink
	node    []int // of each worker; nil: any worker is allowed
	resize  bool
	sort    *sorter // nil: times must not go back
	objects []object
	kernels []kernel
	workers []stream
	shapes  map[loi.Access]struct{} // distinct two-dimensional accesses, without their modes
	rows    uint64                  // of shapes
	sum     Summary
	text    *loi.Trace // the whole input, where it is one
}

// An object is the feeder's record of one. Its number in the sink is known when a row has its kind.
type object struct {
	name  string
	id    loi.ObjectID
	known bool
	span  bool     // its rows have offsets
	keys  keyTable // size of each key; with resize, the region of each key
	end   uint64   // with resize, end of the last region
}

type kernel struct {
	name  string
	id    loi.KernelID
	known bool
}

// A stream is the state of a worker: the execution that may get more accesses, which is first, or
// list if there are several.
type stream struct {
	time   uint64
	end    uint64
	kernel uint32
	n      int
	first  loi.Access
	list   []loi.Access
}

// take takes a batch of the parser.
func (f *feeder) take(b *batch) error {
	for _, name := range b.objects {
		f.objects = append(f.objects, object{name: name})
	}
	for _, name := range b.kernels {
		f.kernels = append(f.kernels, kernel{name: name})
	}
	b.objects, b.kernels = b.objects[:0], b.kernels[:0]
	for i := range b.rows {
		if err := f.check(&b.rows[i]); err != nil {
			return err
		}
	}
	if f.sort != nil {
		return f.sort.add(b.rows)
	}
	return f.feed(b.rows)
}

// check looks up the names of a row, and the size of its block.
func (f *feeder) check(r *row) error {
	o := &f.objects[r.object]
	if !o.known || o.span != r.span {
		if err := f.newObject(o, r); err != nil {
			return err
		}
	}
	if k := &f.kernels[r.kernel]; !k.known {
		if err := f.newKernel(k, r); err != nil {
			return err
		}
	}
	if f.node != nil && int(r.worker) >= len(f.node) {
		return optionError("Nodes", "worker %d of the input is in no set, expected each in one; "+
			"the sets have workers 0 to %d", r.worker, len(f.node)-1)
	}
	if r.span {
		return f.countRows(o, r)
	}
	w := o.keys.at(r.block)
	switch {
	case *w == r.bytes && !f.resize:
	case f.resize:
		return f.place(o, w, r)
	case *w == 0:
		*w = r.bytes
		o.keys.added()
	default:
		return fault(r.pos, "bytes", "block %d of object %q has %d bytes here and had %d before; "+
			"a block keeps its size unless splitting into atoms is asked for",
			r.block, o.name, r.bytes, *w).allowed("Atoms")
	}
	return nil
}

// countRows refuses more rows of two-dimensional accesses than can be analysed.
func (f *feeder) countRows(o *object, r *row) error {
	if r.rows <= 1 || r.stride == r.bytes { // one range
		return nil
	}
	s := loi.Access{Object: o.id, Rows: r.rows, Block: r.block, Bytes: r.bytes, Stride: r.stride}
	if _, known := f.shapes[s]; known {
		return nil
	}
	if f.rows+uint64(r.rows) > loi.MaxRows {
		return fault(r.pos, "rows", "%d rows, with %d of other accesses before, expected at most "+
			"%d in all", r.rows, f.rows, loi.MaxRows)
	}
	if f.shapes == nil {
		f.shapes = map[loi.Access]struct{}{}
	}
	f.shapes[s] = struct{}{}
	f.rows += uint64(r.rows)
	return nil
}

// place makes the block of a row, whose size may change, the beginning of the region of its key.
func (f *feeder) place(o *object, w *uint64, r *row) error {
	if *w == 0 {
		g, end, err := newRegion(o.end, r.bytes)
		if err != nil {
			return fault(r.pos, "bytes", "%v", err)
		}
		o.end, *w = end, uint64(g)
		o.keys.added()
		r.block = g.offset()
		return nil
	}
	g := region(*w)
	if r.bytes > g.bytes() {
		return fault(r.pos, "bytes", "block %d of object %q has %d bytes here, which is more "+
			"than the %d that it may grow to", r.block, o.name, r.bytes, g.bytes())
	}
	r.block = g.offset()
	return nil
}

func (f *feeder) newObject(o *object, r *row) error {
	if o.known {
		now, before := "a block", "an offset"
		if r.span {
			now, before = before, now
		}
		return fault(r.pos, "object", "object %q has %s here and had %s before, expected one of "+
			"them throughout", o.name, now, before)
	}
	if f.sum.Objects == maxObjects {
		return fault(r.pos, "object", "object %q is one too many, expected at most %d", o.name,
			maxObjects)
	}
	kind := loi.Keyed
	if r.span || f.resize {
		kind = loi.Span
	}
	id, err := f.sink.Object(o.name, kind)
	o.id, o.known, o.span = id, true, r.span
	f.sum.Objects++
	return err
}

func (f *feeder) newKernel(k *kernel, r *row) (err error) {
	if f.sum.Kernels == maxKernels {
		return fault(r.pos, "kernel", "kernel %q is one too many, expected at most %d", k.name,
			maxKernels)
	}
	k.id, err = f.sink.Kernel(k.name)
	k.known = true
	f.sum.Kernels++
	return err
}

// feed adds checked rows to the streams of their workers.
func (f *feeder) feed(rows []row) error {
	for i := range rows {
		r := &rows[i]
		for int(r.worker) >= len(f.workers) {
			f.workers = append(f.workers, stream{})
		}
		s := &f.workers[r.worker]
		a := loi.Access{Object: f.objects[r.object].id, Mode: r.mode, Rows: r.rows, Block: r.block,
			Bytes: r.bytes, Stride: r.stride}
		if s.n > 0 {
			if r.time < s.time {
				return fault(r.pos, "time", "time %d of worker %d comes after time %d, expected "+
					"times that do not go back, unless sorting is asked for", r.time, r.worker,
					s.time).allowed("Sort")
			}
			if r.time == s.time && r.kernel == s.kernel && r.end == s.end && s.n < maxList {
				if s.n == 1 {
					s.list = append(s.list[:0], s.first)
				}
				s.list = append(s.list, a)
				s.n++
				continue
			}
			if err := f.flush(int(r.worker)); err != nil {
				return err
			}
		}
		s.time, s.end, s.kernel, s.n, s.first = r.time, r.end, r.kernel, 1, a
	}
	return nil
}

// flush gives the execution of a worker that gets no more accesses to the sink.
func (f *feeder) flush(worker int) error {
	s := &f.workers[worker]
	k := f.kernels[s.kernel].id
	if f.sum.Executions == 0 || s.time < f.sum.FirstTime {
		f.sum.FirstTime = s.time
	}
	f.sum.LastTime = max(f.sum.LastTime, s.end)
	f.sum.Executions++
	f.sum.Accesses += uint64(s.n)
	if s.n == 1 && s.time == s.end {
		return f.sink.Access(worker, k, s.time, s.first)
	}
	if s.n == 1 {
		s.list = append(s.list[:0], s.first)
	}
	return f.sink.Execution(worker, k, 0, s.time, s.end, s.list)
}

// finish gives the rest to the sink.
func (f *feeder) finish() error {
	if f.sort != nil {
		if err := f.sort.each(f.feed); err != nil {
			return err
		}
	}
	for w := range f.workers {
		if f.workers[w].n > 0 {
			if err := f.flush(w); err != nil {
				return err
			}
		}
	}
	f.sum.Workers = max(len(f.workers), len(f.node))
	if f.sum.Accesses == 0 {
		return fault(0, "", "no access, expected at least one")
	}
	return nil
}
