package dependences

import "krdlab/loi"

// operation takes an operation that a worker has done, with the terms of its last accesses.
func (s *sink) operation(worker int, stack []frame, n uint32, terms []uint32) {
	op := &s.in.Header.Registry.Operations[n]
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
	pending = pending[len(pending)-len(terms):]
	var made *call
	if op.Kind.Calls() {
		made = &call{callee: op.Callee}
	} else {
		own.calls = nil
	}
	s.going.workers[worker].going = nil
	sent := accessed.sent
	received := accessed.claim(op)
	claimed := make([]bool, len(terms))
	type write struct {
		to   loi.Place
		cell cell
	}
	var writes []write
	flush := func() {
		for _, w := range writes {
			switch w.to.Kind {
			case loi.Slot:
				*at(&own.slots, w.to.N) = w.cell
			case loi.Passed:
				if op.Kind == loi.Return {
					*at(&own.results, w.to.N) = w.cell
				} else if made != nil {
					*at(&made.passed, w.to.N) = w.cell
				}
			case loi.Channel:
				if sent != nil {
					sent.cells = append(sent.cells, w.cell)
				}
			case loi.Memory:
				for i, t := range terms {
					if t == w.to.N+1 && pending[i].mode&loi.Out != 0 {
						w.cell.object = int32(pending[i].object)
						s.memory[pending[i].place] = w.cell
						claimed[i] = true
					}
				}
			}
		}
		writes = writes[:0]
	}
	first := top.node == nil || top.node.iteration == 0
	for i := range op.Values {
		v := &op.Values[i]
		if v.When == loi.First && !first || v.When == loi.Later && first {
			continue
		}
		if v.Then {
			flush()
		}
		for j := range v.Operands {
			if op.Kind == loi.CallSite && v.To.Kind == loi.Slot {
				break // it depends on the arguments, which are values of their own
			}
			x := &v.Operands[j]
			switch x.From.Kind {
			case loi.Returned:
				s.depends(worker, n, op, x, *at(&own.returned, x.From.N), top.node)
			case loi.Slot:
				s.depends(worker, n, op, x, *at(&own.slots, x.From.N), top.node)
			case loi.Channel:
				if int(x.From.N) < len(received) {
					p := received[x.From.N]
					p.readers = append(p.readers, reader{n, x, worker, top.node})
				}
			case loi.Memory:
				for k, t := range terms {
					if t == x.From.N+1 && pending[k].mode&loi.In != 0 {
						s.depends(worker, n, op, x, pending[k].before, top.node)
					}
				}
			}
		}
		writes = append(writes, write{v.To, cell{top.node, n + 1, uint16(i), -1, int32(worker)}})
	}
	flush()
	for i := range pending {
		if p := &pending[i]; !claimed[i] && p.mode&loi.Out != 0 {
			s.memory[p.place] = cell{top.node, n + 1, noValue, int32(p.object), int32(worker)}
		}
	}
	if made == nil {
		own.returned, own.returning = nil, op.Kind == loi.Return
		return
	}
	for _, v := range op.Values {
		if v.To.Kind == loi.Slot {
			made.to = append(made.to, v.To.N)
		}
	}
	if op.Kind == loi.GoSite {
		s.going.calling(worker, made)
	} else {
		own.calling(op.Kind, made)
	}
}

// noValue is the value of an operation that wrote something that it has no value for.
const noValue = 1<<16 - 1

// at returns the cell of a number.
func at(list *[]cell, n uint32) *cell {
	for uint32(len(*list)) <= n {
		*list = append(*list, cell{})
	}
	return &(*list)[n]
}

// depends counts that an operand of an operation in an iteration was written by a cell's.
func (s *sink) depends(worker int, n uint32, op *loi.Operation, x *loi.Operand, c cell, now *node) {
	if c.operation == 0 {
		return
	}
	if c.worker != int32(worker) {
		s.crosses(crossing{from: c.operation - 1, to: n, name: s.name(c), object: c.object,
			control: x.Control})
		return
	}
	from, to := carrier(c.at, now)
	if from == nil {
		return
	}
	if x.Control && (op.Kind != loi.Head || to != now) {
		return // what was decided there has come through the heads of loops
	}
	mark := loi.Unmarked
	if inner := now.depth - to.depth; int(x.Levels) > inner {
		mark = x.Mark
	} else if !x.Control && s.steps(c) {
		mark = loi.Induction
	}
	vector := distance(c.at, now, from, to)
	e := edge{loop: to.loop, from: c.operation - 1, name: s.name(c), to: n,
		object: c.object, control: x.Control, mark: mark}
	kind := e
	e.distance = packed(vector)
	t := s.found[e]
	if t == nil && s.kinds[kind] == mostDistances {
		e, vector = kind, nil
		t = s.found[e]
	}
	if t == nil {
		if vector != nil {
			vector = append(make([]int64, outer(&s.in.Header.Registry, to.loop)), vector...)
			s.kinds[kind]++
		}
		t = &times{vector: vector}
		s.found[e] = t
		s.order = append(s.order, e)
	}
	t.n++
}

// name returns the name of what is in a cell.
func (s *sink) name(c cell) string {
	if c.value == noValue {
		return ""
	}
	return s.in.Header.Registry.Operations[c.operation-1].Values[c.value].Name
}

// steps reports that a cell has the value of an induction variable.
func (s *sink) steps(c cell) bool {
	op := &s.in.Header.Registry.Operations[c.operation-1]
	if c.value == noValue {
		return false
	}
	for _, x := range op.Values[c.value].Operands {
		if x.Mark == loi.Induction && !x.Control {
			return true
		}
	}
	return false
}
