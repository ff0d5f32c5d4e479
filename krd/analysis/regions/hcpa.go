package regions

import (
	"slices"

	"krdlab/krd/analysis/flow"
	"krdlab/krd/analysis/loops"
	"krdlab/krd/analysis/shadow"
	"krdlab/loi"
)

// hcpa finds when the values of a Go program are there, at each level of its regions: hierarchical
// critical path analysis (Garcia, Jeon, Louie and Taylor, Kremlin, PLDI 2011; skadu paper, 5.2).
// Package flow follows the values; the mark of a place is a vector of times.
//
// The time of a value at a level is the latest of its operands, each with the cost from there, and
// of the conditions that decide whether it is computed, with the cost of all that is computed then.
// Times count from the begin of the region that is open there. A value written outside it is there
// at 0, and so is another goroutine's.
//
// An operand by which a loop steps or reduces the value's place (package loops finds which) does
// not lengthen the path: an induction variable is there without any cost, a reduction if it was
// written within the present instance of the outermost loop that reduces it. Then the value is
// there when the operand is, without its cost, and a sum of constants without any. So is, for what
// stands in the loop, a head that only counts, but for what else decided on it; its own path has
// its cost. Departure from Kremlin, which drops such dependences: a sum is there after the latest
// of its terms.
//
// A called function is under the conditions of its call.
type hcpa struct {
	*program
	flow    *flow.Flow[moment]
	marks   map[*loi.Operand]map[loi.RegionID]string // by loops; see [loops.Verdict.Marks]
	ahead   map[*loi.Operand]loops.Stepped           // of loops that never had two iterations
	whole   *onePass                                 // nil: operations are taken by their operands
	none    []uint64                                 // tags of what is not known
	now     []uint64                                 // of the value that is computed, at each level
	bare    []uint64                                 // without costs
	decided []uint64                                 // of the conditions that it is under
	under   moment                                   // likewise, of the last value of a call
	cost    uint64                                   // of what is computed then
	values  int                                      // so many operands it has that are no conditions
	steps   bool                                     // one is itself, an induction variable
	sums    bool                                     // one is itself, a reduction
	counts  bool                                     // it is the condition of a head that only counts
}

// A moment is when a value is there: a tag for each level, which is 1 plus the time, 0 of what was not
// written in the region there. The zero value is long before.
type moment struct {
	in      *shadow.Levels // in which it was written
	version shadow.Version // of the innermost region, then
	at      *flow.Iteration
	tags    []uint64
}

// timed is the critical path of a thread, with the times of values in memory.
type timed struct {
	critical
	memory *shadow.Vectors[uint64]
}

// newHCPA returns the analysis of a program whose trace has operations. Iterations are regions
// then.
func newHCPA(p *program) *hcpa {
	opt := *p.opt
	opt.Iterations, p.opt = true, &opt
	h := &hcpa{program: p, marks: map[*loi.Operand]map[loi.RegionID]string{}}
	h.flow = flow.New[moment](p.header, h)
	return h
}

// judge takes what loops do by operands.
func (h *hcpa) judge(verdicts []loops.Verdict) {
	if !h.opt.KeepInduction {
		h.ahead = loops.Ahead(&h.header.Registry)
	}
	for i := range verdicts {
		v := &verdicts[i]
		for x, by := range v.Marks(&h.header.Registry) {
			if h.marks[x] == nil {
				h.marks[x] = map[loi.RegionID]string{}
			}
			if by == loops.Induction && h.opt.KeepInduction || by == loops.Reduction && h.opt.KeepReductions {
				by = ""
			}
			h.marks[x][v.Loop] = by
		}
	}
}

// foresee takes, in the place of that, what the source shows.
func (h *hcpa) foresee() {
	var ahead map[*loi.Operand]loops.Stepped
	if !h.opt.KeepInduction {
		ahead = loops.Ahead(&h.header.Registry)
	}
	h.whole = newOnePass(&h.header.Registry, ahead)
}

// pathsCache is how many bytes of addresses the cache of a path covers, less than in the paper:
// each goroutine has its own, which may be short.
const pathsCache = 1 << 16

