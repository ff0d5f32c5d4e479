package regions

import (
	"fmt"

	"krdlab/hw/failure"
	"krdlab/krd/analysis"
	"krdlab/krd/analysis/loops"
	"krdlab/krd/analysis/shadow"
	"krdlab/loi"
)

// A program follows the regions of the threads of a program, each by itself: a region touches the
// data that its thread touches between its begin and its end.
//
// Recursion is folded: a region of the source that is open already on its thread is not opened
// again. Its accesses belong to the one that is open, and it is no instance. So a path has each
// region once, and there are no more levels than regions.
type program struct {
	opt     *Options
	header  *loi.Header
	tree    *tree
	threads []*thread // by worker
	unit    string    // of places in a trace
	data    bool      // places of data are known, not only lines
	lines   bool
	all     uint64 // accesses
	outside uint64 // of them, outside all regions
	began   int    // threads that did something
	sized   bool   // data are units, with sizes of their own
	seen    *shadow.Seen
	datum   uint64 // bytes of what is in seen
	crossed uint64 // data that an outermost region touched, and another one before it
	memory  memory
	hcpa    *hcpa // nil: no operations are known
	loops   map[loi.RegionID]*loops.Verdict
}

// A thread is a goroutine, or what else a worker is.
type thread struct {
	foot  *footprint
	times *timed // with foot; nil: no path is known
	// stepped has, by number, what loops step in memory: see [loops.Stepped].
	stepped []stepped
	open    []opened
	active  []bool // by region
	inner   int32  // the node of the innermost region that has one; 0: none has
	work    uint64
	began   uint64       // work when the outermost region began
	looked  uint64       // work when memory was looked at
	usage   shadow.Usage // of memory then
}

// An opened region is open.
type opened struct {
	number uint32
	region loi.RegionID
	loop   bool
	level  int   // of its own, or of the region that it is folded into; -1: none
	node   int32 // -1: it has no level of its own
	outer  int32 // the node of the region around it, of one that has a level
	work   uint64
	first  uint64
}

func newProgram(opt *Options, h *loi.Header, data, lines bool) *program {
	datum := opt.Datum
	if !data || opt.Count == countLines {
		datum = lineBytes
	}
	return &program{opt: opt, header: h, tree: newTree(), data: data, lines: lines,
		seen: shadow.NewSeen(datum), datum: datum}
}

func (p *program) thread(worker int) (*thread, error) {
	for len(p.threads) <= worker {
		p.threads = append(p.threads, nil)
	}
	if t := p.threads[worker]; t != nil {
		return t, nil
	}
	t := &thread{}
	p.threads[worker] = t
	p.began++
	return t, nil
}

// ErrDepth is wrapped by the error of a program whose regions nest too deeply.
var ErrDepth = failure.New(failure.Capability, "too many levels of regions")

// Enter implements [analysis.Live].
func (p *program) Enter(worker int, region loi.RegionID, number uint32) error {
	t, err := p.thread(worker)
	if err != nil {
		return err
	}
	t.open = append(t.open, opened{})
	x := &t.open[len(t.open)-1] // not made beside it: a program enters often
	x.number, x.region, x.level, x.node = number, region, -1, -1
	kind := p.header.Registry.Regions[region].Kind
	if n := int(region) + 1 - len(t.active); n > 0 {
		t.active = append(t.active, make([]bool, n)...)
	}
	if (kind != loi.Iteration || p.opt.Iterations) && !t.active[region] {
		if t.foot == nil {
			if t.foot, err = newFootprint(p.opt, p.data, p.lines, p.sized); err != nil {
				return err
			}
			t.began = t.work
			if t.times, err = p.hcpa.memory(p.opt, t.foot.levels); err != nil {
				return err
			}
		}
		if t.foot.levels.Depth() == shadow.MaxDepth {
			return fmt.Errorf("%w: %d", ErrDepth, shadow.MaxDepth)
		}
		t.active[region] = true
		x.outer, x.node = t.inner, int32(p.tree.step(int(t.inner), frame{kind.String(), int(region)}))
		t.inner = x.node
		x.work, x.first = t.work, t.foot.enter()
		if t.times != nil {
			t.times.enter()
		}
	}
	if x.loop = kind == loi.Loop; t.foot != nil {
		x.level = t.foot.levels.Depth() - 1
	}
	return nil
}

