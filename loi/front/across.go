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
// of one slice is in row i where its index is i*n + j. A row may have a name: row := a[i], or the value of a
// range. Where another element of the loop would be walked across rows then, as in a transposition, that is noted
// too.
//
// Elements that are pointers lead to objects, one an iteration, whose fields are noted too: a scan.
func (w *fn) across() {
	var loops []types.Object // variables of those around, nil: none
	w.acrossIn(w.block, loops, map[types.Object]ast.Expr{})
}

// acrossIn walks a part of the body. rows has the indices of rows that have a name.
func (w *fn) acrossIn(in ast.Node, loops []types.Object, rows map[types.Object]ast.Expr) {
	ast.Inspect(in, func(n ast.Node) bool {
		if e, ok := n.(ast.Expr); ok && len(loops) > 0 {
			v, inner := w.pointerTo(e), loops[len(loops)-1]
			if v != nil && inner != nil && rows[v] != nil && w.hasVariable(rows[v], inner) {
				w.noted(e, func(s *Site) { s.Scan = v.Name() })
			}
		}
		switch n := n.(type) {
		case *ast.FuncLit:
			return false // a function of its own
		case *ast.ForStmt:
			var v ast.Expr
			if s, ok := n.Init.(*ast.AssignStmt); ok && len(s.Lhs) == 1 {
				v = s.Lhs[0]
			}
			w.acrossIn(n.Body, append(loops[:len(loops):len(loops)], w.variable(v)), rows)
			return false
		case *ast.RangeStmt:
			v := w.variable(n.Key)
			if row := w.variable(n.Value); row != nil {
				if rows[row] = n.Key; v == nil {
					v, rows[row] = row, n.Value
				}
			}
			w.acrossIn(n.Body, append(loops[:len(loops):len(loops)], v), rows)
			return false
		case *ast.AssignStmt:
			if x, ok := ast.Unparen(n.Rhs[0]).(*ast.IndexExpr); ok && n.Tok == token.DEFINE && len(n.Lhs) == 1 {
				rows[w.variable(n.Lhs[0])] = x.Index
			}
		case *ast.IndexExpr:
			if at, ok := w.nodes[n]; ok && len(loops) > 1 {
				s := &w.out.Sites[at.site-1]
				var outer types.Object
				if s.Across, outer = w.crosses(n, loops, rows); outer != nil {
					s.Instead = w.exchanged(in, []types.Object{loops[len(loops)-1], outer}, rows)
				}
			}
		}
		return true
	})
}

// exchanged returns the first element in a loop that is walked across rows in these loops, "" if none is.
func (w *fn) exchanged(in ast.Node, loops []types.Object, rows map[types.Object]ast.Expr) (found string) {
	ast.Inspect(in, func(n ast.Node) bool {
		if e, ok := n.(*ast.IndexExpr); ok && found == "" {
			if _, outer := w.crosses(e, loops, rows); outer != nil {
				found = types.ExprString(e)
			}
		}
		return found == ""
	})
	return found
}

// variable returns that of a loop, nil if it has none.
func (w *fn) variable(e ast.Expr) types.Object {
	if id, ok := e.(*ast.Ident); ok && id.Name != "_" {
		return w.info.ObjectOf(id)
	}
	return nil
}

// crosses returns how an element is walked across rows and the variable of the loop outside, "" and nil if it is not.
func (w *fn) crosses(e *ast.IndexExpr, loops []types.Object, rows map[types.Object]ast.Expr) (string, types.Object) {
	inner := loops[len(loops)-1]
	if inner == nil {
		return "", nil
	}
	var row, within ast.Expr
	if x, ok := ast.Unparen(e.X).(*ast.IndexExpr); ok {
		row, within = x.Index, e.Index
	} else if x := rows[w.variable(ast.Unparen(e.X))]; x != nil {
		row, within = x, e.Index
	} else if sum, ok := ast.Unparen(e.Index).(*ast.BinaryExpr); ok && sum.Op == token.ADD {
		if row, within = sum.X, sum.Y; !w.hasVariable(row, inner) {
			row, within = within, row
		}
		if p, ok := ast.Unparen(row).(*ast.BinaryExpr); !ok || p.Op != token.MUL {
			return "", nil
		}
	}
	if row == nil || !w.hasVariable(row, inner) || w.hasVariable(within, inner) {
		return "", nil
	}
	for _, outer := range loops[:len(loops)-1] {
		if outer != nil && w.hasVariable(within, outer) && !w.hasVariable(row, outer) {
			return types.ExprString(e) + " with " + outer.Name() + " outside", outer
		}
	}
	return "", nil
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
