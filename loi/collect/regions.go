package collect

import (
	"krdlab/loi"
)

// An Act is an act of a goroutine beside its accesses: a region of the source began or ended, or it
// waited for others, or let them go on.
type Act struct {
	After     int // so many accesses of the batch
	Goroutine uint64
	Time      uint64 // ticks; it ascends for a goroutine, together with those of its turns
	Kind      loi.EventKind
	// Number is which region of EventRegion and EventRegionEnd, 0: there were 2^32 before it; or which
	// goroutine of EventGo, EventStart and EventEnd; or which operation of EventOperation, from 1.
	Number  uint32
	Region  int // of EventRegion: its number in the sources
	*Waited     // nil: of regions and operations, the most frequent ones
}

// Waited is what an act of goroutines that wait for others has beside.
type Waited struct {
	Entry uint64     // of EventStart: address of the function that it runs
	Away  uint64     // of EventGo and EventEnd: ticks off its thread
	Sync  *loi.Sync  // of EventSync, without its Object
	Begun *loi.Begun // of EventBegun, without its Object and Where; nil: it was running
	PCs   []uint64   // of EventBegun: where it was called, the innermost first
	Class int        // of the Object; -1: none
	Real  uint64     // of EventSync: address of the Object in the program; 0: none
	Site  int        // of EventSync: that of an atomic operation, from 1; 0: none
	Span             // of EventSync
}

// An openRegion has begun in a goroutine and not ended.
type openRegion struct {
	region int
	depth  uint64 // how many regions of functions are open with it
	number uint32
	kernel int // that the source names, of the innermost region up to it; 0: none
}

// Of events of regions.
const (
	depthShift = 32
	depthMask  = 1<<24 - 1
	regionMask = 1<<32 - 1
)

// region takes an event of a region; at is its time.
func (r *Reader) region(t *thread, e event, at uint64) error {
	if err := r.turn(t, at); err != nil {
		return err
	}
	t.recent = max(t.recent, at)
	depth, n := e[1]>>depthShift&depthMask, int(e[1]&regionMask)
	if n > len(r.Regions) || (n == 0 || depth == 0) && e.kind() != kindLeave {
		r.Odd++
		return nil
	}
	switch e.kind() {
	case kindEnter:
		r.leave(t, depth, at)
		r.enter(t, depth, n, at)
	case kindLeave:
		for i := len(t.regions) - 1; depth == 0 && i >= 0; i-- {
			if r.Regions[t.regions[i].region-1].Late {
				depth = t.regions[i].depth
			}
		}
		if depth > 0 {
			r.leave(t, depth, at)
		}
	case kindLoop:
		r.leave(t, depth+1, at)
		r.within(t, depth, r.Regions[n-1].Parent, at)
		r.enter(t, depth, n, at)
	case kindIteration:
		r.leave(t, depth+1, at)
		loop := r.Regions[n-1].Parent
		if !r.within(t, depth, loop, at) { // a goto has led to it
			r.within(t, depth, r.Regions[loop-1].Parent, at)
			r.enter(t, depth, loop, at)
		}
		r.enter(t, depth, n, at)
	case kindLoopEnd:
		r.leave(t, depth+1, at)
		r.within(t, depth, r.Regions[n-1].Parent, at)
	case kindGoto:
		r.leave(t, depth+1, at)
		if x := &r.Regions[n-1]; !r.within(t, depth, n, at) && x.Kind == loi.Loop {
			r.within(t, depth, x.Parent, at) // it has led to the label of that loop
			r.enter(t, depth, n, at)
		}
	}
	return r.full()
}

func (r *Reader) enter(t *thread, depth uint64, region int, at uint64) {
	r.numbers++
	x := openRegion{region: region, depth: depth}
	if r.numbers < 1<<32 {
		x.number = uint32(r.numbers)
	}
	if n := len(t.regions); n > 0 {
		x.kernel = t.regions[n-1].kernel
	}
	if k := r.Regions[region-1].Kernel; k != "" {
		x.kernel = r.kernel(k)
	}
	t.regions, t.kernel = append(t.regions, x), x.kernel
	r.act(t, Act{Time: at, Kind: loi.EventRegion, Region: region, Number: x.number})
}

// leave ends all regions of a goroutine from a depth on.
func (r *Reader) leave(t *thread, depth, at uint64) {
	n := len(t.regions)
	for n > 0 && t.regions[n-1].depth >= depth {
		n--
	}
	r.cut(t, n, at)
}

// within ends the regions open at the present depth in a region, and reports that there is that
// one.
func (r *Reader) within(t *thread, depth uint64, region int, at uint64) bool {
	for i := len(t.regions) - 1; i >= 0 && t.regions[i].depth == depth; i-- {
		if t.regions[i].region == region {
			r.cut(t, i+1, at)
			return true
		}
	}
	return false
}

// cut ends the regions of a goroutine but the first n.
func (r *Reader) cut(t *thread, n int, at uint64) {
	if n == len(t.regions) {
		return
	}
	for i := len(t.regions) - 1; i >= n; i-- {
		r.act(t, Act{Time: at, Kind: loi.EventRegionEnd, Number: t.regions[i].number})
	}
	t.regions = t.regions[:n]
	if t.kernel = 0; n > 0 {
		t.kernel = t.regions[n-1].kernel
	}
}

// label takes the name of a kernel by a label, as soon as it is whole.
func (r *Reader) label(t *thread, at uint64) error {
	if len(t.text) < t.textBytes {
		return nil
	}
	if err := r.turn(t, at); err != nil {
		return err
	}
	if t.label = 0; t.textBytes > 0 {
		t.label = r.kernel(string(t.text[:t.textBytes]))
	}
	return nil
}

// kernel returns the number of a kernel that the source names.
func (r *Reader) kernel(name string) int {
	n, ok := r.kernels[name]
	if !ok {
		r.Kernels = append(r.Kernels, name)
		n = len(r.Kernels)
		r.kernels[name] = n
	}
	return n
}
