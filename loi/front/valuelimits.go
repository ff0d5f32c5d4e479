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

// extreme marks an if by which the least or greatest value so far is kept, and values set beside it
// (argmin). It sets the update of the reads of that value by the condition, the last value, and of
// the statements of the body.
//
//	if a[i] > m { m = a[i] }; if d := f(i); ok && d < p.best { p.best, p.at = d, i }
func (m *maker) extreme(s *ast.IfStmt) {
	if s.Else != nil {
		return
	}
	var sets, values []ast.Expr
	for _, x := range s.Body.List {
		a, ok := x.(*ast.AssignStmt)
		if !ok || a.Tok != token.ASSIGN || len(a.Lhs) != len(a.Rhs) {
			return
		}
		sets, values = append(sets, a.Lhs...), append(values, a.Rhs...)
	}
	if m.calls(append(append([]ast.Expr{s.Cond}, sets...), values...)...) {
		return
	}
	text := func(e ast.Expr) string { return types.ExprString(ast.Unparen(e)) }
	var kept ast.Expr // in the condition
	var u loi.Update
	conditions(s.Cond, func(c *ast.BinaryExpr) {
		for i, x := range sets {
			left, right := text(c.X), text(c.Y)
			switch {
			case text(x) == right && text(values[i]) == left:
				kept, u = c.Y, extremeOf[c.Op]
			case text(x) == left && text(values[i]) == right:
				kept, u = c.X, extremeOf[mirrored[c.Op]]
			}
		}
	})
	if kept == nil || u == loi.NoUpdate {
		return
	}
	for _, x := range sets { // of a group chosen as the kept one is, or of one place
		for _, i := range indices(x) {
			known := m.info.Types[i].Value != nil
			for _, k := range indices(kept) {
				known = known || text(i) == text(k)
			}
			if !known {
				return
			}
		}
	}
	for _, x := range sets { // none is read but what is kept, and that once
		most := 0
		if text(x) == text(kept) {
			most = 1
		}
		if n := m.writtenAs(text(x), s.Cond); n != most || m.writtenAs(text(x), values...) > 0 {
			return
		}
	}
	place, ok := loi.Place{Kind: loi.Slot}, false
	if place.N, ok = m.partOf(kept); !ok {
		if place, ok = m.memory(ast.Unparen(kept)); !ok {
			return
		}
	} else if v := rootVar(m.info, kept); v == nil || m.mentions(v, s.Cond) > 1 {
		return
	}
	for i := range m.on.Operands {
		if o := &m.on.Operands[i]; o.From == place && !o.Control {
			o.Update = u
		}
	}
	for _, x := range s.Body.List {
		m.extremes[x] = u
	}
}

// indices returns those of the place that e is.
func indices(e ast.Expr) (all []ast.Expr) {
	for {
		switch x := e.(type) {
		case *ast.ParenExpr:
			e = x.X
		case *ast.SelectorExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.IndexExpr:
			all, e = append(all, x.Index), x.X
		default:
			return all
		}
	}
}

// extremeOf are the updates of x > m and the like, by which m becomes x.
var extremeOf = map[token.Token]loi.Update{token.GTR: loi.Greatest, token.GEQ: loi.Greatest,
	token.LSS: loi.Least, token.LEQ: loi.Least}

// mirrored are the operators of m < x.
var mirrored = map[token.Token]token.Token{token.LSS: token.GTR, token.LEQ: token.GEQ,
	token.GTR: token.LSS, token.GEQ: token.LEQ}

// conditions calls do for each comparison, or so, that a condition is the conjunction of.
func conditions(e ast.Expr, do func(*ast.BinaryExpr)) {
	if c, ok := ast.Unparen(e).(*ast.BinaryExpr); ok && c.Op == token.LAND {
		conditions(c.X, do)
		conditions(c.Y, do)
	} else if ok {
		do(c)
	}
}

// writtenAs counts how often expressions have one that is written like text.
func (r *source) writtenAs(text string, all ...ast.Expr) (n int) {
	for _, e := range all {
		ast.Inspect(e, func(x ast.Node) bool {
			if e, ok := x.(ast.Expr); ok {
				if _, paren := e.(*ast.ParenExpr); !paren && types.ExprString(e) == text {
					n++
				}
			}
			return true
		})
	}
	return n
}
