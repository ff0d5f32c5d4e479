package regions

import (
	"slices"

	"krdlab/krd/analysis/flow"
	"krdlab/krd/analysis/loops"
	"krdlab/loi"
)

// onePass computes operations of paths of one pass, each in one call: the same as Operand, Under and
// Value do for what [loops.Ahead] shows. It works on tags, 1 plus the time, and needs no branch for a
// place that was not written in a region: its tag of 0 and the cost of its operand are below the
// conditions' tag, 1 at least, and the largest cost.
type onePass struct {
	plans   []plannedOperation
	now     []uint64 // tags of the value that is computed
	bare    []uint64 // without costs
	decided []uint64 // of the conditions that it is under
	called  []uint64 // of those of the function's call, for all values of the operation
	writes  []computed
}

// A plannedOperation has the part of an operation that is the same in each execution.
type plannedOperation struct {
	each   bool      // none of its places is a channel
	values []*stepOf // nil: it has no operand of induction
}

// stepOf is an operand of induction.
type stepOf struct {
	operand int
	loops.Stepped
}

// A stepped is a write of an iteration to a variable in memory that its loop steps.
type stepped struct {
	at   *flow.Iteration
	tags []uint64
}

// A computed is a value that goes to a place.
type computed struct {
	to   loi.Place
	mark moment
}

func newOnePass(r *loi.Registry, ahead map[*loi.Operand]loops.Stepped) *onePass {
	w := &onePass{plans: make([]plannedOperation, len(r.Operations))}
	for i := range r.Operations {
		o, p := &r.Operations[i], &w.plans[i]
		p.each, p.values = true, make([]*stepOf, len(o.Values))
		for n := range o.Values {
			v := &o.Values[n]
			p.each = p.each && v.To.Kind != loi.Channel
			for k := range v.Operands {
				p.each = p.each && v.Operands[k].From.Kind != loi.Channel
				if is, ok := ahead[&v.Operands[k]]; ok {
					p.values[n] = &stepOf{k, is}
				}
			}
		}
	}
	return w
}

// Whole implements [flow.Whole].
func (h *hcpa) Whole(s *flow.Step, slots, passed *[]moment, returned []moment, by, under *moment,
	list []flow.Touch[moment], terms []uint32) bool {
	t, w := h.threads[s.Worker], h.whole
	if w == nil || t.foot == nil || !w.plans[s.Number].each {
		return false
	}
	l := t.foot.levels
	depth := l.Depth()
	w.called = cleared(w.called, depth, 1)
	if by != nil && by.in == l {
		raise(w.called[:l.Valid(by.version)], by.tags, 0)
	}
	first := s.At == nil || s.At.Number == 0
	for i := range s.Values {
		v := &s.Values[i]
		if v.When == loi.First && !first || v.When == loi.Later && first {
			continue
		}
		if v.Then {
			h.flush(s, slots, passed, list, terms)
		}
		s.Value = v
		last := len(w.writes)
		w.writes = slices.Grow(w.writes, 1)[:last+1]
		w.writes[last].to = v.To
		h.value(t, s, w.plans[s.Number].values[i], slots, returned, list, terms, &w.writes[last].mark)
	}
	h.flush(s, slots, passed, list, terms)
	for i := range list {
		if a := &list[i]; a.Mode&loi.Out != 0 && !claimed(s.Values, terms[i]) {
			h.Store(s.Worker, &a.Access, moment{})
		}
	}
	if len(s.Values) > 0 && under != nil {
		*under = moment{l, l.Innermost(), s.At, append(under.tags[:0], w.decided...)}
	}
	return true
}

// Reset implements [flow.Whole].
func (h *hcpa) Reset(c *moment) { *c = moment{tags: c.tags[:0]} }

// claimed reports that one of some values is written to the access with a term.
func claimed(values []loi.Value, term uint32) bool {
	for i := range values {
		if to := values[i].To; term > 0 && to.Kind == loi.Memory && to.N == term-1 {
			return true
		}
	}
	return false
}

