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
	kept   []int // the lanes that are asked for
	datum  uint64
	places []uint64 // of the accesses of one mode, while these are touched
	bytes  []uint32
	// waiting is false where all lanes' pending are empty.
	waiting bool
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
		f.kept = append(f.kept, i)
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
	for _, i := range f.kept {
		if i == laneReads && mode&loi.In == 0 || i == laneWrites && mode&loi.Out == 0 {
			continue
		}
		datum := f.datum
		if i == laneLines {
			datum = lineBytes
		}
		for a, last := place&^(datum-1), place+max(bytes, 1)-1; a <= last; a += datum {
			f.put(i, a)
		}
	}
}

// loop makes the open regions touch the bytes of an access of a loop, so many times.
func (f *footprint) loop(times uint64, a *analysis.Strided) {
	place, step, bytes := a.Place, uint64(a.Step), uint64(max(a.Bytes, 1))
	if a.Step < 0 {
		place, step = place+(times-1)*step, -step
	}
	f.waiting = true
	for _, i := range f.kept {
		l, datum := &f.lane[i], f.datum
		switch {
		case i == laneReads && a.Mode&loi.In == 0 || i == laneWrites && a.Mode&loi.Out == 0:
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
	f.waiting = true
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
	f.flush()
	for _, i := range f.kept {
		l := &f.lane[i]
		if i == laneData || i == laneLines {
			l.memory.Accesses(places, bytes, l.fresh)
			continue
		}
		mode := loi.In
		if i == laneWrites {
			mode = loi.Out
		}
		f.places, f.bytes = f.places[:0], f.bytes[:0]
		for n, m := range modes[:len(places)] {
			if m&mode != 0 {
				f.places, f.bytes = append(f.places, places[n]), append(f.bytes, bytes[n])
			}
		}
		l.memory.Accesses(f.places, f.bytes, l.fresh)
	}
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
	for _, i := range f.kept {
		f.lane[i].fresh = append(f.lane[i].fresh, 0)
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
	for _, i := range f.kept {
		l := &f.lane[i]
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
	if !f.waiting {
		return
	}
	for _, i := range f.kept {
		f.lane[i].flush()
	}
	f.waiting = false
}

// usage returns the memory of all lanes.
func (f *footprint) usage() (sum shadow.Usage) {
	for _, i := range f.kept {
		u := f.lane[i].memory.Usage()
		sum.Add(&u)
	}
	return sum
}
