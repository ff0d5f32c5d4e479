package machine

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"time"

	"krdlab/hw"
	"krdlab/hw/units"
)

// A Step is the progress of a calibration.
type Step struct {
	Done, Total int    // measurements
	What        string // the one that was just made
	Bytes       uint64 // of a measured latency: the size of the memory that was walked; otherwise 0
}

// CalibrateOptions say how thorough a calibration is. The zero value is thorough.
type CalibrateOptions struct {
	// 2 rounds and not 3, and no latencies of sizes between those that stand for a level
	Quick  bool
	Beside float64 // the share of the CPUs that others may take meanwhile, 0: [MostBeside]
}

// Calibrate measures this computer, which t describes: its clock; latencies of caches and memories,
// by walking a random cycle of lines, for sizes from half the L1 to four times the LLC; how many
// misses a core overlaps, by many such walks at once and in short rows anywhere; and bandwidths of
// reading: of one core from each level, of the cores of a node and of those of a memory. Numbers
// that it cannot measure are guesses of [Host], marked so in their sources: inclusion, the costs of
// runtimes and the rates of operations, which package kernels/calibrate measures. Latencies include
// TLB misses, where there are no huge pages.
//
// Every number is the least that two rounds show ([Rounds]): time added by other programs does not
// count, and where they always run there is no number. A level's latency is raised to that of the
// level below it where noise put it under that.
//
// progress is called after each measurement, nil for none; its Total grows with each round beyond
// those that a quiet computer needs. Errors: those of Host; that of ctx; no memory; a
// [*DisturbedError]. Cost: 4 s, quick half, up to [MoreRounds] times as much beside other programs,
// for one memory and an LLC of 32 MiB, more for each pair of memories; and for each memory four
// times the LLC, or twice those of all its nodes, but a quarter of the free memory at most.
func Calibrate(ctx context.Context, t *hw.Topology, o CalibrateOptions,
	progress func(Step)) (*Machine, error) {
	host := func() (*Machine, error) { return Host(t) }
	m, err := host()
	if err != nil {
		return nil, fmt.Errorf("calibrate: %w", err)
	}
	p, err := newHardware(t, m)
	if err != nil {
		return nil, fmt.Errorf("calibrate: %w", err)
	}
	defer p.close()
	if progress == nil {
		progress = func(Step) {}
	}
	c := calibration{ctx: ctx, p: p, progress: progress, rounds: Rounds{}, need: 3,
		when: time.Now().UTC().Format(time.DateOnly), quick: o.Quick, beside: o.Beside}
	if o.Quick {
		c.need = 2
	}
	if m, err = c.run(host); err != nil {
		return nil, fmt.Errorf("calibrate: %w", err)
	}
	if err := m.Validate(); err != nil {
		return nil, fmt.Errorf("calibrate: what was measured contradicts itself; other programs "+
			"were running? %w", err)
	}
	return m, nil
}

// A prober measures. The tests have one with a clock of its own.
type prober interface {
	// most is the largest memory that walk and stream may be asked for, bytes.
	most() uint64
	// cores returns the cores of a node that can be used; at least one for each node that has any.
	cores(node int) []int
	// walk makes loads, each waiting for the one before, over a random cycle through the lines of a
	// memory of the given size in a domain, on a core, after having warmed it up; several chains of
	// as many loads each go on at once. It returns the time of each sample, picoseconds.
	walk(core, domain int, bytes uint64, chains, loads, samples int) ([]uint64, error)
	// stream reads memory of the given size in their own domains on all cores at once, so many
	// times; the time from the first start to the last end of each sample.
	stream(cores []int, bytes uint64, times, samples int) ([]uint64, error)
	// rows reads all of the rows of rowLines lines of a memory of the given size in a domain, in
	// random order, on a core.
	rows(core, domain int, bytes uint64, samples int) ([]uint64, error)
	// spin makes n operations of one cycle, each waiting for the one before.
	spin(core int, n uint64, samples int) ([]uint64, error)
	// conditions names in a few words the conditions of measurements: pages, pinning.
	conditions() string
}

