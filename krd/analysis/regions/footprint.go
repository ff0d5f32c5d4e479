package regions

import (
	"krdlab/krd/analysis"
	"krdlab/krd/analysis/shadow"
	"krdlab/loi"
)

// The footprints that are kept apart.
const (
	laneData = iota
	laneLines
	laneReads  // data that are read
	laneWrites // data that are written
	lanes
)

const lineBytes = 64

// A footprint counts what the open regions of one thread touch, each lane by itself.
type footprint struct {
	levels *shadow.Levels // apart, since moments keep them when the rest is given back
	lane   [lanes]lane
	datum  uint64
}

// A lane is data of one kind; memory is nil if it is not asked for.
type lane struct {
	memory  shadow.Runs
	fresh   []uint64 // by level: data that the region that is open there touched, and none before it
	pending []uint64
}

// pendingLen is how many accesses are gathered.
const pendingLen = 1 << 12

// newFootprint returns one without regions. data, lines: these are looked at; sized: addresses are
// numbers of units with sizes of their own, see mark.
func newFootprint(opt *Options, data, lines, sized bool) (*footprint, error) {
	f := &footprint{levels: &shadow.Levels{}, datum: opt.Datum}
	make := func(i int, o shadow.RunsOptions) (err error) {
		f.lane[i].memory, err = shadow.NewRuns(f.levels, o)
		return err
	}
	o := opt.memory()
	if sized {
		o.Datum, o.Table = 1, max(opt.Table/opt.Datum, 8)
	}
	if opt.Count == countNone {
		return f, nil
	}
	if data && opt.Count != countLines {
		for _, i := range []int{laneData, laneReads, laneWrites} {
			if i != laneData && opt.Count != countAll {
				continue
			}
			if err := make(i, o); err != nil {
				return nil, err
			}
		}
	}
	if lines && (opt.Count != countData || !data) {
		if !sized {
			o.Datum = lineBytes
		}
		if err := make(laneLines, o); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// touch makes the open regions touch some bytes.
func (f *footprint) touch(place, bytes uint64, mode loi.Mode) {
	datum, last := f.datum, place+max(bytes, 1)-1
	if f.lane[laneData].memory != nil {
		for a := place &^ (datum - 1); a <= last; a += datum {
			f.put(laneData, a)
			if f.lane[laneReads].memory == nil {
				continue
			}
			if mode&loi.In != 0 {
				f.put(laneReads, a)
			}
			if mode&loi.Out != 0 {
				f.put(laneWrites, a)
			}
		}
	}
	if f.lane[laneLines].memory != nil {
		for a := place &^ (lineBytes - 1); a <= last; a += lineBytes {
			f.put(laneLines, a)
		}
	}
}

// loop makes the open regions touch the bytes of an access of a loop, so many times.
func (f *footprint) loop(times uint64, a *analysis.Strided) {
	place, step, bytes := a.Place, uint64(a.Step), uint64(max(a.Bytes, 1))
	if a.Step < 0 {
		place, step = place+(times-1)*step, -step
	}
	for i := range f.lane {
		l, datum := &f.lane[i], f.datum
		switch {
		case l.memory == nil || i == laneReads && a.Mode&loi.In == 0 ||
			i == laneWrites && a.Mode&loi.Out == 0:
			continue
		case i == laneLines:
			datum = lineBytes
		}
		if step <= max(bytes, datum) { // no datum is left out between two
			l.memory.Span(place, (times-1)*step+bytes, l.fresh)
			continue
		}
		for at, n := place, uint64(0); n < times; at, n = at+step, n+1 {
			for d := at &^ (datum - 1); d < at+bytes; d += datum {
				l.pending = append(l.pending, d)
			}
			if len(l.pending) >= pendingLen {
				l.flush()
			}
		}
	}
}

// put adds an access, unless it is of the same datum as the one before.
func (f *footprint) put(i int, addr uint64) {
	l := &f.lane[i]
	if n := len(l.pending); n > 0 && l.pending[n-1] == addr {
		return
	}
	if l.pending = append(l.pending, addr); len(l.pending) >= pendingLen {
		l.flush()
	}
}

func (l *lane) flush() {
	if len(l.pending) > 0 {
		l.memory.Touch(l.pending, l.fresh)
		l.pending = l.pending[:0]
	}
}

// accesses works like touch, at many places.
func (f *footprint) accesses(places []uint64, bytes []uint32, modes []loi.Mode) {
	for len(places) > pendingLen {
		f.accesses(places[:pendingLen], bytes, modes)
		places, bytes, modes = places[pendingLen:], bytes[pendingLen:], modes[pendingLen:]
	}
	data, lines := &f.lane[laneData], &f.lane[laneLines]
	reads, writes := &f.lane[laneReads], &f.lane[laneWrites]
	within, before, line := f.datum-1, ^uint64(0), ^uint64(0)
	bytes, modes = bytes[:len(places)], modes[:len(places)]
	for i, place := range places {
		last := place + uint64(max(bytes[i], 1)) - 1
		if (place^last)&^within != 0 {
			f.touch(place, uint64(bytes[i]), modes[i])
			continue
		}
		a := place &^ within
		if data.memory != nil && a != before {
			data.pending, before = append(data.pending, a), a
		}
		if reads.memory != nil {
			if modes[i]&loi.In != 0 {
				reads.pending = append(reads.pending, a)
			}
			if modes[i]&loi.Out != 0 {
				writes.pending = append(writes.pending, a)
			}
		}
		if lines.memory != nil {
			for a := place &^ (lineBytes - 1); a <= last; a += lineBytes {
				if a != line {
					lines.pending, line = append(lines.pending, a), a
				}
			}
		}
	}
	f.flush()
}

// mark makes the open regions touch a unit whose number and size are known.
func (f *footprint) mark(unit uint32, bytes uint64, mode loi.Mode) {
	one := func(i int, n uint64) {
		l := &f.lane[i]
		if l.memory == nil {
			return
		}
		for level := l.memory.Mark(uint64(unit)); level < len(l.fresh); level++ {
			l.fresh[level] += n
		}
	}
	one(laneData, bytes)
	one(laneLines, (bytes+lineBytes-1)/lineBytes)
	if mode&loi.In != 0 {
		one(laneReads, bytes)
	}
	if mode&loi.Out != 0 {
		one(laneWrites, bytes)
	}
}

// enter begins a region, and returns what was touched first within the outermost until now.
func (f *footprint) enter() (first uint64) {
	f.flush()
	f.levels.Enter()
	for i := range f.lane {
		if f.lane[i].memory != nil {
			f.lane[i].fresh = append(f.lane[i].fresh, 0)
		}
	}
	return f.first()
}

// main returns the lane of data, or of lines where these alone are counted.
func (f *footprint) main() int {
	if f.lane[laneData].memory == nil {
		return laneLines
	}
	return laneData
}

// first returns how many data were touched in the outermost region until now.
func (f *footprint) first() uint64 {
	if l := &f.lane[f.main()]; l.memory != nil {
		return l.fresh[0]
	}
	return 0
}

// leave ends the innermost region, which began when first had been touched, and adds what it
// touched to n.
func (f *footprint) leave(n *node, first uint64) {
	f.flush()
	n.first += f.first() - first
	for i := range f.lane {
		l := &f.lane[i]
		if l.memory == nil {
			continue
		}
		top := len(l.fresh) - 1
		n.touched[i] += l.fresh[top]
		if i == f.main() {
			n.most = max(n.most, l.fresh[top])
		}
		l.fresh = l.fresh[:top]
	}
	f.levels.Leave()
}

func (f *footprint) flush() {
	for i := range f.lane {
		f.lane[i].flush()
	}
}

// usage returns the memory of all lanes.
func (f *footprint) usage() (sum shadow.Usage) {
	for i := range f.lane {
		if m := f.lane[i].memory; m != nil {
			u := m.Usage()
			sum.Add(&u)
		}
	}
	return sum
}
