package front

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// returnable reports that what s returns can be kept in variables until the region has ended, or
// need not be.
func (w *fn) returnable(s *ast.ReturnStmt) bool {
	if w.named && len(s.Results) > 1 && w.mixed(s.Results...) {
		return false // gc evaluates it in another order than a definition
	}
	for _, x := range s.Results {
		if w.literalValue(x) || !w.untyped(x) || w.boolean(x) || w.still(x) {
			continue
		}
		if _, ok := w.typeName(w.info.TypeOf(x), x.Pos()); !ok {
			return false // it would have another type as a variable
		}
	}
	return true
}

// still reports that nothing is recorded of an expression, and that it changes nothing: it is of
// local variables and constants.
func (r *source) still(x ast.Expr) bool {
	found := true
	ast.Inspect(x, func(n ast.Node) bool {
		if e, ok := n.(ast.Expr); ok && r.literalValue(e) {
			return false
		}
		switch n := n.(type) {
		case nil, *ast.ParenExpr:
		case *ast.Ident:
			found = found && r.where(n) == local
		case *ast.BinaryExpr:
			found = found && r.panics(n) == 0
		case *ast.UnaryExpr:
			found = found && n.Op != token.ARROW && n.Op != token.AND
		default:
			found = false
		}
		return found
	})
	return found
}

// split reports that the results of a return are kept in variables, so that something can stand
// between.
func (w *fn) split(s *ast.ReturnStmt) bool {
	if !w.region {
		return false
	}
	// In a function that defers, the values of a return are evaluated before they are stored to the
	// results. Of several, the compiler may have stored some when another panics, and a deferred
	// function that recovers can see that.
	return !w.late || w.opt.Values && len(s.Results) == 1
}

// returns splits those of a function, when all passes have been through it.
func (w *fn) returns() {
	if !w.region {
		return
	}
	ast.Inspect(w.block, func(n ast.Node) bool {
		if s, ok := n.(*ast.ReturnStmt); ok && w.split(s) {
			w.returning(s)
		}
		_, inner := n.(*ast.FuncLit)
		return !inner
	})
}

// returning splits a return.
func (w *fn) returning(s *ast.ReturnStmt) {
	between := w.between[s]
	if !w.late {
		w.based = true
		between += w.leaving() + "; "
	}
	if !slices.ContainsFunc(s.Results, func(x ast.Expr) bool { return !w.still(x) }) {
		w.wrap(s, "{ "+between, " }")
		return
	}
	var names, values, results []string
	at, lines := s.Pos(), ""
	for _, x := range s.Results {
		lines += w.newlines(at, x.Pos())
		at = x.End()
		value := w.changed(x)
		if w.literalValue(x) {
			results = append(results, value)
			continue
		}
		if w.untyped(x) && !w.boolean(x) {
			name, ok := w.typeName(w.info.TypeOf(x), x.Pos())
			if !ok { // nothing changes it
				results = append(results, value)
				continue
			}
			value = name + "(" + value + ")"
		}
		values = append(values, lines+value)
		lines = ""
		count := 1
		if t, ok := w.info.TypeOf(x).(*types.Tuple); ok {
			count = t.Len()
		}
		for range count {
			names = append(names, w.fresh(""))
		}
		results = append(results, names[len(names)-count:]...)
	}
	w.replace(s.Pos(), s.End(), "{ "+strings.Join(names, ", ")+" := "+strings.Join(values, ", ")+"; "+
		lines+between+"return "+strings.Join(results, ", ")+" }")
}
