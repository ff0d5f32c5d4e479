package front

import (
	"go/ast"
	"go/token"
	"go/types"
)

// quietBuiltins call nothing and change nothing.
var quietBuiltins = map[string]bool{"len": true, "cap": true, "min": true, "max": true,
	"new": true, "make": true, "complex": true, "real": true, "imag": true, "Sizeof": true,
	"Alignof": true, "Offsetof": true, "Add": true, "Slice": true, "SliceData": true, "String": true,
	"StringData": true}

// builtin returns the name of the builtin function that is called, or "".
func (r *source) builtin(c *ast.CallExpr) string {
	if !r.info.Types[c.Fun].IsBuiltin() {
		return ""
	}
	switch f := ast.Unparen(c.Fun).(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

// calls reports that evaluating e calls, receives or may change something.
func (r *source) calls(es ...ast.Expr) bool {
	found := false
	for _, e := range es {
		if e == nil {
			continue
		}
		ast.Inspect(e, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit:
				return false
			case *ast.CallExpr:
				if !r.info.Types[n.Fun].IsType() && !quietBuiltins[r.builtin(n)] {
					found = true
				}
			case *ast.UnaryExpr:
				found = found || n.Op == token.ARROW
			}
			return !found
		})
	}
	return found
}

// again reports that e may be evaluated once more: it calls and makes nothing.
func (r *source) again(e ast.Expr) bool {
	ok := true
	ast.Inspect(e, func(n ast.Node) bool {
		x, is := n.(ast.Expr)
		if !is || !ok || r.info.Types[x].IsType() {
			return false
		}
		switch n := n.(type) {
		case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr, *ast.StarExpr, *ast.ParenExpr,
			*ast.BinaryExpr, *ast.TypeAssertExpr, *ast.SliceExpr:
		case *ast.BasicLit:
			return false
		case *ast.UnaryExpr:
			ok = n.Op != token.ARROW && n.Op != token.AND
		case *ast.CallExpr:
			name := r.builtin(n)
			ok = r.info.Types[n.Fun].IsType() || name == "len" || name == "cap"
		default:
			ok = false
		}
		return ok
	})
	return ok
}

// settled reports that nothing that is called can change the value of e.
func (r *source) settled(e ast.Expr) bool {
	if r.info.Types[e].Value != nil {
		return true
	}
	switch e := e.(type) {
	case *ast.Ident:
		switch o := r.info.ObjectOf(e).(type) {
		case *types.Var:
			return !global(o) && !r.shaky[o]
		default:
			return true
		}
	case *ast.ParenExpr:
		return r.settled(e.X)
	case *ast.SelectorExpr:
		s := r.info.Selections[e]
		return s != nil && s.Kind() == types.FieldVal && !s.Indirect() && r.settled(e.X)
	case *ast.IndexExpr:
		if t := r.info.TypeOf(e.X); t != nil {
			_, array := t.Underlying().(*types.Array)
			return array && r.settled(e.X) && r.settled(e.Index)
		}
		return false
	case *ast.UnaryExpr:
		return e.Op != token.ARROW && e.Op != token.AND && r.settled(e.X)
	case *ast.BinaryExpr:
		return r.settled(e.X) && r.settled(e.Y)
	case *ast.CompositeLit:
		for _, x := range e.Elts {
			if kv, ok := x.(*ast.KeyValueExpr); ok {
				x = kv.Value
			}
			if !r.settled(x) {
				return false
			}
		}
		return true
	case *ast.CallExpr:
		if name := r.builtin(e); r.info.Types[e.Fun].IsType() || name == "len" || name == "cap" {
			return len(e.Args) == 1 && r.settled(e.Args[0]) && !r.bytesOrString(e)
		}
	}
	return false
}

// bytesOrString reports that a conversion reads what its operand points to.
func (r *source) bytesOrString(e *ast.CallExpr) bool {
	_, slice := r.info.TypeOf(e.Args[0]).Underlying().(*types.Slice)
	return slice && r.info.Types[e.Fun].IsType()
}

