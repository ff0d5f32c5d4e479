package collect

import (
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"

	"krdlab/hw/units"
)

// Layout of the memory, with loi/front/build/_runtime/krd.go: header, buffers, counts, waits, chunks.
// Stacks of chunks are linked by their numbers plus 1 and have a tag above, so that two processes
// may push and pop.
const (
	magic       = 0x314b4c4244524b
	bufBytes    = 192
	maxBufs     = 1 << 20
	chunkBytes  = 16 << 10
	chunkEvents = (chunkBytes - int(unsafe.Sizeof(chunk{}))) / int(unsafe.Sizeof(event{}))
	maxChunks   = 1 << 18 // 4 GiB
	smallBytes  = 2 << 10
	smallBit    = 1 << 31 // above the numbers of small chunks
	markRange   = 1 << 10 // more than a chunk has events
	firstChunks = 1 << 7
	mostCounts  = 1 << 30 // of counts of goroutines' own
)

type event [2]uint64

func (e event) kind() uint64 { return e[1] >> 56 }
func (e event) rest() uint64 { return e[1] & (1<<56 - 1) }

// stamp returns the tick of e, if it has one.
func (e event) stamp() (uint64, bool) {
	switch e.kind() {
	case kindType, kindStart:
		return e.rest(), true
	case kindStamp, kindEnter, kindLeave, kindLoop, kindLoopEnd, kindIteration, kindGoto, kindEnd,
		kindDone, kindLibrary:
		return e[0], true
	}
	return 0, false
}

type header struct {
	magic      uint64
	size       uint64
	chunkBytes uint64
	chunksAt   uint64
	bufsAt     uint64
	bufs       uint64
	started    uint64
	countsAt   uint64
	free       uint64
	_          [7]uint64
	full       uint64
	_          [7]uint64
	bufsUsed   uint64
	bufsFree   uint64
	waits      uint64
	noBuf      uint64
	goroutines uint64
	lost       uint64
	observed   uint64
	replaced   uint64
	sync       uint64
	mode       uint64
	apart      uint64
	dropped    uint64
	smallBytes uint64
	smallAt    uint64
	countsOwn  uint64
	countBytes uint64
	_          uint64
	freeSmall  uint64
	waitsAt    uint64
	// Of native programs (loi/native/c/krd.h): the table of sites, where the code begins that it is of,
	// and its bytes; and whether functions are recorded as regions.
	sitesAt, codeAt, codeBytes, regions uint64
}

type buffer struct {
	next, end uintptr // in the other process
	stack     uintptr
	chunk     uint32
	state     uint32
	number    uint64
	link      uint32
	depth     uint32
	observed  uint64
	counts    uintptr
	mode      uintptr
	seen      uint64
	_         [3]uint64
	dropped   uint64
	_         [10]uint64
}

var _ [bufBytes]byte = [unsafe.Sizeof(buffer{})]byte{}

// A wait describes the operation that the goroutine of a buffer waits in, as krdWait in the
// runtime.
type wait struct {
	what  uint64
	at    uint64
	pcs   [18]uint64
	cases [6]event
}

const waitBytes = uint64(unsafe.Sizeof(wait{}))

type chunk struct {
	link   uint32
	buf    uint32
	number uint64
	events uint64
	left   uint64 // ticks when the goroutine last left a thread, times markRange, and its events then
	last   uint64
	seq    uint64
	at     uint64
	_      uint64
}

// A Memory is shared by a traced program and this process: a file without a name in any file
// system, so that nothing is left when both have ended, however they end.
type Memory struct {
	file   *os.File
	bytes  []byte
	h      *header
	chunks uint32 // in use, free or full
	small  uint32 // likewise, of small ones
	sites  int

	mostSites int               // with those of libraries that the program may load
	tables    map[*Image]uint64 // where those of libraries are
	tablesAt  uint64            // where the next goes
}

// NewMemory makes the memory for a program of so many sites. Its pages are had when they are
// written first. With stack, accesses to the stack are events as others, not only counted; with
// sync, the waiting of goroutines is recorded.
func NewMemory(sites int, stack, sync bool) (*Memory, error) {
	return newMemory(sites, 0, stack, sync, firstChunks, 0)
}

// Code is the code of a native program as the linker placed it.
type Code struct {
	At, Bytes uint64
	Sites     map[uint64]uint32 // numbers of sites, or of regions, by where their calls return to
	Regions   bool              // functions are to be recorded as regions
}

