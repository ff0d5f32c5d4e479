package regions

import (
	"context"
	"fmt"

	"krdlab/hw/cachemodel"
	"krdlab/hw/failure"
	"krdlab/hw/machine"
	"krdlab/krd/analysis"
	"krdlab/krd/analysis/loops"
	"krdlab/loi"
)

// The misses of a planned loop whose iterations are dealt to cores, by a replay of the trace: core
// 0 does all that is outside the loop, and of each instance core c has the iterations from c n/C
// on, n/C of them. All cores begin at once, and do an iteration in turn. Each has an L2, and all
// one LLC, which has all that they have; lines are kept fully associative, LRU, and a write takes a
// line from other L2s ([cachemodel]). The order of the serial run is the same with one core. For
// dependences removed by a private variable or a reduction, the other cores have lines of their
// own; the cost of making and joining them is left out.

// dealtCores are how many cores iterations are dealt to.
var dealtCores = []int{2, 4, 8}

// here stands for the computer that a trace was made on.
const here = "here"

// mostDealt is how many loops of the plan are replayed, the best.
const mostDealt = 3

// Misses are the misses of a loop of the plan, as shares of the lines that it accesses.
type Misses struct {
	L2Bytes  uint64      `json:"l2_bytes"`
	LLCBytes uint64      `json:"llc_bytes"`
	Sizes    string      `json:"sizes"` // where they are from
	Accesses uint64      `json:"accesses"`
	By       []DealtCore `json:"by"` // serially, and dealt to more and more cores
}

// A DealtCore holds the misses with so many cores.
type DealtCore struct {
	Cores     int     `json:"cores"`
	BeyondL2  float64 `json:"beyond_l2"`
	BeyondLLC float64 `json:"beyond_llc"`
}

// ErrCaches is wrapped by the error of caches whose sizes are not known.
var ErrCaches = failure.New(failure.Request, "sizes of caches")

// caches returns a machine of one node with so many cores, and where the sizes of its caches are from:
// those of a machine that is built in, or of the computer that the trace was made on.
func (o *Options) caches(h *loi.Header, cores int) (*machine.Machine, string, error) {
	name, from := o.Misses, "the machine "+o.Misses
	if name == here {
		name, from = "desktop", "the computer of the trace"
	}
	m, err := machine.ByName(name)
	if err != nil {
		return nil, "", fmt.Errorf("--misses: %w, or %s", err, here)
	}
	if o.Misses == here {
		if m.L2.Bytes, m.LLC.Bytes = h.L2Bytes, h.LLCBytes; h.L2Bytes == 0 || h.LLCBytes == 0 {
			return nil, "", failure.Errorf(failure.Request, "--misses %s: %w: the trace has none; name a "+
				"machine", here, ErrCaches)
		}
	}
	m.Nodes, m.CoresPerNode, m.LLC.Inclusive = 1, cores, true
	m.Memory.NodesPerDomain, m.Memory.RemotePS = 1, [][]uint64{{m.Memory.LocalPS}}
	m.L2.Ways, m.LLC.Ways = int(m.L2.Bytes)/m.L2.LineBytes, int(m.LLC.Bytes)/m.LLC.LineBytes
	return m, from, nil
}

// A dealt replays a loop; loop is loi.NoRegion of the serial run, in which kernel k is the k-th loop.
type dealt struct {
	loop   loi.RegionID
	cores  int
	model  *cachemodel.Model
	kernel int
	// of the instance that is open, the accesses of each iteration
	iterations [][]cachemodel.Access
	copies     map[uint32][]uint32 // blocks of all cores but the first, of one that each has for itself
}

func (d *dealt) access(core int, list []cachemodel.Access) {
	d.model.Kernel(core, d.kernel, 0, 0, list)
}

// ownBlock marks the block of a datum that each core has for itself.
const ownBlock = 1 << 31

// iteration executes one of the instance that is open.
func (d *dealt) iteration(core int, list []cachemodel.Access) {
	for i := range list {
		if b := &list[i].Block; *b&ownBlock != 0 {
			if *b &^= ownBlock; core > 0 {
				*b = d.copies[*b][core-1]
			}
		}
	}
	d.access(core, list)
}

