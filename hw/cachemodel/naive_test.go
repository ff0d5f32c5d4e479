package cachemodel

import (
	"fmt"
	"slices"

	"krdlab/hw/machine"
)

// naive is the model again, slow and plain. Each copy of a unit has a version, and so has memory; a
// write makes a new one. An access that finds another than the newest is a mistake in the protocol,
// and panics.
type naive struct {
	m       *machine.Machine
	opt     Options
	layout  *Layout
	frames  []uint64
	newest  map[uint64]int // by unit
	memory  map[uint64]int
	private []naiveCache
	shared  []naiveCache
	home    map[uint64]int // by page
	count   map[[2]int]*Counters
	locks   map[int]uint64            // by node: until when
	taken   map[string]map[int]uint64 // by server and window: picoseconds
	core    int
	stat    *Counters
	sum     *naiveCost // of the present access
}

// A naiveCache has lists of copies, the last used first.
type naiveCache struct {
	sets     map[uint64][]copyOf
	capacity uint64 // lines of a set
	setOf    func(u uint64) uint64
	size     func(u uint64) uint64
}

type copyOf struct {
	unit    uint64
	version int
}

func (c *naiveCache) find(u uint64) *copyOf {
	list := c.sets[c.setOf(u)]
	for i := range list {
		if list[i].unit == u {
			return &list[i]
		}
	}
	return nil
}

func (c *naiveCache) remove(u uint64) bool {
	s := c.setOf(u)
	i := slices.IndexFunc(c.sets[s], func(x copyOf) bool { return x.unit == u })
	if i < 0 {
		return false
	}
	c.sets[s] = slices.Delete(c.sets[s], i, i+1)
	return true
}

// put makes x the last used of its set, and returns what had to go, the least recently used first.
func (c *naiveCache) put(x copyOf) (gone []copyOf) {
	c.remove(x.unit)
	s := c.setOf(x.unit)
	used := func() (n uint64) {
		for _, y := range c.sets[s] {
			n += c.size(y.unit)
		}
		return n
	}
	for len(c.sets[s]) > 0 && used()+c.size(x.unit) > c.capacity {
		last := len(c.sets[s]) - 1
		gone = append(gone, c.sets[s][last])
		c.sets[s] = c.sets[s][:last]
	}
	if c.size(x.unit) <= c.capacity {
		c.sets[s] = slices.Insert(c.sets[s], 0, x)
	}
	return gone
}

func newNaive(m *machine.Machine, l *Layout, opt Options) *naive {
	n := &naive{m: m, opt: opt, layout: l, newest: map[uint64]int{}, memory: map[uint64]int{},
		home:  map[uint64]int{},
		count: map[[2]int]*Counters{}, locks: map[int]uint64{}, taken: map[string]map[int]uint64{}}
	end := uint64(0)
	for _, b := range l.Blocks {
		end = max(end, b.Base+uint64(b.Rows-1)*b.Stride+b.RowBytes)
	}
	pages := (end + m.Memory.PageBytes - 1) / m.Memory.PageBytes
	n.frames = identity(pages)
	if opt.Pages == PagesPermuted {
		n.frames = permuted(pages, opt.Seed)
	}
	one := func(c machine.Cache) naiveCache {
		if opt.Granularity == Blocks {
			return naiveCache{sets: map[uint64][]copyOf{}, capacity: c.Bytes / uint64(c.LineBytes),
				setOf: func(uint64) uint64 { return 0 },
				size:  func(u uint64) uint64 { return uint64(len(n.linesIn(l.Blocks[u]))) }}
		}
		sets := c.Bytes / uint64(c.LineBytes) / uint64(c.Ways)
		return naiveCache{sets: map[uint64][]copyOf{}, capacity: uint64(c.Ways),
			size: func(uint64) uint64 { return 1 },
			setOf: func(u uint64) uint64 {
				address := u * uint64(c.LineBytes)
				physical := n.frames[address/m.Memory.PageBytes]*m.Memory.PageBytes +
					address%m.Memory.PageBytes
				return physical / uint64(c.LineBytes) % sets
			}}
	}
	for range m.Cores() {
		n.private = append(n.private, one(m.L2))
	}
	for range m.Nodes {
		n.shared = append(n.shared, one(m.LLC))
	}
	return n
}

// linesIn lists the lines that a block covers.
func (n *naive) linesIn(b Block) (list []uint64) {
	for r := range uint64(b.Rows) {
		for a := b.Base + r*b.Stride; a < b.Base+r*b.Stride+b.RowBytes; a++ {
			if line := a / uint64(n.m.LLC.LineBytes); !slices.Contains(list, line) {
				list = append(list, line)
			}
		}
	}
	return list
}

