package front

import (
	"go/ast"
	"go/types"
	"slices"

	"krdlab/loi"
)

// pointed rewrites &lit.
//
//	_ = &Basket{}  =>  _ = A.N(B, &Basket{}, 1)
func (w *accesses) pointed(e ast.Expr, lit *ast.CompositeLit, later bool) {
	w.elements(lit, later)
	if later && !w.settled(lit) {
		w.leftLiteral(lit, callFirst)
		return
	}
	sites := len(w.out.Sites)
	w.allocated("N", e, "new", w.info.TypeOf(lit))
	if len(w.out.Sites) > sites {
		w.initial(&w.out.Sites[sites], lit)
	}
}

// elements rewrites the elements of a literal of a structure, array, slice or map.
func (w *accesses) elements(e *ast.CompositeLit, later bool) {
	t := w.info.TypeOf(e)
	_, isStruct := core(deref(t)).(*types.Struct)
	_, isMap := core(t).(*types.Map)
	var es []ast.Expr
	for _, x := range e.Elts {
		if kv, ok := x.(*ast.KeyValueExpr); ok {
			if isMap && !isStruct {
				es = append(es, kv.Key)
			}
			x = kv.Value
		}
		es = append(es, x)
	}
	w.seq(later, es...)
}

// composite rewrites such a literal as a value: a slice or map is an allocation.
//
//	_ = []int{1, p.ctr}  =>  _ = A.NS(B, []int{1, (*A.L(B, &(p.ctr), 1))}, 2)
//	_ = []int{0: 1}  =>  A.C(B, 1); _ = A.NS(B, []int{0: 1}, 2)
//	_ = map[string]int{}  =>  _ = A.NM(B, map[string]int{}, 1)
func (w *accesses) composite(e *ast.CompositeLit, later bool) {
	t := w.info.TypeOf(e)
	w.elements(e, later)
	_, isMap := core(t).(*types.Map)
	if len(e.Elts) == 0 && (!isMap || e.Type == nil) {
		return
	}
	_, allocates := core(t).(*types.Slice)
	_, pointer := core(t).(*types.Pointer)
	switch allocates = allocates || isMap || pointer; {
	case !allocates:
		return
	case e.Type == nil:
		w.leftLiteral(e, "its type is not written")
		return
	case later && !w.settled(e):
		w.leftLiteral(e, callFirst)
		return
	}
	switch u := core(t).(type) {
	case *types.Slice:
		if w.empty(u.Elem()) {
			return
		}
		mode := loi.Out
		if slices.ContainsFunc(e.Elts, isKeyed) {
			w.leftLiteral(e, "the literal has keys")
			mode = 0
		}
		w.slice("NS", e, w.windowSite(e, "literal", mode, typeString(t), u.Elem()), u.Elem())
	case *types.Map:
		if len(e.Elts) > 0 {
			w.leftLiteral(e, "the keys of a literal are not known")
		}
		w.madeMap(e, "literal-map", t)
	}
}

// slice makes n, a slice, an argument of the agent.
func (w *accesses) slice(name string, n ast.Expr, site string, element types.Type) {
	if parametric(element) {
		name += "X"
	}
	w.pass(n, name, site)
}

// leftLiteral leaves alone what a literal stores: a slice's or map's, or that of a pointer to a
// structure or an array.
func (w *accesses) leftLiteral(lit *ast.CompositeLit, why string) {
	t := w.info.TypeOf(lit)
	what := "initial values of " + typeString(t)
	switch u := core(t).(type) {
	case *types.Slice:
		if !w.empty(u.Elem()) {
			w.left(lit, what, why, loi.Out, u.Elem(), len(lit.Elts))
		}
		return
	case *types.Map:
		w.left(lit, what, why, loi.Out, nil, 2*len(lit.Elts))
		return
	}
	if len(lit.Elts) == 0 || w.empty(deref(t)) {
		return
	}
	s := Site{Bytes: 1}
	w.initial(&s, lit)
	n := max(len(s.Leaves), len(s.Fields), s.Items)
	if slices.ContainsFunc(lit.Elts, isKeyed) {
		n = max(n, len(lit.Elts)) // of an array
	}
	w.left(lit, what, why, loi.Out, nil, n)
}

func isKeyed(e ast.Expr) bool {
	_, ok := e.(*ast.KeyValueExpr)
	return ok
}

// initial lists at the site of &lit the parts of the new object that the literal stores.
func (w *accesses) initial(s *Site, lit *ast.CompositeLit) {
	if len(lit.Elts) == 0 {
		return // zeros
	}
	t := deref(w.info.TypeOf(lit))
	var all []Leaf
	add := func(t types.Type, part Leaf) {
		if n := len(all); w.sizes.Sizeof(t) > 0 {
			if all = appendLeaves(w.sizes, all, t, part); len(all) > MostLeaves {
				part.Bytes = uint64(w.sizes.Sizeof(t))
				all = append(all[:n], part)
			}
		}
	}
	switch u := core(t).(type) {
	case *types.Struct:
		stored := func(i int) bool {
			return !isKeyed(lit.Elts[0]) || slices.ContainsFunc(lit.Elts, func(e ast.Expr) bool {
				return e.(*ast.KeyValueExpr).Key.(*ast.Ident).Name == u.Field(i).Name()
			})
		}
		fields := make([]*types.Var, u.NumFields())
		for i := range fields {
			fields[i] = u.Field(i)
			if stored(i) {
				s.Fields = append(s.Fields, i)
			}
		}
		if parametric(t) {
			break
		}
		for i, at := range w.sizes.Offsetsof(fields) {
			if stored(i) {
				f := fields[i]
				add(f.Type(), Leaf{Offset: uint64(at), Name: "." + f.Name(),
					Object: typeString(t) + "." + f.Name()})
			}
		}
	case *types.Array:
		if slices.ContainsFunc(lit.Elts, isKeyed) {
			if s.Kind != "" {
				w.left(lit, "initial values of "+s.Object, "the literal has keys", loi.Out, u.Elem(),
					len(lit.Elts))
			}
			return
		}
		s.Items = len(lit.Elts)
		if !parametric(t) {
			add(types.NewArray(u.Elem(), int64(s.Items)), Leaf{})
		}
	}
	if len(all) > 0 || parametric(t) {
		s.Mode, s.Leaves = loi.Out, all
	}
}

func (w *accesses) madeMap(e ast.Expr, kind string, t types.Type) {
	w.pass(e, "NM", w.site(e, kind, 0, typeString(t), nil))
}
