package cachemodel

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"

	"krdlab/hw/machine"
)

// An Access of a kernel to a block. A block that is written is also fetched (write-allocate),
// whether the kernel reads it or not.
type Access struct {
	Block uint32
	Write bool
	// Gather: the kernel reads words of the block here and there, in an order of its own: see
	// [Gather].
	Gather bool
}

// A Model holds the caches and memories of a machine while a program runs on it. It is for one
// goroutine.
type Model struct {
	cores, nodes, perNode int
	inclusive             bool
	nodeOf                []int32 // by core
	domainOf              []int32 // by node: its memory

	// what a line takes from each place: node from a cache of another, [node*nodes + other], memory
	// [node*domains + domain]
	l2, llc, sibling cost
	node, memory     []cost
	gather           uint64 // the overlap of rows over that of gathering, in 2^-gatherBits
	lockPS           uint64
	lockedTill       []uint64 // by node: time in PS until which locks hold up its memory path
	domains          int
	memories         []server // by domain
	links            []server // by node

	blocks []Block
	ways   []way // by block
	// lines in a line of the model: 1, or in line mode perhaps more (see groupLines)
	group      uint64
	lineShift  uint    // from an address to its line
	pageShift  uint    // from a line to its page
	pageDomain []uint8 // by page; unplaced: not yet known
	firstTouch bool

	byBlocks   bool   // and not by lines
	freeBlocks []Free // by block; nil: none
	free       []Free // by unit
	chunkShift uint   // line mode

	directory
	structures structures
	overlap    uint64
	requesters []requester // by core
	private    []cacheOf   // by core
	shared     []cacheOf   // by node

	// of the present access: one of rows, which is charged for with it, or that of the whole
	// execution
	fetch    *fetch
	fetches  [2]fetch
	victims  []uint32 // of the L2, by the present access
	kernels  int
	counters []Counters // [core*kernels + kernel]
	stat     *Counters  // of the present access
}

// A requester is a core, with what its accesses need of the directory and the caches.
type requester struct {
	core, node int
	nodeBit    uint64 // in the first word of an entry of the directory
	word       int    // with the core's bit in an entry of the directory
	bit        uint64
	mine       uint64 // ownedBy(core)
	l2, llc    *cacheOf
}

const unplaced = 0xff

// Fits returns an error (ErrLimit) for a machine with more nodes, or more cores in a node, than a model
// can follow.
func Fits(m *machine.Machine) error {
	if m.Nodes > maxNodes || m.Cores() > maxCores {
		return fmt.Errorf("cache model: %w: %d nodes of %d cores, at most %d nodes "+
			"and %d cores", ErrLimit, m.Nodes, m.CoresPerNode, maxNodes, maxCores)
	}
	return nil
}

// New returns the model of m with empty caches and the data in l, which may not change while the
// model is in use. It fails for a machine that is not valid or has more than 48 nodes,
// or a line size that its memory pages cannot hold; and for a layout with blocks that are
// empty, overlap themselves, or are too large (ErrLimit).
//
// Memory: blocks take 48 bytes and, for each core and node in use, 8 bytes; lines take 8 bytes
// (with some 50 cores or fewer) and for each line that the caches hold 2 bytes, groups of lines as
// much as one. The product of 4096 x 4096 matrices on 24 cores takes 10 MB in blocks, 3 MB in lines
// of tiles and 17 MB in lines of rows.
func New(m *machine.Machine, l *Layout, opt Options) (*Model, error) {
	if err := m.Validate(); err != nil {
		return nil, fmt.Errorf("cache model: %w", err)
	}
	if err := Fits(m); err != nil {
		return nil, err
	}
	end, err := l.check()
	if err != nil {
		return nil, fmt.Errorf("cache model: %w", err)
	}
	x := &Model{
		cores: m.Cores(), nodes: m.Nodes, perNode: m.CoresPerNode, inclusive: m.LLC.Inclusive,
		domains: m.Domains(), group: 1,
		lockPS: m.Costs.LockDelayPS, blocks: merged(l.Blocks), kernels: max(opt.Kernels, 1),
		firstTouch: cmp.Or(opt.Placement, m.Memory.Placement) != machine.Interleave,
	}
	line := uint64(m.LLC.LineBytes)
	x.lineShift = uint(bits.TrailingZeros64(line))
	x.ways = waysOf(x.blocks, line)
	x.pageShift = uint(bits.TrailingZeros64(m.Memory.PageBytes)) - x.lineShift
	x.fill(m)
	page := m.Memory.PageBytes
	of := &x.structures
	of.first, of.begin = len(x.blocks), (end+page-1)&^(page-1)
	of.next, of.end, of.arenas = of.begin, of.begin, make([]arena, x.cores)
	if opt.Structures && opt.Granularity == Lines {
		of.end = of.begin + (structureRoom+page-1)&^(page-1)
		end = of.end
	}
	lines := (end + line - 1) >> x.lineShift
	if lines >= 1<<40 {
		return nil, fmt.Errorf("cache model: %w: %d lines of data", ErrLimit, lines)
	}
	x.pageDomain = make([]uint8, lines>>x.pageShift+1)
	x.counters = make([]Counters, x.cores*x.kernels)
	for i := range x.fetches {
		f := &x.fetches[i]
		f.demand, f.owed = make([]uint64, x.domains), make([]uint64, x.domains)
	}
	for c := range x.cores {
		x.nodeOf = append(x.nodeOf, int32(c/x.perNode))
	}
	x.private, x.shared = make([]cacheOf, x.cores), make([]cacheOf, x.nodes)
	if opt.Granularity == Lines {
		err = x.useLines(m, lines, opt)
	} else {
		err = x.useBlocks(m)
	}
	if err != nil {
		return nil, fmt.Errorf("cache model: %w", err)
	}
	for c, node := range x.nodeOf {
		x.requesters = append(x.requesters, requester{
			core: c, node: int(node), nodeBit: 1 << node, word: int(x.coreWord[c]),
			bit: x.coreBit[c], mine: x.ownedBy(c),
			l2: &x.private[c], llc: &x.shared[node],
		})
	}
	x.Reset()
	return x, nil
}

