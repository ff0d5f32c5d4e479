package front

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// steadyFor returns the facts of a loop that may be steady, nil if it is not.
func (w *fn) steadyFor(s *ast.ForStmt) *steady {
	c, ok := s.Cond.(*ast.BinaryExpr)
	if !ok || s.Post == nil {
		return nil
	}
	l := w.newSteady(s.Body)
	id, ok := ast.Unparen(c.X).(*ast.Ident)
	if l == nil || !ok || !l.counts(id) {
		return nil
	}
	down := false
	switch p := s.Post.(type) {
	case *ast.IncDecStmt:
		l.step, down = "1", p.Tok == token.DEC
		if !l.isIndex(p.X) {
			return nil
		}
	case *ast.AssignStmt:
		if p.Tok != token.ADD_ASSIGN && p.Tok != token.SUB_ASSIGN || !l.isIndex(p.Lhs[0]) ||
			l.class(p.Rhs[0]) != fixed {
			return nil
		}
		l.step, down = w.raw(p.Rhs[0]), p.Tok == token.SUB_ASSIGN
		l.loads = loadsAny(p.Rhs[0])
	default:
		return nil
	}
	switch op := c.Op; {
	case op == token.LSS && !down:
		l.op = tripLess
	case op == token.LEQ && !down:
		l.op = tripLessOrEqual
	case op == token.NEQ && l.step == "1" && !down:
		l.op = tripNotEqual
	case op == token.GTR && down:
		l.op = tripMore
	case op == token.GEQ && down:
		l.op = tripMoreOrEqual
	case op == token.NEQ && l.step == "1":
		l.op = tripNotEqualDown
	default:
		return nil
	}
	if l.limit = w.raw(c.Y); l.class(c.Y) != fixed || !l.same(c) || !l.same(s.Post) {
		return nil
	}
	l.accessed(s, s.Cond, s.Post, s.Body)
	return l
}

// steadyRange works like steadyFor, for a loop over a slice or an integer that defines its
// variables.
func (w *fn) steadyRange(s *ast.RangeStmt) *steady {
	if s.Tok == token.ASSIGN {
		return nil
	}
	switch u := w.info.TypeOf(s.X).Underlying().(type) {
	case *types.Slice:
		if parametric(u.Elem()) {
			return nil
		}
	case *types.Basic:
		if u.Info()&types.IsInteger == 0 {
			return nil
		}
	default:
		return nil
	}
	l := w.newSteady(s.Body)
	if l == nil {
		return nil
	}
	if id, ok := s.Key.(*ast.Ident); ok && !isBlank(id) && !l.counts(id) {
		return nil
	}
	if s.Value != nil && !isBlank(s.Value) && (w.where(s.Value) != local || !l.same(s.Value)) {
		return nil
	}
	if s.Key != nil && !l.same(s.Key) || l.named("len", s.Pos()) != types.Universe.Lookup("len") {
		return nil
	}
	l.step = "1"
	l.accessed(s, s.Body)
	if n, ok := w.nodes[s]; ok {
		l.sites[s] = n.text
	}
	if _, slice := w.info.TypeOf(s.X).Underlying().(*types.Slice); !slice {
		l.left = l.left || w.leftIn(s.X)
	}
	return l
}

// newSteady looks at the body of a loop; nil if it does something that may not be repeated unseen.
func (w *fn) newSteady(body *ast.BlockStmt) *steady {
	if w.opt.Iterations {
		return nil
	}
	l := &steady{w: &accesses{fn: w}, body: body, sites: map[ast.Node]string{}, assigned: map[*types.Var]int{},
		defined: map[*types.Var]ast.Expr{}, moved: map[*types.Var]bool{}}
	if !l.statements(body.List, true) {
		return nil
	}
	for _, s := range body.List {
		l.moves(s)
	}
	return l
}

