package agent

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
)

// The format is specified in package krdlab/loi (loi/doc.go); this is version 4 of it, with kernels
// whose accesses are listed, and keyed and span objects. Numbers are little-endian.
const (
	version          = 4
	prefixBytes      = 64
	slotBytes        = 64
	chunkHeaderBytes = 32
	chunkBytes       = 64 << 10
	gap              = 1 << 20 // for what stands before the chunks, once there is one

	flagBuffered = 2 // of the prefix: a kill may lose more than the last records
	flagLong     = 1 // of a record: its end follows
	flagMoved    = 4
	typeAccesses = 2

	shapeName = 2 // of an access: its size is in the low 32 bits
	shapeWide = 3
	shapeRows = 4
)

var (
	le         = binary.LittleEndian
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
)

func checksum(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }

// A tracer writes a trace.
type tracer struct {
	clock
	number    uint64
	source    string
	rate      float64                 // ticks per second; 0: not measured yet
	slots     atomic.Pointer[[]*slot] // by worker; copied to grow
	unordered atomic.Bool             // records of a worker are not in the order of their starts

	mu      sync.Mutex // after that of a slot
	closed  bool
	f       *os.File
	entries []byte // the footer's, 48 bytes each
	data    int64  // where the chunks begin; 0: there is none
	end     int64
	records uint64
	seen    uint64 // names.modified when the head was last written
	workers int    // in it
	failed  error
}

// A slot has what a worker has recorded and has not written.
type slot struct {
	mu      sync.Mutex
	b       []byte // with room for the header of the chunk
	records uint64 // in b
	chunks  uint32 // written; in the tracer's lock
	last    uint64 // start of the last record
	closed  bool
	_       [64]byte
}

func newTracer(f *os.File) *tracer {
	t := &tracer{f: f, number: traces.Add(1), clock: newClock(), source: "monotonic", rate: 1e9}
	if t.tsc {
		t.source, t.rate = "tsc", 0
	}
	t.slots.Store(new([]*slot))
	t.slot(int32(runtime.GOMAXPROCS(0) - 1))
	return t
}

