package loi

import (
	"fmt"
	"sync/atomic"
	"unsafe"

	"krdlab/hw"
)

// A Recorder writes the records of one worker. All methods are for its owner only: one goroutine at
// a time, with a happens-before edge where the owner changes. They do not allocate; a record is in
// the file (though perhaps not on the disk) when the method returns, or is counted as discarded
// because there was no room for it.
//
// A method writes the words of the record into the mapped chunk and last the commit word, which is
// never zero. The hot methods test one size; whatever is not plain (the chunk is full, nothing can be
// recorded any more) is behind it, since size is 0 where there is no chunk.
type Recorder struct {
	base unsafe.Pointer // of the current chunk; nil if there is none
	off  uintptr        // where the next record begins
	size uintptr        // end of the current chunk; 0 if there is none

	numbers uint64 // the next of tasks and regions

	w      *Writer
	slot   *[slotBytes / 8]uint64 // in the count page
	worker int
	seq    uint32 // of the next chunk
	closed bool

	next      int                   // size of the next chunk; guarded by w.mu
	exhausted bool                  // the background need not try; guarded by w.mu
	spare     atomic.Pointer[chunk] // background: nil to chunk; owner: chunk to nil

	_ [128]byte // keep the neighbours' hot words off these cache lines
}

// commit stores the word that makes a record valid, after all other words of the record: a reader
// of the mapping, now or after this process was killed, sees the whole record or a zero.
func commit(p *uint64, v uint64) { hw.StoreRelease64(p, v) }

// Kernel3 records an execution of k, a kernel with three parameters, with the block numbers a, b
// and c.
func (r *Recorder) Kernel3(k KernelID, start, end uint64, a, b, c uint32) {
	d := end - start
	if r.off+32 > r.size || d>>32 != 0 {
		r.KernelFlags(k, 0, start, end, a, b, c)
		return
	}
	p := (*[4]uint64)(unsafe.Add(r.base, r.off))
	p[0] = start
	p[2] = uint64(a) | uint64(b)<<32
	p[3] = uint64(c)
	commit(&p[1], d|uint64(k)<<idShift|uint64(KernelRecord)<<typeShift|3<<countShift)
	r.off += 32
}

// Kernel1 records an execution of k, a kernel with one parameter.
func (r *Recorder) Kernel1(k KernelID, start, end uint64, a uint32) {
	d := end - start
	if r.off+24 > r.size || d>>32 != 0 {
		r.KernelFlags(k, 0, start, end, a)
		return
	}
	p := (*[3]uint64)(unsafe.Add(r.base, r.off))
	p[0] = start
	p[2] = uint64(a)
	commit(&p[1], d|uint64(k)<<idShift|uint64(KernelRecord)<<typeShift|1<<countShift)
	r.off += 24
}

// Kernel records an execution of k with one block number for each of its declared parameters.
func (r *Recorder) Kernel(k KernelID, start, end uint64, args ...uint32) {
	r.KernelFlags(k, 0, start, end, args...)
}

// KernelFlags works like Kernel, with flags: Preempted and Moved. It panics if there are more than
// 255 arguments.
func (r *Recorder) KernelFlags(k KernelID, fl Flags, start, end uint64, args ...uint32) {
	p, ok := r.open(KernelRecord, fl&(Preempted|Moved), uint16(k), start, end, len(args),
		(len(args)+1)/2, 1)
	if ok {
		putArgs(p.body, args)
		r.finish(&p)
	}
}

// Event records what the runtime did at a time, with at most 255 arguments (see EventKind for their
// meaning).
func (r *Recorder) Event(kind EventKind, at uint64, args ...uint32) {
	p, ok := r.open(EventRecord, 0, uint16(kind), at, at, len(args), (len(args)+1)/2, 0)
	if ok {
		putArgs(p.body, args)
		r.finish(&p)
	}
}

// Accesses records an execution of k, fl as for KernelFlags, with its accesses in the order that
// the kernel declares them. An access to a partition whose Bytes is 0 is to the whole block. An
// access that does not suit the kind of its object is recorded, and readers report it as an error.
func (r *Recorder) Accesses(k KernelID, fl Flags, start, end uint64, list []Access) {
	p, ok := r.open(AccessesRecord, fl&(Preempted|Moved), uint16(k), start, end, 0,
		accessWords(r.w.kinds, list), 1)
	if ok {
		putAccesses(p.body, r.w.kinds, list)
		r.finish(&p)
	}
}

