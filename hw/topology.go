package hw

import (
	"fmt"
	"slices"
	"strconv"

	"krdlab/hw/units"
)

// Size is a number of bytes; 0 is "unknown" and null in JSON.
type Size int64

// MarshalJSON writes null for an unknown size.
func (s Size) MarshalJSON() ([]byte, error) {
	if s == 0 {
		return []byte("null"), nil
	}
	return strconv.AppendInt(nil, int64(s), 10), nil
}

// String prints s in binary units, n/a where it is not known.
func (s Size) String() string {
	if s == 0 {
		return units.NotAvailable
	}
	return units.Bytes(uint64(s))
}

// A Topology is the CPUs of a machine that are online and what they share. It is not changed after
// it was made; read it from any goroutine.
type Topology struct {
	Name      string     `json:"name"`       // CPU model, or what Synthetic was given
	Synthetic bool       `json:"synthetic"`  // made by Synthetic: not a machine that exists
	CPUs      []CPU      `json:"cpus"`       // ascending by ID
	Cores     []Core     `json:"cores"`      // by node, then by their first CPU
	Nodes     []Node     `json:"nodes"`      // LLC domains, by package, die, and first CPU
	NUMA      []NUMANode `json:"numa_nodes"` // ascending by ID, those without CPUs or memory too
	Packages  int        `json:"packages"`
	Dies      int        `json:"dies"` // 0 where the kernel does not say (before Linux 5.2)
	Offline   []int      `json:"offline"`
	// what was missing or contradictory, and what was assumed
	Warnings []string `json:"warnings"`

	voidable []string // of Warnings, those that WithCaches makes void
}

// A CPU is a hardware thread. Package, Die and NUMA are numbers of the kernel, -1 where it gives
// none.
type CPU struct {
	ID      int  `json:"id"`
	Core    int  `json:"core"`   // index in Cores
	Node    int  `json:"node"`   // index in Nodes
	Thread  int  `json:"thread"` // 0 for the first SMT sibling of the core, then 1, ...
	Package int  `json:"package"`
	Die     int  `json:"die"`
	NUMA    int  `json:"numa_node"`
	Allowed bool `json:"allowed"` // the process may run on it: cpuset and affinity mask

	L1d, L2, LLC Cache `json:"-"`
}

// A Core is a physical core.
type Core struct {
	CPUs []int `json:"cpus"` // ascending
	Node int   `json:"node"`
}

// A Node is a last-level cache and the CPUs that share it, the unit of the analysis.
type Node struct {
	CPUs    []int `json:"cpus"`  // ascending
	Cores   []int `json:"cores"` // indices in Topology.Cores
	LLC     Cache `json:"llc"`
	Package int   `json:"package"`
	NUMA    []int `json:"numa_nodes"` // of its CPUs, ascending
}

// A NUMANode is a memory.
type NUMANode struct {
	ID    int   `json:"id"`
	CPUs  []int `json:"cpus"` // online, ascending; none for a memory-only node
	Bytes Size  `json:"memory_bytes"`
	// to each NUMA node in the order of Topology.NUMA, 10 is local; nil unknown
	Distance []int `json:"distance,omitempty"`
}

// A Cache is one instance of a data or unified cache. The zero Cache is not known.
type Cache struct {
	Level     int   `json:"level"` // 1, 2, 3, ...; 0 unknown
	Bytes     Size  `json:"bytes"`
	Ways      int   `json:"ways"`       // 0 unknown or fully associative
	LineBytes int   `json:"line_bytes"` // 0 unknown
	CPUs      []int `json:"cpus"`       // that share it, online, ascending
	Known     Known `json:"known,omitempty"`
}

// find returns the CPU with the kernel's number id, nil when it is not online.
func (t *Topology) find(id int) *CPU {
	i, ok := slices.BinarySearchFunc(t.CPUs, id, func(c CPU, id int) int { return c.ID - id })
	if !ok {
		return nil
	}
	return &t.CPUs[i]
}

// NodeOf returns the index of the node of a CPU, -1 when the CPU is not online.
func (t *Topology) NodeOf(cpu int) int {
	if c := t.find(cpu); c != nil {
		return c.Node
	}
	return -1
}

// Allowed returns the CPUs that the process may use, ascending.
func (t *Topology) Allowed() []int {
	var cpus []int
	for _, c := range t.CPUs {
		if c.Allowed {
			cpus = append(cpus, c.ID)
		}
	}
	return cpus
}

