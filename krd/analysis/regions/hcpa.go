package regions

import (
	"iter"

	"krdlab/krd/flow"
	"krdlab/krd/shadow"
	"krdlab/loi"
)

// hcpa finds when the values of a Go program are there, at each level of its regions: hierarchical
// critical path analysis (Garcia, Jeon, Louie and Taylor, Kremlin, PLDI 2011; skadu paper, 5.2).
// Package flow follows the values; the mark of a place is a vector of times.
//
// The time of a value at a level is the latest of its operands, each with the cost from there, and
// of the conditions that decide whether it is computed, with the cost of all that is computed then.
// Times count from the begin of the region that is open there; what was written outside it is there
// at 0, and so is what another goroutine wrote.
//
// An operand that is marked as induction or reduction does not lengthen the path if it was written
// within the present instance of the outermost loop that the mark is for: then the value is there
// when the operand is, without its cost. Likewise what stands in a loop does not wait for its head,
// where that only counts. Departure from Kremlin, which drops such dependences: a sum is there
// after the latest of what it sums.
type hcpa struct {
	*program
	flow    *flow.Flow[moment]
	paths   int                        // 2: also with the dependences of reductions
	skips   [2][loi.Reduction + 1]bool // marks whose operands do not lengthen a path
	counts  []bool                     // by operation: a head that only counts, unless it is left
	now     [2][]uint64                // of the value that is computed, at each level
	decided [2][]uint64                // of the conditions that it is under
	cost    uint64                     // of what is computed then
	left    bool                       // a condition of the iteration before decided on it
}

// A moment is when a value is there: for each path a tag for each level, which is 1 plus the time,
// 0 of what was not written in the region there. The zero value is long before.
type moment struct {
	in      *shadow.Levels // in which it was written
	version shadow.Version // of the innermost region, then
	at      *flow.Iteration
	counts  bool // it is that of a head which only counts
	tags    [2][]uint64
}

// timed is a critical path of a thread, with the times of what is in memory.
type timed struct {
	critical
	memory *shadow.Vectors[uint64]
}

// newHCPA returns the analysis of a program whose trace has operations. Iterations are regions
// then.
func newHCPA(p *program) *hcpa {
	opt := *p.opt
	opt.Iterations, p.opt = true, &opt
	h := &hcpa{program: p, paths: 1}
	for i := range h.skips {
		h.skips[i][loi.Induction] = !opt.KeepInduction
	}
	h.counts = make([]bool, len(p.header.Registry.Operations))
	for i := range p.header.Registry.Operations {
		o := &p.header.Registry.Operations[i]
		for x := range operands(o) {
			h.counts[i] = h.counts[i] || !opt.KeepInduction && o.Kind == loi.Head && x.Control &&
				x.Mark == loi.Induction
			if x.Mark == loi.Reduction && !opt.KeepReductions {
				h.paths, h.skips[0][loi.Reduction] = 2, true
			}
		}
	}
	h.flow = flow.New[moment](p.header, h)
	return h
}

// operands returns those of all values of an operation.
func operands(o *loi.Operation) iter.Seq[*loi.Operand] {
	return func(yield func(*loi.Operand) bool) {
		for i := range o.Values {
			for j := range o.Values[i].Operands {
				if !yield(&o.Values[i].Operands[j]) {
					return
				}
			}
		}
	}
}

// pathsCache is how many bytes of addresses the cache of a path covers, less than in the paper:
// each goroutine has its own, which may be short.
const pathsCache = 1 << 16

