package front

import (
	"go/ast"
	"go/token"
	"go/types"
	"hash/fnv"
	"io"
	"slices"

	"krdlab/loi"
)

// updateOf are the updates that operators make; subtracting counts as adding, and clearing as and.
var updateOf = map[token.Token]loi.Update{token.ADD: loi.Sum, token.SUB: loi.Sum,
	token.MUL: loi.Product, token.AND: loi.And, token.AND_NOT: loi.And, token.OR: loi.Or,
	token.XOR: loi.Xor, token.LAND: loi.All, token.LOR: loi.Any}

// updates marks the last value, which x is set to, as an update of x by u, if old, an operand of it,
// is x, and what else it is made of does not have x: the place itself would be read twice then.
//
//	s += a[i]; s = a[i] + s; s = min(s, a[i]); h[k]++; r = append(r, x)
func (m *maker) updates(u loi.Update, x, old ast.Expr, others ...ast.Expr) {
	if u == loi.NoUpdate {
		return
	}
	place := m.on.To
	if old != x {
		if n, ok := m.partOf(old); ok {
			place = loi.Place{Kind: loi.Slot, N: n}
		} else if p, ok := m.memory(ast.Unparen(old)); ok {
			place = p
		}
	}
	if place.Kind == loi.Slot {
		v, all := rootVar(m.info, x), append([]ast.Expr{x}, others...)
		if old != x {
			all = append(all, old)
		}
		if most := len(all) - len(others); v == nil || m.mentions(v, all...) > most {
			return
		}
	}
	for i := range m.on.Operands {
		if o := &m.on.Operands[i]; !o.Control && (o.From == place || o.From == m.on.To) {
			o.Update, m.on.Update = u, u
		}
	}
	m.on.Rounds = m.on.Update == u && m.floats(x)
	if m.on.Update == u && !m.calls(others...) {
		m.on.Step = step(others...)
	}
}

// step returns a number for the value added, as the source writes it.
func step(others ...ast.Expr) uint32 {
	h := fnv.New32a()
	for _, x := range others {
		if x != nil {
			io.WriteString(h, types.ExprString(x))
		}
		io.WriteString(h, "+")
	}
	return max(h.Sum32(), 1)
}

// partOf returns the slot of a local variable that e is, or a part of.
func (m *maker) partOf(e ast.Expr) (uint32, bool) {
	id, ok := base(e).(*ast.Ident)
	if !ok || m.where(e) != local {
		return 0, false
	}
	return m.slot(id)
}

// mentions counts how often expressions name a variable.
func (r *source) mentions(v *types.Var, all ...ast.Expr) (n int) {
	for _, e := range all {
		if e == nil {
			continue
		}
		ast.Inspect(e, func(x ast.Node) bool {
			if id, ok := x.(*ast.Ident); ok && r.info.ObjectOf(id) == v {
				n++
			}
			return true
		})
	}
	return n
}

// floats reports that e is of floating point: the order of sums changes how they are rounded.
func (r *source) floats(e ast.Expr) bool {
	b, ok := core(r.info.TypeOf(e)).(*types.Basic)
	return ok && b.Info()&(types.IsFloat|types.IsComplex) != 0
}

// update returns how y makes a new value of x: where x stands in it, and what else it is made of.
func (r *source) update(x, y ast.Expr) (u loi.Update, old ast.Expr, others []ast.Expr) {
	where := types.ExprString(ast.Unparen(x))
	is := func(e ast.Expr) bool { return types.ExprString(ast.Unparen(e)) == where }
	if r.calls(x) {
		return
	}
	switch y := ast.Unparen(y).(type) {
	case *ast.BinaryExpr:
		if u = updateOf[y.Op]; u == loi.Sum && r.text(x) {
			u = loi.Joined
		}
		old, others = r.leaves(y, u, is)
		for _, e := range others {
			if old != nil && (u == loi.All || u == loi.Any) && e.Pos() > old.Pos() && r.calls(e) {
				old = nil // whether it is called depends on x
			}
		}
	case *ast.CallExpr:
		switch r.builtin(y) {
		case "min":
			u = loi.Least
		case "max":
			u = loi.Greatest
		case "append":
			u = loi.Joined
		case "":
			if f := r.function(y); f != nil {
				u = extremes[f.FullName()]
			}
		}
		for i, e := range y.Args {
			if old == nil && is(e) && (u != loi.Joined || i == 0) {
				old = e
			} else {
				others = append(others, e)
			}
		}
	}
	if old == nil {
		return loi.NoUpdate, nil, nil
	}
	return u, old, others
}