// end deals the iterations of an instance.
func (d *dealt) end() {
	n := len(d.iterations)
	share := (n + d.cores - 1) / d.cores
	for i := range share {
		for c := range d.cores {
			if k := c*share + i; i < share && k < n && len(d.iterations[k]) > 0 {
				d.iteration(c, d.iterations[k])
			}
		}
	}
	d.iterations = d.iterations[:0]
}

// lines numbers the lines that a trace accesses.
type lines struct {
	unit   string
	number map[uint64]uint32
	layout cachemodel.Layout
	// data that several iterations of an instance access, one of them writing, where that
	// dependence is removed, and other blocks for their lines
	shared map[dealtDatum]bool
	copies map[loi.RegionID]map[uint32][]uint32
	seen   map[uint64]sharing // of the instance that is open
}

// A dealtDatum is a datum that a loop accesses at a place.
type dealtDatum struct {
	loop  loi.RegionID
	place uint64
}

// sharing is which iterations access a datum: one, or several.
type sharing struct {
	iteration        int
	several, written bool
}

// share notes an access of an iteration.
func (l *lines) share(loop loi.RegionID, iteration int, a *loi.Access) {
	at := loi.PlaceOf(l.unit, a)
	s, again := l.seen[at]
	if !again {
		s.iteration = iteration
	}
	s.several = s.several || s.iteration != iteration
	s.written = s.written || a.Mode&loi.Out != 0
	l.seen[at] = s
	datum := dealtDatum{loop, at}
	if !s.several || !s.written || l.shared[datum] {
		return
	}
	l.shared[datum] = true
	l.of(a, func(line uint64) {
		if block := l.number[line]; l.copies[loop][block] == nil {
			for range dealtCores[len(dealtCores)-1] - 1 {
				l.copies[loop][block] = append(l.copies[loop][block], l.layout.Add(lineBytes, lineBytes))
			}
		}
	})
}

// of calls do for each line of an access.
func (l *lines) of(a *loi.Access, do func(line uint64)) {
	at := loi.PlaceOf(l.unit, a)
	for line := at / lineBytes; line <= (at+max(a.Bytes, 1)-1)/lineBytes; line++ {
		do(line)
	}
}

// deal adds what the best loops of a plan miss.
func (d *Document) deal(ctx context.Context, t *loi.Trace, in *analysis.Input,
	regions map[string]loi.RegionID) error {
	planned := d.Plan[:min(len(d.Plan), mostDealt)]
	l := &lines{unit: t.Header.Unit(), number: map[uint64]uint32{}, shared: map[dealtDatum]bool{},
		copies: map[loi.RegionID]map[uint32][]uint32{}, seen: map[uint64]sharing{}}
	of := map[loi.RegionID]int{} // the kernel of a loop
	for i := range planned {
		loop := regions[planned[i].Path[len(planned[i].Path)-1]]
		of[loop] = i + 1
		for _, r := range planned[i].Removed {
			if r.By == "private" || r.By == loops.Reduced {
				l.copies[loop] = map[uint32][]uint32{}
			}
		}
	}
	walk := newLoopWalk(t, of)
	progress := loi.NewProgress(t, 2, in.Progress)
	order := loi.Order{Events: true, AllowLoss: true, Progress: progress}
	worker := -1
	for e, err := range t.Ordered(order) {
		if err != nil {
			return err
		}
		if e.Type == loi.EventRecord {
			if _, ended := walk.event(e.Event, e.Args); ended {
				clear(l.seen)
			}
			continue
		}
		if worker >= 0 && e.Worker != worker {
			d.Find(missesOfSeveral)
			return nil
		}
		worker = e.Worker
		list := e.Accesses()
		for i := range list {
			l.of(&list[i], func(line uint64) {
				if _, ok := l.number[line]; !ok {
					l.number[line] = l.layout.Add(lineBytes, lineBytes)
				}
			})
			if l.copies[walk.inside] != nil && walk.iteration > 0 {
				l.share(walk.inside, walk.iteration, &list[i])
			}
		}
	}
	var replays []*dealt
	var sizes string
	var caches *machine.Machine
	replay := func(loop loi.RegionID, cores int) error {
		m, from, err := d.opt.caches(&t.Header, cores)
		if err != nil {
			return err
		}
		model, err := cachemodel.New(m, &l.layout, cachemodel.Options{Kernels: len(planned) + 1})
		if err != nil {
			return err
		}
		replays, sizes, caches = append(replays, &dealt{loop: loop, cores: cores, model: model,
			copies: l.copies[loop]}), from, m
		return nil
	}
	if err := replay(loi.NoRegion, 1); err != nil {
		return err
	}
	for i := range planned {
		loop := regions[planned[i].Path[len(planned[i].Path)-1]]
		for _, cores := range dealtCores {
			if err := replay(loop, cores); err != nil {
				return err
			}
		}
	}
	if err := d.replay(ctx, t, order, l, replays, of); err != nil {
		return err
	}
	for i := range planned {
		x := &Misses{L2Bytes: caches.L2.Bytes, LLCBytes: caches.LLC.Bytes, Sizes: sizes}
		for _, r := range replays {
			if r.loop != loi.NoRegion && of[r.loop] != i+1 {
				continue
			}
			var c cachemodel.Counters
			for core := range r.cores {
				own := r.model.Counters(core, i+1)
				c.Add(&own)
			}
			x.Accesses = c.Lines
			share := func(n uint64) float64 { return float64(n) / float64(max(c.Lines, 1)) }
			x.By = append(x.By, DealtCore{r.cores, share(c.Lines - c.L2Hits), share(c.LLCMisses)})
		}
		planned[i].Misses = x
	}
	return nil
}