// memory returns the paths of a thread; nil, if there are none.
func (h *hcpa) memory(opt *Options, l *shadow.Levels) ([]timed, error) {
	if h == nil {
		return nil, nil
	}
	list, o := make([]timed, h.paths), shadow.VectorOptions{Validation: opt.memory().Validation}
	if o.Datum = int(opt.Datum); o.Validation == shadow.Bulk {
		o.Cache, o.Collect, o.Compress = pathsCache, true, opt.Compress
	}
	for i := range list {
		var err error
		if list[i].memory, err = shadow.NewVectors[uint64](l, o); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// work notes that an operation is done.
func (h *hcpa) work(e *loi.Event) error {
	t, err := h.thread(e.Worker)
	if err != nil {
		return err
	}
	if n, _, ok := e.Record.Operation(); ok && int(n) < len(h.header.Registry.Operations) {
		t.work += uint64(h.header.Registry.Operations[n].Work)
	}
	return nil
}

// data calls do for the address of each datum of an access.
func (h *hcpa) data(a *loi.Access, do func(addr uint64)) {
	place := loi.PlaceOf(h.unit, a)
	for at := place &^ (h.opt.Datum - 1); at < place+max(a.Bytes, 1); at += h.opt.Datum {
		do(at)
	}
}

// Load implements [flow.Analysis].
func (h *hcpa) Load(worker int, a *loi.Access, c *moment) {
	t := h.threads[worker]
	if c.in = nil; t.foot == nil || a.Mode&loi.In == 0 {
		return
	}
	c.in, c.version = &t.foot.levels, t.foot.levels.Innermost()
	for i := range t.times {
		tags, memory := append(c.tags[i][:0], make([]uint64, c.in.Depth())...), t.times[i].memory
		h.data(a, func(addr uint64) {
			for level, tag := range memory.Load(addr) {
				tags[level] = max(tags[level], tag)
			}
		})
		c.tags[i] = tags
	}
}

// Store implements [flow.Analysis].
func (h *hcpa) Store(worker int, a *loi.Access, c moment) {
	t := h.threads[worker]
	for i := range t.times {
		tags := c.tags[i]
		if tags == nil {
			tags = make([]uint64, t.foot.levels.Depth())
		}
		h.data(a, func(addr uint64) { t.times[i].memory.Store(addr, tags) })
	}
}

// Operand implements [flow.Analysis].
func (h *hcpa) Operand(s *flow.Step, x *loi.Operand, c *moment) {
	t := h.threads[s.Worker]
	if t.foot == nil {
		return
	}
	if x.Control {
		_, to := flow.Carrier(c.at, s.At)
		if !s.Decides(x, to) {
			return
		}
		h.left = h.left || to != nil && x.Mark == loi.Unmarked
	}
	valid, depth := 0, t.foot.levels.Depth()
	if c.in == &t.foot.levels {
		valid = c.in.Valid(c.version)
	}
	within := false
	if x.Mark != loi.Unmarked {
		level := t.loop(int(x.Levels))
		within = level >= 0 && level < valid && c.tags[0][level] > 0
	}
	cost := uint64(x.Cost)
	if !x.Control {
		h.cost = max(h.cost, cost)
	}
	for i := range t.times {
		now, longer := grown(&h.now[i], depth), cost
		switch {
		case within && h.skips[i][x.Mark] || x.Control && c.counts:
			longer = 0
		case x.Control:
			now = grown(&h.decided[i], depth)
		}
		for level := range now {
			time := cost
			if level < valid && c.tags[i][level] > 0 {
				time = max(time, c.tags[i][level]-1+longer)
			}
			now[level] = max(now[level], time)
		}
	}
}

// grown returns the first times of a list, which are 0 where it is shorter.
func grown(list *[]uint64, depth int) []uint64 {
	if n := depth - len(*list); n > 0 {
		*list = append(*list, make([]uint64, n)...)
	}
	return *list
}

// loop returns the level of the n-th loop around what a thread does, from the innermost; -1: there
// are less. That of a loop that is folded is of the region that it is folded into.
func (t *thread) loop(n int) int {
	for i := len(t.open) - 1; i >= 0 && n > 0; i-- {
		if t.open[i].loop {
			if n--; n == 0 {
				return t.open[i].level
			}
		}
	}
	return -1
}

// Value implements [flow.Analysis]. What an operation stored without a value is there at 0.
func (h *hcpa) Value(s *flow.Step, value uint16) moment {
	t := h.threads[s.Worker]
	if t.foot == nil || value == flow.NoValue {
		return moment{}
	}
	c := moment{in: &t.foot.levels, version: t.foot.levels.Innermost(), at: s.At,
		counts: h.counts[s.Number] && !h.left}
	for i := range t.times {
		now, decided := grown(&h.now[i], c.in.Depth()), grown(&h.decided[i], c.in.Depth())
		c.tags[i] = make([]uint64, len(now))
		for level := range now {
			now[level] = max(now[level], decided[level]+h.cost)
			c.tags[i][level] = now[level] + 1
		}
		t.times[i].done(now)
		h.now[i], h.decided[i] = now[:0], decided[:0]
	}
	h.cost, h.left = 0, false
	return c
}
