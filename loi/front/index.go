package front

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"

	"krdlab/loi"
)

// sliceExpr rewrites x[i:j:k].
func (w *accesses) sliceExpr(e *ast.SliceExpr, later bool) {
	es := []ast.Expr{}
	for _, x := range []ast.Expr{e.Low, e.High, e.Max} {
		if x != nil {
			es = append(es, x)
		}
	}
	after := later || w.calls(es...)
	if _, array := w.info.TypeOf(e.X).Underlying().(*types.Array); array {
		w.plain(e.X, after)
		later = later || differ(w.panics(e.X), w.panics(es...))
	} else {
		w.val(e.X, after)
	}
	mark := len(w.made)
	w.seq(later, es...)
	for i, b := range es { // gc copies bounds before the next is called, but no variables
		if _, name := ast.Unparen(b).(*ast.Ident); name && w.calls(es[i+1:]...) {
			w.restore(b, mark)
		}
	}
}

// index rewrites x[i] without a record of an element on the heap; a map or string is recorded.
//
//	_ = str[i]  =>  _ = str[A.I(B, str, i, 1)]
func (w *accesses) index(e *ast.IndexExpr, later bool) {
	if w.info.Types[e.Index].IsType() {
		return // an instance of a generic function
	}
	t := w.info.TypeOf(e.X)
	u := core(t)
	after := later || w.calls(e.Index)
	switch u := u.(type) {
	case *types.Map:
		w.mapIndex(e, u, loi.In, later)
		return
	case *types.Basic: // a string
		if u.Info()&types.IsString == 0 || w.steady.silent(e) {
			break
		}
		x := w.raw(e.X)
		if !w.again(e.X) || after && !w.settled(e.X) || later && !w.settled(e.Index) ||
			strings.Contains(x, "\n") {
			w.left(e, "byte of a string", "its operands may change before it is recorded", loi.In,
				types.Typ[types.Byte], 0)
			break
		}
		if i := w.constant(e.Index); i != "" {
			w.replace(e.Index.Pos(), e.Index.End(), i)
		} else {
			w.val(e.Index, later)
		}
		site := w.windowSite(e, "string", loi.In, typeString(t), types.Typ[types.Byte])
		w.out.Sites[len(w.out.Sites)-1].Bytes = 1
		w.val(e.X, after)
		w.before(e.Index, x+", ")
		w.pass(e.Index, "I", site)
		return
	case *types.Array:
		late := later || differ(w.panics(e.X), w.panics(e.Index))
		w.plain(e.X, after)
		w.val(e.Index, late)
		return
	}
	if u == nil {
		w.left(e, "element of "+typeString(t), "it is of several types", loi.In, nil, 0)
	}
	w.seq(later, e.X, e.Index)
}

// constant returns a constant index in digits; "" if e is none.
func (r *source) constant(e ast.Expr) string {
	if v := r.info.Types[e].Value; v != nil {
		return constant.ToInt(v).ExactString()
	}
	return ""
}

// mapIndex rewrites m[k], recorded with a mode; later as in val.
//
//	_ = m[k]  =>  _ = A.M(B, m, 1)[A.K(B, k, 1)]
//	m["a"]++  =>  A.M(B, m, 1)[A.K(B, "a", 1)]++
//	n, ok := m["a"]; _, _ = n, ok  =>  n, ok := A.M(B, m, 1)[A.K(B, "a", 1)]; _, _ = n, ok
//	p.mm[g()] = 1  =>  p.mm[A.KM(B, g(), (*A.L(B, &(p.mm), 2)), 1)] = 1
func (w *accesses) mapIndex(e *ast.IndexExpr, m *types.Map, mode loi.Mode, later bool) {
	if why := w.entry(e, e.X, e.Index, m, mode, later); why != "" {
		w.left(e, "entry of a map", why, mode, nil, 2)
		w.seq(later, e.X, e.Index)
	}
}

// entry records the entry of map x with a key, at n, or returns why it cannot be recorded. gc loads
// x behind the calls in the key.
func (w *accesses) entry(n ast.Node, x, key ast.Expr, m *types.Map, mode loi.Mode,
	later bool) (why string) {
	calls, settled, mark := w.calls(key), w.settled(x), len(w.made)
	switch named := w.key(key, m.Key(), later); {
	case !named:
		why = "the type of its keys cannot be named here"
	case later && !(w.settled(key) && settled),
		calls && !settled && (!w.again(x) || strings.Contains(w.raw(x), "\n")):
		why = callFirst
	}
	if why != "" {
		w.made = w.made[:mark]
		return why
	}
	site := w.mapSite(n, "map", mode, w.info.TypeOf(x), m)
	if calls && !settled {
		w.pass(key, "KM", w.draft(x, func() { w.val(x, false) }), site)
		return ""
	}
	w.val(x, later || calls)
	w.pass(x, "M", site)
	w.pass(key, "K", site)
	return ""
}

func (w *accesses) mapSite(n ast.Node, kind string, mode loi.Mode, t types.Type, m *types.Map) string {
	return w.site(n, kind, mode, typeString(t), m.Elem())
}

// key rewrites e as a value of type t, to which it is assigned; it returns false if that cannot be
// written.
//
//	_ = anys[k]  =>  _ = A.M(B, anys, 1)[A.K(B, any(k), 1)]
func (w *accesses) key(e ast.Expr, t types.Type, later bool) bool {
	tv := w.info.Types[e]
	value := tv.Value
	if value == nil && !tv.IsNil() && types.Identical(tv.Type, t) && !w.untyped(e) {
		w.val(e, later)
		return true
	}
	if _, ok := t.Underlying().(*types.Basic); ok && value != nil &&
		types.Identical(types.Default(constType(value)), t) && w.bare(e) {
		return true
	}
	name, ok := w.typeName(t, e.Pos())
	if ok {
		w.val(e, later)
		w.wrap(e, name+"(", ")")
	}
	return ok
}

// bare reports that e is a single literal, whose default type is that of its kind.
func (r *source) bare(e ast.Expr) bool {
	b, ok := ast.Unparen(e).(*ast.BasicLit)
	return ok && (b.Kind == token.STRING || b.Kind == token.INT)
}
