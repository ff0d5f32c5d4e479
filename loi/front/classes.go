package front

import (
	"go/ast"
	"go/token"
	"go/types"
)

// moves notes a variable that a statement of each iteration moves by as much.
func (l *steady) moves(s ast.Stmt) {
	var x ast.Expr
	switch s := s.(type) {
	case *ast.IncDecStmt:
		x = s.X
	case *ast.AssignStmt:
		if (s.Tok == token.ADD_ASSIGN || s.Tok == token.SUB_ASSIGN) && l.class(s.Rhs[0]) == fixed {
			x = s.Lhs[0]
		}
	}
	if x == nil {
		return
	}
	if v := l.variable(x); v != nil && l.assigned[v] == 1 && wide(v.Type()) {
		l.moved[v] = true
	}
}

// A class is how a value or an address changes from iteration to iteration.
type class int

const (
	fixed class = iota // not at all
	moves              // by as much each time, in 64 bits or the index itself
	loose              // otherwise
)

// wide reports that t is an integer of 64 bits.
func wide(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	if !ok {
		return false
	}
	switch b.Kind() {
	case types.Int, types.Int64, types.Uint, types.Uint64, types.Uintptr, types.UntypedInt:
		return true
	}
	return false
}

// class returns the class of the value of e.
func (l *steady) class(e ast.Expr) class {
	if l.w.info.Types[e].Value != nil {
		return fixed
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return l.class(e.X)
	case *ast.Ident:
		v, ok := l.w.info.ObjectOf(e).(*types.Var)
		switch {
		case !ok:
			return loose
		case v == l.index:
			return moves
		case !l.private(v):
			return l.loaded(e)
		case l.assigned[v] == 0:
			return fixed
		case l.moved[v]:
			return moves
		case l.defined[v] != nil && l.assigned[v] == 1:
			return l.class(l.defined[v])
		}
		return loose
	case *ast.UnaryExpr:
		c := l.class(e.X)
		if e.Op == token.SUB && wide(l.w.info.TypeOf(e)) || c == fixed && e.Op != token.ARROW {
			return c
		}
	case *ast.BinaryExpr:
		x, y := l.class(e.X), l.class(e.Y)
		switch {
		case x == fixed && y == fixed:
			return fixed
		case x == loose || y == loose || !wide(l.w.info.TypeOf(e)):
			return loose
		case e.Op == token.ADD || e.Op == token.SUB:
			return moves
		case e.Op == token.MUL && (x == fixed || y == fixed):
			return moves
		case e.Op == token.SHL && y == fixed:
			return moves
		}
	case *ast.CallExpr:
		f := l.w.info.Types[e.Fun]
		if f.IsType() {
			c := l.class(e.Args[0])
			if c == moves && !(wide(f.Type) && (wide(l.w.info.TypeOf(e.Args[0])) ||
				l.isIndex(e.Args[0]))) {
				return loose
			}
			return c
		}
		if !l.w.pure(e) {
			return loose
		}
		for _, x := range e.Args {
			if l.class(x) != fixed {
				return loose
			}
		}
		return fixed
	case *ast.SelectorExpr:
		if l.w.where(e) == local {
			return l.class(e.X)
		}
		return l.loaded(e)
	case *ast.IndexExpr, *ast.StarExpr:
		return l.loaded(e)
	}
	return loose
}

// loaded returns the class of a value loaded from e: fixed, if e does not move and no store may
// write to it.
func (l *steady) loaded(e ast.Expr) class {
	if c, _ := l.address(e); c != fixed || l.w.where(e) != heap {
		return loose
	}
	for _, t := range l.stores {
		if holds(t, l.w.info.TypeOf(e)) {
			return loose
		}
	}
	return fixed
}

// address returns the class of the address of e, and the source of the slice, or the string, that
// it must stay in, if it moves; "" if that cannot be named at the end of the body.
func (l *steady) address(e ast.Expr) (c class, in string) {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return l.address(e.X)
	case *ast.Ident:
		return fixed, ""
	case *ast.StarExpr:
		return l.class(e.X), ""
	case *ast.SelectorExpr:
		s := l.w.info.Selections[e]
		if s == nil {
			return fixed, "" // of another package
		}
		if s.Kind() != types.FieldVal || len(hops(s)) > 1 {
			return loose, ""
		}
		if _, pointer := s.Recv().Underlying().(*types.Pointer); pointer {
			return l.class(e.X), ""
		}
		if s.Indirect() {
			return loose, ""
		}
		return l.address(e.X)
	case *ast.IndexExpr:
		i := l.class(e.Index)
		if i == moves && !wide(l.w.info.TypeOf(e.Index)) && !l.isIndex(e.Index) {
			i = loose
		}
		base, text := fixed, ""
		switch l.w.info.TypeOf(e.X).Underlying().(type) {
		case *types.Slice, *types.Basic:
			base, text = l.class(e.X), l.w.raw(e.X)
		case *types.Pointer:
			base, text = l.class(e.X), "("+l.w.raw(e.X)+")[:]"
		case *types.Array:
			base, _ = l.address(e.X)
			text = "(" + l.w.raw(e.X) + ")[:]"
		default:
			return loose, ""
		}
		if base != fixed || i == loose {
			return loose, ""
		}
		if !l.same(e.X) {
			text = ""
		}
		return i, text
	}
	return loose, ""
}
