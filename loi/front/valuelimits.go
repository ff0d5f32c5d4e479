package front

import (
	"go/ast"
	"go/token"
	"go/types"

	"krdlab/loi"
)

// constantIn reports that a loop does not change what e is loaded from, or made of: the addresses are of
// what it does not change, it stores nothing of such a type, and calls nothing that may.
func (w *fn) constantIn(loop ast.Stmt, e ast.Expr) bool {
	if w.invariant(loop, e) {
		return true
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return w.constantIn(loop, e.X)
	case *ast.BinaryExpr:
		return w.constantIn(loop, e.X) && w.constantIn(loop, e.Y)
	case *ast.CallExpr:
		name := w.builtin(e)
		return (name == "len" || name == "cap" || w.info.Types[e.Fun].IsType()) &&
			w.constantIn(loop, e.Args[0])
	case *ast.Ident:
		v, ok := w.info.ObjectOf(e).(*types.Var)
		return ok && w.where(e) == heap && w.kept(loop, v.Type())
	case *ast.StarExpr:
		return w.constantIn(loop, e.X) && w.kept(loop, w.info.TypeOf(e))
	case *ast.SelectorExpr:
		s := w.info.Selections[e]
		if s == nil { // of another package
			return w.where(e) == heap && w.kept(loop, w.info.TypeOf(e))
		}
		if s.Kind() != types.FieldVal || len(hops(s)) > 1 || !w.constantIn(loop, e.X) {
			return false
		}
		return w.where(e) == local || w.kept(loop, w.info.TypeOf(e))
	case *ast.IndexExpr:
		switch w.info.TypeOf(e.X).Underlying().(type) {
		case *types.Slice, *types.Array, *types.Pointer:
			return w.constantIn(loop, e.X) && w.constantIn(loop, e.Index) &&
				(w.where(e) == local || w.kept(loop, w.info.TypeOf(e)))
		}
	}
	return false
}

// kept reports that a loop stores nothing that may be, or hold, a value of type t, as far as other
// goroutines do not: it calls nothing but what has no effects.
func (w *fn) kept(loop ast.Stmt, t types.Type) (ok bool) {
	ok = true
	stores := func(e ast.Expr) {
		if e != nil && !isBlank(e) && w.where(e) == heap && holds(w.info.TypeOf(e), t) {
			ok = false
		}
	}
	begin := ast.Stmt(nil)
	if f, is := loop.(*ast.ForStmt); is {
		begin = f.Init
	}
	ast.Inspect(loop, func(n ast.Node) bool {
		switch n := n.(type) {
		case ast.Stmt:
			if n == begin {
				return false
			}
		case *ast.CallExpr:
			ok = ok && (&steady{w: w}).pure(n)
		}
		switch s := n.(type) {
		case *ast.AssignStmt:
			for _, x := range s.Lhs {
				stores(x)
			}
		case *ast.IncDecStmt:
			stores(s.X)
		case *ast.RangeStmt:
			stores(s.Key)
			stores(s.Value)
			if _, is := w.info.TypeOf(s.X).Underlying().(*types.Signature); is {
				ok = false
			}
		}
		return ok
	})
	return ok
}

// bounded reports that a condition compares what ok holds for, induction variables and what the loop
// does not change, with what it does not change: by loads too.
func (w *fn) bounded(loop ast.Stmt, e ast.Expr, ok func(*types.Var) bool) bool {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return w.bounded(loop, e.X, ok)
	case *ast.BinaryExpr:
		return w.bounded(loop, e.X, ok) && w.bounded(loop, e.Y, ok)
	}
	return w.madeOf(e, ok) || w.constantIn(loop, e)
}

// extreme returns the variable of which an if keeps the least or the greatest, nil if it does
// something else: if e > m { m = e }, with any comparison, either way round.
func (w *fn) extreme(s *ast.IfStmt) *ast.Ident {
	c, ok := ast.Unparen(s.Cond).(*ast.BinaryExpr)
	if !ok || s.Init != nil || s.Else != nil || len(s.Body.List) != 1 {
		return nil
	}
	switch c.Op {
	case token.LSS, token.LEQ, token.GTR, token.GEQ:
	default:
		return nil
	}
	a, ok := s.Body.List[0].(*ast.AssignStmt)
	if !ok || a.Tok != token.ASSIGN || len(a.Lhs) != 1 || len(a.Rhs) != 1 {
		return nil
	}
	id, ok := ast.Unparen(a.Lhs[0]).(*ast.Ident)
	if !ok || w.where(id) != local {
		return nil
	}
	text := func(e ast.Expr) string { return types.ExprString(ast.Unparen(e)) }
	for _, x := range [][2]ast.Expr{{c.X, c.Y}, {c.Y, c.X}} {
		if text(x[0]) == text(id) && text(x[1]) == text(a.Rhs[0]) && !w.calls(a.Rhs[0]) &&
			w.where(x[0]) == local {
			return id
		}
	}
	return nil
}

// extremum marks what the condition of s, the last value, reads of a variable as a reduction, in so
// many loops around it as do nothing else with that than to keep the least or the greatest.
func (m *maker) extremum(s *ast.IfStmt) {
	id := m.extreme(s)
	if id == nil {
		return
	}
	v, _ := m.info.ObjectOf(id).(*types.Var)
	slot, ok := m.slot(id)
	if v == nil || !ok {
		return
	}
	for i := range m.on.Operands {
		o := &m.on.Operands[i]
		if o.Control || o.From.Kind != loi.Slot || o.From.N != slot {
			continue
		}
		for j := len(m.v.loops) - 1; j >= 0; j-- {
			uses := 0
			for n := range m.uses(m.v.loops[j], v) {
				uses += n
			}
			if uses != 2 || len(m.stores(m.v.loops[j], v, func(ast.Expr) bool { return true })) != 1 {
				break
			}
			o.Mark, o.Levels = loi.Reduction, o.Levels+1
		}
	}
}
