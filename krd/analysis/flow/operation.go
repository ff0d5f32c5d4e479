package flow

import (
	"slices"

	"krdlab/loi"
)

// operation takes an operation that a worker has done, with the terms of its last accesses.
func (f *Flow[C]) operation(worker int, stack []frame[C], n uint32, terms []uint32) {
	op := &f.registry.Operations[n]
	if op.Kind == loi.Entry {
		return
	}
	own, top := activationOf(stack, op.Region), &stack[len(stack)-1]
	accessed := activationOf(stack, loi.NoRegion) // of the body of a loop over a function, another
	pending := accessed.pending
	accessed.pending = accessed.pending[:0]
	if len(terms) > len(pending) {
		terms = terms[len(terms)-len(pending):]
	}
	if f.gatherer != nil && len(terms) == loi.MaxTerms {
		terms = f.further(pending, terms)
	}
	if f.gatherer != nil {
		f.loose(worker, pending[:len(pending)-len(terms)])
	}
	pending = pending[len(pending)-len(terms):]
	for i, t := range terms {
		if f.gatherer != nil && t == 0 && !heads(pending[i:], terms[i:]) {
			f.loose(worker, pending[i:i+1])
		}
	}
	f.step = Step{Worker: worker, Number: n, Operation: op, At: top.at}
	if f.whole != nil && f.wholly(own, pending, terms) {
		return
	}
	var made *call[C]
	if op.Kind.Calls() {
		made = &call[C]{callee: op.Callee}
	} else {
		own.calls = nil
	}
	f.going.workers[worker].going = nil
	sent := accessed.sent
	received := accessed.claim(op)
	claimed := append(f.claimed[:0], make([]bool, len(terms))...)
	f.claimed = claimed
	flush := func() {
		for i := range f.writes {
			w := &f.writes[i]
			var to *C
			switch w.to.Kind {
			case loi.Slot:
				to = at(&own.slots, w.to.N)
			case loi.Passed:
				if op.Kind == loi.Return {
					to = at(&own.results, w.to.N)
				} else if made != nil {
					to = at(&made.passed, w.to.N)
				}
			case loi.Channel:
				if sent != nil {
					to = at(&sent.marks, uint32(len(sent.marks)))
				}
			}
			if to != nil {
				if f.overwriter != nil && w.to.Kind == loi.Slot {
					f.overwriter.Overwrite(*to, w.mark)
				}
				*to, w.mark = w.mark, *to
			}
		}
		for i, t := range terms { // as it was written: two may be the same datum
			for j := range f.writes {
				w := &f.writes[j]
				if w.to.Kind == loi.Memory && t == w.to.N+1 && pending[i].Mode&loi.Out != 0 {
					f.analysis.Store(worker, &pending[i].Access, w.mark)
					claimed[i] = true
				}
			}
		}
		f.writes = f.writes[:0]
	}
	step := &f.step
	first := top.at == nil || top.at.Number == 0
	for i := range op.Values {
		v := &op.Values[i]
		if v.When == loi.First && !first || v.When == loi.Later && first {
			continue
		}
		if v.Then {
			flush()
		}
		step.Value = v
		f.under(step, own)
		for j := range v.Operands {
			x := &v.Operands[j]
			switch x.From.Kind {
			case loi.Returned:
				f.analysis.Operand(step, x, at(&own.returned, x.From.N))
			case loi.Slot:
				f.analysis.Operand(step, x, at(&own.slots, x.From.N))
			case loi.Channel:
				if f.receiver == nil {
					var none C
					f.analysis.Operand(step, x, &none)
				} else if int(x.From.N) < len(received) {
					p := received[x.From.N]
					p.readers = append(p.readers, reader{*step, x})
				}
			case loi.Memory:
				for k, t := range terms {
					if t == x.From.N+1 && pending[k].Mode&loi.In != 0 {
						f.analysis.Operand(step, x, &pending[k].Before)
					}
				}
			}
		}
		last := len(f.writes)
		f.writes = slices.Grow(f.writes, 1)[:last+1]
		f.writes[last].to = v.To
		f.analysis.Value(step, uint16(i), &f.writes[last].mark)
	}
	flush()
	if f.conditions != nil && made != nil {
		made.under = f.conditions.Conditions(step)
	}
	for i := range pending {
		if f.gatherer != nil {
			if terms[i] != 0 && !claimed[i] && pending[i].Mode&loi.Out != 0 {
				f.loose(worker, pending[i:i+1])
			}
			continue
		}
		if p := &pending[i]; !claimed[i] && p.Mode&loi.Out != 0 {
			var none C
			f.analysis.Value(step, NoValue, &none)
			f.analysis.Store(worker, &p.Access, none)
		}
	}
	if made == nil {
		own.returned, own.returning = nil, op.Kind == loi.Return
		return
	}
	f.makes(own, made)
}

