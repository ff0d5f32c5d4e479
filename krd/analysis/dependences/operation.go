package dependences

import (
	"krdlab/krd/analysis/flow"
	"krdlab/loi"
)

// Operand counts that an operand of an operation was written by a cell's: see [flow.Analysis].
func (s *sink) Operand(step *flow.Step, x *loi.Operand, c *cell) {
	if c.operation == 0 || passedOn(step) {
		return
	}
	if c.worker != int32(step.Worker) {
		s.crosses(crossing{from: c.operation - 1, to: step.Number, name: s.name(c), object: c.object,
			control: x.Control})
		return
	}
	now := step.At
	from, to := flow.Carrier(c.at, now)
	if from == nil || !step.Decides(x, to) {
		return
	}
	mark := loi.Unmarked
	if inner := now.Depth - to.Depth; int(x.Levels) > inner {
		mark = x.Mark
	} else if !x.Control && s.steps(c) {
		mark = loi.Induction
	}
	vector := distance(c.at, now, from, to)
	e := edge{loop: to.Loop, from: c.operation - 1, name: s.name(c), to: step.Number,
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
			vector = append(make([]int64, outer(&s.in.Header.Registry, to.Loop)), vector...)
			s.kinds[kind]++
		}
		t = &times{vector: vector}
		s.found[e] = t
		s.order = append(s.order, e)
	}
	t.n++
}

// passedOn reports that a value is the result of a call: it depends on the arguments, which are
// values of their own.
func passedOn(step *flow.Step) bool {
	return step.Kind == loi.CallSite && step.Value.To.Kind == loi.Slot
}

// name returns the name of what is in a cell.
func (s *sink) name(c *cell) string {
	if c.value == flow.NoValue {
		return ""
	}
	return s.in.Header.Registry.Operations[c.operation-1].Values[c.value].Name
}

// steps reports that a cell has the value of an induction variable.
func (s *sink) steps(c *cell) bool {
	op := &s.in.Header.Registry.Operations[c.operation-1]
	if c.value == flow.NoValue {
		return false
	}
	for _, x := range op.Values[c.value].Operands {
		if x.Mark == loi.Induction && !x.Control {
			return true
		}
	}
	return false
}

// A crossing is a dependence of an operation of a goroutine on one of another.
type crossing struct {
	from, to uint32 // operations
	name     string // of the value; "": it has none
	object   int32  // datum or channel that it went through; -1: the start of the goroutine
	channel  bool
	control  bool
}

// crosses counts that an operand of an operation was written by another goroutine's.
func (s *sink) crosses(x crossing) {
	if s.between[x] == 0 {
		s.crossed = append(s.crossed, x)
	}
	s.between[x]++
}

// Received counts that an operand was received which a cell's operation sent: see [flow.Receiver].
func (s *sink) Received(step *flow.Step, x *loi.Operand, c *cell, class loi.ObjectID) {
	if c.worker == int32(step.Worker) {
		sent := *c
		sent.object = int32(class)
		s.Operand(step, x, &sent)
		return
	}
	if !passedOn(step) {
		s.crosses(crossing{from: c.operation - 1, to: step.Number, name: s.name(c),
			object: int32(class), channel: true})
	}
}
