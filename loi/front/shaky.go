package front

import (
	"go/ast"
	"go/token"
	"go/types"
)

// shaky finds the local variables of a file that may change while an expression that names them is
// evaluated: those whose address is taken, and those that are assigned and that a function literal
// has from outside.
func shaky(f *ast.File, info *types.Info) map[*types.Var]bool {
	addressed := map[*types.Var]bool{}
	captured, assigned := map[*types.Var]bool{}, map[*types.Var]bool{}
	home := map[*types.Var]*ast.FuncLit{} // where a variable is declared
	var lits []*ast.FuncLit
	var stack []ast.Node
	mark := func(set map[*types.Var]bool, e ast.Expr) {
		if v := rootVar(info, e); v != nil {
			set[v] = true
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if n == nil {
			if l, ok := stack[len(stack)-1].(*ast.FuncLit); ok && lits[len(lits)-1] == l {
				lits = lits[:len(lits)-1]
			}
			stack = stack[:len(stack)-1]
			return true
		}
		stack = append(stack, n)
		var lit *ast.FuncLit
		if len(lits) > 0 {
			lit = lits[len(lits)-1]
		}
		switch n := n.(type) {
		case *ast.FuncLit:
			lits = append(lits, n)
		case *ast.Ident:
			if v, ok := info.Defs[n].(*types.Var); ok {
				home[v] = lit
			} else if v, ok := info.Uses[n].(*types.Var); ok && !v.IsField() && home[v] != lit {
				captured[v] = true
			}
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				mark(addressed, n.X)
			}
		case *ast.SliceExpr:
			if _, ok := info.TypeOf(n.X).Underlying().(*types.Array); ok {
				mark(addressed, n.X)
			}
		case *ast.SelectorExpr: // a method of pointers takes an address
			if s := info.Selections[n]; s != nil && s.Kind() == types.MethodVal {
				if _, pointer := s.Recv().Underlying().(*types.Pointer); !pointer && byAddress(s) {
					mark(addressed, n.X)
				}
			}
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE {
				for _, e := range n.Lhs {
					mark(assigned, e)
				}
				break
			}
			for _, e := range n.Lhs {
				if id, ok := e.(*ast.Ident); ok && info.Defs[id] == nil {
					mark(assigned, e)
				}
			}
		case *ast.IncDecStmt:
			mark(assigned, n.X)
		case *ast.RangeStmt:
			if n.Tok == token.ASSIGN {
				mark(assigned, n.Key)
				if n.Value != nil {
					mark(assigned, n.Value)
				}
			}
		}
		return true
	})
	for v := range captured {
		if assigned[v] {
			addressed[v] = true
		}
	}
	return addressed
}

// parted finds the local variables of a file whose parts are written: elements of an array, fields.
// Where values are followed these are memory, each part a datum.
func parted(f *ast.File, info *types.Info) map[*types.Var]bool {
	all := map[*types.Var]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		var written []ast.Expr
		switch n := n.(type) {
		case *ast.AssignStmt:
			written = n.Lhs
		case *ast.IncDecStmt:
			written = []ast.Expr{n.X}
		case *ast.RangeStmt:
			written = []ast.Expr{n.Key, n.Value}
		}
		for _, e := range written {
			if e == nil {
				continue
			}
			if _, whole := ast.Unparen(e).(*ast.Ident); !whole {
				if v := rootVar(info, e); v != nil && !global(v) {
					all[v] = true
				}
			}
		}
		return true
	})
	return all
}

// byAddress reports that a method may take the address of what it is selected of: one of pointers
// does, and of a type parameter may. One of an interface or of values copies it, and the compiler
// may know what the variable holds then, as long as its address is nowhere taken.
func byAddress(s *types.Selection) bool {
	if _, ok := types.Unalias(s.Recv()).(*types.TypeParam); ok {
		return true
	}
	_, pointer := s.Obj().(*types.Func).Signature().Recv().Type().Underlying().(*types.Pointer)
	return pointer
}

// rootVar returns the variable that e is, or is a part of; nil if a pointer is followed on the way.
func rootVar(info *types.Info, e ast.Expr) *types.Var {
	for {
		switch x := e.(type) {
		case *ast.ParenExpr:
			e = x.X
		case *ast.Ident:
			v, _ := info.ObjectOf(x).(*types.Var)
			return v
		case *ast.SelectorExpr:
			s := info.Selections[x]
			if s == nil {
				v, _ := info.Uses[x.Sel].(*types.Var)
				return v
			}
			if s.Indirect() {
				return nil
			}
			e = x.X
		case *ast.IndexExpr:
			if _, ok := info.TypeOf(x.X).Underlying().(*types.Array); !ok {
				return nil
			}
			e = x.X
		default:
			return nil
		}
	}
}

// jumps finds the labels that a goto names.
func jumps(f *ast.File) map[string]bool {
	all := map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		if b, ok := n.(*ast.BranchStmt); ok && b.Tok == token.GOTO {
			all[b.Label.Name] = true
		}
		return true
	})
	return all
}

func global(v *types.Var) bool {
	return v.Pkg() != nil && v.Parent() == v.Pkg().Scope()
}
