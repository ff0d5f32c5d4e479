package cachemodel

import "krdlab/hw/machine"

// A Pattern is how an access goes through its block, and with it what its lines take.
type Pattern uint8

// The patterns.
const (
	// Rows are short: no prefetcher follows them, and the work with each line leaves room for few
	// misses beside it (machine.Memory.OverlapMisses). They are waited for.
	Rows Pattern = iota
	// Stream is runs of at least StreamLines lines. The first of them are as rows; the others,
	// which prefetchers are ahead of, take what a core's bandwidth from their level allows, while
	// the core computes.
	Stream
	// Gather is single words here and there, also those of a column, which do not wait for each
	// other (machine.Memory.GatherMisses).
	Gather
)

const (
	// StreamLines is how long a run is at least that counts as a stream.
	StreamLines = 8
	// startLines is how many lines of a run come before a prefetcher is ahead. Like StreamLines it
	// is an estimate, which heat bears out, whose rows are 2 KiB (doc.go, Rejected).
	startLines = 3
	// wordBytes is how long rows are at most that are words apart, as in a column of a matrix.
	wordBytes = 8
)

// A way is how a block is gone through that is not gathered.
type way struct {
	lines   uint64 // of the block; by blocks only
	pattern Pattern
	starts  uint32 // of a stream: the share of its lines at the beginnings of runs, in 2^-shareBits
}

const (
	shareBits  = 10
	gatherBits = 16
)

// waysOf returns the ways through blocks. Rows with less than a line between them are one run.
func waysOf(blocks []Block, line uint64) []way {
	list := make([]way, len(blocks))
	for i := range blocks {
		b := &blocks[i]
		run, runs := b.RowBytes, uint64(b.Rows)
		if b.Stride-b.RowBytes < line {
			run, runs = run+b.Stride*(runs-1), 1
		}
		lines := (run + line - 1) / line
		var w way
		switch {
		case lines >= StreamLines:
			w.pattern, w.starts = Stream, uint32(startLines<<shareBits/lines)
		case runs > 1 && b.RowBytes <= wordBytes:
			w.pattern = Gather
		}
		list[i] = w
	}
	return list
}

// A cost is the time of lines, in picoseconds: in short rows, their latencies over the number of
// misses that overlap, in 2^-shareBits; and in a stream.
type cost struct{ rows, stream uint64 }

func (c *cost) add(lines uint64, each cost) {
	c.rows += lines * each.rows
	c.stream += lines * each.stream
}

// beyond returns what c is more than paid.
func (c cost) beyond(paid cost) cost {
	return cost{max(c.rows, paid.rows) - paid.rows, max(c.stream, paid.stream) - paid.stream}
}

// farther returns the one with more latency.
func farther(a, b cost) cost {
	if b.rows > a.rows {
		return b
	}
	return a
}

// of returns what the lines of c take in an access: the core waits, or computes meanwhile.
func (m *Model) of(c cost, w *way, gather bool) (waits, beside uint64) {
	switch {
	case w.pattern == Gather || gather:
		return 0, c.rows >> shareBits * m.gather >> gatherBits
	case w.pattern == Rows:
		return c.rows >> shareBits, 0
	}
	starts := uint64(w.starts)
	return c.rows >> shareBits * starts >> shareBits,
		c.stream * (1<<shareBits - starts) >> shareBits
}

// costs fills in what a line takes by where it is. Lines of streams take longer from farther away
// in proportion to the latency, as prefetchers run ahead by a number of lines.
func (x *Model) costs(m *machine.Machine) {
	of := &m.Memory
	overlap := uint64(of.OverlapMisses)
	x.overlap = overlap
	x.gather = overlap << gatherBits / uint64(of.GatherMisses)
	each := func(latency, bandwidth, near uint64) cost {
		return cost{latency << shareBits / overlap, scaled(linePS(m, bandwidth), latency, near)}
	}
	x.l2 = each(m.L2.LatencyPS, m.L2.BytesPerSecond, m.L2.LatencyPS)
	x.llc = each(m.LLC.LatencyPS, m.LLC.BytesPerSecond, m.LLC.LatencyPS)
	x.sibling = each(m.LLC.LatencyPS+m.L2.LatencyPS, m.LLC.BytesPerSecond, m.LLC.LatencyPS)
	x.node, x.memory = make([]cost, m.Nodes*m.Nodes), make([]cost, m.Nodes*m.Domains())
	for a, row := range of.RemotePS {
		for b, ps := range row {
			c := each(ps, of.CoreBytesPerSecond, of.LocalPS)
			x.node[a*m.Nodes+b], x.memory[a*m.Domains()+m.Domain(b)] = c, c
		}
	}
}

// scaled returns ps times a quotient of latencies, rounded to the nearest.
func scaled(ps, over, under uint64) uint64 { return (ps*over + under/2) / under }

// linePS returns the time of a line at a bandwidth, rounded to the nearest; 0 for none.
func linePS(m *machine.Machine, bytesPerSecond uint64) uint64 {
	if bytesPerSecond == 0 {
		return 0
	}
	return (uint64(m.LLC.LineBytes)*1e12 + bytesPerSecond/2) / bytesPerSecond
}