// memory returns the path of a thread; nil, if there is none.
func (h *hcpa) memory(opt *Options, l *shadow.Levels) (*timed, error) {
	if h == nil {
		return nil, nil
	}
	o := shadow.VectorOptions{Validation: opt.memory().Validation}
	if o.Datum = int(opt.Datum); o.Validation == shadow.Bulk {
		o.Cache, o.Compress = pathsCache, opt.Compress
	}
	m, err := shadow.NewVectors[uint64](l, o)
	return &timed{memory: m}, err
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

// single returns the address of the datum of an access, false if it has several.
func (h *hcpa) single(a *loi.Access) (addr uint64, ok bool) {
	place := loi.PlaceOf(h.unit, a)
	addr = place &^ (h.opt.Datum - 1)
	return addr, place+max(a.Bytes, 1) <= addr+h.opt.Datum
}

// Load implements [flow.Analysis].
func (h *hcpa) Load(worker int, a *loi.Access, c *moment) {
	t := h.threads[worker]
	if c.in = nil; t.foot == nil || a.Mode&loi.In == 0 {
		return
	}
	c.in, c.version = t.foot.levels, t.foot.levels.Innermost()
	if addr, ok := h.single(a); ok {
		c.tags = append(c.tags[:0], t.times.memory.Load(addr)...)
		return
	}
	c.tags = append(c.tags[:0], make([]uint64, c.in.Depth())...)
	h.data(a, func(addr uint64) {
		for level, tag := range t.times.memory.Load(addr) {
			c.tags[level] = max(c.tags[level], tag)
		}
	})
}

// Store implements [flow.Analysis].
func (h *hcpa) Store(worker int, a *loi.Access, c moment) {
	t := h.threads[worker]
	if t.foot == nil {
		return
	}
	tags := c.tags
	if depth := t.foot.levels.Depth(); c.in == nil {
		tags = grown(&h.none, depth)[:depth]
	}
	if addr, ok := h.single(a); ok {
		t.times.memory.Store(addr, tags)
		return
	}
	h.data(a, func(addr uint64) { t.times.memory.Store(addr, tags) })
}

// marked returns what the loops that are open on a thread do by an operand, "" nothing, and the level
// of the outermost that does it: of those around it that know the operand, from the innermost on,
// without one between that depends on it otherwise. That of a loop that is folded is of the region
// that it is folded into.
func (h *hcpa) marked(t *thread, x *loi.Operand) (by string, level int) {
	known := h.marks[x]
	if is, ok := h.ahead[x]; ok && known == nil && is == (loops.Stepped{}) {
		return loops.Induction, -1
	}
	for i := len(t.open) - 1; i >= 0 && known != nil; i-- {
		o := &t.open[i]
		if !o.loop {
			continue
		}
		switch is, ok := known[o.region]; {
		case ok && (is == "" || by != "" && is != by):
			return by, level
		case ok:
			by, level = is, o.level
		}
	}
	return by, level
}

// Operand implements [flow.Analysis].
func (h *hcpa) Operand(s *flow.Step, x *loi.Operand, c *moment) {
	t := h.threads[s.Worker]
	if t.foot == nil {
		return
	}
	by, level := h.marked(t, x)
	steps := by == loops.Induction
	if x.Control {
		h.counts = h.counts || steps && s.Kind == loi.Head
		if _, to := flow.Carrier(c.at, s.At); !s.Decides(x, to) {
			return
		}
	}
	valid, depth := h.valid(t, c), t.foot.levels.Depth()
	sums := by == loops.Reduction && level >= 0 && level < valid && c.tags[level] > 0
	cost := uint64(x.Cost)
	if !x.Control {
		h.cost, h.values = max(h.cost, cost), h.values+1
		h.steps, h.sums = h.steps || steps, h.sums || sums
	}
	now, bare, longer := grown(&h.now, depth), grown(&h.bare, depth), cost
	switch {
	case steps || sums:
		longer = 0
	case x.Control:
		now = grown(&h.decided, depth)
	}
	for level := range now {
		time := cost
		if level < valid && c.tags[level] > 0 {
			bare[level] = max(bare[level], c.tags[level]-1)
			time = max(time, c.tags[level]-1+longer)
		}
		now[level] = max(now[level], time)
	}
}

// loop returns the level of the innermost loop that is open; -1: none is.
func (t *thread) loop() int {
	for i := len(t.open) - 1; i >= 0; i-- {
		if o := &t.open[i]; o.loop {
			return o.level
		}
	}
	return -1
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
	decided, bare := grown(&h.decided, depth), grown(&h.bare, depth)
	for level := range decided[:min(valid, depth)] {
		decided[level] = max(decided[level], c.tags[level]-1)
		bare[level] = max(bare[level], c.tags[level]-1)
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

// Value implements [flow.Analysis]. A datum stored without a value is there at 0.
func (h *hcpa) Value(s *flow.Step, value uint16, c *moment) {
	t := h.threads[s.Worker]
	if t.foot == nil || value == flow.NoValue {
		*c = moment{}
		return
	}
	c.in, c.version, c.at = t.foot.levels, t.foot.levels.Innermost(), s.At
	depth := c.in.Depth()
	now, bare, decided := grown(&h.now, depth), grown(&h.bare, depth), grown(&h.decided, depth)
	if s.Kind.Calls() {
		h.under = moment{c.in, c.version, c.at, tagged(nil, decided)}
	}
	for level := range now {
		now[level] = max(now[level], decided[level]+h.cost)
	}
	if h.steps || h.sums && h.values == 1 {
		copy(now, bare)
	}
	times := now
	if h.counts {
		times = bare
	}
	c.tags = tagged(c.tags[:0], times)
	t.times.done(now)
	h.now, h.bare, h.decided = now[:0], bare[:0], decided[:0]
	h.cost, h.values, h.steps, h.counts, h.sums = 0, 0, false, false, false
}

// tagged appends the tags of times to a list that is empty.
func tagged(tags, times []uint64) []uint64 {
	tags = slices.Grow(tags, len(times))[:len(times)]
	for level, time := range times {
		tags[level] = time + 1
	}
	return tags
}
