package cachemodel

// Counters count the effects of accesses, in cache lines unless the name has another unit. Lines
// are counted as an access names them, once for each:
//
//	Lines = L2Hits + LLCHits + Siblings + LLCMisses
//	LLCMisses = Local + Remote + Transfers
type Counters struct {
	Accesses uint64 // of blocks
	Lines    uint64
	L2Hits   uint64 // found in the core's own L2
	LLCHits  uint64 // found in the LLC of the node
	// had from the L2 of another core of the node: newer than the LLC's copy, or in no LLC that is
	// not inclusive
	Siblings uint64

	LLCMisses uint64 // in no cache of the node
	Local     uint64 // of these from the node's own memory,
	Remote    uint64 // from another memory,
	Transfers uint64 // from a cache of another node, where they were modified

	Upgrades uint64 // written while held, but not exclusively
	// copies in other L2s and LLCs that writes took away, one for each line and cache
	Invalidations uint64
	BackInvalid   uint64 // copies in L2s that were lost because an inclusive LLC evicted the line
	// written to memory: evicted by this core's accesses, or handed to another node that reads them
	WriteBacks uint64

	StallPS      uint64 // all stalls, waits included
	BandwidthPS  uint64 // of these, waits for memories and links that served others
	LockDelaysPS uint64 // of these, waits because of lock operations
}

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

// Counters returns the counts of one core and kernel. Effects elsewhere of an access of a core
// (invalidations, write-backs) are the core's own.
func (m *Model) Counters(core, kernel int) Counters { return m.counters[core*m.kernels+kernel] }

// Total returns all counts together.
func (m *Model) Total() (sum Counters) {
	for i := range m.counters {
		sum.Add(&m.counters[i])
	}
	return sum
}
