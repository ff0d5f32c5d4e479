package front

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// appending is a statement x = append(X, a), x := append(X, a) or return append(X, a) whose X the
// gc compiler loads after a, so that it can only be recorded where a is evaluated before:
//
//	p.s = append(p.s, g())  =>  { krd1 := g(); p.s = A.NS(B, append(A.G(B, (*A.L(B, &(p.s), 2)), 3),
//	                        =>    krd1), 3); A.L(B, &(p.s), 1) }
//
// It returns false if the statement is none, or needs no change. Other arguments may stand beside a
// that nothing changes. gc's walkAppend copies each argument but variables and constants, of which
// a is none, and then loads X, of which it copies no part before if it is placed.
func (w *accesses) appending(s ast.Stmt) bool {
	var list []ast.Expr
	var with func(ast.Expr) ast.Stmt // the statement with another call
	open, end := "{ ", " }"
	switch s := s.(type) {
	case *ast.AssignStmt:
		if len(s.Lhs) != 1 || isBlank(s.Lhs[0]) || !w.placed(s.Lhs[0]) {
			return false
		}
		switch s.Tok {
		case token.DEFINE: // a block would hide what it defines
			open, end = "", ""
		case token.ASSIGN:
		default:
			return false
		}
		list = s.Rhs
		with = func(e ast.Expr) ast.Stmt {
			t := *s
			t.Rhs = []ast.Expr{e}
			return &t
		}
	case *ast.ReturnStmt:
		list = s.Results
		with = func(e ast.Expr) ast.Stmt {
			t := *s
			t.Results = []ast.Expr{e}
			return &t
		}
	}
	if len(list) != 1 {
		return false
	}
	c, ok := list[0].(*ast.CallExpr)
	if !ok || w.builtin(c) != "append" || !w.placed(c.Args[0]) {
		return false
	}
	i := w.first(c)
	if i == 0 {
		return false
	}
	a := c.Args[i]
	if w.newlines(s.Pos(), a.Pos()) != "" {
		return false
	}
	w.val(a, false)
	name, mark := w.fresh(""), len(w.made)
	there, back := w.lines(s.Pos(), a.End())
	changed := *c
	changed.Args = slices.Clone(c.Args)
	changed.Args[i] = w.variableOf(a, name, name+back)
	w.info.Types[&changed] = w.info.Types[c]
	w.simple(with(&changed), true)
	w.raise(a, mark)
	w.hoists = append(w.hoists, hoist{a, len(w.made), open + name + " := ", "; " + there})
	w.wrap(s, name, end)
	return true
}

// A hoist is an expression whose text, between others, stands at the beginning of an edit.
type hoist struct {
	of            ast.Expr
	edit          int
	before, after string
}

// move completes a hoist, when all passes have been through its expression.
func (w *fn) move(h hoist) {
	w.made[h.edit].before = h.before + w.changed(h.of) + h.after
}

// first is the index of the one argument of an append that must be evaluated before its slice can
// be recorded; 0: there is none, or more than one.
func (w *accesses) first(c *ast.CallExpr) (found int) {
	x, rest := c.Args[0], c.Args[1:]
	if w.nothing(x) || !differ(w.panics(x), w.panics(rest...)) &&
		(w.settled(x) || !w.calls(rest...)) {
		return 0
	}
	for i, e := range rest {
		if w.settled(e) && w.panics(e) == 0 {
			continue
		}
		if found != 0 || w.untyped(e) {
			return 0
		}
		if m, ok := ast.Unparen(e).(*ast.CallExpr); ok && c.Ellipsis.IsValid() &&
			w.builtin(m) == "make" {
			return 0 // the compiler makes no slice here
		}
		if v, ok := ast.Unparen(e).(*ast.Ident); ok && w.info.Uses[v] != nil {
			return 0 // a variable is loaded at last
		}
		found = i + 1
	}
	return found
}

// placed reports that the gc compiler copies no part of a place before the values of its statement:
// it has pointers, fields and indices that nothing changes.
func (r *source) placed(x ast.Expr) bool {
	switch e := x.(type) {
	case *ast.Ident:
		_, ok := r.info.ObjectOf(e).(*types.Var)
		return ok
	case *ast.ParenExpr:
		return r.placed(e.X)
	case *ast.StarExpr:
		return r.placed(e.X)
	case *ast.SelectorExpr:
		s := r.info.Selections[e]
		if s == nil {
			_, ok := r.info.Uses[e.Sel].(*types.Var)
			return ok
		}
		return s.Kind() == types.FieldVal && r.placed(e.X)
	case *ast.IndexExpr:
		if _, isMap := core(r.info.TypeOf(e.X)).(*types.Map); isMap {
			return false
		}
		_, name := ast.Unparen(e.Index).(*ast.Ident)
		return r.placed(e.X) && r.settled(e.Index) && (name || r.info.Types[e.Index].Value != nil)
	}
	return false
}

// variableOf is an expression in place of e, rewritten as text: a variable that has its value.
func (w *accesses) variableOf(e ast.Expr, name, text string) ast.Expr {
	id := &ast.Ident{NamePos: e.Pos(), Name: name}
	in := &ast.ParenExpr{Lparen: e.Pos(), X: id, Rparen: e.End() - 1} // it stands where e does
	t := w.info.TypeOf(e)
	w.info.Uses[id] = types.NewVar(e.Pos(), w.pkg.Types, name, t)
	w.info.Types[id] = types.TypeAndValue{Type: t}
	w.info.Types[in] = types.TypeAndValue{Type: t}
	w.instead[in] = text
	return in
}