// slot returns that of a worker.
func (t *tracer) slot(worker int32) *slot {
	if list := *t.slots.Load(); int(worker) < len(list) {
		return list[worker]
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	list := *t.slots.Load()
	list = list[:len(list):len(list)]
	for int(worker) >= len(list) {
		list = append(list, &slot{b: make([]byte, chunkHeaderBytes, chunkBytes),
			closed: t.closed})
	}
	t.slots.Store(&list)
	return list[worker]
}

// record appends the record of an execution.
func (t *tracer) record(e *Execution, end uint64, worker int32) {
	s := t.slot(worker)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	if most := 8 * (4 + 4*len(e.args)); len(s.b)+most > chunkBytes {
		t.write(worker, s)
	}
	if e.start < s.last {
		t.unordered.Store(true)
	}
	s.last = e.start
	s.records++
	flags, d := uint64(0), end-e.start
	if worker != e.worker {
		flags = flagMoved
	}
	if d>>32 != 0 {
		flags, d = flags|flagLong, 0
	}
	b := le.AppendUint64(s.b, e.start)
	b = le.AppendUint64(b, d|uint64(e.k.id)<<32|typeAccesses<<48|flags<<52)
	if flags&flagLong != 0 {
		b = le.AppendUint64(b, end)
	}
	at, n := len(b), uint64(0)
	b = le.AppendUint64(b, 0)
	for i := range e.args {
		if a := &e.args[i]; a.bytes > 0 {
			b = a.append(b, e.k.modes[i])
			n++
		}
	}
	le.PutUint64(b[at:], n)
	s.b = b
}

func (a *Arg) append(b []byte, m Mode) []byte {
	o := a.object
	if o == inMemory {
		o = memory()
	}
	word := uint64(o)<<32 | uint64(m)<<48
	switch {
	case a.rows > 1:
		b = le.AppendUint64(b, word|uint64(a.rows)|shapeRows<<56)
		b = le.AppendUint64(b, a.block)
		b = le.AppendUint64(b, a.bytes)
		return le.AppendUint64(b, a.stride)
	case a.bytes>>32 != 0:
		b = le.AppendUint64(b, word|shapeWide<<56)
		b = le.AppendUint64(b, a.block)
		return le.AppendUint64(b, a.bytes)
	}
	b = le.AppendUint64(b, word|a.bytes|shapeName<<56)
	return le.AppendUint64(b, a.block)
}

// write writes the records of s as a chunk, and the head, so that they can be recovered.
func (t *tracer) write(worker int32, s *slot) {
	if s.records == 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.data == 0 {
		t.data, t.end = gap, gap
	}
	t.chunk(worker, s)
	list := *t.slots.Load()
	if n := names.modified.Load(); n != t.seen || len(list) != t.workers {
		t.seen, t.workers = n, len(list)
		head, _ := t.head(list, gap, "OPEN\x00\x00\x00\x00")
		t.put(head, 0)
	}
}

// chunk writes the records of s at the end of the file.
func (t *tracer) chunk(worker int32, s *slot) {
	n, off := uint64(len(s.b)), uint64(t.end)
	h := s.b[:0]
	h = append(h, "LCHK"...)
	h = le.AppendUint32(h, uint32(worker))
	size := le.AppendUint64(nil, n)
	h = le.AppendUint64(h, n|uint64(checksum(size))<<40)
	h = le.AppendUint64(h, off)
	h = le.AppendUint32(h, s.chunks)
	sum := checksum(append(append([]byte(nil), h[:8]...), h[16:28]...))
	le.AppendUint32(h, sum)
	t.put(s.b, t.end)
	e := le.AppendUint64(t.entries, off)
	e = le.AppendUint64(e, n)
	e = le.AppendUint64(e, n-chunkHeaderBytes)
	e = le.AppendUint64(e, s.records)
	e = le.AppendUint32(e, uint32(worker))
	e = le.AppendUint32(e, s.chunks)
	e = le.AppendUint32(e, checksum(s.b))
	t.entries = le.AppendUint32(e, 0)
	t.end += int64(n)
	t.records += s.records
	s.b, s.records = s.b[:chunkHeaderBytes], 0
	s.chunks++
}

func (t *tracer) put(b []byte, at int64) {
	if t.failed == nil {
		_, t.failed = t.f.WriteAt(b, at)
	}
}

// close writes the remaining records, the head and the footer.
func (t *tracer) close() error {
	if t.tsc {
		t.rate = t.hz()
	}
	t.mu.Lock()
	t.closed = true
	list := *t.slots.Load()
	t.mu.Unlock()
	for _, s := range list {
		s.mu.Lock()
		s.closed = true
		s.mu.Unlock()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	least := 0
	if t.data != 0 {
		least = gap
	}
	head, control := t.head(list, least, "CLEAN\x00\x00\x00")
	if t.data == 0 {
		t.data, t.end = int64(len(head)), int64(len(head))
	}
	if int64(len(head)) != t.data && t.failed == nil {
		t.failed = fmt.Errorf("the names of kernels and objects take %d bytes, expected at most %d",
			len(head), gap)
	}
	for i, s := range list {
		if s.records > 0 {
			t.chunk(int32(i), s)
		}
		le.PutUint64(head[control+(i+1)*slotBytes+16:], uint64(s.chunks))
	}
	t.put(head, 0)
	t.put(t.footer(checksum(head)), t.end)
	if err := errors.Join(t.failed, t.f.Close()); err != nil {
		return fmt.Errorf("agent: write trace %s: %w", t.f.Name(), err)
	}
	return nil
}

// footer returns what ends the file.
func (t *tracer) footer(head uint32) []byte {
	b := t.entries
	b = le.AppendUint64(b, uint64(t.end))
	b = le.AppendUint64(b, uint64(len(t.entries)/48))
	b = le.AppendUint64(b, t.records)
	b = le.AppendUint32(b, head)
	b = le.AppendUint32(b, checksum(t.entries))
	b = append(b, "LEND"...)
	return le.AppendUint32(b, checksum(b[len(t.entries):]))
}

// head returns what stands before the first chunk, at least so many bytes, and where its count page
// begins.
func (t *tracer) head(list []*slot, least int, state string) (head []byte, control int) {
	h := t.header(list)
	align := func(n int) int { return (n + slotBytes - 1) / slotBytes * slotBytes }
	control = align(prefixBytes + len(h))
	data := max(control+(len(list)+1)*slotBytes, least)
	b := append(make([]byte, 0, data), 0x89, 'L', 'O', 'I', '\r', '\n', 0x1a, '\n')
	b = le.AppendUint32(b, version)
	b = le.AppendUint32(b, flagBuffered)
	b = le.AppendUint64(b, uint64(len(h)))
	b = le.AppendUint64(b, uint64(control))
	b = le.AppendUint64(b, uint64(data))
	b = le.AppendUint32(b, uint32(len(list)))
	b = append(b, make([]byte, 12)...)
	b = le.AppendUint32(b, checksum(h))
	b = le.AppendUint32(b, checksum(b))
	b = append(b, h...)
	b = append(b, make([]byte, data-len(b))...)
	copy(b[control:], state)
	return b, control
}

// header returns the header: integers as varints, strings and lists with their length first.
func (t *tracer) header(list []*slot) []byte {
	var b []byte
	num := func(v uint64) { b = binary.AppendUvarint(b, v) }
	text := func(s string) { num(uint64(len(s))); b = append(b, s...) }
	flag := func(v bool) {
		if v {
			num(1)
		} else {
			num(0)
		}
	}
	text(t.source)
	num(math.Float64bits(t.rate))
	flag(t.tsc)
	for _, v := range []uint64{1, 0, 0} { // nodes, L2, LLC
		num(v)
	}
	text("") // how the sizes of L2
	text("") // and LLC are known
	text("native")
	num(0) // not synthetic
	text("kernel")
	text(filepath.Base(os.Args[0]))
	text("") // scheduler
	num(0)   // parameters
	num(uint64(runtime.GOMAXPROCS(0)))
	num(0)   // seed
	text("") // machine
	text("") // its hash
	flag(t.unordered.Load())
	num(uint64(len(list)))
	for range list {
		num(0) // no CPU
		num(0) // node 0
		num(0) // no offset
	}
	names.mu.Lock()
	defer names.mu.Unlock()
	num(uint64(len(names.objects)))
	for _, o := range names.objects {
		text(o.name)
		num(o.kind)
		num(0) // registered blocks
	}
	num(uint64(len(names.kernels)))
	for _, k := range names.kernels {
		text(k)
		num(0) // parameters
		num(0) // the argument
	}
	num(0) // regions
	num(1)
	text("go version")
	text(runtime.Version())
	return b
}
