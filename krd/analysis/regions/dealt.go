package regions

import (
	"context"
	"fmt"

	"krdlab/hw/cachemodel"
	"krdlab/hw/failure"
	"krdlab/hw/machine"
	"krdlab/krd/analysis"
	"krdlab/loi"
)

// The misses of a planned loop whose iterations are dealt to cores, by a replay of the trace: what is
// outside the loop is done by core 0, and of each instance core c has the iterations from c n/C on,
// n/C of them. All cores begin at once, and do an iteration in turn. Each has an L2, and all one LLC,
// which has all that they have; lines are kept fully associative, LRU, and a write takes a line from
// other L2s ([cachemodel]). The order of the serial run is the same with one core.

// dealtCores are how many cores iterations are dealt to.
var dealtCores = []int{2, 4, 8}

// here stands for the computer that a trace was made on.
const here = "here"

// mostDealt is how many loops of the plan are replayed, the best.
const mostDealt = 3

// Misses is what a loop of the plan misses, as shares of the lines that it accesses.
type Misses struct {
	L2Bytes  uint64      `json:"l2_bytes"`
	LLCBytes uint64      `json:"llc_bytes"`
	Sizes    string      `json:"sizes"` // where they are from
	Accesses uint64      `json:"accesses"`
	By       []DealtCore `json:"by"` // serially, and dealt to more and more cores
}

// A DealtCore is what so many cores miss.
type DealtCore struct {
	Cores     int     `json:"cores"`
	BeyondL2  float64 `json:"beyond_l2"`
	BeyondLLC float64 `json:"beyond_llc"`
}

// ErrCaches is wrapped by the error of caches whose sizes nobody tells.
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
			return nil, "", failure.Errorf(failure.Request, "--misses %s: %w: the trace tells none; name a "+
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
}

func (d *dealt) access(core int, list []cachemodel.Access) {
	d.model.Kernel(core, d.kernel, 0, 0, list)
}

// end deals the iterations of an instance.
func (d *dealt) end() {
	n := len(d.iterations)
	share := (n + d.cores - 1) / d.cores
	for i := range share {
		for c := range d.cores {
			if k := c*share + i; i < share && k < n && len(d.iterations[k]) > 0 {
				d.access(c, d.iterations[k])
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
	l := &lines{unit: t.Header.Unit(), number: map[uint64]uint32{}}
	progress := loi.NewProgress(t, 2, in.Progress)
	order := loi.Order{Events: true, AllowLoss: true, Progress: progress}
	worker := -1
	for e, err := range t.Ordered(order) {
		if err != nil {
			return err
		}
		if e.Type == loi.EventRecord {
			continue
		}
		if worker >= 0 && e.Worker != worker {
			d.Warnings = append(d.Warnings, "misses are not known: more than one goroutine accesses data")
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
		replays, sizes, caches = append(replays, &dealt{loop: loop, cores: cores, model: model}), from, m
		return nil
	}
	if err := replay(loi.NoRegion, 1); err != nil {
		return err
	}
	of := map[loi.RegionID]int{} // the kernel of a loop
	for i := range planned {
		loop := regions[planned[i].Path[len(planned[i].Path)-1]]
		of[loop] = i + 1
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

// replay goes through a trace for all replays.
func (d *Document) replay(ctx context.Context, t *loi.Trace, order loi.Order, l *lines,
	replays []*dealt, of map[loi.RegionID]int) error {
	type open struct {
		number uint32
		region loi.RegionID
	}
	var stack []open
	inside := loi.NoRegion // the loop of the plan that is open, outermost
	n := 0
	var list []cachemodel.Access
	for e, err := range t.Ordered(order) {
		if err == nil && n%checkEvery == 0 {
			err = ctx.Err()
		}
		if n++; err != nil {
			return err
		}
		switch a := e.Args; {
		case e.Type != loi.EventRecord:
			list = list[:0]
			all := e.Accesses()
			for i := range all {
				l.of(&all[i], func(line uint64) {
					list = append(list, cachemodel.Access{Block: l.number[line],
						Write: all[i].Mode&loi.Out != 0})
				})
			}
			for _, r := range replays {
				if r.kernel = of[inside]; inside == loi.NoRegion {
					r.kernel = 0
				}
				if last := len(r.iterations) - 1; r.loop == inside && last >= 0 {
					r.iterations[last] = append(r.iterations[last], list...)
				} else {
					r.access(0, list)
				}
			}
		case e.Event == loi.EventRegion && len(a) == 3:
			region := loi.RegionID(a[0])
			stack = append(stack, open{a[1], region})
			if _, planned := of[region]; planned && inside == loi.NoRegion {
				inside = region
			}
			if x := &t.Header.Registry.Regions[region]; x.Kind == loi.Iteration && x.Parent == inside {
				for _, r := range replays {
					if r.loop == inside {
						r.iterations = append(r.iterations, nil)
					}
				}
			}
		case e.Event == loi.EventRegionEnd && len(a) == 1:
			for i := len(stack) - 1; i >= 0; i-- {
				if stack[i].number != a[0] {
					continue
				}
				for _, x := range stack[i:] {
					if x.region == inside {
						for _, r := range replays {
							if r.loop == inside {
								r.kernel = of[inside]
								r.end()
							}
						}
						inside = loi.NoRegion
					}
				}
				stack = stack[:i]
				break
			}
		}
	}
	return nil
}