// taskHead is the words of a task record before its list, of a duration below 2^32 ticks.
const taskHead = 3

// Place lets t, which is empty, collect its kernels where the record of the task will stand, so
// that Task need not copy them. Nothing else may be recorded before Task; Place is called again for
// each task. A list that outgrows the chunk goes on elsewhere.
func (r *Recorder) Place(t *TaskList) {
	if r.base == nil || r.off+(taskHead+1)*8 > r.size {
		t.clear()
		return
	}
	t.place(unsafe.Add(r.base, r.off+taskHead*8), r.size-r.off-taskHead*8)
}

// Task records a task that ran the kernels of t without stamps of their own, and empties t.
func (r *Recorder) Task(start, end uint64, t *TaskList) {
	words := t.words()
	if t.placed {
		if d := end - start; d>>32 == 0 {
			w := (*[taskHead]uint64)(unsafe.Add(r.base, r.off))
			w[0], w[2] = start, uint64(t.Len())
			commit(&w[1], commitWord(TaskRecord, 0, 0, 0, d))
			r.off += taskHead*8 + t.at
			t.clear()
			return
		}
		words = append([]uint64(nil), words...) // the record lies over them
	}
	p, ok := r.open(TaskRecord, 0, 0, start, end, 0, 1+len(words), uint64(t.Len()))
	if ok {
		p.body[0] = uint64(t.Len())
		copy(p.body[1:], words)
		r.finish(&p)
	}
	t.clear()
}

// pending is a record that has its place and lacks its arguments and its commit word.
type pending struct {
	commit *uint64
	word   uint64
	body   []uint64
	bytes  uintptr
}

// open finds room for a record with body more words, n being the count of its commit word, and
// writes its stamps. It returns false if the record, which stands for the given number of kernel
// executions, had to be discarded.
func (r *Recorder) open(typ RecordType, fl Flags, id uint16, start, end uint64, n, body int,
	kernels uint64) (pending, bool) {
	if n > maxArgs {
		panic(fmt.Sprintf("loi: a record with %d arguments, expected at most %d", n, maxArgs))
	}
	head := 2
	d := end - start
	if d>>32 != 0 {
		fl |= flagLong
		d, head = 0, 3
	}
	bytes := uintptr(head+body) * 8
	if r.off+bytes > r.size && !r.advance(bytes, kernels) {
		return pending{}, false
	}
	w := unsafe.Slice((*uint64)(unsafe.Add(r.base, r.off)), head+body)
	w[0] = start
	if head == 3 {
		w[2] = end
	}
	return pending{commit: &w[1], word: commitWord(typ, fl, id, n, d), body: w[head:],
		bytes: bytes}, true
}

// finish makes the record valid.
func (r *Recorder) finish(p *pending) {
	commit(p.commit, p.word)
	r.off += p.bytes
}

// advance goes on to the next chunk, with room for a record of the given bytes. If there is none,
// it counts the record as discarded, and so will be all that follow, so that the records kept of a
// worker are all that it did up to some moment.
func (r *Recorder) advance(bytes uintptr, kernels uint64) bool {
	if r.base != nil && !r.closed {
		if r.off+16 <= r.size {
			commit((*uint64)(unsafe.Add(r.base, r.off+8)), endCommit)
		}
		if r.adopt(r.w.nextChunk(r, int(bytes))); r.base != nil {
			return true
		}
	}
	if !r.closed {
		r.slot[slotKernels/8] += kernels
		r.slot[slotDiscarded/8]++
	}
	return false
}

// adopt makes c, which may be nil, the current chunk.
func (r *Recorder) adopt(c *chunk) {
	r.base, r.off, r.size = nil, 0, 0
	if c == nil {
		return
	}
	c.head.seq = r.seq
	r.seq++
	r.base, r.off, r.size = unsafe.Pointer(unsafe.SliceData(c.mem)), chunkHeaderBytes,
		uintptr(c.head.bytes)
	atomic.StoreUint64((*uint64)(unsafe.Add(r.base, chunkSeqAt)), c.head.seqWord())
	r.slot[slotChunks/8]++
}

// retire makes r discard whatever else is recorded, without counting it.
func (r *Recorder) retire() {
	r.adopt(nil)
	r.closed = true
	r.slot = nil
}

func putArgs(body []uint64, args []uint32) {
	i := 0
	for ; i+1 < len(args); i += 2 {
		body[i/2] = uint64(args[i]) | uint64(args[i+1])<<32
	}
	if i < len(args) {
		body[i/2] = uint64(args[i])
	}
}