// wholly has a Whole analysis take the operation of a step; false: it has not.
func (f *Flow[C]) wholly(own *activation[C], pending []Touch[C], terms []uint32) bool {
	op := f.step.Operation
	var by *C
	if own.by != nil {
		by = &own.by.under
	}
	var made *call[C]
	passed := &own.results
	if op.Kind.Calls() {
		made = taken(&f.calls)
		made.callee, made.going = op.Callee, op.Kind == loi.GoSite
		passed = &made.passed
	}
	var under *C
	if made != nil {
		under = &made.under
	}
	if !f.whole.Whole(&f.step, &own.slots, passed, own.returned, by, under, pending, terms) {
		return false
	}
	if f.going.workers[f.step.Worker].going = nil; made != nil {
		f.makes(own, made)
		return true
	}
	own.calls, own.returned, own.returning = nil, nil, op.Kind == loi.Return
	return true
}

// makes adds the call that the operation of a step is about to make.
func (f *Flow[C]) makes(own *activation[C], made *call[C]) {
	made.to = f.to[f.step.Number]
	if f.step.Kind == loi.GoSite {
		f.going.calling(f.step.Worker, made)
	} else {
		own.calling(f.step.Kind, made)
	}
}

// resultsOf returns the slots of the results of calls, by operation.
func resultsOf(r *loi.Registry) [][]uint32 {
	list := make([][]uint32, len(r.Operations))
	for i := range r.Operations {
		o := &r.Operations[i]
		for n := range o.Values {
			if to := o.Values[n].To; o.Kind.Calls() && to.Kind == loi.Slot {
				list[i] = append(list[i], to.N)
			}
		}
	}
	return list
}

// further returns the terms of all pending accesses where an operation has more than an event can
// tell of: append moves the elements of a slice. Those before have the term of one of the same object.
func (f *Flow[C]) further(pending []Touch[C], terms []uint32) []uint32 {
	of := map[loi.ObjectID]uint32{}
	before := len(pending) - len(terms)
	for i, t := range terms {
		if t != 0 {
			of[pending[before+i].Object] = t
		}
	}
	all := make([]uint32, before, len(pending))
	for i := range all {
		all[i] = of[pending[i].Object]
	}
	return append(all, terms...)
}

// heads reports that the first of some accesses is of a map itself, whose entry is the next.
func heads[C any](list []Touch[C], terms []uint32) bool {
	return len(list) > 1 && terms[1] != 0 && list[0].Object == list[1].Object &&
		list[0].Mode == list[1].Mode
}

// under hands on the conditions of a value that are no operands. The last value of a head is its
// condition.
func (f *Flow[C]) under(s *Step, own *activation[C]) {
	if f.conditions == nil {
		return
	}
	if own.by != nil {
		f.conditions.Under(s, &own.by.under)
	}
	last := s.Values[len(s.Values)-1].To
	if s.Kind == loi.Head && s.Value.When == loi.Later && last.Kind == loi.Slot {
		f.conditions.Under(s, at(&own.slots, last.N))
	}
}

// at returns the mark of a number.
func at[C any](list *[]C, n uint32) *C {
	for uint32(len(*list)) <= n {
		var none C
		*list = append(*list, none)
	}
	return &(*list)[n]
}