// escapes reports that a local variable is on the heap, or observed as if it were.
func (r *source) escapes(v *types.Var) bool {
	return r.moved(v) || r.opt.Stack && r.shaky[v] || r.parted[v]
}

// moved reports that the compiler has moved a local variable to the heap.
func (r *source) moved(v *types.Var) bool {
	return r.opt.Escapes != nil && r.opt.Escapes(Declared{r.pkg.PkgPath, v.Name(),
		r.pkg.Fset.PositionFor(v.Pos(), true)})
}

// operands collects the types of what evaluating the address of e reads from memory, and the
// variables that it reads otherwise.
func (r *source) operands(e ast.Expr) (loads []types.Type, vars map[*types.Var]bool) {
	vars = map[*types.Var]bool{}
	var walk func(e ast.Expr, address bool)
	walk = func(e ast.Expr, address bool) {
		if tv := r.info.Types[e]; tv.Value != nil || tv.IsType() {
			return
		}
		read := func() {
			if !address {
				loads = append(loads, r.info.TypeOf(e))
			}
		}
		switch x := e.(type) {
		case *ast.ParenExpr:
			walk(x.X, address)
		case *ast.Ident:
			if v, ok := r.info.ObjectOf(x).(*types.Var); ok {
				vars[v] = true
				if global(v) || r.shaky[v] || r.escapes(v) {
					read()
				}
			}
		case *ast.SelectorExpr:
			s := r.info.Selections[x]
			if s == nil {
				read()
				return
			}
			read()
			_, pointer := r.info.TypeOf(x.X).Underlying().(*types.Pointer)
			loads = append(loads, hops(s)...)
			walk(x.X, address && !pointer)
		case *ast.IndexExpr:
			read()
			_, array := r.info.TypeOf(x.X).Underlying().(*types.Array)
			if _, m := r.info.TypeOf(x.X).Underlying().(*types.Map); m {
				loads = append(loads, r.info.TypeOf(e))
			}
			walk(x.X, address && array)
			walk(x.Index, false)
		case *ast.StarExpr:
			read()
			walk(x.X, false)
		case *ast.BinaryExpr:
			walk(x.X, false)
			walk(x.Y, false)
		case *ast.UnaryExpr:
			walk(x.X, false)
		case *ast.TypeAssertExpr:
			walk(x.X, false)
		case *ast.SliceExpr:
			walk(x.X, false)
			for _, i := range []ast.Expr{x.Low, x.High, x.Max} {
				if i != nil {
					walk(i, false)
				}
			}
		case *ast.CallExpr:
			for _, a := range x.Args {
				walk(a, false)
			}
		}
	}
	walk(e, true)
	return loads, vars
}

// hops returns the types of the embedded pointers that a selection follows on its way.
func hops(s *types.Selection) (all []types.Type) {
	path, t := s.Index(), s.Recv()
	for _, i := range path[:len(path)-1] {
		f := deref(t).Underlying().(*types.Struct).Field(i)
		t = f.Type()
		if _, ok := t.Underlying().(*types.Pointer); ok {
			all = append(all, t)
		}
	}
	return all
}

func deref(t types.Type) types.Type {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

// holds reports that storing a value of type t may store one of type part.
func holds(t, part types.Type) bool {
	if types.Identical(t, part) || parametric(t) || parametric(part) {
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for i := range u.NumFields() {
			if holds(u.Field(i).Type(), part) {
				return true
			}
		}
	case *types.Array:
		return holds(u.Elem(), part)
	}
	// The other way round: a part of what was read is stored.
	switch u := part.Underlying().(type) {
	case *types.Struct:
		for i := range u.NumFields() {
			if holds(t, u.Field(i).Type()) {
				return true
			}
		}
	case *types.Array:
		return holds(t, u.Elem())
	}
	return false
}
