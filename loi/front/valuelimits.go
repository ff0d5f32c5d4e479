package front

import (
	"go/ast"
	"go/token"
	"go/types"

	"krdlab/loi"
)

// constantIn reports that a loop does not change what e is loaded from, or made of: the addresses are of
// what it does not change, it stores nothing of such a type, and calls nothing that may.
func (r *source) constantIn(loop ast.Stmt, e ast.Expr) bool {
	if r.invariant(loop, e) {
		return true
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return r.constantIn(loop, e.X)
	case *ast.BinaryExpr:
		return r.constantIn(loop, e.X) && r.constantIn(loop, e.Y)
	case *ast.CallExpr:
		name := r.builtin(e)
		return (name == "len" || name == "cap" || r.info.Types[e.Fun].IsType()) &&
			r.constantIn(loop, e.Args[0])
	case *ast.Ident:
		v, ok := r.info.ObjectOf(e).(*types.Var)
		return ok && r.where(e) == heap && r.kept(loop, v.Type())
	case *ast.StarExpr:
		return r.constantIn(loop, e.X) && r.kept(loop, r.info.TypeOf(e))
	case *ast.SelectorExpr:
		s := r.info.Selections[e]
		if s == nil { // of another package
			return r.where(e) == heap && r.kept(loop, r.info.TypeOf(e))
		}
		if s.Kind() != types.FieldVal || len(hops(s)) > 1 || !r.constantIn(loop, e.X) {
			return false
		}
		return r.where(e) == local || r.kept(loop, r.info.TypeOf(e))
	case *ast.IndexExpr:
		switch r.info.TypeOf(e.X).Underlying().(type) {
		case *types.Slice, *types.Array, *types.Pointer:
			return r.constantIn(loop, e.X) && r.constantIn(loop, e.Index) &&
				(r.where(e) == local || r.kept(loop, r.info.TypeOf(e)))
		}
	}
	return false
}

// kept reports that a loop stores nothing that may be, or hold, a value of type t, as far as other
// goroutines do not: it calls nothing but what has no effects.
func (r *source) kept(loop ast.Stmt, t types.Type) (ok bool) {
	ok = true
	stores := func(e ast.Expr) {
		if e != nil && !isBlank(e) && r.where(e) == heap && holds(r.info.TypeOf(e), t) {
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
			ok = ok && r.pure(n)
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
			if _, is := r.info.TypeOf(s.X).Underlying().(*types.Signature); is {
				ok = false
			}
		}
		return ok
	})
	return ok
}

// bounded reports that a condition compares what ok holds for, induction variables and what the loop
// does not change, with what it does not change: by loads too.
func (r *source) bounded(loop ast.Stmt, e ast.Expr, ok func(*types.Var) bool) bool {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return r.bounded(loop, e.X, ok)
	case *ast.BinaryExpr:
		return r.bounded(loop, e.X, ok) && r.bounded(loop, e.Y, ok)
	}
	return r.madeOf(e, ok) || r.constantIn(loop, e)
}

// extreme returns the variable of which an if keeps the least or the greatest, nil if it does
// something else: if e > m { m = e }, with any comparison, either way round.
func (r *source) extreme(s *ast.IfStmt) *ast.Ident {
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
	if !ok || r.where(id) != local {
		return nil
	}
	text := func(e ast.Expr) string { return types.ExprString(ast.Unparen(e)) }
	for _, x := range [][2]ast.Expr{{c.X, c.Y}, {c.Y, c.X}} {
		if text(x[0]) == text(id) && text(x[1]) == text(a.Rhs[0]) && !r.calls(a.Rhs[0]) &&
			r.where(x[0]) == local {
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
		for j := len(m.loops) - 1; j >= 0; j-- {
			uses := 0
			for n := range m.uses(m.loops[j], v) {
				uses += n
			}
			if uses != 2 || len(m.stores(m.loops[j], v, func(ast.Expr) bool { return true })) != 1 {
				break
			}
			o.Mark, o.Levels = loi.Reduction, o.Levels+1
		}
	}
}