// NewNativeMemory works like NewMemory, for a program with the runtime of package native, which finds the
// sites by a table of code. With sample, it records a sample, as with NewSampledMemory, and sync is not set.
func NewNativeMemory(sites int, stack, sync, sample bool, code *Code) (*Memory, error) {
	chunks := uint32(firstChunks)
	if sample {
		chunks = sampledChunks
	}
	m, err := newMemory(sites, roomSites, stack, sync, chunks, code.Bytes*4+4096+roomTables)
	if err != nil {
		return nil, err
	}
	if sample {
		m.h.apart = leastApart
	}
	m.h.sitesAt, m.h.codeAt, m.h.codeBytes = m.tablesAt, code.At, code.Bytes
	m.fillTable(m.tablesAt, code)
	m.tablesAt += (code.Bytes*4 + 4095) &^ 4095
	if code.Regions {
		m.h.regions = 1
	}
	m.h.bufsUsed = 1 // in place of what runs in a Go program before any goroutine: see order.round
	return m, nil
}

// newMemory makes the memory, with room for so many more sites, and bytes behind all else.
func newMemory(sites, room int, stack, sync bool, chunks uint32, more uint64) (*Memory, error) {
	f, err := anonymousFile("krdlab-trace")
	if err != nil {
		return nil, fmt.Errorf("memory shared with the program: %w", err)
	}
	bufsAt := uint64(4096)
	countsAt := bufsAt + maxBufs*bufBytes
	countBytes := uint64(sites+room+1) * 16
	own := min(maxBufs, max(1, mostCounts/countBytes))
	waitsAt := (countsAt + (own+1)*countBytes + 4095) &^ 4095
	chunksAt := waitsAt + maxBufs*waitBytes
	smallAt := chunksAt + maxChunks*chunkBytes
	size := smallAt + maxBufs*smallBytes + (more+4095)&^4095
	m := &Memory{file: f, sites: sites, mostSites: sites + room, tables: make(map[*Image]uint64),
		tablesAt: smallAt + maxBufs*smallBytes}
	if err = f.Truncate(int64(size)); err == nil {
		m.bytes, err = unix.Mmap(int(f.Fd()), 0, int(size), unix.PROT_READ|unix.PROT_WRITE,
			unix.MAP_SHARED)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("memory shared with the program: map %s: %w",
			units.Bytes(size), err), f.Close())
	}
	m.h = (*header)(unsafe.Pointer(unsafe.SliceData(m.bytes)))
	*m.h = header{magic: magic, size: size, chunkBytes: chunkBytes, chunksAt: chunksAt,
		bufsAt: bufsAt, bufs: maxBufs, countsAt: countsAt, smallBytes: smallBytes, smallAt: smallAt,
		waitsAt: waitsAt, countsOwn: own, countBytes: countBytes}
	if stack {
		m.h.observed = 1
	}
	if sync {
		m.h.sync = 1
	}
	m.grow(chunks)
	m.growSmall(chunks)
	return m, nil
}

// Env returns the variable by which the program finds the memory: with this process, whose child it
// is. The program takes it out of its environment.
func (m *Memory) Env() string {
	return fmt.Sprintf("KRDLAB_TRACE=/proc/%d/fd/%d", os.Getpid(), m.file.Fd())
}

// Started reports whether a program has found the memory.
func (m *Memory) Started() bool { return atomic.LoadUint64(&m.h.started) != 0 }

// Counts returns for each site the accesses that are only counted, to the stack and to data left
// alone, and those that a sample only counts.
func (m *Memory) Counts() (counted, dropped []uint64) {
	counted, dropped = make([]uint64, m.sites+1), make([]uint64, m.sites+1)
	sum := func(i uint64) {
		at := m.h.countsAt + i*m.h.countBytes
		for site, n := range unsafe.Slice((*[2]uint64)(unsafe.Pointer(&m.bytes[at])), m.sites+1) {
			counted[site] += n[0]
			dropped[site] += n[1]
		}
	}
	for i := range min(atomic.LoadUint64(&m.h.bufsUsed), m.h.countsOwn) {
		sum(i)
	}
	sum(m.h.countsOwn)
	return counted, dropped
}

// LostEvents returns how many events goroutines could not record.
func (m *Memory) LostEvents() uint64 { return atomic.LoadUint64(&m.h.lost) }

// Lost returns how many goroutines could not record, since there were too many.
func (m *Memory) Lost() uint64 { return atomic.LoadUint64(&m.h.noBuf) }

