package front

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// appending rewrites a statement x = append(X, a), x := append(X, a) or return append(X, a) whose X
// the gc compiler loads after a, so that it can only be recorded where a is evaluated before:
//
//	p.s = append(p.s, g())  =>  { krd1 := g(); p.s = A.NS(B, append(A.G(B, (*A.L(B, &(p.s), 2)), 3),
//	                        =>    krd1), 3); A.L(B, &(p.s), 1) }
//
// It returns false if the statement is none, or needs no change. Other arguments may stand beside a
// that nothing changes. gc's walkAppend copies each argument but variables and constants, and a is
// neither. Then it loads X; it copies no part of X before if X is placed.
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

// first returns the index of the one argument of an append that must be evaluated before its slice
// can be recorded; 0: there is none, or more than one.
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

// variableOf returns an expression in place of e, rewritten as text: a variable with its value.
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

// indexed rewrites an assignment or update of the one place x. The parts of x that the gc compiler
// evaluates before the value become variables: indices that are computed, and of an update also
// those that are loaded. It returns false if there are none.
//
//	s[s[i]&3] = s[j] - i  =>  { krd1 := (*A.L(B, &(s[i]), 1))&3; s[krd1] =
//	                      =>    (*A.L(B, &(s[j]), 3)) - i; A.L(B, &(s[krd1]), 2) }
//	s[s[i]&3] += s[j]  =>  { krd1 := (*A.L(B, &(s[i]), 1))&3; *A.V(B, &(s[krd1])) +=
//	                   =>    (*A.L(B, &(s[j]), 3)); A.L(B, &(s[krd1]), 2) }
//	s[s[i]] += s[j]  =>  { krd1 := (*A.L(B, &(s[i]), 1)); *A.V(B, &(s[krd1])) +=
//	                 =>    (*A.L(B, &(s[j]), 3)); A.L(B, &(s[krd1]), 2) }
//	p.s[s[i]+1] = s[j]  =>  { krd1 := (*A.L(B, &(s[i]), 1))+1; p.s[krd1] = (*A.L(B, &(s[j]), 4));
//	                    =>    A.L(B, &((*A.L(B, &(p.s), 2))[krd1]), 3) }
//	s[l[s[i]&3]] = s[j]  =>  { krd1 := (*A.L(B, &(s[i]), 1))&3; { krd2 := (*A.L(B, &(s[j]), 2));
//	                     =>    *A.L(B, &(s[l[krd1]]), 3) = krd2 } }
//	s[s[i]&3] = g()  =>  A.C(B, 1); s[A.Q(B, s, i, 0, 2)[i]&3] = g()
func (w *accesses) indexed(s ast.Stmt, kind string, x ast.Expr, rhs ...ast.Expr) bool {
	if len(rhs) > 1 || w.calls(x) || w.calls(rhs...) || w.newlines(s.Pos(), x.End()) != "" ||
		differ(w.panics(x), w.copied(rhs...)) {
		return false
	}
	for _, v := range rhs { // becomes an interface before x is evaluated
		if types.IsInterface(w.info.TypeOf(x)) && !types.IsInterface(w.info.TypeOf(v)) {
			return false
		}
	}
	var hoisted []ast.Expr
	var names []string
	vars, ok := w.vars, true
	hoist := func(e ast.Expr) ast.Expr {
		if w.settled(e) && w.panics(e) == 0 {
			return e
		}
		b, is := w.info.TypeOf(e).Underlying().(*types.Basic)
		ok = ok && is && b.Info()&types.IsInteger != 0 && !w.untyped(e) && w.again(e) &&
			w.copied(e) == 0
		name := w.fresh("")
		hoisted, names = append(hoisted, e), append(names, name)
		return w.variableOf(e, name, name)
	}
	changed := w.place(x, hoist)
	if e, is := ast.Unparen(x).(*ast.IndexExpr); len(hoisted) == 0 && kind == "update" && is &&
		!differ(w.panics(e.X), w.panics(e.Index)) {
		c := *e
		c.Index = hoist(e.Index)
		changed = w.like(e, &c)
	}
	if len(hoisted) == 0 || !ok {
		w.vars = vars
		return false
	}
	text := "{ "
	for i, e := range hoisted {
		text += names[i] + " := " + w.draft(e, func() { w.val(e, false) }) + "; "
	}
	w.assign(s, true, kind, []ast.Expr{changed}, rhs...)
	for i, e := range hoisted {
		w.replace(e.Pos(), e.End(), names[i])
	}
	w.wrap(s, text, " }")
	return true
}

// place returns x with other expressions in place of those that the gc compiler copies before it
// evaluates the value stored in x (early).
func (w *accesses) place(x ast.Expr, hoist func(ast.Expr) ast.Expr) ast.Expr {
	if _, done := w.instead[x]; done {
		return x
	}
	switch e := x.(type) {
	case *ast.Ident:
		return x
	case *ast.ParenExpr:
		c := *e
		c.X = w.place(e.X, hoist)
		return w.like(e, &c)
	case *ast.StarExpr:
		c := *e
		c.X = w.place(e.X, hoist)
		return w.like(e, &c)
	case *ast.SelectorExpr:
		c := *e
		c.X = w.place(e.X, hoist)
		w.info.Selections[&c] = w.info.Selections[e]
		return w.like(e, &c)
	case *ast.IndexExpr:
		c := *e
		c.X, c.Index = w.place(e.X, hoist), w.place(e.Index, hoist)
		return w.like(e, &c)
	}
	return hoist(x)
}

// like notes that c stands for e, as its copy.
func (w *accesses) like(e, c ast.Expr) ast.Expr {
	w.info.Types[c], w.origin[c] = w.info.Types[e], e
	return c
}

// original returns the node in the source that n stands for.
func (r *rewriter) original(n ast.Node) ast.Node {
	if o, ok := r.origin[n]; ok {
		return r.original(o)
	}
	return n
}