// Leave implements [analysis.Live].
func (p *program) Leave(worker int, number uint32) error {
	t, err := p.thread(worker)
	if err != nil {
		return err
	}
	for i := len(t.open) - 1; i >= 0; i-- {
		if t.open[i].number == number {
			p.leave(t, i, false)
			break
		}
	}
	return nil
}

// leave ends all regions of a thread but the first n. Of a thread without any, the memory is given
// back.
func (p *program) leave(t *thread, n int, unended bool) {
	for i := len(t.open) - 1; i >= n; i-- {
		x := &t.open[i]
		if x.node < 0 {
			continue
		}
		t.active[x.region] = false
		t.inner = x.outer
		at := &p.tree.nodes[x.node]
		at.instances++
		at.work += t.work - x.work
		if unended {
			at.unended++
		}
		if t.times != nil {
			t.times.leave(&at.paths, t.work-x.work)
		}
		t.foot.leave(at, x.first)
	}
	t.open = t.open[:n]
	if t.foot == nil {
		return
	}
	if t.foot.levels.Depth() == 0 {
		p.look(t)
		p.memory.change(t, t.usage.Gone())
		t.foot, t.times, t.usage = nil, nil, shadow.Usage{}
	}
}

// found adds what the outermost region of a thread touched to what any did.
func (p *program) found(t *thread) {
	if p.sized || !p.data && !p.lines || p.opt.Count == countNone {
		return
	}
	l := &t.foot.lane[laneData]
	if l.memory == nil {
		l = &t.foot.lane[laneLines]
	}
	p.crossed += p.seen.Add(l.memory.First())
}

// did notes accesses of a thread.
func (p *program) did(t *thread, n uint64) {
	if p.hcpa == nil {
		t.work += n
	}
	if p.all += n; t.foot == nil {
		p.outside += n
	}
}

// The memory of a thread is looked at after so many accesses, and earlier after an eighth of what
// its outermost region made: many threads that wait have few each.
const (
	lookEvery = 1 << 14
	lookShare = 8
)

// touched looks at the memory of a thread, which made accesses, if it is time.
func (p *program) touched(t *thread) {
	if t.work-t.looked >= min((t.work-t.began)/lookShare, lookEvery) {
		p.look(t)
	}
}

// look notes what the memory of a thread takes.
func (p *program) look(t *thread) {
	t.foot.flush()
	p.found(t)
	t.looked = t.work
	p.memory.change(t, t.memory())
	p.memory.peak = max(p.memory.peak, p.memory.sum.Total.Peak, p.memory.sum.Total.Now+p.seen.Bytes())
}

// memory returns the size of a thread's shadow memory.
func (t *thread) memory() shadow.Usage {
	u := t.foot.usage()
	if t.times != nil {
		more := t.times.memory.Usage()
		u.Add(&more)
	}
	return u
}

// A memory sums up the sizes of all threads' shadow memories.
type memory struct {
	sum  shadow.Usage
	peak uint64 // with what all touched, in bytes
}

func (m *memory) change(t *thread, to shadow.Usage) {
	m.sum.Change(&t.usage, &to)
	t.usage = to
}

// ended ends the regions of a thread that are still open.
func (p *program) ended(worker int) {
	if worker < len(p.threads) && p.threads[worker] != nil {
		p.leave(p.threads[worker], 0, true)
		p.threads[worker] = nil
	}
}

// Accesses implements [analysis.Live].
func (p *program) Accesses(worker int, places []uint64, bytes []uint32, modes []loi.Mode) error {
	t, err := p.thread(worker)
	if err != nil {
		return err
	}
	p.did(t, uint64(len(places)))
	if t.foot == nil {
		return nil
	}
	t.foot.accesses(places, bytes, modes)
	p.touched(t)
	return nil
}

// Loop implements [analysis.Live]. Which data it touches does not depend on the order.
func (p *program) Loop(worker int, times uint64, accesses []analysis.Strided) error {
	t, err := p.thread(worker)
	if err != nil {
		return err
	}
	p.did(t, times*uint64(len(accesses)))
	if t.foot == nil {
		return nil
	}
	for i := range accesses {
		t.foot.loop(times, &accesses[i])
	}
	p.touched(t)
	return nil
}