// Replaced reports whether the program's process has become another program (exec), which is not
// recorded.
func (m *Memory) Replaced() bool { return atomic.LoadUint64(&m.h.replaced) != 0 }

// Close gives the memory back.
func (m *Memory) Close() error {
	return errors.Join(unix.Munmap(m.bytes), m.file.Close())
}

func (m *Memory) buf(i uint32) *buffer {
	return (*buffer)(unsafe.Pointer(&m.bytes[m.h.bufsAt+uint64(i)*bufBytes]))
}

// waiting calls f for each goroutine that has not ended, when the program has, with what it was
// waiting for: what is 0 if for nothing that is known.
func (m *Memory) waiting(f func(number uint64, w *wait)) {
	if m.h.sync == 0 {
		return
	}
	for i := range uint32(min(m.h.bufsUsed, maxBufs)) {
		if b := m.buf(i); b.state != 0 {
			f(b.number, (*wait)(unsafe.Pointer(&m.bytes[m.h.waitsAt+uint64(i)*waitBytes])))
		}
	}
}

// at returns where a chunk is, and its bytes.
func (m *Memory) at(i uint32) (at, bytes uint64) {
	if i&smallBit != 0 {
		return m.h.smallAt + uint64(i&^smallBit)*smallBytes, smallBytes
	}
	return m.h.chunksAt + uint64(i)*chunkBytes, chunkBytes
}

// has reports whether there is a chunk i.
func (m *Memory) has(i uint32) bool {
	if i&smallBit != 0 {
		return i&^smallBit < m.small
	}
	return i < m.chunks
}

func (m *Memory) chunk(i uint32) *chunk {
	at, _ := m.at(i)
	return (*chunk)(unsafe.Pointer(&m.bytes[at]))
}

// events returns the first n events of a chunk.
func (m *Memory) events(i uint32, n int) []event {
	at, bytes := m.at(i)
	at += uint64(unsafe.Sizeof(chunk{}))
	return unsafe.Slice((*event)(unsafe.Pointer(&m.bytes[at])), eventsIn(bytes))[:n]
}

// eventsIn returns how many events fit a chunk of some bytes.
func eventsIn(bytes uint64) int {
	return (int(bytes) - int(unsafe.Sizeof(chunk{}))) / int(unsafe.Sizeof(event{}))
}

// grow gives the program n chunks more, as far as there are.
func (m *Memory) grow(n uint32) {
	for ; n > 0 && m.chunks < maxChunks; n-- {
		m.release(m.chunks)
		m.chunks++
	}
}

// growSmall grows the small chunks, one for each buffer.
func (m *Memory) growSmall(n uint32) {
	for ; n > 0 && m.small < maxBufs; n-- {
		m.release(smallBit | m.small)
		m.small++
	}
}

// release gives a chunk back.
func (m *Memory) release(i uint32) {
	c, free := m.chunk(i), &m.h.free
	if i&smallBit != 0 {
		free = &m.h.freeSmall
	}
	for {
		old := atomic.LoadUint64(free)
		c.link = uint32(old)
		if atomic.CompareAndSwapUint64(free, old, (old>>32+1)<<32|uint64(i+1)) {
			return
		}
	}
}

// take appends to list the numbers of the chunks that are full, the oldest first.
func (m *Memory) take(list []uint32) []uint32 {
	var old uint64
	for {
		old = atomic.LoadUint64(&m.h.full)
		if uint32(old) == 0 {
			return list
		}
		if atomic.CompareAndSwapUint64(&m.h.full, old, (old>>32+1)<<32) {
			break
		}
	}
	from := len(list)
	for i := uint32(old); i != 0; i = m.chunk(i - 1).link {
		list = append(list, i-1)
	}
	for i, j := from, len(list)-1; i < j; i, j = i+1, j-1 {
		list[i], list[j] = list[j], list[i]
	}
	return list
}

// feed gives the program more chunks of a kind that it has none left of, if none is full: goroutines
// that rest have the others.
func (m *Memory) feed() {
	if uint32(atomic.LoadUint64(&m.h.full)) != 0 {
		return
	}
	if uint32(atomic.LoadUint64(&m.h.free)) == 0 {
		m.grow(firstChunks)
	}
	if uint32(atomic.LoadUint64(&m.h.freeSmall)) == 0 {
		m.growSmall(firstChunks * (chunkBytes / smallBytes))
	}
}