// extremes are functions that update as min and max do.
var extremes = map[string]loi.Update{"math.Min": loi.Least, "math.Max": loi.Greatest}

// leaves returns the one of those that y combines by the operators of an update for which is holds,
// if that is not subtracted, and the others. Of joined operands it is the first.
func (r *source) leaves(y ast.Expr, u loi.Update, is func(ast.Expr) bool) (old ast.Expr,
	others []ast.Expr) {
	var walk func(e ast.Expr, minus, first bool)
	walk = func(e ast.Expr, minus, first bool) {
		e = ast.Unparen(e)
		b, ok := e.(*ast.BinaryExpr)
		switch {
		case ok && u != loi.NoUpdate && (updateOf[b.Op] == u || u == loi.Joined && b.Op == token.ADD):
			less := b.Op == token.SUB || b.Op == token.AND_NOT
			walk(b.X, minus, first)
			walk(b.Y, minus != less, false)
		case old == nil && !minus && is(e) && (first || u != loi.Joined):
			old = e
		default:
			others = append(others, e)
		}
	}
	walk(y, false, true)
	return old, others
}

// text reports that e is a string.
func (r *source) text(e ast.Expr) bool {
	b, ok := core(r.info.TypeOf(e)).(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

// steps reports that all that a loop does to a variable is to add what it does not change, once in
// each iteration.
func (r *source) steps(loop ast.Stmt, id *ast.Ident) bool {
	v, _ := r.info.ObjectOf(id).(*types.Var)
	if v == nil || r.where(id) != local || r.text(id) {
		return false
	}
	all := r.writes(loop, v)
	if len(all) != 1 || !directly(loop, all[0]) {
		return false
	}
	invariant := func(list ...ast.Expr) bool {
		return !slices.ContainsFunc(list, func(y ast.Expr) bool { return !r.constantIn(loop, y) })
	}
	switch s := all[0].(type) {
	case *ast.IncDecStmt:
		return true
	case *ast.AssignStmt:
		if op := assignedBy[s.Tok]; op != token.ILLEGAL {
			return updateOf[op] == loi.Sum && invariant(s.Rhs[0])
		}
		for i, x := range s.Lhs {
			if r.of(x, v) && i < len(s.Rhs) {
				u, _, others := r.update(x, s.Rhs[i])
				return u == loi.Sum && invariant(others...)
			}
		}
	}
	return false
}

// places reports that what a condition of a loop loads is at the same places in each iteration.
func (r *source) places(loop ast.Stmt, cond ast.Expr) (ok bool) {
	ok = true
	fixed := func(e ast.Expr) {
		ast.Inspect(e, func(n ast.Node) bool {
			if id, is := n.(*ast.Ident); is {
				v, is := r.info.ObjectOf(id).(*types.Var)
				ok = ok && !(is && r.where(id) == local && len(r.writes(loop, v)) > 0)
			}
			return ok
		})
	}
	if cond == nil {
		return true
	}
	ast.Inspect(cond, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IndexExpr:
			fixed(n)
		case *ast.StarExpr:
			fixed(n)
		case *ast.SelectorExpr:
			if s := r.info.Selections[n]; s != nil && s.Indirect() {
				fixed(n.X)
			}
		}
		return ok
	})
	return ok
}