// unitLines lists the lines of a unit.
func (n *naive) unitLines(u uint64) []uint64 {
	if n.opt.Granularity == Lines {
		return []uint64{u}
	}
	return n.linesIn(n.layout.Blocks[u])
}

func (n *naive) pageOf(line uint64) uint64 {
	return line * uint64(n.m.LLC.LineBytes) / n.m.Memory.PageBytes
}

func (n *naive) writeBack(u uint64, version int) {
	n.memory[u] = version
	for _, line := range n.unitLines(u) {
		n.stat.WriteBacks++
		n.sum.owed[n.home[n.pageOf(line)]]++
	}
}

// kernel waits for short rows and the first lines of runs, one access after the other, and then has
// the rest come beside the work.
func (n *naive) kernel(core, kernel int, now, work uint64, accesses []Access) (takes uint64) {
	key := [2]int{core, kernel}
	if n.count[key] == nil {
		n.count[key] = &Counters{}
	}
	n.stat, n.core = n.count[key], core
	m := n.m
	rest := naiveCost{demand: map[int]uint64{}, owed: map[int]uint64{}}
	transfer, any := uint64(0), false
	for _, a := range accesses {
		b := n.layout.Blocks[a.Block]
		units := []uint64{uint64(a.Block)}
		if n.opt.Granularity == Lines {
			units = n.linesIn(b)
		}
		sum := naiveCost{demand: map[int]uint64{}, owed: map[int]uint64{}}
		n.sum = &sum
		for _, u := range units {
			n.unit(u, a.Write, &sum)
		}
		n.stat.Accesses++
		line := uint64(m.LLC.LineBytes)
		run, apart := b.RowBytes, b.Rows > 1 && b.Stride-b.RowBytes >= line
		if !apart {
			run = uint64(b.Rows-1)*b.Stride + b.RowBytes
		}
		lines := (run + line - 1) / line
		switch {
		case a.Gather || lines < 8 && apart && b.RowBytes <= 8:
			g := uint64(m.Memory.OverlapMisses) << 16 / uint64(m.Memory.GatherMisses)
			transfer += sum.cache.rows>>10*g>>16 + sum.memory.rows>>10*g>>16
		case lines < 8:
			at := now + takes
			takes += sum.cache.rows>>10 + n.charge(&sum, at, sum.memory.rows>>10, 0)
			continue
		default:
			for _, c := range []cost{sum.cache, sum.memory} {
				starts := 3 * 1024 / lines // a share in 1/1024
				takes += c.rows >> 10 * starts / 1024
				transfer += c.stream * (1024 - starts) / 1024
			}
		}
		any = true
		rest.transfers += sum.transfers
		for d, count := range sum.demand {
			rest.demand[d] += count
		}
		for d, count := range sum.owed {
			rest.owed[d] += count
		}
		rest.missedLLC = rest.missedLLC || sum.missedLLC
	}
	if !any {
		n.stat.StallPS += takes
		return takes + work
	}
	takes += n.charge(&rest, now+takes, transfer, work)
	n.stat.StallPS += takes - work
	return takes
}

func (n *naive) serveLine(bytesPerSecond uint64) uint64 {
	return (uint64(n.m.LLC.LineBytes)*1e12 + bytesPerSecond/2) / bytesPerSecond
}

// each returns the time of a line that comes from so far, by latency and as part of a run.
func (n *naive) each(latency uint64, bandwidth, near uint64) cost {
	return cost{latency << 10 / uint64(n.m.Memory.OverlapMisses),
		(n.serveLine(bandwidth)*latency + near/2) / near}
}

// charge returns the time of transfers beside work, from at on.
func (n *naive) charge(sum *naiveCost, at, transfer, work uint64) (takes uint64) {
	m := n.m
	node := m.NodeOf(n.core)
	if till := n.locks[node]; sum.missedLLC && till > at {
		n.stat.LockDelaysPS += till - at
		takes += till - at
		at = till
	}
	span := max(transfer, work)
	if sum.missedLLC {
		wait, serve, lines := uint64(0), uint64(0), sum.transfers
		add := func(server string, count, price uint64) {
			wait = max(wait, n.serve(server, at, count*price, span, price))
			serve = max(serve, count*price)
		}
		for d := range m.Domains() {
			if count := sum.demand[d]; count > 0 {
				lines += count
				add(fmt.Sprint("memory ", d), count, n.serveLine(m.Memory.BytesPerSecond))
			}
		}
		if m.Memory.NodeBytesPerSecond != 0 && lines > 0 {
			add(fmt.Sprint("link ", node), lines, n.serveLine(m.Memory.NodeBytesPerSecond))
		}
		n.stat.BandwidthPS += wait
		span = wait + max(span, serve)
	}
	for d := range m.Domains() {
		if count := sum.owed[d]; count > 0 {
			price := n.serveLine(m.Memory.BytesPerSecond)
			n.serve(fmt.Sprint("memory ", d), at, count*price, 0, price)
		}
	}
	return takes + span
}

