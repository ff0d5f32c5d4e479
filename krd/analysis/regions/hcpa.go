package regions

import (
	"iter"
	"slices"

	"krdlab/krd/analysis/flow"
	"krdlab/krd/analysis/shadow"
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
// when the operand is, without its cost. An induction variable is there without any cost, and so is
// a sum of constants. So is, for what stands in the loop, a head that only counts, but for what
// else decided on it; its own path has its cost. Departure from Kremlin, which drops such
// dependences: a sum is there after the latest of what it sums.
//
// What is called is under the conditions that its call is under.
type hcpa struct {
	*program
	flow    *flow.Flow[moment]
	paths   int                        // 2: also with the dependences of reductions
	skips   [2][loi.Reduction + 1]bool // marks whose operands do not lengthen a path
	now     [2][]uint64                // of the value that is computed, at each level
	bare    [2][]uint64                // without costs
	decided [2][]uint64                // of the conditions that it is under
	under   moment                     // likewise, of the last value of a call
	more    []uint64                   // tags of the second path, beyond those of the first
	cost    uint64                     // of what is computed then
	values  int                        // so many operands it has that are no conditions
	steps   bool                       // one is itself, an induction variable
	sums    [2]bool                    // one is itself, a reduction
	counts  bool                       // it is the condition of a head that only counts
}

// A moment is when a value is there: for each path a tag for each level, which is 1 plus the time,
// 0 of what was not written in the region there. The zero value is long before.
type moment struct {
	in      *shadow.Levels // in which it was written
	version shadow.Version // of the innermost region, then
	at      *flow.Iteration
	tags    [2][]uint64
}

// timed is a critical path of a thread, with the times of what is in memory. Those of the second
// path are how much later it is there than by the first: mostly 0, for which shadow memory has no
// table.
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
	for i := range p.header.Registry.Operations {
		o := &p.header.Registry.Operations[i]
		for x := range operands(o) {
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
		o.Cache = 0 // of the second path, which has little: a cache took as long
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
	c.in, c.version = t.foot.levels, t.foot.levels.Innermost()
	for i := range t.times {
		c.tags[i] = append(c.tags[i][:0], make([]uint64, c.in.Depth())...)
	}
	h.data(a, func(addr uint64) {
		first := t.times[0].memory.Load(addr)
		for level, tag := range first {
			c.tags[0][level] = max(c.tags[0][level], tag)
		}
		if h.paths == 2 {
			for level, more := range t.times[1].memory.Load(addr) {
				c.tags[1][level] = max(c.tags[1][level], first[level]+more)
			}
		}
	})
}

// Store implements [flow.Analysis].
func (h *hcpa) Store(worker int, a *loi.Access, c moment) {
	t := h.threads[worker]
	if t.foot == nil {
		return
	}
	h.more = h.more[:0]
	first, more := c.tags[0], grown(&h.more, t.foot.levels.Depth())
	if c.in == nil {
		first = more
	} else if h.paths == 2 {
		for level, tag := range c.tags[1] {
			more[level] = tag - first[level]
		}
	}
	h.data(a, func(addr uint64) {
		if t.times[0].memory.Store(addr, first); h.paths == 2 {
			t.times[1].memory.Store(addr, more)
		}
	})
}

// Operand implements [flow.Analysis].
func (h *hcpa) Operand(s *flow.Step, x *loi.Operand, c *moment) {
	t := h.threads[s.Worker]
	if t.foot == nil {
		return
	}
	steps := h.skips[0][loi.Induction] && x.Mark == loi.Induction
	if x.Control {
		h.counts = h.counts || steps && s.Kind == loi.Head
		if _, to := flow.Carrier(c.at, s.At); !s.Decides(x, to) {
			return
		}
	}
	valid, depth := h.valid(t, c), t.foot.levels.Depth()
	within := false
	if x.Mark != loi.Unmarked {
		level := t.loop(int(x.Levels))
		within = level >= 0 && level < valid && c.tags[0][level] > 0
	}
	cost := uint64(x.Cost)
	if !x.Control {
		h.cost, h.values = max(h.cost, cost), h.values+1
		h.steps = h.steps || steps && within
	}
	for i := range t.times {
		now, bare, longer := grown(&h.now[i], depth), grown(&h.bare[i], depth), cost
		switch {
		case within && h.skips[i][x.Mark]:
			longer = 0
			h.sums[i] = h.sums[i] || x.Mark == loi.Reduction && !x.Control
		case x.Control:
			now = grown(&h.decided[i], depth)
		}
		for level := range now {
			time := cost
			if level < valid && c.tags[i][level] > 0 {
				bare[level] = max(bare[level], c.tags[i][level]-1)
				time = max(time, c.tags[i][level]-1+longer)
			}
			now[level] = max(now[level], time)
		}
	}
}

// valid returns how many levels of a thread the times of a place are of, from the outermost.
func (h *hcpa) valid(t *thread, c *moment) int {
	if c.in != t.foot.levels {
		return 0
	}
	return c.in.Valid(c.version)
}

// Under implements [flow.Conditioned].
func (h *hcpa) Under(s *flow.Step, c *moment) {
	t := h.threads[s.Worker]
	if t.foot == nil || c.in == nil {
		return
	}
	valid, depth := h.valid(t, c), t.foot.levels.Depth()
	for i := range t.times {
		decided, bare := grown(&h.decided[i], depth), grown(&h.bare[i], depth)
		for level := range decided[:min(valid, depth)] {
			decided[level] = max(decided[level], c.tags[i][level]-1)
			bare[level] = max(bare[level], c.tags[i][level]-1)
		}
	}
}

// Conditions implements [flow.Conditioned].
func (h *hcpa) Conditions(*flow.Step) moment {
	c := h.under
	h.under = moment{}
	return c
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
func (h *hcpa) Value(s *flow.Step, value uint16, c *moment) {
	t := h.threads[s.Worker]
	if t.foot == nil || value == flow.NoValue {
		*c = moment{}
		return
	}
	c.in, c.version, c.at = t.foot.levels, t.foot.levels.Innermost(), s.At
	if s.Kind.Calls() {
		h.under = moment{in: c.in, version: c.version, at: c.at}
	}
	for i := range t.times {
		depth := c.in.Depth()
		now, bare := grown(&h.now[i], depth), grown(&h.bare[i], depth)
		decided := grown(&h.decided[i], depth)
		if s.Kind.Calls() {
			h.under.tags[i] = tagged(nil, decided)
		}
		for level := range now {
			now[level] = max(now[level], decided[level]+h.cost)
		}
		if h.steps || h.sums[i] && h.values == 1 {
			copy(now, bare)
		}
		times := now
		if h.counts {
			times = bare
		}
		c.tags[i] = tagged(c.tags[i][:0], times)
		t.times[i].done(now)
		h.now[i], h.bare[i], h.decided[i] = now[:0], bare[:0], decided[:0]
	}
	h.cost, h.values, h.steps, h.counts = 0, 0, false, false
	h.sums = [2]bool{}
}

// tagged appends the tags of times to a list that is empty.
func tagged(tags, times []uint64) []uint64 {
	tags = slices.Grow(tags, len(times))[:len(times)]
	for level, time := range times {
		tags[level] = time + 1
	}
	return tags
}
