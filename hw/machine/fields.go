package machine

import "krdlab/hw/units"

// A field is a number, word or text of a machine and where it is in a file. The table below is all
// that reading, writing, checking, hashing and naming sources know of fields.
type field struct {
	path     string
	of       *units.Dimension   // nil for counts, words and texts
	optional bool               // may be absent, and is then what a zero Machine has (1 for counts)
	at       func(*Machine) any // *string, *int, *uint64, *bool, or nil for memory.remote
	words    []string           // the values that a text may have; nil for any
}

const remotePath = "memory.remote"

var fields = []field{
	{path: "name", at: func(m *Machine) any { return &m.Name }},
	{path: "description", optional: true, at: func(m *Machine) any { return &m.Description }},
	{path: "nodes", at: func(m *Machine) any { return &m.Nodes }},
	{path: "cores_per_node", at: func(m *Machine) any { return &m.CoresPerNode }},
	{path: "nodes_per_socket", optional: true,
		at: func(m *Machine) any { return &m.NodesPerSocket }},

	{path: "core.clock", of: units.Clocks, at: func(m *Machine) any { return &m.CoreHz }},
	{path: "core.flops", of: units.Flops, at: func(m *Machine) any { return &m.FlopsPerSecond }},

	{path: "l1.size", of: units.Sizes, at: func(m *Machine) any { return &m.L1.Bytes }},
	{path: "l1.ways", at: func(m *Machine) any { return &m.L1.Ways }},
	{path: "l1.line", of: units.Sizes, at: func(m *Machine) any { return &m.L1.LineBytes }},
	{path: "l1.latency", of: units.Times, at: func(m *Machine) any { return &m.L1.LatencyPS }},
	{path: "l2.size", of: units.Sizes, at: func(m *Machine) any { return &m.L2.Bytes }},
	{path: "l2.ways", at: func(m *Machine) any { return &m.L2.Ways }},
	{path: "l2.line", of: units.Sizes, at: func(m *Machine) any { return &m.L2.LineBytes }},
	{path: "l2.latency", of: units.Times, at: func(m *Machine) any { return &m.L2.LatencyPS }},
	{path: "llc.size", of: units.Sizes, at: func(m *Machine) any { return &m.LLC.Bytes }},
	{path: "llc.ways", at: func(m *Machine) any { return &m.LLC.Ways }},
	{path: "llc.line", of: units.Sizes, at: func(m *Machine) any { return &m.LLC.LineBytes }},
	{path: "llc.latency", of: units.Times, at: func(m *Machine) any { return &m.LLC.LatencyPS }},
	{path: "llc.inclusive", at: func(m *Machine) any { return &m.LLC.Inclusive }},

	{path: "memory.nodes_per_domain", optional: true,
		at: func(m *Machine) any { return &m.Memory.NodesPerDomain }},
	{path: "memory.local", of: units.Times, at: func(m *Machine) any { return &m.Memory.LocalPS }},
	{path: remotePath, of: units.Times},
	{path: "memory.bandwidth", of: units.Bandwidths,
		at: func(m *Machine) any { return &m.Memory.BytesPerSecond }},
	{path: "memory.node_bandwidth", of: units.Bandwidths, optional: true,
		at: func(m *Machine) any { return &m.Memory.NodeBytesPerSecond }},
	{path: "memory.page", of: units.Sizes, at: func(m *Machine) any { return &m.Memory.PageBytes }},
	{path: "memory.placement", words: []string{Interleave, FirstTouch},
		at: func(m *Machine) any { return &m.Memory.Placement }},
	{path: "memory.overlap", at: func(m *Machine) any { return &m.Memory.OverlapMisses }},
}

// A price is a field of Costs, in the table [costs] and in those of families.
type price struct {
	name  string
	at    func(*Costs) *uint64
	least uint64 // picoseconds
	// may be absent, and is then 0; and is left out where it is 0
	optional bool
}

// shown says whether a file has the price with a value in [costs]: not an optional one that is 0.
func (p price) shown(c *Costs) bool { return !p.optional || *p.at(c) != 0 }

// leastPS is the least price of what a worker without work may repeat until somebody else makes
// progress: below, virtual time hardly passes meanwhile, and a run takes practically without end.
const leastPS = 1000

// Least returns the least picoseconds that a machine may have for a price in [costs], 0 where any
// will do.
func Least(name string) uint64 {
	for _, p := range prices {
		if p.name == name {
			return p.least
		}
	}
	return 0
}

var prices = []price{
	{"spawn", func(c *Costs) *uint64 { return &c.SpawnPS }, 0, false},
	{"pop", func(c *Costs) *uint64 { return &c.PopPS }, leastPS, false},
	{"steal_local", func(c *Costs) *uint64 { return &c.StealLocalPS }, 0, false},
	{"steal_remote", func(c *Costs) *uint64 { return &c.StealRemotePS }, 0, false},
	{"steal_failed", func(c *Costs) *uint64 { return &c.StealFailedPS }, leastPS, false},
	{"mail", func(c *Costs) *uint64 { return &c.MailPS }, leastPS, false},
	{"join", func(c *Costs) *uint64 { return &c.JoinPS }, leastPS, false},
	{"rest", func(c *Costs) *uint64 { return &c.RestPS }, leastPS, false},
	{"lock", func(c *Costs) *uint64 { return &c.LockPS }, leastPS, false},
	{"lock_handover", func(c *Costs) *uint64 { return &c.LockHandoverPS }, 0, false},
	{"lock_delay", func(c *Costs) *uint64 { return &c.LockDelayPS }, 0, false},
	{"kernel", func(c *Costs) *uint64 { return &c.KernelPS }, 0, true},
}

// A part is a field of a Rate, in the table [kernels.NAME].
type part struct {
	name string
	of   *units.Dimension
	at   func(*Rate) *uint64
}

var parts = []part{
	{"call", units.Times, func(r *Rate) *uint64 { return &r.CallPS }},
	{"flops", units.Flops, func(r *Rate) *uint64 { return &r.FlopsPerSecond }},
}
