package loops

import (
	"slices"

	"krdlab/loi"
)

// Ahead returns the operands of induction that the operations show by themselves, without a trace of
// them: those by which the loop that they stand in steps a variable, and those by which the head of
// a loop that only counts depends on the one before. Kremlin finds both at compile time, too.
//
// A variable is stepped if nothing else in the loop writes its slot, no condition in the loop decides
// on that, and the step is of constants and of variables that the loop does not write. A head only
// counts if what it compares are such variables, or others that the loop does not write. What is in
// memory has to be looked at while the loop runs: see [Stepped].
//
// Departure from [Verdict.Marks], which come from what was done: what is found later in the run of a
// loop, or in another, says nothing of what was before. By code that was never executed a loop is
// nearer to serial here, and by one of a single iteration nearer to parallel. Operations that send or
// receive have none.
func Ahead(r *loi.Registry) map[*loi.Operand]Stepped {
	s := statics{registry: r, writers: map[slot][]Point{}, named: map[named][]Point{},
		ahead: map[*loi.Operand]Stepped{}}
	for i := range r.Operations {
		o := &r.Operations[i]
		for n, v := range o.Values {
			switch p := (Point{uint32(i), uint16(n)}); {
			case o.Region == loi.NoRegion:
			case v.To.Kind == loi.Slot:
				at := slot{o.Region, v.To.N}
				s.writers[at] = append(s.writers[at], p)
			case v.To.Kind == loi.Memory && v.Name != "":
				at := named{o.Region, v.Name}
				s.named[at] = append(s.named[at], p)
			}
		}
	}
	s.around = make([]int, len(r.Operations))
	for i := range s.around {
		s.around[i] = s.enclosing(i)
	}
	for i := range r.Operations {
		o := &r.Operations[i]
		if slices.ContainsFunc(o.Values, func(v loi.Value) bool { return talks(&v) }) {
			continue
		}
		for n := range o.Values {
			if v := &o.Values[n]; v.Update == loi.Sum && v.Step != 0 {
				s.step(Point{uint32(i), uint16(n)}, v)
			}
		}
	}
	for i := range r.Operations {
		if o := &r.Operations[i]; o.Kind == loi.Head && len(o.Values) > 0 {
			s.head(i, &o.Values[len(o.Values)-1])
		}
	}
	return s.ahead
}

// Stepped tells how an operand is one of induction. In an iteration it has to be true: of each
// variable in memory that the value reads beside, that the loop has not written it, or as one that it
// steps.
type Stepped struct {
	// Each: the iteration before wrote the variable.
	Each bool
	// Memory is the number of a variable in memory, from 1: its value was written in the iteration before,
	// by an operand of that number. 0: it has a slot.
	Memory int
}

// A named is a write of a function to memory by a name.
type named struct {
	function loi.RegionID
	name     string
}

// statics are the operations of a program, not done yet.
type statics struct {
	registry *loi.Registry
	writers  map[slot][]Point
	named    map[named][]Point
	around   []int // by operation: the condition or head that it stands under; -1: none
	ahead    map[*loi.Operand]Stepped
	numbers  map[[2]int]int // of variables in memory, by loop and first write
}

// enclosing returns the operation under whose condition one stands: its first control.
func (s *statics) enclosing(i int) int {
	o := &s.registry.Operations[i]
	for _, v := range o.Values {
		for _, x := range v.Operands {
			if !x.Control || x.From.Kind != loi.Slot {
				continue
			}
			for _, w := range s.writers[slot{o.Region, x.From.N}] {
				if int(w.Operation) < i {
					return int(w.Operation)
				}
			}
			break
		}
	}
	return -1
}

// loop returns the head of the innermost loop that an operation stands in, of a head itself.
func (s *statics) loop(i int) int {
	for ; i >= 0 && s.registry.Operations[i].Kind != loi.Head; i = s.around[i] {
	}
	return i
}

// in reports that an operation stands in the loop of a head.
func (s *statics) in(i, head int) bool {
	for ; i >= 0; i = s.around[i] {
		if i == head {
			return true
		}
	}
	return false
}

