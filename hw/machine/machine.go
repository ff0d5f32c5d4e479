package machine

import (
	"fmt"
	"math/bits"

	"krdlab/hw/ops"
)

// A Machine is simulated by the simulated substrate: its cores and nodes, its caches and memories,
// and the costs of operations of a runtime. All cores are alike, and so are all nodes. Times are
// integers in picoseconds (PS), so that results are equal on every computer. Methods other than
// Validate want one that is valid, as Parse and the like return it. Do not change one that others
// use.
type Machine struct {
	Name        string
	Description string // one line; "" for none

	Nodes          int // last-level caches
	CoresPerNode   int
	NodesPerSocket int // divides Nodes; 1 where a socket has one last-level cache

	CoreHz uint64 // cycles per second
	// Rates are the operations of each kind that a core does in a second, its data in the L1.
	Rates ops.Count

	L1, L2 Cache // private to a core, data
	LLC    Cache // shared by the cores of a node
	Memory Memory
	Costs  Costs
	// of families whose operations have prices of their own, by name, complete; nil for none
	Families map[string]Costs

	// Sources records where numbers are from, by the field's path in a file ("l1.latency") or that
	// of its table ("l1"). A source that begins with "estimated" or "not calibrated" marks a number
	// that was neither measured nor published. See Source.
	Sources map[string]string
	// Ranges are within what guesses may lie, by the field's path; nil for none. See Draw.
	Ranges map[string]Range
	// Fits are the results that numbers of the machine were chosen to bring out: where a run
	// reproduces one of them it predicts nothing. They decide no result themselves.
	Fits []Fit
}

// A Fit is a published result that a machine was fitted to.
type Fit struct {
	Quantity string // one of FitQuantities
	Kernel   string
	Params   string // those that matter, as n=4096
	Cores    int
	// Scheduler is the one whose result it is; "" for all, as of a serial run.
	Scheduler string
	// Target is the published value, in the unit of the quantity: ns, or a ratio; 0 where the file
	// does not say.
	Target float64
}

// FitQuantities are the quantities that a machine can be fitted to: the time of the serial run, and
// the overhead of a scheduler.
var FitQuantities = []string{FitSerialTime, FitOVR}

// The quantities of a [Fit], as documents of results call them.
const (
	FitSerialTime = "serial.time_ns"
	FitOVR        = "ovr"
)

// A Cache has Bytes / LineBytes / Ways sets, which need not be a power of two. A fully associative
// one has as many ways as lines.
type Cache struct {
	Bytes     uint64
	Ways      int
	LineBytes int    // the same for all caches of a machine
	LatencyPS uint64 // of a load that hits here, load to use
	// L2 and LLC: the rate at which a core reads from here in long runs of lines, which prefetchers
	// follow
	BytesPerSecond uint64
	Inclusive      bool // LLC only: what it evicts leaves the L1 and L2 of the node too
}

// Memory is the machine's memories. A memory (a NUMA domain, with its channels) belongs to
// NodesPerDomain nodes; on the paper's machine each node has its own, on a socket of chiplets all
// nodes share one.
type Memory struct {
	NodesPerDomain int // divides Nodes
	// latency of a load that misses everywhere, from the node's own memory
	LocalPS uint64
	// [a][b]: a core of node a, from the memory of node b; LocalPS where both have the same one; a
	// to b may differ from b to a
	RemotePS [][]uint64

	// what a core reads in long runs of lines from the node's own memory; less from others by as
	// much as their latency is more
	CoreBytesPerSecond uint64
	BytesPerSecond     uint64 // that one memory (domain) serves to all
	// that one node can draw from all memories (the link of a chiplet); 0 where there is no such
	// limit
	NodeBytesPerSecond uint64

	PageBytes uint64 // a power of two

	// Placement of pages over the memories where a run does not say: Interleave or Node0.
	Placement string

	// OverlapMisses is how many misses a core has under way at once in short rows, of a few lines
	// each that are all computed with: the stall for each is the latency divided by it.
	OverlapMisses int
	// GatherMisses is the same for single words here and there, whose addresses are known.
	GatherMisses int
}

// The values of Memory.Placement.
const (
	Interleave = "interleave" // page by page in turn
	// Node0: in the memory of the first worker's node, as one thread of it touches all data first
	Node0 = "node0"
)

// Costs are the times of operations of a runtime on one core, with no other in the way, in
// picoseconds.
type Costs struct {
	SpawnPS       uint64 // create a task and queue it (or its parent)
	PopPS         uint64 // take a task from the own queue; not the lock of a shared one
	StealLocalPS  uint64 // a steal that succeeds within a node
	StealRemotePS uint64 // a steal that succeeds from another node
	StealFailedPS uint64 // an attempt that finds nothing
	MailPS        uint64 // put a task into a mailbox, or take one out
	JoinPS        uint64 // a child's arrival at a join that others may reach too
	RestPS        uint64 // a worker that finds nothing, until it looks again
	LockPS        uint64 // take and release a free lock
	// LockHandoverPS is from one core's release of a lock to the moment when another that waits for
	// it has it.
	LockHandoverPS uint64
	// LockDelayPS is the time that one operation on the lock of a queue that cores share adds to
	// memory accesses of others: the memory path is unavailable for so long. The KRD paper (IV-B)
	// blames bus locking of this kind for the work time inflation of QThread/Socket.
	LockDelayPS uint64
	// KernelPS is the time of a kernel's execution beside the kernel: its two stamps, and where
	// FramePS is 0 the recursion to it. Serial runs have it too. A task's price is not its
	// kernels': a grain of other size has other shares of both.
	KernelPS uint64
	// FramePS is the time of a task with children beside theirs: its frame is made, they are
	// called, it ends. Serial runs have it too.
	FramePS uint64
}

// Cores returns the number of cores of the machine.
func (m *Machine) Cores() int { return m.Nodes * m.CoresPerNode }

// NodeOf returns the node of a core; cores are numbered node by node.
func (m *Machine) NodeOf(core int) int { return core / m.CoresPerNode }

// Domain returns the number of the memory of a node.
func (m *Machine) Domain(node int) int { return node / m.Memory.NodesPerDomain }

// Domains returns the number of memories.
func (m *Machine) Domains() int { return m.Nodes / m.Memory.NodesPerDomain }

// CostsOf returns the costs of a family's operations: its own where there are some, otherwise
// m.Costs.
func (m *Machine) CostsOf(family string) Costs {
	if c, ok := m.Families[family]; ok {
		return c
	}
	return m.Costs
}

// WorkPS returns the time that a core takes for operations whose data is in its L1: the sum over
// the kinds, each at its rate and rounded down. An error where it exceeds 2^64 ps (213 days).
func (m *Machine) WorkPS(n ops.Count) (ps uint64, err error) {
	for k, count := range n {
		if count == 0 {
			continue
		}
		hi, lo := bits.Mul64(count, 1e12)
		if hi >= m.Rates[k] {
			return 0, tooLong(n)
		}
		q, _ := bits.Div64(hi, lo, m.Rates[k])
		sum, carry := bits.Add64(ps, q, 0)
		if carry != 0 {
			return 0, tooLong(n)
		}
		ps = sum
	}
	return ps, nil
}

func tooLong(n ops.Count) error {
	return fmt.Errorf("the operations of one execution, %v, take more than 2^64 ps", n)
}
