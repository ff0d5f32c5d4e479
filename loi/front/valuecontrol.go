package front

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"

	"krdlab/loi"
)

// condition rewrites an if's condition with its operation; the statements under it are rewritten
// before end is called.
func (v *values) condition(s *ast.IfStmt) (end func()) {
	if v.info.Types[s.Cond].Value != nil {
		return func() {}
	}
	m := v.maker(s.Cond, loi.Condition, "if")
	if s.Init != nil {
		m.statement(s.Init, loi.Always, false)
	}
	slot := v.fresh32()
	m.value(loi.Place{Kind: loi.Slot, N: slot}, loi.Always, true)
	m.expr(s.Cond, 0)
	m.extreme(s)
	v.pass(s.Cond, "OC", strconv.Itoa(m.done()))
	return v.under(s, slot)
}

// under begins what stands under a condition of s with a slot; it is ended by end.
func (v *values) under(s ast.Stmt, slot uint32) (end func()) {
	v.controls = append(v.controls, slot)
	before := len(v.jumped)
	return func() {
		v.controls = v.controls[:len(v.controls)-1]
		heads, bodies, ok := v.jumpsOut(s)
		if !ok {
			return
		}
		j := jumped{slot, v.inList, heads, bodies}
		_, one := s.(*ast.CaseClause) // of several, one is executed
		if i := before - 1; i >= v.outside && !one && v.jumped[i].list == j.list {
			j.heads, j.bodies = min(j.heads, v.jumped[i].heads), min(j.bodies, v.jumped[i].bodies)
			v.jumped = slices.Delete(v.jumped, i, before)
		}
		v.jumped = append(v.jumped, j)
	}
}

// clause puts its operation at the beginning of a case, which depends on what the switch is about and
// on the cases up to it; end is as of condition.
func (v *values) clause(c *ast.CaseClause) (end func()) {
	m := v.maker(c, loi.Condition, "case")
	slot := v.fresh32()
	to := loi.Place{Kind: loi.Slot, N: slot}
	s := v.switches[len(v.switches)-1]
	switch s := s.(type) {
	case *ast.SwitchStmt:
		if s.Init != nil {
			m.statement(s.Init, loi.Always, false)
		}
		m.value(to, loi.Always, true)
		m.expr(s.Tag, costSimple)
		for _, x := range s.Body.List {
			for _, e := range x.(*ast.CaseClause).List {
				m.expr(e, costSimple)
			}
			if x == c {
				break
			}
		}
	case *ast.TypeSwitchStmt:
		if s.Init != nil {
			m.statement(s.Init, loi.Always, false)
		}
		m.value(to, loi.Always, true)
		m.expr(guard(s.Assign), costSimple)
		if o, ok := v.info.Implicits[c].(*types.Var); ok && !v.escapes(o) {
			n := v.fresh32()
			v.slots[o] = n
			m.value(loi.Place{Kind: loi.Slot, N: n}, loi.Always, false)
			m.on.New = true
			m.expr(guard(s.Assign), 0)
		}
	}
	v.top(c.Colon+1, " "+v.call("O", strconv.Itoa(m.done()))+";")
	return v.under(c, slot)
}

// jumpsOut returns the outermost loop whose head depends on the jumps in s that leave it, and the
// outermost in whose body what stands behind does, by their numbers; -1: the function. false: none
// leaves it.
func (v *values) jumpsOut(s ast.Stmt) (heads, bodies int, ok bool) {
	inner := len(v.loops) - 1
	heads, bodies = inner+1, inner
	leaves := func(head, body int) {
		heads, bodies, ok = min(heads, head), min(bodies, body), true
	}
	var look func(n ast.Node, loop, breaks bool)
	look = func(top ast.Node, loop, breaks bool) {
		ast.Inspect(top, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit:
				return false
			case *ast.ForStmt, *ast.RangeStmt:
				if n != top {
					look(n, true, true)
					return false
				}
			case *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
				if n != top {
					look(n, loop, true)
					return false
				}
			case *ast.ReturnStmt:
				leaves(0, -1)
			case *ast.BranchStmt:
				to := inner
				if n.Label != nil {
					to = slices.Index(v.loops, v.labelled[v.info.ObjectOf(n.Label)])
				}
				switch {
				case n.Tok == token.FALLTHROUGH:
				case n.Tok == token.GOTO || to < 0:
					leaves(0, -1)
				case n.Tok == token.CONTINUE && (n.Label != nil || !loop):
					leaves(to+1, to)
				case n.Tok == token.BREAK && n.Label == nil && !breaks && v.choosing:
					leaves(to+1, to) // no more than a switch, and what stands behind in that
				case n.Tok == token.BREAK && (n.Label != nil || !breaks):
					leaves(to, to)
				}
			}
			return true
		})
	}
	_, isSwitch := s.(*ast.SwitchStmt)
	_, isTypes := s.(*ast.TypeSwitchStmt)
	_, isCase := s.(*ast.CaseClause)
	look(s, isLoop(s), isLoop(s) || isSwitch || isTypes || isCase)
	return heads, bodies, ok
}

