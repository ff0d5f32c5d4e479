package front

import (
	"go/ast"
	"go/types"

	"krdlab/loi"
)

// offset returns where the field at a path lies in t; false if that depends on type parameters.
func (r *source) offset(t types.Type, path []int) (n int64, ok bool) {
	for _, i := range path {
		if parametric(t) {
			return 0, false
		}
		s := t.Underlying().(*types.Struct)
		fields := make([]*types.Var, s.NumFields())
		for j := range fields {
			fields[j] = s.Field(j)
		}
		n += r.sizes.Offsetsof(fields)[i]
		t = fields[i].Type()
	}
	return n, !parametric(t)
}

// selector rewrites x.f without a record of f itself, or a method.
//
//	_ = p.e  =>  _ = (*A.L(B, &(p.e), 1))
//	_ = p.q  =>  _ = (*A.L(B, &((*A.L(B, &(p.Ptr), 1)).q), 2))
//	p.f()  =>  (*A.L(B, &(p.f), 1))()
func (w *accesses) selector(e *ast.SelectorExpr, later bool) {
	s := w.info.Selections[e]
	if s == nil || s.Kind() == types.MethodExpr {
		return
	}
	path, base, pointer := s.Index(), e.X, false
	switch s.Recv().Underlying().(type) {
	case *types.Pointer:
		w.val(base, later)
		pointer = true
	case *types.Interface:
		if _, ok := types.Unalias(s.Recv()).(*types.TypeParam); ok {
			// A method of a type parameter may take the address.
			w.plain(base, later)
		} else {
			w.val(base, later)
		}
		return
	default:
		w.plain(base, later)
	}
	at := pointer || w.where(base) == heap
	// Embedded fields, made explicit up to the last one that is a pointer.
	t, named := s.Recv(), true
	last := 0
	for i := range path[:len(path)-1] {
		f := deref(t).Underlying().(*types.Struct).Field(path[i])
		t = f.Type()
		named = named && (f.Exported() || f.Pkg() == w.pkg.Types)
		if _, ok := t.Underlying().(*types.Pointer); ok && named {
			last = i + 1
		} else if ok {
			w.left(e, "load of an embedded pointer", "it cannot be named here", loi.In, t, 0)
		}
	}
	t = s.Recv()
	names := ""
	for _, i := range path[:last] {
		owner := deref(t)
		f := owner.Underlying().(*types.Struct).Field(i)
		names += "." + f.Name()
		t = f.Type()
		if _, ok := t.Underlying().(*types.Pointer); ok {
			if at && !later {
				w.wrap(base, "&(", names+")")
				w.pass(base, "L", w.site(e, "load", loi.In, typeString(owner)+"."+f.Name(), t))
				w.wrap(base, "(*", ")")
			} else {
				if at {
					w.left(e, "load of "+typeString(owner)+"."+f.Name(), callFirst, loi.In, t, 0)
				}
				w.after(base, names)
			}
			at, names = true, ""
		}
	}
	w.after(base, names)
	if s.Kind() == types.MethodVal {
		w.method(e, s, t, path[last:], at, later)
	}
}

// method rewrites a method of e.X, of type t, or of a field embedded in it. A method that has its
// receiver by value loads it.
//
//	p.Val()  =>  (*A.L(B, &(p.Emb), 1)).Val()
//	p.Ref()  =>  (*A.L(B, &(p.Ptr), 1)).Ref()
func (w *accesses) method(e *ast.SelectorExpr, s *types.Selection, t types.Type, path []int, at,
	later bool) {
	recv := s.Obj().(*types.Func).Signature().Recv().Type()
	if _, byPointer := recv.Underlying().(*types.Pointer); byPointer || !at {
		return
	}
	leave := func(why string) {
		if !w.empty(deref(recv)) {
			w.left(e, "load of "+typeString(recv), why, loi.In, recv, 0)
		}
	}
	if later {
		leave(callFirst)
		return
	}
	names := ""
	for _, i := range path[:len(path)-1] { // the embedded field that has the method
		f := deref(t).Underlying().(*types.Struct).Field(i)
		_, hop := f.Type().Underlying().(*types.Pointer)
		if hop || !f.Exported() && f.Pkg() != w.pkg.Types {
			leave("it cannot be named here")
			return
		}
		t = f.Type()
		names += "." + f.Name()
	}
	p, pointer := types.Unalias(t).(*types.Pointer)
	if pointer {
		t = p.Elem()
	}
	if _, pointer := t.Underlying().(*types.Pointer); pointer {
		leave("it is behind two pointers")
		return
	} else if w.empty(t) {
		return
	}
	name := "L"
	if parametric(t) {
		name = "LX"
	}
	w.after(e.X, names)
	if !pointer {
		w.wrap(e.X, "&(", ")")
	}
	w.pass(e.X, name, w.site(e, "load", loi.In, typeString(t), t))
	w.wrap(e.X, "(*", ")")
}
