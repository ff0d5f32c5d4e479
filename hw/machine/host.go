package machine

import (
	"fmt"
	"os"
	"strings"

	"krdlab/hw"
	"krdlab/hw/ops"
)

// HostName is the name of the machine that [Host] and [Calibrate] describe.
const HostName = "host"

// Host describes the computer of a topology: nodes, cores and caches as t has them, and guesses for
// every latency, rate and cost, whose sources begin with [NotCalibrated]. All nodes of a Machine
// are alike; where those of t are not, the largest number of cores and the smallest caches stand
// for all, and the source notes that. Errors: t lacks its caches ([ErrNotKnown]), or nothing
// consistent can be made of it (those of [Machine.Validate]). Cost: that of [hw.CalibrateClock].
func Host(t *hw.Topology) (*Machine, error) {
	h := hostReader{t: t, m: &Machine{Name: HostName,
		Description: strings.ToValidUTF8(strings.Join(strings.Fields(t.Name), " "), "?"),
		Sources:     map[string]string{}}}
	if !oneLine(h.m.Description) {
		h.m.Description = ""
	}
	if err := h.caches(); err != nil {
		return nil, fmt.Errorf("describe this computer: %w", err)
	}
	h.nodes()
	h.guess()
	h.memory()
	if err := h.m.Validate(); err != nil {
		return nil, fmt.Errorf("describe this computer: %w", err)
	}
	return h.m, nil
}

// Sources of the numbers of Host.
const (
	fromSystem = "the operating system"
	guessed    = NotCalibrated + ": a guess"
)

// sources are those of a cache by how its size is known.
var sources = map[hw.Known]string{
	"":          fromSystem,
	hw.Told:     fromSystem,
	hw.Measured: "measured: where the latency of a random walk rises",
	hw.Assumed:  NotCalibrated + ": assumed, as published for the processor's family",
	hw.Given:    "given by the user",
}

type hostReader struct {
	t    *hw.Topology
	m    *Machine
	noL2 bool // no cache between L1 and LLC
}

func (h *hostReader) caches() error {
	pick := func(path string, of func(*hw.CPU) hw.Cache, into *Cache) (hw.Cache, error) {
		var best hw.Cache
		differ := false
		for i := range h.t.CPUs {
			c := of(&h.t.CPUs[i])
			if c.Bytes == 0 {
				continue
			}
			differ = differ || best.Bytes != 0 && c.Bytes != best.Bytes
			if best.Bytes == 0 || c.Bytes < best.Bytes {
				best = c
			}
		}
		if best.Bytes == 0 {
			return best, fmt.Errorf("the size of %s is %w: not reported by the operating system or "+
				"the processor", path, ErrNotKnown)
		}
		source := sources[best.Known]
		if differ {
			source += "; the smallest of several sizes"
		}
		into.Bytes, into.Ways, into.LineBytes = uint64(best.Bytes), best.Ways, best.LineBytes
		h.m.Sources[path] = source
		if into.LineBytes == 0 {
			into.LineBytes = 64
			h.m.Sources[path+".line"] = NotCalibrated + ": the operating system does not say"
		}
		if lines := into.Bytes / uint64(into.LineBytes); into.Ways == 0 ||
			into.Bytes%uint64(into.Ways*into.LineBytes) != 0 {
			h.m.Sources[path+".ways"] = fmt.Sprintf("%s: %s are %d (0: not known or fully "+
				"associative), taken as fully associative", NotCalibrated, best.Known, into.Ways)
			into.Ways = int(lines)
			into.Bytes = lines * uint64(into.LineBytes)
		}
		return best, nil
	}
	m := h.m
	if _, err := pick("l1", func(c *hw.CPU) hw.Cache { return c.L1d }, &m.L1); err != nil {
		return err
	}
	llc, err := pick("llc", func(c *hw.CPU) hw.Cache { return c.LLC }, &m.LLC)
	if err != nil {
		return err
	}
	if llc.Level <= 2 { // what is shared is the L2: the private one is then as if it were not there
		m.L2, h.noL2 = m.L1, true
		m.Sources["l2"] = fromSystem + ": there is none between L1 and LLC, so one like the L1 " +
			"is assumed, which holds nothing more"
		return nil
	}
	_, err = pick("l2", func(c *hw.CPU) hw.Cache { return c.L2 }, &m.L2)
	return err
}

