package krd

import "math/bits"

// Bursts estimates the reuse distances of a program of which only a sample is known: phases in which
// accesses to chosen lines are seen, with bursts in them of which all accesses are, and between the
// phases nothing but how many accesses there were. Data are lines of StreamLine bytes.
//
// Distances of less than NearBytes are from bursts. The share of others, and their distances, are
// from the chosen lines: one line of ChosenOf is one, so the lines between two accesses to one of
// them are as many times more, and so are the accesses. What comes before a burst, or a phase, has
// seen NearBytes is not counted, since nobody knows what was before. After that a first access
// is at least as far as all that was seen; how far is estimated as of lifetimes that are censored
// (Kaplan and Meier, J. American Statistical Association 53, 1958), by group. What remains is cold,
// or beyond what any phase saw.
//
// A phase stands for its own accesses and half of those up to the next one and from the last one.
//
// The methods are for one goroutine. Watch and Dense take O(log n) of the lines of a phase.
type Bursts struct {
	phases []burstPhase
	before uint64 // accesses before the first phase
	near   recency
	far    recency
	burst  int // accesses of the burst, of at most BurstAccesses
	on     bool
}

const (
	// NearBytes is the distance up to which bursts are looked at.
	NearBytes = 256 << 10
	// ChosenOf lines are one that is watched, on average.
	ChosenOf = 16
	// BurstAccesses is how many accesses of a burst are looked at.
	BurstAccesses = 1 << 17
	// Replicates are groups of chosen lines; what differs between them tells the error.
	Replicates = 8

	nearLines = NearBytes / StreamLine
	nearBins  = 20 // of distances less than NearBytes
	fineBits  = 3  // far bins are in so many halves for Kaplan and Meier's estimate
)

// A burstPhase is what a phase has seen.
type burstPhase struct {
	on, off uint64 // accesses in it and up to the next
	settled uint64 // in it, from when on NearBytes had been seen
	warm    bool
	bursts  []nearCounts
	near    map[groupBinOf]uint32
	far     map[farKey]*[Replicates]uint32
}

type nearCounts [nearBins]uint32

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

// Begin begins a phase.
func (b *Bursts) Begin() {
	b.phases = append(b.phases, burstPhase{near: map[groupBinOf]uint32{},
		far: map[farKey]*[Replicates]uint32{}})
	b.far.reset()
	b.on, b.burst = true, BurstAccesses
}

// Pause ends a phase.
func (b *Bursts) Pause() { b.on = false }

// Burst begins a burst, in a phase.
func (b *Bursts) Burst() {
	b.near.reset()
	b.burst = 0
	p := &b.phases[len(b.phases)-1]
	p.bursts = append(p.bursts, nearCounts{})
}

// Room returns how many accesses a burst still takes.
func (b *Bursts) Room() int { return BurstAccesses - b.burst }

// Count counts accesses of the program, of the sample or not.
func (b *Bursts) Count(n uint64) {
	if len(b.phases) == 0 {
		b.before += n
		return
	}
	p := &b.phases[len(b.phases)-1]
	if !b.on {
		p.off += n
		return
	}
	p.warm = p.warm || b.far.known*ChosenOf >= nearLines || p.on >= warmAccesses
	p.on += n
	if p.warm {
		p.settled += n
	}
}

// warmAccesses is how many accesses without NearBytes of lines show that there are few far ones.
const warmAccesses = 1 << 21

// Dense takes an access of a burst, if there is room.
func (b *Bursts) Dense(line uint64, group uint32) {
	if b.burst >= BurstAccesses {
		return
	}
	b.burst++
	between, first := b.near.access(line)
	if first || between >= nearLines || b.near.known < nearLines && b.burst < BurstAccesses/2 {
		return
	}
	p := &b.phases[len(b.phases)-1]
	bin := bits.Len64(uint64(between) * StreamLine)
	p.bursts[len(p.bursts)-1][bin]++
	p.near[groupBinOf{group, uint8(bin)}]++
}

// Watch takes an access of a phase to a line that is chosen; replicate is the group of chosen lines
// that it is in. Count counts it too.
func (b *Bursts) Watch(line uint64, group uint32, replicate int) {
	between, first := b.far.access(line)
	d := uint64(between) * StreamLine * ChosenOf
	p := &b.phases[len(b.phases)-1]
	if !p.warm || d < NearBytes && !first {
		return
	}
	k := farKey{group, fineBin(max(d, NearBytes)), first}
	n := p.far[k]
	if n == nil {
		n = new([Replicates]uint32)
		p.far[k] = n
	}
	n[replicate%Replicates]++
}
