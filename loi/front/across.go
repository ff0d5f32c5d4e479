package front

import (
	"go/ast"
	"go/token"
	"go/types"
)

// across notes at the sites of a function's elements where the loop around walks from row to row, and
// another loop outside walks within a row: the loops the other way round would walk along the rows.
//
// Of "for j := range n { for i := range n { s += a[i][j] } }" that is "a[i][j] with j outside". An element
// of one slice is in row i where its index is i*n + j.
func (w *fn) across() {
	var loops []types.Object // variables of those around, nil: none
	w.acrossIn(w.block, loops)
}

func (w *fn) acrossIn(n ast.Node, loops []types.Object) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false // a function of its own
		case *ast.ForStmt:
			var v ast.Expr
			if s, ok := n.Init.(*ast.AssignStmt); ok && len(s.Lhs) == 1 {
				v = s.Lhs[0]
			}
			w.acrossIn(n.Body, append(loops[:len(loops):len(loops)], w.variable(v)))
			return false
		case *ast.RangeStmt:
			w.acrossIn(n.Body, append(loops[:len(loops):len(loops)], w.variable(n.Key)))
			return false
		case *ast.IndexExpr:
			if at, ok := w.nodes[n]; ok && len(loops) > 1 {
				w.out.Sites[at.site-1].Across = w.crosses(n, loops)
			}
		}
		return true
	})
}

// variable returns that of a loop, nil if it has none.
func (w *fn) variable(e ast.Expr) types.Object {
	if id, ok := e.(*ast.Ident); ok {
		return w.info.ObjectOf(id)
	}
	return nil
}

// crosses returns how an element is walked across rows, "" if it is not.
func (w *fn) crosses(e *ast.IndexExpr, loops []types.Object) string {
	inner := loops[len(loops)-1]
	if inner == nil {
		return ""
	}
	var row, within ast.Expr
	if x, ok := ast.Unparen(e.X).(*ast.IndexExpr); ok {
		row, within = x.Index, e.Index
	} else if sum, ok := ast.Unparen(e.Index).(*ast.BinaryExpr); ok && sum.Op == token.ADD {
		if row, within = sum.X, sum.Y; !w.hasVariable(row, inner) {
			row, within = within, row
		}
		if p, ok := ast.Unparen(row).(*ast.BinaryExpr); !ok || p.Op != token.MUL {
			return ""
		}
	}
	if row == nil || !w.hasVariable(row, inner) || w.hasVariable(within, inner) {
		return ""
	}
	for _, outer := range loops[:len(loops)-1] {
		if outer != nil && w.hasVariable(within, outer) && !w.hasVariable(row, outer) {
			return types.ExprString(e) + " with " + outer.Name() + " outside"
		}
	}
	return ""
}

// hasVariable reports that an expression has a variable.
func (w *fn) hasVariable(e ast.Expr, v types.Object) (has bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		has = has || ok && w.info.ObjectOf(id) == v
		return !has
	})
	return has
}