func (h *hostReader) nodes() {
	m, t := h.m, h.t
	m.Nodes, m.NodesPerSocket = len(t.Nodes), 1
	m.Sources["nodes"], m.Sources["cores_per_node"], m.Sources["nodes_per_socket"] = fromSystem,
		fromSystem, fromSystem
	for _, n := range t.Nodes {
		m.CoresPerNode = max(m.CoresPerNode, len(n.Cores))
	}
	if m.Cores() != len(t.Cores) {
		m.Sources["cores_per_node"] = fmt.Sprintf(
			"%s: the most of any node; there are %d cores in all", fromSystem, len(t.Cores))
	}
	if t.Packages > 0 && m.Nodes%t.Packages == 0 {
		m.NodesPerSocket = m.Nodes / t.Packages
	}
}

// memory finds how many nodes share a memory: as many neighbours as have one everywhere. Where
// memories have different numbers of nodes, some become several, at the local latency of each
// other.
func (h *hostReader) memory() {
	m, t, x := h.m, h.t, &h.m.Memory
	per := func(k int) bool { // each k neighbours have one memory
		if m.Nodes%k != 0 || m.NodesPerSocket%k != 0 && k%m.NodesPerSocket != 0 {
			return false
		}
		for a, n := range t.Nodes {
			first := t.Nodes[a-a%k]
			if len(n.NUMA) != 1 || len(first.NUMA) != 1 || n.NUMA[0] != first.NUMA[0] {
				return false
			}
		}
		return true
	}
	x.NodesPerDomain = 1
	m.Sources["memory.nodes_per_domain"] = fromSystem
	for k := m.Nodes; k > 1; k-- {
		if per(k) {
			x.NodesPerDomain = k
			break
		}
	}
	x.RemotePS = make([][]uint64, m.Nodes)
	for a := range x.RemotePS {
		x.RemotePS[a] = make([]uint64, m.Nodes)
		for b := range x.RemotePS[a] {
			x.RemotePS[a][b] = x.LocalPS
			if m.Domain(a) != m.Domain(b) {
				x.RemotePS[a][b] = x.LocalPS * uint64(max(10, t.Distance(a, b))) / 10
			}
		}
	}
	if m.Domains() == 1 {
		return
	}
	m.Sources[remotePath] = NotCalibrated + ": the local latency in proportion to the distance " +
		"that the operating system reports"
}

// guess fills in what the operating system does not know.
func (h *hostReader) guess() {
	m := h.m
	set := func(path, source string) { m.Sources[path] = source }
	clock := hw.CalibrateClock()
	m.CoreHz = uint64(clock.Hz)
	set("core.clock", NotCalibrated+": the rate of the time-stamp counter")
	if clock.Source != hw.SourceTSC {
		m.CoreHz = 2e9
		set("core.clock", guessed)
	}
	lanes := uint64(1) // of single precision
	switch f := hw.Features(); {
	case f.AVX512F:
		lanes = 16
	case f.AVX2 && f.FMA:
		lanes = 8
	}
	// operations in a hundred cycles
	for k, n := range [ops.Kinds]uint64{ops.Fused: 200 * lanes, ops.Single: 200 * lanes,
		ops.Double: 50 * lanes, ops.Scalar: 100, ops.Chain: 30, ops.Divide: 8, ops.Integer: 200,
		ops.Branch: 6, ops.Hash: 1} {
		m.Rates[k] = n * m.CoreHz / 100
	}
	set("rates", guessed)

	cycles := func(n uint64) uint64 { return n * 1e12 / m.CoreHz }
	m.L1.LatencyPS, m.L2.LatencyPS, m.LLC.LatencyPS = cycles(4), cycles(14), cycles(50)
	if h.noL2 {
		m.L2.LatencyPS = m.L1.LatencyPS
	}
	for _, path := range []string{"l1.latency", "l2.latency", "l2.bandwidth", "llc.latency",
		"llc.bandwidth", "memory.local", "memory.core_bandwidth", "memory.bandwidth",
		"memory.overlap", "memory.gather", "costs"} {
		set(path, guessed)
	}
	set("llc.inclusive", NotCalibrated+
		": the operating system does not say; taken as not inclusive")
	x := &m.Memory
	x.LocalPS = max(100_000, m.LLC.LatencyPS)
	m.L2.BytesPerSecond, m.LLC.BytesPerSecond = 16*m.CoreHz, 8*m.CoreHz
	x.CoreBytesPerSecond, x.BytesPerSecond = 10e9, 20e9
	x.OverlapMisses, x.GatherMisses = 10, 10
	x.PageBytes = uint64(os.Getpagesize())
	set("memory.page", fromSystem)
	x.Placement = Node0
	set("memory.placement", "the default of Linux")
	m.Costs = Costs{SpawnPS: 6_000, PopPS: 5_000, StealLocalPS: 150_000, StealRemotePS: 500_000,
		StealFailedPS: 60_000, MailPS: 10_000,
		JoinPS: 15_000, RestPS: 100_000, LockPS: 20_000, LockHandoverPS: 100_000}
}
