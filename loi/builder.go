package loi

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"unsafe"

	"krdlab/hw/failure"
)

// A Builder writes a trace whose header (workers, objects, kernels) is known at the end only: one
// that is imported or generated. It holds a chunk for each worker in memory, at most about 128 MiB
// in all, and writes them to a file beside the final one as they fill up. Of a trace whose builder
// was killed [Recover] finds what was written of that file, see Expect. All methods are for one
// goroutine at a time.
type Builder struct {
	path  string
	f     *os.File // path + ".partial"
	done  bool
	fail  error  // of the file; all that follows fails with it
	limit uint64 // of the file, 0 for none
	full  error  // why records were discarded, nil if none were

	objects  map[string]ObjectID
	kernels  map[string]KernelID
	registry Registry
	kinds    []ObjectKind // by object
	// by object: the largest name that an entry of a run can have without a closer look
	limits []uint64

	workers []*buildWorker // by number, nil where nothing was recorded
	memory  int            // bytes of their chunks
	gap     int64          // where the chunks begin; 0 until the first is written
	end     int64          // where the next one begins
	entries []entry        // of the chunks written

	expected Header // of a trace that is never closed
	// so many the file has
	objectsKnown, kernelsKnown, regionsKnown int
}

// buildWorker is the chunk that a worker fills.
type buildWorker struct {
	words  []uint64 // with room for the header of the chunk; its length is the room
	n      int      // words in use
	run    int      // where the run that is being written begins, or 0
	kernel KernelID // of the run
	last   uint64   // start of the last execution
	count  uint64   // records in the chunk
	seq    uint32   // of the chunk

	records, discarded, dropped uint64 // events and executions; without room, and executions of them
}

const (
	buildFirstBytes = 1 << 10
	buildChunkBytes = 256 << 10
	buildMemory     = 64 << 20 // from which on chunks no longer grow
	buildGap        = 64 << 10 // see headRoom

	chunkHeaderWords = chunkHeaderBytes / 8
)

// A BackwardError reports that the executions of a worker were not added in the order of their
// start.
type BackwardError struct {
	Worker          int
	Start, Previous uint64 // ticks
}

// Error returns one line.
func (e *BackwardError) Error() string {
	return fmt.Sprintf("build trace: worker %d has an execution that starts at %d after one that "+
		"starts at %d", e.Worker, e.Start, e.Previous)
}

// Class implements [failure.Classed].
func (*BackwardError) Class() failure.Class { return failure.Data }

// NewBuilder begins a trace that will be the file path, which may not exist. Until Close it is path
// + ".partial", which may not exist either. Close compresses it if path ends in ".zst".
func NewBuilder(path string) (*Builder, error) {
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		return nil, fmt.Errorf("build trace %s: %w on a big-endian machine", path,
			errors.ErrUnsupported)
	}
	if _, err := os.Lstat(path); err == nil {
		return nil, fmt.Errorf("build trace: %w", &os.PathError{Op: "create", Path: path,
			Err: os.ErrExist})
	}
	f, err := os.OpenFile(path+".partial", os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, fmt.Errorf("build trace: %w", err)
	}
	return &Builder{path: path, f: f, objects: make(map[string]ObjectID),
		kernels: make(map[string]KernelID), expected: Header{Substrate: Native}}, nil
}

// Limit sets how many bytes the file may have, before anything is recorded. From a worker's first
// record that finds no room, its records are discarded and counted, as by a [Writer]. Names are
// written whatever they take.
func (b *Builder) Limit(bytes uint64) { b.limit = bytes }

// Stats counts the contents of the file; after Close, of the whole trace. Each execution of a run
// is a record of its own, as it is where it is discarded.
func (b *Builder) Stats() Stats {
	s := Stats{Bytes: uint64(b.end), Chunks: len(b.entries), Full: b.full}
	for _, w := range b.workers {
		if w == nil {
			w = &buildWorker{}
		}
		s.Records, s.Discarded = append(s.Records, w.records), append(s.Discarded, w.discarded)
	}
	return s
}