// flush writes the values that are computed to their places.
func (h *hcpa) flush(s *flow.Step, slots, passed *[]moment, list []flow.Touch[moment],
	terms []uint32) {
	all := h.whole.writes
	memory := false
	for i := range all {
		switch x := &all[i]; x.to.Kind {
		case loi.Slot:
			to := slotAt(slots, x.to.N)
			*to, x.mark = x.mark, *to
		case loi.Passed:
			if s.Kind.Calls() || s.Kind == loi.Return {
				to := slotAt(passed, x.to.N)
				*to, x.mark = x.mark, *to
			}
		case loi.Memory:
			memory = true
		}
	}
	for i, n := range terms {
		for j := range all {
			if x := &all[j]; memory && x.to.Kind == loi.Memory && n == x.to.N+1 &&
				list[i].Mode&loi.Out != 0 {
				h.Store(s.Worker, &list[i].Access, x.mark)
			}
		}
	}
	h.whole.writes = all[:0]
}

// slotAt returns the mark of a number; what was reset behind the end of the list is used again.
func slotAt(list *[]moment, n uint32) *moment {
	if m := int(n) + 1; m > len(*list) {
		*list = slices.Grow(*list, m-len(*list))[:m]
	}
	return &(*list)[n]
}

// value computes the mark of the value of a step; own is its operand of induction, nil if none is.
func (h *hcpa) value(t *thread, s *flow.Step, own *stepOf, slots *[]moment, returned []moment,
	list []flow.Touch[moment], terms []uint32, to *moment) {
	w, l, v := h.whole, t.foot.levels, s.Value
	depth := l.Depth()
	w.now = cleared(w.now, depth, 0)
	w.decided = append(w.decided[:0], w.called...)
	stepped := own != nil && t.steps(s, own, slots, list, terms)
	if stepped {
		w.bare = append(w.bare[:0], w.called...)
	}
	x := taken{thread: t, step: s, bare: stepped}
	last := s.Values[len(s.Values)-1].To
	if s.Kind == loi.Head && v.When == loi.Later && last.Kind == loi.Slot {
		if c := slotAt(slots, last.N); c.in == l {
			n := l.Valid(c.version)
			if raise(w.decided[:n], c.tags, 0); stepped {
				raise(w.bare[:n], c.tags, 0)
			}
		}
	}
	for i := range v.Operands {
		o := &v.Operands[i]
		x.steps = stepped && i == own.operand
		switch o.From.Kind {
		case loi.Slot:
			h.take(&x, o, slotAt(slots, o.From.N))
		case loi.Returned:
			var none moment
			if c := &none; int(o.From.N) < len(returned) {
				h.take(&x, o, &returned[o.From.N])
			} else {
				h.take(&x, o, c)
			}
		case loi.Memory:
			for k, n := range terms {
				if n == o.From.N+1 && list[k].Mode&loi.In != 0 {
					h.take(&x, o, &list[k].Before)
				}
			}
		}
	}
	tags := to.tags[:0]
	if cap(tags) < depth { // with room for those deeper
		tags = make([]uint64, 0, (depth|7)+1)
	}
	tags = tags[:depth]
	to.in, to.version, to.at, to.tags = l, l.Innermost(), s.At, tags
	switch {
	case !stepped:
		t.times.latest(tags, w.now, w.decided, x.cost)
	case s.Kind == loi.Head && v.Operands[own.operand].Control:
		t.times.latest(tags, w.now, w.decided, x.cost)
		copy(tags, w.bare)
	default:
		t.times.latest(tags, w.bare, w.bare, 0)
	}
	if own != nil && own.Memory > 0 {
		t.wrote(own.Memory, s.At, tags)
	}
}

