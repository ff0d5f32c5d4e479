package krd

import (
	"cmp"
	"math/bits"
)

// Bursts estimates the reuse distances of a program from a sample: bursts of all accesses; phases
// in which the accesses to drawn lines are seen; and otherwise nothing but how many accesses there
// were. Data are lines of StreamLine bytes.
//
// A reuse is known by its time, the accesses since the last one to its line, and belongs to one
// scale of times alone. Each scale is estimated from its own draws, so that the sums joined are
// over disjoint sets of reuses:
//
//	shortTime  less than SmallAccesses/2 accesses: all bursts
//	midTime    less than BurstAccesses/2: bursts that are not small
//	longTime   the rest: phases
//
// In a burst only accesses that come after half of it count: all of them that a scale has are seen,
// so that a burst that begins anywhere weighs all reuses alike. In a phase those count that come
// after FarTime accesses. A line is drawn with the chance of one in ChosenOf, so a distance is
// ChosenOf times the drawn lines between; a first access is censored at its time in the phase. The
// times of a group are estimated as of lifetimes (Kaplan and Meier, J. American Statistical
// Association 53, 1958), and a time stands for the distances that were seen of it. The rest is
// cold, or longer than any phase saw.
//
// A draw of a scale stands for its accesses, and half of those up to the draws beside it. The methods
// are for one goroutine. Watch and Dense take O(log n) of the lines of a phase.
type Bursts struct {
	// Lines is how many drawn lines a phase has at most, which ends it; 0: mostLines.
	Lines int

	all    uint64 // accesses
	bursts []burst
	phases []burstPhase
	near   recency
	far    recency
	counts []uint32 // of the burst, by group, scale and bin
	room   int      // accesses that the burst still takes
	on     bool
}

const (
	// ChosenOf lines are one that is watched, on average.
	ChosenOf = 16
	// BurstAccesses is how many accesses of a burst are looked at.
	BurstAccesses = 1 << 16
	// SmallAccesses is that of small bursts.
	SmallAccesses = 1 << 11
	// FarTime is from how many accesses between two to a line on phases estimate their distance.
	FarTime = BurstAccesses / 2
	// fewKept is how many accesses a burst or phase counts at least.
	fewKept = 256
	// mostLines are those of 2 GiB of data. They take about 150 MiB.
	mostLines = 1 << 21

	timeBits = 3 // long times are in so many halves for Kaplan and Meier's estimate
)

// The scales of times.
const (
	shortTime = iota
	midTime
	longTime
	scales
)

// A draw is a burst or a phase.
type draw struct {
	begin, end uint64 // accesses of the program, as they begin and end
	kept       uint64 // accesses that count
}

// A burst holds the observations of a burst.
type burst struct {
	draw
	small bool
	seen  []burstCount // ascending
}

type burstCount struct {
	key uint32 // group, scale and bin
	n   uint32
}

const binBits = 5

func burstKey(group uint32, scale int, bin int) uint32 {
	return group<<(binBits+2) | uint32(scale)<<binBits | uint32(bin)
}

// A burstPhase holds the observations of a phase.
type burstPhase struct {
	draw
	far     map[farKey]uint32
	deepest uint64 // distance of a first access at the end, which is the most it could see
}

// A farKey is accesses of a group of a long time, in a fine bin, and a distance's bin; censored: the
// time is at least that, and the distance is not known.
type farKey struct {
	group uint32
	time  uint16
	bin   uint8
}

const censored = coldBin

// fineTime returns the fine bin of a time of at least FarTime.
func fineTime(n uint64) uint16 {
	k := bits.Len64(n)
	return uint16(k<<timeBits | int(n>>(k-1-timeBits)&(1<<timeBits-1)))
}

// Begin begins a phase; a burst follows.
func (b *Bursts) Begin() {
	b.phases = append(b.phases, burstPhase{draw{begin: b.all, end: b.all}, map[farKey]uint32{}, 0})
	b.far.reset()
	b.on = true
}

// Pause ends a phase, if there is one.
func (b *Bursts) Pause() { b.on = false }

// Burst begins a burst, which may be a small one: it takes less time.
func (b *Bursts) Burst(small bool) {
	b.endBurst()
	b.near.reset()
	b.room = BurstAccesses
	if small {
		b.room = SmallAccesses
	}
	b.bursts = append(b.bursts, burst{draw: draw{begin: b.all}, small: small})
}

// Room returns how many accesses a burst still takes.
func (b *Bursts) Room() int { return b.room }

// Count counts accesses of the program. Those that a burst or phase has of them are given next.
func (b *Bursts) Count(n uint64) {
	b.all += n
	if b.on {
		b.phases[len(b.phases)-1].end = b.all
	}
}

// Dense takes an access of a burst, if there is room.
func (b *Bursts) Dense(line uint64, group uint32) {
	if b.room == 0 {
		return
	}
	b.room--
	x := &b.bursts[len(b.bursts)-1]
	half, seen := BurstAccesses/2, uint64(BurstAccesses-b.room)
	if x.small {
		half, seen = SmallAccesses/2, uint64(SmallAccesses-b.room)
	}
	between, when, first := b.near.access(line, seen)
	if b.room >= half {
		return
	}
	x.kept++
	time, scale := seen-when, shortTime
	switch {
	case first || time >= uint64(half):
		scale, between = longTime, 0 // or of any scale that is none of the burst's
	case time >= SmallAccesses/2:
		scale = midTime
	}
	at := int(burstKey(group, scale, bits.Len64(uint64(between)*StreamLine)))
	if at >= len(b.counts) {
		b.counts = append(b.counts, make([]uint32, at+1-len(b.counts)+1<<(binBits+4))...)
	}
	b.counts[at]++
}

// endBurst keeps what the burst has counted.
func (b *Bursts) endBurst() {
	for at, n := range b.counts {
		if n > 0 {
			x := &b.bursts[len(b.bursts)-1]
			x.seen = append(x.seen, burstCount{uint32(at), n})
			b.counts[at] = 0
		}
	}
}

// Watch takes an access of a phase to a line that is drawn. Count has counted it, and so many that
// follow.
func (b *Bursts) Watch(line uint64, group uint32, follow uint64) {
	if !b.on {
		return
	}
	p := &b.phases[len(b.phases)-1]
	now := b.all - p.begin - follow
	between, when, first := b.far.access(line, now)
	d := uint64(between) * StreamLine * ChosenOf
	p.deepest = max(p.deepest, d)
	if b.far.known >= cmp.Or(b.Lines, mostLines) {
		p.end = b.all - follow
		b.Pause()
	}
	if now < FarTime || !first && now-when < FarTime {
		return
	}
	k := farKey{group, fineTime(now), censored}
	if !first {
		k.time, k.bin = fineTime(now-when), uint8(bits.Len64(d))
	}
	p.far[k]++
}