// accessed notes the sites in parts of the loop s.
func (l *steady) accessed(s ast.Stmt, parts ...ast.Node) {
	l.w.loop = l.w.line(s)
	for _, part := range parts {
		l.left = l.left || l.w.leftIn(part)
		ast.Inspect(part, func(n ast.Node) bool {
			if at, ok := l.w.nodes[n]; ok {
				if e, ok := n.(ast.Expr); ok {
					n = ast.Unparen(e)
				}
				l.twice = l.twice || at.twice || l.sites[n] != ""
				l.sites[n] = at.text
			}
			return true
		})
	}
}

// number returns the number of the site of n.
func (l *steady) number(n ast.Node) string {
	if e, ok := n.(ast.Expr); ok {
		n = ast.Unparen(e)
	}
	return l.sites[n]
}

// counts makes the variable id the index, and reports that it may be one.
func (l *steady) counts(id *ast.Ident) bool {
	v, ok := l.w.info.ObjectOf(id).(*types.Var)
	if !ok || !l.private(v) || l.assigned[v] > 0 {
		return false
	}
	b, ok := v.Type().Underlying().(*types.Basic)
	l.index = v
	return ok && b.Info()&types.IsInteger != 0
}

// same reports that the names in n denote at the end of the body what they do where n stands: the
// body may declare others of these names.
func (l *steady) same(n ast.Node) (ok bool) {
	ok = true
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			ok = ok && l.same(n.X)
			return false
		case *ast.Ident:
			ok = ok && (isBlank(n) || l.named(n.Name, l.body.Rbrace) == l.w.info.ObjectOf(n))
		}
		return ok
	})
	return ok
}

// named returns the object of a name at a place in the body or before the loop, nil if there is
// none.
func (l *steady) named(name string, at token.Pos) types.Object {
	_, o := l.w.info.Scopes[l.body].LookupParent(name, at)
	return o
}

func (l *steady) isIndex(e ast.Expr) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	return ok && l.w.info.ObjectOf(id) == l.index
}

// private reports that nothing but the function's own statements change v.
func (l *steady) private(v *types.Var) bool {
	return !v.IsField() && !global(v) && !l.w.escapes(v) && !l.w.shaky[v]
}

// statements reports that all of a list may be repeated unseen; always, that they are executed in
// each iteration.
func (l *steady) statements(list []ast.Stmt, always bool) bool {
	for _, s := range list {
		if !l.statement(s, always) {
			return false
		}
	}
	return true
}

func (l *steady) statement(s ast.Stmt, always bool) bool {
	switch s := s.(type) {
	case *ast.BlockStmt:
		return l.statements(s.List, always)
	case *ast.EmptyStmt:
		return true
	case *ast.IncDecStmt:
		return l.assigns(s.X) && l.harmless(s.X)
	case *ast.AssignStmt:
		if s.Tok == token.QUO_ASSIGN || s.Tok == token.REM_ASSIGN || s.Tok == token.SHL_ASSIGN ||
			s.Tok == token.SHR_ASSIGN {
			if !l.divides(s.Lhs[0], s.Rhs[0], s.Tok) {
				return false
			}
		}
		l.several = l.several || len(s.Lhs) > 1
		for i, x := range s.Lhs {
			if !l.assigns(x) || !l.harmless(x) {
				return false
			}
			if v := l.variable(x); v != nil && s.Tok == token.DEFINE && len(s.Lhs) == len(s.Rhs) {
				if l.w.info.Defs[x.(*ast.Ident)] != nil {
					l.defined[v] = s.Rhs[i]
				}
			}
		}
		for _, x := range s.Rhs {
			if !l.harmless(x) {
				return false
			}
		}
		return true
	case *ast.IfStmt:
		if s.Init != nil && !l.statement(s.Init, always) || !l.harmless(s.Cond) {
			return false
		}
		l.maybe = append(l.maybe, s.Body)
		if s.Else != nil {
			l.maybe = append(l.maybe, s.Else)
			if !l.statement(s.Else, false) {
				return false
			}
		}
		return l.statements(s.Body.List, false)
	}
	return false
}

// variable returns the local variable that x is, nil if it is none.
func (l *steady) variable(x ast.Expr) *types.Var {
	id, ok := ast.Unparen(x).(*ast.Ident)
	if !ok {
		return nil
	}
	v, ok := l.w.info.ObjectOf(id).(*types.Var)
	if !ok || !l.private(v) {
		return nil
	}
	return v
}

