// Package shadow implements vector shadow memory: for each address it keeps a vector of tags, one
// for each open region of a program, for analyses that look at all of them at once.
//
// Regions nest, so that at most one is open at each level, and the tags of a level have one place,
// whichever region is open there. A tag that was written in another region of its level is not
// valid. The memories of this package differ in how that is known, and in its cost:
//
//	Baseline  a version for each tag
//	Slim      one version for each address (SlimTV)
//	Bulk      one version for each table of addresses (BulkTV)
//
// [Runs] is for tags of one bit that are a sequence of ones and then zeros, such as "touched in
// this region"; [Vectors] for tags of any type.
//
// Source: Garcia, Jeon, Venkata and Taylor, Skadu: Efficient Vector Shadow Memories for Poly-Scopic
// Program Analysis, CGO 2013. Levels are numbered from 0 here, from 1 in the paper.
//
// # Rejected
//
//   - A set for each open region: as many entries as levels for each datum.
//   - One memory for all goroutines: a tag has room for one open region at each level, and each
//     goroutine has its own.
//   - A tag beside each version, as SlimTV has it: it follows from the version.
//   - Cutting down the same short part of a table again and again, in place of all of it once: no
//     gain (flate: 3.7 s of the memory's own time).
//   - A thread that clears the tables of levels that ended: a table is cleared at its next use, by
//     the core that then writes it.
//
//go:generate go run ./gen
package shadow

// A Version is the number of a dynamic region: regions have them in the order in which they begin,
// from 1. A version of 0 is older than all.
type Version uint64

// Levels are the regions of one thread that are open, outermost first: the version vector. The zero
// value has none.
type Levels struct {
	open []Version
	last Version
}

// Enter begins a region within those that are open.
func (l *Levels) Enter() {
	l.last++
	l.open = append(l.open, l.last)
}

// Leave ends the innermost region.
func (l *Levels) Leave() { l.open = l.open[:len(l.open)-1] }

// Depth returns the number of regions that are open.
func (l *Levels) Depth() int { return len(l.open) }

// Innermost returns the version of the innermost region, 0 if none is open.
func (l *Levels) Innermost() Version {
	if len(l.open) == 0 {
		return 0
	}
	return l.open[len(l.open)-1]
}

// At returns the version of the region that is open at a level.
func (l *Levels) At(level int) Version { return l.open[level] }

// Valid returns at how many levels, from the outermost on, a tag is valid that was written when the
// innermost region was v: those whose regions had begun by then. Theorem 1 of the paper (3.2): the
// tag of level i is valid if and only if the version of the region open at i is at most v. Cost:
// linear in the levels that are not valid.
func (l *Levels) Valid(v Version) int {
	n := len(l.open)
	for n > 0 && l.open[n-1] > v {
		n--
	}
	return n
}