const samples = 3 // of a quantity in a round

type calibration struct {
	ctx         context.Context
	m           *Machine
	p           prober
	progress    func(Step)
	done, total int
	when        string // the day
	quick       bool
	rounds      Rounds
	need        int // rounds, of a quiet computer
	beside      float64
}

// least samples a quantity, unless it has enough rounds that agree, and returns the value of it
// that counts.
func (c *calibration) least(what string, sample func() ([]uint64, error)) (ps uint64, err error) {
	if len(c.rounds[what]) < c.need || !c.rounds.Agree(what) {
		t, err := sample()
		if err != nil {
			return 0, err
		}
		c.rounds.Add(what, float64(slices.Min(t)))
	}
	return uint64(c.rounds.Least(what)), nil
}

func (c *calibration) step(s Step) error {
	c.done++
	s.Done, s.Total = c.done, c.total
	c.progress(s)
	return c.ctx.Err()
}

func (c *calibration) source(path, how string) {
	c.m.Sources[path] = "measured " + c.when + ": " + how
}

// run makes the rounds. Each begins with host's guesses. The last one has the least of all.
func (c *calibration) run(host func() (*Machine, error)) (*Machine, error) {
	err := c.rounds.Repeat(c.need, c.beside, func() (err error) {
		if c.m, err = host(); err == nil {
			err = c.round()
		}
		return err
	})
	return c.m, err
}

// round measures all there is once.
func (c *calibration) round() error {
	m := c.m
	home := 0
	for home < m.Nodes && len(c.p.cores(home)) == 0 {
		home++
	}
	if home == m.Nodes {
		return fmt.Errorf("no core of any node can be used")
	}
	sizes := sizesToWalk(m, c.p.most(), c.quick)
	var first []int // a node of each memory that has usable cores, -1 for none
	for d := range m.Domains() {
		first = append(first, -1)
		for n := d * m.Memory.NodesPerDomain; n < (d+1)*m.Memory.NodesPerDomain &&
			first[d] < 0; n++ {
			if len(c.p.cores(n)) > 0 {
				first[d] = n
			}
		}
	}
	each := 1 + len(sizes) + 6 + m.Domains()*(m.Domains()-1)
	if m.Memory.NodesPerDomain > 1 {
		each++
	}
	c.total = max(c.need*each, c.done+each)
	if err := c.ctx.Err(); err != nil {
		return err
	}
	if err := c.clock(c.p.cores(home)[0]); err != nil {
		return err
	}
	if err := c.latencies(home, sizes); err != nil {
		return err
	}
	if err := c.overlap(home, sizes[len(sizes)-1]); err != nil {
		return err
	}
	if err := c.remote(first); err != nil {
		return err
	}
	return c.bandwidths(home)
}

func (c *calibration) clock(core int) error {
	const n = 10_000_000
	ps, err := c.least(fmt.Sprintf("%d cycles", uint64(n)), func() ([]uint64, error) {
		return c.p.spin(core, n, samples)
	})
	if err != nil {
		return err
	}
	hz := perSecond(n, ps)
	if hz == 0 || hz > units.Clocks.Max {
		return fmt.Errorf("%d cycles took %d ps, which is no clock", uint64(n), ps)
	}
	c.m.CoreHz = Digits(hz)
	c.source("core.clock", "dependent additions")
	return c.step(Step{What: "clock"})
}