// steps reports that a value of a step is stepped by its loop, as its operand of induction says.
func (t *thread) steps(s *flow.Step, own *stepOf, slots *[]moment, list []flow.Touch[moment],
	terms []uint32) bool {
	first := s.At == nil || s.At.Number == 0
	x := &s.Value.Operands[own.operand]
	if own.Each && own.Memory == 0 && !first && !s.At.Follows(slotAt(slots, x.From.N).at) {
		return false
	}
	in := t.loop()
	for i := range s.Value.Operands {
		o := &s.Value.Operands[i]
		if o.From.Kind != loi.Memory || in < 0 {
			continue
		}
		for k, n := range terms {
			if n != o.From.N+1 || list[k].Mode&loi.In == 0 {
				continue
			}
			tags := list[k].Before.tags
			switch written := in < len(tags) && tags[in] > 0; {
			case i == own.operand && !first && !t.kept(own.Memory, s.At, tags, in):
				return false
			case i != own.operand && written && !(s.Kind == loi.Head && t.keptBy(s.At, tags, in)):
				return false
			}
		}
	}
	return true
}

// kept reports that tags are those of what the iteration before wrote to a variable in memory that
// the loop of a level steps.
func (t *thread) kept(number int, at *flow.Iteration, tags []uint64, in int) bool {
	if number >= len(t.stepped) {
		return false
	}
	w := &t.stepped[number]
	return at.Follows(w.at) && in < min(len(tags), len(w.tags)) &&
		slices.Equal(tags[:in+1], w.tags[:in+1])
}

// keptBy reports that of any such variable.
func (t *thread) keptBy(at *flow.Iteration, tags []uint64, in int) bool {
	for n := range t.stepped {
		if t.kept(n, at, tags, in) {
			return true
		}
	}
	return false
}

// wrote notes what an iteration writes to a variable in memory that its loop steps.
func (t *thread) wrote(number int, at *flow.Iteration, tags []uint64) {
	for len(t.stepped) <= number {
		t.stepped = append(t.stepped, stepped{})
	}
	w := &t.stepped[number]
	w.at, w.tags = at, append(w.tags[:0], tags...)
}

// taken are the operands of a value so far.
type taken struct {
	thread *thread
	step   *flow.Step
	bare   bool // tags without costs are asked for
	steps  bool // the operand is that of induction
	cost   uint64
}

// take takes an operand of a value, whose place has a mark.
func (h *hcpa) take(x *taken, o *loi.Operand, c *moment) {
	w, l := h.whole, x.thread.foot.levels
	if o.Control && c.at != x.step.At {
		if _, to := flow.Carrier(c.at, x.step.At); !x.step.Decides(o, to) {
			return
		}
	}
	valid := 0
	if c.in == l {
		valid = l.Valid(c.version)
	}
	tags := c.tags[:min(valid, len(c.tags))]
	if x.bare {
		raise(w.bare, tags, 0)
	}
	longer := uint64(o.Cost)
	if !o.Control {
		if x.cost = max(x.cost, longer); x.steps {
			longer = 0
		}
		raise(w.now, tags, longer)
		return
	}
	if longer > 0 {
		for i := range w.decided {
			if i >= len(tags) || tags[i] == 0 {
				w.decided[i] = max(w.decided[i], 1+longer)
			}
		}
	}
	if x.steps {
		longer = 0
	}
	if longer == 0 {
		raise(w.decided, tags, 0)
		return
	}
	for i, tag := range tags {
		if tag > 0 {
			w.decided[i] = max(w.decided[i], tag+longer)
		}
	}
}

// raise raises tags to others and a cost, as many as both have.
func raise(tags, to []uint64, cost uint64) {
	n := min(len(tags), len(to))
	tags, to = tags[:n], to[:n]
	for i, x := range to {
		tags[i] = max(tags[i], x+cost)
	}
}

// cleared returns a list of n times x, in the room of another.
func cleared(list []uint64, n int, x uint64) []uint64 {
	list = slices.Grow(list[:0], n)[:n]
	for i := range list {
		list[i] = x
	}
	return list
}