// headed rewrites the body of a loop, with the operation of the loop's head at its beginning. The
// head is made last: its sites are those of the code rewritten before.
func (v *values) headed(s ast.Stmt, body *ast.BlockStmt) {
	slot := v.fresh32()
	m := v.maker(s, loi.Head, "for")
	controls, first, outside, choosing := v.controls, len(v.jumped), v.outside, v.choosing
	around, unseen := v.around, v.hidden
	v.outside, v.choosing, v.hidden = first, false, ""
	v.loops = append(v.loops, s)
	var sound bool  // nothing but its operands decides on the next iteration
	var next uint32 // cost of that, from what decided before, where it is no expression
	switch s := s.(type) {
	case *ast.ForStmt:
		if s.Init != nil {
			m.statement(s.Init, loi.First, false)
		}
		if s.Post != nil {
			m.statement(s.Post, loi.Later, true)
		}
		m.value(loi.Place{Kind: loi.Slot, N: slot}, loi.Always, true)
		m.expr(s.Cond, 0)
		sound = !v.calls(s.Cond) && v.places(s, s.Cond) && v.posted(s)
	case *ast.RangeStmt:
		next, sound = m.ranged(s, slot)
	}
	head, at := m.on, len(v.out.Operations)
	number := m.done()
	v.controls = append(v.controls, slot)
	v.around = len(v.controls)
	v.list(body.List)
	v.controls, v.loops = controls, v.loops[:len(v.loops)-1]
	m.on = head
	if v.hidden != "" { // a name, and no variable that lives longer than the iteration
		m.on.Name, m.on.New, m.on.Blind = v.hidden, true, true
	}
	v.outside, v.choosing, v.around, v.hidden = outside, choosing, around, unseen
	if sound {
		m.on.Step = 1
	}
	m.control(slot, next)
	kept := v.jumped[:first:first]
	for _, j := range v.jumped[first:] {
		if j.heads <= len(v.loops) {
			m.control(j.slot, next)
		}
		if j.bodies < len(v.loops) {
			kept = append(kept, j)
		}
	}
	v.jumped = kept
	v.out.Operations[at] = m.op
	v.top(body.Lbrace+1, " "+v.call("O", strconv.Itoa(number))+"; ")
}

// ranged adds the key and the value of an iteration, and its slot; it returns the cost from the slot
// before to this one, and whether that is known ahead: neither a channel nor a function decides.
func (m *maker) ranged(s *ast.RangeStmt, slot uint32) (next uint32, steps bool) {
	steps = true // the key is the one before and 1, or so
	switch core(m.info.TypeOf(s.X)).(type) {
	case *types.Chan:
		steps = false
		if s.Key != nil && m.store(s.Key, loi.Always, false) {
			m.receive(nil, 0)
			m.over(s.X, 0)
		}
	case *types.Signature:
		steps = false
		if s.Key != nil && m.store(s.Key, loi.Always, false) {
			m.over(s.X, 0)
		}
	}
	if s.Key != nil && steps && m.store(s.Key, loi.First, false) {
		m.over(s.X, 0)
	}
	if s.Key != nil && steps && m.store(s.Key, loi.Later, false) {
		m.from(m.on.To, costSimple).Update = loi.Sum
		m.on.Update, m.on.Step, m.on.New = loi.Sum, 1, false
	}
	if s.Value != nil && m.store(s.Value, loi.Always, true) {
		_, hashed := core(m.info.TypeOf(s.X)).(*types.Map)
		m.freely(!hashed, func() {
			load := uint32(0)
			if p, ok := m.memory(s); ok {
				load = m.spend(costLoad, 0)
				m.from(p, load)
			}
			m.over(s.X, load)
			if id, ok := s.Key.(*ast.Ident); ok && !isBlank(id) {
				m.expr(id, load)
			}
		})
	}
	m.value(loi.Place{Kind: loi.Slot, N: slot}, loi.Always, true)
	m.over(s.X, 0)
	if !steps {
		return 0, false
	}
	m.op.Work += 2 * costSimple // the key and its comparison
	return costSimple, true
}

// over adds what a loop is over, which is computed before it: in an iteration it costs nothing.
func (m *maker) over(e ast.Expr, above uint32) {
	work := m.op.Work
	m.freely(true, func() { m.expr(e, above) })
	m.op.Work = work
}

// switched rewrites the block of a switch.
func (v *values) switched(s ast.Stmt, b *ast.BlockStmt) {
	v.switches = append(v.switches, s)
	v.choices(b.List)
	v.switches = v.switches[:len(v.switches)-1]
}

// choices rewrites the clauses of a switch or a select.
func (v *values) choices(list []ast.Stmt) {
	outer := v.choosing
	v.choosing = true
	v.list(list)
	v.choosing = outer
}

// returned returns the call that records the values of a return; "" if it has none.
func (v *values) returned(s *ast.ReturnStmt) string {
	m := v.maker(s, loi.Return, "return")
	t := v.kind.Results
	if t == nil || t.NumFields() == 0 {
		if v.defers { // what is called from now on is deferred
			return v.call("O", strconv.Itoa(m.done())) + "; "
		}
		return ""
	}
	for i := range t.NumFields() {
		m.value(loi.Place{Kind: loi.Passed, N: uint32(i)}, loi.Always, false)
		if len(s.Results) > 0 {
			m.result(s.Results, i, 0)
			continue
		}
		k := 0
		for _, f := range t.List {
			for _, x := range f.Names {
				if k == i {
					m.expr(x, 0)
				}
				k++
			}
		}
	}
	return v.call("O", strconv.Itoa(m.done())) + "; "
}