// sizesToWalk returns the sizes at which latencies are measured, ascending: those that stand for a
// level and, unless quick, two in each octave.
func sizesToWalk(m *Machine, most uint64, quick bool) []uint64 {
	line := uint64(m.L1.LineBytes)
	last := min(4*m.LLC.Bytes, most)
	var out []uint64
	for s := m.L1.Bytes / 2; s < last && !quick; s *= 2 {
		out = append(out, s, min(s+s/2, last))
	}
	out = append(out, last)
	for _, s := range levelSizes(m) {
		out = append(out, min(s, last))
	}
	for i := range out {
		out[i] = max(out[i]/line, 2) * line
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// levelSizes returns the sizes whose latencies stand for L1, L2 and LLC: half of a private cache
// and a quarter of the shared one, which others use too, so that what else is in it does no harm
// (on a VM whose LLC others shared, half of it answered in 15 to 78 ns from one run to the next, a
// quarter in 12 to 15); but twice the cache below, lest that one answers, if there is room.
func levelSizes(m *Machine) [3]uint64 {
	return [3]uint64{
		m.L1.Bytes / 2,
		min(max(m.L2.Bytes/2, 2*m.L1.Bytes), m.L2.Bytes),
		min(max(m.LLC.Bytes/4, 2*m.L2.Bytes), m.LLC.Bytes),
	}
}

func (c *calibration) latencies(home int, sizes []uint64) error {
	m := c.m
	core, domain := c.p.cores(home)[0], m.Domain(home)
	var curve []Point
	for _, s := range sizes {
		ps, err := c.walk(core, domain, s, 1)
		if err != nil {
			return err
		}
		curve = append(curve, Point{s, ps})
		if err := c.step(Step{What: "latency", Bytes: s}); err != nil {
			return err
		}
	}
	levels, memory := interpret(curve, levelSizes(m), m.LLC.Bytes)
	how := "random cycle of lines, " + c.p.conditions()
	for i, x := range []struct {
		path string
		c    *Cache
	}{{"l1.latency", &m.L1}, {"l2.latency", &m.L2}, {"llc.latency", &m.LLC}} {
		if levels[i] != 0 {
			x.c.LatencyPS = levels[i]
			c.source(x.path, how)
		} else if i > 0 { // a guess may not contradict what was measured below it
			x.c.LatencyPS = max(x.c.LatencyPS, []*Cache{&m.L1, &m.L2}[i-1].LatencyPS)
		}
	}
	before := m.Memory.LocalPS
	if memory != 0 {
		m.Memory.LocalPS = memory
		c.source("memory.local", how)
	} else {
		m.Memory.LocalPS = max(before, m.LLC.LatencyPS)
	}
	for a, row := range m.Memory.RemotePS { // guesses keep their proportion until they are measured
		for b := range row {
			row[b] = max(m.Memory.LocalPS, row[b]*m.Memory.LocalPS/before)
			if m.Domain(a) == m.Domain(b) {
				row[b] = m.Memory.LocalPS
			}
		}
	}
	return nil
}

// interpret returns the latencies of L1, L2 and LLC and of memory, ascending; 0 for what the curve
// does not reach. Memory is the largest size, which must be at least twice the LLC.
func interpret(curve []Point, levels [3]uint64, llc uint64) (caches [3]uint64, memory uint64) {
	floor := uint64(0)
	for i, size := range levels {
		for _, p := range curve {
			if p.Bytes <= size && 2*p.Bytes > size {
				caches[i] = max(p.PS, floor)
			}
		}
		floor = max(floor, caches[i])
	}
	if last := curve[len(curve)-1]; last.Bytes >= 2*llc {
		memory = max(last.PS, floor)
	}
	return caches, memory
}

// walk returns the least time of a load, picoseconds, at least 1: the latency if there is one
// chain, less if there are several.
func (c *calibration) walk(core, domain int, bytes uint64, chains int) (uint64, error) {
	loads := int(min(max(bytes/uint64(c.m.L1.LineBytes), 1<<15), 1<<17)) / chains
	n := uint64(loads * chains)
	ps, err := c.least(fmt.Sprintf("%d loads of %s over %s of memory %d from CPU %d", n,
		units.Count(chains, "random walk"), units.Bytes(bytes), domain+1, core),
		func() ([]uint64, error) {
			return c.p.walk(core, domain, bytes, chains, loads, samples)
		})
	return max(1, Digits((ps+n/2)/n)), err
}

// chains is how many random walks at once find out how many misses a core has under way: more than
// the line fill buffers of processors.
const chains = 64

// rowLines is how many lines a row has that memory.overlap is measured with.
const rowLines = 4

// overlap measures memory.gather and memory.overlap where there is memory of at least twice the
// LLC.
func (c *calibration) overlap(home int, size uint64) error {
	m := c.m
	if size < 2*m.LLC.Bytes {
		return errors.Join(c.step(Step{What: "gather"}), c.step(Step{What: "overlap"}))
	}
	core, domain := c.p.cores(home)[0], m.Domain(home)
	misses := func(ps uint64) int { return int(min(max((m.Memory.LocalPS+ps/2)/ps, 1), chains)) }
	ps, err := c.walk(core, domain, size, chains)
	if err != nil {
		return err
	}
	m.Memory.GatherMisses = misses(ps)
	c.source("memory.gather", fmt.Sprintf("the latency of one random walk over that of a load "+
		"of %d at once", chains))
	if err := c.step(Step{What: "gather"}); err != nil {
		return err
	}
	lines := size / uint64(m.L1.LineBytes)
	ps, err = c.least(fmt.Sprintf("rows of %d lines in random order", rowLines),
		func() ([]uint64, error) { return c.p.rows(core, domain, size, samples) })
	if err != nil {
		return err
	}
	m.Memory.OverlapMisses = misses(max((ps+lines/2)/lines, 1))
	c.source("memory.overlap", fmt.Sprintf("the latency of a random walk over what a line takes in "+
		"rows of %d in random order, where all is read", rowLines))
	return c.step(Step{What: "overlap"})
}

// remote measures memory.remote for each pair of memories. It leaves the guess where memory was too
// small to be measured at all, or a memory has no core that can be used.
func (c *calibration) remote(first []int) error {
	m, x := c.m, &c.m.Memory
	size := min(4*m.LLC.Bytes, c.p.most()) &^ (uint64(m.LLC.LineBytes) - 1)
	if m.Domains() == 1 || size < 2*m.LLC.Bytes {
		return nil
	}
	all := true
	for a := range m.Domains() {
		for b := range m.Domains() {
			if a == b {
				continue
			}
			if first[a] < 0 || first[b] < 0 {
				all = false
				continue
			}
			ps, err := c.walk(c.p.cores(first[a])[0], b, size, 1)
			if err != nil {
				return err
			}
			ps = max(ps, x.LocalPS)
			for i := range x.NodesPerDomain {
				for j := range x.NodesPerDomain {
					x.RemotePS[a*x.NodesPerDomain+i][b*x.NodesPerDomain+j] = ps
				}
			}
			if err := c.step(Step{What: fmt.Sprintf("latency from memory %d to %d", a+1, b+1),
				Bytes: size}); err != nil {
				return err
			}
		}
	}
	if all {
		c.source(remotePath, "random cycle of lines, "+c.p.conditions())
	} else {
		m.Sources[remotePath] = NotCalibrated + ": measured " + c.when +
			" where there are cores that may be used, otherwise a guess"
	}
	return nil
}

// inCaches measures what one core reads in a second from its L2 and from the LLC, at the sizes that
// their latencies are measured at.
func (c *calibration) inCaches(core int) error {
	m := c.m
	sizes := levelSizes(m)
	for i, x := range []struct {
		path string
		c    *Cache
	}{{"l2.bandwidth", &m.L2}, {"llc.bandwidth", &m.LLC}} {
		size := sizes[i+1] / 256 * 256
		times, rate := int(max(cacheRead/size, 2)), uint64(0)
		if size <= c.p.most() {
			ps, err := c.least(fmt.Sprintf("reading %s %d times with one core", units.Bytes(size),
				times), func() ([]uint64, error) {
				return c.p.stream([]int{core}, size, times, samples)
			})
			if err != nil {
				return err
			}
			rate = min(max(Digits(perSecond(size*uint64(times), ps)), 1), units.Bandwidths.Max)
			x.c.BytesPerSecond = rate
			c.source(x.path, fmt.Sprintf("a core that reads %s again and again", units.Bytes(size)))
		}
		if err := c.step(Step{What: "bandwidth of " + x.path[:len(x.path)-len(".bandwidth")]}); err != nil {
			return err
		}
	}
	return nil
}

// cacheRead is how much is read of a cache in a sample.
const cacheRead = 64 << 20

// bandwidths measures what one core, a node and a memory read in a second, from memory of at least
// twice the LLCs of the cores that read; where there is not as much, the guess stays.
func (c *calibration) bandwidths(home int) error {
	if err := c.inCaches(c.p.cores(home)[0]); err != nil {
		return err
	}
	m, x := c.m, &c.m.Memory
	measure := func(what string, cores []int, nodes int) (rate uint64, err error) {
		if c.p.most() >= 2*m.LLC.Bytes*uint64(nodes) {
			each := c.p.most() / uint64(len(cores)) &^ (uint64(m.LLC.LineBytes) - 1)
			ps, err := c.least("reading with "+what, func() ([]uint64, error) {
				return c.p.stream(cores, each, 1, samples)
			})
			if err != nil {
				return 0, err
			}
			rate = min(max(Digits(perSecond(each*uint64(len(cores)), ps)), 1),
				units.Bandwidths.Max)
		}
		return rate, c.step(Step{What: "bandwidth of " + what})
	}
	said := func(n, of int) string {
		if n < of {
			return fmt.Sprintf("reading with the %d of %d cores that may be used", n, of)
		}
		return fmt.Sprintf("reading with %d cores", n)
	}
	node := c.p.cores(home)
	one, err := measure("one core", node[:1], 1)
	if err != nil {
		return err
	}
	if one != 0 {
		x.CoreBytesPerSecond = one
		c.source("memory.core_bandwidth", "reading with one core")
	}
	all, err := measure("a node", node, 1)
	if err != nil || one == 0 {
		return err
	}
	all = max(all, one)
	if x.NodesPerDomain == 1 {
		x.BytesPerSecond = all
		c.source("memory.bandwidth", said(len(node), m.CoresPerNode))
		return nil
	}
	x.NodeBytesPerSecond = all
	c.source("memory.node_bandwidth", said(len(node), m.CoresPerNode))
	var cores []int
	nodes := 0
	for n := range m.Nodes {
		if of := c.p.cores(n); m.Domain(n) == m.Domain(home) && len(of) > 0 {
			cores, nodes = append(cores, of...), nodes+1
		}
	}
	memory, err := measure("a memory", cores, nodes)
	if err != nil || memory == 0 {
		x.BytesPerSecond = max(x.BytesPerSecond, all)
		return err
	}
	x.BytesPerSecond = max(memory, all)
	c.source("memory.bandwidth", said(len(cores), x.NodesPerDomain*m.CoresPerNode))
	return nil
}

// perSecond returns n in ps picoseconds as a rate, 0 where there is none.
func perSecond(n, ps uint64) uint64 {
	hi, lo := bits.Mul64(n, 1e12)
	if ps == 0 || hi >= ps {
		return 0
	}
	q, _ := bits.Div64(hi, lo, ps)
	return q
}

// Digits rounds a measurement to four significant digits, halves up: more would say that it is
// sure.
func Digits(x uint64) uint64 {
	unit := uint64(1)
	for x/unit >= 10_000 {
		unit *= 10
	}
	if up := x/unit*unit + unit; unit > 1 && up > x && up-x <= unit/2 {
		return up
	}
	return x / unit * unit
}