// serve gives each window that a request lasts for its share, and what does not fit to later
// windows, one after the other.
func (n *naive) serve(server string, at, ps, over, price uint64) (wait uint64) {
	window := uint64(1 << 17)
	for window <= 8*price {
		window *= 2
	}
	for _, row := range n.m.Memory.RemotePS {
		for _, latency := range row {
			for window <= latency {
				window *= 2
			}
		}
	}
	taken := n.taken[server]
	if taken == nil {
		taken = map[int]uint64{}
		n.taken[server] = taken
	}
	end := at + max(over, ps)
	first, last := int(at/window), int((end-1)/window)
	shares := make([]uint64, last-first+1)
	for i, rest := 0, ps; i < len(shares); i++ {
		from, to := max(uint64(first+i)*window, at), min(uint64(first+i+1)*window, end)
		shares[i] = ps * (to - from) / (end - at)
		if i == len(shares)-1 {
			shares[i] = rest
		}
		rest -= shares[i]
	}
	left, served := uint64(0), uint64(0)
	for w := first; w <= last || left > 0; w++ {
		if w <= last {
			left += shares[w-first]
		}
		got := min(left, window-taken[w])
		taken[w] += got
		left -= got
		if got > 0 {
			served = uint64(w)*window + taken[w]
		}
		if w <= last {
			served = min(served, end)
		}
	}
	return max(served, end) - end
}

type naiveCost struct {
	cache, memory cost
	transfers     uint64
	demand, owed  map[int]uint64
	missedLLC     bool
}