// Object returns the number of an object, which is registered if it is new. It fails if it was
// registered as another kind, if there are too many, and for a Partition, whose blocks would have
// to be known.
func (b *Builder) Object(name string, kind ObjectKind) (ObjectID, error) {
	if o, ok := b.objects[name]; ok {
		if b.kinds[o] != kind {
			return 0, fmt.Errorf("build trace: object %q is %v, and was %v before", name, kind,
				b.kinds[o])
		}
		return o, nil
	}
	switch {
	case name == "":
		return 0, fmt.Errorf("build trace: an object without a name")
	case kind != Keyed && kind != Span:
		return 0, fmt.Errorf("build trace: object %q is %v, expected keyed or span", name, kind)
	case len(b.kinds) == maxObjects:
		return 0, fmt.Errorf("build trace: object %q is one more than the %d that a trace can have",
			name, maxObjects)
	}
	o := ObjectID(len(b.kinds))
	b.objects[name] = o
	b.registry.Objects = append(b.registry.Objects, Object{Name: name, Kind: kind})
	b.kinds = append(b.kinds, kind)
	limit := ^uint64(0)
	if kind == Span {
		limit = maxExtent - runBytesMax
	}
	b.limits = append(b.limits, limit)
	return o, nil
}

// Kernel returns the number of a kernel, which is registered without parameters if it is new. It
// fails if there are too many.
func (b *Builder) Kernel(name string) (KernelID, error) {
	if k, ok := b.kernels[name]; ok {
		return k, nil
	}
	if name == "" {
		return 0, fmt.Errorf("build trace: a kernel without a name")
	}
	if len(b.registry.Kernels) == maxKernels {
		return 0, fmt.Errorf("build trace: kernel %q is one more than the %d that a trace can have",
			name, maxKernels)
	}
	k := KernelID(len(b.registry.Kernels))
	b.kernels[name] = k
	b.registry.Kernels = append(b.registry.Kernels, Kernel{Name: name})
	return k, nil
}

// Kernels returns how many kernels are registered.
func (b *Builder) Kernels() int { return len(b.registry.Kernels) }

// Region returns the number of a region, which is registered anew. It fails if there are too many.
func (b *Builder) Region(r Region) (RegionID, error) {
	switch n := len(b.registry.Regions); {
	case r.Name == "":
		return 0, fmt.Errorf("build trace: a region without a name")
	case n == maxRegions:
		return 0, fmt.Errorf("build trace: region %q is one more than the %d that a trace can have",
			r.Name, maxRegions)
	case r.Parent != NoRegion && int(r.Parent) >= n:
		return 0, fmt.Errorf("build trace: region %q has the parent %d of %d", r.Name, r.Parent, n)
	}
	b.registry.Regions = append(b.registry.Regions, r)
	return RegionID(len(b.registry.Regions) - 1), nil
}

// Operation returns the number of an operation, which is registered anew: before the first event or
// execution, so that a trace which is recovered has it. It fails if there are too many.
func (b *Builder) Operation(o Operation) (uint32, error) {
	n := len(b.registry.Operations)
	if n == maxOperations {
		return 0, fmt.Errorf("build trace: operation %q is one more than the %d that a trace can have",
			o.Name, n)
	}
	b.registry.Operations = append(b.registry.Operations, o)
	return uint32(n), nil
}

// Event adds an event of a worker at a tick, which comes in the order of its executions.
func (b *Builder) Event(worker int, kind EventKind, at uint64, args ...uint32) error {
	w, err := b.open(worker, at, at)
	if err != nil {
		return err
	}
	b.endRun(w)
	body := (len(args) + 1) / 2
	if ok, err := b.fits(worker, w, 2+body, at, 0); !ok {
		return err
	}
	p := w.words[w.n : w.n+2+body]
	p[0], p[1] = at, commitWord(EventRecord, 0, uint16(kind), len(args), 0)
	putArgs(p[2:], args)
	w.n, w.last = w.n+len(p), at
	w.count, w.records = w.count+1, w.records+1
	return nil
}

