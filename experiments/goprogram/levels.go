package goprogram

import (
	"math/bits"

	"krdlab/hw"
	"krdlab/krd"
)

// A Level is a cache of the machine, and from which distance on accesses are counted as beyond it: the bins of
// distances are between powers of two.
type Level struct {
	Name  string `json:"name"`
	Bytes uint64 `json:"bytes"`
	From  uint64 `json:"from_bytes"`
}

// levelsOf returns the levels of a machine, whose sizes ascend; where one is not known, it is that of
// [krd.RowLimits], and so are all of a sample, which is counted by those.
func levelsOf(m *hw.Machine, sampled bool) (levels []Level) {
	for i, size := range []hw.Size{m.L1dBytes, m.L2Bytes, m.LLCBytes} {
		l := Level{[]string{"L1", "L2", "the LLC"}[i], uint64(size), krd.RowLimits[i]}
		if size <= 0 || sampled {
			l.Bytes = l.From
		}
		l.From = 1 << bits.Len64(l.Bytes-1)
		if n := len(levels); n == 0 || l.From > levels[n-1].From {
			levels = append(levels, l)
		} else { // it holds no more than the one before
			levels[n-1].Name += " and " + l.Name
		}
	}
	return levels
}

// differing returns the first level beyond which rows of the tables have shares that differ, of rows with some of
// the accesses; L1 if there is none.
func (d *Document) differing(t *[tables]sums) Level {
	for _, l := range d.Levels {
		for _, s := range t {
			low, high := 1., 0.
			for _, p := range s {
				if float64(p.Accesses) >= fewestFar*float64(d.Accesses) {
					share := float64(p.From(l.From)) / float64(p.Accesses)
					low, high = min(low, share), max(high, share)
				}
			}
			if high-low >= fewestFar {
				return l
			}
		}
	}
	return d.Levels[0]
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

// A reach is how many accesses need a cache, or more than all.
type reach struct {
	name, colour string
	n            uint64
}

// reaches splits the accesses of a part by what they need, the nearest first.
func (d *Document) reaches(x *Part) (list []reach) {
	near := []string{"#BFBFBF", "#56B4E9", "#0072B2"}
	before := x.Accesses - x.First()
	for i, l := range d.Levels {
		beyond := x.From(l.From)
		list = append(list, reach{"in " + l.Name, near[i], before - beyond})
		before = beyond
	}
	return append(list, reach{"beyond " + d.Levels[len(d.Levels)-1].Name, "#D55E00", before},
		reach{"cold", "#E69F00", x.First()})
}