// posted reports whether the variables that a for declares, and that are memory since closures have
// them, are written by its post statement alone. The variable of the next iteration is a copy of
// this one's, and the copy has no access.
func (r *source) posted(s *ast.ForStmt) bool {
	a, ok := s.Init.(*ast.AssignStmt)
	if !ok || a.Tok != token.DEFINE {
		return true
	}
	for _, x := range a.Lhs {
		v, ok := r.info.Defs[x.(*ast.Ident)].(*types.Var)
		if !ok || r.where(x) == local {
			continue
		}
		all := r.stores(s, v, func(ast.Expr) bool { return true })
		if post, ok := s.Post.(*ast.AssignStmt); ok && !r.constantIn(s, post.Rhs[0]) {
			return false
		}
		if len(all) > 1 || len(all) == 1 && all[0] != ast.Node(s.Post) || r.pointed(s, v) {
			return false
		}
	}
	return true
}

// pointed reports that the address of a variable is taken in a loop.
func (r *source) pointed(loop ast.Stmt, v *types.Var) (found bool) {
	ast.Inspect(loop, func(n ast.Node) bool {
		if u, ok := n.(*ast.UnaryExpr); ok && u.Op == token.AND {
			id, is := base(u.X).(*ast.Ident)
			found = found || is && r.info.ObjectOf(id) == v
		}
		return !found
	})
	return found
}

// of reports that an expression is a variable.
func (r *source) of(e ast.Expr, v *types.Var) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	return ok && r.info.ObjectOf(id) == v
}

// directly reports that a statement is one of the list of a loop's body, or its post statement.
func directly(loop ast.Stmt, s ast.Node) bool {
	var list []ast.Stmt
	switch l := loop.(type) {
	case *ast.ForStmt:
		if l.Post == s {
			return true
		}
		list = l.Body.List
	case *ast.RangeStmt:
		list = l.Body.List
	}
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// writes returns the statements of a loop that write a variable, but for what a for begins with.
func (r *source) writes(loop ast.Stmt, v *types.Var) []ast.Node {
	return r.stores(loop, v, func(e ast.Expr) bool {
		_, whole := ast.Unparen(e).(*ast.Ident)
		return whole || r.where(e) == local
	})
}

// stores returns those that write places which begin with a variable and for which ok holds.
func (r *source) stores(loop ast.Stmt, v *types.Var, ok func(ast.Expr) bool) (all []ast.Node) {
	is := func(e ast.Expr) bool {
		id, is := base(e).(*ast.Ident)
		return is && r.info.ObjectOf(id) == v && ok(e)
	}
	init := ast.Stmt(nil)
	if f, is := loop.(*ast.ForStmt); is {
		init = f.Init
	}
	ast.Inspect(loop, func(n ast.Node) bool {
		if n != nil && n == ast.Node(init) {
			return false
		}
		switch s := n.(type) {
		case *ast.AssignStmt:
			for _, x := range s.Lhs {
				if is(x) {
					all = append(all, s)
				}
			}
		case *ast.IncDecStmt:
			if is(s.X) {
				all = append(all, s)
			}
		case *ast.RangeStmt:
			if s.Key != nil && is(s.Key) || s.Value != nil && is(s.Value) {
				all = append(all, s)
			}
		}
		return true
	})
	return all
}

// invariant reports that an expression is of constants and of local variables that a loop does not
// change.
func (r *source) invariant(loop ast.Stmt, e ast.Expr) bool {
	return r.madeOf(e, func(v *types.Var) bool { return len(r.writes(loop, v)) == 0 })
}

// madeOf reports that an expression is of constants, operators, lengths and local variables for
// which ok holds.
func (r *source) madeOf(e ast.Expr, ok func(*types.Var) bool) bool {
	if e == nil || r.info.Types[e].Value != nil {
		return true
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return r.madeOf(e.X, ok)
	case *ast.Ident:
		v, is := r.info.ObjectOf(e).(*types.Var)
		return is && r.where(e) == local && ok(v)
	case *ast.BinaryExpr:
		return r.madeOf(e.X, ok) && r.madeOf(e.Y, ok)
	case *ast.UnaryExpr:
		return e.Op != token.ARROW && e.Op != token.AND && r.madeOf(e.X, ok)
	case *ast.CallExpr:
		name := r.builtin(e)
		return (name == "len" || name == "cap") && r.madeOf(e.Args[0], ok) ||
			r.info.Types[e.Fun].IsType() && r.madeOf(e.Args[0], ok)
	}
	return false
}
