package goprogram

import (
	"math/bits"

	"krdlab/hw"
	"krdlab/krd"
)

// A level is a cache of the machine, and from which distance on accesses are counted as beyond it: the bins of
// distances are between powers of two.
type level struct {
	name        string
	bytes, from uint64
}

// levelsOf returns the levels of a machine, whose sizes ascend; where one is not known, it is that of
// [krd.RowLimits], and so are all of a sample, which is counted by those.
func levelsOf(m *hw.Machine, sampled bool) (levels []level) {
	for i, size := range []hw.Size{m.L1dBytes, m.L2Bytes, m.LLCBytes} {
		l := level{[]string{"L1", "L2", "the LLC"}[i], uint64(size), krd.RowLimits[i]}
		if size <= 0 || sampled {
			l.bytes = l.from
		}
		l.from = 1 << bits.Len64(l.bytes-1)
		if n := len(levels); n == 0 || l.from > levels[n-1].from {
			levels = append(levels, l)
		} else { // it holds no more than the one before
			levels[n-1].name += " and " + l.name
		}
	}
	return levels
}

// differing returns the first level beyond which rows of the tables have shares that differ, of rows with some of
// the accesses; L1 if there is none.
func (d *Document) differing(t *[tables]sums) level {
	for _, l := range d.levels {
		for _, s := range t {
			low, high := 1., 0.
			for _, p := range s {
				if float64(p.Accesses) >= fewestFar*float64(d.Accesses) {
					share := float64(p.From(l.from)) / float64(p.Accesses)
					low, high = min(low, share), max(high, share)
				}
			}
			if high-low >= fewestFar {
				return l
			}
		}
	}
	return d.levels[0]
}

// from returns how many accesses of a group have at least a distance, a power of two; first ones apart.
func from(g *krd.GroupHistogram, bytes uint64) (n uint64) {
	for _, b := range g.Bins {
		if b.FromBytes >= bytes {
			n += b.Count
		}
	}
	return n
}
