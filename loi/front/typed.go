package front

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
)

// where records what an expression denotes.
type where int

func (r *source) where(e ast.Expr) where {
	if r.steady.silent(e) {
		return local
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return r.where(e.X)
	case *ast.Ident:
		v, ok := r.info.ObjectOf(e).(*types.Var)
		switch {
		case !ok:
			return nowhere
		case global(v):
			return heap
		case r.escapes(v):
			return heap
		}
		return local
	case *ast.SelectorExpr:
		s := r.info.Selections[e]
		if s == nil {
			if _, ok := r.info.Uses[e.Sel].(*types.Var); ok {
				return heap
			}
			return nowhere
		}
		if s.Kind() != types.FieldVal {
			return nowhere
		}
		if s.Indirect() {
			return heap
		}
		return r.where(e.X)
	case *ast.IndexExpr:
		switch t := core(r.info.TypeOf(e.X)).(type) {
		case *types.Slice:
			return heap
		case *types.Pointer:
			if _, ok := t.Elem().Underlying().(*types.Array); ok {
				return heap
			}
		case *types.Array:
			if _, ok := r.info.TypeOf(e.X).(*types.TypeParam); !ok {
				return r.where(e.X)
			}
		}
	case *ast.StarExpr:
		return heap
	}
	return nowhere
}

// object names what e denotes.
func (w *fn) object(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return w.object(e.X)
	case *ast.Ident:
		v, ok := w.info.ObjectOf(e).(*types.Var)
		if ok && global(v) {
			return v.Pkg().Name() + "." + v.Name()
		}
		in := w // the function that declares it
		for ok && in.lit != nil && (v.Pos() < in.lit.Pos() || v.Pos() >= in.lit.End()) {
			in = in.outer
		}
		return in.name + "." + e.Name
	case *ast.SelectorExpr:
		s := w.info.Selections[e]
		if s == nil {
			return types.ExprString(e)
		}
		t := owner(s)
		if _, ok := types.Unalias(t).(*types.Named); !ok && w.where(e.X) == heap {
			return w.object(e.X) + "." + e.Sel.Name // a struct without a name
		}
		return typeString(t) + "." + e.Sel.Name
	case *ast.IndexExpr:
		return typeString(w.info.TypeOf(e.X))
	}
	return typeString(w.info.TypeOf(e))
}

// owner returns the structure that has the field or method of a selection.
func owner(s *types.Selection) types.Type {
	t := deref(s.Recv())
	for _, i := range s.Index()[:len(s.Index())-1] {
		t = deref(t.Underlying().(*types.Struct).Field(i).Type())
	}
	return t
}

// empty reports whether values of a type have no bytes.
func (r *source) empty(t types.Type) bool { return !parametric(t) && r.sizes.Sizeof(t) == 0 }

func constType(v constant.Value) types.Type {
	switch v.Kind() {
	case constant.String:
		return types.Typ[types.UntypedString]
	case constant.Int:
		return types.Typ[types.UntypedInt]
	}
	return types.Typ[types.Invalid]
}

// untyped reports that the type of e follows from where it stands: it is made of constants, or is a
// comparison or a shift of such.
func (r *source) untyped(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.BinaryExpr:
		switch e.Op {
		case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
			return true
		case token.SHL, token.SHR:
			return r.untyped(e.X)
		}
		return r.untyped(e.X) && r.untyped(e.Y)
	case *ast.UnaryExpr:
		return r.untyped(e.X)
	}
	return r.literalValue(e)
}

// literalValue reports that x is a constant or nil.
func (r *source) literalValue(x ast.Expr) bool {
	v := r.info.Types[x]
	return v.Value != nil || v.IsNil()
}

// typeName writes a type as it can be written at a place, false if it cannot.
func (r *source) typeName(t types.Type, at token.Pos) (string, bool) {
	resolves := func(name string, o types.Object) bool {
		s := r.pkg.Types.Scope().Innermost(at)
		if s == nil {
			return false
		}
		_, found := s.LookupParent(name, at)
		return found == o
	}
	switch t := t.(type) {
	case *types.Basic:
		o := types.Universe.Lookup(t.Name())
		return t.Name(), o != nil && resolves(t.Name(), o)
	case *types.Alias:
		if o := t.Obj(); o.Pkg() == nil && t.TypeArgs().Len() == 0 && resolves(o.Name(), o) {
			return o.Name(), true // any
		}
		return r.typeName(types.Unalias(t), at)
	case *types.Interface:
		if o := types.Universe.Lookup("any"); t.Empty() && resolves("any", o) {
			return "any", true
		}
	case *types.TypeParam:
		return t.Obj().Name(), resolves(t.Obj().Name(), t.Obj())
	case *types.Named:
		o := t.Obj()
		if t.TypeArgs().Len() > 0 {
			return "", false
		}
		if o.Pkg() == r.pkg.Types || o.Pkg() == nil {
			return o.Name(), resolves(o.Name(), o)
		}
		if !o.Exported() {
			return "", false
		}
		for s := r.pkg.Types.Scope().Innermost(at); s != nil; s = s.Parent() {
			for _, name := range s.Names() {
				p, ok := s.Lookup(name).(*types.PkgName)
				if ok && p.Imported() == o.Pkg() && resolves(name, p) {
					return name + "." + o.Name(), true
				}
			}
		}
	}
	return "", false
}