// merged returns the blocks with rows that follow each other without a gap as one row, which is
// faster to go through.
func merged(blocks []Block) []Block {
	list := slices.Clone(blocks)
	for i := range list {
		if b := &list[i]; b.Stride == b.RowBytes {
			b.RowBytes *= uint64(b.Rows)
			b.Stride, b.Rows = b.RowBytes, 1
		}
	}
	return list
}

// fill fills in what depends on nodes and memories.
func (x *Model) fill(m *machine.Machine) {
	x.lockedTill = make([]uint64, x.nodes)
	farthest := uint64(0)
	for a := range x.nodes {
		x.domainOf = append(x.domainOf, int32(m.Domain(a)))
		for b := range x.nodes {
			farthest = max(farthest, m.Memory.RemotePS[a][b])
		}
	}
	x.costs(m)
	for range x.domains {
		x.memories = append(x.memories, newServer(linePS(m, m.Memory.BytesPerSecond), farthest))
	}
	for range x.nodes {
		x.links = append(x.links, newServer(linePS(m, m.Memory.NodeBytesPerSecond), farthest))
	}
}

// Reset empties all caches, forgets first touches and sets all counts and times to 0. Cost: that of
// clearing the model's memory.
func (m *Model) Reset() {
	clear(m.entries)
	for i := range m.private {
		m.private[i].reset()
	}
	for i := range m.shared {
		m.shared[i].reset()
	}
	for i := range m.pageDomain {
		m.pageDomain[i] = m.homeless(i)
	}
	for i := range m.structures.recent {
		m.structures.recent[i].core = -1
	}
	clear(m.counters)
	for i := range m.memories {
		m.memories[i].reset()
	}
	for i := range m.links {
		m.links[i].reset()
	}
	clear(m.lockedTill)
}

// homeless returns the memory of a page that nobody has touched.
func (m *Model) homeless(page int) uint8 {
	if m.firstTouch {
		return unplaced
	}
	return uint8(page % m.domains)
}

// Place puts all pages of the given blocks into the memory of a node, as if it had touched them
// first. Pages that are placed already move. With it, data that another program part initialized
// are where that part put them; caches do not change.
func (m *Model) Place(node int, blocks ...uint32) {
	for _, b := range blocks {
		m.eachRow(&m.blocks[b], func(first, count uint64) {
			for p := first >> m.pageShift; p <= (first+count-1)>>m.pageShift; p++ {
				m.pageDomain[p] = uint8(m.domainOf[node])
			}
		})
	}
}

// eachRow calls f with the first line and the number of lines of each row of b. A line that two
// rows share belongs to the earlier.
func (m *Model) eachRow(b *Block, f func(first, count uint64)) {
	next := uint64(0)
	for r := range uint64(b.Rows) {
		at := b.Base + r*b.Stride
		first, last := max(at>>m.lineShift, next), (at+b.RowBytes-1)>>m.lineShift
		if next = last + 1; first < next {
			f(first, next-first)
		}
	}
}

// Kernel makes a core access blocks, one after the other, in an execution of a kernel that begins
// at now and computes for workPS, and returns how long the execution takes, all in picoseconds.
// Caches see executions in the order of the calls; memories and links in the order of their times,
// up to 2 ms back. It panics for a core, a kernel or a block that does not exist. Cost: see
// BenchmarkBlocks and BenchmarkLines.
//
// Accesses to short rows are waited for one after the other, and so are the first lines of the runs
// of others ([Stream]). Their rest, and gathered lines ([Gather]), come all at once, while the core
// computes: the longer of the two counts.
func (m *Model) Kernel(core, kernel int, now, workPS uint64, accesses []Access) (takesPS uint64) {
	stat := &m.counters[core*m.kernels+kernel]
	m.stat = stat
	by := &m.requesters[core]
	beside := false
	for _, a := range accesses {
		w := &m.ways[a.Block]
		m.fetch = &m.fetches[1]
		if w.pattern == Rows && !a.Gather {
			m.fetch = &m.fetches[0]
		}
		f := m.fetch
		switch {
		case m.byBlocks:
			m.accessBlock(by, a.Block, a.Write)
		case m.freeBlocks != nil && m.freeBlocks[a.Block] != 0:
			m.accessFreeLines(by, &m.blocks[a.Block], a.Write)
		default:
			m.accessLines(by, &m.blocks[a.Block], a.Write)
		}
		stat.Accesses++
		waitsPS, besidePS := m.of(f.cache, w, a.Gather)
		f.cache = cost{}
		var memoryPS uint64
		if f.memory.rows != 0 {
			var rest uint64
			memoryPS, rest = m.of(f.memory, w, a.Gather)
			besidePS += rest
			f.memory = cost{}
		}
		if f == &m.fetches[0] {
			f.takesPS = memoryPS
			takesPS += waitsPS + m.charge(by.node, now+takesPS, 0)
		} else {
			takesPS += waitsPS + memoryPS
			f.takesPS += besidePS
			beside = true
		}
	}
	stat.StallPS += takesPS
	if !beside {
		return takesPS + workPS
	}
	m.fetch = &m.fetches[1]
	restPS := m.charge(by.node, now+takesPS, workPS)
	stat.StallPS += restPS - workPS
	return takesPS + restPS
}