func (n *naive) unit(u uint64, write bool, sum *naiveCost) {
	m, core := n.m, n.core
	node := m.NodeOf(core)
	lines := uint64(len(n.unitLines(u)))
	n.stat.Lines += lines
	latest := n.newest[u]
	own, llc := &n.private[core], &n.shared[node]
	x := &m.Memory
	l2 := n.each(m.L2.LatencyPS, m.L2.BytesPerSecond, m.L2.LatencyPS)
	inLLC := n.each(m.LLC.LatencyPS, m.LLC.BytesPerSecond, m.LLC.LatencyPS)
	inSibling := n.each(m.LLC.LatencyPS+m.L2.LatencyPS, m.LLC.BytesPerSecond, m.LLC.LatencyPS)
	from := func(ps uint64) cost { return n.each(ps, x.CoreBytesPerSecond, x.LocalPS) }
	paid := cost{}
	if c := own.find(u); c != nil {
		n.must(c.version == latest, u, "its own L2 has old data")
		n.stat.L2Hits += lines
		sum.cache.add(lines, l2)
		own.put(*c)
		if write {
			n.write(u, lines, paid, sum)
		}
		return
	}
	gone := own.put(copyOf{u, latest})
	if m.LLC.Inclusive { // what leaves an L2 is in the LLC, which has its data now
		for _, v := range gone {
			c := llc.find(v.unit)
			n.must(c != nil, v.unit, "inclusion")
			c.version = v.version
		}
	}
	var sibling *copyOf
	for c := node * m.CoresPerNode; c < (node+1)*m.CoresPerNode; c++ {
		if x := n.private[c].find(u); x != nil && c != core {
			n.must(x.version == latest, u, "an L2 of the node has old data")
			sibling = x
		}
	}
	fill := func(x copyOf) {
		for _, v := range llc.put(x) {
			newest := v.version
			if m.LLC.Inclusive {
				for c := node * m.CoresPerNode; c < (node+1)*m.CoresPerNode; c++ {
					if y := n.private[c].find(v.unit); y != nil {
						newest = max(newest, y.version)
						n.private[c].remove(v.unit)
						n.stat.BackInvalid += uint64(len(n.unitLines(v.unit)))
					}
				}
			}
			if newest > n.memory[v.unit] {
				n.writeBack(v.unit, newest)
			}
		}
		if llc.find(x.unit) == nil && x.version > n.memory[x.unit] {
			n.writeBack(x.unit, x.version)
		}
	}
	switch c := llc.find(u); {
	case c != nil && c.version < latest:
		n.must(sibling != nil, u, "the LLC has old data and nobody new ones")
		n.stat.Siblings += lines
		paid = inSibling
		sum.cache.add(lines, paid)
		fill(copyOf{u, latest})
	case c != nil:
		n.stat.LLCHits += lines
		paid = inLLC
		sum.cache.add(lines, paid)
		fill(*c)
	case sibling != nil:
		n.must(!m.LLC.Inclusive, u, "an L2 of the node has what the LLC has not")
		n.stat.Siblings += lines
		paid = inSibling
		sum.cache.add(lines, paid)
	default:
		paid = cost{1 << 63, 1 << 63}
		sum.missedLLC = true
		n.stat.LLCMisses += lines
		if n.memory[u] == latest {
			for _, line := range n.unitLines(u) {
				page := n.pageOf(line)
				d, placed := n.home[page]
				if !placed {
					d = m.Domain(node)
					if m.Memory.Placement == machine.Interleave {
						d = int(page % uint64(m.Domains()))
					}
					n.home[page] = d
				}
				if d == m.Domain(node) {
					n.stat.Local++
				} else {
					n.stat.Remote++
				}
				sum.demand[d]++
				sum.memory.add(1, from(x.RemotePS[node][d*x.NodesPerDomain]))
			}
		} else {
			at := -1
			for c := range n.private {
				if x := n.private[c].find(u); x != nil && x.version == latest && c != core {
					at = m.NodeOf(c)
				}
			}
			for k := range n.shared {
				if x := n.shared[k].find(u); x != nil && x.version == latest {
					at = k
				}
			}
			n.must(at >= 0 && at != node, u, "the newest data are nowhere")
			n.stat.Transfers += lines
			sum.transfers += lines
			sum.memory.add(lines, from(x.RemotePS[node][at]))
			if write {
				n.memory[u] = latest // without a transfer: the writer's data will be newer
			} else { // the data pass the LLC of their node
				n.writeBack(u, latest)
				if x := n.shared[at].find(u); x != nil {
					x.version = latest
				}
			}
		}
		if m.LLC.Inclusive {
			fill(copyOf{u, latest})
		}
	}
	if write {
		n.write(u, lines, paid, sum)
	}
	if !m.LLC.Inclusive {
		for _, v := range gone {
			fill(v)
		}
		if own.find(u) == nil {
			fill(copyOf{u, n.newest[u]})
		}
	} else if own.find(u) == nil {
		if c := llc.find(u); c != nil {
			c.version = n.newest[u]
		} else if n.newest[u] > n.memory[u] {
			n.writeBack(u, n.newest[u])
		}
	}
}

func (n *naive) write(u, lines uint64, paid cost, sum *naiveCost) {
	m, node := n.m, n.m.NodeOf(n.core)
	far := cost{}
	further := func(c cost) {
		if c.rows > far.rows {
			far = c
		}
	}
	away := func(k int) cost {
		return n.each(m.Memory.RemotePS[node][k], m.Memory.CoreBytesPerSecond, m.Memory.LocalPS)
	}
	for k := range n.shared {
		if k != node && n.shared[k].remove(u) {
			n.stat.Invalidations += lines
			further(away(k))
		}
	}
	for c := range n.private {
		if c != n.core && n.private[c].remove(u) {
			n.stat.Invalidations += lines
			if k := m.NodeOf(c); k == node {
				further(n.each(m.LLC.LatencyPS, m.LLC.BytesPerSecond, m.LLC.LatencyPS))
			} else {
				further(away(k))
			}
		}
	}
	if far.rows > 0 && paid.rows == 0 {
		n.stat.Upgrades += lines
	}
	sum.cache.add(lines, far.beyond(paid))
	n.newest[u]++
	if c := n.private[n.core].find(u); c != nil {
		c.version = n.newest[u]
		if !m.LLC.Inclusive {
			n.shared[node].remove(u)
		}
	} else if c := n.shared[node].find(u); c != nil {
		c.version = n.newest[u]
	}
}

func (n *naive) must(ok bool, u uint64, what string) {
	if !ok {
		panic(fmt.Sprintf("core %d, unit %d: %s", n.core, u, what))
	}
}

func (n *naive) lockOperation(node int, now uint64) (wait uint64) {
	till := max(n.locks[node], now)
	n.locks[node] = till + n.m.Costs.LockDelayPS
	return till - now
}
