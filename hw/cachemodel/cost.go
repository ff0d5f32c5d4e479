package cachemodel

// fetch holds the transfers of one access, or of all of an execution that do not wait for each
// other, that are not charged yet.
type fetch struct {
	cache, memory cost     // sums over the lines of the present access
	takesPS       uint64   // what the lines take, by how their accesses go through blocks
	demand        []uint64 // lines from each memory
	asked         []int    // memories with a demand, in the order of the first
	owed          []uint64 // lines to be written to each memory
	owing         []int    // memories with some
	transfers     uint64   // lines from caches of other nodes
	missedLLC     bool
}

// fromMemory asks the memories of the lines of u for them.
func (m *Model) fromMemory(node int, u uint32) {
	m.fetch.missedLLC = true
	if !m.byBlocks {
		m.ask(node, u, uint64(u)>>m.pageShift, m.group)
		return
	}
	b := &m.blocks[u]
	next := uint64(0)
	for r := range uint64(b.Rows) {
		at := b.Base + r*b.Stride
		first, end := max(at>>m.lineShift, next), (at+b.RowBytes-1)>>m.lineShift+1
		for first < end {
			stop := min(end, (first>>m.pageShift+1)<<m.pageShift)
			m.ask(node, u, first>>m.pageShift, stop-first)
			first = stop
		}
		next = end
	}
}

// ask asks the memory of a page for lines of u.
func (m *Model) ask(node int, u uint32, page, lines uint64) {
	d := int(m.pageDomain[page])
	if d == unplaced {
		d = int(m.domainOf[node])
		m.pageDomain[page] = uint8(d)
	}
	if d == int(m.domainOf[node]) {
		m.stat.Local += lines
	} else {
		m.stat.Remote += lines
	}
	f := m.fetch
	from := d
	if m.frees(u, FreeLatency) {
		from = int(m.domainOf[node])
	}
	f.memory.add(lines, m.memory[node*m.domains+from])
	if m.frees(u, FreeBandwidth) {
		return
	}
	if f.demand[d] == 0 {
		f.asked = append(f.asked, d)
	}
	f.demand[d] += lines
}

// writeBack writes the lines of u to their memories, and no core waits for it.
func (m *Model) writeBack(u uint32) {
	if !m.byBlocks {
		m.stat.WriteBacks += m.group
		m.owe(u, uint64(u)>>m.pageShift, m.group)
		return
	}
	b := &m.blocks[u]
	next := uint64(0)
	for r := range uint64(b.Rows) {
		at := b.Base + r*b.Stride
		first, end := max(at>>m.lineShift, next), (at+b.RowBytes-1)>>m.lineShift+1
		for first < end {
			stop := min(end, (first>>m.pageShift+1)<<m.pageShift)
			m.stat.WriteBacks += stop - first
			m.owe(u, first>>m.pageShift, stop-first)
			first = stop
		}
		next = end
	}
}

// owe makes the memory of a page serve lines that no core waits for, after those that the present
// access fetches.
func (m *Model) owe(u uint32, page, lines uint64) {
	if m.frees(u, FreeBandwidth) {
		return
	}
	f := m.fetch
	d := int(m.pageDomain[page])
	if f.owed[d] == 0 {
		f.owing = append(f.owing, d)
	}
	f.owed[d] += lines
}

// charge returns what the present fetch adds to an execution that computes for workPS from time at
// on, and forgets it.
//
// What comes from memory or another node first waits until locks let it through; then it takes what
// its lines take, or the time that the slowest of memories and link needs for them, whichever is
// more, and what these have to do for others in that time makes it longer (see server). Computing
// goes on meanwhile.
func (m *Model) charge(node int, at, workPS uint64) (takesPS uint64) {
	f := m.fetch
	if till := m.lockedTill[node]; f.missedLLC && till > at {
		m.stat.LockDelaysPS += till - at
		takesPS = till - at
		at = till
	}
	spanPS := max(f.takesPS, workPS)
	if f.missedLLC {
		waitPS, servePS, lines := uint64(0), uint64(0), f.transfers
		for _, d := range f.asked {
			n := f.demand[d]
			lines += n
			waitPS = max(waitPS, m.memories[d].serve(at, n, spanPS))
			servePS = max(servePS, n*m.memories[d].linePS)
			f.demand[d] = 0
		}
		if link := &m.links[node]; link.linePS != 0 {
			waitPS = max(waitPS, link.serve(at, lines, spanPS))
			servePS = max(servePS, lines*link.linePS)
		}
		m.stat.BandwidthPS += waitPS
		spanPS = max(spanPS, servePS) + waitPS
		f.transfers, f.asked, f.missedLLC = 0, f.asked[:0], false
	}
	if len(f.owing) > 0 {
		for _, d := range f.owing {
			m.memories[d].serve(at, f.owed[d], 0)
			f.owed[d] = 0
		}
		f.owing = f.owing[:0]
	}
	f.takesPS = 0
	return takesPS + spanPS
}

// LockOperation makes a core of node operate at time now, in picoseconds, on the lock of a queue
// that cores share, and returns how long it waits for others that do. It makes the memory path of
// the node unavailable for Costs.LockDelayPS.
//
// The KRD paper (IV-B) finds that QThread/Socket, whose workers share a queue for each socket, has
// the fewest far reuses and yet the most work time inflation, 25 % of the time being spent in two
// functions that lock the bus, and names the latency that this adds to memory accesses as the
// probable reason. The delays by a locked operation on that machine were not measured; so it is a
// number of the machine. Calls are in the order of time with those of Kernel. Cost: a few ns.
func (m *Model) LockOperation(node int, now uint64) (waitPS uint64) {
	if m.lockPS == 0 {
		return 0
	}
	till := max(m.lockedTill[node], now)
	m.lockedTill[node] = till + m.lockPS
	return till - now
}