// assigns notes that x is assigned to.
func (l *steady) assigns(x ast.Expr) bool {
	if isBlank(x) {
		return true
	}
	t := l.w.info.TypeOf(x)
	if l.w.where(x) != heap {
		if v := rootVar(l.w.info, x); v != nil {
			l.assigned[v]++
		}
		return l.variable(x) != nil
	}
	l.stores = append(l.stores, t)
	_, basic := t.Underlying().(*types.Basic)
	return basic && !parametric(t)
}

// divides reports that x / y, x % y or a shift by y does not panic.
func (l *steady) divides(x, y ast.Expr, op token.Token) bool {
	b, ok := l.w.info.TypeOf(x).Underlying().(*types.Basic)
	switch {
	case !ok:
		return false
	case l.w.info.Types[y].Value != nil:
		return true // neither zero nor negative, or it would not compile
	case op == token.SHL || op == token.SHR || op == token.SHL_ASSIGN || op == token.SHR_ASSIGN:
		by, ok := l.w.info.TypeOf(y).Underlying().(*types.Basic)
		return ok && by.Info()&types.IsUnsigned != 0
	}
	return b.Info()&types.IsInteger == 0
}

// harmless reports that evaluating e calls nothing, waits for nothing and does not panic but for
// what it accesses on the heap.
func (l *steady) harmless(e ast.Expr) (ok bool) {
	ok = true
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case nil, *ast.Ident, *ast.BasicLit, *ast.ParenExpr, *ast.StarExpr:
		case *ast.SelectorExpr:
			s := l.w.info.Selections[n]
			ok = ok && (s == nil || s.Kind() == types.FieldVal)
		case *ast.IndexExpr:
			switch l.w.info.TypeOf(n.X).Underlying().(type) {
			case *types.Slice, *types.Array, *types.Pointer, *types.Basic:
			default:
				ok = false
			}
		case *ast.UnaryExpr:
			ok = ok && n.Op != token.ARROW && n.Op != token.AND
		case *ast.BinaryExpr:
			if n.Op == token.LAND || n.Op == token.LOR {
				l.maybe = append(l.maybe, n.Y)
			}
			for _, x := range []ast.Expr{n.X, n.Y} {
				b, basic := l.w.info.TypeOf(x).Underlying().(*types.Basic)
				ok = ok && basic && b.Info()&types.IsString == 0
			}
			switch n.Op {
			case token.QUO, token.REM, token.SHL, token.SHR:
				ok = ok && l.divides(n.X, n.Y, n.Op)
			}
		case *ast.CallExpr:
			if !l.w.pure(n) {
				ok = false
			}
		default:
			ok = false
		}
		return ok
	})
	return ok
}

// pure reports whether a call is a conversion between numbers, a builtin without effects, or a
// function of package math: nothing in these is recorded.
func (r *source) pure(c *ast.CallExpr) bool {
	f := r.info.Types[c.Fun]
	switch {
	case f.IsType():
		from, _ := r.info.TypeOf(c.Args[0]).Underlying().(*types.Basic)
		to, _ := f.Type.Underlying().(*types.Basic)
		return from != nil && to != nil && from.Info()&types.IsNumeric != 0 &&
			to.Info()&types.IsNumeric != 0
	case f.IsBuiltin():
		switch r.builtin(c) {
		case "len", "cap":
			_, channel := r.info.TypeOf(c.Args[0]).Underlying().(*types.Chan)
			return !channel // others may change it
		case "min", "max", "real", "imag", "complex":
			return true
		}
		return false
	}
	s, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	callee, ok := r.info.Uses[s.Sel].(*types.Func)
	return ok && callee.Pkg() != nil && !slices.Contains(r.paths, callee.Pkg().Path()) &&
		(callee.Pkg().Path() == "math" ||
			callee.Pkg().Path() == "math/bits" && !strings.HasPrefix(callee.Name(), "Div") &&
				!strings.HasPrefix(callee.Name(), "Rem"))
}