// Access adds an execution of k by a worker that began and ended at tick `at`, and had the one
// access a. The executions of a worker come in the order of their start (else a [*BackwardError]);
// it fails for an access that does not suit its object, for a name that is not registered, and when
// the file cannot be written. An execution that fails is not in the trace. Cost: see
// BenchmarkBuilderAccess.
func (b *Builder) Access(worker int, k KernelID, at uint64, a Access) error {
	if uint(worker) < uint(len(b.workers)) && int(a.Object) < len(b.limits) {
		w := b.workers[worker]
		if w != nil && w.run != 0 && w.kernel == k {
			d, n := at-w.last, w.n
			if d <= runDeltaMax && a.Bytes-1 < runBytesMax && a.Rows <= 1 &&
				a.Block <= b.limits[a.Object] && a.Mode-1 < InOut && n+2 <= len(w.words) {
				w.words[n] = a.Block
				w.words[n+1] = a.Bytes | d<<runDeltaShift | uint64(a.Mode)<<runModeShift | uint64(
					a.Object)<<runObjectShift
				w.n, w.last = n+2, at
				return nil
			}
		}
	}
	return b.access(worker, k, at, &a)
}

// access does the rest of Access: it begins a run, or writes the long form.
func (b *Builder) access(worker int, k KernelID, at uint64, a *Access) error {
	if a.Bytes > runBytesMax || a.Rows > 1 {
		return b.execution(worker, k, 0, at, at, []Access{*a})
	}
	w, err := b.check(worker, k, at, at, []Access{*a})
	if err != nil {
		return err
	}
	b.endRun(w)
	if ok, err := b.fits(worker, w, 4, at, 1); !ok {
		return err
	}
	w.run, w.kernel = w.n, k
	w.words[w.n] = at
	w.words[w.n+2] = a.Block
	w.words[w.n+3] = a.Bytes | uint64(a.Mode)<<runModeShift | uint64(a.Object)<<runObjectShift
	w.n, w.last = w.n+4, at
	return nil
}

// Execution adds an execution of k by a worker, fl as for Recorder.KernelFlags, from tick start to
// tick end, with its accesses in the order that the kernel declares them. It fails as Access does,
// and if it ends before it starts. The list is not kept.
func (b *Builder) Execution(worker int, k KernelID, fl Flags, start, end uint64,
	list []Access) error {
	if len(list) == 1 && start == end && fl&(Preempted|Moved) == 0 {
		return b.Access(worker, k, start, list[0])
	}
	return b.execution(worker, k, fl, start, end, list)
}

func (b *Builder) execution(worker int, k KernelID, fl Flags, start, end uint64,
	list []Access) error {
	w, err := b.check(worker, k, start, end, list)
	if err != nil {
		return err
	}
	b.endRun(w)
	body := accessWords(b.kinds, list)
	if ok, err := b.fits(worker, w, 3+body, start, 1); !ok {
		return err
	}
	p, d := w.words[w.n:], end-start
	fl &= Preempted | Moved
	p[0] = start
	head := 2
	if d>>idShift != 0 {
		p[2], d, head, fl = end, 0, 3, fl|flagLong
	}
	p[1] = commitWord(AccessesRecord, fl, uint16(k), 0, d)
	putAccesses(p[head:], b.kinds, list)
	w.n, w.last = w.n+head+body, start
	w.count, w.records = w.count+1, w.records+1
	return nil
}

// check returns the chunk of a worker for an execution that is fit to be recorded.
func (b *Builder) check(worker int, k KernelID, start, end uint64, list []Access) (*buildWorker,
	error) {
	if int(k) >= len(b.registry.Kernels) {
		return nil, fmt.Errorf("build trace: kernel %d of %d", k, len(b.registry.Kernels))
	}
	for i := range list {
		a := &list[i]
		if int(a.Object) >= len(b.kinds) {
			return nil, fmt.Errorf("build trace: object %d of %d", a.Object, len(b.kinds))
		}
		if what := checkNamed(b.kinds[a.Object], a); what != "" {
			return nil, fmt.Errorf("build trace: an access to object %q has %s",
				b.registry.Objects[a.Object].Name, what)
		}
	}
	return b.open(worker, start, end)
}

// open returns the chunk of a worker for a record with these stamps.
func (b *Builder) open(worker int, start, end uint64) (*buildWorker, error) {
	switch {
	case b.done:
		return nil, fmt.Errorf("build trace %s: %w", b.path, os.ErrClosed)
	case b.fail != nil:
		return nil, b.fail
	case worker < 0 || worker >= MaxWorkers:
		return nil, fmt.Errorf("build trace: worker %d, expected 0 to %d", worker, MaxWorkers-1)
	case end < start:
		return nil, fmt.Errorf("build trace: worker %d has an execution from %d to %d, which "+
			"ends before it starts", worker, start, end)
	}
	for worker >= len(b.workers) {
		b.workers = append(b.workers, nil)
	}
	w := b.workers[worker]
	if w == nil {
		w = &buildWorker{n: chunkHeaderWords}
		if b.room() >= buildFirstBytes {
			w.words = make([]uint64, buildFirstBytes/8)
			b.memory += buildFirstBytes
		}
		b.workers[worker] = w
	}
	if start < w.last {
		return nil, &BackwardError{Worker: worker, Start: start, Previous: w.last}
	}
	return w, nil
}

