package krd

import "math/bits"

// Bursts estimates the reuse distances of a program of which only a sample is known: bursts of all
// accesses; phases in which the accesses to chosen lines are seen; and otherwise nothing but how
// many accesses there were. Data are lines of StreamLine bytes.
//
// Distances of less than SmallBytes are from all bursts, others of less than NearBytes from those
// that are not small, and in bursts alone the share of those beyond. What comes before a burst has
// seen as much, or half of its accesses, is not counted, since nobody knows what was before. After
// that a first access is beyond. In phases that share is from the chosen lines, of which one of
// ChosenOf is one, so there are as many times more lines between two accesses to one of them, and
// as many times more such accesses. So are the distances of far accesses: a first access is at
// least as far as all that the phase has seen. How far is estimated as of lifetimes that are
// censored (Kaplan and Meier, J. American Statistical Association 53, 1958), by group. What
// remains is cold, or beyond what any phase saw.
//
// A burst stands for its accesses, half of those since the one before, and half of those up to the
// next. Far accesses between two phases have the distances of both, of the nearer one more.
//
// The methods are for one goroutine. Watch and Dense take O(log n) of the lines of a phase.
type Bursts struct {
	cells  []burstCell
	phases []burstPhase
	before uint64 // accesses before the first cell
	near   recency
	far    recency
	counts []uint32 // of the burst, by group and bin: group << binBits | bin
	room   int      // accesses that the burst still takes
	half   int      // after so many are left it counts anyway
	lines  int      // distances of fewer
	on     bool
}

const (
	// NearBytes is the distance up to which bursts are looked at.
	NearBytes = 128 << 10
	// ChosenOf lines are one that is watched, on average.
	ChosenOf = 16
	// BurstAccesses is how many accesses of a burst are looked at.
	BurstAccesses = 1 << 16
	// SmallBytes and SmallAccesses are those of small bursts.
	SmallBytes    = 4 << 10
	SmallAccesses = 1 << 11
	// fewKept is how many accesses a burst that is cut short counts at least.
	fewKept = 256
	// Replicates are groups of chosen lines; what differs between them tells the error.
	Replicates = 8

	nearLines = NearBytes / StreamLine
	nearBins  = 19 // of distances less than NearBytes
	smallBins = 13 // and less than SmallBytes
	fineBits  = 3  // far bins are in so many halves for Kaplan and Meier's estimate

	// warmAccesses is how many accesses without NearBytes of lines show that there are few far ones.
	warmAccesses = 1 << 21
)

// A burstCell is a burst and what follows up to the next.
type burstCell struct {
	all   uint64                // accesses
	own   uint64                // of those, while the burst was
	phase int                   // that it is in, -1: none
	near  map[groupBinOf]uint32 // of bursts that have ended
	kept  uint32                // accesses that are counted: near ones and
	far   uint32
	small bool
}

// A burstPhase is what a phase has seen.
type burstPhase struct {
	first, last int // cells
	all         uint64
	settled     uint64 // accesses from when on NearBytes had been seen
	warm        bool
	far         map[farKey]*[Replicates]uint32
	count       uint64 // of far
	deepest     uint64 // distance of a first access at the end, which is the most it could see
}

type groupBinOf struct {
	group uint32
	bin   uint8
}

// A farKey is far accesses of a group whose distance is in a fine bin, or at least there.
type farKey struct {
	group    uint32
	fine     uint16
	censored bool
}

// fineBin is the fine bin of a distance of at least NearBytes.
func fineBin(d uint64) uint16 {
	n := bits.Len64(d)
	return uint16(n<<fineBits | int(d>>(n-1-fineBits)&(1<<fineBits-1)))
}

// Begin begins a phase; a burst follows.
func (b *Bursts) Begin() {
	b.phases = append(b.phases, burstPhase{first: len(b.cells), far: map[farKey]*[Replicates]uint32{}})
	b.far.reset()
	b.on = true
}

// Pause ends a phase, if there is one.
func (b *Bursts) Pause() { b.on = false }

// Burst begins a burst, which may be a small one: it tells less, and takes less time.
func (b *Bursts) Burst(small bool) {
	b.endBurst()
	b.near.reset()
	b.room, b.half, b.lines = BurstAccesses, BurstAccesses/2, nearLines
	if small {
		b.room, b.half, b.lines = SmallAccesses, SmallAccesses/2, SmallBytes/StreamLine
	}
	c := burstCell{phase: -1, small: small, near: map[groupBinOf]uint32{}}
	if b.on {
		c.phase = len(b.phases) - 1
		b.phases[c.phase].last = len(b.cells)
	}
	b.cells = append(b.cells, c)
}

// Room returns how many accesses a burst still takes.
func (b *Bursts) Room() int { return b.room }

// Count counts accesses of the program. seen says that these are given one by one next, those of
// loops at least so many that the rest is like them.
func (b *Bursts) Count(n uint64, seen bool) {
	if len(b.cells) == 0 {
		b.before += n
	} else {
		c := &b.cells[len(b.cells)-1]
		if c.all += n; seen && b.room > 0 {
			c.own += n
		}
	}
	if !b.on {
		return
	}
	p := &b.phases[len(b.phases)-1]
	p.warm = p.warm || b.far.known*ChosenOf >= nearLines || p.all >= warmAccesses
	p.all += n
	if p.warm {
		p.settled += n
	}
}

// Dense takes an access of a burst, if there is room.
func (b *Bursts) Dense(line uint64, group uint32) {
	if b.room == 0 {
		return
	}
	b.room--
	warm := b.near.known >= b.lines || b.room < b.half // before it, or the line that fills is far
	between, first := b.near.access(line)
	if !warm {
		return
	}
	c := &b.cells[len(b.cells)-1]
	if c.kept++; first || between >= b.lines {
		c.far++
		return
	}
	at := int(group)<<binBits | bits.Len64(uint64(between)*StreamLine)
	if at >= len(b.counts) {
		b.counts = append(b.counts, make([]uint32, at+1-len(b.counts)+1<<(binBits+4))...)
	}
	b.counts[at]++
}

// endBurst keeps what the burst has counted.
func (b *Bursts) endBurst() {
	for at, n := range b.counts {
		if n > 0 {
			k := groupBinOf{uint32(at >> binBits), uint8(at & (1<<binBits - 1))}
			b.cells[len(b.cells)-1].near[k] += n
			b.counts[at] = 0
		}
	}
}

const binBits = 5

// Watch takes an access of a phase to a line that is chosen; replicate is the group of chosen lines
// that it is in. Count has counted it.
func (b *Bursts) Watch(line uint64, group uint32, replicate int) {
	between, first := b.far.access(line)
	d := uint64(between) * StreamLine * ChosenOf
	p := &b.phases[len(b.phases)-1]
	if !p.warm || d < NearBytes && !first {
		return
	}
	p.count++
	p.deepest = max(p.deepest, d)
	k := farKey{group, fineBin(max(d, NearBytes)), first}
	n := p.far[k]
	if n == nil {
		n = new([Replicates]uint32)
		p.far[k] = n
	}
	n[replicate%Replicates]++
}

// farShare is the share of far accesses of a phase that has settled.
func (p *burstPhase) farShare() float64 {
	return min(1, float64(p.count)*ChosenOf/float64(p.settled))
}