// written yields the values that the loop of a head writes to a slot of its function, but for what
// the loop begins with.
func (s *statics) written(head int, n uint32) []Point {
	return s.within(head, s.writers[slot{s.registry.Operations[head].Region, n}])
}

// within yields those of some values that the loop of a head writes.
func (s *statics) within(head int, list []Point) (all []Point) {
	for _, w := range list {
		v := &s.registry.Operations[w.Operation].Values[w.Value]
		if s.in(int(w.Operation), head) && !(int(w.Operation) == head && v.When == loi.First) {
			all = append(all, w)
		}
	}
	return all
}

// step notes the operand by which the loop around a value steps it.
func (s *statics) step(p Point, v *loi.Value) {
	head := s.loop(int(p.Operation))
	if head < 0 || int(p.Operation) == head && v.When != loi.Later {
		return
	}
	var all []Point
	switch v.To.Kind {
	case loi.Slot:
		all = s.written(head, v.To.N)
	case loi.Memory:
		all = s.within(head, s.named[named{s.registry.Operations[head].Region, v.Name}])
	}
	if !s.alike(all, head, v.Step) {
		return
	}
	either := len(all) > 1
	var own *loi.Operand
	for i := range v.Operands {
		x := &v.Operands[i]
		switch {
		case !x.Control && x.From.Kind == v.To.Kind && x.Update == loi.Sum: // of memory another access
			own = x
		case x.From.Kind == loi.Memory && !x.Control:
		case x.From.Kind != loi.Slot:
			return
		case !x.Control && len(s.written(head, x.From.N)) > 0:
			return
		case x.Control && s.decides(head, x.From.N) && !(either && s.writes(int(s.around[p.Operation]), x.From)):
			return
		}
	}
	if own == nil {
		return
	}
	is := Stepped{Each: either}
	if v.To.Kind == loi.Memory {
		if s.numbers == nil {
			s.numbers = map[[2]int]int{}
		}
		at := [2]int{head, int(all[0].Operation)<<16 | int(all[0].Value)}
		if s.numbers[at] == 0 {
			s.numbers[at] = len(s.numbers) + 1
		}
		is.Memory = s.numbers[at]
	}
	s.ahead[own] = is
}

// alike reports that the values that a loop writes to a slot are one, or those of the branches of
// one if in its body, which step it by the same.
func (s *statics) alike(all []Point, head int, step uint32) bool {
	for _, p := range all {
		v, under := &s.registry.Operations[p.Operation].Values[p.Value], s.around[p.Operation]
		if len(all) > 1 && (v.Update != loi.Sum || v.Step != step || under < 0 || under == head ||
			under != s.around[all[0].Operation] || s.around[under] != head) {
			return false
		}
	}
	return len(all) > 0
}

// writes reports that an operation writes a place.
func (s *statics) writes(i int, to loi.Place) bool {
	return slices.ContainsFunc(s.registry.Operations[i].Values, func(v loi.Value) bool { return v.To == to })
}

// decides reports that a slot is that of a condition in a loop, not of a head.
func (s *statics) decides(head int, n uint32) bool {
	for _, w := range s.written(head, n) {
		if s.registry.Operations[w.Operation].Kind != loi.Head {
			return true
		}
	}
	return false
}

// head notes the operand of a head's condition that is the one before, if the head only counts.
func (s *statics) head(i int, v *loi.Value) {
	if v.Step == 0 {
		return
	}
	var own *loi.Operand
	for n := range v.Operands {
		x := &v.Operands[n]
		if x.Control {
			if x.From == v.To {
				own = x
			}
			continue
		}
		if x.From.Kind != loi.Slot {
			continue
		}
		for _, w := range s.written(i, x.From.N) {
			if !s.stepped(w) {
				return
			}
		}
	}
	if own != nil {
		s.ahead[own] = Stepped{}
	}
}

// stepped reports that a value is one that its loop steps.
func (s *statics) stepped(p Point) bool {
	v := &s.registry.Operations[p.Operation].Values[p.Value]
	for i := range v.Operands {
		if _, ok := s.ahead[&v.Operands[i]]; ok && !v.Operands[i].Control {
			return true
		}
	}
	return false
}