// Restrict takes the right to use every CPU but those of mask. It returns a copy; t is not changed.
func (t *Topology) Restrict(mask []int) *Topology {
	c := *t
	c.CPUs = slices.Clone(t.CPUs)
	for i := range c.CPUs {
		c.CPUs[i].Allowed = c.CPUs[i].Allowed && slices.Contains(mask, c.CPUs[i].ID)
	}
	return &c
}

// Memories returns the numbers of the NUMA nodes that have memory, as far as is known.
func (t *Topology) Memories() []int {
	var ids []int
	for _, n := range t.NUMA {
		if n.Bytes > 0 {
			ids = append(ids, n.ID)
		}
	}
	return ids
}

// Socket returns the number of the socket of a node.
func (t *Topology) Socket(node int) int { return t.Nodes[node].Package }

// Distance returns how far node b is from node a: the NUMA distance that firmware reports (10 is
// local), or, without one, 10 within a NUMA node and 20 beyond; 0 for a node and itself. Only the
// order means anything. Schedulers scan victims by it.
func (t *Topology) Distance(a, b int) int {
	if a == b {
		return 0
	}
	na, nb := t.Nodes[a], t.Nodes[b]
	if len(na.NUMA) == 0 || len(nb.NUMA) == 0 {
		if na.Package == nb.Package {
			return 10
		}
		return 20
	}
	best := 1 << 30
	for _, x := range na.NUMA {
		for _, y := range nb.NUMA {
			best = min(best, t.numaDistance(x, y))
		}
	}
	return best
}

func (t *Topology) numaDistance(a, b int) int {
	index := func(id int) int {
		return slices.IndexFunc(t.NUMA,
			func(n NUMANode) bool { return n.ID == id })
	}
	ia, ib := index(a), index(b)
	if ia >= 0 && ib >= 0 && ib < len(t.NUMA[ia].Distance) {
		return t.NUMA[ia].Distance[ib]
	}
	if a == b {
		return 10
	}
	return 20
}

// A Machine is the description that goes with results.
type Machine struct {
	Name         string `json:"name"`
	Nodes        int    `json:"nodes"`          // LLC domains
	CoresPerNode int    `json:"cores_per_node"` // of the largest node
	Cores        int    `json:"cores"`
	CPUs         int    `json:"cpus"` // online
	L1dBytes     Size   `json:"l1d_bytes"`
	L2Bytes      Size   `json:"l2_bytes"`
	LLCBytes     Size   `json:"llc_bytes"` // of one node
	// CachesKnown is how these sizes are known
	CachesKnown CachesKnown `json:"caches_known,omitzero"`
	LineBytes   int         `json:"line_bytes,omitempty"`
	Synthetic   bool        `json:"synthetic,omitempty"`
}

// Describe returns m on one line: its name, nodes, cores and CPUs.
func (m Machine) Describe() string {
	name := m.Name
	if name == "" {
		name = "a machine whose name is not known"
	}
	return fmt.Sprintf("%s: %s x %d cores, %d CPUs", name, units.Count(m.Nodes, "node"),
		m.CoresPerNode, m.CPUs)
}

// Caches returns on one line the sizes of m's caches and how they are known.
func (m Machine) Caches() string {
	return fmt.Sprintf("L1d %s, L2 %s, LLC %s%s", m.L1dBytes, m.L2Bytes, m.LLCBytes,
		m.CachesKnown.inBrackets())
}

// Machine summarises t. Where caches of a level differ (hybrid processors) the smallest known one
// stands for all, so that "fits" is true of every core; LLCBytes is of the machine's highest level.
// Where the LLC is the L2 they are the same.
func (t *Topology) Machine() Machine {
	m := Machine{Name: t.Name, Nodes: len(t.Nodes), Cores: len(t.Cores), CPUs: len(t.CPUs),
		Synthetic: t.Synthetic}
	smallest := func(have *Size, known *Known, c Cache) {
		if c.Bytes != 0 && (*have == 0 || c.Bytes < *have) {
			*have, *known = c.Bytes, c.Known
		}
	}
	last := 0
	for _, n := range t.Nodes {
		m.CoresPerNode = max(m.CoresPerNode, len(n.Cores))
		last = max(last, n.LLC.Level)
	}
	for _, c := range t.CPUs {
		smallest(&m.L1dBytes, &m.CachesKnown.L1d, c.L1d)
		smallest(&m.L2Bytes, &m.CachesKnown.L2, c.L2)
		if c.LLC.Level == last {
			smallest(&m.LLCBytes, &m.CachesKnown.LLC, c.LLC)
		}
		m.LineBytes = max(m.LineBytes, c.LLC.LineBytes)
	}
	return m
}