// A loopWalk follows the regions of a trace.
type loopWalk struct {
	of        map[loi.RegionID]int // the loops of the plan
	regions   []loi.Region
	stack     []openRegion
	inside    loi.RegionID // the loop of the plan that is open, outermost
	iteration int          // of it, from 1
}

type openRegion struct {
	number uint32
	region loi.RegionID
}

func newLoopWalk(t *loi.Trace, of map[loi.RegionID]int) *loopWalk {
	return &loopWalk{of: of, regions: t.Header.Registry.Regions, inside: loi.NoRegion}
}

// event takes an event, and returns whether an iteration of the open loop begins, or this has ended.
func (w *loopWalk) event(e loi.EventKind, a []uint32) (iterates, ended bool) {
	switch {
	case e == loi.EventRegion && len(a) == 3:
		region := loi.RegionID(a[0])
		w.stack = append(w.stack, openRegion{a[1], region})
		if _, planned := w.of[region]; planned && w.inside == loi.NoRegion {
			w.inside, w.iteration = region, 0
		}
		if x := &w.regions[region]; x.Kind == loi.Iteration && x.Parent == w.inside {
			w.iteration++
			return true, false
		}
	case e == loi.EventRegionEnd && len(a) == 1:
		for i := len(w.stack) - 1; i >= 0; i-- {
			if w.stack[i].number != a[0] {
				continue
			}
			for _, x := range w.stack[i:] {
				if x.region == w.inside {
					w.inside, ended = loi.NoRegion, true
				}
			}
			w.stack = w.stack[:i]
			break
		}
	}
	return false, ended
}

// replay goes through a trace for all replays.
func (d *Document) replay(ctx context.Context, t *loi.Trace, order loi.Order, l *lines,
	replays []*dealt, of map[loi.RegionID]int) error {
	walk := newLoopWalk(t, of)
	var list, own []cachemodel.Access
	for e, err := range analysis.Ordered(ctx, t, order) {
		if err != nil {
			return err
		}
		inside := walk.inside
		if e.Type == loi.EventRecord {
			iterates, ended := walk.event(e.Event, e.Args)
			for _, r := range replays {
				switch {
				case iterates && r.loop == walk.inside:
					r.iterations = append(r.iterations, nil)
				case ended && r.loop == inside:
					r.kernel = of[inside]
					r.end()
				}
			}
			continue
		}
		list, own = list[:0], own[:0]
		all := e.Accesses()
		for i := range all {
			mark := uint32(0)
			if l.copies[inside] != nil && l.shared[dealtDatum{inside, loi.PlaceOf(l.unit, &all[i])}] {
				mark = ownBlock
			}
			l.of(&all[i], func(line uint64) {
				x := cachemodel.Access{Block: l.number[line], Write: all[i].Mode&loi.Out != 0}
				list = append(list, x)
				x.Block |= mark
				own = append(own, x)
			})
		}
		for _, r := range replays {
			if r.kernel = of[inside]; inside == loi.NoRegion {
				r.kernel = 0
			}
			if last := len(r.iterations) - 1; r.loop == inside && last >= 0 {
				r.iterations[last] = append(r.iterations[last], own...)
			} else {
				r.access(0, list)
			}
		}
	}
	return nil
}
