package cachemodel

// Counters count what accesses did, in cache lines unless a name says otherwise. Lines are counted as an access names them, once for each:
//
//	Lines = L2Hits + LLCHits + Siblings + LLCMisses
//	LLCMisses = Local + Remote + Transfers
type Counters struct {
	Accesses uint64 // of blocks
	Lines    uint64
	L2Hits   uint64 // found in the core's own L2
	LLCHits  uint64 // found in the LLC of the node
	Siblings uint64 // had from the L2 of another core of the node: newer than the LLC's copy, or in no LLC that is not inclusive

	LLCMisses uint64 // in no cache of the node
	Local     uint64 // of these from the node's own memory,
	Remote    uint64 // from another memory,
	Transfers uint64 // from a cache of another node, where they were modified

	Upgrades      uint64 // written while held, but not exclusively
	Invalidations uint64 // copies in other L2s and LLCs that writes took away, one for each line and cache
	BackInvalid   uint64 // copies in L2s that were lost because an inclusive LLC evicted the line
	WriteBacks    uint64 // written to memory: evicted by this core's accesses, or handed to another node that reads them

	StallPS      uint64 // all stalls, waits included
	BandwidthPS  uint64 // of these, waits for memories and links that served others
	LockDelaysPS uint64 // of these, waits because of lock operations
}

// L2Misses returns the lines that were not in the core's own L2.
func (c *Counters) L2Misses() uint64 { return c.Lines - c.L2Hits }

// Add adds o to c.
func (c *Counters) Add(o *Counters) {
	c.Accesses += o.Accesses
	c.Lines += o.Lines
	c.L2Hits += o.L2Hits
	c.LLCHits += o.LLCHits
	c.Siblings += o.Siblings
	c.LLCMisses += o.LLCMisses
	c.Local += o.Local
	c.Remote += o.Remote
	c.Transfers += o.Transfers
	c.Upgrades += o.Upgrades
	c.Invalidations += o.Invalidations
	c.BackInvalid += o.BackInvalid
	c.WriteBacks += o.WriteBacks
	c.StallPS += o.StallPS
	c.BandwidthPS += o.BandwidthPS
	c.LockDelaysPS += o.LockDelaysPS
}

// Counters returns the counts of one core and kernel. What an access of a core causes elsewhere (invalidations, write-backs) is the
// core's own.
func (m *Model) Counters(core, kernel int) Counters { return m.counters[core*m.kernels+kernel] }

// Core returns the counts of one core, kernels together.
func (m *Model) Core(core int) (sum Counters) {
	for k := range m.kernels {
		sum.Add(&m.counters[core*m.kernels+k])
	}
	return sum
}

// Node returns the counts of the cores of one node.
func (m *Model) Node(node int) (sum Counters) {
	for c := range m.perNode {
		one := m.Core(node*m.perNode + c)
		sum.Add(&one)
	}
	return sum
}

// OfKernel returns the counts of one kernel, cores together.
func (m *Model) OfKernel(kernel int) (sum Counters) {
	for c := range m.cores {
		sum.Add(&m.counters[c*m.kernels+kernel])
	}
	return sum
}

// Total returns all counts together.
func (m *Model) Total() (sum Counters) {
	for i := range m.counters {
		sum.Add(&m.counters[i])
	}
	return sum
}