// endRun completes the run that w is in, if any.
func (b *Builder) endRun(w *buildWorker) {
	if w.run != 0 {
		w.words[w.run+1] = commitWord(runRecord, 0, uint16(w.kernel), 0, uint64(w.n-w.run-2)/2)
		w.count++
		w.records += uint64(w.n-w.run-2) / 2
		w.run = 0
	}
}

// fits reports whether the chunk of w, whose run has ended, has room for need words, of a record of
// tick at with so many executions: if not, the chunk is written and another begun, or the record is
// counted as discarded.
func (b *Builder) fits(worker int, w *buildWorker, need int, at, executions uint64) (bool, error) {
	if w.n+need <= len(w.words) {
		return true, nil
	}
	if w.words != nil {
		if err := b.next(worker, w, need); err != nil || w.words != nil {
			return err == nil, err
		}
	}
	b.full = errLimit
	w.discarded, w.dropped, w.last = w.discarded+1, w.dropped+executions, at
	return false, nil
}

// room returns for how many bytes of chunks there is room beside those that are written and begun.
func (b *Builder) room() int64 {
	if b.limit == 0 {
		return math.MaxInt64
	}
	return int64(b.limit) - max(b.end, b.headRoom()) - int64(b.memory) -
		int64(footerBytes(len(b.entries)+len(b.workers)+1))
}

// headRoom returns the bytes left for the header and the count page, unless more is known to be
// needed.
func (b *Builder) headRoom() int64 {
	if b.limit == 0 {
		return buildGap
	}
	return min(buildGap, int64(b.limit/8))
}

// next writes the chunk of w, whose run has ended, and begins another with room for need words, if
// there is room in the file. Chunks grow fourfold, or, where all take much memory together, have an
// equal share of it.
func (b *Builder) next(worker int, w *buildWorker, need int) error {
	if err := b.write(worker, w); err != nil {
		return err
	}
	old, least := 8*len(w.words), 8*(chunkHeaderWords+need)
	size := min(4*old, buildChunkBytes)
	if b.memory+size-old > buildMemory {
		size = min(max(buildMemory/len(b.workers)/8*8, buildFirstBytes), buildChunkBytes)
	}
	b.memory -= old
	room := b.room()
	if size = int(min(int64(max(size, least)), room/8*8)); size < least {
		w.words = nil
		return nil
	}
	if size != old {
		w.words = make([]uint64, size/8)
	}
	b.memory += size
	return nil
}

// write writes the chunk of w, if there is a record in it.
func (b *Builder) write(worker int, w *buildWorker) error {
	if w.n == chunkHeaderWords {
		return nil
	}
	if err := b.announce(); err != nil {
		b.fail = fmt.Errorf("build trace %s: %w", b.path, err)
		return b.fail
	}
	e := w.entry(worker, b.end)
	if _, err := b.f.WriteAt(w.bytes(), b.end); err != nil {
		b.fail = fmt.Errorf("build trace %s: %w", b.path, err)
		return b.fail
	}
	b.end += int64(e.bytes)
	b.entries = append(b.entries, e)
	w.n, w.count, w.seq = chunkHeaderWords, 0, w.seq+1
	return nil
}

// bytes returns the chunk with its header.
func (w *buildWorker) bytes() []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(w.words))), 8*w.n)
}

// entry writes the header of the chunk, which stands at off, and describes it.
func (w *buildWorker) entry(worker int, off int64) entry {
	h := chunkHeader{worker: uint32(worker), seq: w.seq, bytes: uint64(8 * w.n),
		offset: uint64(off)}
	h.encode(w.bytes())
	return entry{offset: h.offset, bytes: h.bytes, used: h.bytes - chunkHeaderBytes,
		records: w.count, worker: h.worker, seq: h.seq, crc: checksum(w.bytes())}
}
